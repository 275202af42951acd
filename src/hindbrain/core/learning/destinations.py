"""What each of the six destinations is on a disk: which files a rule changes there, and into what.

Everything is computed from a suggestion and from the files as they are, so that a change can be made anew when a file
has moved on, and taken back when others stand on top of it.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from hindbrain.core.hints import Any
from hindbrain.core.learning.page import bytes_of, text_of, with_item, with_line, without_item, without_line
from hindbrain.core.model.suggestion import Destination, Edit, Suggestion
from hindbrain.core.setup import jsonc
from hindbrain.core.skills import read, render
from hindbrain.core.value import dataclass

SECTION = "Lessons"  # the heading below which rules stand
INDEX = "MEMORY.md"  # of the reflexes
MARK = "source"  # in the head of a file that was made here: the suggestion's id
_FEW = 400  # bytes of a CLAUDE.md that does nothing but point to AGENTS.md

Place = tuple[str, str]  # folder, path below it
Has = Callable[[Place], bytes | None]  # the file as it is


class Taken(ValueError):
    """The file that a rule should make is there already, and says something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    root: str  # top of the code base
    reflex: str  # folder of the reflexes
    vault: str  # folder of the doctrine


def targets(suggestion: Suggestion, places: Places, *, has: Has) -> tuple[Place, ...]:
    """The files that a new rule stands in, by names that are free where it makes a file of its own."""
    name, root = suggestion.name, places.root
    match suggestion.destination:
        case Destination.CLAUDE_MD:
            return ((root, _instructions(root, has)),)
        case Destination.SETTINGS_JSON:
            return ((root, ".claude/settings.json"),)
        case Destination.SKILL:
            return ((root, f".claude/skills/{name}/SKILL.md"),)
        case Destination.MEMORY:
            kind = str(suggestion.data.get("kind") or "feedback")
            stem = f"{kind}_{name.replace('-', '_')}"
            return (_free(places.reflex, stem, has=has), (places.reflex, INDEX))
        case Destination.BRAIN_INBOX:
            return (_free(places.vault, f"inbox/{name}", has=has),)
        case Destination.CHANTIER_OUTIL:
            return (_free(root, f"chantiers/{name}", has=has),)


def contents(suggestion: Suggestion, present: Sequence[bytes | None]) -> tuple[bytes | None, ...]:
    """What the files of `suggestion.edits` become, in their order, when they are as `present` has them.

    Taken when a file that is to be made is there already, NotJson when settings are none.
    """
    if suggestion.removes:
        return _without(suggestion, present)
    match suggestion.destination:
        case Destination.CLAUDE_MD:
            return (_listed(suggestion, present[0]),)
        case Destination.SETTINGS_JSON:
            return (_set(suggestion, present[0]),)
        case Destination.SKILL if "skill" in suggestion.data:
            return (bytes_of(_promoted(suggestion)),)
        case Destination.SKILL if present[0] is not None:
            return (_listed(suggestion, present[0]),)
        case Destination.MEMORY:
            return (_new(suggestion, present[0]), _indexed(suggestion, present[1]))
        case _:
            return (_new(suggestion, present[0]),)


def taken_back(suggestion: Suggestion, present: Sequence[bytes | None]) -> tuple[bytes | None, ...]:
    """The files without the rule, whatever else has become of them."""
    if not suggestion.removes:
        return _without(suggestion, present)
    return _again(suggestion, present)


def diff(edits: Sequence[Edit]) -> str:
    """All changes as one unified diff, with paths as `git diff` writes them. Linear: a rule changes one place."""
    return "".join(_hunk(edit) for edit in edits if edit.before != edit.after)


def _again(removal: Suggestion, present: Sequence[bytes | None]) -> tuple[bytes | None, ...]:
    """What a removal took away, back in its files; a file of the rule's own as it was."""
    found = [
        edit.before if edit.after is None and now is None else now
        for edit, now in zip(removal.edits, present, strict=True)
    ]
    if removal.destination is Destination.CLAUDE_MD:
        return (_listed(removal, found[0]),)
    if removal.destination is Destination.SETTINGS_JSON:
        return (_set(removal, found[0]),)
    return (found[0], _indexed(removal, found[1])) if removal.destination is Destination.MEMORY else tuple(found)


def _instructions(root: str, has: Has) -> str:
    """CLAUDE.md, or AGENTS.md where a project uses that: alone, or with a CLAUDE.md that only points there."""
    claude = has((root, "CLAUDE.md"))
    if has((root, "AGENTS.md")) is not None:
        if claude is None or (len(claude) < _FEW and b"AGENTS.md" in claude):
            return "AGENTS.md"
    elif claude is None and has((root, ".claude/CLAUDE.md")) is not None:
        return ".claude/CLAUDE.md"
    return "CLAUDE.md"


def _free(folder: str, stem: str, *, has: Has) -> Place:
    number, path = 1, f"{stem}.md"
    while has((folder, path)) is not None and number < _MOST:
        number += 1
        path = f"{stem}-{number}.md"
    return folder, path


_MOST = 1_000


def _listed(suggestion: Suggestion, present: bytes | None) -> bytes:
    return bytes_of(with_item(text_of(present or b""), suggestion.text, section=SECTION))


def _unlisted(suggestion: Suggestion, present: bytes) -> bytes:
    return bytes_of(without_item(text_of(present), suggestion.text, section=SECTION))


def _indexed(suggestion: Suggestion, present: bytes | None) -> bytes:
    name = _own_name(suggestion)
    title = _plain(suggestion.title) or suggestion.name
    return bytes_of(with_line(text_of(present or b""), f"[{title}]({name}) — {_short(suggestion.text)}", key=name))


def _own_name(suggestion: Suggestion) -> str:
    return suggestion.edits[0].path.rpartition("/")[2]


def _new(suggestion: Suggestion, present: bytes | None) -> bytes:
    made = bytes_of(_DOCUMENTS[suggestion.destination](suggestion))
    if present not in (None, made):
        raise Taken(f"{suggestion.edits[0].path} is there already")
    return made


def _without(suggestion: Suggestion, present: Sequence[bytes | None]) -> tuple[bytes | None, ...]:
    own = present[0]
    match suggestion.destination:
        case Destination.CLAUDE_MD:
            return (None if own is None else _unlisted(suggestion, own),)
        case Destination.SETTINGS_JSON:
            return (None if own is None else _unset(suggestion, own),)
        case Destination.SKILL if own is not None and (suggestion.removes or suggestion.id).encode() not in own:
            return (_unlisted(suggestion, own),)
        case Destination.MEMORY:
            index = present[1]
            kept = None if index is None else bytes_of(without_line(text_of(index), key=_own_name(suggestion)))
            return (None, kept)
        case _:
            return (None,)


def _setting(suggestion: Suggestion) -> tuple[list[str], Any]:
    at = suggestion.data.get("at")
    way = [str(key) for key in at] if isinstance(at, list) else []
    if len(way) != len(_WAY):
        raise jsonc.NotJson("the suggestion does not say which setting it is about")
    return way, suggestion.data.get("value")


_WAY = ("permissions", "deny")  # or ("env", NAME)


def _set(suggestion: Suggestion, present: bytes | None) -> bytes:
    text = text_of(present or b"")
    way, value = _setting(suggestion)
    if way[0] == "env":
        return bytes_of(jsonc.put(text, tuple(way), content=value))
    known = _list_at(jsonc.value(text), way)
    return bytes_of(text if value in known else jsonc.put(text, (*way, len(known)), content=value))


def _unset(suggestion: Suggestion, present: bytes) -> bytes:
    text = text_of(present)
    way, value = _setting(suggestion)
    data = jsonc.value(text)
    if way[0] == "env":
        known = data.get("env") if isinstance(data, dict) else None
        is_ours = isinstance(known, dict) and known.get(way[1]) == value
        return bytes_of(jsonc.cut(text, tuple(way))) if is_ours else present
    listed = _list_at(data, way)
    return bytes_of(jsonc.cut(text, (*way, listed.index(value)))) if value in listed else present


def _list_at(data: Any, way: Sequence[str]) -> list[Any]:
    for key in way:
        if not isinstance(data, dict):
            raise jsonc.NotJson(f"{key!r}: an object was expected around it")
        data = data.get(key, {} if key != way[-1] else [])
    if not isinstance(data, list):
        raise jsonc.NotJson(f"{way[-1]!r}: a list was expected")
    return data


def _memory(suggestion: Suggestion) -> str:
    kind = str(suggestion.data.get("kind") or "feedback")
    name = _own_name(suggestion).removesuffix(".md")
    head = {"name": name, "description": _short(suggestion.title or suggestion.text), "type": kind, MARK: suggestion.id}
    return f"{_head(head)}\n{suggestion.text}\n\n**Why:** {suggestion.title}\n"


def _note(suggestion: Suggestion) -> str:
    head = {"type": "concept", "status": "draft", "title": suggestion.title, MARK: suggestion.id}
    return f"{_head(head)}\n# {suggestion.title}\n\n{suggestion.text}\n"


def _work(suggestion: Suggestion) -> str:
    head = {"type": "chantier", "status": "open", "title": suggestion.title, MARK: suggestion.id}
    return (
        f"{_head(head)}\n# {suggestion.title}\n\n## Why\n\n{suggestion.text}\n\n## To do\n\n"
        "- [ ] Decide on the smallest tool or check that would have caught it.\n"
        "- [ ] Build it, with a test that fails without it.\n- [ ] Let it run by itself, and say where it reports.\n"
    )


def _skill(suggestion: Suggestion) -> str:
    """A skill as the open standard has it: a name, when to use it, and what to do."""
    steps = suggestion.data.get("steps")
    told = [f"{at}. {step}" for at, step in enumerate(steps, 1)] if isinstance(steps, list) else [suggestion.text]
    when = f"Use when this comes up: {suggestion.title}"[:1_000]
    head = {"name": suggestion.name, "description": when}
    body = "\n".join(told)
    return f"{_head(head)}\n# {suggestion.title}\n\n{body}\n\n<!-- {MARK}: {suggestion.id} -->\n"


def _promoted(suggestion: Suggestion) -> str:
    """A skill that was learned as a whole, as it was approved."""
    body = suggestion.data["skill"]
    return f"{render(read(body if isinstance(body, Mapping) else {}))}\n<!-- {MARK}: {suggestion.id} -->\n"


_DOCUMENTS: Mapping[Destination, Callable[[Suggestion], str]] = {
    Destination.MEMORY: _memory,
    Destination.BRAIN_INBOX: _note,
    Destination.CHANTIER_OUTIL: _work,
    Destination.SKILL: _skill,
}


def _head(values: Mapping[str, str]) -> str:
    """Between two lines of dashes. A text in JSON's quotes is one of YAML, too."""
    lines = (
        f"{name}: {value if _is_word(value) else json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    )
    return "\n".join(["---", *lines, "---", ""])


def _is_word(value: str) -> bool:
    return bool(value) and value.isascii() and value.replace("-", "").replace("_", "").isalnum() and not value.isdigit()


def _plain(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _HOOK else flat[: _HOOK - 1].rstrip() + "…"


_HOOK = 140  # characters that an index says of a file


def _hunk(edit: Edit) -> str:
    old, new = (_cut(side) for side in (edit.before, edit.after))
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    end = 0
    while end < min(len(old), len(new)) - same and old[-1 - end] == new[-1 - end]:
        end += 1
    first, last = max(0, same - _AROUND), min(end, _AROUND)
    head = [f" {line}" for line in old[first:same]]
    tail = [f" {line}" for line in old[len(old) - end : len(old) - end + last]]
    body = [f"-{line}" for line in old[same : len(old) - end]] + [f"+{line}" for line in new[same : len(new) - end]]
    names = [f"a/{edit.path}" if edit.before is not None else "/dev/null"]
    names.append(f"b/{edit.path}" if edit.after is not None else "/dev/null")
    spans = [_span(first, len(side) - first - end + last) for side in (old, new)]
    marked = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in head + body + tail
    )
    return f"--- {names[0]}\n+++ {names[1]}\n@@ -{spans[0]} +{spans[1]} @@\n{marked}"


_AROUND = 3  # lines of context


def _cut(content: bytes | None) -> list[str]:
    """Lines with their ends; carriage returns stay."""
    parts = (content or b"").decode("utf-8", "replace").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
