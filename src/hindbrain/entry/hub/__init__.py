"""The hub: what the memory holds, what waits for a person, and what it is worth, in a browser."""

from hindbrain.entry.hub.door import mounts, routes

__all__ = ["mounts", "routes"]
