"""How a question is asked on the command line, and what its answer looks like."""

from collections.abc import Iterator, Sequence
from itertools import chain

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.entry.cli import options, output
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.cards import misspelled, recalled_card, search_lines
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import Misuse, argument, command, option
from hindbrain.facade import How

if TYPE_CHECKING:
    from hindbrain.app.recall import Found
    from hindbrain.core.model import Memory

_RECENT = 10
_SHOWN_QUERY = 200  # characters


@command(
    examples="""
hindbrain recall "redis lock timeout"
hindbrain recall --path src/jobs/lock.py --why
hindbrain recall --recent 5 --type learned
hindbrain recall "lock expires" --scope cicatrices --scope victoires
hindbrain recall "rate limit" --limit 3 --json
"""
)
@argument("query", required=False, default="", metavar="[QUERY]")
@options.limit(type=Whole(1, options.MOST), default=10, show_default=True, help="Most memories to print.")
@options.strategy
@options.paths
@option("--hat", default="", metavar="H", help="The role of the one who asks.")
@option("--persona", default="", metavar="P", help="Shared memories and this persona's own.")
@options.types
@options.scopes
@option(
    "--recent",
    is_flag=False,
    flag_value=str(_RECENT),
    type=Whole(1, options.MOST),
    metavar="[N]",
    help=f"The latest N memories, newest first.  [default: {_RECENT}]",
)
@option("--stats", is_flag=True, help="Count instead: memories, keys, types.")
@option("--all", "with_all", is_flag=True, help="Also superseded and archived ones.")
@options.as_of
@option("--index", "is_index", is_flag=True, help="One line a memory with its tokens; `show ID...` gives the rest.")
@option("--why", is_flag=True, help="Show every part of every score, what the gate says, and how it was searched.")
def recall(
    call: Call, query: str, recent: int | None, stats: bool, why: bool, is_index: bool, **how: Unpack[How]
) -> None:
    """Find what past sessions learned about QUERY, best first.

    QUERY is plain words: a question, an error message, the name of a function. Nothing in it is a syntax
    error. With --path, what is known about a file comes too, or alone.
    """
    if stats:
        _tell_counts(call)
        return
    _settle(query, how, recent=recent)
    if is_index:
        _tell_index(call, query, **how)
        return
    with call.open() as hindbrain:
        found = hindbrain.recall(query, **given(how))
        is_new = not found.memories and not hindbrain.list(limit=1, with_all=True)
    lines = [_lines(found, has_reasons=why, option="--recent" if recent else "--limit")]
    if not found.memories:
        lines = [_nothing(query, how["types"], is_new=is_new)]
    if why:
        lines.append(search_lines(found, found.memories))
    call.note(found.notices if why else _notes(found))
    call.tell(lambda: _record(found), chain.from_iterable(lines))


def _settle(query: str, how: How, *, recent: int | None) -> None:
    """What --recent means for the rest; Misuse where nothing was asked."""
    if recent:
        how["limit"], how["strategy"] = recent, "recent"
    elif not (query.strip() or how["paths"]):
        raise Misuse("What should be recalled? Give a QUERY, a --path or --recent.")


def _tell_index(call: Call, query: str, **how: Unpack[How]) -> None:
    with call.open() as hindbrain:
        found = hindbrain.recall(query, **given(how))
    call.note(_notes(found))
    call.tell(lambda: _index_record(found), _index(found))


def _index(found: "Found") -> Iterator[str]:
    """One line a memory: enough to choose by, at a tenth of the cost."""
    rows = [[one.id, str(one.memory.kind), f"{_tokens(one.memory):,}", one.title] for one in found.memories]
    yield from output.table(["ID", "KIND", "TOKENS", "TITLE"], rows, styles={0: output.dim})
    if found.memories:
        yield ""
        yield output.dim("hindbrain show ID... prints them whole")


def _index_record(found: "Found") -> dict[str, object]:
    lines = [
        {
            "id": one.id,
            "kind": str(one.memory.kind),
            "type": one.memory.type,
            "tokens": _tokens(one.memory),
            "title": one.title,
            "score": one.score.total,
        }
        for one in found.memories
    ]
    return {"index": lines, "left_out": found.left_out}


def _tokens(memory: "Memory") -> int:
    from hindbrain.core.words import estimate_tokens

    return estimate_tokens(memory.content)


def _record(found: "Found") -> dict[str, object]:
    from hindbrain.entry.cli.records import found_record

    return found_record(found)


def _notes(found: "Found") -> Iterator[str]:
    """What changes how an answer is to be read; the best score is high however little the best bears on a question."""
    yield from found.notices
    yield from misspelled(found)
    gates = [one.gate for one in found.memories]
    if gates and not any(gate is None or gate.is_open for gate in gates):
        yield "nothing bears closely on this; here is what comes nearest"


def _lines(found: "Found", *, has_reasons: bool, option: str) -> Iterator[str]:
    for number, one in enumerate(found.memories, start=1):
        if number > 1:
            yield ""
        yield from recalled_card(number, one, has_reasons=has_reasons)
    if found.left_out:
        yield ""
        yield output.dim(f"{found.left_out:,} more; {option} shows them")


def _nothing(query: str, types: Sequence[str], *, is_new: bool) -> Iterator[str]:
    """The words of Beads, which scripts look for (BD-034, BD-038)."""
    if is_new:
        yield "No knowledge entries yet."
        yield "Agents add them with lines such as MEMORY:pitfall:…, you with `hindbrain add`."
        return
    yield (
        f"No knowledge entries matching '{output.line(query)[:_SHOWN_QUERY]}'"
        if query
        else "No knowledge entries matching"
    )
    if types:
        yield f"  (filtered by type: {', '.join(types)})"


def _tell_counts(call: Call) -> None:
    """What Beads counts (BD-036); `hindbrain stats` tells more."""
    with call.open() as hindbrain:
        stats = hindbrain.stats()
    counts = {
        "Active entries": stats.active,
        "Unique keys": stats.unique_keys,
        "Learned": stats.learned,
        "Investigation": stats.investigation,
        "Archived": stats.archived,
    }
    lines = ["## Knowledge Base Stats", *(f"  {f'{name}:':<16}{count}" for name, count in counts.items())]
    call.tell(lambda: {name.lower().replace(" ", "_"): count for name, count in counts.items()}, lines)
