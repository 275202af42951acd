"""What may be on a disk after the power went: made from a log of all that a process did to files.

What was synced is there. Of what was written since, each piece is there, missing or torn at a sector. A name that was
given, changed or taken away is so for good once its folder was synced, or, if it is new, its file; of those that came
later in a folder the first few are, in order.
"""

import random
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
TRACED = (
    "openat,creat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir"
)
STRACE = ("strace", "-f", "-y", "-xx", "-s", "2000000", "-e", f"trace={TRACED}", "-e", "signal=none")
_HEX = r'"((?:\\x[0-9a-f]{2})*)"'
_FD = r"\d+<((?:\\x[0-9a-f]{2})*)>(?:\(deleted\))?"
_AT = r"(?:AT_FDCWD(?:<[^>]*>)?|\d+<[^>]*>), "
_RULES = {
    "write": re.compile(rf"p?write(?:64)?\({_FD}, {_HEX}(?:\.\.\.)?, \d+(?:, (\d+))?\) += (\d+)"),
    "sync": re.compile(rf"f(?:data)?sync\({_FD}\) += 0"),
    "truncate": re.compile(rf"ftruncate\({_FD}, (\d+)\) += 0"),
    "open": re.compile(rf"openat\({_AT}{_HEX}, ([A-Z_|]+)(?:, 0\d+)?\) += \d+"),
    "swap": re.compile(rf"renameat2\({_AT}{_HEX}, {_AT}{_HEX}, RENAME_EXCHANGE\) += 0"),
    "rename": re.compile(rf"rename(?:at2?)?\((?:{_AT})?{_HEX}, (?:{_AT})?{_HEX}(?:, 0)?\) += 0"),
    "link": re.compile(rf"link(?:at)?\((?:{_AT})?{_HEX}, (?:{_AT})?{_HEX}(?:, 0)?\) += 0"),
    "unlink": re.compile(rf"unlink(?:at)?\((?:{_AT})?{_HEX}(?:, 0)?\) += 0"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    what: str
    paths: tuple[str, ...]
    data: bytes = b""
    at: int | None = None  # None: behind what is there


def acts(log: Path, *, below: Path, told: str) -> list[Act]:
    """All that was done to files below a folder, in order; and what was written to the file `told`, as it was said."""
    found = [act for line in _joined(log) for act in _read(line)]
    return [
        act for act in found if any(path.startswith(f"{below}/") or path in (told, str(below)) for path in act.paths)
    ]


def _joined(log: Path) -> Iterator[str]:
    """Lines without the process; a call that was interrupted by one of another thread, whole."""
    open_calls: dict[str, str] = {}
    for line in log.read_text("ascii").splitlines():
        process, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            open_calls[process] = call.removesuffix("<unfinished ...>").rstrip()
        elif resumed := re.match(r"<\.\.\. \w+ resumed>", call):
            yield open_calls.pop(process, "") + call[resumed.end() :]
        else:
            yield call


def _read(call: str) -> Iterator[Act]:
    for what, rule in _RULES.items():
        if not (met := rule.match(call)):
            continue
        groups = met.groups()
        if what == "write":
            at = None if groups[2] is None else int(groups[2])
            yield Act(what=what, paths=(_text(groups[0]),), data=_bytes(groups[1])[: int(groups[3])], at=at)
        elif what == "truncate":
            yield Act(what=what, paths=(_text(groups[0]),), at=int(groups[1]))
        elif what == "open" and ("O_CREAT" in groups[1] or "O_TRUNC" in groups[1]):
            yield Act(
                what="make" if "O_CREAT" in groups[1] else "open", paths=(_text(groups[0]),), data=groups[1].encode()
            )
        elif what != "open":
            yield Act(what=what, paths=tuple(_text(one) for one in groups if one is not None))
        return


def _bytes(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def _text(escaped: str) -> str:
    return _bytes(escaped).decode()


@dataclass(slots=True)
class _Inode:
    safe: bytearray
    pending: list[Act] = field(default_factory=list)
    size: int = 0


_Move = tuple[Act, tuple[_Inode, ...]]


class Disk:
    """The files of one folder, as processes see them and as they would be found."""

    def __init__(self, present: Mapping[str, bytes]) -> None:
        self._seen = {path: _Inode(bytearray(content), size=len(content)) for path, content in present.items()}
        self._safe = dict(self._seen)
        self._moves: dict[str, list[_Move]] = {}  # by folder: names that are not there, or not gone, for good

    def play(self, done: Sequence[Act]) -> None:
        for act in done:
            getattr(self, f"_{act.what}")(act)

    def image(self, chance: random.Random) -> dict[str, bytes]:
        names = dict(self._safe)
        for moves in self._moves.values():
            for move, inodes in moves[: chance.randint(0, len(moves))]:
                _moved(names, move, inodes)
        contents = {id(inode): _found(inode, chance) for inode in names.values()}
        return {path: contents[id(inode)] for path, inode in names.items()}

    def _make(self, act: Act) -> None:
        (path,) = act.paths
        if path not in self._seen:
            inode = _Inode(bytearray())
            self._note(Act(what="make", paths=(path,)), (inode,))
        self._open(act)

    def _open(self, act: Act) -> None:
        inode = self._seen.get(act.paths[0])
        if inode and b"O_TRUNC" in act.data and inode.size:
            self._truncate(Act(what="truncate", paths=act.paths, at=0))

    def _write(self, act: Act) -> None:
        inode = self._seen.get(act.paths[0])
        if inode is None:
            return
        at = inode.size if act.at is None else act.at
        inode.pending.append(Act(what="write", paths=act.paths, data=act.data, at=at))
        inode.size = max(inode.size, at + len(act.data))

    def _truncate(self, act: Act) -> None:
        inode = self._seen.get(act.paths[0])
        if inode is not None:
            inode.pending.append(act)
            inode.size = act.at or 0

    def _sync(self, act: Act) -> None:
        (path,) = act.paths
        inode = self._seen.get(path)
        if inode is None:
            for move, inodes in self._moves.pop(path, []):
                _moved(self._safe, move, inodes)
            return
        for one in inode.pending:
            _applied(inode.safe, one)
        inode.pending.clear()
        self._named(path, inode)

    def _named(self, path: str, inode: _Inode) -> None:
        """A new file that is synced has its name: no system in use forgets it."""
        folder = path.rpartition("/")[0]
        moves = self._moves.get(folder, [])
        for entry in [one for one in moves if one[0].what == "make" and one[1][0] is inode]:
            moves.remove(entry)
            _moved(self._safe, *entry)

    def _rename(self, act: Act) -> None:
        self._note(act, (self._seen.get(act.paths[0]),))

    def _swap(self, act: Act) -> None:
        self._note(act, tuple(self._seen.get(path) for path in act.paths))

    def _link(self, act: Act) -> None:
        self._note(act, (self._seen.get(act.paths[0]),))

    def _unlink(self, act: Act) -> None:
        self._note(act, ())

    def _note(self, act: Act, inodes: tuple[_Inode | None, ...]) -> None:
        known = tuple(inode for inode in inodes if inode is not None)
        if len(known) == len(inodes):
            _moved(self._seen, act, known)
            self._moves.setdefault(act.paths[-1].rpartition("/")[0], []).append((act, known))


def _moved(names: dict[str, _Inode], move: Act, inodes: Sequence[_Inode]) -> None:
    match move.what, move.paths:
        case "make", (path,):
            names[path] = inodes[0]
        case "unlink", (path,):
            names.pop(path, None)
        case "rename", (old, new):
            names.pop(old, None)
            names[new] = inodes[0]
        case "link", (_, new):
            names[new] = inodes[0]
        case "swap", (one, other):
            names[one], names[other] = inodes[1], inodes[0]


def _found(inode: _Inode, chance: random.Random) -> bytes:
    content = bytearray(inode.safe)
    for act in inode.pending:
        drawn = chance.random()
        if act.what == "truncate":
            if drawn < 0.5:
                _applied(content, act)
        elif drawn < 0.4:
            _applied(content, act)
        elif drawn < 0.7:
            end = chance.randrange(0, len(act.data) // SECTOR + 1) * SECTOR
            _applied(content, Act(what="write", paths=act.paths, data=act.data[:end], at=act.at))
    return bytes(content)


def _applied(content: bytearray, act: Act) -> None:
    at = act.at or 0
    if act.what == "truncate":
        del content[at:]
        content.extend(bytes(at - len(content)))
    elif act.data:
        content.extend(bytes(max(0, at - len(content))))
        content[at : at + len(act.data)] = act.data


def put(image: Mapping[str, bytes], folder: Path) -> None:
    """Have just these files below the folder. The names in an image are whole paths."""
    shutil.rmtree(folder)
    folder.mkdir()
    for path, content in image.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)


def taken(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
