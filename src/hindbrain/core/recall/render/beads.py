"""How Beads tells a new session what is known: the five newest, cut short, and where to search for more."""

from collections.abc import Mapping, Sequence

from hindbrain.core.model.memory import Memory
from hindbrain.core.recall.ask import Recalled
from hindbrain.core.recall.frame import inert
from hindbrain.core.recall.render.sections import Sections

MOST = 5
HINT = 'hindbrain recall "keyword"'

_LONGEST = 100  # characters of content
_LONGEST_SOURCE = 40
_NO_MARKS: Mapping[str, str] = {}


def render_beads(
    items: Sequence[Recalled], *, total: int, left_out: int, hint: str = HINT, marks: Mapping[str, str] = _NO_MARKS
) -> Sections:
    """The newest `MOST` of `items` under a heading that counts all `total`; nothing when there are none.

    The count is never less than what is known to exist: `items` and the `left_out`. `marks` say by id what a reader
    must know before believing it.
    """
    if not items:
        return Sections()
    newest = sorted((item.memory for item in items), key=lambda m: (m.learned_at, m.id), reverse=True)
    entries = max(total, len(items) + left_out)
    return Sections(
        head=f"## Recent Knowledge ({entries} entries)\n\n",
        notes="".join(f"{_line(memory, marks.get(memory.id, ''))}\n" for memory in newest[:MOST]),
        tail=f"\n  Search: {hint}\n",
    )


def _line(memory: Memory, mark: str) -> str:
    line = f"  [{inert(memory.type).upper()[:5]}] {inert(memory.content)[:_LONGEST]}  ({_source(memory)})"
    return f"{line}  ({mark})" if mark else line


def _source(memory: Memory) -> str:
    """`supervisor` or `orchestrator` where Beads itself wrote it down, else whoever said it."""
    told = memory.body.get("beads_source")
    name = told if isinstance(told, str) and told else memory.persona or memory.provenance.actor.persona
    return inert(name)[:_LONGEST_SOURCE] or "orchestrator"
