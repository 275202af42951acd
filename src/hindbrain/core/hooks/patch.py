"""What a patch in the form of `apply_patch` touches, takes out and puts in."""

from hindbrain.core.value import dataclass

_FILES = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


@dataclass(frozen=True, slots=True)
class Patch:
    paths: tuple[str, ...] = ()  # in order, each once
    old: str = ""
    new: str = ""


def patch(text: str) -> Patch:
    """Empty for a text that is no patch. It may stand inside a command line that runs it."""
    _, begin, body = text.partition("*** Begin Patch")
    if not begin:
        return Patch()
    paths: dict[str, None] = {}
    old: list[str] = []
    new: list[str] = []
    for line in body.partition("*** End Patch")[0].splitlines():
        kind = next((kind for kind in _FILES if line.startswith(kind)), "")
        if kind:
            paths[line.removeprefix(kind).strip()] = None
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
    return Patch(tuple(filter(None, paths)), "\n".join(old), "\n".join(new))
