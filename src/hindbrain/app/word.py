"""What an agent's own word about a memory is worth: as much as what it was seen to do, once in a session.

It changes no trust, opens no review and verifies nothing: a person does that.
"""

from hindbrain.app.admission import admitted, tidy
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.confidence import after_outcome
from hindbrain.core.model import Event, Memory, Pulse
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue
from hindbrain.ports import Changes, Reader, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    outcome: Outcome
    memory: Memory  # as it stands afterwards
    is_new: bool  # False: this session had said so already


def report(memory_id: str, effect: str, *, session: str, note: str = "", tools: Tools) -> Reported:
    """Keep an agent's word on whether a memory helped. The same word from the same session changes nothing."""
    if effect not in tuple(Effect):
        raise BadValue(f"there is no effect {effect!r:.40}", fix=f"use one of: {', '.join(Effect)}")
    if not session:
        raise BadValue("nobody knows which session says so", fix="name the session: it counts once")
    why, who = admitted(note, name="the note").text.strip(), tidy(session)
    wanted = show(memory_id, store=tools.store).id
    now = tools.clock.now()
    word_id = tools.chance.id("out", now)

    def work(tx: Transaction) -> Reported:
        memory = show(wanted, store=tx)
        word = Outcome(
            id=word_id,
            at=now,
            project=memory.project,
            memory_id=memory.id,
            effect=Effect(effect),
            how="agent",
            injection_id=word_id,  # an occasion of its own: it may be about what was asked for, not shown
            session=who,
            note=why,
        )
        said = tx.outcomes(word.project, memory_id=memory.id, session=who)
        if said and said[-1].effect is word.effect and said[-1].how == word.how:
            return Reported(outcome=said[-1], memory=memory, is_new=False)
        pulses = _pulses(word, memory, reader=tx, tools=tools)
        tx.apply(Changes(outcomes=(word,), pulses=pulses, events=(_event(word),)))
        return Reported(outcome=word, memory=show(wanted, store=tx), is_new=True)

    return tools.store.write(work)


def _pulses(word: Outcome, memory: Memory, *, reader: Reader, tools: Tools) -> tuple[Pulse, ...]:
    """A session counts once for each effect, whether it says so or was seen to."""
    said = reader.outcomes(word.project, memory_id=memory.id, session=word.session)
    if word.effect is Effect.UNKNOWN or any(one.effect is word.effect for one in said):
        return ()
    sure = after_outcome(memory.confidence, word.effect, by_person=False, growth=tools.settings.growth)
    return (Pulse(memory_id=memory.id, cited=1, confidence=sure),)


def _event(word: Outcome) -> Event:
    data = {"memory_id": word.memory_id, "effect": str(word.effect), "session": word.session}
    return Event(name="memory_reported", at=word.at, project=word.project, memory_id=word.memory_id, data=data)
