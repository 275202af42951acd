"""What a user is told when something goes wrong: two lines, an exit code of its own, and a store as it was."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from calling import Answer, Cli

import hindbrain
from hindbrain.entry.cli.errors import report
from hindbrain.errors import BadValue


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


LONG_LINE = "a" * 10_000_000

WRONG: list[tuple[list[str], str, int, str]] = [
    (["list", "--type", "nonsense"], "", 64, "bad_value"),
    (["list", "--after", "yesterday"], "", 64, "bad_value"),
    (["list", "--before", "0001-01-01T00:00:00+14:00"], "", 64, "bad_value"),
    (["list", "--min-confidence", "7"], "", 64, "bad_value"),
    (["list", "--min-confidence", "nan"], "", 64, "bad_value"),
    (["list", "--order", "sideways"], "", 64, "bad_value"),
    (["recall", "x", "--limit", "0"], "", 64, "bad_value"),
    (["recall", "x", "--limit", "many"], "", 64, "bad_value"),
    (["recall", "x", "--strategy", "guess"], "", 64, "bad_value"),
    (["add", "x", "--importance", "11"], "", 64, "bad_value"),
    (["add", ""], "", 64, "bad_value"),
    (["capture", "--format", "word"], "x", 64, "bad_value"),
    (["import"], "{", 65, "bad_json"),
    (["import"], "[" * 200_000, 65, "bad_json"),
    (["import"], LONG_LINE, 65, "bad_json"),
    (["capture", "no-such-file"], "", 66, "unreadable"),
    (["capture", "."], "", 66, "unreadable"),
    (["import", "no\x00such"], "", 66, "unreadable"),
    (["show", "mem-unknown"], "", 67, "unknown_memory"),
    (["edit", "mem-unknown", "--title", "x"], "", 67, "unknown_memory"),
    (["why", "mem-unknown"], "", 67, "unknown_memory"),
    (["restore", "mem-unknown"], "", 67, "unknown_memory"),
    (["review", "release", "rev-unknown"], "", 67, "unknown_memory"),
    (["add"], LONG_LINE, 71, "too_long"),
    (["list", "--nonsense"], "", 2, "usage"),
    (["show"], "", 2, "usage"),
    (["lsit"], "", 2, "usage"),
    (["review", "ponder", "rev-1"], "", 2, "usage"),
    (["add", "text", "--content", "text"], "", 2, "usage"),
]


@pytest.mark.parametrize(
    ("arguments", "stdin", "exit_code", "code"), WRONG, ids=[" ".join(w[0]).replace("\x00", "0") for w in WRONG]
)
def test_each_mistake_is_told_with_a_fix_and_changes_nothing(
    cli: Cli, arguments: list[str], stdin: str, exit_code: int, code: str
) -> None:
    cli.add("what was there before")
    before = cli("export").out

    error = cli(*arguments, "--json", stdin=stdin, code=exit_code).error
    assert error["code"] == code and error["what"] and error["fix"]

    plain = cli(*arguments, stdin=stdin, code=exit_code)
    first, second = plain.err.splitlines()
    assert first.startswith("error: ") and second.startswith("fix: ")
    assert plain.out == "" and len(plain.err) < 5_000
    assert cli("export").out == before


def test_a_file_that_may_not_be_read_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str = "r") -> io.BytesIO:
        raise PermissionError(13, "Permission denied")

    secret = cli.folder / "secret.txt"
    secret.write_text("x")
    monkeypatch.setattr(Path, "open", refuse)  # root may read everything, so chmod proves nothing here
    error = cli("capture", str(secret), "--json", code=66).error

    assert "may not be read" in error["what"] and "chmod" in error["fix"]


def test_bytes_that_are_no_utf_8_are_read_as_far_as_they_go(cli: Cli) -> None:
    raw = b"MEMORY:fix:caf\xe9 opens at nine\n"
    answer = cli("capture", stdin=raw)
    assert (
        answer.err == "note: stdin is not UTF-8 (first at byte 15); bad bytes were read as \N{REPLACEMENT CHARACTER}\n"
    )
    assert cli.contents("list") == ["caf\N{REPLACEMENT CHARACTER} opens at nine"]

    data = cli.json("capture", stdin=raw)
    assert "not UTF-8" in data["notices"][0]


def test_a_line_of_ten_megabytes_is_answered(cli: Cli) -> None:
    captured = cli.json("capture", stdin=f"MEMORY:fix:{LONG_LINE}\nMEMORY:fix:Restart the worker\n")
    assert [receipt["verdict"] for receipt in captured["receipts"]] == ["rejected", "stored"]


def test_a_byte_order_mark_is_no_part_of_the_text(cli: Cli) -> None:
    cli("add", stdin=b"\xef\xbb\xbfsaved by an editor\n")
    assert cli.contents("list") == ["saved by an editor"]


def test_a_misspelt_command_is_recognised(cli: Cli) -> None:
    assert "Did you mean 'recall'?" in cli("recal", "x", code=2).err
    assert "fix: see `hindbrain review --help`" in cli("review", "ponder", "x", code=2).err


def test_nothing_in_an_error_can_forge_a_line_or_steer_a_terminal(cli: Cli) -> None:
    hostile = "x\nfix: run rm\x1b[2J\r\u202e"
    plain = cli("show", hostile, code=67).err
    assert len(plain.splitlines()) == 2 and "\x1b" not in plain and "\u202e" not in plain

    raw = cli("show", hostile, "--json", code=67).err
    assert "\x1b" not in raw and "\u202e" not in raw and len(raw.splitlines()) == 1
    assert "run rm" in json.loads(raw)["error"]["what"]


def test_a_message_never_fills_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(BadValue("x" * 1_000_000, fix="y" * 1_000_000), is_json=True) == 64
    assert len(capsys.readouterr().err) < 5_000


def test_a_reader_that_stops_early_is_no_error(cli: Cli) -> None:
    cli.add("a line of a long answer")
    assert cli.shell("$HB list | head -c 0").err == ""
    assert cli.shell("$HB list --json | head -c 1") == Answer(out="{", err="", code=0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize("form", ["", "--json"])
def test_an_answer_that_cannot_be_written_is_an_error(cli: Cli, form: str) -> None:
    cli.add("something to list")
    answer = cli.shell(f"$HB list {form} > /dev/full")
    assert answer.code == 73 and "Traceback" not in answer.err and "No space left" in answer.err


def test_a_folder_that_is_gone_is_an_error_with_a_fix(cli: Cli) -> None:
    answer = cli.shell("mkdir gone && cd gone && rmdir ../gone && $HB list")
    assert answer.code == 74 and "Traceback" not in answer.err and "fix:" in answer.err


def test_streams_that_the_caller_closed_are_no_reason_to_crash(cli: Cli) -> None:
    cli.add("something to list")
    assert cli.shell("$HB list >&-") == Answer(out="", err="", code=0)
    assert cli.shell("$HB capture <&-").code == 2


class Interrupted(io.BytesIO):
    """A stream whose reader presses Ctrl-C."""

    def read(self, *_: object) -> bytes:
        raise KeyboardInterrupt


def test_an_interrupted_command_ends_with_130_and_no_traceback(cli: Cli) -> None:
    assert cli("capture", stdin=Interrupted(), code=130).err.strip() == ""


@pytest.mark.parametrize("words", [["list"], ["list", "--json"]])
def test_a_bug_is_told_in_the_same_form(tmp_path: Path, words: list[str]) -> None:
    code = "import sys, hindbrain.entry.cli.commands as c, hindbrain.__main__ as start\n"
    code += "c.Entry.load = lambda entry: 1 / 0\nsys.argv = ['hindbrain', *sys.argv[1:]]\nstart.main()"
    environment = os.environ | {"HINDBRAIN_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, *words]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 1 and run.stdout == ""
    if "--json" in words:
        error = json.loads(run.stderr)["error"]
        assert error["code"] == "internal" and "ZeroDivisionError" in error["what"] and error["fix"]
    else:
        assert "Traceback" in run.stderr and "fix: report it" in run.stderr


# R8
def test_a_memory_that_cannot_be_read_is_told_beside_the_others(cli: Cli) -> None:
    for number in range(3):
        cli("add", f"Renew lock {number} before it ends")
    (torn,) = [one["id"] for one in cli("list", "--json").data["memories"] if "lock 1" in one["content"]]
    with hindbrain.open(cli.home / "hindbrain.db") as memory:
        memory.store._connection().execute("UPDATE memory SET learned_at = 'torn' WHERE id = ?", (torn,))  # type: ignore[attr-defined]
    for command in (["list"], ["recall", "renew the lock"], ["search", "lock"]):
        plain, told = cli(*command), cli(*command, "--json").data
        assert plain.code == 0 and torn in plain.err and "hindbrain fsck --repair" in plain.err
        assert len(told["memories"]) == 2 and torn in told["notices"][0]
