"""How we write memories into a prompt: a line each, with its id, what kind of claim it is, and how far to trust it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.core.model.actor import ActorType
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.moment import days_between
from hindbrain.core.recall.ask import Recalled
from hindbrain.core.recall.frame import inert, label
from hindbrain.core.recall.render.sections import Sections, more

_TRUST = {
    0: "trust 0, quarantined: do not rely on it",
    1: "trust 1, unverified: check before use",
    3: "trust 3, corroborated",
    4: "trust 4, a person agreed",
}
_LONGEST_NAME = 40  # characters of a persona or session
_NO_MARKS: Mapping[str, str] = {}
LEAST_LINE = 24  # characters of a reflex, its line end among them: the name of its file, if not all of it
_LONGEST_LINE = 240


def render_notes(
    items: Sequence[Recalled],
    *,
    now: datetime,
    left_out: int,
    marks: Mapping[str, str] = _NO_MARKS,
    longest: int = 0,
) -> Sections:
    """`- [id] type · trust · age · who — what`, best first.

    `marks` say by id what a reader must know before believing it; `longest` is how many characters of one memory
    are told, 0 for all.
    """
    rest = more(left_out)
    tail = f"{rest}\n" if rest else ""
    if not items:
        return Sections(tail=tail)
    lines = (_line(item.memory, now, mark=marks.get(item.id, ""), longest=longest) for item in items)
    return Sections(
        head="## What earlier sessions learned\n\n", notes="".join(f"{line}\n" for line in lines), tail=tail
    )


def render_index(items: Sequence[Recalled], *, left_out: int, longest: int = 0) -> Sections:
    """`- [id] what`: for what is always to be in sight, and must cost little."""
    if not items:
        return Sections()
    lines = (f"- [{_name(item.id)}] {_shortened(item.memory, longest)}\n" for item in items)
    rest = more(left_out)
    return Sections(head="## Always in mind here\n\n", notes="".join(lines), tail=f"{rest}\n" if rest else "")


def render_reflexes(items: Sequence[Recalled], *, left_out: int, room: int) -> Sections:
    """`- name: what`, a line for each file; all lines are cut so that they fit into `room` characters together."""
    if not items:
        return Sections()
    longest = max(LEAST_LINE, min(_LONGEST_LINE, room // len(items))) - 1
    lines = (f"- {_reflex(item.memory)}"[:longest].rstrip() + "\n" for item in items)
    rest = f"{left_out} more files; `hindbrain reflex` lists them.\n" if left_out else ""
    return Sections(head="## Reflexes of this project, one file each\n\n", notes="".join(lines), tail=rest)


def _reflex(memory: Memory) -> str:
    name = str(memory.body.get("path") or memory.id).removesuffix(".md")
    return inert(f"{name[:80]}: {memory.title}")


def _line(memory: Memory, now: datetime, *, mark: str, longest: int) -> str:
    trust = _TRUST.get(memory.trust, f"trust {memory.trust}")
    facts = (
        _name(memory.type),
        trust,
        _age(days_between(memory.learned_at, now)),
        _who(memory),
        *filter(None, (mark,)),
    )
    return f"- [{_name(memory.id)}] {' · '.join(facts)} — {_shortened(memory, longest)}"


def _shortened(memory: Memory, longest: int) -> str:
    claim = _claim(memory)
    if not longest or len(claim) <= longest:
        return claim
    cut = inert(claim[:longest].rstrip())  # again: half of something harmless may look like something else
    return f"{cut} … (`hindbrain show {_name(memory.id)}` has the rest)"


def _claim(memory: Memory) -> str:
    """The title only where it says something that the content does not begin with."""
    title, content = inert(memory.title), inert(memory.content)
    if not title or content.startswith(title.removesuffix("...").removesuffix("…").rstrip()):
        return content
    return f"**{label(memory.title)}**: {content}"


def _who(memory: Memory) -> str:
    actor = memory.provenance.actor
    who = actor.persona or "a person" if actor.type is ActorType.HUMAN else actor.voice
    session = memory.provenance.session
    return f"{_name(who)}, session {_name(session)}" if session else _name(who)


def _name(text: str) -> str:
    """Names come from outside as well."""
    return inert(text)[:_LONGEST_NAME]


def _age(days: float) -> str:
    if days < 1:
        return "today"
    for unit, length, most in (("day", 1, 60), ("month", 30, 720)):
        if days < most:
            return _count(int(days // length), unit)
    return _count(int(days // 365), "year")


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'} old"
