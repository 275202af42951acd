"""How an answer reads for a model that is shown text: one fenced block of data, then what to do next."""

import secrets
from collections.abc import Iterable, Mapping, Sequence

from hindbrain.app.before import summary
from hindbrain.core.model import Memory
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.outcome import Standing
from hindbrain.core.recall import Recalled
from hindbrain.core.recall.frame import fenced, inert, label
from hindbrain.entry.mcp.answers import Hit, Note

_LINE = 160  # characters of a memory in an index
_TRUST = {
    1: "unverified: check before use",
    2: "an agent's own words",
    3: "corroborated by independent sessions",
    4: "a person agreed",
}
_DOUBTS = {"suspect": "the code it speaks of changed since", "gone": "what it names is not there any more"}


def block(lines: Iterable[str], *, then: str = "") -> str:
    """`lines`, which must be inert, as data; `then` are words of our own."""
    body = "\n".join(lines)
    told = fenced(body, fence=secrets.token_hex(16)) if body else ""
    return "\n".join(part for part in (told, then) if part)


def hits(found: Sequence[Recalled], standings: Mapping[str, Standing]) -> list[Hit]:
    return [_hit(one, standings.get(one.id)) for one in found]


def hit_line(hit: Hit) -> str:
    doubt = f" · {hit.doubt}" if hit.doubt else ""
    is_said = hit.line.startswith(hit.title.removesuffix("...").removesuffix("…").rstrip())
    return f"- [{hit.id}] {hit.type} · score {hit.score:.2f}{doubt} — {'' if is_said else f'{hit.title}: '}{hit.line}"


def note(memory: Memory, standing: Standing | None) -> Note:
    fared = standing or Standing()
    return Note(
        id=memory.id,
        title=label(memory.title),
        type=inert(memory.type),
        kind=str(memory.kind),
        content=inert(memory.content),
        files=[inert(path) for path in memory.file_refs],
        tags=[inert(tag) for tag in memory.tags],
        learned_at=stamp(memory.learned_at),
        trust=_TRUST.get(memory.trust, "not to be relied on"),
        confidence=memory.confidence,
        helped=fared.helped,
        hurt=fared.hurt,
        replaced_by=memory.superseded_by or "",
        doubt=_doubt(memory, standing),
    )


def note_lines(one: Note) -> list[str]:
    facts = [one.type, one.trust, f"learned {one.learned_at}", f"helped {one.helped}", f"hurt {one.hurt}"]
    facts += [one.doubt] if one.doubt else []
    facts += [f"replaced by {one.replaced_by}"] if one.replaced_by else []
    lines = [f"- [{one.id}] {' · '.join(facts)}", f"  {one.content}"]
    return [*lines, f"  files: {', '.join(one.files)}"] if one.files else lines


def brief(one: Recalled) -> str:
    """A memory in a line, with the id by which more can be read."""
    return f"[{one.id}] {inert(summary(one.memory))}"


def shortened(text: str, *, most: int = _LINE) -> str:
    line = inert(text)
    if len(line) <= most:
        return line
    return f"{inert(line[:most].rstrip())} …"  # again: half of something harmless may look like something else


def _hit(one: Recalled, standing: Standing | None) -> Hit:
    return Hit(
        id=one.id,
        title=label(one.title),
        type=inert(one.memory.type),
        score=round(one.score.total, 3),
        line=shortened(one.content),
        doubt=_doubt(one.memory, standing),
    )


def _doubt(memory: Memory, standing: Standing | None) -> str:
    doubts = [_TRUST[1]] if memory.trust == 1 else []
    doubts += [_DOUBTS[standing.freshness]] if standing and standing.freshness in _DOUBTS else []
    return "; ".join(doubts)
