"""What of Loki's working files is worth knowing later: its timeline, its signals and CONTINUITY.md."""

from collections.abc import Iterator, Mapping
from typing import Any

from hindbrain.core.model.foreign import Fate, Item, Told
from hindbrain.core.model.memory import Kind
from hindbrain.dialects.loki.record import LEARNINGS, read, time_of
from hindbrain.dialects.prose import points

MADE_ANEW = "an index: it is made anew from the memories"
Found = tuple[Item, Told | None]
_NOTHING = frozenset(("none", "(none)", "none yet", "(none yet)", "none recorded yet", "n/a", "-", "tbd", "nothing"))
_LISTS = {"patterns": Kind.PATTERN, "anti_patterns_caught": Kind.ANTI_PATTERN, "anti_patterns": Kind.ANTI_PATTERN}
_CYCLES = ("rarv_cycles", "cycles", "iterations", "recent_actions")
_SILENT = {"user_preference": "a setting that was in force, not a choice", "error_pattern": "an error without a cure"}
_LESSONS = ("lessons", "lessons_learned", "learnings")


def timeline(path: str, value: Mapping[str, Any]) -> Iterator[Found]:
    """Lessons that somebody wrote into it; the rest is an index of the episodes."""
    found = [*_cycle_lessons(path, value), *_listed(path, value)]
    yield from found or [(Item(where=path, fate=Fate.READ, reason=MADE_ANEW), None)]


def _cycle_lessons(path: str, value: Mapping[str, Any]) -> Iterator[Found]:
    for name in _CYCLES:
        cycles = value.get(name)
        for number, cycle in enumerate(cycles if isinstance(cycles, list) else [], start=1):
            if isinstance(cycle, dict):
                yield from _lessons(f"{path}#{name}/{number}", cycle)
    yield from _lessons(path, value)


def _lessons(where: str, holder: Mapping[str, Any]) -> Iterator[Found]:
    for name in _LESSONS:
        said = holder.get(name)
        for number, lesson in enumerate(said if isinstance(said, list) else [], start=1):
            place = f"{where}/{name}/{number}" if "#" in where else f"{where}#{name}/{number}"
            if isinstance(lesson, str) and _says(lesson):
                at = time_of(holder.get("timestamp"))
                commit = holder.get("commit")
                told = Told(
                    where=place,
                    content=lesson,
                    task=str(holder.get("module") or ""),
                    learned_at=at,
                    body={"git_commit": commit} if isinstance(commit, str) else {},
                )
                yield Item(where=place, fate=Fate.READ), told
            else:
                yield Item(where=place, fate=Fate.REJECTED, reason="says nothing"), None


def _listed(path: str, value: Mapping[str, Any]) -> Iterator[Found]:
    for name, kind in _LISTS.items():
        said = value.get(name)
        for number, record in enumerate(said if isinstance(said, list) else [], start=1):
            yield found_in(record, kind, where=f"{path}#{name}/{number}")


def found_in(record: object, kind: Kind, *, where: str, is_archived: bool = False) -> Found:
    """One element of a list as an item, with what it tells."""
    leaf = read(record, kind, where=where, is_archived=is_archived)
    if leaf.told is None:
        return Item(where=where, fate=Fate.REJECTED, reason=leaf.fault), None
    fate = Fate.REPAIRED if leaf.repair else Fate.READ
    return Item(where=where, fate=fate, reason=leaf.repair), leaf.told


def signal(path: str, value: Mapping[str, Any]) -> Found:
    """What the runner noted about itself. Most of it counts runs; an error with its cure, or a choice against
    something else, says something."""
    told = _error(path, value) or _preference(path, value)
    if told is not None:
        return Item(where=path, fate=Fate.READ), told
    reason = _SILENT.get(str(value.get("type")), "it counts runs, and says nothing about the work")
    return Item(where=path, fate=Fate.READ, reason=reason), None


def _error(path: str, value: Mapping[str, Any]) -> Told | None:
    cure = value.get("resolution")
    if value.get("type") != "error_pattern" or not isinstance(cure, str) or not _says(cure):
        return None
    called = {"error_type": "what_fails", "error_message": "why", "resolution": "prevention", "timestamp": "ts"}
    given = {called.get(name, name): said for name, said in value.items() if name != "type"}
    return read(given | {"told_in": LEARNINGS}, Kind.ANTI_PATTERN, where=path).told


def _preference(path: str, value: Mapping[str, Any]) -> Told | None:
    rejected = value.get("alternatives_rejected")
    named, chosen = value.get("preference_key"), value.get("preference_value")
    if value.get("type") != "user_preference" or not rejected or not isinstance(rejected, list) or not named:
        return None
    others = ", ".join(str(one) for one in rejected)
    return Told(
        where=path,
        content=f"For {named}, use {chosen}, not {others}",
        type="convention",
        id=str(value.get("id") or ""),
        learned_at=time_of(value.get("timestamp")),
    )


def continuity(path: str, text: str) -> Iterator[Found]:
    """Decisions and mistakes that somebody wrote down. What we wrote there ourselves refers to memories by their ids,
    and what stands under *From Learnings* has been learned already."""
    told = 0
    for line, said, headings in points(text):
        heading = (headings[-1] if headings else "").casefold()
        kind = _meant(heading)
        if not kind or not _says(said):
            continue
        where = f"{path}:{line}"
        if said.startswith("["):
            yield Item(where=where, fate=Fate.READ, reason="refers to a memory"), None
            continue
        told += 1
        yield Item(where=where, fate=Fate.READ), Told(where=where, content=said, type=kind)
    reason = f"working memory: {told} statements" if told else "working memory: nothing to keep for later"
    yield Item(where=path, fate=Fate.READ, reason=reason), None


def _meant(heading: str) -> str:
    """The type of what stands below; "" where it is of no use later."""
    if "from learnings" in heading:
        return ""
    if "decision" in heading:
        return "decision"
    return "pitfall" if "mistake" in heading or heading in ("learnings", "lessons", "lessons learned") else ""


def _says(text: str) -> bool:
    bare = text.strip().casefold().rstrip(".")
    return bare not in _NOTHING and any(map(str.isalnum, bare))
