"""Where the key of a provider is found: in a variable of the environment, or in a file that only its owner can read."""

import os
import stat

from hindbrain.errors import KeyMissing
from hindbrain.settings import environment

_LONGEST = 4096  # bytes
_OTHERS = 0o077  # permissions of anybody but the owner


def find(name: str, home: str) -> str:
    """The key that is called `name`. KeyMissing names the variable, and never says anything of a key."""
    value = environment().get(name, "").strip() or _from_file(name, os.path.join(home, "keys", name))
    if not value.isascii() or not value.isprintable() or " " in value:
        raise KeyMissing(f"what {name} holds is no key: a key has no blanks and no odd characters", fix=_fix(name))
    return value


def is_there(name: str, home: str) -> bool:
    try:
        return bool(find(name, home))
    except KeyMissing:
        return False


def _from_file(name: str, path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            known = os.fstat(file.fileno())
            if not stat.S_ISREG(known.st_mode):
                raise KeyMissing(f"{path} is no plain file", fix=_fix(name))
            if known.st_mode & _OTHERS:
                raise KeyMissing(f"{path} can be read by others: its key is not used", fix=f"chmod 600 {path}")
            value = file.read(_LONGEST).decode("utf-8", "replace").strip()
    except OSError:
        value = ""
    if not value:
        raise KeyMissing(f"the variable {name} is not set, and there is no file {path}", fix=_fix(name))
    return value


def _fix(name: str) -> str:
    return f"set {name} in the environment, or write the key into keys/{name} in the home, with mode 600"
