"""What a person changed by hand in a file that we wrote: which entries are new, which are gone, which say it anew."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from hindbrain.core.model.foreign import Told
from hindbrain.core.value import dataclass

_ALIKE = 0.5  # of the characters of two texts that agree, so that one is the other in new words
_COMPARED = 400  # characters of each


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    added: tuple[Told, ...] = ()
    removed: tuple[Told, ...] = ()
    reworded: tuple[tuple[Told, Told], ...] = ()  # before, after


def edits(base: Sequence[Told], present: Sequence[Told]) -> Edits:
    """From what was last written to what stands there now. An entry that only moved is none."""
    left = _counted(present)
    gone = [one for one in base if not _taken(left, _said(one))]
    left = _counted(base)
    new = [one for one in present if not _taken(left, _said(one))]
    reworded = []
    for one in list(gone):
        best = max(
            (other for other in new if _is_same_place(one, other)),
            key=lambda other: _likeness(one, other),
            default=None,
        )
        if best is not None and _likeness(one, best) >= _ALIKE:
            reworded.append((one, best))
            gone.remove(one)
            new.remove(best)
    return Edits(added=tuple(new), removed=tuple(gone), reworded=tuple(reworded))


def _said(told: Told) -> tuple[str, str, bool]:
    return (told.persona or "", " ".join(told.content.split()), bool(told.superseded_by))


def _counted(told: Sequence[Told]) -> dict[tuple[str, str, bool], int]:
    count: dict[tuple[str, str, bool], int] = {}
    for one in told:
        count[_said(one)] = count.get(_said(one), 0) + 1
    return count


def _taken(count: dict[tuple[str, str, bool], int], said: tuple[str, str, bool]) -> bool:
    if not count.get(said):
        return False
    count[said] -= 1
    return True


def _is_same_place(one: Told, other: Told) -> bool:
    """The same voice speaks, and about the same task where both name one."""
    is_voice = one.persona == other.persona and bool(one.superseded_by) == bool(other.superseded_by)
    return is_voice and (not one.task or not other.task or one.task == other.task)


def _likeness(one: Told, other: Told) -> float:
    texts = (one.content[:_COMPARED].casefold(), other.content[:_COMPARED].casefold())
    return SequenceMatcher(None, *texts, autojunk=False).ratio()
