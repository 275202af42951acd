"""How a command line is read in full: help, completion, suggestions, and every mistake in click's words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hindbrain import __version__
from hindbrain.entry.cli import errors, grammar
from hindbrain.entry.cli.commands import COMMANDS, SECTIONS, Entry
from hindbrain.entry.cli.verb import Verb
from hindbrain.settings import colour

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LateGroup(click.Group):
    """A group whose commands load when they are called; names and one-line helps come from the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        return load(entry) if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"There is no command {name!r}.{_meant(name)}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in SECTIONS.items():
            with formatter.section(title):
                # One width for all sections, so that the helps stand in one column.
                rows = [(name.ljust(max(map(len, COMMANDS))), entry.help) for name, entry in section.items()]
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        named = [CompletionItem(n, help=entry.help) for n, entry in COMMANDS.items() if n.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)


def load(entry: Entry) -> click.Command:
    found = entry.load()
    return grammar.built(found) if isinstance(found, Verb) else found


def _meant(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, "--version", prog_name="hindbrain", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """The memory of coding agents: what one learned at a cost, every later one knows for free.

    `hindbrain COMMAND --help` shows each command's options, with examples.
    """
    ctx.color = colour()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code. Whatever goes wrong for a user is told in two lines, never as a traceback."""
    is_json = "--json" in arguments
    with errors.told(is_json=is_json) as ending:
        ending.code = _answer(arguments, is_json=is_json)
    return ending.code


def _answer(arguments: Sequence[str], *, is_json: bool) -> int:
    try:
        answer: Any = cli.main(list(arguments), prog_name="hindbrain", standalone_mode=False)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "hindbrain"
        errors.say(code="usage", what=_sentence(error), fix=f"see `{path} --help`", is_json=is_json)
        return errors.USAGE
    except click.ClickException as error:
        errors.say(code="error", what=_sentence(error), fix="correct that, then try again", is_json=is_json)
        return error.exit_code
    except click.Abort:
        return errors.INTERRUPTED
    return answer if isinstance(answer, int) else 0


def _sentence(error: click.ClickException) -> str:
    return error.format_message().rstrip().removesuffix(".")
