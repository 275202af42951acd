"""When lines of knowledge.jsonl move to the archive, and which."""

import json
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model.foreign import View
from hindbrain.dialects import dialect


def written(count: int, **given: object) -> tuple[list[str], list[str]]:
    """The keys in the file and in the archive, of that many memories."""
    memories = [
        a_memory("x", id=f"mem-{n}", content=f"lesson {n}", legacy_key=f"k{n}", learned_at=NOW + timedelta(seconds=n))
        for n in range(count)
    ]
    tree = dialect("beads").write(View(project="one", memories=memories, links=[], at=NOW))
    files = (tree[f".beads/memory/knowledge{part}.jsonl"] for part in ("", ".archive"))
    active, archive = ([json.loads(line)["key"] for line in file.splitlines()] for file in files)
    return active, archive


@pytest.mark.parametrize(
    ("count", "active", "archived"),
    [(0, 0, 0), (1_000, 1_000, 0), (1_001, 501, 500), (1_500, 1_000, 500), (1_501, 501, 1_000)],
)
def test_above_a_thousand_lines_the_oldest_five_hundred_leave(  # BD-048 BD-049 BD-050
    count: int, active: int, archived: int
) -> None:
    here, there = written(count)
    assert (len(here), len(there)) == (active, archived)
    assert [*there, *here] == [f"k{number}" for number in range(count)], "in order, and none lost or doubled"


def test_a_second_rotation_appends_to_the_first() -> None:  # BD-050
    _, once = written(1_001)
    _, twice = written(1_501)
    assert twice[:500] == once
