"""Which parts of a text are secrets: every reader is asked, on the text as written and in its disguises."""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.door import assignments, forms, vendors
from hindbrain.core.door.credible import is_random, is_stand_in, words
from hindbrain.core.door.disguise import Disguise, disguises
from hindbrain.core.door.span import Run, Span, settle


def find(text: str) -> list[Span]:
    """Secrets in `text`, in order, disjoint. `text` must be disarmed: an unseen character can split a key."""
    spans = list(_plain(text))
    for disguise in disguises(text):
        spans.extend(_behind(disguise))
    return settle(text, spans)


def _plain(text: str) -> Iterator[Span]:
    lowered = _lower(text)
    yield from vendors.anchored(text)
    yield from forms.find(text, lowered)
    yield from assignments.find(text, lowered)
    yield from _runs(text)


def _behind(disguise: Disguise) -> Iterator[Span]:
    for span in settle(disguise.text, _plain(disguise.text)):
        start, end = disguise.origin(span.start, span.end)
        yield span._replace(start=start, end=end)


def _lower(text: str) -> str:
    """Lower case, character for character: U+0130 is the only one that would become two."""
    return text.replace("\u0130", "I").lower()


def _runs(text: str) -> Iterator[Span]:
    for match in _run().finditer(text):
        run = Run(*match.span())
        if text[run.start - 1 : run.start + 1] in ("\\n", "\\t", "\\r"):
            run = run._replace(start=run.start + 1)
        span = vendors.in_run(text, run.start)
        if not span and not text.startswith(("...", "…"), run.end):  # a key cut short opens nothing
            span = _named(text, run)
        if span:
            yield span


def _named(text: str, run: Run) -> Span | None:
    """A run that is no vendor's, but told to be a secret by what is before it or in it."""
    body = text[run.start : run.end]
    if not is_random(body) and sum(map(str.isdigit, body[:256])) < 6:
        return None
    readers = (assignments.before_run, assignments.inside_run, _staged, _prefixed, _assigned, _alone)
    span = next(filter(None, (read(text, run) for read in readers)), None)
    rest = _rest().match(text, run.end)
    return span._replace(end=rest.end()) if span and rest else span


def _staged(text: str, run: Run) -> Span | None:
    """A vendor's prefix with the stage in it: `acme_live_…`."""
    match = _stage().match(text, *run)
    if not match or is_stand_in(match[1]) or not any(map(str.isdigit, match[1])):
        return None
    return Span(run.start, match.end(), "api-key", 0)


def _prefixed(text: str, run: Run) -> Span | None:
    """A key of a vendor we have no row for: a short prefix, then 32 or more random mixed characters."""
    match = _unknown().fullmatch(text, *run)
    if not match or match[1].lower() in _IDENTIFIERS or not _is_scrambled(match[2]):
        return None
    return Span(*run, "api-key", 0)


def _assigned(text: str, run: Run) -> Span | None:
    """A long random value that some name is set to, unless the name says that it is public."""
    if run.end - run.start < 32 or not _setting().search(text[max(0, run.start - 48) : run.start]):
        return None
    if text.startswith("sha", run.start) or not _is_scrambled(text[run.start : run.end]):
        return None
    return Span(*run, "credential", 0)


def _alone(text: str, run: Run) -> Span | None:
    """Forty or more random characters of all classes that stand by themselves."""
    if run.end - run.start < 40 or text.startswith("sha", run.start):
        return None
    is_apart = text[run.start - 1 : run.start] in _APART and text[run.end : run.end + 1] in _APART
    return Span(*run, "credential", 0) if is_apart and _is_scrambled(text[run.start : run.end]) else None


def _is_scrambled(body: str) -> bool:
    """Lower case, upper case and digits, at random."""
    tests = (str.islower, str.isupper, str.isdigit)
    return not is_stand_in(body) and all(any(map(test, body)) for test in tests) and is_random(body)


_APART = frozenset(("", " ", "\n", "\t", '"', "'", "`"))
# Prefixes of long public identifiers and digests.
_IDENTIFIERS = words("sha1 sha256 sha384 sha512 md5 chatcmpl gen resp msg req call toolu run thread asst file")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_\-]{15,}")


@cache
def _unknown() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z][A-Za-z0-9]{1,9})[_-](?:[a-z0-9]{1,8}_){0,2}([A-Za-z0-9]{32,})")


@cache
def _stage() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9]{1,11}_(?:live|test|prod|sandbox)_([A-Za-z0-9]{16,})")


@cache
def _setting() -> re.Pattern[str]:
    """A name and `=` or `:`, with or without quotes."""
    public = "hash|sha[0-9]*|sum|digest|integrity|etag|ids?|cursor|commit|rev|url|uri|href|src|nonce"
    return re.compile(
        rf"(?i)(?<![\w-])(?!\w*(?:{public})['\"]?\s?[:=])"
        r"[a-z_][\w.-]{2,40}['\"]?\s{0,4}(?:=|:|:=|=>)\s{0,4}['\"`]?$"
    )


@cache
def _rest() -> re.Pattern[str]:
    """What belongs to a key after its first run: base64 signs, and further parts after a dot."""
    return re.compile(r"(?:[+/=~][\w+/=~\-]*+|\.[\w\-]{8,}+)++")
