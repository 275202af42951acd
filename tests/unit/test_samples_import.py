"""Real files of other systems: every line of them is accounted for, and what they say is kept."""

from collections import Counter
from pathlib import Path

import pytest
from building import FakeChance, FakeClock, a_project
from reading import everything

from hindbrain.adapters import tree as folders
from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.adopt import Adopted, adopt
from hindbrain.app.tools import Tools
from hindbrain.core.model import State
from hindbrain.core.model.foreign import Fate
from hindbrain.dialects import dialect
from hindbrain.ports import Where
from hindbrain.settings import Settings

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared/samples"
EVERY = Where(project="prj-one", states=frozenset(State))

# dialect, place, memories that come of it, and for what is rejected: how many, and why (a part of the reason).
FILES = [
    ("beads", "beads/knowledge.cameronraysmith__vanixiets.jsonl", 1, {}),
    ("beads", "beads/knowledge.coroiu__bitwarden-hw-key.jsonl", 3, {}),
    ("beads", "beads/knowledge.mraakashshah__oro.jsonl", 9, {}),
    ("beads", "beads/knowledge.roberto-mello__lavra.jsonl", 249, {"a command": 0, "a script": 0, "nothing is left": 0}),
    ("beads", "beads/issues.upstream.jsonl", 0, {"it has no content": 2}),
    ("beads", "beads/lavra-test-queries.jsonl", 0, {"it has no content": 25}),
    ("chorus", "chorus/agent-learnings.484b111.md", 0, {}),
    ("chorus", "chorus/learnings.md.template", 0, {}),
    ("rules", "chorus/.claude_rules_workflow-rules.md", 105, {}),
    ("rules", "chorus/.claude_rules_beads-task-tracking.md", 3, {}),
    ("loki", "loki/showtime", 29, {"says nothing": 4}),
    ("loki", "loki/popcoating", 36, {}),
    ("loki", "loki/continuity/centurion.md", 3, {}),
    ("loki", "loki/CONTINUITY.claudeskill-loki-mode.md", 0, {}),
]
# Files that hold no memories of any dialect: what they are instead.
OTHERS = {
    "README.md": "says where the samples come from",
    "beads/golden": "recorded answers of scripts; see test_beads_golden.py",
    "beads/session-state.lavra.md": "the state of one session of another tool",
    "chorus/.beads_interactions.jsonl": "a log of a task tracker",
    "chorus/.beads_issues.jsonl": "tasks of a task tracker",
    "chorus/archive-v2_.beads_issues.jsonl": "tasks of a task tracker",
    "claude-code": "transcripts: captured, not imported; see test_transcripts_formats.py",
    "dex": "events, notes and prompts of the build of Dex, not its memories",
    "synedre": "a page for people",
}


@pytest.fixture
def tools(clock: FakeClock, chance: FakeChance, tmp_path: Path) -> Tools:
    store = DictStore()
    a_project(store, "one")
    settings = Settings(home=str(tmp_path), store=str(tmp_path / "hindbrain.db"))
    return Tools(store=store, clock=clock, chance=chance, files=LocalFiles(), settings=settings)


def place(name: str) -> Path:
    if not SAMPLES.exists():
        pytest.skip("the samples are not beside this project")
    return SAMPLES / name


def imported(name: str, where: str, tools: Tools) -> tuple[dict[str, bytes], Adopted]:
    tree = folders.load(str(place(where)), wants=dialect(name).wants)
    return dict(tree), adopt(tree, dialect=dialect(name), project="prj-one", tools=tools)


@pytest.mark.parametrize(("name", "where", "count", "rejected"), FILES, ids=[where for _, where, _, _ in FILES])
def test_a_real_file_is_imported_with_nothing_lost(  # BD-065
    tools: Tools, name: str, where: str, count: int, rejected: dict[str, int]
) -> None:
    tree, report = imported(name, where, tools)

    told = dialect(name).read(tree).told
    assert report.created + report.known + report.changed == len(told), "all that was read is kept"
    kept = tools.store.select(EVERY)
    assert len(kept) == count
    places = Counter(item.where for item in report.items)
    assert set(places.values()) <= {1}, "every line or file counts once"
    refused = [item.reason for item in report.items if item.fate is Fate.REJECTED]
    assert all(any(why in reason for why in rejected) for reason in refused)
    assert all(sum(why in reason for reason in refused) == number for why, number in rejected.items() if number)
    if where.endswith(".jsonl"):
        lines = [line for content in tree.values() for line in content.split(b"\n") if line.strip()]
        assert len(report.items) == len(lines)
        assert {item.where for item in report.items if item.fate is not Fate.REJECTED} == {one.where for one in told}


@pytest.mark.parametrize(("name", "where", "count", "rejected"), FILES, ids=[where for _, where, _, _ in FILES])
def test_importing_a_real_file_again_changes_nothing(
    tools: Tools, clock: FakeClock, name: str, where: str, count: int, rejected: dict[str, int]
) -> None:
    imported(name, where, tools)
    before = everything(tools.store)
    clock.forward(days=2)

    _, again = imported(name, where, tools)

    assert (again.created, again.changed) == (0, 0)
    assert everything(tools.store) == before


def test_polluted_entries_come_out_clean(tools: Tools) -> None:  # F-23
    _, report = imported("beads", "beads/knowledge.roberto-mello__lavra.jsonl", tools)

    texts = [memory.content for memory in tools.store.select(EVERY)]
    for piece in ("&& bd close", "2>/dev/null || true", "<<'EOF'", '" && git ', "$(cat <<"):
        assert not [text for text in texts if piece in text], piece
    assert not [memory for memory in tools.store.select(EVERY) if "\n" in memory.provenance.task]
    assert report.count(Fate.REPAIRED) > 100


def test_every_sample_is_imported_or_explained() -> None:
    root = place("")
    known = {where for _, where, _, _ in FILES} | set(OTHERS)
    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    left = {path for path in found if not any(path == one or path.startswith(f"{one}/") for one in known)}
    assert left == set()
