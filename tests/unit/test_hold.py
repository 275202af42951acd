"""What becomes of an agent that wants to stop, and what is remembered of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from building import NOW, a_memory, keep
from speaking import spoken

from hindbrain.adapters.files import LocalFiles
from hindbrain.app.moment import told
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.model import Actor, Event, Provenance, Receipt, Verdict
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import replace
from hindbrain.errors import StoreLocked
from hindbrain.ports import Changes


@pytest.fixture
def beads(tmp_path: Path) -> str:
    (tmp_path / "shop" / ".beads").mkdir(parents=True)
    return str(tmp_path / "shop")


@pytest.fixture
def plain(tmp_path: Path) -> str:
    (tmp_path / "plain").mkdir()
    return str(tmp_path / "plain")


def stops(tools: Tools, root: str, said: str = "All done.", **more: object) -> Reply:
    """A subagent that ran one command, unless `more` says otherwise."""
    path = Path(root) / "agent.jsonl"
    path.write_text(spoken(said, commands=more.pop("commands", ("make test",))), "utf-8")  # type: ignore[arg-type]
    given: dict[str, object] = {
        "client": "claude",
        "happening": Happening.AGENT_STOP,
        "session": "s1",
        "at": NOW,
        "agent": "a1",
        "agent_type": "react-supervisor",
        "agent_transcript": str(path),
        "message": said,
    }
    return told(Notice(**(given | more)), project="prj-one", root=root, tools=tools)  # type: ignore[arg-type]


def audit(tools: Tools) -> list[Event]:
    return [event for event in tools.store.events() if event.name.startswith("learning_")]


def test_a_supervisor_without_a_lesson_is_held_twice_then_let_go_and_audited(tools: Tools, beads: str) -> None:
    # BD-042 BD-043 BD-046 BD-062 Q-23 F-27
    first = stops(tools, beads)
    second = stops(tools, beads, is_stop_active=True)
    assert first.hold.startswith("Work verification failed: no LEARNED comment.") and second == first
    assert first.context == ""
    assert stops(tools, beads, is_stop_active=True) == Reply()
    assert stops(tools, beads) == Reply()
    assert [event.name for event in audit(tools)] == ["learning_asked_for", "learning_asked_for", "learning_waived"]
    assert tools.store.cursor("held/s1/a1") == "2"


def test_another_supervisor_is_counted_by_itself(tools: Tools, beads: str) -> None:
    assert stops(tools, beads).hold and stops(tools, beads).hold and not stops(tools, beads).hold
    assert stops(tools, beads, agent="a2").hold


@pytest.mark.parametrize("agent_type", ["worker-supervisor", "scout", "", "general-purpose"])
def test_others_pass_in_a_beads_project(tools: Tools, beads: str, agent_type: str) -> None:  # BD-044 BD-045
    assert stops(tools, beads, agent_type=agent_type) == Reply()
    assert audit(tools) == []


def test_a_comment_in_the_transcript_lets_it_go_before_anything_is_captured(tools: Tools, beads: str) -> None:  # BD-047
    commands = ("make test", 'cd x && bd comment BD-1 "LEARNED: retries need jitter"')
    assert stops(tools, beads, commands=commands) == Reply()
    assert stops(tools, beads, "LEARNED: only in prose").hold


def test_what_was_captured_from_it_before_counts(tools: Tools, beads: str) -> None:  # F-27
    memory = a_memory(
        "retries need jitter", id="mem-a", provenance=Provenance(actor=Actor(instance="a1"), session="s1")
    )
    receipt = Receipt(
        id="rcp-1",
        key="k",
        at=NOW,
        project="prj-one",
        verdict=Verdict.STORED,
        text="retries need jitter",
        reason="",
        memory_id="mem-a",
        session="s1",
    )
    keep(tools.store, memory)
    tools.store.write(lambda tx: tx.apply(Changes(receipts=(receipt,))))
    assert stops(tools, beads) == Reply()
    assert stops(tools, beads, agent="a2").hold


def test_a_rejected_line_is_no_lesson(tools: Tools, beads: str) -> None:
    receipt = Receipt(
        id="rcp-1", key="k", at=NOW, project="prj-one", verdict=Verdict.REJECTED, text="x", reason="", session="s1"
    )
    tools.store.write(lambda tx: tx.apply(Changes(receipts=(replace(receipt, origin="agent-a1.jsonl"),))))
    assert stops(tools, beads).hold


def test_declining_is_audited_once_and_stores_nothing(tools: Tools, beads: str) -> None:
    commands = ("make test", 'bd comment BD-1 "LEARNED: none — only a rename, password=hunter2hunter2"')
    for _ in range(2):
        assert stops(tools, beads, commands=commands) == Reply()
    (event,) = audit(tools)
    assert event.name == "learning_declined" and "only a rename" in str(event.data["reason"])
    assert "hunter2hunter2" not in str(event.data)
    assert tools.store.ids("mem-", limit=9) == []


@pytest.mark.parametrize(
    "more",
    [
        {"agent_transcript": ""},
        {"agent_transcript": "/nowhere/at/all.jsonl"},
        {"agent_transcript": "/tmp"},
        {"agent_transcript": "a\0b"},
        {"is_internal": True},
        {"agent_type": ""},  # a fork of the client's own making
        {"session": ""},
        {"client": "opencode"},
        {"commands": ()},  # it did nothing
    ],
)
def test_where_anything_is_missing_it_may_go(tools: Tools, beads: str, more: dict[str, object]) -> None:  # BD-046
    assert stops(tools, beads, **more) == Reply()


def test_an_unreadable_transcript_is_a_missing_one(tools: Tools, beads: str) -> None:  # BD-046
    path = Path(beads) / "broken.jsonl"
    path.write_bytes(b"\xff\xfe{not json\n\n[]\n")
    assert stops(tools, beads, agent_transcript=str(path)) == Reply()


def test_only_the_end_of_a_huge_transcript_is_read(tools: Tools, beads: str) -> None:
    path = Path(beads) / "huge.jsonl"
    text = "x" * 9_000_000
    path.write_text(f'{{"type": "user", "message": {{"content": "{text}"}}}}\n{spoken(commands=("make",))}\n', "utf-8")
    assert stops(tools, beads, agent_transcript=str(path)).hold


def test_elsewhere_an_agent_is_reminded_once_and_may_go(tools: Tools, plain: str) -> None:
    first = stops(tools, plain, agent_type="general-purpose")
    assert first.hold == "" and "MEMORY:pitfall:" in first.context
    assert stops(tools, plain, agent_type="general-purpose") == Reply()
    assert stops(tools, plain, agent_type="general-purpose", agent="a2").context
    assert [event.data["how"] for event in audit(tools)] == ["nudge", "nudge"]


@pytest.mark.parametrize("client", ["codex", "gemini"])
def test_a_client_that_hears_nothing_at_a_stop_is_not_reminded(tools: Tools, plain: str, client: str) -> None:
    assert stops(tools, plain, client=client, agent_type="general-purpose") == Reply()
    assert audit(tools) == []


def test_a_setting_decides(tools: Tools, beads: str, plain: str) -> None:
    def settings(enforce: str) -> Tools:
        return replace(tools, settings=replace(tools.settings, enforce=enforce))

    assert stops(settings("off"), beads) == Reply() and stops(settings("off"), plain) == Reply()
    held = stops(settings("block"), plain, agent_type="general-purpose")
    assert held.hold.startswith("Not done yet") and "MEMORY: none — " in held.hold
    assert stops(settings("nudge"), beads, agent="a3").context


def main(tools: Tools, root: str, **more: object) -> Reply:
    path = Path(root) / "main.jsonl"
    path.write_text(spoken("Done.", commands=("make test",), edited=True), "utf-8")
    given: dict[str, object] = {"happening": Happening.STOP, "agent": "", "agent_type": "", "transcript": str(path)}
    return stops(tools, root, **(given | more))  # type: ignore[arg-type]


def test_the_main_agent_is_reminded_once_a_session_and_only_after_an_edit(tools: Tools, plain: str) -> None:
    assert main(tools, plain) == Reply()
    edit = Activity(id="act-1", at=NOW, project="prj-one", session="s1", deed=Deed.EDIT, subject="a.py")
    tools.store.write(lambda tx: tx.apply(Changes(activities=(edit,))))
    assert "MEMORY:pitfall:" in main(tools, plain).context
    assert main(tools, plain) == Reply()


def test_who_cannot_count_does_not_hold(tools: Tools, beads: str) -> None:  # BD-046
    class Locked:
        def __getattr__(self, name: str) -> object:
            return getattr(tools.store, name)

        def write(self, *_: object, **__: object) -> None:
            raise StoreLocked("the store stayed locked", fix="try again")

    assert stops(replace(tools, store=Locked()), beads) == Reply()  # type: ignore[arg-type]


def test_a_transcript_that_the_client_is_still_writing_is_waited_for(tools: Tools, beads: str) -> None:  # BD-042
    """Claude Code may call its hook before the agent's last acts and words are in the file."""
    path = Path(beads) / "late.jsonl"
    whole = spoken("All done.", commands=("make test",))
    path.write_text(spoken("Let me see.", commands=()), "utf-8")
    looks: list[str] = []

    class Slow(LocalFiles):
        def tail(self, path: str, *, most: int, until: Callable[[str], bool] = lambda _: True) -> str:
            def looked(text: str) -> bool:
                looks.append(text)
                Path(path).write_text(whole, "utf-8")  # a moment later
                return until(text)

            return super().tail(path, most=most, until=looked)

    slow = replace(tools, files=Slow())
    assert stops(slow, beads, agent_transcript=str(path)).hold.startswith("Work verification failed")
    assert len(looks) == 2 and "All done." in looks[-1]


def test_what_is_never_written_is_not_waited_for_for_long(
    tools: Tools, beads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("hindbrain.adapters.files.sleep", pauses.append)
    path = Path(beads) / "cut.jsonl"
    path.write_text(spoken("Let me see.", commands=("make test",)), "utf-8")
    assert stops(tools, beads, agent_transcript=str(path)).hold, "what is there counts"
    assert 0 < sum(pauses) < 0.35
