"""Which words a memory is found by, and what each place weighs. Every store indexes exactly these."""

from hindbrain.core.model.memory import Memory, Reach, State
from hindbrain.core.words import terms

WEIGHTS = (0.0, 2.0, 1.0, 1.0)  # scope, title, content, extra: the scope filters, it must not rank
_STATES = tuple(map(str, State))


def columns(memory: Memory) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Terms of the title, the content and the rest (type, tags, file references, key).

    A title that only repeats the beginning of the content adds nothing and would count it twice.
    """
    title = [] if title_repeats(memory) else terms(memory.title)
    extra = terms(" ".join((memory.type, *memory.tags, *memory.file_refs)))
    return tuple(title), tuple(terms(memory.content)), tuple(extra)


def title_repeats(memory: Memory) -> bool:
    """Whether the title is only how the content begins."""
    return memory.content.startswith(memory.title.removesuffix("..."))


def scope(memory: Memory, project_number: int) -> tuple[str, ...]:
    """Tokens that say where a memory may be found: one for its project and state, one if it goes everywhere.

    A token in the index instead of a join: with a million rows that is ten milliseconds against thousands.
    """
    own = scope_token(project_number, memory.state)
    return (own, everywhere_token(memory.state)) if memory.reach is Reach.EVERYWHERE else (own,)


def is_scope(term: str) -> bool:
    """Whether an index holds `term` for that reason, and not because a text does."""
    if not term.endswith(_STATES):  # hardly a word does
        return False
    place = term.removesuffix(next(state for state in _STATES if term.endswith(state)))
    return place == "everywhere" or (place[:1] == "p" and place[1:].isdecimal())


def scope_token(project_number: int, state: State) -> str:
    return f"p{project_number}{state}"


def everywhere_token(state: State) -> str:
    return f"everywhere{state}"
