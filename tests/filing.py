"""Folders of a person's files for tests: a project with a reflex folder, and a vault."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hindbrain.adapters import tree
from hindbrain.adapters.lease import alone
from hindbrain.adapters.pages import LocalPages
from hindbrain.app.tools import Tools
from hindbrain.core.value import replace


def equipped(tools: Tools, home: Path, **settings: object) -> Tools:
    """Tools that may read and write files, with a home of their own."""
    home.mkdir(exist_ok=True)
    changed = replace(tools.settings, home=str(home), **settings)  # type: ignore[arg-type]
    locked = replace(tools, settings=changed, folders=tree, lock=lambda name: alone(str(home / f"{name}.lock")))
    return replace(locked, pages=LocalPages())


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def fingerprint(*folders: Path) -> str:
    """Of every file below, with its name."""
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            found.update(f"{path}\0".encode() + path.read_bytes())
    return found.hexdigest()


def reflex_file(name: str, description: str, text: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: feedback\n---\n{text}\n"
