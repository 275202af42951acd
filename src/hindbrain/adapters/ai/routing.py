"""Which model answers which use: what routing.yaml says, read anew when it changes, and what holds when it is broken.

    default: rules                 # every use that is not named below; without this line, the same
    embed:
      provider: mistral            # one word: the provider's usual model
    suggest:
      provider: openai
      model: qwen3:8b
      base_url: http://127.0.0.1:11434/v1

Two levels of names with texts and numbers: no more of YAML is understood, so there is nothing in it that could
surprise. A file that cannot be read changes nothing: what it last said is kept beside it, because a slip of the pen in
`embed` must not have all vectors made anew by another model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from hindbrain.adapters.ai.plan import Plan
from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass, names_of, replace

NAME, LAST = "routing.yaml", "routing.last.yaml"
DEFAULT, EMBED = "default", "embed"
_LARGEST = 64 * 1024  # bytes
_MOST_LINES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What stands in the file for one use, not yet judged."""

    line: int
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    plans: Mapping[str, Plan]
    warnings: tuple[str, ...] = ()


class Routing:
    """Of one home. Threads may share it."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, NAME)
        self._last = os.path.join(home, LAST)
        self._seen: object = ""
        self._said = _Said(plans={})

    def plan(self, use: str) -> Plan:
        """Who answers `use` now."""
        plans = self._present().plans
        if use in plans:
            return plans[use]
        if use == EMBED:
            return Plan(provider="local", model="all-MiniLM-L6-v2", use=use)
        return replace(plans.get(DEFAULT, Plan(provider="rules")), use=use)

    def uses(self) -> tuple[str, ...]:
        """Those that the file names."""
        return tuple(use for use in self._present().plans if use != DEFAULT)

    def warnings(self) -> tuple[str, ...]:
        return self._present().warnings

    def _present(self) -> _Said:
        mark = _mark(self._path)
        if mark != self._seen:
            self._said = self._read(mark)
            self._seen = mark
        return self._said

    def _read(self, mark: object) -> _Said:
        if mark is None:
            if not os.path.exists(self._last):
                return _Said(plans={})
            return _Said(plans={}, warnings=(f"{self._path} is gone: every use goes by the default",))
        try:
            text = _text(self._path)
            found = parse(text)
        except (OSError, ValueError) as error:
            before = self._before()
            kept = "what it last said" if before else "the default"
            return _Said(plans=before, warnings=(f"{self._path} cannot be used: {error}; {kept} holds",))
        plans, warnings = _judged(found)
        if not warnings:
            _keep(text, self._last)
        elif lost := {use: plan for use, plan in self._before().items() if use in found and use not in plans}:
            plans |= lost
        return _Said(plans=plans, warnings=tuple(f"{self._path} {warning}" for warning in warnings))

    def _before(self) -> dict[str, Plan]:
        """What the file said when it last was in order: to this process, or to any."""
        if self._said.plans:
            return dict(self._said.plans)
        try:
            return _judged(parse(_text(self._last)))[0]
        except (OSError, ValueError):
            return {}


def parse(text: str) -> dict[str, Entry]:
    """What the file says of each use; ValueError names the line that is not understood."""
    found: dict[str, Entry] = {}
    use = ""
    for number, line in _lines(text):
        name, value = _pair(line.strip(), number=number)
        if line[0] != " ":
            _refuse_twice(name, found, number=number)
            use = "" if value else name
            found[name] = Entry(line=number, options={"provider": value} if value else {})
        elif not use:
            raise ValueError(f"line {number}: an option must stand below the name of a use")
        else:
            _refuse_twice(name, found[use].options, number=number)
            found[use] = replace(found[use], options={**found[use].options, name: value})
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Those that say something, with their numbers."""
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > _MOST_LINES:
        raise ValueError(f"it has more than {_MOST_LINES} lines")
    is_head = True
    for number, line in enumerate(lines, start=1):
        bare = line.strip()
        if bare and not bare.startswith("#") and not (is_head and bare == "---"):
            is_head = False
            yield number, line


def _pair(bare: str, *, number: int) -> tuple[str, str]:
    name, colon, value = bare.partition(":")
    if not colon or (value and value[0] not in " \t") or not name.replace("_", "").replace("-", "").isalnum():
        raise ValueError(f"line {number}: not `name: value`")
    return name, _scalar(value.strip(), number=number)


def _scalar(value: str, *, number: int) -> str:
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        rest = value[end + 1 :].strip()
        if end < 0 or (rest and not rest.startswith("#")) or "\\" in value[:end]:
            raise ValueError(f"line {number}: a text between quotes does not end where the line does")
        return value[1:end]
    if value[:1] in set("[]{}&*!|>%@`") or value == "-" or value.startswith("- "):
        raise ValueError(f"line {number}: only plain texts and numbers are understood")
    return "" if value.startswith("#") else value.partition(" #")[0].rstrip()


def _refuse_twice(name: str, known: Mapping[str, object], *, number: int) -> None:
    if name in known:
        raise ValueError(f"line {number}: {name} stands there twice")


def _judged(found: Mapping[str, Entry]) -> tuple[dict[str, Plan], list[str]]:
    """A plan for each use that makes sense, and what is wrong with the others."""
    plans: dict[str, Plan] = {}
    warnings: list[str] = []
    for use, entry in found.items():
        try:
            plans[use] = _plan(use, entry)
        except ValueError as error:
            warnings.append(f"line {entry.line}: {use}: {error}; it goes by the default, or what was last said of it")
    return plans, warnings


def _plan(use: str, entry: Entry) -> Plan:
    from hindbrain.adapters.ai.providers import completed

    bare = Plan(provider="", use=use)
    known = [name for name in names_of(bare) if name != "use"]
    values: dict[str, Any] = {}
    for name, text in entry.options.items():
        if name not in known:
            raise ValueError(f"there is no option {name!r} (there are: {', '.join(known)})")
        values[name] = _typed(name, text, kind=type(getattr(bare, name)))
    return completed(replace(bare, **values))


def _typed(name: str, text: str, *, kind: type) -> object:
    if kind is str:
        return text
    try:
        number: float = int(text) if kind is int else float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}") from None
    if name != "temperature" and not 0 <= number < float("inf"):
        raise ValueError(f"{name} must not be {text}")
    return number


def _mark(path: str) -> object:
    """What changes when the file does; None when there is none."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    return known.st_ino, known.st_size, known.st_mtime_ns


def _text(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST} bytes")
    return data.decode("utf-8-sig")


def _keep(text: str, path: str) -> None:
    """Best effort: without it only the next slip of the pen weighs more."""
    try:
        if os.path.exists(path) and _text(path) == text:
            return
        fresh = f"{path}.{os.getpid()}"
        with open(os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
            file.write(text)
        os.replace(fresh, path)
    except (OSError, ValueError):
        return
