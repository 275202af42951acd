"""Working memory as a document: which parts of CONTINUITY.md are ours to write, and how little they may say.

The headings of Q-17 and the two of the Loki document are managed; everything else in the file belongs to whoever wrote
it and keeps every byte. What a person added under one of our headings since we wrote it last stays there, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.core.model.moment import stamp
from hindbrain.core.value import dataclass

MOST_BYTES = 2048  # of the managed part
TITLE = "# Session Continuity"
MEMORIES = "Relevant Memories (Auto-Retrieved)"
MISTAKES = "Mistakes to Avoid (From Learnings)"
_STATE, _DONE, _BLOCKERS, _NEXT = "Current State", "Last Completed Task", "Active Blockers", "Next Up"
_DECISIONS = "Key Decisions This Session"
_LEAST_NEEDED = (MEMORIES, MISTAKES, _DECISIONS, _DONE, _NEXT, _BLOCKERS, _STATE)  # shortened in this order
_LINE_BYTES = 180
_NOTHING = "- None"
_STAMP = "Updated: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """What the managed sections say, a line each. Memories are referred to, never told (LK-130)."""

    at: datetime
    current: Sequence[str] = ()
    done: Sequence[str] = ()
    blockers: Sequence[str] = ()
    next: Sequence[str] = ()
    decisions: Sequence[str] = ()
    memories: Sequence[str] = ()  # `[sem-001] …`, `[ep-…] …`, `[skill: name] …`
    mistakes: Sequence[str] = ()


def managed(working: Working) -> str:
    """Our part alone, at most MOST_BYTES."""
    return "".join(_section(head, lines) + "\n" for head, lines in _sections(working).items())


def renewed(document: str, working: Working, *, base: str = "") -> str:
    """`document` with our sections as they should be now; those that it lacks stand at its end.

    `base` is our part as it was written last: lines below our headings that are not in it are a person's.
    """
    end = "\r\n" if "\r\n" in document else "\n"
    sections = _sections(working)
    if not document.strip():
        said = "\n".join(_section(head, lines) for head, lines in sections.items())
        return f"{TITLE}\n\n{_STAMP}{stamp(working.at)}\n\n{said}".replace("\n", end)
    ours = {head: {line.rstrip() for line in _split(text)} for head, text in _parts(base) if head}
    written: list[str] = []
    left = dict(sections)
    parts = list(_parts(document))
    is_stamped = _stamped(parts[0][1] if parts[0][0] == "" else "", working.at) is not None
    for number, (head, text) in enumerate(parts):
        if head not in left:
            written.append(_with_stamp(text, working.at) if head == "" else text)
            continue
        lines = _own(left.pop(head), head, is_stamped=is_stamped, at=working.at)
        kept = _persons(text, ours.get(head, set())) if base else ()
        gap = end if number + 1 < len(parts) else ""
        written.append(_section(head, (*lines, *kept)).replace("\n", end) + gap)
    return "".join(written) + _appended("".join(written), left, end=end, is_stamped=is_stamped, at=working.at)


def joined(document: str, other: str, *, base: str = "") -> str:
    """`document`, and at its end what a person wrote in `other`, another state of it, and what it lacks."""
    held = {line.strip() for line in _split(document)}
    ours = {line.rstrip() for line in _split(base)}
    lacking: list[str] = []
    for head, text in _parts(other):
        if head in _LEAST_NEEDED:
            lacking += [line for line in _persons(text, ours) if line.strip() not in held]
        elif any(line.strip() not in held and not _is_stamp(line) for line in _split(text)):
            lacking.append(text.strip("\r\n"))
    if not lacking:
        return document
    end = "\r\n" if "\r\n" in document else "\n"
    return f"{document.rstrip()}{end}{end}{(end + end).join(lacking)}{end}"


def _appended(before: str, left: Mapping[str, Sequence[str]], *, end: str, is_stamped: bool, at: datetime) -> str:
    if not left:
        return ""
    gap = "" if before.endswith("\n") else end
    gap += "" if before.endswith(("\n\n", "\r\n\r\n")) else end
    said = [_section(head, _own(lines, head, is_stamped=is_stamped, at=at)) for head, lines in left.items()]
    return gap + "\n".join(said).replace("\n", end)


def has_content(document: str) -> bool:
    """Whether anything stands below our headings that would be lost by writing them."""
    return any(_persons(text, set()) for head, text in _parts(document) if head in _LEAST_NEEDED)


def _own(lines: Sequence[str], head: str, *, is_stamped: bool, at: datetime) -> Sequence[str]:
    """With the stamp, where the document has no place for it further up."""
    return (f"{_STAMP}{stamp(at)}", *lines) if head == _STATE and not is_stamped else lines


def _sections(working: Working) -> dict[str, list[str]]:
    """In the order of the document, cut to what they may take together."""
    said = {
        _STATE: working.current,
        _DONE: working.done,
        _BLOCKERS: working.blockers,
        _NEXT: working.next,
        _DECISIONS: working.decisions,
        MEMORIES: working.memories,
        MISTAKES: working.mistakes,
    }
    found = {head: [f"- {_cut(line)}" for line in lines if line.strip()] for head, lines in said.items()}
    size = sum(len(_section(head, lines).encode()) + 1 for head, lines in found.items())
    size += len(f"{_STAMP}{stamp(working.at)}\n")
    for head in _LEAST_NEEDED:
        while size > MOST_BYTES and len(found[head]) > 1:
            size -= len(found[head].pop().encode()) + 1
    return found


def _section(head: str, lines: Sequence[str]) -> str:
    return "\n".join((f"## {head}", "", *(lines or (_NOTHING,)), ""))


def _cut(line: str) -> str:
    """One line of so many bytes, in which nothing can open a fence."""
    plain = " ".join(line[: 4 * _LINE_BYTES].split()).replace("```", "`").replace("~~~", "~")
    if len(plain.encode("utf-8", "replace")) <= _LINE_BYTES:
        return plain.encode("utf-8", "replace").decode()
    return plain.encode("utf-8", "replace")[: _LINE_BYTES - 3].decode("utf-8", "ignore").rstrip() + "…"


def _parts(document: str) -> Iterator[tuple[str, str]]:
    """(heading, text with the heading) of our sections, each the first of its name, and of what lies in between
    ("": before the first heading, or below the title that the document begins with; "-": anything else)."""
    head, text, seen = "", list[str](), set[str]()
    for line, is_heading in _lines(document):
        if is_heading and (text or line.startswith("## ")):
            yield head, "".join(text)
            head, text = _named(line, seen), []
            seen.add(head)
        text.append(line)
    yield head, "".join(text)


def _named(line: str, seen: set[str]) -> str:
    name = line[3:].strip() if line.startswith("## ") else ""
    return name if name in _LEAST_NEEDED and name not in seen else "-"


def _lines(document: str) -> Iterator[tuple[str, bool]]:
    """Lines with their ends, and whether each is a heading of the first or second level outside of a fence. A fence
    that never closes is none: else all that is written after it would not be seen again."""
    lines = _split(document)
    marks = [at for at, line in enumerate(lines) if line.lstrip(" ").startswith(("```", "~~~"))]
    fenced = set[int]()
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        fenced.update(range(opening, closing + 1))
    for at, line in enumerate(lines):
        yield line, at not in fenced and line.startswith(("# ", "## "))


def _split(document: str) -> list[str]:
    """With their ends; only a line feed ends one."""
    *lines, last = document.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _persons(text: str, ours: set[str]) -> tuple[str, ...]:
    """Lines of a section that we did not write."""
    lines = (line.rstrip() for line in _split(text)[1:])
    return tuple(line for line in lines if line and line not in ours and line != _NOTHING and not _is_stamp(line))


def _is_stamp(line: str) -> bool:
    return line.startswith(_STAMP) and line[len(_STAMP) : len(_STAMP) + 4].isdigit()


def _stamped(text: str, at: datetime) -> str | None:
    """`text` with its stamp renewed; None where it has none."""
    lines = _split(text)
    for number, line in enumerate(lines):
        if _is_stamp(line):
            end = line[len(line.rstrip("\r\n")) :]
            return "".join((*lines[:number], f"{_STAMP}{stamp(at)}{end}", *lines[number + 1 :]))
    return None


def _with_stamp(text: str, at: datetime) -> str:
    return _stamped(text, at) or text
