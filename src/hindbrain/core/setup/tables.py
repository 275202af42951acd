"""How a table is added to a TOML document that a person wrote, and taken out, without touching a letter of the rest.

TOML lets a table be written in many ways. Ours is written in one, at the end; what looks otherwise is not ours to
change, and whoever calls this reads the result once more to see that it says what was meant.
"""

import json
from collections.abc import Mapping, Sequence

_BLANK = " \t"


def put(text: str, table: Sequence[str], *, content: Mapping[str, object]) -> str:
    """The document with a new table at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    lines = [_header(table), *(f"{name} = {_written(value)}" for name, value in content.items())]
    return text + gap + "".join(f"{line}{newline}" for line in lines)


def cut(text: str, table: Sequence[str]) -> str:
    """The document without that table and those below it, as far as they stand under headers of their own."""
    kept: list[str] = []
    is_inside = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare.startswith("["):
            was_inside, is_inside = is_inside, _is_header(bare, table)
            if is_inside and not was_inside and kept and not kept[-1].strip():
                kept.pop()  # the blank line that set it off
        elif is_inside and bare.startswith("#"):
            is_inside = False  # a person's words, and what follows them
        if not is_inside:
            kept.append(line)
    return "".join(kept)


def _header(table: Sequence[str]) -> str:
    return f"[{'.'.join(table)}]"


def _is_header(line: str, table: Sequence[str]) -> bool:
    name = line.partition("]")[0].lstrip("[").replace(" ", "").replace("\t", "").replace('"', "")
    wanted = ".".join(table)
    return name == wanted or name.startswith(f"{wanted}.")


def _written(value: object) -> str:
    """Strings, numbers, truths and lists of them are written alike in JSON and TOML; objects on one line nearly so."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_written(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
