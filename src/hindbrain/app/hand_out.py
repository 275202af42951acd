"""What a project's memories look like in the files of another system."""

from collections.abc import Mapping, Sequence

from hindbrain.app.adopt import called
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, State
from hindbrain.core.model.foreign import View
from hindbrain.core.naming import NAMED, names
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Dialect, Reader, Where

_SHOWN = frozenset({State.LIVE, State.SUPERSEDED, State.ARCHIVED})  # what waits for a person is nobody else's yet


def hand_out(
    *,
    dialect: Dialect,
    project: str,
    name: str,
    tools: Tools,
    present: Mapping[str, bytes],
    has_scripts: bool = False,
) -> Mapping[str, bytes]:
    """The files, by their paths in a project. The same memories over the same files always give the same bytes."""
    view = view_of(project, name=name, dialect=dialect.name, tools=tools)
    return dialect.write(replace(view, present=present, has_scripts=has_scripts))


def view_of(project: str, *, name: str, dialect: str, tools: Tools) -> View:
    where = Where(project=project, with_everywhere=False, states=_SHOWN)
    memories = sorted(tools.store.select(where), key=lambda memory: (memory.learned_at, memory.id))
    known = {memory.id for memory in memories}
    links = {link for memory in memories for link in tools.store.links(memory.id)}
    return View(
        project=name,
        memories=memories,
        links=sorted(
            (link for link in links if {link.source, link.target} <= known),
            key=lambda link: (link.source, link.target, link.relation),
        ),
        at=max((memory.updated_at for memory in memories), default=tools.clock.now()),
        ids=names_of(project, memories, dialect=dialect, tools=tools),
        papers=tools.store.papers(project),
    )


def names_of(project: str, memories: Sequence[Memory], *, dialect: str, tools: Tools) -> Mapping[str, str]:
    """What the other system calls each memory. A name that we give is kept, so that it means the same ever after."""
    known = _foreign_ids(project, dialect=dialect, reader=tools.store)
    if dialect not in NAMED:
        return known
    start = called(project, dialect, name="")
    given = {memory: name.removeprefix(start) for name, memory in tools.store.cursors(start).items()}
    found = names(memories, known | given)
    fresh = {called(project, dialect, name=name): memory for memory, name in found.items() if given.get(memory) != name}
    fresh = {name: memory for name, memory in fresh.items() if known.get(memory) != name.removeprefix(start)}
    if fresh:
        tools.store.write(lambda tx: tx.apply(Changes(cursors=fresh)))
    return found


def _foreign_ids(project: str, *, dialect: str, reader: Reader) -> dict[str, str]:
    """What the other system calls the memories that came from it: the first name counts."""
    receipts = reversed(reader.receipts(project))
    return {r.memory_id: r.ref for r in receipts if r.memory_id and r.ref and r.adapter == dialect}
