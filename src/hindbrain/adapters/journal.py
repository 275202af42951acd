"""How long what hooks were told outlives being taken up: until two backups hold what it taught.

A file lies here as it lay in the spool, record by record and byte by byte as long, because the store knows by bytes how
far it was read. What the door takes out is taken out first: nothing lies here that the store would not have kept.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from hindbrain.core.door import admit
from hindbrain.core.hints import Any
from hindbrain.ports import PROMISES

_MOST = 100_000_000  # bytes of all files
_SHORT = 200  # characters of a string that may come again: a folder, the name of a tool
_HEAD = b"1 %b %d %08x "


class Journal:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        return sorted(path.name for path in self._paths())

    def size(self) -> int:
        return sum(path.stat().st_size for path in self._paths())

    def keep(self, name: str, lines: Iterable[bytes]) -> None:
        """A file whose records were taken up. It takes the place of an earlier copy of itself."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._put(name, lines)
        left = self.size()
        for path in self._paths():
            if left > _MOST and path.name != name:
                left -= path.stat().st_size
                path.unlink()

    def drop(self, *, before: datetime) -> int:
        old = [path for path in self._paths() if path.stat().st_mtime < before.timestamp()]
        for path in old:
            path.unlink()
        return len(old)

    def give_back(self, folder: Path) -> int:
        names = self.names()
        for name in names:
            (self._folder / name).rename(folder / name)
        return len(names)

    def forget(self, is_told: Callable[[bytes], bool]) -> None:
        """Take out records that tell it; the others stay where they are."""
        for path in self._paths():
            lines = path.read_bytes().splitlines(keepends=True)
            if any(map(is_told, lines)):
                changed_at = path.stat().st_mtime
                self._put(path.name, (nothing(len(line)) if is_told(line) else line for line in lines))
                os.utime(path, (changed_at, changed_at))

    def lines(self) -> Iterator[bytes]:
        for path in self._paths():
            with path.open("rb") as file:
                yield from file

    def _paths(self) -> Sequence[Path]:
        return sorted(self._folder.glob("drain-*[0-9a-f]")) if self._folder.is_dir() else []

    def _put(self, name: str, lines: Iterable[bytes]) -> None:
        anew = self._folder / "new"
        handle = os.open(anew, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(handle)
        anew.rename(self._folder / name)


def line_of(client: str, unix_ms: int, *, payload: bytes, size: int) -> bytes:
    """A record of exactly `size` bytes, line break included, with that payload after it went through the door."""
    room = size - len(_HEAD % (client.encode(), unix_ms, 0)) - 1
    clean = cleaned(payload, is_promise=client == PROMISES)
    if clean is None or len(clean) > room:
        return nothing(size)
    clean += b" " * (room - len(clean))
    return _HEAD % (client.encode(), unix_ms, crc32(clean)) + clean + b"\n"


def nothing(size: int) -> bytes:
    """A record of that many bytes which says nothing; a blank line where there is no room for one."""
    room = size - len(_HEAD % (b"none", 0, 0)) - 1
    if room < 2:
        return b" " * (size - 1) + b"\n"
    payload = b"{}" + b" " * (room - 2)
    return _HEAD % (b"none", 0, crc32(payload)) + payload + b"\n"


def cleaned(payload: bytes, *, is_promise: bool = False) -> bytes | None:
    """The payload as the door would have it, and no longer than it was; None when it is no JSON. Of a promise it stays
    as it is for which project it was given: names and paths by which others know it."""
    try:
        value = json.loads(payload)
        clean = _cleaned(value)
        if is_promise and isinstance(value, dict):
            clean |= {"project": value.get("project")}
        return json.dumps(clean, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _known(value) if len(value) < _SHORT else _text(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


@lru_cache(maxsize=512)
def _known(text: str) -> str:
    return _text(text)


def _text(text: str) -> str:
    """A path stays as it is: where something happened is what says whose it is."""
    is_path = text.startswith(("/", "~")) and "\n" not in text and len(text) < 4096
    if is_path:
        return text
    clean = admit(text).text
    while len(json.dumps(clean, ensure_ascii=False)) > len(json.dumps(text, ensure_ascii=False)):
        clean = clean[: -max(1, len(clean) - len(text))]
    return clean
