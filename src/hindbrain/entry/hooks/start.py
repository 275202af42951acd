"""When a hook starts a worker, and how that worker is free of the hook and of the client."""

import posix
import sys
import time

_MARK = "worker-start"  # its size is how often one was started in a row, its time when it was last
_FIRST_S, _LONGEST_S = 5.0, 300.0  # a worker that does not come up is tried less and less often
_LONGEST_LOG = 1_000_000  # bytes; a longer one begins anew
_INSTALLED = ("site-packages", "dist-packages")


def start(home: str, environ: dict[bytes, bytes]) -> None:
    """Start one, unless that was tried a moment ago. If there is one after all, the new one ends at once."""
    if not is_due(f"{home}/{_MARK}", now=time.time()):
        return
    handle = posix.open(f"{home}/{_MARK}", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    posix.write(handle, b".")
    posix.close(handle)
    log = f"{home}/worker.log"
    flags = posix.O_WRONLY | posix.O_CREAT | (posix.O_TRUNC if _is_long(log) else posix.O_APPEND)
    streams: list[tuple[object, ...]] = [
        (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, log, flags, 0o600),
        (posix.POSIX_SPAWN_DUP2, 1, 2),
        *((posix.POSIX_SPAWN_CLOSE, number) for number in _inherited()),
    ]
    words = [sys.executable, "-P", "-m", "hindbrain", "worker"]
    posix.posix_spawn(sys.executable, words, _known(environ), file_actions=streams, setsid=True)


def is_due(mark: str, *, now: float) -> bool:
    try:
        known = posix.stat(mark)
    except FileNotFoundError:
        return True
    wait = min(_LONGEST_S, _FIRST_S * 2 ** min(max(known.st_size - 1, 0), 10))
    return not 0 <= now - known.st_mtime < wait


def forget(home: str) -> None:
    """There is one: the next that is missing may be started at once."""
    try:
        posix.unlink(f"{home}/{_MARK}")
    except OSError:
        return


def _is_long(log: str) -> bool:
    try:
        return posix.stat(log).st_size > _LONGEST_LOG
    except FileNotFoundError:
        return False


def _inherited() -> list[int]:
    """What the client left open in us: a pipe that stays open in the worker would look as if the hook never ended."""
    try:
        return [int(name) for name in posix.listdir("/dev/fd") if int(name) > 2]
    except (OSError, ValueError):
        return []


def _known(environ: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """With the way to this package where it is not installed; an installed one must not come before the standard
    library."""
    root = __file__.removesuffix("/hindbrain/entry/hooks/start.py")
    if root.endswith(_INSTALLED):
        return environ
    path = environ.get(b"PYTHONPATH", b"")
    return {**environ, b"PYTHONPATH": root.encode() + (b":" + path if path else b"")}
