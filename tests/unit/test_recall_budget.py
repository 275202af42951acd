"""What stays when not everything fits."""

from hindbrain.core.recall.budget import pack
from hindbrain.core.words import estimate_tokens


#
def test_the_best_stay_and_the_rest_is_counted() -> None:
    assert pack("abcde", cost=lambda _: 2, budget=7) == (("a", "b", "c"), 2)


def test_one_long_item_does_not_silence_the_short_ones_behind_it() -> None:
    assert pack([5, 90, 5, 6], cost=lambda item: item, budget=12) == ((5, 5), 2)


def test_nothing_fits_into_nothing() -> None:
    assert pack([1, 2], cost=lambda item: item, budget=0) == ((), 2)
    assert pack([1, 2], cost=lambda item: item, budget=-5) == ((), 2)


#
def test_tokens_may_be_the_price() -> None:
    assert pack(["x" * 40, "y" * 40], cost=estimate_tokens, budget=10) == (("x" * 40,), 1)
