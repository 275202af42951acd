"""The parts of a hook process: where its home is, what an event needs, how it is kept, when a worker is started."""

import binascii
import fcntl
import json
import os
import threading
from pathlib import Path

import pytest

from hindbrain.core.hooks.table import EVENTS, HELD, TOLD
from hindbrain.entry.hooks import event, run, spool, start
from hindbrain.entry.hooks.giant import shortened
from hindbrain.entry.hooks.home import home_of
from hindbrain.entry.hooks.trouble import NAME, note
from hindbrain.settings import load

RECORDED = Path(__file__).resolve().parents[1] / "fixtures" / "hooks"


@pytest.mark.parametrize(
    "environ",
    [
        {"HINDBRAIN_HOME": "/data/hindbrain"},
        {"HINDBRAIN_HOME": "~/memory"},
        {"HINDBRAIN_HOME": ""},
        {"XDG_DATA_HOME": "/data"},
        {"XDG_DATA_HOME": "~/data"},
        {"XDG_DATA_HOME": ""},
        {"HINDBRAIN_HOME": "/d\udce4ta", "XDG_DATA_HOME": "/data"},
        {"HINDBRAIN_HOME": "relative/home"},
        {},
    ],
)
def test_a_hook_finds_the_home_that_every_other_command_finds(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/dev")
    known = {"HOME": "/home/dev", **environ}
    raw = {os.fsencode(name): os.fsencode(value) for name, value in known.items()}
    assert home_of(raw) == load(known).home


@pytest.mark.parametrize("home", ["~", "~root/x"])
def test_a_home_of_another_user_is_looked_up(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/dev")
    assert home_of({b"HOME": b"/home/dev", b"HINDBRAIN_HOME": home.encode()}) == load({"HINDBRAIN_HOME": home}).home


ALWAYS = {
    "claude": {"SessionStart", "UserPromptSubmit", "PostToolUseFailure", "SubagentStart", "SubagentStop", "Stop"},
    "codex": {"SessionStart", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop"},
    "gemini": {"SessionStart", "BeforeAgent", "AfterAgent"},
    "opencode": {"session.created", "chat.message", "session.idle"},
}


@pytest.mark.parametrize("client", list(EVENTS))
def test_an_event_is_asked_about_only_where_somebody_would_hear_the_answer(client: str) -> None:
    for line in (RECORDED / f"{client}.jsonl").read_bytes().splitlines():
        payload = json.loads(line)
        name = payload["hook_event_name"]
        heard = event.read(line, client=client)
        assert (heard is None) == (name not in EVENTS[client])
        if heard is None:
            continue
        happening = EVENTS[client][name]
        assert not heard.asks or happening in TOLD[client] or happening in HELD[client]
        if "tool" in happening:
            is_file = payload.get("tool_name") == "Write" and happening == "before_tool"
            is_failure = name == "PostToolUseFailure" or '"exit":2' in line.decode()
            is_untold = client == "codex" and happening == "after_tool" and payload["tool_name"] == "Bash"
            assert heard.asks == (event.ALWAYS if is_file or is_failure else event.IF_CHEAP if is_untold else 0), line
        else:
            assert (heard.asks == event.ALWAYS) == (name in ALWAYS[client]), name
        assert heard.is_synced or happening not in ("stop", "agent_stop", "session_end")


@pytest.mark.parametrize("text", ["bd comment X 'LEARNED: y'", "MEMORY:fix:y", "<chorus>LEARNING_LOCAL:y</chorus>"])
def test_what_may_carry_a_signal_is_made_safe_at_once(text: str) -> None:
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": text}}
    heard = event.read(json.dumps(payload).encode(), client="claude")
    assert heard is not None and heard.is_synced and heard.asks == event.NEVER


def test_a_failing_command_of_gemini_and_a_read_that_it_cannot_be_told_of_before() -> None:
    failed = b'{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_response":"Exit Code: 1"}'
    read = b'{"hook_event_name":"AfterTool","tool_name":"read_file","tool_response":{}}'
    asked = [event.read(payload, client="gemini") for payload in (failed, read)]
    assert [heard and heard.asks for heard in asked] == [event.ALWAYS, event.IF_CHEAP]


def test_a_subagent_of_gemini_that_says_that_it_is_done_is_kept_safely_and_asked_about() -> None:
    done = b'{"hook_event_name":"BeforeTool","tool_name":"complete_task","tool_input":{}}'
    other = b'{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{}}'
    asked = [event.read(payload, client="gemini") for payload in (done, other)]
    assert [heard and (heard.asks, heard.is_synced) for heard in asked] == [(event.ALWAYS, True), (event.NEVER, False)]


# Keeping.


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_a_record_is_one_line_for_this_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "a" / "home"
    for number in range(3):
        spool.append(str(home), b"%d\n" % number, is_synced=number == 1)
    assert lines(home / "spool" / "current") == [b"0\n", b"1\n", b"2\n"]
    assert (home / "spool" / "current").stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == (home / "spool").stat().st_mode & 0o777 == 0o700


def test_nothing_is_lost_and_nothing_comes_twice_while_somebody_takes_the_records_away(tmp_path: Path) -> None:
    writers, each = 4, 150
    is_over = threading.Event()

    def write(who: int) -> None:
        for number in range(each):
            spool.append(str(tmp_path), b"%d %d\n" % (who, number), is_synced=False)

    taken: list[bytes] = []

    def take() -> None:
        round_ = 0
        while not is_over.is_set() or (tmp_path / "spool" / "current").exists():
            round_ += 1
            mine = tmp_path / "spool" / f"drain-{round_}"
            try:
                (tmp_path / "spool" / "current").rename(mine)
            except FileNotFoundError:
                continue
            with mine.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                taken.extend(file.readlines())
                mine.unlink()

    threads = [threading.Thread(target=write, args=(who,)) for who in range(writers)]
    taker = threading.Thread(target=take)
    for thread in (*threads, taker):
        thread.start()
    for thread in threads:
        thread.join()
    is_over.set()
    taker.join()
    assert sorted(taken) == sorted(b"%d %d\n" % (who, number) for who in range(writers) for number in range(each))


def test_a_file_that_somebody_keeps_locked_does_not_keep_an_event_from_being_kept(tmp_path: Path) -> None:
    spool.append(str(tmp_path), b"first\n", is_synced=False)
    with (tmp_path / "spool" / "current").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        spool.append(str(tmp_path), b"second\n", is_synced=False)
    assert lines(tmp_path / "spool" / "current") == [b"first\n", b"second\n"]


# An event that is too long.


def test_a_giant_event_keeps_everything_but_the_middle_of_its_texts() -> None:
    given = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_response": {"stdout": "a" * 5_000_000 + "z"}}
    kept = shortened(json.dumps(given).encode(), run.MOST)
    assert len(kept) <= run.MOST
    event_ = json.loads(kept)
    assert event_.pop("hindbrain_shortened") is True
    assert (event_["hook_event_name"], event_["session_id"]) == ("PostToolUse", "s")
    output = event_["tool_response"]["stdout"]
    assert output.startswith("aaa") and output.endswith("z") and "[...]" in output


def test_a_giant_of_many_texts_is_cut_until_it_fits() -> None:
    given = {"hook_event_name": "PostToolUse", "tool_response": ["é" * 3_000] * 1_000}
    kept = shortened(json.dumps(given, ensure_ascii=False).encode(), run.MOST)
    assert len(kept) <= run.MOST and json.loads(kept)["hook_event_name"] == "PostToolUse"


def test_a_giant_of_numbers_keeps_what_it_was() -> None:
    given = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_response": list(range(1_000_000))}
    kept = json.loads(shortened(json.dumps(given).encode(), run.MOST))
    assert kept == {"hook_event_name": "PostToolUse", "session_id": "s", "hindbrain_shortened": True}


@pytest.mark.parametrize("raw", [b"x" * 5_000_000, b"[" * 5_000_000, b'{"a":"' + b"y" * 5_000_000])
def test_a_giant_that_is_no_event_keeps_its_two_ends(raw: bytes) -> None:
    kept = shortened(raw, run.MOST)
    assert len(kept) < 200_000 and kept[:1_000] == raw[:1_000] and kept[-1_000:] == raw[-1_000:]


# Trouble.


def test_trouble_is_one_line_each_and_the_file_stays_small(tmp_path: Path) -> None:
    for number in range(500):
        note(str(tmp_path), f"{number} claude keeping:\nNo space left " + "x" * 1_000)
    kept = (tmp_path / NAME).read_text().splitlines()
    assert (tmp_path / NAME).stat().st_size <= 20_000
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    assert kept[-1].startswith("499 claude keeping: No space left") and all(line[0].isdigit() for line in kept)


def test_trouble_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    note(str(tmp_path / "file"), "1 claude nowhere to write")
    assert (tmp_path / "file").read_bytes() == b""


# Starting a worker.


def test_a_worker_that_does_not_come_up_is_tried_less_and_less_often(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert start.is_due(str(mark), now=1_000.0)
    for tries, wait_s in ((1, 5), (2, 10), (3, 20), (10, 300), (50, 300)):
        mark.write_bytes(b"." * tries)
        os.utime(mark, (1_000.0, 1_000.0))
        assert not start.is_due(str(mark), now=1_000.0 + wait_s - 1)
        assert start.is_due(str(mark), now=1_000.0 + wait_s)
    assert start.is_due(str(mark), now=1.0)  # the clock was put back


def test_a_worker_that_answers_is_not_held_against_the_next(tmp_path: Path) -> None:
    (tmp_path / "worker-start").write_bytes(b"....")
    start.forget(str(tmp_path))
    assert start.is_due(str(tmp_path / "worker-start"), now=0.0)
    start.forget(str(tmp_path))


def test_a_record_says_from_whom_when_and_whether_it_is_whole() -> None:
    hook = run.Hook("claude", environ={b"HINDBRAIN_HOME": b"/nowhere"})
    version, client, at, crc, line = hook.record(b'{\n"a": 1}').split(b" ", 4)
    assert (version, client, int(at)) == (b"1", b"claude", hook.at_ms)
    assert line == b'{ "a": 1}\n' and int(crc, 16) == binascii.crc32(line.removesuffix(b"\n"))
