"""Which words a skill is proposed in where a model helps: its name, and when to use it.

The steps stay those that were seen: a model that adds one would teach what nobody has tried.
"""

from collections.abc import Iterator, Mapping

from hindbrain.app.consult import consult, said, writer
from hindbrain.app.skills import MADE_BY, reworded, skills
from hindbrain.app.tools import Tools
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.learning.suggest import rule_text
from hindbrain.core.model import Actor, ActorType, Memory
from hindbrain.core.model.call import Completion, NoModel
from hindbrain.core.skills import Skill, read
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Transaction

USE = "skill"
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["name", "purpose", "when"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "purpose": {"type": "string", "minLength": 1},
        "when": {"type": "string"},
    },
}
_MOST = 20  # skills that one run asks about
_LONGEST_NAME = 80
_PATIENCE = 3  # troubles after which the model is left alone until the next run
_BY = Actor(type=ActorType.AUTOMATE)


def phrase(tools: Tools) -> tuple[Memory, ...]:
    """Let a model name each proposed skill that rules have named, in every project; those that it named."""
    done: list[Memory] = []
    troubles = 0
    for memory in _waiting(tools):
        answer = consult(USE, _material(memory), tools=tools, schema=SCHEMA)
        if isinstance(answer, NoModel):
            troubles += 1
            if not answer.is_trouble or troubles >= _PATIENCE:
                break
        elif better := _better(read(memory.body), answer):
            done += _kept(memory, better, answer=answer, tools=tools)
    return tuple(done)


def _waiting(tools: Tools) -> list[Memory]:
    found: Iterator[Memory] = (
        memory for project in tools.store.projects() for memory in skills(project.id, tools=tools)
    )
    return [memory for memory in found if memory.body.get(MADE_BY) == BY_RULES and memory.trust < _AGREED][:_MOST]


_AGREED = 3  # trust from which on a person, or several, stand behind it


def _material(memory: Memory) -> str:
    tasks = memory.body.get("tasks")
    seen = f"\n\nSeen in the tasks: {', '.join(map(str, tasks[:10]))}" if isinstance(tasks, list) else ""
    return f"{memory.content}{seen}"


def _better(skill: Skill, answer: Completion) -> Skill | None:
    name, purpose = rule_text(said(answer, "name"))[:_LONGEST_NAME].strip(), rule_text(said(answer, "purpose"))
    if not name or not purpose:
        return None
    return replace(skill, title=name, description=f"{purpose} {rule_text(said(answer, 'when'))}".strip())


def _kept(memory: Memory, skill: Skill, *, answer: Completion, tools: Tools) -> list[Memory]:
    better = reworded(memory, skill, made_by=writer(answer), tools=tools)

    def work(tx: Transaction) -> list[Memory]:
        known = tx.memory(memory.id)
        if known is None or known.version != memory.version:
            return []  # a person was faster, or it was seen again: the next run asks
        tx.apply(Changes(memories=(better,), by=_BY, change="worded"))
        return [better]

    return tools.store.write(work)
