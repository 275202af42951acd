"""What every command has in common: `--project`, `--json`, and a help that ends with examples."""

from collections.abc import Callable, Iterable

import click

from hindbrain.core.hints import Any, TypeVar, cast
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.cli import output
from hindbrain.facade import Hindbrain

T = TypeVar("T")


@dataclass(slots=True)
class Call:
    """One run of a command: for which project, and in which form it answers."""

    project: str = ""
    is_json: bool = False
    per_worktree: bool = False

    def open(self, *, is_new: bool = False) -> Hindbrain:
        """The memory of the project. A name that nobody has used is worth a word, unless `is_new` expects one."""
        from hindbrain.settings import load
        from hindbrain.wiring import open_hindbrain  # late: a wrong option must not pay for the store

        settings = load()
        settings = replace(settings, per_worktree=self.per_worktree or settings.per_worktree)
        hindbrain = open_hindbrain(project=self.project or None, settings=settings)
        if self.project and not is_new and hindbrain.project is None:
            self.note([f"nothing has been kept for {self.project} yet"])
        return hindbrain

    def tell(self, data: Callable[[], object], lines: Iterable[str]) -> None:
        """Answer as JSON or as lines; only the form that was asked for is made."""
        if self.is_json:
            click.echo(output.to_json(data()))
        else:
            output.show(lines)

    def note(self, notices: Iterable[str]) -> None:
        """Beside the answer, for a person; JSON answers carry theirs inside."""
        for notice in () if self.is_json else notices:
            output.note(notice)


def given(options: T) -> T:
    """What was said on the command line: options that were left out are left out here, too."""
    return cast(T, {name: value for name, value in cast("dict[str, Any]", options).items() if value is not None})


def command(*, examples: str, name: str | None = None) -> Callable[[Callable[..., object]], click.Command]:
    """A command with the options that all have. `examples` is one command line a line."""
    return click.command(name=name, cls=_Verb, examples=examples)


def family(*, examples: str) -> Callable[[Callable[..., object]], click.Group]:
    """A command that works alone, and has commands below it."""
    return click.group(cls=_Family, examples=examples, invoke_without_command=True)


class _Dressed(click.Command):
    """Adds the common options, and the examples below everything else."""

    def __init__(self, *given: Any, examples: str = "", **named: Any) -> None:
        super().__init__(*given, **named)
        self.examples = examples.strip().splitlines()
        self.params += [
            click.Option(
                ["--project"],
                metavar="P",
                expose_value=False,
                callback=lambda ctx, _, value: _set_project(ctx, value),
                help="Name, id or path of a project.  [default: the one around the current folder]",
            ),
            click.Option(
                ["--per-worktree"],
                is_flag=True,
                expose_value=False,
                callback=lambda ctx, _, value: _set_per_worktree(ctx, value),
                help="Take this git worktree for a project of its own.",
            ),
            click.Option(
                ["--json"],
                is_flag=True,
                expose_value=False,
                callback=lambda ctx, _, value: _set_json(ctx, value),
                help="Answer, and fail, in JSON.",
            ),
        ]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example.strip()}\n")


class _Verb(_Dressed):
    pass


class _Family(_Dressed, click.Group):
    def command(self, *given: Any, **named: Any) -> Any:
        return super().command(*given, cls=_Verb, **named)


def _set_project(ctx: click.Context, value: str | None) -> None:
    call = ctx.ensure_object(Call)
    call.project = value or call.project  # `review --project P release ID`: the family's holds for its commands


def _set_per_worktree(ctx: click.Context, value: bool) -> None:
    call = ctx.ensure_object(Call)
    call.per_worktree = value or call.per_worktree


def _set_json(ctx: click.Context, value: bool) -> None:
    call = ctx.ensure_object(Call)
    call.is_json = value or call.is_json
