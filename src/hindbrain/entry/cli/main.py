"""Which commands there are, and where each of them lives. One loads when it is called, and no other with it."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from hindbrain import __version__
from hindbrain.entry.cli import errors
from hindbrain.settings import colour

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    where: str  # module:attribute
    help: str  # the command's own first line; a test holds the two together


_HERE = "hindbrain.entry.cli"

SECTIONS: dict[str, dict[str, Entry]] = {
    "Start here": {
        "demo": Entry(f"{_HERE}.demo:demo", "Show the whole story on a throw-away store, in seconds"),
    },
    "Teach": {
        "add": Entry(f"{_HERE}.add:add", "Write down one memory yourself"),
        "capture": Entry(f"{_HERE}.capture:capture", "Learn from what an agent said, with a receipt for each line"),
        "receipts": Entry(f"{_HERE}.capture:receipts", "List what became of captured lines, newest first"),
    },
    "Find": {
        "recall": Entry(f"{_HERE}.recall:recall", "Find what past sessions learned about QUERY, best first"),
        "search": Entry(f"{_HERE}.listing:search", "Find memories that hold QUERY as it stands"),
        "list": Entry(f"{_HERE}.listing:list_", "List memories, the most certain first"),
        "show": Entry(f"{_HERE}.memory:show", "Print one memory and all that is known about it"),
        "why": Entry(f"{_HERE}.why:why", "Walk from a memory to the sentence that taught it"),
    },
    "Tell an agent": {
        "inject": Entry(f"{_HERE}.inject:inject", "Print a block of notes for an agent's prompt"),
    },
    "Change": {
        "edit": Entry(f"{_HERE}.memory:edit", "Change a memory; what it said before stays in its history"),
        "delete": Entry(f"{_HERE}.memory:delete", "Archive a memory; `restore` brings it back"),
        "restore": Entry(f"{_HERE}.memory:restore", "Bring back what was deleted, faded or superseded"),
        "forget": Entry(f"{_HERE}.forget:forget", "Erase a memory for good, and prove that it is gone"),
        "review": Entry(f"{_HERE}.review:review", "Decide what waits for a person; without more, list it"),
    },
    "Carry": {
        "export": Entry(f"{_HERE}.portable:export", "Write the memories of a project as JSON"),
        "import": Entry(f"{_HERE}.portable:import_", "Read memories that `export` wrote"),
    },
    "Care": {
        "stats": Entry(f"{_HERE}.care:stats", "Count memories by state, type and category"),
        "cleanup": Entry(f"{_HERE}.care:cleanup", "Let unused memories fade, archive those that faded away"),
        "doctor": Entry(f"{_HERE}.care:doctor", "Check that everything is healthy, and say how to fix it"),
        "worker": Entry(f"{_HERE}.worker:worker", "Keep the model warm, and give memories their meaning"),
        "completion": Entry(f"{_HERE}.completion:completion", "Print the completion script for a shell"),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


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
    module, _, attribute = entry.where.partition(":")
    return cast(click.Command, getattr(import_module(module), attribute))


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
    # Bytes that are no text arrive as lone surrogates, which nothing behind here can write down.
    arguments = [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in arguments]
    is_json = "--json" in arguments
    with errors.told(is_json=is_json) as ending:
        answer: Any = cli.main(list(arguments), prog_name="hindbrain", standalone_mode=False)
        ending.code = answer if isinstance(answer, int) else 0
    return ending.code
