"""The panel as a person meets it: real keys in a real terminal, a pipe instead of one, and no Textual at all."""

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calling import SRC, Cli
from paneling import PATIENCE_S

from hindbrain.entry.panel.steady import steady

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def teach(cli: Cli, text: str, *, scope: str = "GLOBAL", task: str = "ch-015") -> None:
    about = ("--session", task, "--task", task, "--persona", "ed", "--instance", "ed-001")
    cli("capture", *about, "-", stdin=f"<chorus>LEARNING_{scope}:{text}</chorus>\n")


class Terminal:
    """A terminal of tmux, on a server of its own."""

    def __init__(self, socket: Path, folder: Path) -> None:
        self._tmux = ["tmux", "-u", "-f", "/dev/null", "-S", str(socket)]
        self._folder = folder

    def open(self, command: list[str], *, columns: int, lines: int) -> None:
        known = {**os.environ, "PYTHONPATH": str(SRC), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        line = f"{shlex.join(command)}; echo ended with $?; exec cat"
        size = ["-x", str(columns), "-y", str(lines)]
        words = [*self._tmux, "new-session", "-d", *size, "-c", str(self._folder), "bash", "-c", line]
        subprocess.run(words, check=True, env=known)

    def press(self, *keys: str) -> None:
        subprocess.run([*self._tmux, "send-keys", *keys], check=True)

    def screen(self) -> str:
        done = subprocess.run([*self._tmux, "capture-pane", "-p"], capture_output=True, check=True)
        # This terminal takes a gear for one column wide: the second one is blank.
        return re.sub("\ufe0f {2,3}(?=\\w)", "\ufe0f ", done.stdout.decode())

    def until(self, is_so: Callable[[str], bool]) -> str:
        end = time.monotonic() + PATIENCE_S
        while not is_so(seen := self.screen()):
            assert time.monotonic() < end, seen
            time.sleep(0.1)
        return seen

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(tmp_path: Path, cli: Cli) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "tmux", cli.folder)
    yield made
    made.close()


@needs_tmux
def test_a_person_reads_searches_edits_deletes_and_leaves(cli: Cli, terminal: Terminal) -> None:
    # CH-006..CH-009, CH-012, CH-035..CH-042
    teach(cli, "All endpoints return JSON")
    teach(cli, "Use connection pooling", scope="LOCAL", task="ch-048")
    terminal.open(cli.command("panel"), columns=90, lines=30)
    seen = terminal.until(lambda text: "1 learning" in text and "ed-001)" in text and "[s] Superseded" in text)
    lines = seen.splitlines()
    assert "💡 PROJECT LEARNINGS" in lines[1] and "│ ESC close │" in lines[1]
    assert "View: [●Shared] [⚙️ ed] [🔍 ace] [📊 pat] [All]" in lines[4]
    assert "⚙️ ed-001)" in seen and "Source: ch-015 (" in seen

    terminal.press("Tab")
    terminal.until(lambda text: "ED'S LEARNINGS" in text and "Use connection pooling" in text)
    terminal.press("BTab", "/", "zebra")
    terminal.until(lambda text: "Nothing here matches" in text)
    terminal.press("Escape")
    terminal.until(lambda text: "▸ • All endpoints return JSON" in text and "[e] Edit" in text)
    terminal.press("e")
    terminal.until(lambda text: "[Ctrl+S] Save" in text)
    terminal.press(" only", "C-s")
    terminal.until(lambda text: "▸ • All endpoints return JSON only" in text and "[Ctrl+S]" not in text)
    assert cli.contents("list", "--persona", "nobody") == ["All endpoints return JSON only"]

    terminal.press("d")
    terminal.until(lambda text: "Delete this learning?" in text)
    terminal.press("y")
    terminal.until(lambda text: "No learnings yet." in text)
    terminal.press("u")
    terminal.until(lambda text: "• All endpoints return JSON only" in text)
    terminal.press("Escape")
    terminal.until(lambda text: "ended with 0" in text and "LEARNINGS" not in text)


@needs_tmux
def test_the_frame_is_straight_in_a_terminal_that_takes_a_gear_for_one_column(cli: Cli, terminal: Terminal) -> None:
    teach(cli, "All endpoints return JSON")
    terminal.open(cli.command("panel"), columns=60, lines=20)
    terminal.until(lambda text: "1 learning" in text)
    terminal.press("Tab", "BTab")
    terminal.until(lambda text: "▸ • All endpoints" in text)
    done = subprocess.run([*terminal._tmux, "capture-pane", "-p"], capture_output=True, check=True).stdout.decode()
    gears = [line for line in done.splitlines() if "⚙️" in line]
    widths = {len(line.replace("\ufe0f", "")) + sum(letter in "💡🔍📊" for letter in line) for line in gears}
    assert gears and widths == {60}


def test_a_symbol_is_held_in_its_two_columns_whatever_the_terminal_thinks() -> None:
    assert steady("plain 💡") == "plain 💡"
    assert steady("⚙️ ed") == "\x1b7  \x1b8\x1b7⚙️\x1b8\x1b[2C ed"


def test_where_no_terminal_is_the_view_is_printed(cli: Cli) -> None:
    teach(cli, "All endpoints return JSON")
    teach(cli, "Use connection pooling", scope="LOCAL", task="ch-048")
    printed = cli("panel").out
    assert "💡 PROJECT LEARNINGS  1 learning\n" in printed and "\nAPI DESIGN\n" in printed
    assert re.search(r"^• All endpoints return JSON\n  Source: ch-015 \([\d-]+, ⚙️ ed-001\)$", printed, re.M)
    assert re.search(r"^• \[[\d-]+\] Use connection pooling\n  Source: ch-048$", cli("panel", "--view", "ED").out, re.M)
    answer = cli.json("panel", "--view", "all")
    assert answer["view"] == "all" and answer["views"] == {"shared": 1, "ed": 1, "ace": 0, "pat": 0, "all": 2}
    assert len(answer["learnings"]) == 2 and answer["superseded"] == []
    assert "No learnings yet." in cli("panel", "--view", "pat").out


def test_a_view_that_is_not_there_is_refused_with_those_that_are(cli: Cli) -> None:
    error = cli("panel", "--view", "nobody", "--json", code=64).error
    assert error["code"] == "bad_value" and "shared, ed, ace, pat, all" in error["fix"]


WITHOUT = (
    "import sys; sys.modules['textual'] = None; from hindbrain.entry.cli.quick import run; sys.exit(run(['panel']))"
)


def test_without_textual_the_command_says_what_to_install(cli: Cli) -> None:
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(words, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=known, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 97 and b"pip install 'hindbrain[panel]'" in done.stderr

    piped = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=known, check=False)
    assert piped.returncode == 0 and "PROJECT LEARNINGS" in piped.stdout.decode()


def test_without_textual_the_widget_says_what_to_install() -> None:
    code = "import sys; sys.modules['textual'] = None\nfrom hindbrain.entry.panel import LearningsPanel"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={"PYTHONPATH": str(SRC)}, check=False, text=True
    )
    assert "ExtraMissing: the panel needs Textual" in done.stderr


def test_no_other_command_loads_textual(cli: Cli) -> None:
    code = (
        "import sys; from hindbrain.entry.cli.quick import run; run(['list']); run(['panel']);"
        "print({'textual', 'rich'} & set(sys.modules))"
    )
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=known, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"
