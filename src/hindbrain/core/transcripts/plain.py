"""Who speaks in plain text: the agent, except in lines that are a comment command, as a shell log has them."""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.signals import comment, shell
from hindbrain.core.signals.guard import Guard
from hindbrain.core.transcripts.utterance import Transcript, Utterance, Voice

_WINDOW = 8 * 1024  # characters in which a command must end; a comment has half of that
_MAX_COMMANDS = 1_000


def read(source: str) -> Transcript:
    said: list[str] = []
    commands: list[Utterance] = []
    at, line = 0, 1
    for start, end in _commands(source):
        line += source.count("\n", at, start)
        text = source[start:end]
        commands.append(Utterance(voice=Voice.COMMAND, text=text, line=line))
        line += text.count("\n")
        said += [source[at:start], *("$\n" if part.endswith("\n") else "$" for part in text.splitlines(True))]
        at = end
    said.append(source[at:])
    prose = Utterance(voice=Voice.AGENT, text="".join(said), line=1)
    return Transcript(utterances=(prose, *commands), skipped=())


def _commands(source: str) -> Iterator[tuple[int, int]]:
    """Where comment commands stand, outside anything that is only shown."""
    if "bd" not in source:
        return
    guard: Guard | None = None
    at = tried = 0
    while tried < _MAX_COMMANDS and (line := _command_line().search(source, at)):
        tried += 1
        guard = guard or Guard(source)
        start = line.start("command")
        end = _end(source, start)
        at = line.end()
        if not guard.reason(start) and comment.has_comment(source[start:end]):
            yield start, end
            at = max(at, end)


def _end(source: str, start: int) -> int:
    """The end of a command with its open quotes and heredocs, or of its line when it never closes."""
    window = source[start : start + _WINDOW]
    script = shell.parse(window, is_one_line=True)
    if script.is_closed:
        return start + script.end
    return start + (window.find("\n") + 1 or len(window))


@cache
def _command_line() -> re.Pattern[str]:
    opening = r"(?:[\w./~-]{0,200}/)?bd[ \t]|cd[ \t]|\(|sudo[ \t]|env[ \t]|[A-Za-z_]\w{0,60}="
    return re.compile(
        rf"^[ \t]*+(?:[$%❯➜][ \t]++)?(?P<command>(?={opening})[^\n]*?(?<![\w.-])bd[ \t][^\n]*)", re.MULTILINE
    )
