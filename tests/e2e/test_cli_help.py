"""What a newcomer is told about the commands, and what it costs to tell."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from calling import SRC, Cli
from click.shell_completion import BashComplete

from hindbrain import __version__
from hindbrain.entry.cli.main import COMMANDS, load
from hindbrain.entry.cli.main import cli as group

ISSUE = (
    "add capture receipts list search recall inject show edit delete restore forget review export import cleanup "
    "stats why doctor demo"
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_every_command_that_was_promised_is_there() -> None:
    assert set(ISSUE.split()) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_itself_says(name: str) -> None:
    command = load(COMMANDS[name])
    assert command.name == name
    assert command.get_short_help_str(limit=200).removesuffix(".") == COMMANDS[name].help


def every_command() -> list[tuple[str, click.Command]]:
    found = []
    for name, entry in COMMANDS.items():
        command = load(entry)
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {below}", made) for below, made in command.commands.items()]
    return found


@pytest.mark.parametrize(("name", "command"), every_command(), ids=[name for name, _ in every_command()])
def test_every_help_explains_each_option_and_ends_with_examples_that_parse(
    cli: Cli, name: str, command: click.Command
) -> None:
    shown = cli(*name.split(), "--help").out
    assert "Examples:\n  hindbrain" in shown.replace("git log -1 --format=%B | ", "") or "\n  hindbrain" in shown
    for param in command.params:
        assert isinstance(param, click.Argument) or (isinstance(param, click.Option) and param.help)

    known = {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
    for example in shown.partition("Examples:\n")[2].splitlines():
        words = shlex.split(re.split(r" [<>]+ ", example.rpartition("| ")[2])[0])
        assert words[0] == "hindbrain" and words[1] in COMMANDS
        if " ".join(words[1:3]) == name or (words[1] == name and not isinstance(command, click.Group)):
            assert {word for word in words if word.startswith("--")} <= known


def test_help_lists_every_command_and_version_is_told(cli: Cli) -> None:
    shown = cli("--help").out
    assert all(
        re.search(rf"^  {name} +{re.escape(entry.help)}$", shown, re.MULTILINE) for name, entry in COMMANDS.items()
    )
    assert cli("--version").out == f"hindbrain {__version__}\n"
    assert cli("-h").out == shown


def loaded_by(*arguments: str) -> set[str]:
    """Modules of ours that a command loads."""
    program = (
        "import sys; from hindbrain.entry.cli.main import run; run(sys.argv[1:]); "
        "print('\\n'.join(m for m in sys.modules if m.startswith('hindbrain.')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": str(SRC), "HINDBRAIN_HOME": "/nonexistent"},
    )
    return set(done.stderr.split())


def test_help_loads_no_command_and_a_command_loads_no_other() -> None:
    commands = {f"hindbrain.entry.cli.{entry.where.partition(':')[0]}" for entry in COMMANDS.values()}

    assert loaded_by("--help") & (commands | {"hindbrain.wiring", "hindbrain.facade"}) == set()
    loaded = loaded_by("recall", "--help")
    assert loaded & commands == {"hindbrain.entry.cli.recall"} and "hindbrain.adapters.sqlite" not in loaded


def test_the_shell_completes_commands_options_and_choices() -> None:
    def completed(*words: str) -> set[str]:
        completer = BashComplete(group, {}, "hindbrain", "_HINDBRAIN_COMPLETE")
        return {item.value for item in completer.get_completions(list(words[:-1]), words[-1])}

    assert completed("re") == {"rebuild", "receipts", "recall", "reflex", "refuse", "restore", "review"}
    assert "--min-confidence" in completed("list", "--m")
    assert completed("list", "--type", "pi") == {"pitfall"}
    assert completed("review", "re") == {"release", "refuse"}
    assert completed("capture", "--format", "") == {"text", "claude", "codex", "gemini", "chorus"}


def test_the_script_that_bash_loads_asks_us_for_completions(cli: Cli) -> None:
    answer = cli.child(COMP_WORDS="hindbrain exp", COMP_CWORD="1", _HINDBRAIN_COMPLETE="bash_complete")
    assert answer.code == 0 and answer.out.split() == ["plain,export"]
