"""How a skill is written as Markdown, and what its sections mean."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

HEADING = "# Skill: "
_SECTIONS = {
    "prerequisites": "prerequisites",
    "steps": "steps",
    "common errors & fixes": "common_errors",
    "common errors and fixes": "common_errors",
    "exit criteria": "exit_criteria",
}
_POINT = re.compile(r"(?:[-*+]|\d{1,4}[.)])[ \t]+(?P<said>.*)")


def parsed(text: str, *, name: str) -> dict[str, Any]:
    """The body of the skill that `text` is. What stands outside of the known sections is its `description`."""
    body: dict[str, Any] = {"name": name}
    section, outside, points = "", list[str](), dict[str, list[list[str]]]()
    for line in text.split("\n"):
        if line.startswith("# "):
            body["name"] = line.removeprefix("# ").removeprefix("Skill:").strip() or name
        elif line.startswith("## "):
            section = _SECTIONS.get(line[3:].strip().casefold(), "")
            outside += [] if section else [line]
        elif section:
            _noted(points.setdefault(section, []), line)
        else:
            outside.append(line)
    said = {name: [" ".join(lines) for lines in found] for name, found in points.items()}
    body |= said | (
        {"common_errors": [_error(one) for one in said["common_errors"]]} if "common_errors" in said else {}
    )
    description = "\n".join(outside).strip()
    return body | ({"description": description} if description else {})


def rendered(name: str, body: Mapping[str, object], *, description: str) -> str:
    """The skill as a document; sections that have nothing are left out."""
    steps = [f"{number}. {said}" for number, said in enumerate(_texts(body, "steps"), start=1)]
    sections = {
        "Prerequisites": [f"- {said}" for said in _texts(body, "prerequisites")],
        "Steps": steps,
        "Common Errors & Fixes": [f"- {_fixed(one)}" for one in _list(body, "common_errors")],
        "Exit Criteria": [f"- {said}" for said in _texts(body, "exit_criteria")],
    }
    parts = [f"{HEADING}{' '.join(name.split())}", description.strip()]
    parts += ["\n".join((f"## {head}", *lines)) for head, lines in sections.items() if lines]
    return "\n\n".join(filter(None, parts)) + "\n"


def _noted(points: list[list[str]], line: str) -> None:
    """A point of a list, or a line that goes on with the last one."""
    bare = line.strip()
    match = _POINT.fullmatch(bare)
    if match and not line.startswith(("  ", "\t")):
        points.append([match["said"].strip()])
    elif bare and points:
        points[-1].append(bare)
    elif bare:
        points.append([bare])


def _error(said: str) -> dict[str, str]:
    error, _, fix = said.partition(": ")
    return {"error": error.strip(), "fix": fix.strip()}


def _fixed(one: object) -> str:
    if not isinstance(one, Mapping):
        return _line(one)
    error, fix = _line(one.get("error", "")), _line(one.get("fix", ""))
    return f"{error}: {fix}" if fix else error


def _texts(body: Mapping[str, object], name: str) -> list[str]:
    return [_line(said) for said in _list(body, name)]


def _list(body: Mapping[str, object], name: str) -> Sequence[object]:
    found = body.get(name)
    return found if isinstance(found, list) else []


def _line(said: object) -> str:
    return " ".join(str(said).split())
