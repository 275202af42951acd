"""What changes of a memory that is put away with many others, or brought back: in its fields, and in the text of them.

The text is that of `record.canonical`. Of a hundred thousand memories it can be changed where it differs in the time
that it would take to read a tenth of them. No quotation mark stands in a JSON string without a backslash before it, so
that a name in quotation marks behind a comma is a name; and what is sought from the end comes after `body`, the only
part whose names are not known.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from hindbrain.core.model.memory import Counters, Memory
from hindbrain.core.model.moment import stamp
from hindbrain.core.notation import write
from hindbrain.core.value import dataclass, replace

_BODY, _COUNTERS, _UPDATED, _CONFIRMED = ',"body":', ',"counters":{', ',"updated_at":"', '"confirmed":'
_REPLACED = ',"superseded_by":'
_STAMP = len("2026-01-10T09:30:00.000Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """Memories that are put away for one reason, or brought back, as the next version of each."""

    versions: Mapping[str, int]  # by id, the one that each has
    at: datetime
    reason: str = ""  # why they are put away; "": they are brought back, which counts as confirmed

    def applied_to(self, memory: Memory) -> Memory:
        """Its next version."""
        counters = memory.counters
        if not self.reason:
            counters = replace(counters, confirmed=counters.confirmed + 1)
        return replace(
            memory,
            archived_at=self.at if self.reason else None,
            archive_reason=self.reason,
            counters=counters,
            updated_at=max(self.at, memory.updated_at),
            version=memory.version + 1,
        )

    @property
    def rewriting(self) -> Callable[[str], str]:
        """Makes the canonical text of `applied_to(memory)` from that of `memory`. ValueError when it is none."""
        now, is_back = stamp(self.at), not self.reason
        away = "null" if is_back else f'"{now}"'
        head = f'{{"archive_reason":{write(self.reason)},"archived_at":{away}'

        def rewritten(text: str) -> str:
            start = text.rindex(_UPDATED) + len(_UPDATED)
            kept = text[text.index(_BODY) : start]
            version = text.rindex(":") + 1
            rest = text[start + _STAMP : version]
            if is_back:
                kept = _confirmed(kept)
            since = max(now, text[start : start + _STAMP])
            return f"{head}{kept}{since}{rest}{int(text[version:-1]) + 1}}}"

        return rewritten


def updated(text: str) -> str:
    """When the memory of a canonical text was changed last, as a stamp."""
    start = text.rindex(_UPDATED) + len(_UPDATED)
    return text[start : start + _STAMP]


def is_superseded(text: str) -> bool:
    """Whether something stands in the place of the memory of a canonical text."""
    return not text.startswith("null", text.rindex(_REPLACED) + len(_REPLACED))


def counted(text: str, counters: Counters, **values: float | str | None) -> str:
    """The canonical text with these counters, and with other values of what goes on by itself: `confidence`,
    `last_used_at`, `decayed_at`. ValueError when it is none."""
    start = text.rindex(_COUNTERS) + len(_COUNTERS) - 1
    told = write({name: getattr(counters, name) for name in Counters.__slots__}, is_sorted=True)
    text = text[:start] + told + text[text.index("}", start) + 1 :]
    for name, value in values.items():
        start = text.rindex(f',"{name}":') + len(name) + 4
        text = text[:start] + write(value) + text[text.index(",", start) :]
    return text


def _confirmed(text: str) -> str:
    start = text.index(_CONFIRMED, text.rindex(_COUNTERS)) + len(_CONFIRMED)
    end = text.index(",", start)
    return f"{text[:start]}{int(text[start:end]) + 1}{text[end:]}"
