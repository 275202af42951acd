"""How an event is kept: one line at the end of a file, whole or not at all, while others do the same.

Whoever reads the file renames it first and then waits until no writer has it locked. So a writer that finds its file
renamed takes the new one.
"""

import fcntl
import posix
import time

_TRIES, _PAUSE_S = 40, 0.005
_FLAGS = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC


def append(home: str, record: bytes, *, is_synced: bool) -> None:
    """OSError when it could not be kept; then nothing of it is left, unless somebody wrote after it."""
    handle = _locked(home)
    try:
        _put(handle, record)
        if is_synced:
            posix.fsync(handle)
    finally:
        posix.close(handle)
    if is_synced:
        _sync_folder(f"{home}/spool")


def _locked(home: str) -> int:
    """A handle on what is the current file while it is locked. After all tries without the lock: somebody holds it
    who does not rename, so nobody reads either."""
    path = f"{home}/spool/current"
    handle = _opened(home, path)
    for _ in range(_TRIES):
        if _is_free(handle) and _is_current(handle, path):
            break
        posix.close(handle)
        time.sleep(_PAUSE_S)
        handle = _opened(home, path)
    return handle


def _opened(home: str, path: str) -> int:
    try:
        return posix.open(path, _FLAGS, 0o600)
    except FileNotFoundError:
        _make(home)
        return posix.open(path, _FLAGS, 0o600)


def _make(home: str) -> None:
    """The folders down to the spool, for this user alone."""
    parts = f"{home}/spool".split("/")
    for end in range(1, len(parts) + 1):
        try:
            posix.mkdir("/".join(parts[:end]) or "/", 0o700)
        except FileExistsError:
            pass
        except OSError:  # a parent on a disk that cannot be written to; whether it is there shows in the next step
            if end == len(parts):
                raise


def _is_free(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_current(handle: int, path: str) -> bool:
    own = posix.fstat(handle)
    try:
        named = posix.stat(path)
    except FileNotFoundError:
        return False
    return (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)


def _put(handle: int, record: bytes) -> None:
    size = posix.fstat(handle).st_size
    written = posix.write(handle, record)
    try:
        while written < len(record):  # a full disk takes a part, and says so only when asked again
            written += posix.write(handle, record[written:])
    except OSError:
        _take_back(handle, size=size, written=written)
        raise


def _take_back(handle: int, *, size: int, written: int) -> None:
    """Half a line would spoil the next one. What others wrote behind it must stay."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        posix.write(handle, b"\n")
        return
    if posix.fstat(handle).st_size == size + written:
        posix.ftruncate(handle, size)


def _sync_folder(path: str) -> None:
    folder = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        posix.fsync(folder)
    finally:
        posix.close(folder)
