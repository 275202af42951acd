"""What stands in a file of Dex' export format, and what is wrong with one that is not of that format."""

import json
import re
from collections.abc import Mapping
from datetime import datetime

from hindbrain.app.admission import admitted, kinds_removed
from hindbrain.app.compose import MAX_CHARACTERS
from hindbrain.core.dex_export import VERSION
from hindbrain.core.door import Passed, disarm
from hindbrain.core.hints import Any, NoReturn
from hindbrain.core.model import TYPES
from hindbrain.core.model.moment import read_stamp
from hindbrain.core.shape import title_of
from hindbrain.core.value import dataclass
from hindbrain.errors import BadJson, BadValue, TooLong

_FIELDS = (
    *("id", "type", "title", "content", "confidence", "tags", "file_refs"),
    *("created_by_hat", "source", "use_count", "persona"),
)
_OLDEST = read_stamp("1970-01-01")
_MOST_USES = 10**9
_MOST_KEYS = 100  # keys that nobody knows, as they are told to a person
_LONGEST_KEY = 80  # characters of one of them
_FIX = "import a file that `hindbrain export` wrote, or one of the same form"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory as a file tells it, after the door. None: the file does not say."""

    number: int  # 1-based
    id: str  # "" when it cannot serve as an id
    type: str
    title: str
    content: str
    confidence: float | None
    tags: tuple[str, ...] | None
    file_refs: tuple[str, ...] | None
    hat: str
    source: str
    use_count: int
    persona: str  # "": shared
    removed: tuple[str, ...]  # kinds that the door took out


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    project: str  # its name where the file was written
    exported_at: datetime | None
    entries: tuple[Entry, ...]
    ignored_keys: tuple[str, ...]


def read(text: str) -> Document:
    """The file, wholly checked. BadJson, BadValue or TooLong name the place that is wrong."""
    parsed = _parsed(text)
    if not isinstance(parsed, dict) or not isinstance(parsed.get("memories"), list):
        raise BadJson("the file is not an object with a list of memories", fix=_FIX)
    if type(parsed.get("version")) is not int or parsed["version"] != VERSION:
        raise BadJson(f"the file has version {parsed.get('version')!r:.80}, not {VERSION}", fix=_FIX)
    name = parsed.get("project") or ""
    if not isinstance(name, str):
        raise BadJson("project must be text", fix=_FIX)
    entries = tuple(_entry(number, item) for number, item in enumerate(parsed["memories"], start=1))
    return Document(
        project=admitted(name, name="the project's name").text,
        exported_at=_moment(parsed.get("exported_at")),
        entries=entries,
        ignored_keys=_ignored(parsed),
    )


def _parsed(text: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadJson(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}", fix=_FIX) from error
    except ValueError as error:
        raise BadJson(f"not JSON: {error}", fix=_FIX) from error
    except RecursionError:
        raise BadJson("not JSON that can be read: it is nested too deep", fix=_FIX) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _moment(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        moment = read_stamp(value) if isinstance(value, str) else _OLDEST
    except (ValueError, OverflowError):
        moment = _OLDEST
    if moment <= _OLDEST:
        raise BadJson(f"exported_at is not a time after 1970: {value!r:.80}", fix="write it as 2024-01-15T10:30:00Z")
    return moment


def _ignored(parsed: Mapping[str, Any]) -> tuple[str, ...]:
    outer = {name for name in parsed if name not in ("version", "project", "exported_at", "memories")}
    inner = {f"memories[].{name}" for item in parsed["memories"] for name in item if name not in _FIELDS}
    names = sorted(outer | inner)
    told = [disarm(name[:_LONGEST_KEY]) for name in names[:_MOST_KEYS]]
    return (*told, f"and {len(names) - len(told)} more") if len(names) > len(told) else tuple(told)


def _entry(number: int, item: object) -> Entry:
    if not isinstance(item, dict):
        raise BadJson(f"memory {number} is not an object", fix=_FIX)
    fields = _Fields(number=number, values=item)
    type_, content, title = fields.word("type"), fields.text("content"), fields.text("title")
    if type_ not in TYPES:
        raise BadValue(f"memory {number}: there is no type {type_!r:.80}", fix=f"use one of: {', '.join(TYPES)}")
    if not content.text.strip():
        raise BadValue(f"memory {number} has no content", fix="give it a text, or take it out of the file")
    hat, persona = fields.text("created_by_hat", default=""), fields.text("persona", default="")
    tags, refs = fields.texts("tags"), fields.texts("file_refs")
    return Entry(
        number=number,
        id=_usable(item.get("id")),
        type=type_,
        title=title.text if title.text.strip() else title_of(content.text),
        content=content.text,
        confidence=fields.share("confidence"),
        tags=None if tags is None else tuple(tag.text for tag in tags),
        file_refs=None if refs is None else tuple(ref.text for ref in refs),
        hat=hat.text,
        source=fields.word("source", default=""),
        use_count=fields.count("use_count"),
        persona=persona.text,
        removed=kinds_removed(content, title, hat, persona, *(tags or ()), *(refs or ())),
    )


def _usable(value: object) -> str:
    is_usable = isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value)
    return str(value) if is_usable else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fields:
    """One memory of a file, and how its fields are read. null is the same as absent."""

    number: int
    values: Mapping[str, Any]

    def word(self, name: str, *, default: str | None = None) -> str:
        """A text as it stands, to be looked up in a list of words and not to be kept otherwise."""
        value = self.values.get(name)
        value = default if value is None else value
        if not isinstance(value, str):
            self._wrong(name, "must be text")
        return value

    def text(self, name: str, *, default: str | None = None) -> Passed:
        return admitted(self.word(name, default=default), name=f"the {name} of memory {self.number}")

    def texts(self, name: str) -> tuple[Passed, ...] | None:
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(name, "must be a list of texts")
        if sum(len(item) + 1 for item in value) > MAX_CHARACTERS:  # an empty one costs as well
            raise TooLong(
                f"memory {self.number}: {name} have more than {MAX_CHARACTERS:,} characters together",
                fix="take some of them out of the file",
            )
        return tuple(admitted(item, name=f"memory {self.number}: one of {name}") for item in value)

    def share(self, name: str) -> float | None:
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self._wrong(name, "must be a number from 0 to 1")
        return float(value)

    def count(self, name: str) -> int:
        value = self.values.get(name)
        value = 0 if value is None else value
        if type(value) is not int or not 0 <= value <= _MOST_USES:
            self._wrong(name, f"must be a whole number from 0 to {_MOST_USES}")
        return value

    def _wrong(self, name: str, must: str) -> NoReturn:
        raise BadJson(f"memory {self.number}: {name} {must}", fix=_FIX)
