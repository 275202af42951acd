"""What a coding agent's client tells us and may be told, in one vocabulary for all clients."""
