"""What stands between two `---` lines at the top of a note: names with texts, lists, and one level of names below.

Only this much of YAML is understood. There are no anchors, no tags and no nesting to speak of, so a few bytes can
never become a million; what is not understood is a text as it stands.
"""

import re
from typing import Any

_FENCE = "---"
_MOST_LINES = 500
_NAMED = re.compile(r"(?P<name>[A-Za-z_][\w .-]{0,100}?)[ \t]*:(?:[ \t]+(?P<value>.*)|[ \t]*)$")


def split(text: str) -> tuple[dict[str, Any], str]:
    """The head as values, and the body. Without a head, or with one that never ends, the text is all body."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        return {}, text
    for number, line in enumerate(lines[1 : _MOST_LINES + 1], start=1):
        if line.rstrip() == _FENCE:
            return _values(lines[1:number]), "\n".join(lines[number + 1 :])
    return {}, text


def fault_of(text: str) -> str:
    """Why the head of `text` is not understood in full; "" when it is, or when there is none."""
    lines = text.split("\n", _MOST_LINES + 2)
    if lines[0].rstrip() != _FENCE:
        return ""
    end = next((at for at, line in enumerate(lines[1 : _MOST_LINES + 1], start=1) if line.rstrip() == _FENCE), 0)
    if not end:
        return "its head never ends"
    has_name = False
    for number, line in enumerate(lines[1:end], start=2):
        if not _is_understood(line, has_name=has_name):
            return f"line {number} of its head is not understood"
        has_name = has_name or bool(_NAMED.match(line.rstrip()))
    return ""


def _is_understood(line: str, *, has_name: bool) -> bool:
    bare = line.strip()
    if not bare or bare.startswith("#") or (has_name and _is_inner(line, bare)):
        return True
    match = _NAMED.match(line.rstrip())
    return match is not None and not _is_open(match["value"] or "")


def _is_inner(line: str, bare: str) -> bool:
    """Whether a line belongs to the name above it."""
    return line[0] in " \t" or bare == "-" or bare.startswith("- ")


def _is_open(value: str) -> bool:
    """Whether something was begun here that should have ended on the same line."""
    begun = value.strip()[:1]
    ends = {"[": "]", '"': '"', "'": "'", "{": "}"}
    return begun in ends and (len(value.strip()) < 2 or not value.strip().split(" #")[0].rstrip().endswith(ends[begun]))


def _values(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    name = ""
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if name and _is_inner(line, bare):
            found[name] = _with(found[name], bare)
        elif match := _NAMED.match(line.rstrip()):
            name = match["name"]
            found[name] = _value(match["value"] or "")
    return found


def _with(known: Any, line: str) -> Any:
    """What a name has, with one more line that stands below it."""
    if line == "-" or line.startswith("- "):
        items = known if isinstance(known, list) else []
        return [*items, _value(line[1:].strip())]
    match = _NAMED.match(line)
    if match and not (isinstance(known, str) and known):
        inner = known if isinstance(known, dict) else {}
        return {**inner, match["name"]: _value(match["value"] or "")}
    return f"{known} {line}".strip(" |>") if isinstance(known, str) else known


def _value(text: str) -> Any:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in text[1:-1].split(",") if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text.split(" #", 1)[0].rstrip() if " #" in text else text
