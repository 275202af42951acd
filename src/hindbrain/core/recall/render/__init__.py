"""The ways to write memories into a prompt: ours, and those of the systems that agents know."""

from hindbrain.core.recall.render.beads import render_beads
from hindbrain.core.recall.render.chorus import ChorusFiles, render_chorus
from hindbrain.core.recall.render.dex import RECORDING_LEARNINGS, render_dex
from hindbrain.core.recall.render.notes import LEAST_LINE, render_index, render_notes, render_reflexes
from hindbrain.core.recall.render.sections import Sections

__all__ = [
    "LEAST_LINE",
    "RECORDING_LEARNINGS",
    "ChorusFiles",
    "Sections",
    "render_beads",
    "render_chorus",
    "render_dex",
    "render_index",
    "render_notes",
    "render_reflexes",
]
