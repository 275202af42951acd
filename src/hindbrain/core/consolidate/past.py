"""What of an episode is compared with others: its gist, and its files without those that say nothing about the work."""

from functools import lru_cache

from hindbrain.core.episodes.episode import Ending, Episode, Trouble, read
from hindbrain.core.model.memory import Memory
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed, query_terms

_MOST_TERMS = 60
_LOGS = (".log", ".pid", ".lock", ".jsonl", ".tmp", ".bak", ".pass", ".map", ".min.js", ".snap")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".pdf", ".mp4")
_KEPT_HIDDEN = frozenset(listed(".github .gitlab .circleci .devcontainer .vscode .config .husky .storybook"))
_GENERIC = frozenset(listed("FAILED ERROR FAIL error fatal make exit"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An episode, with the memory that holds it."""

    id: str  # of the memory
    episode: Episode
    trust: int = 2
    terms: frozenset[str] = frozenset()

    @property
    def is_good(self) -> bool:
        return self.episode.ending == Ending.SUCCESS

    @property
    def errors(self) -> tuple[Trouble, ...]:
        """Those that somebody can learn from."""
        return tuple(one for one in self.episode.errors if not one.is_slip and (one.message or one.type))

    @property
    def edited(self) -> tuple[str, ...]:
        return tuple(path for path in self.episode.artifacts if is_work(path))


def past(memory: Memory) -> Past:
    episode = read(memory)
    return Past(
        id=memory.id, episode=episode, trust=memory.trust, terms=frozenset(query_terms(gist(episode))[:_MOST_TERMS])
    )


def gist(episode: Episode) -> str:
    """What was to be done and what went wrong. A goal that is only a path says nothing of the kind."""
    goal = "" if _is_path(episode.goal) else episode.goal
    wrong = (f"{one.type} {one.message}" for one in episode.errors if not one.is_slip)
    return "\n".join(filter(None, (goal, *wrong)))


@lru_cache(maxsize=4096)
def is_work(path: str) -> bool:
    """Whether a file is part of the work: no log, picture or lock, and nothing that a tool keeps for itself in a hidden
    folder."""
    parts = path.replace("\\", "/").split("/")
    hidden = (part for part in parts[:-1] if part.startswith(".") and part not in (".", ".."))
    if any(part not in _KEPT_HIDDEN for part in hidden):
        return False
    name = parts[-1].lower()
    is_scratch = path.startswith(("/tmp/", "/var/", "/private/"))
    return bool(name) and not name.endswith((*_LOGS, *_PICTURES)) and not is_scratch


def signature_of(error: Trouble) -> str:
    """What makes two errors the same one; empty where that would be said of anything."""
    known = error.signature or error.message
    head = known.partition(":")[0].split(" ")[0]
    is_generic = head in _GENERIC and len(known.split()) < 4
    return "" if is_generic or len(known) < 8 else known


def _is_path(text: str) -> bool:
    return " " not in text.strip() and "/" in text
