"""Which command lines are plain enough to be read without click, which takes longer than most answers.

A plain one names a command, then options that the command has, each with its value, and nothing that needs an
explanation. Everything else (help, mistakes, completion, odd forms) is click's: it reads the same declarations, and
its answer to a plain command line is the same, letter by letter.
"""

from collections.abc import Sequence

from hindbrain.core.hints import Any
from hindbrain.entry.cli import errors, output
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.commands import COMMANDS
from hindbrain.entry.cli.verb import SHARED, Misuse, Parameter, Verb
from hindbrain.errors import HindbrainError
from hindbrain.settings import is_completing


class NotPlain(Exception):
    """Click is to read it."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    # Bytes that are no text arrive as lone surrogates, which nothing behind here can write down.
    words = [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in arguments]
    try:
        return _run(words)
    except (NotPlain, Misuse):
        from hindbrain.entry.cli import main

        return main.run(words)


def _run(words: Sequence[str]) -> int:
    if is_completing() or not words:
        raise NotPlain
    with errors.told(is_json="--json" in words) as ending:
        if words == ["--version"]:
            from hindbrain import __version__

            output.echo(f"hindbrain {__version__}")
            return 0
        entry = COMMANDS.get(words[0])
        verb = entry.load() if entry else None
        if not isinstance(verb, Verb):
            raise NotPlain
        given = read(verb, words[1:])
        about = {shared.keyword: given.pop(shared.keyword) for shared in SHARED}
        call = Call(**{keyword: value for keyword, value in about.items() if value})
        ending.code = verb.run(call, **given) or 0
    return ending.code


def read(verb: Verb, words: Sequence[str]) -> dict[str, Any]:
    """The values of a plain command line by keyword, those of SHARED among them. Everything else is NotPlain."""
    parameters = (*verb.parameters, *SHARED)
    flags = {parameter.names[0]: parameter for parameter in reversed(parameters) if parameter.is_option}  # own ones win
    given: dict[str, Any] = {parameter.keyword: parameter.default for parameter in parameters}
    seen: set[str] = set()
    placed: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            placed.append(word)
            continue
        flag, sign, text = word.partition("=")
        option = _plain(flags.get(flag), seen)
        if not sign:
            text = "" if option.traits.get("is_flag") else next(rest, "")
        value = _value(option, text, is_written=bool(sign))
        given[option.keyword] = (*given[option.keyword], value) if option.traits.get("multiple") else value
    if any(option.traits.get("required") and option.keyword not in seen for option in flags.values()):
        raise NotPlain
    return given | _arguments(verb, placed)


def _plain(option: Parameter | None, seen: set[str]) -> Parameter:
    """An option whose value follows, or which needs none; given once, or made to be repeated."""
    if option is None or "/" in option.names[0] or option.traits.keys() & {"flag_value", "nargs"}:
        raise NotPlain
    if option.keyword in seen and not option.traits.get("multiple"):
        raise NotPlain
    seen.add(option.keyword)
    return option


def _value(option: Parameter, text: str, *, is_written: bool) -> Any:
    if option.traits.get("is_flag"):
        if is_written:  # --json=yes
            raise NotPlain
        return True
    if not text or text.startswith("-"):
        raise NotPlain
    return _typed(option, text)


def _typed(parameter: Parameter, text: str) -> Any:
    kind = parameter.traits.get("type")
    if kind is None:
        return text
    try:
        return kind.read(text, of=parameter.names[0])
    except HindbrainError:
        raise NotPlain from None


def _arguments(verb: Verb, placed: Sequence[str]) -> dict[str, Any]:
    wanted = [parameter for parameter in verb.parameters if not parameter.is_option]
    if not all(placed):
        raise NotPlain
    if wanted and wanted[0].traits.get("nargs") == -1:
        if not placed and wanted[0].traits.get("required"):
            raise NotPlain
        return {wanted[0].keyword: tuple(placed)}
    if len(placed) > len(wanted) or any(map(_is_required, wanted[len(placed) :])):
        raise NotPlain
    return {parameter.keyword: _typed(parameter, text) for parameter, text in zip(wanted, placed, strict=False)}


def _is_required(argument: Parameter) -> bool:
    return bool(argument.traits.get("required", "default" not in argument.traits))
