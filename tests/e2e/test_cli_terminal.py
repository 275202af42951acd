"""What reaches a terminal: colours of ours, and nothing that a memory could have put there."""

import json
import os
import pty
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from building import a_memory, keep
from calling import SRC, Cli
from hypothesis import given
from hypothesis import strategies as st

import hindbrain
from hindbrain.entry.cli import output

HOSTILE = "before\x1b]0;owned\x07\x1b[2J\x9b31m\u202eafter\r\nfix: rm -rf\u200b\u2028\x00\ttail"
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
OURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


# S7
@given(st.text())
def test_no_text_can_steer_a_terminal_once_it_is_safe(text: str) -> None:
    assert not STEERING.search(output.safe(text))
    assert not STEERING.search(output.line(text)) and "\n" not in output.line(text)


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=200))
def test_text_that_is_only_text_stays_as_it_is(text: str) -> None:
    expected = text.replace("\u3164", output.MARK).replace("\uffa0", output.MARK)
    if not re.search("[\u115f\u1160]", text):
        assert output.safe(text) == expected


def test_what_was_taken_out_leaves_a_mark_and_emoji_stay_whole() -> None:
    assert output.safe("a\x1b[31mb\u200bc") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    assert output.safe("fine 👩‍🚀 ❤️ done") == "fine 👩‍🚀 ❤️ done"
    assert output.line("one\r\ntwo\u2028three") == "one two three"


@given(st.text())
def test_json_says_the_same_without_a_character_that_steers(text: str) -> None:
    written = output.to_json({"text": text})
    assert not STEERING.search(written)
    assert json.loads(written) == {"text": text}


@given(st.text(), st.text(alphabet=" ", max_size=4))
def test_every_line_of_a_block_is_indented(text: str, indent: str) -> None:
    lines = list(output.block(text, indent=indent))
    assert lines and all("\n" not in line and (not line or line.startswith(indent)) for line in lines)


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), min_size=1, max_size=5))
def test_a_table_has_a_line_for_each_row_whatever_the_cells_hold(rows: list[tuple[str, str]]) -> None:
    assert len(list(output.table(["A", "B"], rows, styles={}))) == 1 + len(rows)


def test_columns_line_up_for_wide_and_combining_letters() -> None:
    lines = list(output.table(["A", "B"], [["漢字", "x"], ["abcd", "y"], ["e\u0301a", "z"]], styles={}))
    assert lines[1:] == ["漢字  x", "abcd  y", "e\u0301a    z"]


def keep_hostile() -> str:
    """A memory that no door would let in, put into the store directly."""
    with hindbrain.open() as memory:
        memory.add("makes the project known")
        project = memory.project
        assert project
        made = a_memory("Clean words for the index", project=project.id)
        fields = {name: getattr(made, name) for name in made.__slots__}
        hostile = type(made)(**fields | {"content": HOSTILE, "title": HOSTILE, "tags": (HOSTILE,), "persona": HOSTILE})
        keep(memory.store, hostile)
    return made.id


# S7
@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize(
    "name", ["list", "search", "recall", "show", "why", "export", "inject", "delete", "stats", "edit"]
)
def test_no_command_lets_a_memory_steer_the_terminal(cli: Cli, name: str, form: list[str]) -> None:
    memory_id = keep_hostile()
    rest = {
        "search": ["before", "--all"],
        "recall": ["--recent", "--all"],
        **{name: [memory_id] for name in ("show", "why", "delete")},
        "edit": [memory_id, "--importance", "9"],
        "inject": ["--persona", HOSTILE.replace("\x00", ""), "--format", "beads"],
    }
    answer = cli(name, *rest.get(name, []), *form)

    assert not STEERING.search(answer.out.replace("\n", "")) and not STEERING.search(answer.err.replace("\n", ""))
    assert not any(line.startswith("fix: rm") for line in answer.out.splitlines())


HINDBRAIN = ("-m", "hindbrain")
IMPATIENT = ("-c", "from hindbrain.entry.cli import bar; bar._AFTER_S = -1; import hindbrain.__main__ as it; it.main()")


def on_terminal(
    *arguments: str, columns: int = 80, typed: str = "", code: int = 0, program: Sequence[str] = HINDBRAIN
) -> str:
    """What a terminal of that width is sent, while somebody types."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"PYTHONPATH": str(SRC), "COLUMNS": str(columns), "TERM": "xterm-256color"}
        os.execv(sys.executable, [sys.executable, *program, *arguments])
    os.write(terminal, typed.encode())
    sent = b""
    try:
        while part := os.read(terminal, 65_536):
            sent += part
    except OSError:
        pass  # how Linux says that the other end has closed
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == code, sent
    return sent.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_lines_that_fit_a_pipe_gets_neither(cli: Cli) -> None:
    title = "Redis locks expire after 30 seconds, so that jobs which take longer lose them without a word"
    cli.add(title, "--type", "pitfall")
    for columns in (80, 120):
        shown = on_terminal("list", columns=columns)
        assert OURS.search(shown) and "…" in shown
        assert all(len(OURS.sub("", line)) <= columns for line in shown.splitlines())

    piped = cli.child("list").out
    assert "\x1b" not in piped and "\t" not in piped and title in piped


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_long_reason_is_wrapped_below_itself(cli: Cli, columns: int) -> None:
    cli.add("The mail limit of the provider is 100 an hour, no more than that", "--learned", "2025-03-01")
    cli.add("The mail limit of the provider was raised some time ago: 500 an hour", "--learned", "2026-03-01")
    asked = "what mail limit does our provider have, a hundred an hour or more than that"
    shown = OURS.sub("", on_terminal("recall", asked, "--why", columns=columns))
    notes = [line for line in shown.splitlines() if not line.lstrip().startswith("mem-")]
    assert all(len(line) <= columns for line in notes), shown
    assert "mail, limit, provider, hour" in " ".join(shown.split())


# S7
def test_a_hostile_memory_on_a_terminal_shows_our_colours_only(cli: Cli) -> None:
    memory_id = keep_hostile()
    for arguments in (["list", "--all"], ["show", memory_id], ["list", "--all", "--json"]):
        shown = OURS.sub("", on_terminal(*arguments))
        assert not STEERING.search(shown.replace("\n", ""))


def test_forget_asks_and_takes_no_for_an_answer(cli: Cli) -> None:
    memory_id = cli.add("my name is nobody")

    asked = on_terminal("forget", memory_id, "--hard", typed="n\n", code=1)
    assert "Erase 'my name is nobody' for good?" in asked and "Nothing was erased." in asked
    assert cli.contents("list") == ["my name is nobody"]

    on_terminal("forget", memory_id, "--hard", typed="y\n")
    assert cli.contents("list", "--all") == []


def test_init_shows_and_asks_and_takes_no_for_an_answer(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "user" / ".gemini" / "settings.json"

    asked = on_terminal("init", "--client", "gemini", typed="n\n", code=87)
    assert "Write 2 files?" in asked and OURS.search(asked) and not path.exists()

    on_terminal("init", "--client", "gemini", typed="y\n")
    assert path.exists()


def test_edit_opens_the_editor_when_nothing_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = cli.add("teh lock is held by the worker")

    monkeypatch.setenv("VISUAL", "sed -i s/teh/the/")
    on_terminal("edit", memory_id)
    assert cli.contents("list") == ["the lock is held by the worker"]

    monkeypatch.setenv("VISUAL", "true")
    assert "Nothing changed" in on_terminal("edit", memory_id)
    monkeypatch.setenv("VISUAL", "false")
    assert "Editing failed" in on_terminal("edit", memory_id, code=1)


def drawn(sent: str) -> list[str]:
    """What a bar showed, one after the other; it is drawn over itself."""
    return re.findall(r"migrating  \[[#-]+\] +\d+%", sent)


def test_a_migration_that_takes_long_shows_how_far_it_is(cli: Cli, tmp_path: Path) -> None:
    for number in range(3):
        cli.add(f"Lesson {number} about the release")
    store = str(cli.home / "hindbrain.db")

    slow = drawn(on_terminal("migrate", store, str(tmp_path / "a.db"), columns=100, program=IMPATIENT))
    shares = [int(bar.split()[-1].rstrip("%")) for bar in slow]
    assert len(set(shares)) > 3 and shares == sorted(shares) and shares[-1] == 100
    assert "####" in slow[-1] and "-" not in slow[-1].partition("[")[2]

    assert drawn(on_terminal("migrate", store, str(tmp_path / "b.db"), columns=100)) == [], "done before it matters"
    piped = cli.shell(f"{sys.executable} {shlex.join(IMPATIENT)} migrate {store} {tmp_path / 'c.db'}")
    assert piped.code == 0 and piped.err == "" and "migrating" not in piped.out, "nobody watches a pipe"
