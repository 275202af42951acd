"""When a model weighs a scar in place of the rules: once, and never one that a person has weighed."""

from collections.abc import Callable, Mapping

from hindbrain.app.consult import consult, said, writer
from hindbrain.app.revise import revised
from hindbrain.app.scar import scars
from hindbrain.app.tools import Tools
from hindbrain.core.learning.importance import BY_RULES, WEIGHED_BY, clamped
from hindbrain.core.learning.scars import lesson_of
from hindbrain.core.model import Actor, ActorType, Memory
from hindbrain.core.model.call import Completion, NoModel
from hindbrain.ports import Changes, Transaction

Tell = Callable[[int, int], None]  # so many more are done, of so many

USE = "importance"
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["importance", "reason"],
    "properties": {"importance": {"type": "integer"}, "reason": {"type": "string"}},
}
_MOST = 50  # scars that one run asks about
_PATIENCE = 3  # troubles after which the model is left alone until the next run
_LONGEST = 300  # characters of the reason that are kept
_BY = Actor(type=ActorType.AUTOMATE)


def weigh(project: str, *, tools: Tools, tell: Tell | None = None) -> tuple[Memory, ...]:
    """Ask the model about each scar that only rules have weighed; those that have another weight, or a reason, now.

    Without a model, or while it fails, scars keep the weight that the rules gave them.
    """
    waiting = [one for one in scars(project, store=tools.store) if one.body.get(WEIGHED_BY) == BY_RULES]
    done: list[Memory] = []
    troubles = 0
    for scar in waiting[:_MOST]:
        answer = consult(USE, _material(scar), tools=tools, schema=SCHEMA)
        if isinstance(answer, Completion):
            done += _kept(scar, answer, tools=tools)
            if tell is not None:
                tell(1, len(waiting))
        else:
            troubles += 1
            if _is_over(answer, troubles):
                break
    return tuple(done)


def _is_over(answer: NoModel, troubles: int) -> bool:
    return not answer.is_trouble or troubles >= _PATIENCE


def _material(scar: Memory) -> str:
    return (
        f"Kind: {scar.body.get('outcome')}\nWhat happened: {scar.title}\nLesson: {lesson_of(scar)}\n"
        f"Error: {scar.error_signature or 'none that is known'}\nSeen: {scar.counters.evidence} times\n"
        f"Rules would say: {scar.importance}\n"
    )


def _kept(scar: Memory, answer: Completion, *, tools: Tools) -> list[Memory]:
    data = answer.data if isinstance(answer.data, dict) else {}
    weight = data.get("importance")
    if not isinstance(weight, int) or isinstance(weight, bool):
        return []
    now = tools.clock.now()

    def work(tx: Transaction) -> list[Memory]:
        known = tx.memory(scar.id)
        if known is None or known.version != scar.version:
            return []  # it came back meanwhile, or a person was at it: the next run asks again
        why = said(answer, "reason")[:_LONGEST]
        body = {**known.body, WEIGHED_BY: writer(answer), "importance_why": why}
        better = revised(known, at=now, importance=clamped(weight), body=body)
        tx.apply(Changes(memories=(better,), by=_BY, change="weighed"))
        return [better]

    return tools.store.write(work)
