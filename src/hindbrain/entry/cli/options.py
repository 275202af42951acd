"""The options that several commands share: one name, one meaning, one wording each."""

from functools import partial

import click

from hindbrain.core.model import TYPES, Kind
from hindbrain.entry.cli.values import Day, OneOf

FORMATS = ("text", "claude", "codex", "gemini", "chorus")
BLOCKS = ("default", "dex", "chorus", "beads")
MOST = 1_000_000  # as good as no limit

limit = partial(click.option, "--limit", metavar="N")
after = click.option("--after", type=Day(is_end=False), metavar="DATE", help="Created on or after DATE.")
before = click.option("--before", type=Day(is_end=True), metavar="DATE", help="Created on or before DATE, all day.")
as_of = click.option("--as-of", type=Day(is_end=True), metavar="DATE", help="As things stood on DATE.")
type_ = partial(click.option, "--type", type=OneOf("type", TYPES), metavar="TYPE")
types = type_("types", multiple=True, help=f"Only this type; may be given several times. One of: {', '.join(TYPES)}.")
kind = partial(click.option, "--kind", type=OneOf("kind", tuple(Kind)), metavar="KIND")
kinds = kind("kinds", multiple=True, help=f"Only this kind; may be given several times. One of: {', '.join(Kind)}.")
paths = click.option("--path", "paths", multiple=True, metavar="P", help="A file being worked on; repeatable.")
