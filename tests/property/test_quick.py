"""Law of the short way past click: whatever it reads, click reads the same; what it cannot read, it leaves alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.core.value import names_of, replace
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.commands import COMMANDS
from hindbrain.entry.cli.grammar import built
from hindbrain.entry.cli.quick import NotPlain, read
from hindbrain.entry.cli.values import Day, Hours, OneOf, Share, Whole
from hindbrain.entry.cli.verb import SHARED, Parameter, Verb

VERBS = {name: verb for name, entry in COMMANDS.items() if isinstance(verb := entry.load(), Verb)}
ODD = ["", "-", "--", "-h", "--help", "-x", "--nonsense", "-5", "a=b", "=", "--json=yes", "--limit", "--lim", "--js"]


def good(parameter: Parameter) -> str:
    """A value that the parameter takes."""
    match parameter.traits.get("type"):
        case OneOf(words=words):
            return str(words[0])
        case Whole():
            return "7"
        case Share():
            return "0.5"
        case Day():
            return "2026-01-31"
        case Hours():
            return "24h"
    return "some words"


def by_click(verb: Verb, words: list[str]) -> tuple[Call, dict[str, Any]] | None:
    heard: list[tuple[Call, dict[str, Any]]] = []

    def run(call: Call, **values: Any) -> None:
        heard.append((call, values))

    built(replace(verb, run=run)).main(words, prog_name="hindbrain", standalone_mode=False)
    return heard[0] if heard else None


def by_us(verb: Verb, words: list[str]) -> tuple[Call, dict[str, Any]]:
    values = read(verb, words)
    about = {shared.keyword: values.pop(shared.keyword) for shared in SHARED}
    return Call(**{name: value for name, value in about.items() if value}), values


def needed(verb: Verb, *, but: str = "") -> list[str]:
    """Words without which the command does not run."""
    arguments = [good(parameter) for parameter in verb.parameters if not parameter.is_option]
    options = [one for one in verb.parameters if one.is_option and one.traits.get("required") and one.names[0] != but]
    return [*arguments, *(word for one in options for word in (one.names[0], good(one)))]


def is_plain(option: Parameter) -> bool:
    return option.is_option and "/" not in option.names[0] and not option.traits.keys() & {"flag_value", "nargs"}


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[Verb, list[str]]:
    verb = VERBS[draw(st.sampled_from(sorted(VERBS)))]
    parameters = [*verb.parameters, *SHARED]
    flags = [flag for p in parameters if p.is_option for flag in p.names[0].split("/")]
    kinds = [good(p) for p in parameters]
    word = st.sampled_from([*flags, *flags, *kinds, *kinds, *ODD]) | st.text(max_size=4)
    pair = st.builds("{}={}".format, st.sampled_from(flags), st.sampled_from([*kinds, "", "-1"]))
    return verb, draw(st.lists(word | pair, max_size=6))


@settings(max_examples=400)
@given(command_lines())
def test_what_is_read_without_click_is_what_click_reads(line: tuple[Verb, list[str]]) -> None:
    verb, words = line
    try:
        ours = by_us(verb, words)
    except NotPlain:
        return
    assert by_click(verb, words) == ours


def understood(verb: Verb) -> list[Parameter]:
    """Its own options, and those that all commands share, unless it has its own meaning for one of them."""
    own = {parameter.names[0] for parameter in verb.parameters}
    return [*verb.parameters, *(shared for shared in SHARED if shared.names[0] not in own)]


PLAIN = [
    pytest.param(verb, option, id=f"{name} {option.names[0]}")
    for name, verb in VERBS.items()
    for option in understood(verb)
    if is_plain(option)
]


@pytest.mark.parametrize(("verb", "option"), PLAIN)
def test_every_plain_option_is_read_without_click(verb: Verb, option: Parameter) -> None:
    flag = option.names[0]
    arguments = needed(verb, but=flag)
    is_flag = option.traits.get("is_flag")
    forms = [[flag]] if is_flag else [[flag, good(option)], [f"{flag}={good(option)}"]]
    if option.traits.get("multiple"):
        forms.append([flag, good(option)] * 2)
    for form in forms:
        for words in ([*arguments, *form], [*form, *arguments]):
            call, values = by_us(verb, words)
            assert by_click(verb, words) == (call, values)
            said = getattr(call, option.keyword) if option.keyword in names_of(call) else values[option.keyword]
            assert said not in (None, False, "", ())


@pytest.mark.parametrize("name", sorted(VERBS))
def test_without_options_the_defaults_are_those_of_click(name: str) -> None:
    verb = VERBS[name]
    words = needed(verb)
    assert by_us(verb, words) == by_click(verb, words)


def test_what_must_be_said_is_asked_for_by_click() -> None:
    for name, words in {"snooze": ["sug-1"], "refuse": [], "undo": [], "extract": []}.items():
        with pytest.raises(NotPlain):
            read(VERBS[name], words)


@pytest.mark.parametrize(
    "words",
    [
        *(["--help"], ["-h"], ["x", "--limit"], ["x", "--limit", "many"], ["x", "--limit", "0"], ["x", "--nonsense"]),
        *(["x", "y"], ["x", "--recent"], ["x", "--recent", "5"], ["--", "x"], ["x", "--json=yes"], [""], ["x", "-1"]),
        *(["x", "--hat", ""], ["x", "--hat="], ["x", "--hat", "-a"], ["x", "--limit", "1", "--limit", "2"]),
        *(["x", "--lim", "3"], ["x", "--type", "nonsense"], ["x", "--as-of", "someday"], ["x", "--strategy", "best"]),
    ],
)
def test_what_needs_an_explanation_is_left_to_click(words: list[str]) -> None:
    with pytest.raises(NotPlain):
        read(VERBS["recall"], words)
