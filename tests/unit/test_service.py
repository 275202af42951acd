"""No caller can hold up the worker, and none of another user reaches it."""

import contextlib
import os
import shutil
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hindbrain.adapters.lease import Lease
from hindbrain.adapters.service import Answer, Service
from hindbrain.adapters.worker import RemoteWorker
from hindbrain.core.message import MOST_ASKED, VERSION, understood, written
from hindbrain.entry.hooks import call
from hindbrain.errors import WorkerRunning
from hindbrain.settings import worker_socket

ENOUGH_S = 30.0


@pytest.fixture
def folder() -> Iterator[Path]:
    made = tempfile.mkdtemp(prefix="hb-", dir="/tmp")
    yield Path(made)
    shutil.rmtree(made)


@contextlib.contextmanager
def running(place: Path, answer: Answer) -> Iterator[Service]:
    service = Service(place)
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            service.serve(answer, for_s=ENOUGH_S)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield service
    finally:
        is_over.set()
        service.wake()
        thread.join()
        service.close()


def echo(line: bytes) -> bytes:
    return line


def ask(place: Path, **message: object) -> dict[str, object] | None:
    return RemoteWorker(str(place), deadline_s=ENOUGH_S).ask(message)


def called(place: Path, *, said: bytes = b"") -> socket.socket:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(ENOUGH_S)
    link.connect(str(place))
    link.sendall(said)
    return link


def test_a_line_is_answered_with_a_line(folder: Path) -> None:
    with running(folder / "s", echo):
        assert ask(folder / "s", a=1) == {"a": 1}


def test_what_a_message_carries_reaches_the_other_side_and_comes_back(folder: Path) -> None:
    def doubled(raw: bytes) -> bytes:
        message = understood(raw)
        assert message is not None and isinstance(message["body"], bytes)
        return written({"body": message["body"] * 2})

    body = b"\x00\n{}\xff" * 100_000
    with running(folder / "s", doubled):
        assert ask(folder / "s", body=body) == {"body": body * 2}
        with called(folder / "s", said=written({"body": body})[:-1]) as link, contextlib.suppress(ConnectionError):
            link.shutdown(socket.SHUT_WR)  # half of it is none, and nobody else waits for the rest
            assert link.recv(10) == b""


def test_a_hook_asks_by_hand_what_the_worker_understands(folder: Path) -> None:
    heard: list[dict[str, object] | None] = []

    def answer(raw: bytes) -> bytes:
        heard.append(understood(raw))
        answers = ({"body": b'{"a":1}'}, {}, {"error": "internal"}, {"error": "another_store"}, {})
        return written(answers[len(heard) - 1])

    store = b'postgresql://me@host/"d\xff'
    asked = call.Asked(client="claude", at_ms=1_794_768_928_451, patience_s=ENOUGH_S, store=store)
    with running(folder / "s", answer):
        assert call.answered(str(folder / "s"), b"\n{}", asked=asked) == b'{"a":1}'
        assert call.answered(str(folder / "s"), b"{}", asked=asked) == b""
        with pytest.raises(ValueError, match="internal"):
            call.answered(str(folder / "s"), b"{}", asked=asked)
        assert call.answered(str(folder / "s"), b"{}", asked=asked) is None
        assert call.poked(str(folder / "s"), store=store)
    expected = {"do": "hook", "client": "claude", "at": 1_794_768_928_451, "for_ms": int(ENOUGH_S * 1000)}
    assert heard[0] == {**expected, "store": store.hex(), "body": b"\n{}"}
    assert heard[4] == {"do": "poke", "store": store.hex()}
    assert call.VERSION == VERSION


def test_a_hook_knows_that_there_is_no_worker(folder: Path) -> None:
    asked = call.Asked(client="claude", at_ms=1, patience_s=ENOUGH_S)
    assert call.answered(str(folder / "s"), b"{}", asked=asked) is None
    (folder / "file").touch()
    assert call.answered(str(folder / "file"), b"{}", asked=asked) is None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(folder / "s"))
    assert call.answered(str(folder / "s"), b"{}", asked=asked) is None
    assert not call.poked(str(folder / "s"))


def test_the_socket_is_for_its_user_alone_and_gone_afterwards(folder: Path) -> None:
    place = folder / "deep" / "s"
    with running(place, echo) as service:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert service.is_there
    assert not place.exists()


def test_what_a_killed_worker_left_behind_is_replaced(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(folder / "s"))
    with running(folder / "s", echo):
        assert ask(folder / "s") == {}


def test_a_socket_that_somebody_removed_or_replaced_is_noticed_and_theirs_is_left(folder: Path) -> None:
    with running(folder / "s", echo) as service:
        (folder / "s").unlink()
        assert not service.is_there
        (folder / "s").touch()
        assert not service.is_there
    assert (folder / "s").exists()


def test_callers_that_say_nothing_or_drip_do_not_hold_up_the_others(folder: Path) -> None:
    with running(folder / "s", echo), contextlib.ExitStack() as links:
        for said in (b"", b"{", b'{"a":', b"", b"{", b"{"):
            links.enter_context(called(folder / "s", said=said))
        assert ask(folder / "s", a=1) == {"a": 1}


def test_a_caller_that_dawdles_is_hung_up_on(folder: Path) -> None:
    with running(folder / "s", echo), called(folder / "s", said=b'{"never": "ended') as link:
        assert link.recv(10) == b""


def test_with_all_lines_busy_the_next_caller_is_sent_away_and_later_ones_are_served(folder: Path) -> None:
    go_on = threading.Event()

    def slow(line: bytes) -> bytes:
        go_on.wait(ENOUGH_S)
        return line

    with running(folder / "s", slow), contextlib.ExitStack() as links:
        waiting = [links.enter_context(called(folder / "s", said=b"x\n")) for _ in range(24)]
        with called(folder / "s", said=b"x\n") as late, contextlib.suppress(ConnectionResetError):
            assert late.recv(10) == b""  # or reset: its line was never read
        go_on.set()
        assert [link.recv(10) for link in waiting] == [b"x\n"] * 24
        assert ask(folder / "s", a=1) == {"a": 1}


def test_a_message_that_is_too_long_is_not_answered(folder: Path) -> None:
    lines: list[bytes] = []

    def answer(line: bytes) -> bytes:
        lines.append(line)
        return line

    with running(folder / "s", answer):
        with called(folder / "s") as link, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            link.sendall(b"x" * (MOST_ASKED + 200_000) + b"\n")
            assert link.recv(10) == b""
        assert ask(folder / "s", a=1) == {"a": 1}
    assert lines == [written({"a": 1})]


def test_one_that_hangs_up_before_the_answer_harms_nobody(folder: Path) -> None:
    with running(folder / "s", lambda line: b"x" * 5_000_000):
        for _ in range(5):
            called(folder / "s", said=b"x\n").close()
        with called(folder / "s", said=b"x\n") as link:
            assert link.recv(1) == b"x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_process_of_another_user_is_not_answered(folder: Path) -> None:
    folder.chmod(0o755)
    lines: list[bytes] = []
    service = Service(folder / "s")
    (folder / "s").chmod(0o666)  # somebody made it so
    os.seteuid(12345)
    try:
        link = called(folder / "s")  # it is who called that counts, not who speaks
    finally:
        os.seteuid(0)
    with link, contextlib.closing(service):
        service.serve(lambda line: lines.append(line) or line, for_s=ENOUGH_S)
        with contextlib.suppress(ConnectionError):
            link.sendall(b"x\n")
            assert link.recv(10) == b""
    assert lines == []


# CH-064, R13
def test_a_home_has_one_worker_and_a_second_is_told_who_it_is(folder: Path) -> None:
    first, second = Lease(folder / "worker.lock"), Lease(folder / "worker.lock")
    assert second.holder is None
    with first.hold():
        assert second.holder == os.getpid() and second.is_holder_sure
        with pytest.raises(WorkerRunning, match=f"process {os.getpid()}"), second.hold():
            pass
        assert second.holder == os.getpid()  # the one that was refused took nothing from it
    assert second.holder is None
    with second.hold():
        assert stat.S_IMODE((folder / "worker.lock").stat().st_mode) == 0o600


def test_a_lease_ends_with_what_failed_under_it(folder: Path) -> None:
    lease = Lease(folder / "worker.lock")
    with pytest.raises(ZeroDivisionError), lease.hold():
        raise ZeroDivisionError
    assert lease.holder is None


def test_a_worker_is_reached_in_its_home_and_a_deep_home_has_a_short_way_in(folder: Path) -> None:
    assert worker_socket(str(folder)) == str(folder.resolve() / "worker.sock")

    deep = folder / ("d" * 60) / ("e" * 60)
    short = worker_socket(str(deep), {"XDG_RUNTIME_DIR": str(folder)})
    assert Path(short).parent.parent == folder and len(os.fsencode(short)) <= 100
    assert short == worker_socket(str(deep / ".." / deep.name), {"XDG_RUNTIME_DIR": str(folder)})
    assert short != worker_socket(str(deep / "x"), {"XDG_RUNTIME_DIR": str(folder)})
    assert len(os.fsencode(worker_socket(str(deep), {}))) <= 100
    assert len(os.fsencode(worker_socket(str(deep), {"XDG_RUNTIME_DIR": str(deep)}))) <= 100
