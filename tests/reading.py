"""Everything a store can be asked, as one value: equal before and after means that nothing was changed."""

from hindbrain.core.model import Memory, State
from hindbrain.ports import Store, Where


def everything(store: Store) -> dict[str, object]:
    projects = list(store.projects())
    memories = [memory for project in projects for memory in _memories(store, project.id)]
    return {
        "projects": projects,
        "memories": memories,
        "of each memory": [
            (
                list(store.history(memory.id)),
                list(store.sayings(memory.id)),
                list(store.links(memory.id)),
                list(store.injections(memory.id)),
            )
            for memory in memories
        ],
        "receipts": [list(store.receipts(project.id)) for project in projects],
        "reviews": [list(store.reviews(project.id, with_closed=True)) for project in projects],
        "events": list(store.events()),
    }


def _memories(store: Store, project: str) -> list[Memory]:
    where = Where(project=project, states=frozenset(State), with_everywhere=False)
    return sorted(store.select(where), key=lambda memory: memory.id)
