"""The files of other systems, read and written: one module or folder for each system, loaded when it is named."""

from importlib import import_module
from types import MappingProxyType
from typing import Any

from hindbrain.errors import BadValue

NAMES = MappingProxyType(  # what a person writes -> where it is spoken
    {
        "beads": "beads",
        "chorus": "chorus",
        "claude": "claude_memory",
        "cursor": "cursor",
        "dex": "dex",
        "loki": "loki",
        "mem0": "mem0",
        "rules": "rules",
        "server-memory": "server_memory",
    }
)


def dialect(name: str) -> Any:
    """The `Dialect` of that name. BadValue when nobody speaks it."""
    if name not in NAMES:
        raise BadValue(f"there is no dialect {name!r}", fix=f"use one of: {', '.join(NAMES)}")
    return import_module(f"hindbrain.dialects.{NAMES[name]}").DIALECT
