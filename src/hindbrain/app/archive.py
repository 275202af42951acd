"""What it means to delete: out of every recall and prompt, but kept with the reason, so that it can come back."""

from datetime import datetime

from hindbrain.app.admission import admitted
from hindbrain.app.revise import refuse_changed, revised
from hindbrain.app.settle import settled
from hindbrain.app.show import show
from hindbrain.core.hints import Any
from hindbrain.core.model import Actor, ActorType, Event, Memory, Review, ReviewKind, State
from hindbrain.core.value import replace
from hindbrain.errors import Conflict
from hindbrain.ports import Changes, Clock, Reader, Store, Transaction

_PERSON = Actor(type=ActorType.HUMAN)


def delete(
    memory_id: str, *, reason: str = "deleted", store: Store, clock: Clock, version: int | None = None
) -> Memory:
    """Archive by a person's hand; open reviews about the memory are closed with it."""
    why = admitted(reason, name="the reason").text.strip() or "deleted"
    wanted = show(memory_id, store=store).id
    now = clock.now()

    def work(tx: Transaction) -> Memory:
        memory = show(wanted, store=tx)
        refuse_changed(memory, version)
        if memory.state is State.ARCHIVED:
            raise Conflict(
                f"{memory.id} is archived already: {memory.archive_reason}",
                fix=f"`hindbrain restore {memory.id}` brings it back, `hindbrain forget {memory.id} --hard` erases it",
            )
        gone = revised(memory, at=now, archived_at=now, archive_reason=why)
        event = _event("memory_deleted", gone, at=now, reason=why)
        reviews = settled(memory, tx, decision="deleted", at=now)
        tx.apply(Changes(memories=(gone,), reviews=reviews, events=(event,), by=_PERSON, change="deleted"))
        return gone

    return store.write(work)


def restore(memory_id: str, *, store: Store, clock: Clock) -> Memory:
    """Undo the archival; of a memory that is not archived, the supersession.

    What was archived out of quarantine goes back there, and waits for a person again.
    """
    wanted = show(memory_id, store=store).id
    now = clock.now()

    def work(tx: Transaction) -> Memory:
        memory = show(wanted, store=tx)
        match memory.state:
            case State.ARCHIVED:
                # A person has said that it is wanted: the next cleanup must not put it away again.
                counters = replace(memory.counters, confirmed=memory.counters.confirmed + 1)
                back = revised(memory, at=now, archived_at=None, archive_reason="", counters=counters)
            case State.SUPERSEDED:
                back = revised(memory, at=now, superseded_by=None, superseded_at=None)
            case _:
                raise Conflict(
                    f"nothing to restore: {memory.id} is {memory.state}",
                    fix="`hindbrain list --all` shows what is archived or superseded",
                )
        refuse_twin(back, tx)
        event = _event("memory_restored", back, at=now)
        reviews = reopened(back, tx)
        tx.apply(Changes(memories=(back,), reviews=reviews, events=(event,), by=_PERSON, change="restored"))
        return back

    return store.write(work)


def refuse_twin(back: Memory, reader: Reader) -> None:
    """Conflict when the text that would come back is kept by another memory already."""
    if (twin := reader.same_text(back)) and twin.id != back.id:
        raise Conflict(
            f"the same text is kept as {twin.id}", fix=f"`hindbrain delete {twin.id}` first, or leave it there"
        )


def reopened(memory: Memory, reader: Reader) -> tuple[Review, ...]:
    """The last question about a memory that is in quarantine again; without it nobody could release it."""
    if memory.state is not State.QUARANTINED:
        return ()
    about = [
        review
        for review in reader.reviews(memory.project, with_closed=True, about=(memory.id,))
        if review.kind is ReviewKind.QUARANTINE and review.memory_id == memory.id
    ]
    return tuple(replace(review, closed_at=None, decision="", decided_by="") for review in about[-1:])


def _event(name: str, memory: Memory, *, at: datetime, **more: Any) -> Event:
    data = {"memory_id": memory.id, **more}
    return Event(name=name, at=at, project=memory.project, memory_id=memory.id, data=data)
