"""While very many values are made nobody looks for cycles, and afterwards as before."""

import gc

import pytest

from hindbrain.app.heap import uncollected


@pytest.mark.parametrize("is_collecting", [True, False])
def test_afterwards_python_looks_for_cycles_as_it_did_before(is_collecting: bool) -> None:
    before = gc.isenabled()
    (gc.enable if is_collecting else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError), uncollected():
            assert not gc.isenabled()
            _ = 1 / 0
        assert gc.isenabled() is is_collecting
    finally:
        (gc.enable if before else gc.disable)()
