"""Which memories a word of DOC-05 means: the source that each memory comes from, and the scopes over these sources."""

from collections.abc import Mapping
from types import MappingProxyType

from hindbrain.core.model.memory import Kind, Memory

EVERYTHING = "all"
DECLARED = ("doctrine", "chantier", "agent", "drill", "conduite")  # a tag of that name says so, whatever else it is

_BY_TYPE = {"decision": "doctrine", "constraint": "doctrine", "architecture": "doctrine", "convention": "conduite"}
_BY_KIND = {Kind.SKILL: "drill", Kind.EPISODE: "chantier", Kind.ITERATION: "chantier"}
_OUTCOMES = {"victory": "victoire"}
_USUAL = ("lesson", "agent")  # shared by all, or one persona's own

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
    body = memory.body
    match memory.kind:
        case Kind.SCAR:
            return _OUTCOMES.get(str(body.get("outcome")), "cicatrice")
        case Kind.NOTE:
            return f"brain-{str(body.get('path') or 'inbox').partition('/')[0]}"
        case Kind.REFLEX:
            return "memory"
        case Kind.ITERATION if "chantier" not in body:
            return "iteration"
    declared = next((name for name in DECLARED if name in memory.tags), "")
    return declared or _BY_KIND.get(memory.kind) or _BY_TYPE.get(memory.type) or _USUAL[bool(memory.persona)]


def is_in(memory: Memory, scope: str) -> bool:
    """Whether `memory` belongs to `scope`, which is one of SCOPES."""
    return source_of(memory).startswith(SCOPES[scope][0])
