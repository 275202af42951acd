"""What a person's yes or no about a memory does, beyond being counted.

Helped: it is confirmed and verified as of now. Hurt: it is believed less, and waits for a decision. Neither touches
trust, which says where a memory came from: releasing it in a review does that.
"""

from hindbrain.app.admission import admitted, tidy
from hindbrain.app.revise import revised
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.confidence import after_outcome
from hindbrain.core.model import Actor, ActorType, Event, Memory, Pulse, Review, ReviewKind, State
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Reader, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    outcome: Outcome
    memory: Memory  # as it stands afterwards
    review_id: str = ""  # of the review that this opened


def verdict(memory_id: str, effect: str, *, note: str = "", by: str = "", tools: Tools) -> Heard:
    """Keep a person's word. Who changes their mind is counted with the last word, once."""
    if effect not in tuple(Effect):
        raise BadValue(f"there is no verdict {effect!r:.40}", fix=f"use one of: {', '.join(Effect)}")
    why, person = admitted(note, name="the note").text.strip(), tidy(by)
    wanted = show(memory_id, store=tools.store).id
    now = tools.clock.now()
    word_id = tools.chance.id("out", now)
    review_id = tools.chance.id("rev", now)

    def work(tx: Transaction) -> Heard:
        memory = show(wanted, store=tx)
        word = Outcome(
            id=word_id,
            at=now,
            project=memory.project,
            memory_id=memory.id,
            effect=Effect(effect),
            how="person",
            injection_id=word_id,  # an occasion of its own, or a change of mind would count as a repetition
            session=f"person:{person}",
            note=why,
        )
        reviews = _reviews(word, memory, reader=tx, review_id=review_id)
        pulses = _pulses(word, memory, reader=tx, tools=tools)
        tx.apply(Changes(outcomes=(word,), pulses=pulses, reviews=reviews, events=(_event(word),)))
        if word.effect is Effect.HELPED:
            verified = revised(show(wanted, store=tx), at=now, verified_at=now)
            tx.apply(Changes(memories=(verified,), by=Actor(type=ActorType.HUMAN, persona=person), change="verified"))
        return Heard(outcome=word, memory=show(wanted, store=tx), review_id=reviews[0].id if reviews else "")

    return tools.store.write(work)


def _event(word: Outcome) -> Event:
    data = {"memory_id": word.memory_id, "effect": str(word.effect)}
    return Event(name="memory_judged", at=word.at, project=word.project, memory_id=word.memory_id, data=data)


def _pulses(word: Outcome, memory: Memory, *, reader: Reader, tools: Tools) -> tuple[Pulse, ...]:
    """Saying the same twice is no more than saying it once."""
    said = reader.outcomes(word.project, memory_id=word.memory_id, session=word.session)
    if word.effect is Effect.UNKNOWN or (said and said[-1].effect is word.effect):
        return ()
    sure = after_outcome(memory.confidence, word.effect, by_person=True, growth=tools.settings.growth)
    return (Pulse(memory_id=memory.id, confirmed=int(word.effect is Effect.HELPED), confidence=sure),)


def _reviews(word: Outcome, memory: Memory, *, reader: Reader, review_id: str) -> tuple[Review, ...]:
    """Harm waits for a decision, once; what no agent sees any more does not."""
    if word.effect is not Effect.HURT or memory.state is not State.LIVE:
        return ()
    if reader.reviews(memory.project, about=(memory.id,)):
        return ()
    reason = f"a person says that it hurt: {word.note}" if word.note else "a person says that it hurt"
    kind = ReviewKind.CONTRADICTION  # no other memory, but a person
    review = Review(
        id=review_id, project=memory.project, kind=kind, memory_id=memory.id, reason=reason, opened_at=word.at
    )
    return (review,)
