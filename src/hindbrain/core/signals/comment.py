"""How Beads marks knowledge: `LEARNED:` or `INVESTIGATION:` at the start of a comment's body.

A further prefix after white space starts a further entry (F-24), unless the word before it shows that the prefix
is only being talked about ("the LEARNED: prefix"). Text outside a comment command never counts, whatever it
starts with: that is a statement to a reader, not an entry in a tracker.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise

from hindbrain.core.signals import shell
from hindbrain.core.signals.guard import Guard, is_example
from hindbrain.core.signals.signal import (
    SHOWN_CHARS,
    Lines,
    Reach,
    Refusal,
    Signal,
    declined,
    refuse,
    refuse_declined,
)

MAX_BODY_BYTES = 4_096  # of a comment; upstream reads no more
MAX_CONTENT_BYTES = 2_048  # of one entry

_LOOK_BACK = 200  # characters before a prefix in prose that may hold its `bd comment`
_MAX_MENTIONS = 20_000  # prefixes in prose that are looked at; none of them can teach
_MAX_SHELLS = 3  # `sh -c` within `sh -c`
_STARTERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"})
_WRAPPERS = frozenset({"command", "exec", "nohup", "sudo", "env", "builtin"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_FLAGS_WITH_VALUE = frozenset(
    {"-a", "--actor", "--author", "-C", "--db", "--directory", "-f", "--file", "--format", "--lock-timeout"}
)
_MENTIONING = frozenset(  # the word before a prefix that is only talked about
    {"a", "an", "and", "by", "each", "every", "for", "no", "of", "or", "the", "this", "use", "with", "your"}
)


def find_in_command(command: str) -> Iterator[Signal | Refusal]:
    """The entries of every comment command in a command line that an agent ran."""
    read = command[: shell.MAX_CHARS]
    yield from _in_script(read, line=1, shells=0)
    beyond = _prefix().search(command, len(read))
    if beyond:
        line = command.count("\n", 0, beyond.start()) + 1
        yield refuse(command[beyond.start() :][:SHOWN_CHARS], line=line, reason="too_long")


def find_in_prose(text: str, guard: Guard) -> Iterator[tuple[int, Refusal]]:
    """Prefixes that open a line, or stand in a comment command that was written but not run."""
    lines = Lines(text)
    for prefix in islice(_prefix().finditer(text), _MAX_MENTIONS):
        at = prefix.start()
        statement_at = _statement(text, at)
        if statement_at >= 0:
            shown = text[at : at + SHOWN_CHARS].partition("\n")[0]
            reason = guard.reason(statement_at)
            why = None if reason else declined(shown.partition(":")[2])  # to decline needs no tracker
            if why is not None:
                yield at, refuse_declined(shown, why=why, line=lines.of(at))
            else:
                yield at, refuse(shown, line=lines.of(at), reason=reason or "not_a_comment")


def _statement(text: str, at: int) -> int:
    """Where the statement starts that a prefix in prose belongs to; -1 when it is only a word."""
    farthest = max(0, at - _LOOK_BACK)
    line_start = text.rfind("\n", farthest, at) + 1
    if (line_start or at <= _LOOK_BACK) and _line_opening().fullmatch(text, line_start, at):
        return at
    tracker_at = text.find("bd", max(line_start, farthest), at)
    command = _tracker().search(text, tracker_at, at) if tracker_at >= 0 else None
    return command.start() if command else -1


def has_comment(command: str) -> bool:
    """Whether a command line runs a comment command, with or without anything to learn from."""
    items = shell.parse(command[: shell.MAX_CHARS]).items
    return any(isinstance(item, shell.Command) and _comment(item) is not None for item in items)


def _in_script(source: str, *, line: int, shells: int) -> Iterator[Signal | Refusal]:
    lines = Lines(source)
    script = shell.parse(source)
    for item in script.items:
        at = line - 1 + lines.of(item.start)
        if isinstance(item, shell.Remark):
            yield from _stray(item.text, line=at)
        elif not script.is_closed and item is script.items[-1]:
            yield from _stray("\n".join(item.words), line=at, reason="unclosed")
        else:
            yield from _in_simple_command(item, line=at, shells=shells)


def _in_simple_command(command: shell.Command, *, line: int, shells: int) -> Iterator[Signal | Refusal]:
    inner = _inner_script(command)
    comment = _comment(command)
    if inner and shells < _MAX_SHELLS:
        yield from _in_script(inner, line=line, shells=shells + 1)
    elif comment is None:
        texts = [word for word in command.words if "$(" not in word]  # what runs inside is seen on its own
        yield from _stray("\n".join([*texts, command.stdin or ""]), line=line)
    else:
        task, body = comment
        yield from _entries(body, task=task, line=line)


def _stray(text: str, *, line: int, reason: str = "not_a_comment") -> Iterator[Refusal]:
    """One refusal for a prefix that stands where nothing is commented: echo, a commit message, a file."""
    prefix = _prefix().search(text)
    if prefix:
        yield refuse(text[prefix.start() : prefix.start() + SHOWN_CHARS], line=line, reason=reason)


def _inner_script(command: shell.Command) -> str:
    """What `bash -c SCRIPT` runs."""
    words = _own_words(command.words)
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return ""
    for flag, script in pairwise(words[1:]):
        if re.fullmatch(r"-[a-z]{0,8}c", flag):
            return script
    return ""


def _comment(command: shell.Command) -> tuple[str, str] | None:
    """The bead and the body, when the command comments on a bead."""
    words = _own_words(command.words)
    if not words or words[0].rpartition("/")[2] != "bd":
        return None
    arguments, reads_stdin = _positional(words[1:])
    verb_words = _verb_words(arguments)
    if not verb_words:
        return None
    bead = "".join(arguments[verb_words : verb_words + 1])
    body = " ".join(arguments[verb_words + 1 :])
    if reads_stdin or body in ("", "-"):
        body = command.stdin or ""
    return bead if _bead().fullmatch(bead) else "", body


def _verb_words(arguments: list[str]) -> int:
    """How many words say "comment"; 0 when none does."""
    if arguments[:2] == ["comments", "add"]:
        return 2
    return 1 if arguments[:1] in (["comment"], ["note"]) else 0


def _own_words(words: list[str]) -> list[str]:
    """The words from the program on: without shell keywords, variable settings and wrappers."""
    index = 0
    wrapped = False
    while index < len(words):
        word = words[index]
        if word in _WRAPPERS:
            wrapped = True
        elif not (word in _STARTERS or _setting().match(word) or (wrapped and word.startswith("-"))):
            break
        index += 1
    return words[index:]


def _positional(words: list[str]) -> tuple[list[str], bool]:
    """Arguments that are no flags, and whether the body comes from standard input."""
    arguments: list[str] = []
    reads_stdin = False
    rest = iter(words)
    for word in rest:
        if word == "--":
            arguments.extend(rest)
        elif word in ("--stdin", "--file=-", "-f-"):
            reads_stdin = True
        elif word in _FLAGS_WITH_VALUE:
            reads_stdin = (next(rest, "") == "-" and word in ("-f", "--file")) or reads_stdin
        elif not _flag().fullmatch(word):
            arguments.append(word)
    return arguments, reads_stdin


def _entries(body: str, *, task: str, line: int) -> Iterator[Signal | Refusal]:
    body = _cut(body.strip(), MAX_BODY_BYTES)
    first = _prefix().match(body)
    if first is None:
        yield from _misplaced(body, line=line)
        return
    further = (prefix for prefix in _prefix().finditer(body, first.end()) if _opens(body, prefix))
    starts = [first, *further]
    ends = [*(prefix.start() for prefix in starts[1:]), len(body)]
    for prefix, end in zip(starts, ends, strict=True):
        content = _cut(body[prefix.end() : end].strip(), MAX_CONTENT_BYTES).rstrip()
        at = line + body.count("\n", 0, prefix.start())
        yield _entry(prefix[1], content, task=task, line=at)


def _misplaced(body: str, *, line: int) -> Iterator[Refusal]:
    if _lower_prefix().match(body):
        detail = "The prefix counts only in capitals; write LEARNED: or INVESTIGATION:."
        yield refuse(body, line=line, reason="unknown_type", detail=detail)
    elif prefix := _prefix().search(body):
        detail = "The prefix counts only as the start of a comment; begin the comment with it."
        yield refuse(body[prefix.start() :], line=line, reason="not_a_comment", detail=detail)


def _opens(body: str, prefix: re.Match[str]) -> bool:
    before = body[max(0, prefix.start() - 40) : prefix.start()]
    if not before[-1:].isspace():
        return False
    words = before.split()
    return "\n" in before[len(before.rstrip()) :] or not words or words[-1].casefold() not in _MENTIONING


def _entry(name: str, content: str, *, task: str, line: int) -> Signal | Refusal:
    shown = f"{name}: {content}"
    if (why := declined(content)) is not None:
        return refuse_declined(shown, why=why, line=line)
    if not content or is_example("", content):
        return refuse(shown, line=line, reason="example" if content else "empty")
    return Signal(
        form="comment",
        name=name,
        type=name.lower(),
        text=content,
        reach=Reach.SHARED,
        line=line,
        task=task,
    )


def _cut(text: str, most_bytes: int) -> str:
    """At most that many bytes of UTF-8, whole characters only."""
    if len(text) * 4 <= most_bytes:
        return text
    encoded = text[:most_bytes].encode("utf-8", "surrogatepass")
    if len(encoded) <= most_bytes and len(text) <= most_bytes:
        return text
    end = most_bytes
    while end > 0 and end < len(encoded) and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass")


@cache
def _prefix() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(LEARNED|INVESTIGATION):")


@cache
def _lower_prefix() -> re.Pattern[str]:
    return re.compile(r"(?:learned|investigation)\s{0,3}:", re.IGNORECASE)


@cache
def _line_opening() -> re.Pattern[str]:
    return re.compile(r"[ \t]*+(?:(?:[-*+>]|\d{1,9}[.)])[ \t]++)*+(?:<!--[ \t]*+)?[*_#]{0,6}+[ \t]*+`{0,3}+[\"']?")


@cache
def _tracker() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.-])bd[ \t](?:[^\n]*[ \t])?(?:comment|comments|note)[ \t]")


@cache
def _bead() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9._-]{1,200}")


@cache
def _setting() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_]\w{0,200}=")


@cache
def _flag() -> re.Pattern[str]:
    return re.compile(r"-{1,2}[A-Za-z][\w-]{0,60}(?:=.*)?", re.DOTALL)
