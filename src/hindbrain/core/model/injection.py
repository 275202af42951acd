"""What was put into a prompt, for whom, and why: the link between a memory and its outcome."""

from datetime import datetime

from hindbrain.core.model.score import Score
from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    memory_id: str
    version: int
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    id: str
    at: datetime
    project: str
    format: str  # default, dex, chorus, beads
    strategy: str
    shown: tuple[Shown, ...]
    left_out: int  # eligible, but over the budget or the limit
    tokens: int
    session: str = ""
    task: str = ""
    persona: str = ""
    hat: str = ""
    query: str = ""  # task title and description after the door
    moment: str = "asked"  # asked, session, prompt, file, failure, sibling: what brought it about
    agent: str = ""  # the subagent that was told; empty: the main agent
    is_withheld: bool = False  # held out: what would have been shown was not, to measure what showing is worth
