"""The options whose words belong to ranking and to shape: apart, because most commands need load neither."""

import click

from hindbrain.core.recall import STRATEGIES
from hindbrain.core.shape import CATEGORIES
from hindbrain.entry.cli.values import OneOf

category = click.option(
    "--category", type=OneOf("category", CATEGORIES), metavar="CATEGORY", help=f"One of: {', '.join(CATEGORIES)}."
)
strategy = click.option(
    "--strategy",
    type=OneOf("strategy", tuple(STRATEGIES)),
    metavar="S",
    help="How to rank: unified, dex, loki, doc05 or recent.  [default: the setting `strategy`]",
)
