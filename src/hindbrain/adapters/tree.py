"""Which files of a folder may be read or written on another system's behalf, and how much of them."""

import ctypes
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from hindbrain.adapters.lasting import sync
from hindbrain.core.digest import sha256
from hindbrain.errors import BadValue, TooLong, Unreadable
from hindbrain.ports import Seen, Written

MOST_BYTES = 32 << 20  # of one file
MOST_TOGETHER = 96 << 20
MOST_FILES = 20_000
_MOST_WRITTEN = 4 << 20  # bytes of one note
_DEEPEST = 24  # folders
_PASSED_BY = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "target"})
_PACKED = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7z"}


def is_there(path: str) -> bool:
    return Path(path).exists()


def wait(for_s: float) -> None:
    time.sleep(for_s)


def load(path: str, *, wants: Callable[[str], bool]) -> dict[str, bytes]:
    """The file at `path` under its name, or the files below a folder that are wanted, by their paths in it.

    Links are followed only to places inside of the folder. Packed files are refused: what is in them is only known
    once they are unpacked.
    """
    top = Path(path)
    try:
        if top.is_dir():
            return _below(top.resolve(), wants=wants)
        return {top.name: _content(top, left=MOST_TOGETHER)}
    except FileNotFoundError:
        raise Unreadable(f"{path} does not exist", fix="check the path") from None
    except PermissionError as error:
        raise Unreadable(f"{error.filename} may not be read", fix=f"allow it: chmod u+r {error.filename}") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}", fix="check the path and the disk") from error


def save(tree: Mapping[str, bytes], folder: str) -> tuple[str, ...]:
    """Write each file whole or not at all; the paths that changed. Nothing is written outside of `folder`."""
    top = Path(folder)
    targets = {name: _target(top, name) for name in tree}
    changed = [name for name, target in targets.items() if _known(target) != tree[name]]
    for name in changed:
        _replace(targets[name], tree[name])
    return tuple(changed)


def seen(folder: str, *, wants: Callable[[str], bool]) -> dict[str, Seen]:
    """The files below `folder` that are wanted. Folders whose names begin with a dot are some program's own."""
    top = Path(folder)
    if not top.is_dir():
        raise Unreadable(f"there is no folder {folder}", fix="check the path, and that its disk is there")
    return {inside: _as_seen(state) for inside, state in _within(os.path.realpath(top), "", depth=0) if wants(inside)}


def _as_seen(state: os.stat_result) -> Seen:
    mark = f"{state.st_mtime_ns}:{state.st_size}:{state.st_ctime_ns}"
    return Seen(mark=mark, changed_at=datetime.fromtimestamp(state.st_mtime_ns // 1_000_000 / 1000, UTC))


def content(folder: str, name: str) -> bytes | None:
    path = _target(Path(folder), name)
    try:
        with path.open("rb") as file:
            return file.read(_MOST_WRITTEN)
    except OSError:
        return None


def create(folder: str, name: str, *, content: bytes) -> bool:
    target = _target(Path(folder), name)
    fresh = _beside(target, content)
    try:
        os.link(fresh, target)  # unlike a rename, it takes nobody's place
    except FileExistsError:
        return False
    finally:
        fresh.unlink()
    sync(target.parent)
    return True


def compact(folder: str, name: str, *, content: bytes, archive: str) -> str:
    """The times of the file stay: it is as old as what it tells of."""
    import gzip

    path = _target(Path(folder), name)
    state, original = path.stat(), path.read_bytes()
    packed = gzip.compress(original, mtime=0)
    kept = f"{path.name}.{sha256(original)[:16]}.gz"
    create(archive, kept, content=packed)
    if gzip.decompress((Path(archive) / kept).read_bytes()) != original:
        raise Unreadable(f"{kept} does not hold what was put there", fix="look at the disk; nothing was replaced")
    _replace(path, content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    return str(Path(archive) / kept)


def exchange(tree: Mapping[str, bytes], folder: str, *, present: Mapping[str, bytes], settle_s: float) -> Written:
    """Write each file that still is as `present` has it; a file that a person saved meanwhile stays theirs.

    The new file takes the old one's place in one step, and the old one is looked at afterwards: what came into it
    between the reading and the exchange, or within `settle_s` from an editor that had it open, is not lost.
    """
    top = Path(folder)
    targets = {name: _target(top, name) for name in tree}
    written: list[str] = []
    theirs: list[str] = []
    old: dict[str, Path] = {}
    late: dict[str, bytes] = {}
    for name, target in targets.items():
        if _known(target) == tree[name]:
            continue
        aside = _exchanged(target, tree[name], expected=present.get(name))
        if isinstance(aside, Path):
            old[name] = aside
        elif aside is not None:
            theirs.append(name)
            late |= {name: aside} if aside else {}
            continue
        written.append(name)
    for folder_of in {targets[name].resolve().parent for name in written}:
        sync(folder_of)  # before anybody notes that it was written: an older file would look as if edited by hand
    late |= _settled(old, present, for_s=settle_s)
    return Written(changed=tuple(written), theirs=tuple(theirs), late=late)


def _exchanged(target: Path, content: bytes, *, expected: bytes | None) -> Path | bytes | None:
    """Where the old file is now; None when there was none. Bytes when it was not as expected and is back in its place:
    what else was saved there in that moment, usually nothing."""
    fresh = _beside(target, content)
    if expected is None and _is_made(fresh, target):
        return None
    if not _swap(fresh, target):
        fresh.rename(target)
        return None
    if fresh.read_bytes() == expected:
        return fresh
    return _given_back(fresh, target, placed=content)


def _is_made(fresh: Path, target: Path) -> bool:
    """Whether there was no file yet, and this is it now. A link is only made where nothing is."""
    try:
        os.link(fresh, target)
    except OSError:
        return False
    fresh.unlink()
    return True


def _given_back(fresh: Path, target: Path, *, placed: bytes) -> bytes:
    """Let the two change places until what comes back is what was placed there: nobody saved in between. What was
    saved first, and then saved over, is returned."""
    over = b""
    for _ in range(_MOST_TURNS):
        mine = fresh.read_bytes()
        _swap(fresh, target)
        back = fresh.read_bytes()
        if back == placed:
            break
        over, placed = mine, mine
    fresh.unlink()
    return over


_MOST_TURNS = 20


def _settled(old: Mapping[str, Path], present: Mapping[str, bytes], *, for_s: float) -> dict[str, bytes]:
    """What came into the old files since they were read, once it is whole: editors empty a file before they write."""
    if old and for_s > 0:
        time.sleep(for_s)
    late = {name: _at_rest(path) for name, path in old.items()}
    for path in old.values():
        path.unlink()
    return {name: content for name, content in late.items() if content and content != present.get(name)}


def _at_rest(path: Path) -> bytes:
    before, now = None, path.read_bytes()
    while before != now:
        before = now
        time.sleep(_REST_S)
        now = path.read_bytes()
    return now


_REST_S = 0.01


def _swap(one: Path, other: Path) -> bool:
    """Let two files change places in one step; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None or not other.exists():
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def _below(top: Path, *, wants: Callable[[str], bool]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = MOST_TOGETHER
    for name, path in _files(top):
        if not wants(name):
            continue
        if len(found) >= MOST_FILES:
            raise TooLong(f"{top} holds more than {MOST_FILES:,} such files", fix="import a part of it")
        found[name] = _content(path, left=left)
        left -= len(found[name])
    return found


def _files(top: Path) -> Iterator[tuple[str, Path]]:
    """In order. A link that leads out of `top` is refused rather than passed by: whoever made it meant something."""
    for folder, folders, names in os.walk(top):
        depth = len(Path(folder).relative_to(top).parts)
        folders[:] = sorted(name for name in folders if name not in _PASSED_BY) if depth < _DEEPEST else []
        for name in sorted(names):
            path = Path(folder) / name
            inside = path.relative_to(top).as_posix()
            if path.is_symlink() and not path.resolve().is_relative_to(top):
                raise BadValue(f"{inside} is a link that leads out of {top}", fix="put the file itself there")
            yield inside, path


def _within(top: str, folder: str, *, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    """Files in order, without what a link leads out of `top` to. By entries: a hook waits for this."""
    try:
        entries = sorted(os.scandir(f"{top}/{folder}"), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        inside = f"{folder}{entry.name}"
        state = _state(entry, top)
        if state and stat.S_ISREG(state.st_mode):
            yield inside, state
        elif state and stat.S_ISDIR(state.st_mode) and depth < _DEEPEST and _is_plain(entry):
            yield from _within(top, f"{inside}/", depth=depth + 1)


def _is_plain(folder: os.DirEntry[str]) -> bool:
    return folder.name[:1] != "." and folder.name not in _PASSED_BY and not folder.is_symlink()


def _state(entry: os.DirEntry[str], top: str) -> os.stat_result | None:
    try:
        is_out = entry.is_symlink() and not os.path.realpath(entry.path).startswith(f"{top}/")
        return None if is_out else entry.stat()
    except OSError:
        return None


def _content(path: Path, *, left: int) -> bytes:
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise Unreadable(f"{path} is no plain file", fix="name a file or a folder")
    if state.st_size > min(MOST_BYTES, left):
        most = MOST_BYTES if state.st_size > MOST_BYTES else MOST_TOGETHER
        raise TooLong(f"{path} makes it more than {most >> 20} MB", fix="import it in parts")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    for start, kind in _PACKED.items():
        if content.startswith(start):
            raise BadValue(f"{path} is a {kind} file", fix="unpack it, look at what it holds, and name that")
    return content


def _target(top: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or "\\" in name:
        raise BadValue(f"{name!r} leads out of the folder", fix="give the memory another name")
    target = top.joinpath(*parts)
    if not target.parent.resolve().is_relative_to(top.resolve()):
        raise BadValue(f"{name} leads out of {top} by a link", fix="remove the link")
    return target


def _known(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _replace(path: Path, content: bytes) -> None:
    real = path.resolve()
    _beside(path, content).replace(real)  # a link to a file stays a link
    sync(real.parent)


def _beside(path: Path, content: bytes) -> Path:
    """A file next to `path` with its mode, wholly on the disk; a new script can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = 0o755 if content.startswith(b"#!") else 0o644
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else fresh
    real = path.resolve()
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    with ExitStack() as undoing:
        undoing.callback(Path(name).unlink, missing_ok=True)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        undoing.pop_all()
    return Path(name)
