"""The option whose words belong to shape: apart, because most commands need not load it."""

from hindbrain.core.shape import CATEGORIES
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import option

category = option(
    "--category", type=OneOf("category", CATEGORIES), metavar="CATEGORY", help=f"One of: {', '.join(CATEGORIES)}."
)
