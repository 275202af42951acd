"""What an agent is told, at which moment, and what it is never told twice."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from embedding import AngleEmbedder

from hindbrain.app.moment import MAX_CHARACTERS, told
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.model import Event, Kind, Memory, Provenance
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.outcome import Anchor, Freshness
from hindbrain.core.signals import Signal, find
from hindbrain.core.value import replace
from hindbrain.core.words import estimate_tokens
from hindbrain.errors import StoreDamaged, StoreLocked
from hindbrain.ports import Changes, Where

ROOT = "/srv/shop"
CACHE = "Flush the redis cache before a deploy, else old prices are shown"


def say(tools: Tools, happening: Happening, *, root: str = ROOT, **more: object) -> str:
    return whole(tools, happening, root=root, **more).context


def whole(tools: Tools, happening: Happening, *, root: str = ROOT, **more: object) -> Reply:
    given: dict[str, object] = {"client": "claude", "session": "s1", "at": NOW, "cwd": root} | more
    notice = Notice(happening=happening, **given)  # type: ignore[arg-type]
    return told(notice, project="prj-one", root=root, tools=tools)


def start(tools: Tools, **more: object) -> str:
    return say(tools, Happening.SESSION_START, **({"source": "startup"} | more))  # type: ignore[arg-type]


def prompt(tools: Tools, text: str, **more: object) -> str:
    return say(tools, Happening.PROMPT, prompt=text, **more)  # type: ignore[arg-type]


def edit(tools: Tools, path: str, **more: object) -> str:
    return say(tools, Happening.BEFORE_TOOL, is_edit=True, paths=(path,), **more)  # type: ignore[arg-type]


def fail(tools: Tools, output: str, **more: object) -> str:
    given: dict[str, object] = {"is_shell": True, "is_failure": True, "command": "make test"} | more
    return say(tools, Happening.AFTER_TOOL, output=output, **given)  # type: ignore[arg-type]


def did(tools: Tools, deed: Deed, at: datetime, **more: object) -> None:
    given: dict[str, object] = {"project": "prj-one", "session": "s1"} | more
    activity = Activity(id=f"act-{deed}-{at.isoformat()}", at=at, deed=deed, **given)  # type: ignore[arg-type]
    tools.store.write(lambda tx: tx.apply(Changes(activities=(activity,))))


def anchored(tools: Tools, memory: Memory, freshness: Freshness) -> None:
    anchor = Anchor(
        memory_id=memory.id,
        project="prj-one",
        path="src/jobs/lock.py",
        tied_at=NOW,
        checked_at=NOW,
        freshness=freshness,
    )
    tools.store.write(lambda tx: tx.apply(Changes(anchors=(anchor,))))


def with_settings(tools: Tools, **settings: object) -> Tools:
    return replace(tools, settings=replace(tools.settings, **settings))  # type: ignore[arg-type]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- [")]


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_start_brings_what_is_always_in_mind_then_the_few_that_matter_most(tools: Tools, source: str) -> None:
    # X-09 BD-005
    keep(
        tools.store,
        a_memory("Never push to main", id="mem-reflex", kind=Kind.REFLEX, importance=1),
        a_memory("Deploys happen on Tuesdays only", id="mem-pinned", is_pinned=True, importance=1),
        *(a_memory(f"lesson number {n} of many", id=f"mem-{n:02}", importance=n % 10) for n in range(20)),
    )
    text = start(tools, source=source)
    assert [line.split("]")[0][3:] for line in lines(text)][:2] == ["mem-reflex", "mem-pinned"]
    assert len(lines(text)) == 2 + 5
    assert "mem-09" in text and "mem-19" in text  # the most important
    assert "more not shown" in text
    assert text.index("Always in mind") < text.index("What earlier sessions learned")
    assert "MEMORY:pitfall" in text.splitlines()[-1]


def test_a_resumed_session_is_told_only_what_is_new_to_it(tools: Tools, clock: FakeClock) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert "mem-a" in start(tools)
    clock.forward(hours=1)
    keep(tools.store, a_memory("Prices are kept in cents", id="mem-b"))
    again = start(tools, source="resume")
    assert "mem-b" in again and "mem-a" not in again
    assert "MEMORY:pitfall" not in again  # it stands above


@pytest.mark.parametrize("client", ["gemini", "opencode"])
def test_a_client_that_forgets_what_it_was_told_is_told_again_when_it_goes_on(
    tools: Tools, clock: FakeClock, client: str
) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert "mem-a" in start(tools, client=client)
    at = clock.forward(hours=1)
    again = start(tools, source="resume", client=client)
    assert "mem-a" in again and "MEMORY:pitfall" in again
    did(tools, Deed.SESSION, at, subject="resume")
    question = "how is the redis cache flushed before a deploy"
    assert prompt(tools, question, client=client) == ""


@pytest.mark.parametrize("cut", ["clear", "compact"])
def test_what_went_out_of_sight_may_be_shown_again(tools: Tools, clock: FakeClock, cut: str) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert "mem-a" in start(tools)
    clock.forward(hours=1)
    assert "mem-a" in start(tools, source=cut)
    assert prompt(tools, "why does the redis cache show old prices after a deploy") == ""


def test_a_compaction_that_was_noted_since_counts_as_well(tools: Tools, clock: FakeClock) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    question = "how is the redis cache flushed before a deploy"
    assert "mem-a" in prompt(tools, question)
    did(tools, Deed.COMPACTION, clock.forward(minutes=5), agent="other")
    assert prompt(tools, question) == ""
    did(tools, Deed.COMPACTION, clock.forward(minutes=5))
    clock.forward(seconds=1)
    assert "mem-a" in prompt(tools, question)
    assert prompt(tools, question) == ""


def test_a_client_that_says_late_that_it_has_compacted_is_not_told_again(tools: Tools, clock: FakeClock) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    question = "how is the redis cache flushed before a deploy"
    assert "mem-a" in start(tools)
    did(tools, Deed.COMPACTION, clock.forward(minutes=5), subject="begins")
    did(tools, Deed.SESSION, clock.forward(seconds=1), subject="compact")
    assert "mem-a" in start(tools, source="compact")
    did(tools, Deed.COMPACTION, clock.forward(seconds=1), subject="done")
    clock.forward(seconds=1)
    assert prompt(tools, question) == ""


def test_a_client_that_only_says_that_it_has_compacted_is_believed(tools: Tools, clock: FakeClock) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    question = "how is the redis cache flushed before a deploy"
    assert "mem-a" in prompt(tools, question)
    did(tools, Deed.COMPACTION, clock.forward(minutes=5), subject="done")
    clock.forward(seconds=1)
    assert "mem-a" in prompt(tools, question)


def test_an_empty_project_hears_only_how_to_record(tools: Tools) -> None:  # BD-030 DX-106
    text = start(tools)
    assert text.count("\n") == 1 and "hindbrain-notes" not in text


def test_our_own_line_teaches_nothing_when_it_is_repeated(tools: Tools, tmp_path: Path) -> None:  # DX-113
    (tmp_path / ".beads").mkdir()
    for text in (start(tools), start(tools, root=str(tmp_path), session="s2")):
        assert text
        bare = text.replace("`", "")
        assert not [found for found in (*find(text), *find(bare)) if isinstance(found, Signal)]


def test_a_beads_project_gets_its_own_list(tools: Tools, tmp_path: Path) -> None:
    # BD-025 BD-026 BD-027 BD-029 BD-032
    (tmp_path / ".beads").mkdir()
    memories = [a_memory(f"content number {n}", id=f"mem-{n:02}", at=NOW + timedelta(seconds=n)) for n in range(12)]
    keep(tools.store, *memories)
    text = start(tools, root=str(tmp_path))
    assert text.startswith("## Recent Knowledge (12 entries)\n")
    entries = [line for line in text.splitlines() if line.startswith("  [LEARN] ")]
    assert entries == [f"  [LEARN] content number {n}  (orchestrator)" for n in (11, 10, 9, 8, 7)]
    assert '\n  Search: hindbrain recall "keyword"\n' in text
    assert 'bd comment BEAD_ID "LEARNED: …"' in text


def test_a_worktree_of_a_beads_project_is_one_too(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert "## Recent Knowledge (1 entries)" in start(tools, root=str(tmp_path / ".worktrees" / "bd-1"))


def test_a_prompt_brings_what_bears_on_it_and_nothing_else(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"), a_memory("Gardens need water every day", id="mem-b"))
    text = prompt(tools, "the redis cache shows old prices after a deploy")
    assert [line[3:8] for line in lines(text)] == ["mem-a"]
    assert prompt(tools, "write a poem about gliders", session="s2") == ""


def test_news_of_others_comes_with_the_next_prompt_once(tools: Tools, clock: FakeClock) -> None:
    # X-16 F-10 DX-006 DX-010 DX-138
    did(tools, Deed.SESSION, NOW, subject="startup")
    clock.forward(minutes=1)
    own, other = (replace(learned("s1", clock), id="mem-own"), learned("s2", clock))
    for memory in (own, other):
        event = Event(name="memory_created", at=clock.now(), project="prj-one", data={}, memory_id=memory.id)
        changes = Changes(memories=(memory,), events=(event,))
        tools.store.write(lambda tx, changes=changes: tx.apply(changes))  # type: ignore[misc]
    clock.forward(minutes=1)
    assert edit(tools, "src/unrelated.py") == ""  # never in the middle of a turn
    text = prompt(tools, "write a poem about gliders")
    assert text.startswith("## Learned by others while you work\n") and "mem-own" not in text
    assert [line.split("]")[0][3:] for line in lines(text)] == [other.id]
    assert [one.moment for one in tools.store.told("prj-one")] == ["sibling"]
    assert [event.memory_id for event in tools.store.events() if event.name == "memory_received"] == [other.id]
    clock.forward(minutes=1)
    assert prompt(tools, "write a poem about gliders") == ""


def learned(session: str, clock: FakeClock) -> Memory:
    return a_memory(f"Sails tear in {session}", at=clock.now(), provenance=Provenance(session=session))


@pytest.mark.parametrize("more", [{"is_person": False}, {"is_internal": True}])
def test_only_a_person_is_answered(tools: Tools, more: dict[str, object]) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert prompt(tools, "redis cache deploy prices", **more) == ""
    assert tools.store.told("prj-one") == []


def test_what_the_session_itself_taught_is_not_told_back(tools: Tools) -> None:  # F-17 X-19
    keep(tools.store, a_memory(CACHE, id="mem-a", provenance=Provenance(session="s1")))
    assert prompt(tools, "redis cache deploy prices") == ""
    assert "mem-a" not in start(tools)
    assert "mem-a" in prompt(tools, "redis cache deploy prices", session="s2")


def test_a_file_brings_its_pitfalls_decisions_and_fixes_only(tools: Tools) -> None:
    at = "in src/jobs/lock.py"
    types = ["pitfall", "decision", "fix", "architecture", "pattern", "convention", "dependency"]
    keep(
        tools.store,
        *(a_memory(f"{name} {at} about locks", id=f"mem-{name}", type=name) for name in types),
        a_memory("pitfall in src/jobs/other.py about locks", id="mem-other", type="pitfall"),
    )
    text = edit(tools, f"{ROOT}/src/jobs/lock.py")
    assert {line.split("]")[0][3:] for line in lines(text)} == {"mem-pitfall", "mem-decision", "mem-fix"}
    assert text.startswith("## Known about src/jobs/lock.py\n")


def test_reading_and_a_bare_name_count_as_well(tools: Tools) -> None:
    keep(tools.store, a_memory("pitfall in src/jobs/lock.py: it expires", id="mem-a", type="pitfall"))
    read = {"is_read": True, "paths": ("lock.py",), "cwd": f"{ROOT}/src/jobs"}
    assert "mem-a" in say(tools, Happening.BEFORE_TOOL, **read)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["/etc/lock.py", "../lock.py", "", "\0", "/srv/shopping/src/jobs/lock.py"])
def test_a_file_elsewhere_brings_nothing(tools: Tools, path: str) -> None:
    keep(tools.store, a_memory("pitfall in lock.py: it expires", id="mem-a", type="pitfall"))
    assert edit(tools, path) == ""


@pytest.mark.parametrize("what", ["is_read", "is_edit"])
def test_a_client_that_hears_nothing_before_is_told_of_a_file_after(tools: Tools, what: str) -> None:
    keep(tools.store, a_memory("pitfall in src/a.py: it expires", id="mem-a", type="pitfall"))
    touched = {what: True, "paths": ("src/a.py",)}
    assert say(tools, Happening.AFTER_TOOL, client="claude", **touched) == ""  # type: ignore[arg-type]
    assert say(tools, Happening.AFTER_TOOL, client="gemini", is_failure=True, **touched) == ""  # type: ignore[arg-type]
    assert "mem-a" in say(tools, Happening.AFTER_TOOL, client="gemini", **touched)  # type: ignore[arg-type]


def test_a_client_that_reads_by_its_shell_is_told_of_the_file_after(tools: Tools) -> None:
    keep(tools.store, a_memory("pitfall in src/a.py: it expires", id="mem-a", type="pitfall"))
    shown = {"is_shell": True, "is_read": True, "paths": ("src/a.py",), "exit_code": 0, "client": "codex"}
    assert "mem-a" in say(tools, Happening.AFTER_TOOL, **shown)  # type: ignore[arg-type]


def test_at_most_three_are_told_of_one_file(tools: Tools) -> None:
    keep(tools.store, *(a_memory(f"pitfall {n} of src/a.py", id=f"mem-{n}", type="pitfall") for n in range(7)))
    first = edit(tools, "src/a.py")
    assert len(lines(first)) == 3 and "4 more not shown" in first
    assert len(lines(edit(tools, "src/a.py"))) == 3
    assert len(lines(edit(tools, "src/a.py"))) == 1
    assert edit(tools, "src/a.py") == ""


@pytest.mark.parametrize("freshness", [Freshness.SUSPECT, Freshness.GONE])
def test_what_is_in_doubt_says_so_on_its_own_file(tools: Tools, freshness: Freshness) -> None:
    memory = a_memory("The lock of src/jobs/lock.py expires after 30s", id="mem-a", type="architecture")
    keep(tools.store, memory)
    anchored(tools, memory, freshness)
    (line,) = lines(edit(tools, "src/jobs/lock.py"))
    assert f"· {freshness}: " in line


def test_what_is_gone_is_not_told_elsewhere_and_what_is_suspect_is_marked(tools: Tools, tmp_path: Path) -> None:
    gone, suspect = (a_memory(f"The redis lock {n} expires after 30s", id=f"mem-{n}") for n in ("gone", "suspect"))
    keep(tools.store, gone, suspect)
    anchored(tools, gone, Freshness.GONE)
    anchored(tools, suspect, Freshness.SUSPECT)
    (line,) = lines(prompt(tools, "when does the redis lock expire"))
    assert "mem-suspect" in line and "suspect: the code changed since" in line
    (line,) = lines(start(tools, session="s2"))
    assert "mem-suspect" in line and "suspect: the code changed since" in line
    (tmp_path / ".beads").mkdir()
    text = start(tools, session="s3", root=str(tmp_path))
    assert "(orchestrator)  (suspect: the code changed since)" in text and "gone" not in text


def test_a_failure_brings_what_cured_the_same_one_first_of_all(tools: Tools) -> None:
    error = "ModuleNotFoundError: No module named 'yaml'"
    keep(
        tools.store,
        a_memory("No module named anything: ModuleNotFoundError comes from a wrong folder", id="mem-words"),
        a_memory("Run uv sync, the extra was missing", id="mem-note", error_signature=_signature(error)),
        a_memory("Install the extra", id="mem-cure", type="fix", error_signature=_signature(error)),
    )
    text = fail(tools, f"Traceback (most recent call last):\n{error}")
    assert [line.split("]")[0][3:] for line in lines(text)] == ["mem-cure", "mem-note", "mem-words"]
    assert text.startswith("## Known about this failure\n")
    (first, *_) = tools.store.told("prj-one")
    assert first.moment == "failure" and first.shown[0].score.reasons[0].name == "cured"


def _signature(error: str) -> str | None:
    from hindbrain.core.shape import error_signature_of

    return error_signature_of(error)


@pytest.mark.parametrize(
    "more",
    [
        {"is_failure": False, "exit_code": 0},
        {"is_failure": False, "is_shell": False},
        {"is_interrupt": True},
        {"output": ""},
        {"output": " \n"},
    ],
)
def test_where_nothing_failed_or_nothing_is_said_of_it_nothing_is_told(tools: Tools, more: dict[str, object]) -> None:
    keep(tools.store, a_memory("exit code 1 means that", id="mem-a", error_signature="exit code 1"))
    keep(tools.store, a_memory("ValueError: bad price comes from cents", id="mem-b"))
    assert fail(tools, **({"output": "ValueError: bad price"} | more)) == ""  # type: ignore[arg-type]


def test_an_exit_code_alone_is_no_failure_that_could_be_known(tools: Tools) -> None:
    keep(tools.store, a_memory("Wipe the disk", id="mem-a", error_signature="exit code 2"))
    assert fail(tools, "exit code 2 and something went astray") == ""
    assert "mem-a" not in fail(tools, "make: leaving\nexited with exit code 2", is_failure=False, exit_code=2)


def test_where_the_ending_is_not_told_only_a_known_failure_is_recognised(tools: Tools) -> None:
    keep(
        tools.store,
        a_memory("bad price in the shop comes from cents", id="mem-words"),
        a_memory("Convert it first", id="mem-cure", error_signature="ValueError: bad price in the shop"),
    )
    unknown = {"is_failure": False, "exit_code": None, "client": "codex"}
    text = fail(tools, "ValueError: bad price in the shop", **unknown)
    assert [line.split("]")[0][3:] for line in lines(text)] == ["mem-cure"]


@pytest.mark.parametrize("client", ["gemini", "somebody"])
def test_what_a_client_does_not_hear_is_not_taken_for_told(tools: Tools, client: str) -> None:
    keep(tools.store, a_memory("pitfall in src/a.py: it expires", id="mem-a", type="pitfall"))
    assert edit(tools, "src/a.py", client=client) == ""
    assert tools.store.told("prj-one") == []


def test_a_subagent_is_told_what_bears_on_its_purpose(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"), a_memory("React forms lose focus on rerender", id="mem-b"))
    given = {"agent": "a1", "agent_type": "react-supervisor"}
    assert [line[3:8] for line in lines(say(tools, Happening.AGENT_START, **given))] == ["mem-b"]  # type: ignore[arg-type]
    generic = {"agent": "a2", "agent_type": "general-purpose"}
    assert say(tools, Happening.AGENT_START, **generic) == ""  # type: ignore[arg-type]
    did(tools, Deed.PROMPT, NOW, detail="the redis cache shows old prices after a deploy")
    assert "mem-a" in say(tools, Happening.AGENT_START, **generic)  # type: ignore[arg-type]
    assert tools.store.shown("s1", agent="a2") == {"mem-a": 1}


def test_nothing_is_told_twice_unless_it_changed(tools: Tools) -> None:
    memory = a_memory("The lock of src/jobs/lock.py expires after 30s", id="mem-a", type="pitfall")
    keep(tools.store, memory)
    assert "mem-a" in edit(tools, "src/jobs/lock.py")
    assert edit(tools, "src/jobs/lock.py") == "" and prompt(tools, "when does the lock expire in lock.py") == ""
    assert "mem-a" in edit(tools, "src/jobs/lock.py", agent="a1", agent_type="scout")  # has not seen it
    assert "mem-a" in edit(tools, "src/jobs/lock.py", session="s2")
    known = tools.store.memory("mem-a")
    assert known
    keep(tools.store, replace(known, content=known.content.replace("30s", "60s"), version=2))
    assert "60s" in edit(tools, "src/jobs/lock.py")
    assert edit(tools, "src/jobs/lock.py") == ""


def test_the_budget_of_a_turn_is_shared_by_all_that_happens_in_it(tools: Tools, clock: FakeClock) -> None:
    tools = with_settings(tools, turn_budget=500)
    keep(
        tools.store,
        *(a_memory(f"redis cache lesson {n} " + "and so on " * 12, id=f"mem-{n:02}") for n in range(30)),
        *(a_memory(f"pitfall {n} of src/f{n}.py " + "and so on " * 12, type="pitfall") for n in range(30)),
    )
    assert prompt(tools, "redis cache lesson")
    for n in range(30):
        edit(tools, f"src/f{n}.py")
    spent = sum(one.tokens for one in tools.store.told("prj-one"))
    assert 350 < spent <= 500
    assert edit(tools, "src/f29.py") == ""
    did(tools, Deed.PROMPT, clock.forward(minutes=1))
    assert edit(tools, "src/f29.py")


def test_a_prompt_leaves_room_for_what_comes_after_it(tools: Tools) -> None:
    keep(
        tools.store,
        *(a_memory(f"redis cache lesson {n} " + "and so on " * 40, id=f"mem-{n:02}") for n in range(30)),
        a_memory("pitfall of src/a.py " + "and so on " * 20, type="pitfall"),
    )
    assert estimate_tokens(prompt(tools, "redis cache lesson")) <= 600
    assert edit(tools, "src/a.py")


def test_a_long_memory_is_told_by_its_beginning(tools: Tools) -> None:
    keep(tools.store, a_memory("pitfall of src/a.py: " + "and so on " * 500, id="mem-long", type="pitfall"))
    (line,) = lines(edit(tools, "src/a.py"))
    assert len(line) < 1000 and "`hindbrain show mem-long` has the rest" in line


def test_no_reply_is_longer_than_clients_take(tools: Tools) -> None:
    tools = with_settings(tools, turn_budget=100_000, inject_limit=500, session_limit=500)
    text = "redis cache lesson " + "and so on " * 60
    keep(tools.store, *(a_memory(f"{text} {n}", id=f"mem-{n:03}", is_pinned=n % 2 == 0) for n in range(200)))
    assert 5_000 < len(prompt(tools, "redis cache lesson")) <= MAX_CHARACTERS
    assert 2_000 < len(start(tools, session="s2")) <= MAX_CHARACTERS


def test_what_is_held_out_is_recorded_and_never_said(tools: Tools) -> None:
    tools = with_settings(tools, holdout=1.0)
    keep(
        tools.store,
        a_memory("The redis lock of src/a.py expires", id="mem-a", type="pitfall", error_signature="ValueError: x"),
        a_memory("Never push to main", id="mem-rule", is_pinned=True),
    )
    text = start(tools)
    assert "mem-rule" in text and "mem-a" not in text  # a person's rule is no matter for a trial
    for said in (
        prompt(tools, "when does the redis lock expire"),
        edit(tools, "src/a.py"),
        fail(tools, "ValueError: x"),
    ):
        assert said == ""
    (held,) = [one for one in tools.store.told("prj-one") if one.is_withheld]
    assert [shown.memory_id for shown in held.shown] == ["mem-a"]
    memory = tools.store.memory("mem-a")
    assert memory and memory.counters.injected == 0 and "mem-a" not in tools.store.shown("s1")
    names = [event.name for event in tools.store.events() if event.name.startswith("memories_")]
    assert sorted(names) == ["memories_injected", "memories_withheld"]


def test_what_was_held_out_stays_so_for_the_session(tools: Tools) -> None:
    keep(tools.store, a_memory("The redis lock of src/a.py expires", id="mem-a", type="pitfall"))
    assert prompt(with_settings(tools, holdout=1.0), "when does the redis lock expire") == ""
    assert edit(tools, "src/a.py") == ""
    assert "mem-a" in edit(tools, "src/a.py", session="s2")


def test_the_telling_is_recorded_with_its_moment_and_agent(tools: Tools) -> None:
    keep(tools.store, a_memory("The redis lock of src/a.py expires", id="mem-a", type="pitfall"))
    edit(tools, "src/a.py", agent="a1", agent_type="scout")
    (one,) = tools.store.told("prj-one", session="s1")
    assert (one.moment, one.agent, one.persona, one.is_withheld) == ("file", "a1", "scout", False)
    memory = tools.store.memory("mem-a")
    assert memory and memory.counters.injected == 1


def test_a_secret_in_a_prompt_is_not_recorded(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    assert prompt(tools, f"redis cache deploy prices {key}")
    (one,) = tools.store.told("prj-one")
    assert key not in one.query and "redis" in one.query


def test_a_switch_silences_it(tools: Tools) -> None:  # CH-130
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert start(with_settings(tools, inject_into_prompt=False)) == ""


def test_a_model_that_is_not_running_is_not_started(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    embedder = AngleEmbedder(is_warm=False)
    prompt(replace(tools, embedder=embedder), "what is wrong with the shop")
    assert embedder.calls == []


def test_a_session_without_a_name_is_told_and_not_remembered(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    for _ in range(2):
        assert "mem-a" in prompt(tools, "redis cache deploy prices", session="")


@pytest.mark.parametrize("happening", [Happening.SESSION_END, Happening.BEFORE_COMPACT, Happening.AFTER_COMPACT])
def test_other_happenings_are_not_answered(tools: Tools, happening: Happening) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    assert whole(tools, happening) == Reply()


class _Locked:
    """A store that another process keeps for itself."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, *_: object, **__: object) -> None:
        raise StoreLocked("the store stayed locked", fix="try again")


class _Damaged(_Locked):
    def select(self, *_: object, **__: object) -> Sequence[Memory]:
        raise StoreDamaged("not a database", fix="restore it")

    def holders(self, *_: object) -> tuple[int, Mapping[str, int]]:
        raise StoreDamaged("not a database", fix="restore it")


def test_a_locked_store_still_tells_what_is_known(tools: Tools) -> None:
    keep(tools.store, a_memory(CACHE, id="mem-a"))
    locked = replace(tools, store=_Locked(tools.store))  # type: ignore[arg-type]
    assert "mem-a" in prompt(locked, "redis cache deploy prices")
    assert tools.store.told("prj-one") == []


def test_a_damaged_store_is_no_error_of_the_agents(tools: Tools) -> None:
    damaged = replace(tools, store=_Damaged(tools.store))  # type: ignore[arg-type]
    assert start(damaged) == "" and prompt(damaged, "redis cache") == ""


def test_two_tools_at_once_are_not_told_the_same(tools: Tools) -> None:
    """The ledger is read again under the gate: what another hook has told meanwhile is left out."""
    keep(tools.store, a_memory("The redis lock of src/a.py expires", id="mem-a", type="pitfall"))
    late: list[str] = []

    class Raced(_Locked):
        def write(self, *given: object, **more: object) -> None:
            if not late:
                late.append(edit(tools, "src/a.py"))
            return self._store.write(*given, **more)  # type: ignore[attr-defined, no-any-return]

    raced = replace(tools, store=Raced(tools.store))  # type: ignore[arg-type]
    assert edit(raced, "src/a.py") == "" and "mem-a" in late[0]


def test_every_store_can_tell_what_a_person_pinned(tools: Tools) -> None:
    keep(tools.store, a_memory("one", id="mem-a", is_pinned=True), a_memory("two", id="mem-b"))
    assert [m.id for m in tools.store.select(Where(project="prj-one", is_pinned=True))] == ["mem-a"]
