"""A process that asks the worker is answered, or does without: whatever is at the other end."""

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedding import WordEmbedder, point, space_of

from hindbrain.adapters.ai.remote import RemoteEmbedder
from hindbrain.adapters.worker import RemoteWorker
from hindbrain.core.message import VERSION, understood, written
from hindbrain.errors import EmbedderMissing

ENOUGH_S = 30.0  # a deadline that no test comes near, however busy the machine is
SHORT_S = 0.15  # one that is meant to pass
Talk = Callable[[socket.socket], None]


@pytest.fixture
def place() -> Iterator[Path]:
    """A path that is short enough for a socket, wherever the tests run."""
    folder = tempfile.mkdtemp(prefix="hb-", dir="/tmp")
    yield Path(folder) / "worker.sock"
    shutil.rmtree(folder)


@contextlib.contextmanager
def served(place: Path, talk: Talk) -> Iterator[None]:
    """Something listens at `place`, and does `talk` with each caller."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place))
        listener.listen()
        is_over = threading.Event()

        def serve() -> None:
            while not is_over.is_set():
                if select.select([listener], [], [], 0.02)[0]:
                    link, _ = listener.accept()
                    with link, contextlib.suppress(OSError):
                        talk(link)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def answering(answer: Callable[[dict[str, object]], bytes]) -> Talk:
    def talk(link: socket.socket) -> None:
        line = b""
        while not line.endswith(b"\n"):
            line += link.recv(65_536)
        message = understood(line)
        assert message is not None
        link.sendall(answer(message))

    return talk


def asked(place: Path, talk: Talk, *, deadline_s: float = ENOUGH_S) -> dict[str, object] | None:
    with served(place, talk):
        return RemoteWorker(str(place), deadline_s=deadline_s).ask({"do": "ping"})


def test_a_worker_that_answers_is_heard(place: Path) -> None:
    assert asked(place, answering(lambda message: written({"heard": message["do"]}))) == {"heard": "ping"}


def test_an_answer_may_come_in_pieces(place: Path) -> None:
    def talk(link: socket.socket) -> None:
        link.recv(1024)  # who closes with something unread resets the connection
        for byte in written({"a": "ü" * 10}):
            link.sendall(bytes([byte]))

    assert asked(place, talk) == {"a": "ü" * 10}


def test_without_a_worker_there_is_no_answer_and_no_socket_is_loaded(place: Path) -> None:
    code = (
        "import sys; from hindbrain.adapters.worker import RemoteWorker\n"
        "print(RemoteWorker(sys.argv[1], deadline_s=9).ask({}), 'socket' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "False"]


def test_the_socket_of_a_dead_worker_answers_nothing(place: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(place))
    assert RemoteWorker(str(place), deadline_s=ENOUGH_S).ask({"do": "ping"}) is None


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("/tmp")])
def test_what_is_no_socket_is_not_asked(place: Path, make: Callable[[Path], None]) -> None:
    make(place)
    assert RemoteWorker(str(place), deadline_s=ENOUGH_S).ask({"do": "ping"}) is None


def test_one_that_takes_calls_and_never_answers_is_left_at_the_deadline(place: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.bind(str(place))
        mute.listen()
        worker = RemoteWorker(str(place), deadline_s=SHORT_S)
        assert worker.ask({"do": "ping"}) is None and worker.is_late


def test_one_at_whose_door_too_many_wait_is_late_as_well(place: Path) -> None:
    with contextlib.ExitStack() as waiting:
        full = waiting.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        full.bind(str(place))
        full.listen(0)
        for _ in range(2):
            caller = waiting.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            caller.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                caller.connect(str(place))
        worker = RemoteWorker(str(place), deadline_s=SHORT_S)
        assert worker.ask({"do": "ping"}) is None and worker.is_late


def test_who_is_not_there_refuses_or_hangs_up_is_not_late(place: Path) -> None:
    worker = RemoteWorker(str(place), deadline_s=ENOUGH_S)
    assert worker.ask({"do": "ping"}) is None and not worker.is_late
    for talk in (answering(lambda _: written({"error": "bad_value"})), lambda link: None):
        with served(place, talk):
            assert worker.ask({"do": "ping"}) is None and not worker.is_late
        assert worker.ask({"do": "ping"}) is None and not worker.is_late, "its socket has outlived it"
        place.unlink()


def test_a_late_answer_is_forgotten_with_the_next_one_in_time(place: Path) -> None:
    with served(place, answering(lambda message: written({"heard": message["do"]}))):
        worker = RemoteWorker(str(place), deadline_s=ENOUGH_S)
        assert worker.ask({"do": "ping"}, deadline_s=1e-9) is None and worker.is_late
        assert worker.ask({"do": "ping"}) is not None and not worker.is_late


def test_dripping_does_not_stretch_the_deadline(place: Path) -> None:
    """Each byte comes in time; all of them would take for ever. The fake server sees that the caller hangs up."""
    hung_up = threading.Event()

    def drip(link: socket.socket) -> None:
        try:
            while True:
                link.sendall(b" ")
                time.sleep(SHORT_S / 10)
        except OSError:
            hung_up.set()

    assert asked(place, drip, deadline_s=SHORT_S) is None
    assert hung_up.is_set()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n", id="an empty line"),
        pytest.param(b"\x00\xff\xfe garbage \x80\n", id="garbage"),
        pytest.param(b"[1, 2, 3]\n", id="no message"),
        pytest.param(b"null\n", id="null"),
        pytest.param(written({"a": 1})[:-2], id="half a line"),
        pytest.param(written({"a": 1}) + written({"b": 2}), id="two lines"),
        pytest.param(json.dumps({"a": 1, "version": VERSION + 1}).encode() + b"\n", id="another version"),
        pytest.param(json.dumps({"a": 1}).encode() + b"\n", id="no version"),
        pytest.param(written({"error": "bad_value"}), id="a failure"),
        pytest.param(b"x" * 10_000_000 + b"\n", id="10 MB"),
        pytest.param(written({"a": "x" * 10_000_000}), id="10 MB of a good answer"),
    ],
)
def test_what_is_no_good_answer_is_none(place: Path, answer: bytes) -> None:
    assert asked(place, answering(lambda _: answer)) is None


def test_one_that_hangs_up_at_once_gives_none(place: Path) -> None:
    assert asked(place, lambda link: None) is None


def test_a_message_that_no_worker_would_take_is_not_sent(place: Path) -> None:
    calls: list[object] = []
    with served(place, calls.append):
        assert RemoteWorker(str(place), deadline_s=ENOUGH_S).ask({"texts": ["x" * 1_000_001]}) is None
    assert calls == []


def test_a_deadline_of_nothing_asks_nobody(place: Path) -> None:
    calls: list[object] = []
    with served(place, calls.append):
        worker = RemoteWorker(str(place), deadline_s=0)
        assert worker.ask({"do": "ping"}) is None and not worker.is_late
    assert calls == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a socket of another user")
def test_a_socket_of_another_user_is_not_asked(place: Path) -> None:
    calls: list[object] = []
    with served(place, calls.append):
        os.chown(place, 12345, 12345)
        assert RemoteWorker(str(place), deadline_s=ENOUGH_S).ask({"do": "ping"}) is None
    assert calls == []


def embedding(message: dict[str, object], *, model: str = "words", length: int = 0) -> bytes:
    if message["do"] == "ping":
        return written({"space": space_of(model).name})
    texts = message["texts"]
    assert isinstance(texts, list) and len(texts) <= 8
    return written({"vectors": WordEmbedder().embed(texts)[: length or None]})


def test_the_workers_model_embeds_for_a_process_that_has_none(place: Path) -> None:
    with served(place, answering(embedding)):
        remote = RemoteEmbedder(RemoteWorker(str(place), deadline_s=ENOUGH_S), space_of())
        assert remote.is_warm and remote.space == space_of()
        texts = [f"text {number}" for number in range(20)]
        assert remote.embed(texts) == [point(text) for text in texts]
        assert remote.embed([]) == []


def test_without_a_worker_it_is_cold_and_says_so(place: Path) -> None:
    remote = RemoteEmbedder(RemoteWorker(str(place), deadline_s=ENOUGH_S), space_of())
    assert not remote.is_warm
    with pytest.raises(EmbedderMissing):
        remote.embed(["a"])


def test_a_worker_with_another_model_does_not_count(place: Path) -> None:
    with served(place, answering(lambda message: embedding(message, model="other"))):
        assert not RemoteEmbedder(RemoteWorker(str(place), deadline_s=ENOUGH_S), space_of()).is_warm


@pytest.mark.parametrize(
    "answer",
    [{"vectors": [[1.0]]}, {"vectors": []}, {"vectors": "x"}, {}, {"vectors": [[0.0] * 32] * 2}, {"error": "x"}],
)
def test_what_are_no_vectors_is_refused_and_not_asked_again(place: Path, answer: dict[str, object]) -> None:
    with served(place, answering(lambda _: written({"space": space_of().name} | answer))):
        remote = RemoteEmbedder(RemoteWorker(str(place), deadline_s=ENOUGH_S), space_of())
        with pytest.raises(EmbedderMissing):
            remote.embed(["a"])
        assert not remote.is_warm
