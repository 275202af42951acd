"""What hooks left becomes part of the store exactly once, whatever happens in between."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from building import NOW
from hooking import FOLDER, called, left, ran, transcript

from hindbrain.adapters.spool import FileSpool
from hindbrain.app.drain import Drained, drain
from hindbrain.app.forget import forget
from hindbrain.app.handlers import handlers
from hindbrain.app.jobs import run_due
from hindbrain.app.tools import Tools
from hindbrain.core.model import State
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import replace
from hindbrain.errors import Conflict, DiskFull, HindbrainError, NotErased
from hindbrain.ports import Changes, Store, Transaction, Where


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "spool")


def attempt(run: Callable[[], None]) -> str:
    try:
        run()
    except (ValueError, KeyError, RecursionError, HindbrainError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def drained(spool: FileSpool, tools: Tools) -> Drained:
    return drain(spool, tools=tools, attempt=attempt)


def deeds(store: Store, folder: str = FOLDER) -> list[Activity]:
    project = store.project_of([f"folder:{folder}"])
    return list(store.activities(project.id)) if project else []


def test_what_hooks_left_becomes_the_log_of_the_project_it_happened_in(spool: FileSpool, tools: Tools) -> None:
    spool.append("claude", ran("ls"), at=NOW)
    spool.append("claude", ran("ls", cwd="/home/dev/other"), at=NOW + timedelta(seconds=1))
    assert drained(spool, tools) == Drained(records=2)
    assert [one.subject for one in deeds(tools.store)] == ["ls"]
    (other, *_) = deeds(tools.store, "/home/dev/other")
    assert other.at == NOW + timedelta(seconds=1)
    assert tools.store.cursors("client/") == {"client/claude": "2026-01-10T09:30:01.000Z after_tool"}


def test_what_was_drained_is_gone_and_nothing_is_done_twice(spool: FileSpool, tools: Tools) -> None:
    spool.append("claude", ran("ls"), at=NOW)
    drained(spool, tools)
    assert drained(spool, tools) == Drained() and len(deeds(tools.store)) == 1
    assert not spool.claim()
    # What is put by keeps its cursor, so that a restored store knows what it has heard; what is let go has none.
    assert list(tools.store.cursors("spool/")) == [f"spool/{name}" for name in spool.kept()]
    spool.drop_kept(before=datetime.now(UTC) + timedelta(days=1))
    drained(spool, tools)
    assert not spool.kept() and not tools.store.cursors("spool/")


def test_whoever_goes_on_after_a_crash_goes_on_behind_the_last_record(
    spool: FileSpool, tools: Tools, tmp_path: Path
) -> None:
    left(tmp_path / "spool", (called("UserPromptSubmit", prompt=f"ask {number}") for number in range(1_200)))
    looks = iter(range(100))
    drain(spool, tools=tools, attempt=attempt, is_over=lambda: next(looks) >= 1)  # one batch, then it ends
    assert len(deeds(tools.store)) == 500
    assert drained(FileSpool(tmp_path / "spool"), tools).records == 700
    assert [one.subject for one in deeds(tools.store)] == [f"ask {number}" for number in range(1_200)]


class Failing:
    """A store whose nth write fails after its work was done: all of it must be undone."""

    def __init__(self, store: Store, fails: int) -> None:
        self._store = store
        self.left = fails

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, work: Callable[[Transaction], object], **how: object) -> object:
        def failing(tx: Transaction) -> object:
            made = work(tx)
            self.left -= 1
            if self.left == 0:
                raise DiskFull("the disk is full", fix="free some space")
            return made

        return self._store.write(failing)


@pytest.mark.parametrize("fails", [1, 2, 3])
def test_a_write_that_fails_leaves_the_rest_for_later(
    spool: FileSpool, tools: Tools, tmp_path: Path, fails: int
) -> None:
    left(tmp_path / "spool", (called("UserPromptSubmit", prompt=f"ask {number}") for number in range(600)))
    with pytest.raises(DiskFull):
        drained(spool, replace(tools, store=Failing(tools.store, fails)))  # type: ignore[arg-type]
    drained(spool, tools)
    assert [one.subject for one in deeds(tools.store)] == [f"ask {number}" for number in range(600)]


def test_a_worker_that_wakes_up_after_another_read_on_writes_nothing(spool: FileSpool, tools: Tools) -> None:
    """Stopped after it had read the record, and before it wrote."""
    spool.append("claude", ran("ls"), at=NOW)

    class Sleepy(FileSpool):
        def records(self, name: str, *, after: int = 0):  # type: ignore[no-untyped-def]
            found = list(super().records(name, after=after))
            drain(spool, tools=tools, attempt=attempt)  # the other worker, to the end
            yield from found

    with pytest.raises((Conflict, OSError)):
        drain(Sleepy(spool._folder), tools=tools, attempt=attempt)
    assert len(deeds(tools.store)) == 1


@pytest.mark.parametrize("payload", [b"not json", b"[1]", b'"text"', b"", b"[" * 100_000, b'{"hook_event_name":'])
def test_a_record_that_is_no_event_is_set_aside_and_told(
    spool: FileSpool, tools: Tools, tmp_path: Path, payload: bytes
) -> None:
    spool.append("claude", payload, at=NOW)
    spool.append("claude", ran("ls"), at=NOW)
    assert drained(spool, tools) == Drained(records=1, spoiled=1)
    assert len(deeds(tools.store)) == 1 and (tmp_path / "spool" / "bad").exists()
    assert tools.store.cursor("trouble/spool").startswith("1 2026-01-10T09:30:00.000Z ")
    spool.append("claude", payload, at=NOW)
    drained(spool, tools)
    assert tools.store.cursor("trouble/spool").startswith("2 ")


def test_half_a_record_is_set_aside_without_its_secrets(spool: FileSpool, tools: Tools, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "current").write_bytes(f"1 claude 17 00000000 {secret}\n".encode())
    assert drained(spool, tools).spoiled == 1
    assert secret not in (tmp_path / "spool" / "bad").read_text()


@pytest.mark.parametrize(
    "payload", [{}, {"hook_event_name": "Unheard"}, {"hook_event_name": "Stop"}, {"hook_event_name": ["Stop"]}]
)
def test_an_event_that_concerns_nobody_is_none(spool: FileSpool, tools: Tools, payload: dict[str, object]) -> None:
    spool.append("claude", json.dumps(payload).encode(), at=NOW)
    assert drained(spool, tools) == Drained(records=1)
    assert not [name for name in tools.store.cursors("") if not name.startswith("spool/")]


def test_a_lesson_of_a_session_is_learned_once_however_often_it_rests(  # X-15 CH-062
    spool: FileSpool, tools: Tools, tmp_path: Path
) -> None:
    said = transcript(tmp_path / "s1.jsonl", "I look.\nMEMORY:pitfall:The lock expires after 30 seconds")
    for event in ("Stop", "Stop", "SessionEnd"):
        spool.append("claude", called(event, transcript_path=str(said)), at=NOW)
        drained(spool, tools)
        run_due(handlers(), tools=tools, attempt=attempt)
    project = tools.store.project_of([f"folder:{FOLDER}"])
    assert project is not None
    (memory,) = tools.store.select(Where(project=project.id, states=frozenset(State)))
    assert memory.content == "The lock expires after 30 seconds" and memory.counters.evidence == 1
    assert [one.deed for one in deeds(tools.store)][-1] is Deed.END


def test_files_that_are_gone_leave_no_cursor_behind(spool: FileSpool, tools: Tools) -> None:
    tools.store.write(lambda tx: tx.apply(Changes(cursors={"spool/drain-gone": "77"})))
    drained(spool, tools)
    assert not tools.store.cursors("spool/")


def test_what_hooks_left_is_taken_up_before_a_memory_in_it_is_forgotten(
    spool: FileSpool, tools: Tools, tmp_path: Path
) -> None:
    words = "The launch code is seven"
    said = transcript(tmp_path / "s1.jsonl", f"MEMORY:fix:{words}")
    spool.append("claude", called("Stop", transcript_path=str(said), last_assistant_message=words), at=NOW)
    drained(spool, tools)
    run_due(handlers(), tools=tools, attempt=attempt)
    project = tools.store.project_of([f"folder:{FOLDER}"])
    assert project is not None
    (memory,) = tools.store.select(Where(project=project.id))
    spool.append("claude", called("UserPromptSubmit", prompt=f"is it true? {words}"), at=NOW)
    with pytest.raises(NotErased, match="nothing was erased"):
        forget(memory.id, store=tools.store, clock=tools.clock, spool=spool)
    drained(spool, tools)
    forget(memory.id, store=tools.store, clock=tools.clock, spool=spool)
    assert words not in f"{deeds(tools.store)}{tools.store.jobs()}"
