"""Where the panel stands: above another program's screen, or alone in the terminal."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from hindbrain.entry.panel.panel import LearningsPanel
from hindbrain.entry.panel.steady import steadied
from hindbrain.entry.panel.toast import LearningToasts
from hindbrain.entry.panel.views import SHARED
from hindbrain.facade import Hindbrain


class LearningsScreen(ModalScreen[None]):
    """The panel above whatever was there, which is as it was when the panel closes."""

    DEFAULT_CSS = """
    LearningsScreen { align: center middle; }
    LearningsScreen > LearningsPanel { max-width: 130; }
    """

    def __init__(self, hindbrain: Hindbrain, *, view: str = SHARED) -> None:
        super().__init__()
        self._hindbrain, self._view = hindbrain, view

    def compose(self) -> ComposeResult:
        yield LearningsPanel(self._hindbrain, view=self._view)
        yield LearningToasts(self._hindbrain)

    def on_learnings_panel_closed(self) -> None:
        self.dismiss()


class PanelApp(App[None]):
    """The panel, alone in the terminal."""

    TITLE = "hindbrain"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c", "quit", "Quit")]

    def __init__(self, hindbrain: Hindbrain, *, view: str = SHARED) -> None:
        super().__init__(driver_class=steadied(self.get_driver_class()))
        self._hindbrain, self._view = hindbrain, view

    def compose(self) -> ComposeResult:
        yield LearningsPanel(self._hindbrain, view=self._view)
        yield LearningToasts(self._hindbrain)

    def on_learnings_panel_closed(self) -> None:
        self.exit()
