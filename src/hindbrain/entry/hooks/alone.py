"""How a hook answers by itself while no worker runs: words only, no model, and with the clock against it."""

import faulthandler
import gc
import posix

from hindbrain.entry.hooks import call
from hindbrain.entry.hooks.trouble import NAME

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from hindbrain.entry.hooks.run import Hook
    from hindbrain.settings import Settings

_INSTALLED = ("site-packages", "dist-packages")
_LATE_S = 0.1  # after the deadline: when the handler cannot run, because the engine does not come back


def answered(hook: "Hook", payload: bytes) -> bytes:
    faulthandler.dump_traceback_later(hook.left() + _LATE_S, exit=True, file=_place(hook.home))
    _reach_packages()
    from hindbrain.settings import load, worker_socket

    settings = load()
    far = worker_socket(settings.home)
    said = call.answered(far, payload, asked=hook.asked) if far != hook.socket else None  # a home that lies deep
    return _own(hook, payload, settings=settings) if said is None else said


def _own(hook: "Hook", payload: bytes, *, settings: "Settings") -> bytes:
    from datetime import UTC, datetime

    from hindbrain.app.answer import answer
    from hindbrain.wiring import hurried_tools

    tools = hurried_tools(settings)
    at = datetime.fromtimestamp(hook.at_ms / 1000, UTC)
    return answer(hook.client, payload, at=at, tools=tools)


def _place(home: str) -> int:
    """Where the last words go."""
    try:
        return posix.open(f"{home}/{NAME}", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    except OSError:
        return posix.open("/dev/null", posix.O_WRONLY | posix.O_CLOEXEC)


def _reach_packages() -> None:
    """The store's engine lies where this package was installed; -S has left that out. Nothing looks for garbage: the
    process ends before there is any."""
    gc.disable()
    if not __file__.removesuffix("/hindbrain/entry/hooks/alone.py").endswith(_INSTALLED):
        import site

        site.main()
