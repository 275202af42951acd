"""Clients whose files are in memory, for claims about what is written into them."""

from collections.abc import Mapping, Sequence

from hindbrain.core.setup.record import Record
from hindbrain.core.setup.wires import Kit, Roots
from hindbrain.errors import ConfigChanged
from hindbrain.ports import Spooled

KIT = Kit(
    python="/opt/my env/bin/python",
    hook="/opt/lib/hindbrain/hook.py",
    skill="---\nname: hindbrain\n---\n",
    plugin="export const Hindbrain = 1\n",
    has_server=True,
)
ROOTS = Roots(
    project="/repo",
    claude="/home/.claude",
    claude_state="/home/.claude.json",
    codex="/home/.codex",
    gemini="/home/.gemini",
    opencode="/home/.config/opencode",
)
NOTHING_SPOOLED = Spooled(waiting=0, size_bytes=0, oldest=None, bad=0, troubles=(), modes={})


class MemoryClients:
    """Files by path. Folders are not told of: the real ones are, on a disk."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, found: Sequence[str] = ()) -> None:
        self.files = dict(files or {})
        self.kept: dict[str, Record] = {}
        self.pointed: Sequence[str] = ()
        self.spool = NOTHING_SPOOLED
        self.trial = ""  # what a trial says
        self.tries: list[str] = []
        self._found = found

    def found(self) -> Mapping[str, str]:
        return {client: f"/usr/bin/{client}" for client in self._found}

    def roots(self, folder: str) -> Roots:
        return ROOTS

    def exists(self, path: str) -> bool:
        return path in self.files or path in [getattr(ROOTS, client) for client in self._found]

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def write(self, path: str, content: bytes, *, expected: bytes | None) -> Sequence[str]:
        self._same(path, expected)
        self.files[path] = content
        return ()

    def remove(self, path: str, *, expected: bytes) -> None:
        self._same(path, expected)
        del self.files[path]

    def clear(self, folders: Sequence[str]) -> None:
        """There are none."""

    def records(self) -> Sequence[Record]:
        return tuple(self.kept.values())

    def note(self, record: Record) -> None:
        self.kept[record.path] = record

    def drop(self, path: str) -> None:
        self.kept.pop(path, None)

    def point(self, lines: Sequence[str]) -> None:
        self.pointed = lines

    def spooled(self) -> Spooled:
        return self.spool

    def tried(self, line: str, event: Mapping[str, object]) -> str:
        self.tries.append(line)
        return self.trial

    def _same(self, path: str, expected: bytes | None) -> None:
        if self.files.get(path) != expected:
            raise ConfigChanged(path, fix="again")
