"""The learnings panel of Chorus as a Textual widget, and the one place that says what to install for it.

Only the three names below need Textual, and they load when they are asked for: what a panel would show can be
printed without it.
"""

from hindbrain.errors import ExtraMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hindbrain.entry.panel.panel import LearningsPanel
    from hindbrain.entry.panel.screen import LearningsScreen
    from hindbrain.entry.panel.toast import LearningToasts

__all__ = ["LearningToasts", "LearningsPanel", "LearningsScreen"]

_WHERE = {"LearningsPanel": "panel", "LearningsScreen": "screen", "LearningToasts": "toast"}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require()
    module = __import__(f"{__name__}.{_WHERE[name]}", fromlist=[name])
    return getattr(module, name)


def require() -> None:
    """ExtraMissing when Textual is not installed."""
    try:
        import textual  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "textual":
            raise
        raise ExtraMissing(
            "the panel needs Textual, which is not installed", fix="pip install 'hindbrain[panel]'"
        ) from None
