"""How a person sees on the command line which models are asked, tries one, and is told what they cost."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.call import Completion, NoModel
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import block, bold, dim, line, many, style, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import Day
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.models import Costs
    from hindbrain.core.model.call import Route

_SAMPLE = "Agents that clone the repository must run `make hooks` once, or the formatter never runs."


def _routing(call: Call) -> int:
    with call.open() as hindbrain:
        routes, warnings = hindbrain.routes()
    record = {"routes": plain(routes), "warnings": list(warnings)}
    call.tell(lambda: record, _route_lines(routes, warnings))
    return 0 if not warnings and all(route.has_key for route in routes) else 1


@command(name="ai", examples="hindbrain ai\nhindbrain ai cost --since 2026-01-01\nhindbrain ai test suggest")
def _shown(call: Call) -> int:
    """Show which model answers what, what it cost, and try it.

    Without more, the same as `ai routing`.
    """
    return _routing(call)


@command(name="routing", examples="hindbrain ai routing\nhindbrain ai routing --json")
def _checked(call: Call) -> int:
    """Check routing.yaml: which model answers which use.

    Says of each whether its key was found, and never the key. Exits with 1 when something is wrong. No model is called.
    """
    return _routing(call)


@command(name="cost", examples="hindbrain ai cost\nhindbrain ai cost --since 2026-01-01 --json")
@option("--since", type=Day(is_end=False), metavar="DATE", help="Only calls since DATE.")
def _cost(call: Call, since: datetime | None) -> None:
    """Tell what models were asked for, and what it cost.

    Over all projects, by use and model, in the money of routing.yaml's prices.
    """
    with call.open() as hindbrain:
        found = hindbrain.model_costs(since=since)
    call.tell(lambda: plain(found), _cost_lines(found))


@command(
    name="test", examples='hindbrain ai test suggest\nhindbrain ai test importance --text "never force-push to main"'
)
@argument("use", metavar="USE")
@option("--text", default=_SAMPLE, metavar="TEXT", help="What the model is to say a sentence about.")
def _tested(call: Call, use: str, text: str) -> None:
    """Ask the model of one use a small question.

    It is a real call: it costs what it costs, and is recorded. For `embed` the worker is what asks.
    """
    with call.open() as hindbrain:
        if use == "embed":
            record, lines = _embedded(text)
        else:
            answer = hindbrain.ask_model(use, text, prompt="test")
            record, lines = plain(answer), list(_answer_lines(answer, use))
    call.tell(lambda: record, lines)


def _embedded(text: str) -> tuple[dict[str, object], list[str]]:
    from hindbrain.settings import load
    from hindbrain.wiring import open_tools

    tools = open_tools(load())
    try:
        if tools.embedder is None:
            return plain(NoModel(why="meaning is switched off")), ["Meaning is switched off."]
        (point,) = tools.embedder.embed([text])
        space = tools.embedder.space.name
    finally:
        tools.store.close()
    return {"space": space, "dimension": len(point)}, [f"{bold(line(space))} gave {len(point)} numbers."]


ai = family(_shown, _checked, _cost, _tested)


def _route_lines(routes: "Sequence[Route]", warnings: Sequence[str]) -> Iterator[str]:
    rows = [[route.use, route.provider, route.model, _key(route)] for route in routes]
    yield from table(["USE", "PROVIDER", "MODEL", "KEY"], rows, styles={0: bold})
    doubts = [*warnings, *(doubt for route in routes for doubt in route.warnings)]
    if doubts:
        yield ""
    for doubt in doubts:
        yield from block(f"{style('warning:', fg='yellow')} {line(doubt)}")
    yield ""
    yield dim("Uses that go by `rules` need no model. routing.yaml in the home says who answers what.")


def _key(route: "Route") -> str:
    if not route.key:
        return "none needed"
    return f"{route.key}, found" if route.has_key else f"{route.key} is not set"


def _cost_lines(found: "Costs") -> Iterator[str]:
    if not found.lines:
        yield "No model was asked anything."
        return
    rows = [
        [
            *(one.use, f"{one.provider} {one.model}".strip(), f"{one.calls:,}", f"{one.failed:,}"),
            *(f"{one.tokens_in:,}", f"{one.tokens_out:,}", f"{one.cost:.4f}", f"{one.duration_s:,.1f}"),
        ]
        for one in found.lines
    ]
    yield from table(["USE", "MODEL", "CALLS", "FAILED", "TOKENS IN", "OUT", "COST", "SECONDS"], rows, styles={0: bold})
    yield ""
    limit = f" of {found.budget:g}" if found.budget else ", without a limit"
    yield dim(f"{many(found.calls, 'call')}, {found.cost:.4f} in all; {found.today:.4f} today{limit}")


def _answer_lines(answer: Completion | NoModel, use: str) -> Iterator[str]:
    if isinstance(answer, NoModel):
        yield f"{bold(line(use))} goes by rules: {line(answer.why)}."
        return
    yield from block(answer.text)
    yield dim(
        f"{answer.provider} {answer.model}, prompt {answer.prompt} version {answer.prompt_version}, {answer.call_id}"
    )
