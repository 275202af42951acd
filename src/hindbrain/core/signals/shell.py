"""What a shell would run: the simple commands of a command line, with their words as the command sees them.

Quotes, escapes, heredocs, pipes, lists, subshells and command substitutions are read as a POSIX shell and bash
read them. Variables and globs stay as written: their values are not known here. `$(cat <<EOF … EOF)` is the
one substitution with a value, because agents write long arguments that way.
"""

import re
from functools import cache

from hindbrain.core.value import dataclass, field

MAX_CHARS = 128 * 1024  # Linux refuses a longer argument, so nothing longer was ever run
_MAX_DEPTH = 20  # substitutions within substitutions
_LONGEST_JOINT = 8  # operators; more mean nothing
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"} | {
    char: char for char in "\\'\"?"
}
_REDIRECTIONS = ("<<<", "<<-", "<<", "<(", ">(", "<>", "<&", ">>", ">|", ">&", "&>>", "&>", "<", ">")


@dataclass(slots=True, kw_only=True)
class Command:
    """A simple command: a name and its arguments."""

    start: int  # position in the source
    words: list[str] = field(default_factory=list)
    stdin: str | None = None  # heredoc or here-string, when there is one
    joint: str = ""  # the operators between it and the command before: `&&`, `|`, `;`, a line break, parentheses
    is_inner: bool = False  # within a substitution: its output is used, and its status is not


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A shell comment: text that never runs."""

    start: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    items: tuple[Command | Remark, ...]  # in the order of their start
    end: int  # position behind what was read
    is_closed: bool  # False when a quote or parenthesis was still open at the end: no shell runs that


def parse(source: str, *, is_one_line: bool = False) -> Script:
    """Read `source` as a script. Anything is a script; what a shell would refuse is read as far as it goes.

    One line means up to the first line break at which nothing is open, heredocs included.
    """
    reader = _Reader(source, is_one_line=is_one_line)
    reader.read_list(closer="", depth=0)
    items = tuple(item for item in reader.items if isinstance(item, Remark) or item.words)
    return Script(items=items, end=min(reader.at, len(source)), is_closed=reader.is_closed)


@dataclass(slots=True, kw_only=True)
class _Heredoc:
    command: Command
    delimiter: str
    strips_tabs: bool


class _Reader:
    def __init__(self, source: str, *, is_one_line: bool) -> None:
        self.source = source
        self.at = 0
        self.items: list[Command | Remark] = []
        self.heredocs: list[_Heredoc] = []  # announced, their bodies still to come
        self.is_closed = True
        self._is_one_line = is_one_line
        self._has_line_ended = False
        self._command: Command | None = None
        self._joint = ""
        self._inner = 0  # substitutions around the present place

    def read_list(self, *, closer: str, depth: int) -> None:
        """Commands up to `closer`, which is taken too, or to the end."""
        outer, self._command = self._command, None
        while self.at < len(self.source) and not self._has_line_ended:
            char = self.source[self.at]
            if char == closer:
                self.at += 1
                break
            self._read_one(char, depth=depth)
        else:
            self.is_closed = self.is_closed and not closer
        self._command = outer

    def _read_one(self, char: str, *, depth: int) -> None:
        if char in " \t\r":
            self._skip_blanks()
        elif self.source.startswith("\\\n", self.at):
            self.at += 2
        elif char == "\n":
            self._end_line(depth)
        elif char == "#":
            self._read_remark()
        elif char in "<>" or self.source.startswith("&>", self.at):
            self._read_redirection(depth)
        elif char in ";&|)":
            self._end_command(char)
        elif char == "(":
            self._end_command(char)
            self._nest(depth)
        else:
            self._read_argument(depth)

    def _end_command(self, operator: str) -> None:
        self._command = None
        self._joint = (self._joint + operator)[:_LONGEST_JOINT]
        self.at += 1

    def _nest(self, depth: int) -> None:
        if depth < _MAX_DEPTH:
            self.read_list(closer=")", depth=depth + 1)

    def _end_line(self, depth: int) -> None:
        self._end_command("\n")
        waiting, self.heredocs = self.heredocs, []
        for heredoc in waiting:
            self._read_heredoc(heredoc)
        self._has_line_ended = self._is_one_line and depth == 0

    def _read_heredoc(self, heredoc: _Heredoc) -> None:
        body: list[str] = []
        while self.at < len(self.source):
            end = self.source.find("\n", self.at)
            line = self.source[self.at : end if end >= 0 else len(self.source)]
            self.at = end + 1 if end >= 0 else len(self.source)
            line = line.removesuffix("\r")
            if heredoc.strips_tabs:
                line = line.lstrip("\t")
            if line == heredoc.delimiter:
                heredoc.command.stdin = "\n".join(body)
                return
            body.append(line)
        heredoc.command.stdin = "\n".join(body)

    def _read_remark(self) -> None:
        end = self.source.find("\n", self.at)
        end = end if end >= 0 else len(self.source)
        self.items.append(Remark(start=self.at, text=self.source[self.at : end]))
        self.at = end

    def _read_redirection(self, depth: int) -> None:
        operator = next(text for text in _REDIRECTIONS if self.source.startswith(text, self.at))
        self.at += len(operator)
        if operator in ("<(", ">("):
            self._inner += 1
            self._nest(depth)
            self._inner -= 1
            return
        command = self._current()
        self._skip_blanks()
        target = self._word(depth)
        if operator in ("<<", "<<-"):
            strips_tabs = operator == "<<-"
            self.heredocs.append(_Heredoc(command=command, delimiter=target, strips_tabs=strips_tabs))
        elif operator == "<<<":
            command.stdin = target

    def _skip_blanks(self) -> None:
        while self.source[self.at : self.at + 1] in (" ", "\t", "\r"):
            self.at += 1

    def _read_argument(self, depth: int) -> None:
        command = self._current()
        start = self.at
        word = self._word(depth)
        is_descriptor = self.source[self.at : self.at + 1] in ("<", ">") and self.source[start : self.at].isdigit()
        if not is_descriptor:
            command.words.append(word)

    def _current(self) -> Command:
        if self._command is None:
            self._command = Command(start=self.at, joint=self._joint, is_inner=self._inner > 0)
            self._joint = ""
            self.items.append(self._command)
        return self._command

    def _word(self, depth: int) -> str:
        """One word without its quotes. Always moves on, if only by one character."""
        parts: list[str] = []
        while self.at < len(self.source):
            plain = _plain().match(self.source, self.at)
            if plain:
                parts.append(plain[0])
                self.at = plain.end()
            elif self.source[self.at] in "\\'\"$`":
                parts.append(self._quoted(depth))
            else:
                break
        return "".join(parts)

    def _quoted(self, depth: int) -> str:
        char = self.source[self.at]
        following = self.source[self.at + 1 : self.at + 2]
        if char == "\\":
            self.at += 2
            return "" if following == "\n" else following or char
        if char == "'":
            return self._single()
        if char == '"':
            return self._double(depth)
        if char == "$" and following == "'":
            return self._ansi()
        if char == "$" and following == '"':
            self.at += 1
            return self._double(depth)
        return self._expansion(depth)

    def _single(self) -> str:
        end = self.source.find("'", self.at + 1)
        if end < 0:
            self.is_closed = False
            end = len(self.source)
        text = self.source[self.at + 1 : end]
        self.at = end + 1
        return text

    def _double(self, depth: int) -> str:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.source):
            run = _in_double().match(self.source, self.at)
            if run:
                parts.append(run[0])
                self.at = run.end()
                continue
            char = self.source[self.at]
            if char == '"':
                self.at += 1
                return "".join(parts)
            parts.append(self._escaped() if char == "\\" else self._expansion(depth))
        self.is_closed = False
        return "".join(parts)

    def _escaped(self) -> str:
        """A backslash between double quotes: it keeps its meaning before five characters only."""
        following = self.source[self.at + 1 : self.at + 2]
        self.at += 2
        if following == "\n":
            return ""
        return following if following in ("$", "`", '"', "\\") else "\\" + following

    def _ansi(self) -> str:
        body = _ansi_body().match(self.source, self.at + 2)
        end = body.end() if body else self.at + 2
        if self.source[end : end + 1] != "'":
            self.is_closed = False
        text = self.source[self.at + 2 : end]
        self.at = end + 1
        return _ansi_escape().sub(_unescaped, text)

    def _expansion(self, depth: int) -> str:
        """`$(…)`, backticks, `${…}` or a lone dollar, as written unless its value is known."""
        start = self.at
        if self.source.startswith("$(", start) and depth < _MAX_DEPTH:
            return self._substitution(depth)
        if self.source[start] == "`":
            end = self.source.find("`", start + 1)
            self.is_closed = self.is_closed and end >= 0
            self.at = end + 1 if end >= 0 else len(self.source)
        else:
            variable = _variable().match(self.source, start)
            self.at = variable.end() if variable else start + 1
        return self.source[start : self.at]

    def _substitution(self, depth: int) -> str:
        start, before = self.at, len(self.items)
        self.at += 2
        self._inner += 1
        self.read_list(closer=")", depth=depth + 1)
        self._inner -= 1
        self._joint = ""
        inner = self.items[before:]
        first = inner[0] if len(inner) == 1 else None
        if isinstance(first, Command) and first.words == ["cat"] and first.stdin is not None:
            self.items.pop()  # its text is an argument; it is not shown on its own
            return first.stdin.rstrip("\n")
        return self.source[start : self.at]


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "xuU" and len(code) > 1:
        value = int(code[1:], 16)
        return chr(value) if value < 0x110000 and not 0xD800 <= value < 0xE000 else ""
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ESCAPES.get(code, "\\" + code)


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(r"[^ \t\r\n\\'\"$`;&|<>()]++")


@cache
def _in_double() -> re.Pattern[str]:
    return re.compile(r"[^\"\\$`]++")


@cache
def _ansi_body() -> re.Pattern[str]:
    return re.compile(r"(?:[^'\\]|\\.)*+", re.DOTALL)


@cache
def _ansi_escape() -> re.Pattern[str]:
    return re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", re.DOTALL)


@cache
def _variable() -> re.Pattern[str]:
    return re.compile(r"\$(?:\{[^}\n]{0,200}\}|\w{1,200}|[@*#?$!-])")
