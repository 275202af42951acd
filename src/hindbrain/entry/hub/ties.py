"""How a person ties a memory to others in the browser: links, one of two, several of one, one in place of another."""

import re
from collections.abc import Sequence

from hindbrain.core.model import Memory, Relation, State
from hindbrain.entry.http.problem import Refused
from hindbrain.entry.hub.diff import side_by_side
from hindbrain.entry.hub.turn import Move, Page, Turn
from hindbrain.facade import Hindbrain

CHOSEN = tuple(one for one in Relation if one not in (Relation.SUPERSEDES, Relation.SUPERSEDED_BY))
_OFFERED = 6  # other memories
_ASKED = 1_000  # characters of a memory that near ones are looked up by
_PARTING = "---"  # a line of its own between two parts


def near(hindbrain: Hindbrain, memory: Memory, *, words: str = "") -> Sequence[Memory]:
    """Others that it may have to do with: those that bear on `words`, or else on what it says itself."""
    asked = words.strip() or memory.content
    found = hindbrain.recall(asked[:_ASKED], limit=_OFFERED + 1, is_counted=False)
    return [one.memory for one in found if one.id != memory.id and one.memory.project == memory.project][:_OFFERED]


def others(turn: Turn) -> Page:
    """The others to choose from, while somebody types."""
    hindbrain, memory = turn.memory()
    return Page(template="others.html", about={"near": near(hindbrain, memory, words=turn.said.get("find", ""))})


def link(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    other = _other(turn)
    hindbrain.link(memory.id, turn.said.get("relation", ""), other=other.id, reason=turn.said.get("reason", ""))
    return _back(turn, "link")


def unlink(turn: Turn) -> Move:
    """By both ends as they were written: one of them is the memory whose page it is."""
    hindbrain, memory = turn.memory(is_changed=True)
    source, target = turn.said.get("source", ""), turn.said.get("target", "")
    if memory.id not in (source, target):
        raise Refused(404, "unknown_link", "that link is not one of its own", fix="load the page again")
    for end in (source, target):
        turn.visit.memory(end, is_own=True)
    hindbrain.unlink(source, turn.said.get("relation", ""), other=target)
    return _back(turn, "unlink")


def supersede(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    reason = turn.said.get("reason", "").strip() or "a person decided so"
    hindbrain.link(memory.id, Relation.SUPERSEDED_BY, other=_other(turn).id, reason=reason)
    return _back(turn, "supersede")


def merging(turn: Turn) -> Page:
    """Both beside each other, and what is to become of them."""
    _, memory = turn.memory(is_changed=True)
    other = _other(turn)
    if memory.state is not State.LIVE or other.state is not State.LIVE or memory.id == other.id:
        raise Refused(409, "not_live", "these two cannot become one", fix="choose two that are live")
    words = memory.content if other.content in memory.content else f"{memory.content}\n\n{other.content}"
    about = {"memory": memory, "other": other, "rows": side_by_side(memory.content, other.content), "words": words}
    return Page(template="merge.html", about=about)


def merge(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    hindbrain.unite(memory.id, _other(turn).id, content=_text(turn, "content"), version=turn.number("version"))
    return _back(turn, "merge")


def splitting(turn: Turn) -> Page:
    _, memory = turn.memory(is_changed=True)
    words = f"\n{_PARTING}\n".join(_guessed(memory.content))
    return Page(template="split.html", about={"memory": memory, "words": words, "parting": _PARTING})


def split(turn: Turn) -> Move:
    hindbrain, memory = turn.memory(is_changed=True)
    parts = [part.strip() for part in re.split(r"(?m)^-{3,}[ \t]*$", _text(turn, "content"))]
    hindbrain.split(memory.id, [part for part in parts if part], version=turn.number("version"))
    return _back(turn, "split")


def _guessed(content: str) -> Sequence[str]:
    """Where it may come apart: at empty lines, else at sentences."""
    paragraphs = [part.strip() for part in content.split("\n\n") if part.strip()]
    if len(paragraphs) > 1:
        return paragraphs
    return [part.strip() for part in re.split(r"(?<=[.;!?]) ", content) if part.strip()]


def _other(turn: Turn) -> Memory:
    """The one that was named, or else the one that was chosen from the list."""
    wanted = turn.said.get("other", "").strip() or turn.said.get("near", "")
    if not wanted:
        raise Refused(400, "no_other", "no other memory was chosen", fix="go back and choose one, or give its id")
    return turn.visit.memory(wanted, is_own=True)[1]


def _text(turn: Turn, name: str) -> str:
    return turn.said.get(name, "").replace("\r\n", "\n")


def _back(turn: Turn, done: str) -> Move:
    return Move(to=turn.link(f"/memories/{turn.at['id']}", done=done))
