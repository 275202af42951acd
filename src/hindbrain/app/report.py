"""Where a pass over the memories leaves its report, and how two passes are kept from running at once."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path

from hindbrain.app.shelf import folders_of
from hindbrain.app.tools import Tools
from hindbrain.core.learning.report import name_of, written
from hindbrain.errors import Conflict

NIGHT = "night"  # the lock that dream and hygiene share (HB-148)
_MOST = 100  # reports of one job in one second


def alone(name: str, *, tools: Tools) -> AbstractContextManager[None]:
    """Locked when another process is at it."""
    return tools.lock(name) if tools.lock else nullcontext()


def reported(
    job: str, at: datetime, *, sections: Mapping[str, Sequence[str]], is_applied: bool, tools: Tools
) -> tuple[str, str]:
    """Write a report into the home; its path and its text."""
    folder = str(Path(tools.settings.home) / "reports")
    text = written(job, at, sections=sections, is_applied=is_applied)
    for number in range(_MOST):
        name = name_of(f"{job}-{number}" if number else job, at)
        if folders_of(tools).create(folder, name, content=text.encode()):
            return str(Path(folder) / name), text
    raise Conflict(f"{folder} has {_MOST} reports of this second", fix="try again")
