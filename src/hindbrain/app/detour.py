"""What a damaged memory keeps from being done: what would be done to itself, and nothing else."""

from collections.abc import Callable

from hindbrain.core.hints import TypeVar
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Store

_T = TypeVar("_T")
Told = Callable[[], str]  # of what was left out so far, for a person; "": nothing

_LEFT_OUT = "memory {} is damaged and was left out: run `hindbrain fsck --repair`"


def around(run: Callable[[Told], _T], *, store: Store) -> _T:
    """What `run` returns, which must be something that can be repeated: where a damaged memory stands in its way, it is
    run once more and reads as if there were none such."""
    try:
        return run(lambda: "")
    except StoreDamaged:
        with store.leaving_out(is_proven=True) as unread:
            return run(lambda: "; ".join(_LEFT_OUT.format(key) for key in dict.fromkeys(unread)))
