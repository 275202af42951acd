"""How the memories of a project are counted: what is live by type, kind and category; what is not, by state."""

from collections import Counter
from collections.abc import Iterable, Mapping

from hindbrain.app.spaces import held
from hindbrain.core.model import TYPES, Kind, State, Verdict
from hindbrain.core.shape import CATEGORIES
from hindbrain.core.value import dataclass
from hindbrain.ports import Embedder, Store, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of live memories, unless a field says otherwise. Mappings hold no zeros, except `by_state`."""

    active: int
    unique_keys: int
    learned: int
    investigation: int
    archived: int
    by_type: Mapping[str, int]
    by_category: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_state: Mapping[str, int]  # of all memories
    receipts: Mapping[str, int]  # by verdict
    open_reviews: int
    vectors: int  # of all projects, of the model that is set
    due: int  # memories of all projects that wait for theirs


def stats(project: str, *, store: Store, embedder: Embedder | None = None) -> Stats:
    """What the project itself holds; memories that only reach it from another project are counted there."""
    everything = store.select(Where(project=project, states=frozenset(State), with_everywhere=False))
    live = [memory for memory in everything if memory.state is State.LIVE]
    types = Counter(memory.type for memory in live)
    states = Counter(memory.state for memory in everything)
    spaces = [one for one in held(store.vitals()) if embedder and one.space == embedder.space.name]
    return Stats(
        active=len(live),
        unique_keys=len({memory.key for memory in live}),
        learned=types["learned"],
        investigation=types["investigation"],
        archived=states[State.ARCHIVED],
        by_type=_counted(types, TYPES),
        by_category=_counted(Counter(memory.category for memory in live), CATEGORIES),
        by_kind=_counted(Counter(memory.kind for memory in live), Kind),
        by_state={str(state): states[state] for state in State},
        receipts=_counted(Counter(receipt.verdict for receipt in store.receipts(project)), Verdict),
        open_reviews=len(store.reviews(project)),
        vectors=sum(one.vectors for one in spaces),
        due=sum(one.due for one in spaces),
    )


def _counted(counter: Mapping[str, int], order: Iterable[str]) -> Mapping[str, int]:
    return {str(name): counter[name] for name in order if counter[name]}
