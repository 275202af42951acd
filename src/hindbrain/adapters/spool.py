"""How what hooks were told, and what was promised to be kept, lies on disk until the worker takes it up.

One line a record: `1 CLIENT UNIX_MS CRC32 PAYLOAD`. Hooks append to `current`, each with one write, under a shared lock
on the file. The worker renames that file, so that no hook finds it any more, and has read all of it when it gets the
exclusive lock: then nobody can still be writing. A hook that opened the file before it was renamed looks, once it has
its lock, whether the name still leads to it, and starts over if not.
"""

import errno
import fcntl
import json
import os
import re
import time
from _thread import allocate_lock
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from zlib import crc32

from hindbrain.adapters.journal import Journal, line_of, nothing
from hindbrain.adapters.lasting import sync
from hindbrain.core.model.moment import stamp
from hindbrain.errors import DiskFailed, DiskFull, HindbrainError, ReadOnly
from hindbrain.ports import Record, Spoiled

_HEAD = re.compile(rb"1 ([a-z][a-z0-9_-]{0,31}) ([0-9]{1,14}) ([0-9a-f]{8}) ")
_HEADS = 20  # places in a broken line at which a whole record may begin
_BAD_BYTES = 4_000_000  # of lines that nobody could read
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
_synced = getattr(os, "fdatasync", os.fsync)  # with its size, without which nothing of it could be read
_ERRORS: dict[int, type[HindbrainError]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), DiskFull),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR), ReadOnly),
}
_FIXES: dict[type[HindbrainError], str] = {
    DiskFull: "free some space and try again",
    ReadOnly: "make the folder writable, or set HINDBRAIN_HOME to one that is",
    DiskFailed: "check the disk, then try again",
}


class FileSpool:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._current = folder / "current"
        self._bad = folder / "bad"
        self._journal = Journal(folder / "kept")
        self._lock = allocate_lock()  # two threads with one handle would unlock it for each other
        self._path = os.fspath(self._current)
        self._handle: int | None = None  # of the current file, since it was first appended to
        self._identity: tuple[int, int] | None = None  # of that file
        self._is_named = False  # whether its name is known to be on the disk
        self._pid = os.getpid()

    def append(self, client: str, payload: bytes, *, at: datetime) -> None:
        plain = payload.replace(b"\r", b" ").replace(b"\n", b" ")
        line = b"1 %s %d %08x %s\n" % (client.encode(), int(at.timestamp() * 1000), crc32(plain), plain)
        if self._pid != os.getpid():  # a child knows not who held the lock; what it unlocks it unlocks for its parent
            self._pid, self._lock, self._handle = os.getpid(), allocate_lock(), None
        try:
            with self._lock:
                self._append(line)
        except OSError as error:
            kind = _ERRORS.get(error.errno or 0, DiskFailed)
            what = "it may have been saved" if isinstance(error, _UnsureError) else "nothing was saved"
            raise kind(f"{self._current}: {error.strerror}; {what}", fix=_FIXES[kind]) from None

    def _append(self, line: bytes) -> None:
        """To the current file, which stays open: as long as it does, no other file can be mistaken for it."""
        handle = self._locked()
        try:
            _put(handle, line)
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)
        if not self._is_named:  # another may have made the file a moment ago: its name must last as well
            sync(self._folder)
            self._is_named = True

    def _locked(self) -> int:
        """What is the current file while it is locked."""
        while True:
            handle = self._opened()
            try:
                if self._is_ours(handle):
                    return handle
            except OSError:
                self._close()
                raise

    def _is_ours(self, handle: int) -> bool:
        """Whether it is locked, and still the current file. One that was taken away is locked by who reads it, and not
        waited for."""
        is_locked = _is_shared(handle)
        if _identity(self._path) != self._identity:
            self._close()
            return False
        if not is_locked:
            fcntl.flock(handle, fcntl.LOCK_SH)  # it may be taken away meanwhile: to be looked at again
        return is_locked

    def _opened(self) -> int:
        if self._handle is not None:
            return self._handle
        try:
            handle = os.open(self._path, _FLAGS, 0o600)
        except FileNotFoundError:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync(self._folder.parent)
            handle = os.open(self._path, _FLAGS, 0o600)
        self._handle, self._identity, self._is_named = handle, _identity(handle), False
        return handle

    def _close(self) -> None:
        if self._handle is not None and self._pid == os.getpid():
            os.close(self._handle)
        self._handle = None

    def __del__(self) -> None:
        self._close()

    def claim(self) -> Sequence[str]:
        names = self._claimed()
        try:
            is_wanted = self._current.stat().st_size > 0
        except OSError:
            is_wanted = False
        if is_wanted:
            # Behind those that are there, whatever the clock says now; never a name that was used before.
            last = int(names[-1].split("-")[1]) if names else 0
            names.append(f"drain-{max(time.time_ns(), last + 1):020d}-{os.urandom(4).hex()}")
            self._current.rename(self._folder / names[-1])
            sync(self._folder)
        return names

    def records(self, name: str, *, after: int = 0) -> Iterator[Record | Spoiled]:
        with (self._folder / name).open("rb") as file:
            is_quiet = _is_locked(file.fileno())
            file.seek(after)
            end = after
            for line in file:
                end += len(line)
                if line.endswith(b"\n") or is_quiet:
                    yield _read(line.removesuffix(b"\n"), end)

    def finish(self, name: str, *, at: int) -> bool:
        path = self._folder / name
        with path.open("r+b") as file:
            size = os.fstat(file.fileno()).st_size
            if not _is_locked(file.fileno()) or size > at:
                return False
            if size:  # nothing: it was kept, and somebody died before the name was gone
                self._journal.keep(name, map(_clean, file))
                sync(self._folder / "kept")
                os.ftruncate(file.fileno(), 0)  # who has written to it may have it open for long
            path.unlink()
        sync(self._folder)
        return True

    def kept(self) -> Sequence[str]:
        return self._journal.names()

    def drop_kept(self, *, before: datetime) -> int:
        return self._journal.drop(before=before)

    def replay(self) -> int:
        count = self._journal.give_back(self._folder)
        if count:
            sync(self._folder)
        return count

    def spoiled(self) -> int:
        waiting = [self._folder / name for name in self._claimed()] + [self._current]
        lines = (line for path in waiting if path.exists() for line in path.read_bytes().splitlines())
        return sum(isinstance(_read(line.removesuffix(b"\n"), 0), Spoiled) for line in (*lines, *self._journal.lines()))

    def set_aside(self, text: str) -> None:
        line = " ".join(text.split()).encode("utf-8", "replace") + b"\n"
        kept = self._bad.read_bytes() if self._bad.exists() else b""
        if len(kept) + len(line) > _BAD_BYTES:
            kept = kept[-_BAD_BYTES // 2 :].partition(b"\n")[2]
        self._put_bad(kept + line)

    def _put_bad(self, raw: bytes) -> None:
        anew = self._folder / "bad.new"
        handle = os.open(anew, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(handle)
        anew.rename(self._bad)

    def forget(self, texts: Sequence[str]) -> Sequence[str]:
        sought = [form for text in texts for form in _forms(text)]
        if self._bad.exists():
            lines = self._bad.read_bytes().splitlines(keepends=True)
            kept = [line for line in lines if not any(form in line for form in sought)]
            if len(kept) < len(lines):
                self._put_bad(b"".join(kept))
        self._journal.forget(lambda line: any(form in line for form in sought))
        waiting = [self._folder / name for name in self._claimed()] + [self._current]
        return [str(path) for path in waiting if path.exists() and _holds(path, sought)]

    def vitals(self) -> Mapping[str, str]:
        waiting = [self._folder / name for name in self._claimed()] + [self._current]
        heads = (_HEAD.match(_beginning(path)) for path in waiting)
        first = min((int(head[2]) for head in heads if head), default=None)
        return {
            "path": str(self._folder),
            "waiting_bytes": str(sum(map(_size, waiting))),
            "oldest": "" if first is None else stamp(_moment(first)),
            "bad_bytes": str(_size(self._bad)),
            "kept_bytes": str(self._journal.size()),
        }

    def _claimed(self) -> list[str]:
        if not self._folder.is_dir():
            return []
        return sorted(entry.name for entry in os.scandir(self._folder) if re.fullmatch(_DRAIN, entry.name))


_DRAIN = r"drain-[0-9]{20}-[0-9a-f]{8}"


def _read(line: bytes, end: int) -> Record | Spoiled:
    """The record that ends the line. Whoever writes after one that was cut short writes into the same line."""
    for head in islice(_HEAD.finditer(line), _HEADS):
        payload = line[head.end() :]
        if crc32(payload) == int(head[3], 16):
            at = _moment(int(head[2]))
            return Record(end=end, client=head[1].decode(), at=at, payload=payload, lost=line[: head.start()])
    return Spoiled(end=end, line=line)


def _clean(line: bytes) -> bytes:
    """A line as it is kept once it was taken up: as long as it was."""
    record = _read(line.removesuffix(b"\n"), 0)
    if isinstance(record, Spoiled) or not line.endswith(b"\n"):
        return nothing(len(line))
    head = b" " * len(record.lost)
    when = round(record.at.timestamp() * 1000)
    return head + line_of(record.client, when, payload=record.payload, size=len(line) - len(head))


def _put(handle: int, line: bytes) -> None:
    """All of it, on the disk, or nothing: a disk that takes a part is full. What others have written behind a beginning
    stays, and so does the beginning: whoever reads it says so."""
    done = os.write(handle, line)
    try:
        if done < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _synced(handle)
    except OSError as error:
        end = os.lseek(handle, 0, os.SEEK_CUR)
        if _is_locked(handle) and os.fstat(handle).st_size == end:
            os.ftruncate(handle, end - done)
        elif done < len(line):
            os.write(handle, b"\n")
        else:
            raise _UnsureError(error.errno, error.strerror) from None
        raise


class _UnsureError(OSError):
    """It is in the file, and nobody knows whether it is on the disk."""


def _moment(unix_ms: int) -> datetime:
    return datetime.fromtimestamp(unix_ms / 1000, UTC)


def _is_shared(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _identity(file: str | int) -> tuple[int, int] | None:
    """Which file that is, by its name or handle; None when there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116 - twice as fast as a Path, for every record
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _forms(text: str) -> tuple[bytes, ...]:
    """A text as it may stand in a line: as such, and in JSON with letters of other scripts as they are or escaped."""
    plain = " ".join(text.split())
    forms = (plain, text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return tuple({form.encode("utf-8", "surrogatepass") for form in forms if form})


def _holds(path: Path, sought: Sequence[bytes]) -> bool:
    with path.open("rb") as file:
        return any(form in line for line in file for form in sought)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(100)
    except OSError:
        return b""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
