"""What recall is asked, from what it chooses, and what it answers."""

from __future__ import annotations

from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall.gate import Gate
from hindbrain.core.value import dataclass

if TYPE_CHECKING:  # little is known of most memories beside their words
    from hindbrain.core.model.outcome import Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    text: str = ""  # a question, or the title and description of a task
    paths: tuple[str, ...] = ()  # files being worked on
    hat: str = ""  # the role of the one who asks
    session: str = ""  # what this session taught is not told back to it
    limit: int = 10  # most memories to answer with
    strategy: str = "unified"
    is_unasked: bool = False  # nobody asked: what does not bear on the text is left out, where the strategy can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    memory: Memory
    words: float = 0.0  # BM25, higher is better; 0: not found by words
    share: float = 0.0  # of what the words of the question could be worth at most, for a memory of usual length
    similarity: float | None = None  # cosine to the question by the best piece; None: not known
    usual: float = 0.0  # what counts instead where it is not known: the average of the others that words found
    nearest: float | None = None  # the highest cosine of all to this question; None: meaning was not compared
    pieces: int = 1
    speaks: tuple[int, int] = (0, 0)  # where that piece lies in the memory's meaningful text
    standing: Standing | None = None  # how it has fared, and whether the code still is as it says; None: not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A memory that bears on the question, and why."""

    memory: Memory
    score: Score
    similarity: float | None = None  # cosine to the question, where it is known
    speaks: tuple[int, int] = (0, 0)  # the piece that it is known by
    pieces: int = 1  # of which that is the best
    gate: Gate | None = None  # whether it bears on the question; None: not asked, or nothing to compare
    band: int = 0  # compared before the score; a higher one comes first

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def title(self) -> str:
        return self.memory.title

    @property
    def content(self) -> str:
        return self.memory.content

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.score.reasons

    @property
    def place(self) -> tuple[int, float, datetime, str]:
        """What answers are sorted by: the better, then the newer, then the later id, which is the newer within one
        moment. Rounded, because the last digit of a sum may differ from machine to machine."""
        return (self.band, round(self.score.total, 9), self.memory.learned_at, self.memory.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    items: tuple[Recalled, ...]  # best first
    repeats: tuple[tuple[str, str], ...] = ()  # left out because another says the same: its id, and the other's
    left_out: int = 0  # how many more were eligible, but beyond the limit
    far: tuple[Recalled, ...] = ()  # the best of those that the gate keeps from an agent who did not ask
