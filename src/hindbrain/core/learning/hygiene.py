"""What is amiss in the reflex folder: dead links, copies, names that say nothing, and files that nobody needs.

Only told, never mended: the folder is a person's.
"""

from collections.abc import Sequence
from datetime import datetime

from hindbrain.core.model.moment import days_between
from hindbrain.core.reflex import INDEX, links_of, missing, pointers, prefix_of
from hindbrain.core.value import dataclass

OBSOLETE_DAYS = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One file of the folder."""

    name: str
    text: str
    digest: str  # of its bytes
    changed_at: datetime
    hits: int = 0  # how often somebody asked and got it
    has_sort: bool = False  # its head says what it is, whatever its name


@dataclass(frozen=True, slots=True, kw_only=True)
class Untidy:
    dead: tuple[tuple[str, str], ...] = ()  # file, and what it names that is not there
    copies: tuple[tuple[str, str], ...] = ()  # file, and the other one with the same bytes
    unnamed: tuple[str, ...] = ()  # without one of the four prefixes
    unlisted: tuple[str, ...] = ()  # not exactly once in the master index
    obsolete: tuple[str, ...] = ()  # neither asked for nor linked to nor changed in a long time

    @property
    def count(self) -> int:
        return sum(map(len, (self.dead, self.copies, self.unnamed, self.unlisted, self.obsolete)))


def untidy(sheets: Sequence[Sheet], *, index: str | None, now: datetime) -> Untidy:
    """`index` is the text of the master index; None: there is none."""
    ordered = sorted(sheets, key=lambda sheet: sheet.name)
    names = {sheet.name for sheet in ordered}
    links = {sheet.name: tuple(dict.fromkeys(links_of(sheet.text))) for sheet in ordered}
    dead = [(name, target) for name, targets in links.items() for target in targets if _bare(target) not in names]
    if index is not None:
        dead += [(INDEX, target) for target in pointers(index) if _bare(target) not in names]
    linked = {_bare(target) for name, targets in links.items() for target in targets if _bare(target) != name}
    return Untidy(
        dead=tuple(dead),
        copies=tuple(_copies(ordered)),
        unnamed=tuple(sheet.name for sheet in ordered if not prefix_of(sheet.name) and not sheet.has_sort),
        unlisted=missing(sorted(names), index) if index is not None else (),
        obsolete=tuple(sheet.name for sheet in ordered if sheet.name not in linked and _is_old(sheet, now)),
    )


def _copies(sheets: Sequence[Sheet]) -> list[tuple[str, str]]:
    first: dict[str, str] = {}
    return [
        (sheet.name, first[sheet.digest])
        for sheet in sheets
        if first.setdefault(sheet.digest, sheet.name) != sheet.name
    ]


def _is_old(sheet: Sheet, now: datetime) -> bool:
    return not sheet.hits and days_between(sheet.changed_at, now) >= OBSOLETE_DAYS


def _bare(target: str) -> str:
    return target.rpartition("/")[2]
