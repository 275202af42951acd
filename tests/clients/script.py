"""What a scripted model is told and what it says, whichever wire it is asked over."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

# The fence that memories stand in; the number that closes must be the one that opened.
_NOTES = re.compile(r'<hindbrain-notes fence="([0-9a-f]{32})">\n(.*?)\n</hindbrain-notes fence="\1">', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Say:
    """The model speaks."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a tool. The client really runs it: harmless commands only."""

    tool: str
    arguments: Mapping[str, Any] | str  # a text: for a tool of Codex that takes one as it is
    namespace: str = ""  # of a tool that Codex has from elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the model, read the same way for every client."""

    path: str
    body: Mapping[str, Any]
    told: tuple[str, ...]  # every text in it that the model did not write itself, in order
    opening: str  # what was told before the model first spoke
    turns: int  # how often the model has spoken
    has_tools: bool  # without any that it may use: a title, a summary, a check

    @property
    def text(self) -> str:
        return "\n".join(self.told)

    @property
    def notes(self) -> list[str]:
        """What memory told, each fenced block once, without its fence. Gemini CLI escapes tags."""
        found = {match[1]: match[2] for text in self.told for match in _NOTES.finditer(unescape(text))}
        return list(found.values())


Part = Say | Call
Turn = Sequence[Part] | Callable[[Request], Sequence[Part]]


@dataclass(slots=True, kw_only=True)
class Script:
    """What the model says, turn by turn; in a subagent, whose task holds a word of `tasks`, what is said there.

    A question that was asked before, because the client tries again, gets the turn that it had. Past the last turn
    the model is done. Each client's process gets a script of its own.
    """

    turns: Sequence[Turn] = ()
    tasks: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    aside: str = "ok"  # what a question without tools gets
    asked: list[Request] = field(default_factory=list)
    _served: dict[str, list[str]] = field(default_factory=dict)

    def answer(self, request: Request) -> Sequence[Part]:
        self.asked.append(request)
        if not request.has_tools:
            return [Say(self.aside)]
        task = next((word for word in self.tasks if word in request.opening), "")
        served = self._served.setdefault(task, [])
        key = f"{request.turns} {hash(request.text)}"
        if key not in served:
            served.append(key)
        turns = self.tasks[task] if task else self.turns
        number = served.index(key)
        turn: Turn = turns[number] if number < len(turns) else [Say("Done.")]
        return turn(request) if callable(turn) else turn

    @property
    def requests(self) -> list[Request]:
        """What was asked in earnest."""
        return [request for request in self.asked if request.has_tools]


def texts(value: object) -> Iterator[str]:
    """Every text in a piece of JSON, in order."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts(item)
        case dict():
            for item in value.values():
                yield from texts(item)
