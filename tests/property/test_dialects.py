"""Laws of the files of other systems: what is written comes back, and what is torn costs only itself."""

import json
import string
from collections.abc import Mapping
from datetime import timedelta

import pytest
from building import NOW, FakeChance, FakeClock, a_project
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.add import Noted, add
from hindbrain.app.adopt import adopt
from hindbrain.app.archive import delete
from hindbrain.app.hand_out import hand_out
from hindbrain.app.tools import Tools
from hindbrain.core.model.foreign import Fate
from hindbrain.core.trust import risky_command
from hindbrain.dialects import dialect
from hindbrain.settings import Settings

WORD = st.text(string.ascii_lowercase + "äß日", min_size=2, max_size=9)
# Without commands, which hypothesis draws from our own source: what another system tells to run waits for a person.
TEXT = st.lists(WORD, min_size=2, max_size=9).map(" ".join).filter(lambda text: risky_command(text) is None)
TYPES = st.sampled_from(("learned", "investigation", "pitfall", "fix", "decision"))


def fresh_tools() -> Tools:
    store = DictStore()
    a_project(store, "one")
    home = Settings(home="/nowhere", store="/nowhere/hindbrain.db")
    return Tools(store=store, clock=FakeClock(), chance=FakeChance(), files=LocalFiles(), settings=home)


@st.composite
def written(draw: st.DrawFn) -> Tools:
    """A project with memories as people and agents write them, some of them put away."""
    tools = fresh_tools()
    for number, text in enumerate(draw(st.lists(TEXT, max_size=8, unique=True))):
        noted = Noted(
            content=text,
            type=draw(TYPES),
            task=draw(st.sampled_from(("", "ch-7", "BD-001"))),
            persona=draw(st.sampled_from(("", "ed", "ada"))),
            learned_at=NOW - timedelta(days=number + 1, seconds=number),
        )
        receipt = add(noted, project="prj-one", tools=tools)
        if receipt.memory_id and draw(st.booleans()) and draw(st.booleans()):
            delete(receipt.memory_id, store=tools.store, clock=tools.clock)
    return tools


def out(name: str, tools: Tools, *, present: Mapping[str, bytes]) -> dict[str, bytes]:
    return dict(hand_out(dialect=dialect(name), project="prj-one", name="one", tools=tools, present=present))


@pytest.mark.parametrize("name", ["beads", "chorus", "claude", "loki"])
@settings(max_examples=40)
@given(data=st.data())
def test_out_in_and_out_again_gives_the_same_bytes(name: str, data: st.DataObject) -> None:  # R18
    tools = data.draw(written())
    first = out(name, tools, present={})
    assert out(name, tools, present={}) == first, "the same memories give the same bytes"

    there = fresh_tools()
    wanted = {path: content for path, content in first.items() if dialect(name).wants(path)}
    report = adopt(wanted, dialect=dialect(name), project="prj-one", tools=there)
    assert report.count(Fate.REJECTED) == 0
    assert out(name, there, present={}) == first
    again = adopt(wanted, dialect=dialect(name), project="prj-one", tools=there)
    assert (again.created, again.changed) == (0, 0)


LINES = st.lists(
    st.fixed_dictionaries(
        {
            "key": WORD.map("learned-{}".format),
            "type": st.just("learned"),
            "content": TEXT,
            "source": st.just("supervisor"),
            "tags": st.just(["learned"]),
            "ts": st.integers(1_000, 2_000_000_000),
            "bead": st.just("BD-1"),
        }
    ),
    min_size=4,
    max_size=6,
    unique_by=lambda line: line["key"],
)


@settings(max_examples=15)
@given(LINES)
def test_a_file_that_was_cut_anywhere_in_its_last_three_records_keeps_all_before(
    lines: list[dict[str, object]],
) -> None:
    # R18
    records = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    whole = b"".join(records)
    start = len(b"".join(records[:-3]))
    for cut in range(start, len(whole)):
        reading = dialect("beads").read({"knowledge.jsonl": whole[:cut]})
        kept = [length for length in _ends(records) if length - 1 <= cut]  # the line break itself may be missing
        good = [item for item in reading.items if item.fate is not Fate.REJECTED]
        bad = [item for item in reading.items if item.fate is Fate.REJECTED]
        assert len(good) == len(kept)
        assert [item.where for item in bad] in ([], [f"knowledge.jsonl:{len(kept) + 1}"])
        assert all(item.reason for item in bad)
        is_torn = cut - (kept[-1] if kept else 0) > 0
        assert bool(bad) is is_torn


@given(LINES, st.data())
def test_damage_in_the_middle_is_told_with_its_line(lines: list[dict[str, object]], data: st.DataObject) -> None:  # R18
    records = [json.dumps(line).encode() for line in lines]
    number = data.draw(st.integers(0, len(records) - 2))
    records[number] = records[number][: data.draw(st.integers(1, len(records[number]) - 1))]

    reading = dialect("beads").read({"knowledge.jsonl": b"\n".join(records)})

    bad = [item for item in reading.items if item.fate is Fate.REJECTED]
    assert [item.where for item in bad] == [f"knowledge.jsonl:{number + 1}"] and "no JSON" in bad[0].reason
    assert len(reading.told) == len(lines) - 1


def _ends(records: list[bytes]) -> list[int]:
    ends, at = [], 0
    for record in records:
        at += len(record)
        ends.append(at)
    return ends
