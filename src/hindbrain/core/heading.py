"""Which memories Chorus would call learnings, and under which heading each stands: its files and the panel agree."""

from hindbrain.core.model.memory import Kind, Memory

LEARNINGS = (Kind.LESSON, Kind.FACT, Kind.PATTERN, Kind.ANTI_PATTERN)
GIVEN = "chorus_category"  # where a memory's body keeps a heading that is none of the six categories


def heading(memory: Memory) -> str:
    """Its category, or the heading that a file of Chorus had given it while no person chose another."""
    given = memory.body.get(GIVEN)
    return given if isinstance(given, str) and given and not memory.category_is_fixed else memory.category
