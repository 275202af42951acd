"""What it takes to call all that is kept sound: rows, indexes, vectors, links, decisions, files and records."""

from collections.abc import Iterator, Mapping, Sequence

from hindbrain.app import log, sync
from hindbrain.app.doctor import Finding
from hindbrain.app.tools import Tools
from hindbrain.core.model.backup import Mended
from hindbrain.core.value import dataclass
from hindbrain.errors import HindbrainError, StoreDamaged
from hindbrain.ports import Damage

_REPAIR = "hindbrain fsck --repair"
_SORTS: Mapping[str, tuple[str, ...]] = {  # part -> how the places of its damage begin
    "file": ("file", "schema", "store"),
    "words": ("word index",),
    "vectors": ("vectors",),
    "links": ("link ", "links"),
    "rows": ("",),
}
_SOUND = {
    "file": "every page is in its place, and the tables are those of this program",
    "words": "the index has the words of the memories, and no others",
    "vectors": "each is as it was made, and belongs to the words of its memory",
    "links": "every row that is spoken of is there",
    "rows": "every row has the hash it was written with",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    findings: tuple[Finding, ...]
    mended: Mended | None = None  # None: nothing had to be taken from a backup

    @property
    def is_sound(self) -> bool:
        return all(finding.is_ok for finding in self.findings)


def fsck(tools: Tools, *, is_repairing: bool = False) -> Checkup:
    """Look at all of it. With `is_repairing`, what can be made anew is, and what cannot comes from a backup."""
    damage = _damage(tools)
    mended = None
    if damage and is_repairing:
        mended, damage = _repaired(tools, damage)
    findings = (*_told(damage), *_decisions(tools), *_files(tools), _records(tools))
    return Checkup(findings=findings, mended=mended)


def _damage(tools: Tools) -> Sequence[Damage]:
    try:
        return tools.store.damage()
    except StoreDamaged as error:  # too far gone to be read row by row
        return (Damage(where="store", what=error.what, fix=_REPAIR),)


def _repaired(tools: Tools, damage: Sequence[Damage]) -> tuple[Mended | None, Sequence[Damage]]:
    """First what follows from the rows, then the rows. What was taken from a backup has its index made anew."""
    if all(one.where in ("word index", "vectors") or "search words" in one.what for one in damage):
        tools.store.repair()
        return None, _damage(tools)
    if tools.backups is None:
        return None, damage
    mended = tools.backups().mend(tools.clock.now())
    tools.store.repair()
    return mended, _damage(tools)


def _told(damage: Sequence[Damage]) -> Iterator[Finding]:
    left = list(damage)
    for name, starts in _SORTS.items():
        own = [one for one in left if one.where.startswith(starts)]
        left = [one for one in left if one not in own]
        if not own:
            yield Finding(name=name, is_ok=True, what=_SOUND[name])
        for one in own:
            yield Finding(name=name, is_ok=False, what=f"{one.where}: {one.what}", fix=_fix(one))


def _fix(damage: Damage) -> str:
    return _REPAIR if damage.fix.startswith("hindbrain") else damage.fix


def _decisions(tools: Tools) -> Iterator[Finding]:
    try:
        audited = log.audit(tools)
    except HindbrainError as error:
        yield Finding(name="decisions", is_ok=False, what=error.what, fix=error.fix)
        return
    if audited.fault is None:
        yield Finding(name="decisions", is_ok=True, what=f"{audited.entries} entries, one chain")
        return
    what = f"entry {audited.fault.seq}: {audited.fault.what}"
    fix = "`hindbrain restore BACKUP` with one that has it; `hindbrain audit verify` tells more"
    yield Finding(name="decisions", is_ok=False, what=what, fix=fix)


def _files(tools: Tools) -> Iterator[Finding]:
    """Files that follow the memories. Another hand in them is no damage: it is read back first."""
    if tools.folders is None or tools.dialect is None:
        return
    astray = [path for one in tools.store.projects() for path in sync.astray(one.id, name=one.name, tools=tools)]
    if not astray:
        yield Finding(name="files", is_ok=True, what="all that follow the memories are as they were written")
    for path in astray:
        what = f"{path} is not as it was written; what is new in it comes in"
        yield Finding(name="files", is_ok=True, what=what, fix="hindbrain sync")


def _records(tools: Tools) -> Finding:
    if tools.spool is None:
        return Finding(name="spool", is_ok=True, what="no hooks here")
    spool = tools.spool()
    spoiled, vitals = spool.spoiled(), spool.vitals()
    if spoiled:
        what = f"{spoiled} lines in {vitals['path']} are no records any more"
        return Finding(
            name="spool",
            is_ok=False,
            what=what,
            fix="hindbrain worker --once takes up the others, and sets these aside",
        )
    what = f"{vitals['waiting_bytes']} bytes wait, {vitals['kept_bytes']} are kept until two backups hold them"
    return Finding(name="spool", is_ok=True, what=what)
