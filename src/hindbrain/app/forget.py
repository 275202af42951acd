"""When a memory counts as forgotten: only after the files were searched and its text was not found."""

from collections.abc import Iterator, Sequence

from hindbrain.core.model import Memory, State
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.value import dataclass
from hindbrain.errors import NotErased, UnknownMemory
from hindbrain.ports import Clock, Reader, Spool, Store, Where

_HEAD = 200  # characters that a store is asked for; the rest is compared here
_TELLING = 12  # characters; a shorter title ("Use tabs") is borne by others by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    memory_id: str
    rows: int
    backups: tuple[str, ...]  # that were cleaned as well


def forget(memory_id: str, *, store: Store, clock: Clock, spool: Spool | None = None) -> Forgotten:
    """Erase a memory for good. NotErased when a file still holds its text, and who else holds it.

    Only a whole id is taken: nothing can bring back a memory that was erased by mistake. What hooks have left must be
    taken up first: it would come back from there.
    """
    if store.memory(memory_id) is None:
        raise UnknownMemory(
            f"there is no memory {memory_id}", fix="give the whole id; `hindbrain list --all` shows the ids"
        )
    texts = texts_of(memory_id, store)
    refuse_waiting(texts, what=memory_id, store=store, spool=spool)
    erased = store.erase(memory_id, at=clock.now())
    if erased.found_in:
        raise NotErased(
            f"{memory_id} is erased, but its text still stands in {', '.join(erased.found_in)}",
            fix=_fix(texts, store),
        )
    return Forgotten(memory_id=memory_id, rows=erased.rows, backups=erased.backups)


def refuse_waiting(texts: frozenset[str], *, what: str, store: Reader, spool: Spool | None) -> None:
    """Drop what was kept of these texts beside the store; NotErased while hooks' records that wait hold one, or
    something that was promised and is not kept yet."""
    telling = [text for text in texts if len(text) >= _TELLING]
    waiting = [f"what hooks left in {path}" for path in (spool.forget(telling) if spool else ())]
    promised = store.jobs(states=(JobState.QUEUED, JobState.RUNNING), kind="add")
    waiting += [f"what was promised as {job.payload['id']}" for job in promised if _holds(job, telling)]
    if waiting:
        raise NotErased(
            f"nothing was erased: {', '.join(waiting)} holds the text of {what}, too",
            fix="`hindbrain worker --once` takes it up; then forget it again",
        )


def _holds(job: Job, texts: Sequence[str]) -> bool:
    told = job.payload.get("text")
    said = [str(value) for value in told.values()] if isinstance(told, dict) else []
    return any(text in one for text in texts for one in said)


def texts_of(memory_id: str, reader: Reader) -> frozenset[str]:
    """Every text the memory ever had; of a title that was cut, what stands before the dots."""
    versions = [version.memory for version in reader.history(memory_id)]
    titles = (memory.title.removesuffix("...") for memory in versions)
    return frozenset({*(memory.content for memory in versions), *(t for t in titles if len(t) >= _TELLING)})


def _fix(texts: frozenset[str], reader: Reader) -> str:
    others = sorted({memory.id for memory in _holders(texts, reader)})
    if others:
        return f"other memories hold the same text; edit or forget them as well: {', '.join(others)}"
    return (
        "no memory holds the whole text; `hindbrain search` some of its words with --all, edit or forget what it finds"
    )


def _holders(texts: frozenset[str], reader: Reader) -> Iterator[Memory]:
    for project in reader.projects():
        for text in texts:
            where = Where(project=project.id, states=frozenset(State), with_everywhere=False, containing=text[:_HEAD])
            found = reader.select(where)
            yield from (memory for memory in found if text in memory.content or text in memory.title)
