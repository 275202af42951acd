"""What a person may decide about a memory that waits for one, and what each decision does."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from hindbrain.app.admission import admitted
from hindbrain.app.revise import revised
from hindbrain.app.settle import settled
from hindbrain.app.show import show
from hindbrain.core.hints import NoReturn
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Link,
    Memory,
    Relation,
    Review,
    ReviewKind,
    State,
)
from hindbrain.core.trust import HUMAN
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict, UnknownMemory
from hindbrain.ports import Changes, Clock, Reader, Store, Transaction

_OUTCOMES: Mapping[ReviewKind, Mapping[str, str]] = {
    ReviewKind.QUARANTINE: {"release": "released", "refuse": "refused"},
    ReviewKind.CONTRADICTION: {"supersede": "superseded", "keep": "kept both", "refuse": "refused"},
}
_BY_PERSON = {"keep": "kept", "refuse": "refused"}  # a person contradicts it, no other memory


def decide(review_id: str, decision: str, *, by: str = "", store: Store, clock: Clock) -> Review:
    """Close a review and do what was decided. The id of a memory will do when one open review is about it."""
    person = admitted(by, name="the name").text.strip()
    wanted = _wanted(review_id, store)
    now = clock.now()

    def work(tx: Transaction) -> Review:
        review = tx.review(wanted) or _unknown(review_id)
        outcomes = _possible(review)
        if review.closed_at is not None:
            raise Conflict(
                f"{review.id} was decided already: {review.decision}", fix="`hindbrain review` shows what still waits"
            )
        if decision not in outcomes:
            raise BadValue(f"a {review.kind} cannot be decided by {decision!r}", fix=f"use: {', '.join(outcomes)}")
        closed = replace(review, closed_at=now, decision=outcomes[decision], decided_by=person)
        tx.apply(Changes(reviews=(closed,)))
        case = _Case(review=closed, tx=tx, now=now)
        for changes in case.effects(decision):
            tx.apply(replace(changes, by=Actor(type=ActorType.HUMAN, persona=person)))
        return closed

    return store.write(work)


def _possible(review: Review) -> Mapping[str, str]:
    is_by_person = review.kind is ReviewKind.CONTRADICTION and review.other_id is None
    return _BY_PERSON if is_by_person else _OUTCOMES[review.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A review that a person has decided, and the store in which that takes effect."""

    review: Review
    tx: Transaction
    now: datetime

    def effects(self, decision: str) -> Iterator[Changes]:
        memory = show(self.review.memory_id, store=self.tx)
        match decision:
            case "release":
                yield from self._released(memory)
            case "refuse":
                yield from self._refused(memory)
            case "keep":
                yield from self._revived(memory)
            case "supersede":
                yield from self._superseded(memory)

    def _released(self, memory: Memory) -> Iterator[Changes]:
        if memory.trust < HUMAN:
            event = self._event("memory_released", memory, data={"memory_id": memory.id})
            yield Changes(memories=(revised(memory, at=self.now, trust=HUMAN),), events=(event,), change="released")

    def _refused(self, memory: Memory) -> Iterator[Changes]:
        """What was replaced or archived meanwhile is out of sight already."""
        if memory.state in (State.LIVE, State.QUARANTINED):
            gone = revised(memory, at=self.now, archived_at=self.now, archive_reason="refused")
            event = self._event("memory_archived", memory, data={"memory_id": memory.id, "reason": "refused"})
            others = settled(memory, self.tx, decision="refused", at=self.now)
            yield Changes(memories=(gone,), reviews=others, events=(event,), change="refused")

    def _revived(self, memory: Memory) -> Iterator[Changes]:
        """A memory that was said again after the other one had replaced it stands again."""
        if memory.state is State.SUPERSEDED and memory.superseded_by == self.review.other_id:
            back = revised(memory, at=self.now, superseded_by=None, superseded_at=None)
            event = self._event("memory_restored", memory, data={"memory_id": memory.id})
            yield Changes(memories=(back,), events=(event,), change="restored")

    def _superseded(self, memory: Memory) -> Iterator[Changes]:
        if memory.state in (State.QUARANTINED, State.ARCHIVED):
            raise Conflict(
                f"{memory.id} is {memory.state}, so it can replace nothing",
                fix=f"release or restore {memory.id} first, or decide to keep both",
            )
        yield from self._revived(memory)
        other = show(self.review.other_id or "", store=self.tx)
        if other.state is State.LIVE:
            reason = "a person decided so"
            gone = revised(other, at=self.now, superseded_by=memory.id, superseded_at=self.now)
            data = {"oldHash": other.chorus_hash, "newHash": memory.chorus_hash, "reason": reason}
            link = Link(source=memory.id, target=other.id, relation=Relation.SUPERSEDES, at=self.now, reason=reason)
            event = self._event("learning_superseded", other, data=data)
            yield Changes(memories=(gone,), links=(link,), events=(event,), change="superseded")

    def _event(self, name: str, memory: Memory, *, data: Mapping[str, object]) -> Event:
        return Event(name=name, at=self.now, project=memory.project, memory_id=memory.id, data=data)


def _wanted(given: str, store: Reader) -> str:
    """The id of the review that is meant by the id of a review or of a memory."""
    if review := store.review(given):
        return review.id
    try:
        memory = show(given, store=store)
    except UnknownMemory:
        _unknown(given)
    about = [review.id for review in store.reviews(memory.project, about=(memory.id,))]
    if len(about) == 1:
        return about[0]
    raise Conflict(
        f"{len(about) or 'no'} open reviews are about {memory.id}",
        fix=f"name one of them: {', '.join(about)}" if about else "`hindbrain review` shows what waits",
    )


def _unknown(given: str) -> NoReturn:
    raise UnknownMemory(f"there is no review {given}", fix="`hindbrain review` shows what waits, with the ids")
