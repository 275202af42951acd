"""What may be put away without asking: only what is doubted, of no use to anyone, and old."""

from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.confidence import decay
from hindbrain.core.model import Counters, Kind
from hindbrain.core.retention import archive_reason

DOUBTED = a_memory(at=NOW - timedelta(days=31), confidence=0.14)


# DX-129 G-5
def test_doubted_unused_and_old_is_put_away_with_a_reason() -> None:
    assert archive_reason(DOUBTED, now=NOW) == "confidence 0.14 is below 0.15, and nobody used it in 31 days"


# DX-129 G-5 X-12
@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.15},
        {"confidence": 0.05 + 0.10},
        {"created_at": NOW - timedelta(days=30)},
        {"created_at": NOW + timedelta(days=31)},
        {"counters": Counters(injected=1)},
        {"counters": Counters(recalled=1)},
        {"counters": Counters(cited=1)},
        {"counters": Counters(confirmed=1)},
        {"is_pinned": True},
        {"trust": 0},
        {"superseded_by": "mem-other"},
        {"archived_at": NOW},
    ],
    ids=str,
)
def test_one_reason_to_stay_is_enough(change: dict[str, object]) -> None:
    assert archive_reason(replace(DOUBTED, **change), now=NOW) is None  # type: ignore[arg-type]


def test_being_taught_often_is_not_being_used() -> None:
    assert archive_reason(replace(DOUBTED, counters=Counters(evidence=9)), now=NOW) is not None


# DX-128 F-09
def test_neglect_alone_leads_to_the_archive() -> None:
    memory = a_memory(at=NOW - timedelta(days=7 * 23), confidence=0.5)
    assert archive_reason(memory, now=NOW) is None

    decayed = decay(memory, now=NOW)
    assert decayed is not None

    assert archive_reason(replace(memory, confidence=decayed.confidence), now=NOW) is not None


# HB-081, Q-06
def test_a_scar_stays_until_nobody_recalled_it_for_half_a_year() -> None:
    scar = a_memory(at=NOW - timedelta(days=181), kind=Kind.SCAR, confidence=0.9)
    assert archive_reason(scar, now=NOW) == "nobody recalled it in 181 days"
    assert archive_reason(replace(scar, counters=Counters(recalled=1)), now=NOW) is None
    assert archive_reason(replace(DOUBTED, kind=Kind.SCAR), now=NOW) is None
