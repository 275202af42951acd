"""When a person is told how far a long piece of work is: at a terminal, and once it takes long."""

import sys
import time

from hindbrain.core.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

_AFTER_S = 2.0  # what is done sooner needs no bar


class Bar:
    def __init__(self, label: str, total: int = 0) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._since = time.monotonic()
        self._bar: ProgressBar[int] | None = None

    def tell(self, count: int, total: int = 0) -> None:
        """`count` more are done, of `total` in all if that is only known now."""
        self._done += count
        self._total = max(self._total, total, self._done)  # more may have come meanwhile
        if self._bar is not None:
            self._bar.update(count)
        elif sys.stderr.isatty() and time.monotonic() - self._since > _AFTER_S:
            import click

            self._bar = click.progressbar(length=self._total, label=self._label, file=sys.stderr)
            self._bar.update(self._done)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
