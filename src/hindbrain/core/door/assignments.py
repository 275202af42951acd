"""How the value of a name that promises a secret is found, and told apart from prose and code.

Code, YAML, JSON, .env files, query strings, command lines and sentences write it in their own way; what they share
is a name, a separator and a value. A weak promise asks more of the value.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from hindbrain.core.door.credible import (
    is_placeholder,
    is_random,
    is_reference,
    is_request,
    is_stand_in,
    is_strong,
    is_uuid,
    wordiness,
    words,
)
from hindbrain.core.door.names import STEMS, Promise, kind, promise
from hindbrain.core.door.span import Run, Span
from hindbrain.core.hints import NamedTuple


def find(text: str, lowered: str) -> Iterator[Span]:
    """Values assigned to a name that promises a secret: code, YAML, JSON, .env, flags, query strings, sentences."""
    has_flags = " -" in text or text.startswith("-")
    for stem in STEMS:
        if stem not in lowered:
            continue
        for match in _assignment(stem).finditer(lowered):
            span = _value_after(text, match)
            if span:
                yield span
        for match in _flag(stem).finditer(lowered) if has_flags else ():
            span = _value_after(text, match, is_flag=True)
            if span:
                yield span


def before_run(text: str, run: Run) -> Span | None:
    """The run as a secret, if the words right before it say so: `vendor SECRET 8f3a…`."""
    before = text[max(0, run.start - 24) : run.start]
    told = before.rstrip(_BLANKS)
    if told.endswith((" is", " was")):
        told = told.rsplit(" ", 1)[0]
    if not 0 < len(before) - len(told) <= 10 or not told.lower().endswith(_TOLD):
        return None
    value = text[run.start : run.end]
    return None if is_stand_in(value) or not _is_drawn(value) else Span(run.start, run.end, kind(told[-12:]), 1)


def inside_run(text: str, run: Run) -> Span | None:
    """A secret glued to the word that names it: `vendor-secret-5f4dcc3b…`, `vendorKEY-ab12…`."""
    if text[run.start - 1 : run.start] in ("+", "/"):  # the middle of base64, where any word turns up
        return None
    for glue in _glue().finditer(text, run.start, min(run.end, run.start + 200)):
        value = text[glue.end() : run.end]
        if len(value) >= 16 and not is_stand_in(value) and _is_drawn(value):
            return Span(glue.end(), run.end, kind(glue[1]), 1)
    return None


_NAME = "_-.$0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BLANKS = " \t\n:=.#-\"'`)]>/"
_TOLD = (
    *("secret", "token", "key", "private", "access", "password", "passwd", "pwd", "auth"),
    *("credential", "credentials"),
)
_SEPARATOR = (
    r"(?:\\{0,3}[\"'`]|\]|\)|>|&quot;){0,3}+[ \t]{0,12}+"
    r"(?::\s{0,2}(?:optional\[)?(?:str|string|bytes|text|varchar)\]?\s{0,2}="
    r"|={1,3}>?|:{1,4}=?|!={1,2}|[?+]=|->|<-|,|%3d|%3a|\b(?:for|of) [\w@.\-]{1,40} ?[:=]|\bis\b|\bwas\b"
    r"|\{\s{0,40}(?:type\s{0,8}=\s{0,8}\w+\s{1,40})?default\s{0,8}=|\bor\b|\|\||\?\?)"
)


@cache
def _assignment(stem: str) -> re.Pattern[str]:
    """A name that contains `stem`, and what stands between it and its value. Runs over lower-cased text."""
    return re.compile(
        rf"(?P<name>{stem}[\w.\-$]{{0,48}}+){_SEPARATOR}[ \t]{{0,12}}+(?:\n[ \t]{{0,24}}+(?=[\"'`]))?(?!\w{{1,48}}=\w)"
    )


@cache
def _flag(stem: str) -> re.Pattern[str]:
    """An option of a command line and the blank before its value."""
    return re.compile(rf"(?P<name>{stem}[\w\-]{{0,24}}+)[ \t]{{1,3}}+(?=[^\s\-])")


def _value_after(text: str, match: re.Match[str], *, is_flag: bool = False) -> Span | None:
    name = _name_in(text, match)
    strength = promise(name)
    if not strength or (is_flag and name[0] != "-"):
        return None
    value = _value_at(text, match.end())
    joint = match[0].rstrip()[-1]  # the last letter of "is" or "was", a comma, or a sign
    if not value or (joint == "," and not _is_argument(match, name=name, value=value)):
        return None
    is_literal = value.is_quoted or (name.isupper() and match[0].endswith("="))  # DB_PASS=word, as in a .env file
    if not _is_secret(value.text, strength=strength, is_literal=is_literal, is_said=joint in "s,"):
        return None
    return Span(value.start, value.start + len(value.text), kind(name), 1)


class _Value(NamedTuple):
    start: int
    text: str
    is_quoted: bool


def _name_in(text: str, match: re.Match[str]) -> str:
    """The whole name around the stem that was found; 48 characters to either side are enough for any."""
    before = text[max(0, match.start() - 48) : match.start()]
    return before[len(before.rstrip(_NAME)) :] + text[match.start() : match.end("name")]


def _value_at(text: str, start: int) -> _Value | None:
    """The value that begins at `start`, unless it is masked."""
    match = _value().match(text, start)
    if not match or is_stand_in(match[0]):
        return None
    if match["quoted"] is None:
        return _Value(match.start("bare"), _trim(match["bare"]), False)
    return _Value(match.start("quoted"), match["quoted"], True)


def _is_argument(match: re.Match[str], *, name: str, value: _Value) -> bool:
    """`env('API_SECRET', 'a1b2…')`: both are literals of one line. A comma between words means nothing."""
    start = match.end("name") - len(name)
    opening = match.string[max(0, start - 1) : start]
    return value.is_quoted and opening in "\"'#" and "\n" not in match[0]


@cache
def _value() -> re.Pattern[str]:
    """A quoted string up to its own quote, or what runs on without blanks."""
    return re.compile(
        r"(?:[bfru@$]{0,2}(?P<q>\\{0,3}[\"'`]|&quot;)(?P<quoted>(?:(?!(?P=q))[^\n]){1,800}+)(?P=q))"
        r"|[\"'`]?(?P<bare>[^\s\"'`<>]{1,800}+)"
    )


def _trim(value: str) -> str:
    """Leave the punctuation of the sentence or the code around a bare value."""
    value = re.split(r"&(?:\w+=|amp;|quot;)|\\[nrt\"']|%26|;\s*$|,(?=\w+[:=])|/(?=\w+:)", value, maxsplit=1)[0]
    return value.rstrip(".,;:)]}\\")


@lru_cache(maxsize=4096)
def _is_secret(value: str, *, strength: Promise, is_literal: bool, is_said: bool) -> bool:
    """Whether `value` keeps the promise. A literal is quoted or set in an .env file; `is_said` means in a sentence."""
    if len(value) < 4 or value.lower() in _PLAIN or is_reference(value):
        return False
    if strength is Promise.PASSWORD:
        return not _is_wording(value) and _is_password(value, is_literal=is_literal, is_said=is_said)
    if len(value) < 8 or " " in value or is_placeholder(value):
        return False
    return _is_key(value, strength=strength, is_literal=is_literal) if not is_said else _is_said_key(value, strength)


def _is_wording(value: str) -> bool:
    """What tests, tutorials and forms write where a password goes."""
    if is_request(value) or _manual().fullmatch(value):
        return True
    return " " in value and (value.count(" ") > 2 or is_placeholder(value))


def _is_password(value: str, *, is_literal: bool, is_said: bool) -> bool:
    if is_literal:
        return len(value) >= 7 or (len(value) >= 5 and not (is_said and value.isalpha()))
    return len(value) >= 6 and _is_odd(value)


def _is_key(value: str, *, strength: Promise, is_literal: bool) -> bool:
    if strength is Promise.KEY:
        return _is_drawn(value) and not is_uuid(value)
    if value.isdigit():
        return len(value) >= 20
    return is_random(value) or (_is_odd(value) if is_literal else _is_scrambled(value))


def _is_said_key(value: str, strength: Promise) -> bool:
    return strength is Promise.SECRET and is_random(value)


def _is_odd(value: str) -> bool:
    """No word, no identifier, no number: letters with digits, or with symbols that names do not have."""
    if not any(map(str.isalpha, value)):
        return False
    if any(c in "!@#$%^&*?~+=" for c in value):
        return True
    return any(map(str.isdigit, value)) and (len(value) >= 8 or is_strong(value))


def _is_scrambled(value: str) -> bool:
    """Short, but with all of lower case, upper case and digits, and not readable."""
    tests = (str.islower, str.isupper, str.isdigit)
    return all(any(map(test, value)) for test in tests) and wordiness(value) < 0.6


def _is_drawn(value: str) -> bool:
    """Random and long enough to be a key, with the digits that keys have."""
    if value.isdigit():
        return len(value) >= 20
    if not is_random(value) or len(value) < 15:
        return False
    return any(map(str.isdigit, value)) or len(value) >= 20


_PLAIN = words(
    "string str text password passwd secret token required optional true false null none nil undefined boolean number "
    "integer varchar hidden input type name email username user admin root default enabled disabled bearer basic "
    "process return const function await async self this that with from your missing invalid empty blank unset"
)


@cache
def _glue() -> re.Pattern[str]:
    return re.compile(r"(?i)(secret|token|key|private|access|apikey|password)[_-]?(?=[A-Za-z0-9])")


@cache
def _manual() -> re.Pattern[str]:
    return re.compile(
        r"(?i)(?:(?:my|new|old|test|valid|invalid|wrong|correct|incorrect|user|db|admin|some|plain|hashed|the|a|secret"
        r"|secure|super|strong|same|current)[_-]?){1,3}(?:password|passwd|pass|pwd)"
    )
