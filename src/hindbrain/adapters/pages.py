"""How a file that a person owns is changed on their order: in one step, or not at all.

The new file takes the old one's place by a rename, with the mode that it had. A file that somebody saved since it was
read is left as it is. A link stays a link, and one that leads out of the folder is refused.
"""

import os
import stat
import tempfile
from pathlib import Path

from hindbrain.adapters.lasting import sync
from hindbrain.errors import BadValue, Conflict, DiskFailed, Unreadable

MOST_BYTES = 2 << 20  # of a file of rules


class LocalPages:
    def read(self, folder: str, path: str) -> bytes | None:
        return _read(_real(folder, path))

    def write(self, folder: str, path: str, *, content: bytes | None, expected: bytes | None, made: int = 0) -> int:
        real = _real(folder, path)
        try:
            if _read(real) != expected:
                raise _changed(path)
            if content == expected:
                return 0
            if content is None:
                _removed(real, path, expected=expected, made=made)
                return 0
            return _placed(real, path, content=content, is_new=expected is None)
        except OSError as error:
            raise DiskFailed(
                f"{path} could not be written: {error.strerror}", fix="check the folder and the disk"
            ) from error

    def keep(self, path: str, content: bytes) -> None:
        target = Path(path)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _beside(target, content, mode=0o600).replace(target)
        sync(target.parent)


def _real(folder: str, path: str) -> Path:
    top = Path(folder).resolve()
    parts = path.split("/")
    if not folder or not path or path.startswith("/") or ".." in parts or "\0" in path:
        raise BadValue(f"{path!r} is no path inside of a folder", fix="name a file below the folder")
    real = top.joinpath(*parts).resolve()
    if not real.is_relative_to(top):
        raise BadValue(f"{path} leads out of {folder} by a link", fix="remove the link")
    return real


def _read(real: Path) -> bytes | None:
    try:
        state = real.stat()
        if not stat.S_ISREG(state.st_mode):
            raise Unreadable(f"{real} is no plain file", fix="put a plain file there")
        if state.st_size > MOST_BYTES:
            raise BadValue(f"{real} has more than {MOST_BYTES >> 20} MB", fix="shorten it")
        return real.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(f"{real} cannot be read: {error.strerror}", fix="check the file's mode") from error


def _placed(real: Path, path: str, *, content: bytes, is_new: bool) -> int:
    missing = [above for above in real.parents if not above.exists()]
    real.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o644 if is_new else stat.S_IMODE(real.stat().st_mode)
    fresh = _beside(real, content, mode=mode)
    try:
        if is_new:
            os.link(fresh, real)  # unlike a rename it fails where somebody was faster
            fresh.unlink()
        else:
            fresh.replace(real)
    except FileExistsError:
        fresh.unlink(missing_ok=True)
        raise _changed(path) from None
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    sync(real.parent)
    return len(missing)


def _removed(real: Path, path: str, *, expected: bytes | None, made: int) -> None:
    aside = real.with_name(f".{real.name}.{os.getpid()}.gone")
    real.rename(aside)
    if aside.read_bytes() != expected:
        aside.rename(real)
        raise _changed(path)
    aside.unlink()
    sync(real.parent)
    for above in list(real.parents)[:made]:
        if any(above.iterdir()):
            return
        above.rmdir()


def _beside(target: Path, content: bytes, *, mode: int) -> Path:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh = Path(name)
    fresh.chmod(mode)
    return fresh


def _changed(path: str) -> Conflict:
    return Conflict(f"{path} changed while it was being written", fix="look at the new diff with `hindbrain feed`")
