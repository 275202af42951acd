"""How the panel is opened from a shell, and what it prints where no terminal is."""

import sys
from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, dim
from hindbrain.entry.cli.records import memory_record
from hindbrain.entry.cli.verb import command, option
from hindbrain.entry.panel import require
from hindbrain.entry.panel.views import Board, Section, key_of, read
from hindbrain.entry.panel.wording import count
from hindbrain.errors import BadValue

if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain

_RULE = 76  # columns


@command(
    examples="""
hindbrain panel
hindbrain panel --view ed
hindbrain panel --view all --json
"""
)
@option("--view", default="shared", show_default=True, metavar="V", help="shared, all, or a persona: ed, ace, pat, …")
def panel(call: Call, view: str) -> int:
    """Browse learnings in a panel of the terminal, live.

    Tab goes round the views, / searches, e edits, d deletes, u undoes that, s shows what was superseded, ESC closes.
    New learnings of any process appear by themselves. Where no terminal is, the view is printed once.
    """
    is_screen = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and not call.is_json
    if is_screen:
        require()
    with call.open(is_brief=False) as hindbrain:
        board = read(hindbrain)
        key = key_of(view, among=board.views)
        if not key:
            known = ", ".join(one.key.removeprefix(":") for one in board.views)
            raise BadValue(f"there is no view {view!r:.80}", fix=f"use one of: {known}")
        if is_screen:
            return _run(hindbrain, key)
    call.tell(lambda: _record(board, key), _lines(board, key))
    return 0


def _run(hindbrain: "Hindbrain", key: str) -> int:
    from hindbrain.entry.panel.screen import PanelApp

    app = PanelApp(hindbrain, view=key)
    app.run()
    return app.return_code or 0


def _record(board: Board, key: str) -> dict[str, object]:
    return {
        "view": key.removeprefix(":"),
        "views": {view.key.removeprefix(":"): len(board.held(view.key)) for view in board.views},
        "learnings": [memory_record(memory) for memory in board.held(key)],
        "superseded": [memory_record(memory) for memory in board.history(key)],
    }


def _lines(board: Board, key: str) -> Iterator[str]:
    view = next(one for one in board.views if one.key == key)
    yield f"{bold(view.title)}  {dim(count(len(board.held(key))))}"
    for section in board.sections(key):
        yield from _section(section)
    if not board.held(key):
        yield ""
        yield "No learnings yet."


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield dim("═" * _RULE)
    yield bold(section.heading)
    yield dim("─" * _RULE)
    for entry in section.entries:
        yield ""
        yield f"• {entry.text}"
        yield from (dim(f"  {below}") for below in entry.below)
