"""How a verb becomes a command of click's: with help, completion, and errors in its words."""

from typing import TYPE_CHECKING, Any

import click

from hindbrain.core.value import replace
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.values import OneOf, Value
from hindbrain.entry.cli.verb import SHARED, Misuse, Parameter, Verb

if TYPE_CHECKING:
    from collections.abc import Callable

    _Choice = click.Choice[str]
    _Any = click.ParamType[Any]
else:  # click took no type parameters before 8.4
    _Choice, _Any = click.Choice, click.ParamType


def built(verb: Verb) -> click.Command:
    """The command of click that runs `verb`."""
    return _Dressed(name=verb.name, callback=_callback(verb), help=verb.run.__doc__, **_body(verb))


def family(verb: Verb, *below: Verb, bare: str = "") -> click.Group:
    """A command that works alone, and has commands below it. `bare` is the option whose value may stand alone: a word
    that is none of the commands."""
    callback = _callback(verb)

    @click.pass_context
    def alone(ctx: click.Context, /, **given: Any) -> int | None:
        return None if ctx.invoked_subcommand else ctx.invoke(callback, **given)

    body = _body(verb)
    group = _Family(name=verb.name, callback=alone, help=verb.run.__doc__, invoke_without_command=True, **body)
    group.bare = bare
    for one in below:
        group.add_command(built(one))
    return group


def _body(verb: Verb) -> dict[str, Any]:
    params = [_parameter(parameter) for parameter in verb.parameters]
    own = {parameter.names[0] for parameter in verb.parameters}  # a command may have a meaning of its own for one
    shared = [_shared(parameter) for parameter in SHARED if parameter.names[0] not in own]
    return {"params": params + shared, "examples": verb.examples.splitlines()}


def _callback(verb: Verb) -> "Callable[..., int | None]":
    @click.pass_context
    def run(ctx: click.Context, /, **given: Any) -> int | None:
        try:
            return verb.run(ctx.ensure_object(Call), **given)
        except Misuse as error:
            raise click.UsageError(str(error)) from None

    return run


def _parameter(parameter: Parameter) -> click.Parameter:
    kind = click.Option if parameter.is_option else click.Argument
    traits = dict(parameter.traits)
    if value := traits.pop("type", None):
        traits["type"] = _Word(value) if isinstance(value, OneOf) else _Value(value)
    return kind(list(parameter.names), **traits)


def _shared(parameter: Parameter) -> click.Parameter:
    """An option that says something about the call: `review --project P release ID` says it for both commands."""

    def note(ctx: click.Context, *given: Any) -> None:
        if value := given[-1]:
            setattr(ctx.ensure_object(Call), parameter.keyword, value)

    return _parameter(replace(parameter, traits={**parameter.traits, "expose_value": False, "callback": note}))


class _Dressed(click.Command):
    """Has its examples below everything else."""

    def __init__(self, *given: Any, examples: list[str], **named: Any) -> None:
        super().__init__(*given, **named)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example.strip()}\n")


class _Family(_Dressed, click.Group):
    bare = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = self._first_word(args)
        if self.bare and at < len(args) and args[at] not in self.commands and not ctx.resilient_parsing:
            args = [*args[:at], self.bare, *args[at:]]
        return super().parse_args(ctx, args)

    def _first_word(self, args: list[str]) -> int:
        """The place of the first word that is neither an option nor an option's value."""
        valued = {name for one in self.params if isinstance(one, click.Option) and not one.is_flag for name in one.opts}
        at = 0
        while at < len(args) and args[at].startswith("-"):
            at += 2 if args[at] in valued else 1
        return at


class _Word(_Choice):
    def __init__(self, value: OneOf) -> None:
        super().__init__(list(value.words))
        self._value = value

    def convert(self, value: Any, *called: Any) -> Any:
        return self._value.read(value, of=_flag(called))


class _Value(_Any):
    def __init__(self, value: Value) -> None:
        self.name = value.name
        self._value = value

    def convert(self, value: Any, *called: Any) -> Any:
        return self._value.read(value, of=_flag(called))


def _flag(called: tuple[Any, ...]) -> str:
    """`--limit`: click passes the option after the value, and then the context."""
    return called[0].opts[0] if called and called[0] else ""
