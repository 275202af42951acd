"""How a text becomes a memory that nothing is missing from: shape, confidence and trust from its provenance."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core import trust
from hindbrain.core.confidence import first
from hindbrain.core.model import Kind, Memory, Provenance
from hindbrain.core.shape import shape
from hindbrain.core.trust import Circumstances, Trust
from hindbrain.core.value import dataclass, field
from hindbrain.settings import Settings

MAX_CHARACTERS = 16_000  # of one memory; what a later embedder reads at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody said, after the door."""

    text: str
    project: str
    provenance: Provenance
    type: str = "learned"
    kind: Kind = Kind.LESSON
    persona: str | None = None
    said_at: datetime | None = None
    circumstances: Circumstances = field(default_factory=Circumstances)
    body: Mapping[str, object] = field(default_factory=dict)


def compose(draft: Draft, *, memory_id: str, now: datetime, settings: Settings) -> tuple[Memory, Trust]:
    judged = trust.judge(draft.text, draft.provenance, circumstances=draft.circumstances)
    form = shape(draft.text, type=draft.type)
    memory = Memory(
        id=memory_id,
        project=draft.project,
        content=draft.text,
        title=form.title,
        type=draft.type,
        kind=draft.kind,
        category=form.category,
        body=draft.body,
        tags=form.tags,
        file_refs=form.file_refs,
        error_signature=form.error_signature,
        key=form.key,
        legacy_key=form.legacy_key,
        content_hash=form.content_hash,
        chorus_hash=form.chorus_hash,
        persona=draft.persona,
        provenance=draft.provenance,
        trust=judged.level,
        confidence=first(draft.provenance.source, growth=settings.growth),
        learned_at=draft.said_at or now,
        created_at=now,
        updated_at=now,
    )
    return memory, judged
