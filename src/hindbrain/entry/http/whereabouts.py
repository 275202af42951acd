"""Where a service that runs is found by other programs of its owner: in a file of the home, for as long as it runs."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hindbrain.settings import Settings

_NAME = "service.json"


@contextmanager
def noted(settings: Settings, address: str, *, door: str) -> Iterator[None]:
    """Of two services of one home, the one that came last."""
    path = _path(settings)
    fresh = path.with_name(f".{_NAME}.{os.getpid()}")
    fresh.write_text(json.dumps({"address": address, "door": door, "pid": os.getpid()}), "utf-8")
    fresh.replace(path)
    try:
        yield
    finally:
        if _read(path).get("pid") == os.getpid():
            path.unlink(missing_ok=True)


def found(settings: Settings) -> tuple[str, str] | None:
    """Its address, and the door that links are for; None when none runs."""
    told = _read(_path(settings))
    address, door, pid = told.get("address"), told.get("door"), told.get("pid")
    is_whole = isinstance(address, str) and isinstance(door, str) and isinstance(pid, int)
    return (str(address), str(door)) if is_whole and isinstance(pid, int) and _is_alive(pid) else None


def _path(settings: Settings) -> Path:
    return Path(settings.home) / _NAME


def _read(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OverflowError:
        return False
    except PermissionError:
        return True
    except OSError:
        return False
    return pid > 0
