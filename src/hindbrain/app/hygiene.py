"""What the month does: it tells a person what is amiss in the reflex folders and in the vault.

It mends nothing there. With `--apply` what it would have a person do is left as a draft in inbox/, once for the same
findings.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hindbrain.app import reflex, vault
from hindbrain.app.report import NIGHT, alone, reported
from hindbrain.app.shelf import cards, folders_of
from hindbrain.app.tools import Tools
from hindbrain.core import reflex as files
from hindbrain.core.digest import sha256
from hindbrain.core.learning.hygiene import Sheet, Untidy, untidy
from hindbrain.core.learning.report import written
from hindbrain.core.model.record import fingerprint
from hindbrain.core.value import dataclass
from hindbrain.core.vault import Broken
from hindbrain.errors import Unreadable
from hindbrain.ports import Changes

_TOLD = "hygiene/told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One reflex folder, with what is amiss there."""

    folder: str
    files: int
    found: Untidy


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanliness:
    is_applied: bool
    folders: tuple[Folder, ...]
    broken: tuple[Broken, ...]  # links of the vault
    draft: str  # where the proposal lies; "": there is none
    report: str
    text: str


def hygiene(*, is_applied: bool, tools: Tools, root: tuple[str, str] | None = None) -> Cleanliness:
    """One look at every folder that is known, and at the one of `root`, a project and its top. Locked when a dream or
    another look is going on."""
    with alone(NIGHT, tools=tools):
        at = tools.clock.now()
        tops = {name.removeprefix(reflex.ROOTS): top for name, top in tools.store.cursors(reflex.ROOTS).items()}
        tops |= dict([root] if root else [])
        looked = [_looked(project, top, tools=tools) for project, top in sorted(tops.items())]
        folders = tuple(one for one in looked if one)
        broken = _broken(tools)
        sections = _sections(folders, broken)
        draft = _proposed(sections, tools=tools) if is_applied else ""
        path, text = reported("hygiene", at, sections=sections, is_applied=is_applied, tools=tools)
    return Cleanliness(is_applied=is_applied, folders=folders, broken=broken, draft=draft, report=path, text=text)


def _looked(project: str, root: str, *, tools: Tools) -> Folder | None:
    folders, folder = folders_of(tools), reflex.folder_of(root, tools=tools)
    if not folder or not folders.is_there(folder):
        return None
    known = cards(reflex.shelf_of(project, root, tools=tools), tools=tools)
    memories = tools.store.memories([card.memory_id for card in known.values()])
    sheets = []
    for name, seen in folders.seen(folder, wants=files.wants).items():
        content = folders.content(folder, name)
        memory = memories.get(known[name].memory_id) if name in known else None
        if content is not None:
            text = content.decode("utf-8", "replace")
            sheet = Sheet(
                name=name,
                text=text,
                digest=sha256(content),
                changed_at=seen.changed_at,
                hits=memory.counters.recalled + memory.counters.cited if memory else 0,
                has_sort=bool(files.read(name, text).sort),
            )
            sheets.append(sheet)
    index = folders.content(folder, files.INDEX)
    found = untidy(sheets, index=None if index is None else index.decode("utf-8", "replace"), now=tools.clock.now())
    return Folder(folder=folder, files=len(sheets), found=found)


def _broken(tools: Tools) -> tuple[Broken, ...]:
    if not tools.settings.vault:
        return ()
    try:
        return vault.check(tools).broken
    except Unreadable:  # the disk is not there; `hindbrain vault` says so
        return ()


def _sections(folders: Sequence[Folder], broken: Sequence[Broken]) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {
        "Dead links": [f"{o.folder}/{name} names {to}" for o in folders for name, to in o.found.dead],
        "Copies": [f"{o.folder}/{name} is {other} once more" for o in folders for name, other in o.found.copies],
        "Names without a prefix": [f"{o.folder}/{name}" for o in folders for name in o.found.unnamed],
        "Not once in the index": [f"{o.folder}/{name}" for o in folders for name in o.found.unlisted],
        "Obsolete, to be archived by a person": [f"{o.folder}/{name}" for o in folders for name in o.found.obsolete],
    }
    # As code: a report that lies in the vault must not break the same links once more.
    sections["Broken links of the vault"] = [f"{one.path}:{one.line} `{one.link}`: {one.why}" for one in broken]
    return sections


def _proposed(sections: Mapping[str, Sequence[str]], *, tools: Tools) -> str:
    """A draft of what a person may want to do; "" when there is nothing to do, or it lies there already."""
    mark = fingerprint({title: list(lines) for title, lines in sections.items()})
    is_clean = not any(sections.values())
    if is_clean or not tools.settings.vault or tools.store.cursor(_TOLD) == mark:
        return ""
    if not Path(vault.folder_of(tools)).is_dir():
        return ""
    text = written("hygiene", tools.clock.now(), sections={k: v for k, v in sections.items() if v}, is_applied=False)
    body = text.partition("\n\n")[2]
    path = vault.filed(vault.Draft(title="Hygiene of the memory", text=body, type="hygiene"), tools=tools)
    tools.store.write(lambda tx: tx.apply(Changes(cursors={_TOLD: mark})))
    vault.sync(tools)
    return path
