"""What stays when not everything fits: the best that fit, even behind one that does not."""

from collections.abc import Callable, Sequence

from hindbrain.core.hints import TypeVar

T = TypeVar("T")


def pack(items: Sequence[T], *, cost: Callable[[T], int], budget: int) -> tuple[tuple[T, ...], int]:
    """Those of `items` (best first) that fit into `budget`, in their order, and how many were left out.

    An item that does not fit is passed over and the next is tried, so one long memory cannot silence the
    short ones behind it. Nothing that was left out would still fit.
    """
    kept: list[T] = []
    room = budget
    for item in items:
        price = max(cost(item), 0)
        if price <= room:
            kept.append(item)
            room -= price
    return tuple(kept), len(items) - len(kept)
