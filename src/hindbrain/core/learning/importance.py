"""How much a scar matters, from 0 to 10, by what it cost, how often it came back, and what was at stake (Q-02)."""

import re
from functools import cache

WEIGHED_BY = "importance_by"  # in the body of a scar: one of the two below, or the model and the version of its prompt
BY_PERSON, BY_RULES = "person", "rules"
USUAL = 5  # where nothing is known (HB-094)
_BASE = 4
_COSTS = ((15, 2), (5, 1))  # steps until it was put right
_RETURNS = ((5, 3), (3, 2), (2, 1))  # sessions in which it was seen
_CHECKED = 1  # a gate that stood in the way is no accident


def clamped(importance: float) -> int:
    """What a person or a model said, within the scale."""
    return max(0, min(10, round(importance)))


def importance(text: str, *, steps: int = 0, sessions: int = 1, is_gate: bool = False) -> int:
    """Of a failure that took `steps` to put right and was seen in so many sessions."""
    cost = next((points for least, points in _COSTS if steps >= least), 0)
    recurrence = next((points for least, points in _RETURNS if sessions >= least), 0)
    return clamped(_BASE + cost + recurrence + max(severity(text), _CHECKED if is_gate else 0))


def severity(text: str) -> int:
    """What the words say was at stake: 3 what cannot be had back, 2 what users see, 0 what nobody noticed."""
    head = text[:_READ]
    return 3 if _grave().search(head) else 2 if _public().search(head) else 0


_READ = 4_000  # characters


@cache
def _grave() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:data loss|lost data|corrupt\w*|leak(?:ed|s)?|credential\w*|secret\w*|security|vulnerab\w+|"
        r"irreversibl\w+|force[ -]?push\w*|drop(?:ped)? table|rm -rf|wiped|overwr(?:ote|itten))\b",
        re.I,
    )


@cache
def _public() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:production|prod|outage|down(?:time)?|customers?|users? (?:saw|see)|silent(?:ly)?|invisible|dead for|"
        r"deadlock\w*|regression|broken|rollback)\b",
        re.I,
    )
