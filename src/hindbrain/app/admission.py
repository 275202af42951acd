"""What a text from outside must be before a verb uses it: short enough to be kept, and through the door."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from hindbrain.app.compose import MAX_CHARACTERS
from hindbrain.core.door import Passed, admit
from hindbrain.core.model.record import fingerprint
from hindbrain.errors import BadValue, TooLong


def admitted(text: str, *, name: str) -> Passed:
    """`text` after the door. TooLong, with `name` for the person who gave it.

    Measured twice: before the door, which would read ten megabytes only to have them refused, and after it,
    because a mark may be longer than what it stands for.
    """
    measured(text, name=name)
    passed = admit(text)
    measured(passed.text, name=name)
    return passed


def admitted_list(texts: Sequence[str], *, name: str) -> tuple[str, ...]:
    """Short texts that belong together (tags, file references), each once, through the door."""
    measured_together(texts, name=name)
    passed = (admitted(text, name=name).text.strip() for text in texts)
    return tuple(dict.fromkeys(text for text in passed if text))


def admitted_body(body: Mapping[str, object], *, most: int = MAX_CHARACTERS) -> dict[str, object]:
    """The body of a memory, every text in it through the door. BadValue when it is not plain, shallow JSON."""
    import json  # late: few memories have a body

    try:
        size = len(json.dumps(dict(body)))
        if size > most:
            raise TooLong(f"the body has {size:,} characters, at most {most:,}", fix="say it shorter")
        return {admit(name).text: through(value) for name, value in body.items()}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadValue(f"the body is not plain JSON: {error}", fix="give texts, numbers, lists and objects") from None


def through(value: object) -> object:
    """Plain JSON, every text in it through the door."""
    if isinstance(value, str):
        return admit(value).text
    if isinstance(value, list):
        return [through(item) for item in value]
    if isinstance(value, dict):
        return {admit(str(name)).text: through(item) for name, item in value.items()}
    return value


@lru_cache(maxsize=256)  # a session says the same of itself with every line
def tidy(word: str) -> str:
    """A name, id or path that stands beside a text: one line, not endless, and no secret in it.

    Two names that held different secrets stay different: a short hash stands for what was taken out.
    """
    if not word:
        return ""
    passed = admit(" ".join(word[:_LONGEST_WORD].split()))
    if not any(finding.family == "secret" for finding in passed.findings):
        return passed.text
    return f"{passed.text}#{fingerprint(word)[:8]}"


_LONGEST_WORD = 500


def kinds_removed(*passed: Passed) -> tuple[str, ...]:
    """What the door took out of them, each kind once."""
    return tuple(dict.fromkeys(finding.kind for one in passed for finding in one.findings))


def measured(text: str, *, name: str) -> None:
    """TooLong for what no memory can hold."""
    if len(text) > MAX_CHARACTERS:
        raise TooLong(
            f"{name} has {len(text):,} characters, a memory at most {MAX_CHARACTERS:,}",
            fix="say it shorter, or split it into several memories",
        )


def measured_together(texts: Sequence[str], *, name: str) -> None:
    """TooLong for more than one memory can bear."""
    if texts and sum(len(text) + 1 for text in texts) > MAX_CHARACTERS:  # an empty one costs as well
        raise TooLong(f"{name} have more than {MAX_CHARACTERS:,} characters together", fix="give fewer of them")
