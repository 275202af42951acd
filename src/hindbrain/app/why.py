"""The way back from a memory: to the sentences that taught it, and to the prompts that it reached."""

from collections.abc import Sequence

from hindbrain.app.show import show
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Injection, Link, Memory, Receipt, Review, Version
from hindbrain.core.model.outcome import Outcome
from hindbrain.core.value import dataclass
from hindbrain.ports import Reader, Saying

if TYPE_CHECKING:
    from hindbrain.core.model.outcome import Anchor


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
    reviews = store.reviews(memory.project, with_closed=True)
    return Walk(
        memory=memory,
        receipt=store.receipt(memory.provenance.receipt),
        sayings=tuple(
            Taught(saying=saying, receipt=store.receipt(saying.receipt)) for saying in store.sayings(memory.id)
        ),
        versions=store.history(memory.id),
        anchors=store.anchors(memory.project, memory_id=memory.id),
        links=store.links(memory.id),
        reviews=tuple(review for review in reviews if memory.id in (review.memory_id, review.other_id)),
        injections=store.injections(memory.id),
        outcomes=store.outcomes(memory.project, memory_id=memory.id),
    )
