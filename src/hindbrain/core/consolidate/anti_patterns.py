"""What not to do: every error that an episode met, with what prevents it (LK-067 to LK-071).

Errors of all episodes count, those that ended well too. A slip of the pen teaches nobody and makes none.
"""

from collections.abc import Iterator, Mapping, Sequence

from hindbrain.core.consolidate.past import Past, signature_of
from hindbrain.core.consolidate.shelf import Shelf
from hindbrain.core.episodes.episode import headed
from hindbrain.core.same import likeness
from hindbrain.core.value import dataclass, replace

MERGE_AT = 0.6  # of likeness
_COMPARED = 20  # of those that share most words
_GUARDS = frozenset({"identifiers", "negation"})  # numbers and paths differ between two runs of the same failure


@dataclass(frozen=True, slots=True, kw_only=True)
class AntiPattern:
    what_fails: str
    why: str
    prevention: str  # empty: nobody has found one yet
    sources: tuple[str, ...]  # ids of memories, the first one first
    actions: tuple[str, ...] = ()  # run_test, run_command: in what kind of action it was met
    signature: str = ""
    files: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        met = headed(self.what_fails, self.why)
        return f"Fails: {met}\n{f'Instead: {self.prevention}' if self.prevention else 'No cure is known yet.'}"

    def body(self) -> dict[str, object]:
        return {
            "what_fails": self.what_fails,
            "why": self.why,
            "prevention": self.prevention,
            "source": self.sources[0],
            "source_episodes": list(self.sources),
            "actions": list(self.actions),
        }


def anti_patterns(pasts: Sequence[Past]) -> tuple[AntiPattern, ...]:
    """One for each error; those that say the same are one, with all their sources."""
    found: dict[str, AntiPattern] = {}
    shelf = Shelf()
    for new in _each(pasts):
        near = shelf.near(told(new), limit=_COMPARED)
        home = next((key for key in near if is_same(found[key], new)), "")
        if home:
            found[home] = joined(found[home], new)
        else:
            key = f"{len(found):08}"
            found[key] = new
            shelf.put(key, told(new))
    return tuple(found.values())


def told(one: AntiPattern) -> str:
    """What two are compared by."""
    return f"{one.what_fails}: {one.why}"


def is_same(one: AntiPattern, other: AntiPattern) -> bool:
    """Whether two warn of the same thing: worded alike, about the same names, and the same error where it is known."""
    if one.signature and other.signature and one.signature != other.signature:
        return False
    alike = likeness(told(one), told(other))
    return alike.score >= MERGE_AT and not _GUARDS & set(alike.guards)


def joined(known: AntiPattern, new: AntiPattern) -> AntiPattern:
    """`known` with what `new` adds: sources, actions, and a way out where none was known."""
    return replace(
        known,
        sources=tuple(dict.fromkeys((*known.sources, *new.sources))),
        actions=tuple(dict.fromkeys((*known.actions, *new.actions))),
        prevention=known.prevention or new.prevention,
        files=tuple(dict.fromkeys((*known.files, *new.files)))[:6],
    )


def read(body: Mapping[str, object], *, signature: str) -> AntiPattern:
    """The anti-pattern that a memory's body holds."""
    fails, why, prevention = (str(body.get(name) or "") for name in ("what_fails", "why", "prevention"))
    many, first, acts = (body.get(name) for name in ("source_episodes", "source", "actions"))
    sources = [str(one) for one in many] if isinstance(many, list) and many else [str(first or "")]
    actions = [str(one) for one in acts] if isinstance(acts, list) else []
    return AntiPattern(
        what_fails=fails,
        why=why,
        prevention=prevention,
        sources=tuple(sources),
        actions=tuple(actions),
        signature=signature,
    )


def _each(pasts: Sequence[Past]) -> Iterator[AntiPattern]:
    for one in pasts:
        for error in one.errors:
            yield AntiPattern(
                what_fails=error.type or error.message,
                why=error.message,
                prevention=error.resolution,
                sources=(one.id,),
                actions=(error.action,) if error.action else (),
                signature=signature_of(error) if error.signature else "",
                files=tuple(path for path in one.edited if path.rsplit("/", 1)[-1] in error.message)[:6],
            )
