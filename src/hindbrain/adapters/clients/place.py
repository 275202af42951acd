"""How a file is replaced so that nobody ever sees half of it, and only if it is still the one that was looked at."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hindbrain.adapters.lasting import sync
from hindbrain.errors import ConfigChanged, Unreadable

MAX_BYTES = 32 * 1024 * 1024  # no configuration is larger


def read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        fix = "make the file readable, or leave its client out with --client"
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}", fix=fix) from error
    if len(content) > MAX_BYTES:
        raise Unreadable(f"{path} is too large for a configuration", fix="leave its client out with --client")
    return content


def write(path: str, content: bytes, *, expected: bytes | None, fresh_mode: int = 0o644) -> Sequence[str]:
    target = _target(path)
    made = _folders(target.parent)
    mode = _mode(target, fresh=fresh_mode)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".new")
    fresh = Path(name)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        _unchanged(path, expected)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)  # not there any more, once it has taken its place
    _synced(target.parent)
    return made


def remove(path: str, *, expected: bytes) -> None:
    _unchanged(path, expected)
    _target(path).unlink(missing_ok=True)


def clear(folders: Sequence[str]) -> None:
    for folder in sorted(folders, key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except OSError as error:  # somebody else has put something into it, or it is gone
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT, errno.EEXIST):
                raise


def _unchanged(path: str, expected: bytes | None) -> None:
    if read(path) != expected:
        raise ConfigChanged(
            f"{path} was changed while the change to it was being shown; it is left as it is",
            fix="run the same command again",
        )


def _target(path: str) -> Path:
    """A link is kept and what it leads to is replaced: dotfiles often live elsewhere."""
    return Path(os.path.realpath(path))


def _folders(folder: Path) -> Sequence[str]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
    return tuple(map(str, reversed(missing)))


def _mode(target: Path, *, fresh: int) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return fresh


def _synced(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems cannot; the file itself is safe
        sync(folder)
