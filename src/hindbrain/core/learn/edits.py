"""What of an edit is worth telling: the lines that went and came, without those that only close a bracket."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from hindbrain.core.model.activity import Activity
from hindbrain.core.value import dataclass

_READ = 40_000  # characters of either text
_LINES = 3  # told of either side
_LINE = 120  # characters told of one line


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    path: str
    gone: tuple[str, ...] = ()  # lines, stripped
    come: tuple[str, ...] = ()
    is_new_file: bool = False


def essence(old: str, new: str) -> str:
    """The lines of an edit that differ, as `- gone` and `+ come`: what the detail of an `edit` activity holds."""
    before, after = _lines(old), _lines(new)
    was, now = set(before), set(after)
    gone, come = [line for line in before if line not in now], [line for line in after if line not in was]
    return "\n".join([*(f"- {line[:400]}" for line in gone[:40]), *(f"+ {line[:400]}" for line in come[:40])])


def edit_of(activity: Activity) -> Edit:
    """An `edit` activity, whether it tells the old and the new text or only the lines that differ."""
    old, new = (
        _told(activity.data, ("old", "old_text", "old_string")),
        _told(activity.data, ("new", "new_text", "content")),
    )
    detail = essence(old, new) if old or new else activity.detail
    gone = tuple(line[2:].strip() for line in detail.splitlines() if line.startswith("- "))
    come = tuple(line[2:].strip() for line in detail.splitlines() if line.startswith("+ "))
    is_new = bool(activity.data.get("is_new")) or bool(
        come and not gone and not old and activity.data.get("tool") == "Write"
    )
    return Edit(path=_relative(activity), gone=_telling(gone), come=_telling(come), is_new_file=is_new)


def merged(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """One for each file: what was put in and taken out again in between never happened."""
    by_path: dict[str, Edit] = {}
    for edit in edits:
        known = by_path.get(edit.path)
        if known is None:
            by_path[edit.path] = edit
            continue
        undone = set(known.come) & set(edit.gone)
        redone = set(known.gone) & set(edit.come)
        gone = tuple(dict.fromkeys(line for line in (*known.gone, *edit.gone) if line not in undone | redone))
        come = tuple(dict.fromkeys(line for line in (*known.come, *edit.come) if line not in undone | redone))
        by_path[edit.path] = Edit(path=edit.path, gone=gone, come=come, is_new_file=known.is_new_file)
    return tuple(by_path.values())


def told(edit: Edit) -> str:
    """One clause: `src/a.py`: replaced `x` with `y`."""
    gone, come = _quoted(edit.gone), _quoted(edit.come)
    if gone and come:
        return f"`{edit.path}`: replaced {gone} with {come}"
    if come:
        return f"`{edit.path}`: {'wrote the file, with' if edit.is_new_file else 'added'} {come}"
    return f"`{edit.path}`: removed {gone}" if gone else f"edited `{edit.path}`"


def _quoted(lines: Sequence[str]) -> str:
    shown = [f"`{_cut(line)}`" for line in lines[:_LINES]]
    more = len(lines) - _LINES
    return ", ".join(shown) + (f" and {more} more lines" if more > 0 else "")


def _cut(line: str) -> str:
    line = line.replace("`", "'")
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text[:_READ].splitlines() if line.strip()]


def _told(data: Mapping[str, object], names: Iterable[str]) -> str:
    return next((str(data[name]) for name in names if isinstance(data.get(name), str) and data[name]), "")


def _telling(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if _has_words().search(line))


def _relative(activity: Activity) -> str:
    """The path as the project knows it."""
    path = activity.subject.strip()
    for name in ("root", "cwd"):
        folder = activity.data.get(name)
        if isinstance(folder, str) and folder and path.startswith(folder.rstrip("/") + "/"):
            return path[len(folder.rstrip("/")) + 1 :]
    return path


@cache
def _has_words() -> re.Pattern[str]:
    return re.compile(r"\w{2}")
