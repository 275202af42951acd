"""How a line stays in its frame on a terminal that disagrees about how wide an emoji is.

A symbol with a variation selector behind it, such as a gear, takes two columns by the standard and one on many
terminals; whatever follows it would stand one column off. So its two columns are blanked, it is written over them,
and the cursor is set behind them, by moves that mean the same everywhere.
"""

import re

from textual.driver import Driver

_PAIR = re.compile(r"[\u00a9-\uffff\U0001f000-\U0001faff]\ufe0f")
_STEADY = "\x1b7  \x1b8\x1b7{}\x1b8\x1b[2C"  # save, blank, back, save, write, back, two columns on


def steady(text: str) -> str:
    """What is sent to the terminal, with every such symbol held in its two columns."""
    return _PAIR.sub(lambda pair: _STEADY.format(pair[0]), text) if "\ufe0f" in text else text


def steadied(driver: type[Driver]) -> type[Driver]:
    """The same driver, writing so."""

    def write(self: Driver, data: str) -> None:
        driver.write(self, steady(data))

    return type(f"Steady{driver.__name__}", (driver,), {"write": write})
