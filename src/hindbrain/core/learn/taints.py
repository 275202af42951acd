"""Which tools had brought foreign text into a session, as far as its log tells."""

from collections.abc import Sequence

from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.transcripts.listen import taint_of


def taints(activities: Sequence[Activity], *, until: int) -> tuple[str, ...]:
    """Those recorded up to and including the `seq` `until`, each once."""
    found: dict[str, None] = {}
    for one in activities:
        if one.seq <= until and (taint := _taint(one)):
            found[taint] = None
    return tuple(found)


def _taint(one: Activity) -> str:
    if one.deed is Deed.COMMAND:
        return taint_of(command=one.subject)
    tool = str(one.data.get("tool") or "")
    is_page = one.deed is Deed.READ and one.subject.startswith(("http://", "https://"))
    return taint_of(tool=tool) or (tool or "a page" if is_page else "")
