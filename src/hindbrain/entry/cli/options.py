"""The options that several commands share: one name, one meaning, one wording each."""

from collections.abc import Sequence
from functools import partial

from hindbrain.core.model import TYPES, Kind
from hindbrain.entry.cli.values import Day, OneOf
from hindbrain.entry.cli.verb import option

FORMATS = ("text", "claude", "codex", "gemini", "chorus")
BLOCKS = ("default", "dex", "chorus", "beads")
MOST = 1_000_000  # as good as no limit


def _strategies() -> Sequence[str]:
    from hindbrain.core.recall import STRATEGIES  # late: most command lines name none

    return tuple(STRATEGIES)


def _scopes() -> Sequence[str]:
    from hindbrain.core.scopes import SCOPES  # late, as above

    return tuple(SCOPES)


limit = partial(option, "--limit", metavar="N")
after = option("--after", type=Day(is_end=False), metavar="DATE", help="Created on or after DATE.")
before = option("--before", type=Day(is_end=True), metavar="DATE", help="Created on or before DATE, all day.")
as_of = option("--as-of", type=Day(is_end=True), metavar="DATE", help="As things stood on DATE.")
type_ = partial(option, "--type", type=OneOf("type", TYPES), metavar="TYPE")
types = type_("types", multiple=True, help=f"Only this type; may be given several times. One of: {', '.join(TYPES)}.")
kind = partial(option, "--kind", type=OneOf("kind", tuple(Kind)), metavar="KIND")
kinds = kind("kinds", multiple=True, help=f"Only this kind; may be given several times. One of: {', '.join(Kind)}.")
paths = option("--path", "paths", multiple=True, metavar="P", help="A file being worked on; repeatable.")
scopes = option(
    "--scope",
    "scopes",
    type=OneOf("scope", _scopes),
    multiple=True,
    metavar="S",
    help="Only such sources, ranked as doc05: iterations, cicatrices, victoires, memory, brain, doctrine, chantiers, "
    "agents, drill, conduite or all; repeatable.",
)
strategy = option(
    "--strategy",
    type=OneOf("strategy", _strategies),
    metavar="S",
    help="How to rank: unified, dex, loki, doc05 or recent.  [default: the setting `strategy`]",
)
