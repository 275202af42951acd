"""Which memories a word of DOC-05 means: the source that each memory comes from, and the scopes over these sources."""

from collections.abc import Mapping
from types import MappingProxyType

from hindbrain.core.model.memory import Kind, Memory

EVERYTHING = "all"
DECLARED = ("doctrine", "chantier", "agent", "drill", "conduite")  # a tag of that name says so, whatever else it is

_BY_TYPE = {"decision": "doctrine", "constraint": "doctrine", "architecture": "doctrine", "convention": "conduite"}
_BY_KIND = {Kind.REFLEX: "memory", Kind.SKILL: "drill", Kind.EPISODE: "chantier"}

# scope -> how the sources in it begin, and of which kinds they can be; no kinds: any
SCOPES: Mapping[str, tuple[str, tuple[Kind, ...]]] = MappingProxyType(
    {
        "iterations": ("iteration", (Kind.ITERATION,)),
        "cicatrices": ("cicatrice", (Kind.SCAR,)),
        "victoires": ("victoire", (Kind.SCAR,)),
        "memory": ("memory", (Kind.REFLEX,)),
        "brain": ("brain-", (Kind.NOTE,)),
        "doctrine": ("doctrine", ()),
        "chantiers": ("chantier", ()),
        "agents": ("agent", ()),
        "drill": ("drill", ()),
        "conduite": ("conduite", ()),
        EVERYTHING: ("", ()),
    }
)


def source_of(memory: Memory) -> str:
    """DOC-05's source_type: where a memory comes from. One that has no such source is simply a `lesson`."""
    match memory.kind:
        case Kind.SCAR:
            return "victoire" if memory.body.get("outcome") == "victory" else "cicatrice"
        case Kind.NOTE:
            return f"brain-{str(memory.body.get('path', '')).partition('/')[0] or 'inbox'}"
        case Kind.REFLEX:
            return "memory"
    if declared := next((name for name in DECLARED if name in memory.tags), ""):
        return declared
    if memory.kind is Kind.ITERATION:
        return "chantier" if "chantier" in memory.body else "iteration"
    if memory.kind in _BY_KIND:
        return _BY_KIND[memory.kind]
    return _BY_TYPE.get(memory.type) or ("agent" if memory.persona else "lesson")


def is_in(memory: Memory, scope: str) -> bool:
    """Whether `memory` belongs to `scope`, which is one of SCOPES."""
    return source_of(memory).startswith(SCOPES[scope][0])
