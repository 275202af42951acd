"""Hindbrain, the memory of coding agents: `hindbrain.open()` gives all of it."""

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost more than all of this
if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain
    from hindbrain.wiring import open_hindbrain as open  # noqa: A004

__version__ = "0.1.0"
__all__ = ["Hindbrain", "__version__", "open"]


def __getattr__(name: str) -> object:
    # Late: a process that only asks for the version must not load the store.
    if name == "open":
        from hindbrain.wiring import open_hindbrain

        return open_hindbrain
    if name == "Hindbrain":
        from hindbrain.facade import Hindbrain

        return Hindbrain
    raise AttributeError(f"module 'hindbrain' has no attribute {name!r}")
