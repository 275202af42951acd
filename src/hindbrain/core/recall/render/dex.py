"""How Dex writes memories into a prompt: grouped by type under its titles, and how it asks for new ones."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hindbrain.core.recall.ask import Recalled
from hindbrain.core.recall.frame import inert, label
from hindbrain.core.recall.render.sections import Sections, more

RECORDING_LEARNINGS = """\
## Recording Learnings

When you discover something important about this project, record it:

MEMORY:pattern:How this codebase does something specific
MEMORY:pitfall:Something that doesn't work or is a gotcha
MEMORY:decision:Why a choice was made
MEMORY:fix:Solution to a problem

Only record genuinely useful learnings that would help future tasks.
Keep memories concise (1-2 sentences) and actionable.
"""

# In the order in which they are shown.
_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "architecture": "Architecture",
        "pattern": "Patterns",
        "pitfall": "Pitfalls",
        "decision": "Decisions",
        "fix": "Fixes",
        "convention": "Conventions",
        "dependency": "Dependencies",
        "constraint": "Constraints",
    }
)
_ALIASES = {"investigation": "fix"}  # every other type without a title counts as a pattern: nothing is lost


def render_dex(items: Sequence[Recalled], *, left_out: int) -> Sections:
    """The section `## Project Knowledge`; nothing at all when there is nothing to tell (DX-106)."""
    if not items:
        return Sections()
    groups: dict[str, list[str]] = {type_: [] for type_ in _TITLES}
    for item in items:
        memory = item.memory
        type_ = _ALIASES.get(memory.type, memory.type)
        line = f"- **{label(memory.title)}**: {inert(memory.content)}\n"
        groups[type_ if type_ in groups else "pattern"].append(line)
    notes = "".join(f"### {_TITLES[type_]}\n{''.join(lines)}\n" for type_, lines in groups.items() if lines)
    rest = more(left_out)
    return Sections(
        head="## Project Knowledge\n\nLearnings from previous work on this project:\n\n",
        notes=notes,
        tail=f"{rest}\n" if rest else "",
    )
