"""How a JSON document that a person wrote is changed without touching a letter of the rest.

Comments, order, indentation, line ends and trailing commas stay as they are. The trick: comments and trailing commas
are blanked out with spaces, so that what is left is plain JSON in which every value stands at the same place.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass

Path = tuple[str | int, ...]  # keys of objects and indexes of arrays, from the root

_BLANK = " \t\r\n"


class NotJson(ValueError):
    """The document is not JSON with comments, or a place in it is not of the kind that was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Child:
    key: str | int
    start: int  # of the key, or of the item
    value: int  # where the value begins
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Container:
    start: int  # of the bracket
    end: int  # after the closing one
    is_object: bool
    children: tuple[_Child, ...]


def value(text: str) -> Any:
    """What the document says. An empty one, or one of comments alone, says nothing: an empty object."""
    plain = _plain(text)
    return _decoded(plain) if plain.strip(_BLANK) else {}


def put(text: str, path: Path, *, content: object) -> str:
    """The document with `content` at `path`. Objects on the way are made where they are missing. An index that is
    beyond the end of an array appends; a key that is there gets the new value in the same place."""
    if not _plain(text).strip(_BLANK):
        text = f"{text}{_newline(text) if text.strip(_BLANK) else ''}{{}}{_newline(text)}"
    plain = _plain(text)
    _decoded(plain)
    *way, last = path
    there = _root(plain)
    for depth, key in enumerate(way):
        child = _child(there, key)
        if child is None:
            return _inserted(text, there, key=key, content=_nested((*way[depth + 1 :], last), content))
        there = _container(plain, child.value)
    child = _child(there, last)
    if child is None:
        return _inserted(text, there, key=last, content=content)
    return text[: child.value] + _written(text, content, indent=_indent(text, child.start)) + text[child.end :]


def cut(text: str, path: Path) -> str:
    """The document without what stands at `path`; unchanged when there is no such thing."""
    plain = _plain(text)
    if not plain.strip(_BLANK):
        return text
    _decoded(plain)
    there = _root(plain)
    for key in path[:-1]:
        child = _child(there, key)
        if child is None or plain[child.value] not in "{[":
            return text
        there = _container(plain, child.value)
    child = _child(there, path[-1])
    return text if child is None else _without(text, there, at=there.children.index(child))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compiled when a document is read: most processes read none."""
    # What is never closed ends with its line, or with the document: looking for the end again would take forever.
    string = r'"[^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*+"?'
    patterns = {
        "comment": string + r"|//[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?",
        "comma": string + r"|,(?=[ \t\r\n]*[}\]])",
        "unit": r'\n([ \t]+)"',
    }
    return re.compile(patterns[name], re.DOTALL)


@lru_cache(maxsize=2)  # one document is asked about many things in a row
def _plain(text: str) -> str:
    """The same document as plain JSON, every value at the same place."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith("/*") and (len(found) < 4 or not found.endswith("*/")):
            raise NotJson("a comment is never closed")
        return found if found[0] == '"' else re.sub(r"[^\r\n]", " ", found)

    def blank_behind_a_value(match: re.Match[str]) -> str:
        return " " if match.group() == "," and _is_behind_a_value(match) else match.group()

    unmarked = f" {text[1:]}" if text.startswith("\ufeff") else text
    return _pattern("comma").sub(blank_behind_a_value, _pattern("comment").sub(blank, unmarked))


def _is_behind_a_value(comma: re.Match[str]) -> bool:
    """Else it ends nothing, and the document is none."""
    text, at = comma.string, comma.start()
    while at and text[at - 1] in _BLANK:
        at -= 1
    return at > 0 and text[at - 1] not in "{[,:"


def _decoded(plain: str) -> Any:
    try:
        return json.loads(plain, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _root(plain: str) -> _Container:
    return _container(plain, _after_blank(plain, 0))


def _container(plain: str, at: int) -> _Container:
    """The object or array that begins there; values inside are skipped by the decoder, not looked into."""
    if plain[at] not in "{[":
        raise NotJson(f"line {plain.count(chr(10), 0, at) + 1}: an object or a list was expected")
    is_object = plain[at] == "{"
    children = tuple(_children(plain, at + 1, is_object=is_object))
    end = _after_blank(plain, children[-1].end if children else at + 1)
    return _Container(start=at, end=end + 1, is_object=is_object, children=children)


def _children(plain: str, at: int, *, is_object: bool) -> Iterator[_Child]:
    decoder = json.JSONDecoder()
    at = _after_blank(plain, at)
    index = 0
    while plain[at] not in "}]":
        start = at
        key: str | int = index
        if is_object:
            key, at = decoder.raw_decode(plain, at)
            at = _after_blank(plain, _after_blank(plain, at) + 1)  # past the colon
        _, end = decoder.raw_decode(plain, at)
        yield _Child(key=key, start=start, value=at, end=end)
        at = _after_blank(plain, end)
        at = _after_blank(plain, at + 1) if plain[at] == "," else at
        index += 1


def _after_blank(plain: str, at: int) -> int:
    while at < len(plain) and plain[at] in _BLANK:
        at += 1
    return at


def _child(there: _Container, key: str | int) -> _Child | None:
    if isinstance(key, str) != there.is_object:
        raise NotJson(f"{key!r}: {'an object' if isinstance(key, str) else 'a list'} was expected around it")
    same = (child for child in reversed(there.children) if child.key == key)  # of two the last one counts
    return next(same, None)


def _nested(way: Sequence[str | int], content: object) -> object:
    for key in reversed(way):
        content = {key: content} if isinstance(key, str) else [content]
    return content


def _inserted(text: str, there: _Container, *, key: str | int, content: object) -> str:
    """A new last child, on a line of its own."""
    last = there.children[-1] if there.children else None
    begin, end = last.end if last else there.start + 1, there.end - 1
    at = begin + len(text[begin:end].rstrip(_BLANK))  # behind the comments that belong to the last one
    comma = _comma(text, begin, end=end)
    newline, outer = _newline(text), _indent(text, there.start)
    inner = _indent(text, last.start) if last and _begins_line(text, last.start) else outer + _unit(text)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    piece = f"{newline}{inner}{name}{_written(text, content, indent=inner)}"
    if comma is not None:
        piece += ","
    elif last:
        text, at, end = f"{text[:begin]},{text[begin:]}", at + 1, end + 1
    if "\n" in text[at:end]:
        return text[:at] + piece + text[at:]
    return f"{text[:at]}{piece}{newline}{outer}{text[end:]}"


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(_BLANK)


def _without(text: str, there: _Container, *, at: int) -> str:
    """Without one child, its comma, and the blanks before it. The last one takes the comma before it along."""
    child = there.children[at]
    before = there.children[at - 1].end if at else there.start + 1
    after = there.end - 1 if at == len(there.children) - 1 else there.children[at + 1].start
    start = before + len(text[before : child.start].rstrip(_BLANK))
    if _ends_in_line_comment(text[before:start]) and not text[child.end :].lstrip(" \t,").startswith(("\r", "\n")):
        start = _next_line(text, start)  # what follows must not become part of the comment
    comma = _comma(text, child.end, end=after)
    lost = _comma(text, before, end=start) if comma is None and at else None
    gone = [(start, child.end), *((one, one + 1) for one in (comma, lost) if one is not None)]
    for begin, end in sorted(gone, reverse=True):
        text = text[:begin] + text[end:]
    return _closed(text, there.start) if len(there.children) == 1 else text


def _closed(text: str, start: int) -> str:
    """A container that is empty now, without the blanks between its brackets."""
    end = _container(_plain(text), start).end - 1
    return text if text[start + 1 : end].strip(_BLANK) else text[: start + 1] + text[end:]


def _next_line(text: str, at: int) -> int:
    while text[at] not in "\r\n":
        at += 1
    return at + (2 if text.startswith("\r\n", at) else 1)


def _ends_in_line_comment(gap: str) -> bool:
    comments = [match for match in _pattern("comment").finditer(gap) if match.end() == len(gap)]
    return any(match.group().startswith("//") for match in comments)


def _comma(text: str, start: int, *, end: int) -> int | None:
    """Where the comma stands between two places that hold nothing else but blanks and comments."""
    comments = _pattern("comment").sub(lambda match: " " * len(match.group()), text[start:end])
    at = comments.find(",")
    return None if at < 0 else start + at


def _written(text: str, content: object, *, indent: str) -> str:
    lines = json.dumps(content, ensure_ascii=False, indent=_unit(text)).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _indent(text: str, at: int) -> str:
    """The blanks that the line around `at` begins with."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the document has it."""
    found = _pattern("unit").search(text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
