"""The way back from a memory: to the sentences that taught it, and to the prompts that it reached."""

from collections.abc import Sequence

from hindbrain.app.show import show
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Injection, Link, Memory, Receipt, Review, Version
from hindbrain.core.model.outcome import Outcome
from hindbrain.core.value import dataclass
from hindbrain.ports import Reader, Saying

if TYPE_CHECKING:
    from hindbrain.core.learning.audit import Entry
    from hindbrain.core.model.activity import Activity
    from hindbrain.core.model.outcome import Anchor
    from hindbrain.core.model.suggestion import Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """One time that the memory was taught; None: the receipt is gone."""

    saying: Saying
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    memory: Memory
    receipt: Receipt | None  # of the sentence that its present text comes from
    sayings: tuple[Taught, ...]  # oldest first, as all below
    versions: Sequence[Version]
    anchors: "Sequence[Anchor]"  # by path
    links: Sequence[Link]
    reviews: tuple[Review, ...]
    injections: Sequence[Injection]
    outcomes: Sequence[Outcome]  # of showing it, of holding it back, and what persons said


def why(memory_id: str, *, store: Reader) -> Walk:
    """Everything that leads to a memory and away from it. UnknownMemory when there is none."""
    memory = show(memory_id, store=store)
    return Walk(
        memory=memory,
        receipt=store.receipt(memory.provenance.receipt),
        sayings=tuple(
            Taught(saying=saying, receipt=store.receipt(saying.receipt)) for saying in store.sayings(memory.id)
        ),
        versions=store.history(memory.id),
        anchors=store.anchors(memory.project, memory_id=memory.id),
        links=store.links(memory.id),
        reviews=tuple(store.reviews(memory.project, with_closed=True, about=(memory.id,))),
        injections=store.injections(memory.id),
        outcomes=store.outcomes(memory.project, memory_id=memory.id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWalk:
    """From a rule to the scar, to what agents did, to the sentence."""

    suggestion: "Suggestion"
    decisions: "Sequence[Entry]"  # of the audit log, oldest first
    scar: Walk | None  # None: it removes a rule, or the scar was forgotten
    activities: "Sequence[Activity]"  # that the scar comes from, oldest first
    sources: tuple[Memory, ...]  # memories that the scar was derived from


def why_rule(suggestion: "Suggestion", *, store: Reader) -> RuleWalk:
    """Everything that led to a suggestion, and what a person made of it."""
    scar = why(suggestion.scar_id, store=store) if store.memory(suggestion.scar_id) else None
    wanted = scar.memory.body.get("activities") if scar else None
    ids = {str(one) for one in wanted} if isinstance(wanted, list) else set()
    told = [one for one in store.activities(suggestion.project) if one.id in ids] if ids else []
    from_ = [link.target for link in scar.links if link.source == scar.memory.id] if scar else []
    return RuleWalk(
        suggestion=suggestion,
        decisions=[entry for entry in store.audits() if entry.subject == suggestion.id],
        scar=scar,
        activities=told,
        sources=tuple(store.memories(from_).values()),
    )
