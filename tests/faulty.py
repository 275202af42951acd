"""A disk that fails when it is told to: between the engine and the system, at the n-th thing that it does to a file."""

import os
import signal
import time

import apsw

KILL, TEAR, FULL, BROKEN = "kill", "tear", "full", "broken"  # what happens to the n-th
_WRITTEN = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL


class FaultyDisk(apsw.VFS):
    """Every connection that this process opens from now on writes through it."""

    def __init__(self) -> None:
        super().__init__("faulty", "unix", makedefault=True)
        self.count = 0  # writes, syncs, truncations and removals so far
        self.at = 0  # the number of the one that fails; 0: none
        self.how = ""
        self.is_lasting = False  # whether all that come after it fail as well
        self.sync_s = 0.0  # what a sync takes longer than it would
        self.did: list[str] = []

    def fail(self, how: str, *, at: int, is_lasting: bool = False) -> None:
        self.count, self.how, self.at, self.is_lasting = 0, how, at, is_lasting

    def heal(self) -> None:
        self.at = 0

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "apsw.VFSFile":
        return _File(name, flags, self)

    def xDelete(self, name: str, syncdir: bool) -> None:
        self.does("delete")
        super().xDelete(name, syncdir)

    def does(self, what: str) -> bool:
        """Whether a write is to be torn; whatever else is wrong happens here."""
        self.count += 1
        is_due = self.count == self.at or (self.is_lasting and self.count > self.at)
        if not self.at or not is_due:
            return False
        self.did.append(what)
        if self.how == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == TEAR and what == "write":
            return True
        if self.how == TEAR:
            os.kill(os.getpid(), signal.SIGKILL)
        raise apsw.FullError("no room") if self.how == FULL else apsw.IOError("the disk failed")


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: FaultyDisk) -> None:
        super().__init__("unix", name, flags)
        self._disk = disk
        self._counts = bool(flags[0] & _WRITTEN)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._counts and self._disk.does("write"):
            super().xWrite(data[: len(data) // 2], offset)
            os.kill(os.getpid(), signal.SIGKILL)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        if self._counts:
            time.sleep(self._disk.sync_s)
            self._disk.does("sync")
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        if self._counts:
            self._disk.does("truncate")
        super().xTruncate(size)
