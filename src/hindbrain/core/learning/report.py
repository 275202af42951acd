"""What a pass over the memories leaves behind for a person to read, also when it found nothing."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from hindbrain.core.model.moment import stamp


def name_of(job: str, at: datetime) -> str:
    """The file of a report: reports of one job sort by time."""
    return f"{job}-{at:%Y%m%dT%H%M%S}Z.md"


def written(job: str, at: datetime, *, sections: Mapping[str, Sequence[str]], is_applied: bool) -> str:
    """`sections` are titles with what was found; one that found nothing says so."""
    mode = "applied" if is_applied else "dry run: nothing was changed"
    found = sum(map(len, sections.values()))
    head = f"# {job.capitalize()}\n\n{stamp(at)}, {mode}. {found or 'Nothing'} found.\n"
    parts = [f"\n## {title}\n\n{_listed(lines)}\n" for title, lines in sections.items()]
    return "".join((head, *parts))


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(line.split())}" for line in lines) or "Nothing."
