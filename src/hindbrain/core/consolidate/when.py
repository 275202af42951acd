"""When it is time to consolidate: after a task, when nothing happens for a while, and when a new phase begins."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from hindbrain.core.model.activity import Activity, Deed

IDLE = timedelta(minutes=10)


def reason_to(activities: Sequence[Activity], *, now: datetime) -> str:
    """Why to consolidate what was done since the last time, oldest first; empty: not yet."""
    if not activities:
        return ""
    deeds = {one.deed for one in activities if not one.agent}
    if Deed.COMPLETION in deeds or Deed.END in deeds:
        return "a task was completed"
    if _is_new_phase(activities):
        return "a new phase began"
    return "nothing happened for a while" if now - activities[-1].at >= IDLE else ""


def _is_new_phase(activities: Sequence[Activity]) -> bool:
    phases = [str(one.data["phase"]) for one in activities if one.data.get("phase")]
    return any(one.deed is Deed.HAT for one in activities) or len(set(phases)) > 1
