"""What other systems' files bring into a project, through the real dialects and every store."""

import json
import sqlite3
from pathlib import Path

import pytest
from building import FakeClock

from hindbrain.adapters import tree as folders
from hindbrain.app.adopt import Adopted, adopt
from hindbrain.app.hand_out import hand_out
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Relation, State
from hindbrain.core.model.foreign import Fate
from hindbrain.dialects import dialect
from hindbrain.errors import BadValue, TooLong, Unreadable
from hindbrain.ports import Store, Where

PROJECT = "prj-one"
EVERY = Where(project=PROJECT, states=frozenset(State))


def entry(content: str, *, ts: int, key: str = "learned-old", bead: str = "", tags: tuple[str, ...] = ()) -> str:
    """A line of knowledge.jsonl."""
    kind = key.partition("-")[0]
    fields = {"key": key, "type": kind, "content": content, "source": "supervisor", "tags": [kind, *tags]}
    return json.dumps({**fields, "ts": ts, "bead": bead}) + "\n"


BEADS = (
    entry("Use Memcached", ts=1001, bead="BD-1")
    + entry("Use Redis 7 for sessions", ts=1002, bead="BD-2", tags=("cache",))
    + entry('Root cause: a.py:45 is nil" && bd close BD-3', ts=1003, key="investigation-x", bead="BD-3")
    + "{torn\n"
)
CHORUS = """# Project Learnings

## API Design
- Rate limiting: 100 requests/minute per user
  Source: ch-022 (2026-01-11, ed-002)

## Architecture
- XState v5 for state management
  Source: ch-010 (2026-01-10, pat)

<!-- Superseded learnings (kept for history)
- ~~Use Zustand for state management~~ (superseded by XState v5)
  Source: ch-002 (2026-01-09, ed-001)
  Superseded: 2026-01-10 by ch-010
-->
"""


def adopted(name: str, files: dict[str, str | bytes], tools: Tools) -> Adopted:
    tree = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return adopt(tree, dialect=dialect(name), project=PROJECT, tools=tools)


def handed_out(name: str, tools: Tools) -> dict[str, bytes]:
    return dict(hand_out(dialect=dialect(name), project=PROJECT, name="one", tools=tools, present={}))


def all_of(store: Store) -> list[Memory]:
    return sorted(store.select(EVERY), key=lambda memory: memory.learned_at)


def test_every_line_is_counted_once_and_the_polluted_comes_out_clean(
    store: Store, tools: Tools
) -> None:  # F-23, BD-024
    report = adopted("beads", {".beads/memory/knowledge.jsonl": BEADS}, tools)

    assert [str(item.fate) for item in report.items] == ["read", "read", "repaired", "rejected"]
    assert (report.created, report.known) == (3, 0)
    old, new, cause = all_of(store)
    assert cause.content == "Root cause: a.py:45 is nil" and cause.type == "investigation"
    assert old.superseded_by == new.id and new.state is State.LIVE and new.provenance.task == "BD-2"
    assert [link.relation for link in store.links(old.id)] == [Relation.SUPERSEDES]


def test_a_second_import_changes_nothing(store: Store, tools: Tools, clock: FakeClock) -> None:
    files: dict[str, str | bytes] = {".beads/memory/knowledge.jsonl": BEADS}
    adopted("beads", files, tools)
    before = all_of(store)
    clock.forward(days=1)
    again = adopted("beads", files, tools)

    assert (again.created, again.changed, again.known) == (0, 0, 3)
    assert all_of(store) == before


def test_a_file_that_grew_by_one_line_brings_one_memory(store: Store, tools: Tools) -> None:
    adopted("beads", {"knowledge.jsonl": BEADS}, tools)
    more = entry("Zebra mode needs a warm cache", ts=5, key="learned-z")
    assert adopted("beads", {"knowledge.jsonl": f"{BEADS}{more}"}, tools).created == 1


def test_two_systems_copies_of_one_lesson_meet_with_both_provenances(store: Store, tools: Tools) -> None:
    adopted("chorus", {".chorus/learnings.md": CHORUS}, tools)
    line = json.dumps(
        {"key": "k", "type": "learned", "content": "rate limiting: 100 requests/minute per user.", "ts": 1}
    )
    adopted("beads", {"knowledge.jsonl": line}, tools)

    [met] = [memory for memory in store.select(EVERY) if "ate limiting" in memory.content]
    assert met.counters.evidence == 2
    receipts = [store.receipt(saying.receipt) for saying in store.sayings(met.id)]
    assert {receipt.adapter for receipt in receipts if receipt} == {"chorus", "beads"}


@pytest.mark.parametrize("name", ["beads", "chorus", "dex"])
def test_out_in_and_out_again_gives_the_same_bytes(name: str, tools: Tools, tmp_path: Path, clock: FakeClock) -> None:
    from building import FakeChance, a_project

    from hindbrain.adapters.dictionary import DictStore
    from hindbrain.core.value import replace

    adopted("chorus", {".chorus/learnings.md": CHORUS, ".chorus/agents/ed/learnings.md": ED}, tools)
    adopted("beads", {"knowledge.jsonl": BEADS}, tools)
    first = handed_out(name, tools)
    other = DictStore()
    a_project(other, "one")
    there = replace(tools, store=other, chance=FakeChance())
    adopted(name, dict(first), there)
    second = handed_out(name, there)

    if name == "dex":  # ids are the store's own; what is said must be the same
        assert _said(first) == _said(second)
    else:
        assert second == first


def _said(tree: dict[str, bytes]) -> list[tuple[str, str]]:
    memories = json.loads(tree["memories.json"])["memories"]
    return sorted((memory["type"], memory["content"]) for memory in memories)


ED = """# Ed's Learnings

## Performance
- [2026-01-13] This table needs batch inserts for 10x performance
  Source: ch-045

## Testing
- [2026-01-13] Run quality checks before commit, not after
  Source: ch-047
"""


def test_chorus_files_come_out_as_they_went_in(tools: Tools, clock: FakeClock) -> None:  # CH-106..CH-113
    clock.forward(days=30)
    files: dict[str, str | bytes] = {".chorus/learnings.md": CHORUS, ".chorus/agents/ed/learnings.md": ED}
    report = adopted("chorus", files, tools)
    assert report.count(Fate.READ) == 5

    out = handed_out("chorus", tools)
    assert out[".chorus/learnings.md"].decode() == CHORUS
    assert out[".chorus/agents/ed/learnings.md"].decode() == ED


def test_a_dex_database_is_read_from_a_copy(store: Store, tools: Tools, tmp_path: Path) -> None:  # DX-018..DX-033
    place = tmp_path / "dex.db"
    with sqlite3.connect(place) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, project_id TEXT, type TEXT, title TEXT, content TEXT,"
            " confidence REAL, tags TEXT, file_refs TEXT, created_at TEXT, use_count INTEGER)"
        )
        said = ("mem-a", "p", "pitfall", "Nil", "session.Get() returns nil", 0.9, '["go"]', '["internal/*.go"]')
        mute = ("mem-b", "p", "fix", "", "", 0.5, None, None)
        for row in ((*said, "2024-01-15 10:30:00", 4), (*mute, None, 0)):
            database.execute("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    database.close()
    report = adopted("dex", {"dex.db": place.read_bytes()}, tools)

    assert [str(item.fate) for item in report.items] == ["read", "rejected"]
    [memory] = store.select(EVERY)
    assert (memory.type, memory.tags, memory.file_refs, memory.counters.injected) == (
        "pitfall",
        ("go",),
        ("internal/*.go",),
        4,
    )
    assert memory.confidence == 0.7


def test_secrets_in_foreign_files_are_taken_out_and_told(store: Store, tools: Tools) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    line = json.dumps({"key": "k", "type": "learned", "content": f"Push with token {secret} to the mirror", "ts": 1})
    report = adopted("beads", {"knowledge.jsonl": line}, tools)

    assert report.removed and secret not in store.select(EVERY)[0].content


def test_what_is_too_long_is_rejected_and_the_rest_is_kept(store: Store, tools: Tools) -> None:
    lines = [json.dumps({"key": str(n), "content": "word " * n, "ts": n}) for n in (5_000, 3)]
    report = adopted("beads", {"knowledge.jsonl": "\n".join(lines)}, tools)

    assert [str(item.fate) for item in report.items] == ["rejected", "repaired"] and report.created == 1


def test_a_folder_is_read_only_as_far_as_it_is_safe(tmp_path: Path) -> None:  # S9
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.jsonl").write_text("{}")
    (tmp_path / "in" / "knowledge.jsonl").symlink_to(tmp_path / "outside.jsonl")
    with pytest.raises(BadValue, match="leads out"):
        folders.load(str(tmp_path / "in"), wants=lambda _: True)

    packed = tmp_path / "memories.zip"
    packed.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(BadValue, match="zip file"):
        folders.load(str(packed), wants=lambda _: True)

    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(folders.MOST_BYTES + 1)
    with pytest.raises(TooLong):
        folders.load(str(huge), wants=lambda _: True)
    with pytest.raises(Unreadable):
        folders.load(str(tmp_path / "nowhere"), wants=lambda _: True)


@pytest.mark.parametrize("name", ["../x.md", "/etc/x", "a/../../x", "a\\b", ""])
def test_nothing_is_written_outside_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadValue):
        folders.save({name: b"x"}, str(tmp_path / "target"))
    assert not (tmp_path / "target").exists() or not list((tmp_path / "target").iterdir())


def test_only_what_changed_is_written_and_links_stay_links(tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_text("old")
    target = tmp_path / "target"
    target.mkdir()
    (target / "a.md").write_text("same")

    assert folders.save({"a.md": b"same", "b/c.md": b"new"}, str(target)) == ("b/c.md",)
    assert (target / "b" / "c.md").read_text() == "new"


@pytest.mark.parametrize("is_archive_first", [True, False])
def test_what_lies_in_the_archive_takes_no_living_lesson_with_it(tools: Tools, is_archive_first: bool) -> None:
    """The one in the archive says the same and is newer: alive, it would have taken the other's place."""
    facts = [("fact-002", "retry retry", "2026-01-09"), ("fact-001", "retry retry retry", "2026-01-08")]
    gone, alive = (
        json.dumps({"facts": [{"id": name, "kind": "lesson", "fact": text, "learned_at": f"{day}T09:30:00.000Z"}]})
        for name, text, day in facts
    )
    files = {".loki/memory/archive/semantic/facts.json": gone, ".loki/memory/semantic/facts.json": alive}
    if not is_archive_first:
        files = dict(reversed(files.items()))
    report = adopted("loki", files, tools)
    assert report.created == 2
    states = {memory.content: memory.state for memory in tools.store.select(EVERY)}
    assert states == {"retry retry": State.ARCHIVED, "retry retry retry": State.LIVE}
    again = adopted("loki", files, tools)
    assert (again.created, again.changed) == (0, 0)
