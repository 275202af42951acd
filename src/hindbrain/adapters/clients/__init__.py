"""The clients of coding agents on this machine: their files, and what hooks left for us."""

from hindbrain.adapters.clients.kit import kit
from hindbrain.adapters.clients.local import LocalClients

__all__ = ["LocalClients", "kit"]
