"""Decisions about memories, pure: no input or output, no clock, no randomness, standard library only."""
