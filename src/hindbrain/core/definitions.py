"""Where in a file a name is defined, without knowing the language: by keywords, braces and indentation.

A parser for every language would be exact and would never be complete. Here a definition is a line that looks like
one in most languages, and it reaches as far as its braces or its indentation do. A name that is defined several times
in its scope (overloads, a method of two classes) has several places; whoever compares takes all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from hindbrain.core.hints import NamedTuple
from hindbrain.core.words import listed

_BEFORE = 400  # characters of a line before the name; what stands further right defines nothing
_ARGUMENTS = 1_000  # characters of a list of parameters
_MOST_HITS = 100_000  # places of a name that are looked at
_MOST_CALLS = 5_000  # of them, those that are looked at as if they were definitions without a keyword
_MOST = 50  # definitions of one name
_RESULT = 300  # characters between parameters and body
_DECORATORS = 20  # lines above a definition that belong to it

_BRACED = frozenset(
    listed(
        "js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala groovy c h m mm cc cpp cxx hpp hh cs swift "
        "php dart zig sh bash zsh css scss less proto graphql gql tf hcl pl pm r d v sol awk"
    )
)
_STATEMENTS = frozenset(
    listed(
        "return new await throw else if while for switch yield delete assert not in case raise and or do goto "
        "typeof elif unless until when import from go defer echo"
    )
)
_KEYWORDS = listed(
    "def class function func fn fun struct enum trait interface type impl module mod namespace const let var val "
    "static object record protocol extension union typedef #define sub package macro macro_rules! actor defp "
    "defmodule TABLE VIEW INDEX TRIGGER PROCEDURE FUNCTION message service resource local"
)
_MODIFIERS = frozenset(
    (
        *_KEYWORDS,
        *listed(
            "export default public private protected internal abstract final async pub unsafe extern inline virtual "
            "override open sealed data partial readonly declare global virtual suspend inner companion operator "
            "CREATE OR REPLACE TEMP TEMPORARY UNIQUE IF NOT EXISTS create or replace tailrec lateinit mut crate"
        ),
    )
)

_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class Lines(NamedTuple):
    start: int  # 1-based
    end: int  # the last one


class _Found(NamedTuple):
    at: int  # where the name stands
    line: int  # where its line begins
    body: int  # where to look for the body: behind the name, or behind the parameters


def places(text: str, symbol: str, *, path: str) -> tuple[Lines, ...]:
    """Where `symbol` (`name`, `Class.name`, `outer.Class.name`) is defined in `text`, in order; none: nowhere.

    `path` tells whether bodies stand in braces. All parts of a dotted name must be found: see `resolved`.
    """
    parts = symbol.split(".")
    if not all(parts):
        return ()
    source = _Source(text, is_braced=path.rpartition(".")[2].lower() in _BRACED)
    return tuple(source.lines(span) for span in source.spans(parts))


def resolved(text: str, symbol: str, *, path: str) -> str:
    """The longest end of a dotted name that is defined in `text`: `tree.close` may stand as `close`. "": none is."""
    parts = symbol.split(".")
    ends = (".".join(parts[first:]) for first in range(len(parts)))
    return next((end for end in ends if places(text, end, path=path)), "")


class _Source:
    def __init__(self, text: str, *, is_braced: bool) -> None:
        self._text = text
        self._is_braced = is_braced
        self._calls = 0

    def lines(self, span: tuple[int, int]) -> Lines:
        start, end = span
        first = self._text.count("\n", 0, start) + 1
        return Lines(first, first + self._text.count("\n", start, end))

    def spans(self, parts: list[str]) -> list[tuple[int, int]]:
        """Characters from the first to behind the last of each definition."""
        *owners, name = parts
        everywhere = (0, len(self._text))
        if not owners:
            return list(islice(self._within(name, everywhere, owner=""), _MOST))
        inside = (span for scope in self.spans(owners) for span in self._within(name, scope, owner=""))
        outside = self._within(name, everywhere, owner=owners[-1])
        return _apart(sorted({*islice(inside, _MOST), *islice(outside, _MOST)}))

    def _within(self, name: str, scope: tuple[int, int], *, owner: str) -> Iterator[tuple[int, int]]:
        """Definitions that do not overlap; with an `owner` only those that name it on their own line."""
        upto = scope[0]
        for hit in islice(_word(name).finditer(self._text, *scope), _MOST_HITS):
            if hit.start() < upto or _is_inside_a_word(self._text, hit.start()):
                continue
            found = self._defined(hit, owner)
            if found is not None:
                upto = max(self._end(found), found.body)
                yield self._with_decorators(found.line, scope[0]), upto

    def _defined(self, hit: re.Match[str], owner: str) -> _Found | None:
        text, at, behind = self._text, hit.start(), hit.end()
        line = text.rfind("\n", max(0, at - _BEFORE), at) + 1
        if line == 0 and at > _BEFORE:
            return None
        before, after = text[line:at], text[behind : behind + _BEFORE]
        if owner and not _owned(owner).search(before):
            return None
        if _is_declared(before) or _is_assigned(before, after, name=hit[0]):
            return _Found(at, line, behind)
        if self._calls < _MOST_CALLS and _may_be_typed(before):
            self._calls += 1
            body = _behind_parameters(text, behind, has_type=bool(before.split()))
            return _Found(at, line, body) if body else None
        return None

    def _with_decorators(self, line: int, least: int) -> int:
        for _ in range(_DECORATORS):
            above = self._text.rfind("\n", max(least, line - 1 - _BEFORE), max(line - 1, 0)) + 1
            if line <= least or not self._text[above : line - 1].lstrip().startswith(("@", "#[")):
                break
            line = above
        return line

    def _end(self, found: _Found) -> int:
        if self._is_braced:
            end = self._end_by_braces(found)
            if end:
                return end
        return self._end_by_indentation(found)

    def _end_by_braces(self, found: _Found) -> int:
        """Behind the brace, semicolon or line that ends the statement; 0 when its brackets do not close."""
        depth, margin = 0, _margin(self._text, found.line)
        for token in _tokens().finditer(self._text, found.at):
            depth += _DEPTHS.get(token[0], 0)
            if depth <= 0 and self._closes(token, depth, margin=margin):
                return token.end() if token[0] == "}" and depth == 0 else token.start()
        if depth:
            self._is_braced = False  # once is enough: each further try would read to the end again
        return 0 if depth else len(self._text)

    def _closes(self, token: re.Match[str], depth: int, *, margin: int) -> bool:
        match token[0]:
            case "}":
                return depth < 0 or not self._goes_on(token.end())
            case ";":
                return True
            case "\n":
                return self._is_last(token.start(), margin)
        return depth < 0

    def _goes_on(self, at: int) -> bool:
        """Behind `}`: whether another brace opens on the line, as behind a type that has braces."""
        return self._text[at : self._line_end(at, most=_RESULT)].rstrip().endswith("{")

    def _is_last(self, at: int, margin: int) -> bool:
        """Whether the statement ends with the line that ends at `at`: what follows is neither deeper nor a brace."""
        follows = _next_word().match(self._text, at + 1)
        if follows is None:
            return True
        return follows[1] != "{" and follows.start(1) - 1 - self._text.rfind("\n", at, follows.start(1)) <= margin

    def _end_by_indentation(self, found: _Found) -> int:
        """The last line that is deeper than the first; a closing bracket or `end` beside it belongs to it, too."""
        text, margin = self._text, _margin(self._text, found.line)
        end = self._line_end(found.body)
        is_quoted = _is_quote_open(text[found.line : end])
        for line in _filled_lines().finditer(text, end + 1):
            is_deeper = is_quoted or len(line[1]) > margin
            words = line[2].rstrip()
            is_end = words[0] == "}" or words == "end"
            if not (is_deeper or is_end or words[0] in ")]"):
                break
            end = line.end()
            is_quoted ^= _is_quote_open(words)
            if is_end and not is_deeper:
                break
        return end

    def _line_end(self, at: int, *, most: int | None = None) -> int:
        limit = len(self._text) if most is None else min(len(self._text), at + most)
        end = self._text.find("\n", at, limit)
        return limit if end < 0 else end


def _is_inside_a_word(text: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    return before.isalnum() or before in ("_", "$")


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without those that begin in one before them."""
    kept: list[tuple[int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _margin(text: str, line: int) -> int:
    return _indentation().match(text, line).end() - line  # type: ignore[union-attr]


def _is_quote_open(line: str) -> bool:
    """Whether a text of several lines begins or ends here: what stands in it may be less deep than the code."""
    return bool((line.count('"""') + line.count("'''")) % 2)


def _is_declared(before: str) -> bool:
    """Whether a keyword stands before the name, and before that nothing but what may: prose has other words."""
    found = _keyword().search(before)
    if found is None:
        return False
    words = _plain_words().findall(before[: found.start()])
    return all(word in _MODIFIERS or word.startswith("@") for word in words)


def _is_assigned(before: str, after: str, *, name: str) -> bool:
    """`NAME = …` at the margin, `name = () =>` and `name: function` anywhere, `name:` of a make or YAML file."""
    if before.strip():
        is_typed = not before[0].isspace() and _may_be_typed(before)
        return is_typed and _typed_value().match(after) is not None
    if _function_value().match(after):
        return True
    is_high = not before or (name.isupper() and len(name) > 1)
    return is_high and _plain_value().match(after) is not None


def _may_be_typed(before: str) -> bool:
    """Whether only types and modifiers stand before the name, as in `static int *name(`."""
    words = before.replace("*", " ").replace("&", " ").split()
    if any(word in _STATEMENTS for word in words):
        return False
    return all(_type_word().fullmatch(word) for word in words)


def _behind_parameters(text: str, at: int, *, has_type: bool) -> int:
    """Where the body of `name(…) {` begins, or where `type name(…);` ends; 0 for a call or anything else."""
    if text[at : at + 1] != "(":
        return 0
    depth = 0
    for bracket in _brackets().finditer(text, at, at + _ARGUMENTS):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            rest = text[bracket.end() : bracket.end() + _RESULT]
            opens = _opens().match(rest) or (_declares().match(rest) if has_type else None)
            return bracket.end() if opens else 0
    return 0


@cache
def _word(name: str) -> re.Pattern[str]:
    """The start of the word is checked by whoever finds it: a pattern that begins with letters is found faster."""
    return re.compile(rf"{re.escape(name)}(?![\w$])")


@cache
def _owned(owner: str) -> re.Pattern[str]:
    """`Owner::`, `Owner.prototype.`, `Owner.` before the name, or Go's receiver `(o *Owner)`."""
    name = re.escape(owner)
    return re.compile(rf"(?<!\w){name}(?:::|\.prototype\.|\.)$|\(\s*(?:\w+\s+)?\*?{name}(?:\[[^\]]*\])?\s*\)\s*$")


@cache
def _keyword() -> re.Pattern[str]:
    words = "|".join(map(re.escape, _KEYWORDS))
    qualified = r"(?:\([^()]*\)[ \t]*|[\w.:]*(?:\.|::)|mut[ \t]+|\"|[*&]+)?"
    return re.compile(rf"(?:^|[\s(;])(?:{words})(?:<[^<>]*>)?[*&]*[ \t]+{qualified}$|(?:^|\s)impl\b[^{{]*\bfor[ \t]+$")


@cache
def _plain_words() -> re.Pattern[str]:
    """Words, and signs that make a comment or a sentence of the line."""
    return re.compile(r"@?\w+!?|//|[#*;.,\"'`-]")


@cache
def _typed_value() -> re.Pattern[str]:
    return re.compile(r"[ \t]*(?:\[[^\]\n]*\][ \t]*)?=(?!=)")


@cache
def _function_value() -> re.Pattern[str]:
    return re.compile(
        r"[ \t]*[=:][ \t]*(?:async[ \t]*)?(?:function\b|\([^()]*\)[ \t]*(?::[^=]*)?=>|\w+[ \t]*=>|lambda\b)"
    )


@cache
def _plain_value() -> re.Pattern[str]:
    return re.compile(r"[ \t]*(?:=(?![=~>])|:=|:[ \t]*[^\s:=][^=\n]*=(?!=)|:(?=[ \t]*(?:\n|$)|[ \t]+\S))")


@cache
def _type_word() -> re.Pattern[str]:
    return re.compile(r"[\w<>\[\],.:?@~]+")


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r"[()]")


@cache
def _opens() -> re.Pattern[str]:
    return re.compile(r"\s*(?:(?:const|noexcept|override|final|throws|->|:|where)[^{};()=]*)?\{")


@cache
def _declares() -> re.Pattern[str]:
    return re.compile(r"\s*(?:const|noexcept|override|final|throws[^;{}()=]*)?\s*(?:=[ \t]*\w+[ \t]*)?;")


@cache
def _tokens() -> re.Pattern[str]:
    """Brackets, ends of statements and lines; texts and comments as one token each, so that none counts from inside.

    What is not closed ends with its line, or with the file: nothing is ever read twice.
    """
    return re.compile(
        r'"(?:[^"\\\n]|\\[\s\S])*+"?'
        r"|'(?:\\[^\n]{1,8}|[^'\\\n])'|'[^'\\\n{}]{0,200}'"
        r"|`[^`]*+`?"
        r"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
        r"|[()\[\]{};\n]"
    )


@cache
def _filled_lines() -> re.Pattern[str]:
    return re.compile(r"^([^\S\n]*+)(\S[^\n]*)", re.MULTILINE)


@cache
def _next_word() -> re.Pattern[str]:
    return re.compile(r"\s{0,200}+(\S)")


@cache
def _indentation() -> re.Pattern[str]:
    return re.compile(r"[ \t]*+")
