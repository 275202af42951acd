"""What a text from outside must be before a verb uses it: short enough to be kept, and through the door."""

from hindbrain.app.compose import MAX_CHARACTERS
from hindbrain.core.door import Passed, admit
from hindbrain.errors import TooLong


def admitted(text: str, *, name: str) -> Passed:
    """`text` after the door. TooLong, with `name` for the person who gave it.

    Measured twice: before the door, which would read ten megabytes only to have them refused, and after it,
    because a mark may be longer than what it stands for.
    """
    _measure(text, name)
    passed = admit(text)
    _measure(passed.text, name)
    return passed


def kinds_removed(*passed: Passed) -> tuple[str, ...]:
    """What the door took out of them, each kind once."""
    return tuple(dict.fromkeys(finding.kind for one in passed for finding in one.findings))


def _measure(text: str, name: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise TooLong(
            f"{name} has {len(text):,} characters, a memory at most {MAX_CHARACTERS:,}",
            fix="say it shorter, or split it into several memories",
        )
