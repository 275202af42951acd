"""What a signal is, and what is said when something only looks like one."""

import re
from collections.abc import Mapping
from functools import cache

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass

MAX_CHARS = 2_000  # longest text of a signal in prose; nobody writes a lesson of that length on purpose
SHOWN_CHARS = 500  # how much of a refused text a person gets to see
MAX_FOUND = 10_000  # most signals and refusals of one text; what is beyond is one refusal


class Reach(StrEnum):
    """Who may profit: the persona that said it, or everybody in the project."""

    LOCAL = "local"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A marked statement in an agent's own words."""

    form: str  # chorus, memory or comment
    name: str  # LEARNING_LOCAL, LEARNING_GLOBAL, MEMORY, LEARNED or INVESTIGATION
    type: str  # one of Dex' eight, learned, investigation, or "" for chorus
    text: str  # trimmed, case kept
    reach: Reach
    line: int  # 1-based, in the text that was searched
    task: str = ""  # the bead a comment stands on


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Something that looked like a signal, and why it is none."""

    text: str  # at most SHOWN_CHARS characters
    line: int  # 1-based, in the text that was searched
    reason: str  # one word for machines, a key of DETAILS
    detail: str  # one sentence for a person, with what to do


DETAILS: Mapping[str, str] = {
    "fenced": "It stands in a code block, which shows text instead of saying it; say it outside the block.",
    "inline_code": "It stands in inline code, which shows text instead of saying it; write it without backticks.",
    "quoted": "It stands in a quotation, so somebody else said it; say it in your own line if you mean it.",
    "html_comment": "It stands in an HTML comment, which nobody sees; say it in visible text.",
    "example": "It is the wording of the instructions, not a lesson; replace the placeholder by what you learned.",
    "unknown_type": "Its type is not known; use one of the documented types, in the documented case.",
    "empty": "It says nothing after its prefix; add the lesson in the same line.",
    "unclosed": "Its closing tag or quote is missing; close it in the same message.",
    "too_long": f"It is longer than a lesson may be; say it in at most {MAX_CHARS} characters.",
    "not_a_comment": 'The prefix counts only as the start of a comment; run `bd comment ID "LEARNED: …"`.',
    "none_declared": "The agent declared that there was nothing to learn; the reason is kept, nothing is stored.",
    "echo": "The same words stand in text that the agent had read; a person may release it.",
    "injected": "It is a note that memory itself had shown to the agent; there is nothing to do.",
    "not_agent": "Only the agent's own words teach, and this came from elsewhere; let the agent say it.",
    "too_many": "The limit on signals was reached before it; say fewer and better ones.",
}


def refuse(text: str, *, line: int, reason: str, detail: str = "") -> Refusal:
    """A refusal with the usual sentence for its reason, unless a better one is given."""
    return Refusal(text=text[:SHOWN_CHARS].strip(), line=line, reason=reason, detail=detail or DETAILS[reason])


def declined(content: str) -> str | None:
    """Why there was nothing to learn, where `content` says that ("none — reason"); "" where it gives no reason, None
    where it says something else."""
    none = _none().match(content)
    return content[none.end() :].strip(" \t\r\n—–-:;,.()*_`\"'") if none else None


def refuse_declined(text: str, *, why: str, line: int) -> Refusal:
    detail = f"The agent declared that there was nothing to learn: {why[:SHOWN_CHARS] or 'no reason given'}."
    return refuse(text, line=line, reason="none_declared", detail=detail)


@cache
def _none() -> re.Pattern[str]:
    return re.compile(r"\s{0,8}none[ \t]*+(?=$|[—–:;,.(\r\n-])", re.IGNORECASE)


class Lines:
    """Turns ascending positions in a text into line numbers, counting each character once."""

    __slots__ = ("_at", "_line", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, position: int) -> int:
        """The 1-based line of `position`, which must not lie before the last one asked for."""
        self._line += self._text.count("\n", self._at, position)
        self._at = position
        return self._line
