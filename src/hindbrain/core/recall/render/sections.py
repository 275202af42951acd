"""Which part of a rendered block is ours and which is memory's: the shape that all ways of writing share."""

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """Head, notes and tail follow each other as they are; all are "" when there is nothing to tell.

    Only `notes` holds text from memory, so only `notes` needs a fence. Each ends with a line end.
    """

    head: str = ""
    notes: str = ""
    tail: str = ""


def more(left_out: int) -> str:
    """One line about what is not shown and how to see it; "" when that is nothing."""
    return f'{left_out} more not shown; `hindbrain recall "words"` searches them all.' if left_out > 0 else ""
