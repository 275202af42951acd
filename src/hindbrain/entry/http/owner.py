"""Where the token lies that opens everything: in a file of the home that only its owner can read."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from hindbrain.settings import Settings

_NAME = "token"


class Kept:
    """The owner's secret as it is now; the file is read again only when it has changed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._path = Path(settings.home) / _NAME
        self._known = ("", "")  # what tells the file from another, and what stood in it

    def __call__(self) -> str:
        mark = self._mark()
        if not mark or mark != self._known[0]:
            self._known = (mark, token(self._settings))
        return self._known[1]

    def _mark(self) -> str:
        try:
            found = self._path.stat()
        except OSError:
            return ""
        return f"{found.st_ino} {found.st_mtime_ns} {found.st_mode}"


def token(settings: Settings) -> str:
    """The owner's secret; made on first use."""
    path = Path(settings.home) / _NAME
    if known := _read(path):
        return known
    return renewed(settings, is_replacing=False)


def renewed(settings: Settings, *, is_replacing: bool = True) -> str:
    """A new secret in the place of the old one. Whole or not at all, and of two that make the first one, one wins."""
    path = Path(settings.home) / _NAME
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{_NAME}.{secrets.token_hex(8)}")
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(f"hb-{secrets.token_hex(32)}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        if is_replacing or not _read(path):
            _place(fresh, path, is_replacing=is_replacing)
    finally:
        fresh.unlink(missing_ok=True)
    return _read(path)


def _place(fresh: Path, path: Path, *, is_replacing: bool) -> None:
    if is_replacing:
        fresh.replace(path)
        return
    with suppress(FileExistsError):
        os.link(fresh, path)


def _read(path: Path) -> str:
    """Empty when there is none. One that others could read is closed to them: it may have been copied with the home."""
    try:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        return ""
