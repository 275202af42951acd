"""Which scars say the same thing again, and what of an old transcript is worth keeping at hand.

Two scars are the same one when they have the same error signature, or when they are alike enough. What was met three
times is worth a person's look; one look for each cluster, however it grows.
"""

import json
from collections.abc import Callable, Sequence

from hindbrain.core.hints import Any
from hindbrain.core.learning.suggest import rule_text
from hindbrain.core.model.memory import Memory
from hindbrain.core.value import dataclass

LEAST_TIMES = 3  # HB-140
ALIKE = 0.85  # F-30
OLD_DAYS = 14  # of a transcript
LONGEST = 400  # characters of one text in a compact transcript

_DEPTH = 40  # deeper than any client nests
_MOST_COMPARED = 1_000  # scars; more are compared by their signatures only

Alike = Callable[[Memory, Memory], float]  # 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    id: str  # of its oldest scar
    scars: tuple[Memory, ...]  # oldest first

    @property
    def times(self) -> int:
        """How often it was met: a scar that was said again counts each time."""
        return sum(scar.counters.evidence for scar in self.scars)

    @property
    def is_victory(self) -> bool:
        return self.scars[0].body.get("outcome") == "victory"

    @property
    def weightiest(self) -> Memory:
        return max(self.scars, key=lambda scar: (scar.importance, scar.learned_at, scar.id))


def clusters(scars: Sequence[Memory], alike: Alike) -> tuple[Cluster, ...]:
    """All scars, each in one cluster, those of the oldest scars first."""
    ordered = sorted(scars, key=lambda scar: (scar.learned_at, scar.id))
    leads = list(range(len(ordered)))

    def lead(at: int) -> int:
        while leads[at] != at:
            leads[at] = leads[leads[at]]
            at = leads[at]
        return at

    by_signature: dict[tuple[object, str], int] = {}
    for at, scar in enumerate(ordered):
        if scar.error_signature:
            first = by_signature.setdefault((scar.body.get("outcome"), scar.error_signature), at)
            leads[lead(at)] = lead(first)
    for at in range(len(ordered) if len(ordered) <= _MOST_COMPARED else 0):
        for other in range(at):
            if lead(at) != lead(other) and _is_same(ordered[at], ordered[other], alike=alike):
                leads[lead(at)] = lead(other)
    groups: dict[int, list[Memory]] = {}
    for at, scar in enumerate(ordered):
        groups.setdefault(lead(at), []).append(scar)
    found = (Cluster(id=group[0].id, scars=tuple(group)) for group in groups.values())
    return tuple(sorted(found, key=lambda one: (one.scars[0].learned_at, one.id)))


def draft(cluster: Cluster, words: str = "") -> str:
    """What a person is asked to weigh: the lesson, what somebody made of it, and every scar that it comes from."""
    best = cluster.weightiest
    lesson = str(best.body.get("check_added") or best.content).strip()
    kind = "went well" if cluster.is_victory else "went wrong"
    scars = "\n".join(f"- {scar.id}: {' '.join(scar.title.split())}" for scar in cluster.scars)
    made = f"\n\n{rule_text(words)}" if words.strip() else ""
    asked = f"This {kind} {cluster.times} times. Should it become a rule?"
    return f"{asked}\n\n> {_quoted(lesson)}{made}\n\n## Scars\n\n{scars}"


def compacted(text: str) -> str:
    """A transcript in the same form, with the middle of every long text left out; the same again when repeated."""
    return "\n".join(map(_shortened, text.split("\n")))


def _is_same(one: Memory, other: Memory, *, alike: Alike) -> bool:
    return one.body.get("outcome") == other.body.get("outcome") and alike(one, other) >= ALIKE


def _shortened(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    bare = line.rstrip("\r")
    try:
        short = json.dumps(_trimmed(json.loads(bare), 0), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        short = _cut(bare)
    return short + line[len(bare) :]


def _trimmed(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _cut(value)
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return {name: _trimmed(item, depth + 1) for name, item in value.items()}
    return [_trimmed(item, depth + 1) for item in value] if isinstance(value, list) else value


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    left = LONGEST // 2 - 30
    return f"{text[:left]} [… {len(text) - 2 * left} characters are in the archive …] {text[-left:]}"


def _quoted(text: str) -> str:
    return "\n> ".join(text[:2000].splitlines())
