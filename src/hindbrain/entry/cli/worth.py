"""How a person says on the command line whether a memory helped, and is told what memory is worth."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import block, bold, coloured, dim, line, many, moment, style, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import Day, OneOf
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.verdict import Heard
    from hindbrain.app.worth import Record, Worth
    from hindbrain.core.lift import Change, Comparison, Side

    _Told = Callable[[float], str]
    _Changed = Callable[[Change], str]

EFFECTS = {Effect.HELPED: "green", Effect.HURT: "red", Effect.UNKNOWN: "bright_black"}
_LEVEL = "95 times of 100"
_HOLDOUT = "set `holdout = 0.05` in config.toml to withhold a random share"


@command(
    examples="""
hindbrain verdict mem-01k2x6d0q3v8r5w7y9z1b3d5f7 helped
hindbrain verdict mem-01k2x6d0q3v8r5w7y9z1b3d5f7 hurt --note "the port moved to 5433" --by anna
"""
)
@argument("memory_id", metavar="ID")
@argument("effect", metavar="helped|hurt|unknown", type=OneOf("verdict", tuple(Effect)))
@option("--note", default="", metavar="TEXT", help="Why; kept with the verdict.")
@option("--by", default="", metavar="NAME", help="Who says so; each person counts once, with the last word.")
def verdict(call: Call, memory_id: str, effect: str, note: str, by: str) -> None:
    """Say whether a memory helped.

    `helped` confirms it as of now and makes it more certain. `hurt` makes it less certain and asks for a decision in
    `hindbrain review`. Where it stands in an answer moves by a little; how far it is trusted does not.
    """
    with call.open() as hindbrain:
        heard = hindbrain.verdict(memory_id, effect, note=note, by=by)
    call.tell(lambda: plain(heard), _heard_lines(heard))


@command(
    examples="""
hindbrain outcomes
hindbrain outcomes mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain outcomes --session 4f1c --json
"""
)
@argument("memory_id", metavar="[ID]", required=False, default="")
@option("--session", default="", metavar="S", help="Only of this session.")
def outcomes(call: Call, memory_id: str, session: str) -> None:
    """List what came of showing memories, oldest first.

    An agent that names, quotes or follows a memory, a failure that came back or stayed away, a check that passed, and
    a person's verdict: each is an outcome. When in doubt, it is unknown.
    """
    with call.open() as hindbrain:
        found = hindbrain.outcomes(memory_id or "", session=session)
    call.tell(lambda: {"outcomes": plain(found)}, _outcome_lines(found))


@command(
    examples="""
hindbrain worth
hindbrain worth --since 2026-01-01
hindbrain worth --project api --json
"""
)
@option("--since", type=Day(is_end=False), metavar="DATE", help="Only sessions since DATE.")
def worth(call: Call, since: datetime | None) -> None:
    """Tell what memory is worth: sessions with it and without.

    A random share of what agents would be shown is held back (setting `holdout`). How often known failures come back,
    and how many tool calls it takes until what failed passes, is compared between sessions, with intervals that hold
    the true value 95 times of 100, and with the number of sessions still missing for a clear answer.
    """
    with call.open() as hindbrain:
        found = hindbrain.worth(since=since)
        name = hindbrain.project_name
    call.tell(lambda: _worth_record(found), _worth_lines(found, name))


def effect_word(effect: Effect) -> str:
    return style(str(effect), fg=EFFECTS[effect])


def _heard_lines(heard: "Heard") -> Iterator[str]:
    memory = heard.memory
    yield f"{effect_word(heard.outcome.effect)}: {bold(line(memory.title))}"
    yield f"  {dim(f'{line(memory.id)}, now {memory.confidence:.2f} sure')}"
    if heard.review_id:
        yield f"  it waits for your decision: hindbrain review keep|refuse {line(heard.review_id)}"


def _outcome_lines(found: Sequence[Outcome]) -> Iterator[str]:
    if not found:
        yield "Nothing has come of any memory yet."
        return
    rows = [[moment(one.at), one.memory_id, str(one.effect), _how(one), one.note] for one in found]
    styles = {0: dim, 2: coloured({str(effect): colour for effect, colour in EFFECTS.items()})}
    yield from table(["AT", "MEMORY", "EFFECT", "HOW", "SEEN"], rows, styles=styles)
    yield ""
    yield dim(many(len(found), "outcome"))


def _how(outcome: Outcome) -> str:
    return f"{outcome.how}, withheld" if outcome.is_withheld else outcome.how


def _worth_record(found: "Worth") -> dict[str, object]:
    """With what the sentences below conclude."""
    told = {"recurrence": _is_clear(found.recurrence), "calls": _is_clear(found.calls)}
    record: dict[str, object] = plain(found)
    return {**record, "is_clear": told}


def _is_clear(one: "Comparison") -> bool:
    return one.change is not None and one.change.is_clear


def _worth_lines(found: "Worth", name: str) -> Iterator[str]:
    yield bold(f"What memory is worth in {line(name)}")
    held = f", {many(found.withheld, 'was held', plural='were held')} back" if found.withheld else ""
    yield f"  {many(found.sessions, 'session')}, shown something {many(found.shown, 'time')}{held}"
    yield f"  memories {found.helped:,} × helped, {found.hurt:,} × hurt, {found.unknown:,} × unknown"
    yield from _listed("helped most", found.best)
    yield from _listed("hurt most", found.worst)
    yield ""
    yield dim("Share of sessions in which a known failure came back")
    yield from _compared(found.recurrence, _percent, change=_points)
    yield ""
    yield dim("Tool calls until what failed passed")
    yield from _compared(found.calls, _number, change=_relative)
    if not found.withheld:
        yield ""
        yield from block(f"Nothing was held back, so there is nothing to compare with: {_HOLDOUT}.")


def _listed(title: str, records: "Sequence[Record]") -> Iterator[str]:
    if not records:
        return
    yield ""
    yield dim(title)
    rows = [[one.memory_id, f"{one.helped}", f"{one.hurt}", f"{one.estimate:.2f}", one.title] for one in records]
    yield from table(["ID", "HELPED", "HURT", "LIKELY", "TITLE"], rows, styles={0: dim})


def _compared(one: "Comparison", told: "_Told", *, change: "_Changed") -> Iterator[str]:
    yield f"  with memory     {_side(one.with_memory, told)}"
    yield f"  without it      {_side(one.without, told)}"
    yield from block(_conclusion(one, change), indent="  ")


def _side(side: "Side", told: "_Told") -> str:
    if side.value is None:
        return dim("no session yet")
    between = f" ({told(side.low)} to {told(side.high)})" if side.low is not None and side.high is not None else ""
    never = f", {side.incomplete} never passed" if side.incomplete else ""
    return f"{told(side.value)}{between} in {many(side.sessions, 'session')}{never}"


def _conclusion(one: "Comparison", told: "_Changed") -> str:
    if one.change is None:
        return f"Too few sessions to compare.{_missing(one)}"
    sentence = f"With memory: {told(one.change)}."
    if one.change.is_clear:
        return f"{sentence} Memory {'helps' if one.change.value < 0 else 'hurts'}; chance alone would rarely do this."
    return f"{sentence} That may be chance: no difference can be told yet.{_missing(one)}"


def _missing(one: "Comparison") -> str:
    if not one.missing:
        return ""
    more = many(one.missing, "session more", plural="sessions more")
    return f" {more}, held back at the same rate, would show a difference of {one.planned:.0%} four times of five."


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _number(value: float) -> str:
    return f"{value:.1f}"


def _points(change: "Change") -> str:
    """Shares differ by points."""
    low, high = 100 * change.low, 100 * change.high
    return f"{100 * change.value:+.0f} points of 100 (between {low:+.0f} and {high:+.0f}, {_LEVEL})"


def _relative(change: "Change") -> str:
    return f"{change.value:+.0%} calls (between {change.low:+.0%} and {change.high:+.0%}, {_LEVEL})"
