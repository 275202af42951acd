"""How the log of decisions is chained, so that no entry can be changed, removed or moved unseen.

Each entry holds the hash of the one before it. That alone would let somebody cut off the end, so the last hash is also
kept outside of the store: a log that does not reach it has lost something.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from hindbrain.core.hints import Any
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import fingerprint
from hindbrain.core.value import dataclass, field, replace

START = "0" * 64  # what the first entry follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One decision. `detail` never holds a text that may have to be forgotten: only ids, places and digests."""

    at: datetime
    project: str
    actor: str  # "human anna"
    action: str  # apply, patch, refuse, snooze, undo …
    subject: str  # id of the suggestion
    detail: Mapping[str, object] = field(default_factory=dict)
    seq: int = 0  # from 1, without gaps; 0: not sealed yet
    prev: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far the log reaches."""

    seq: int = 0
    hash: str = START

    @property
    def text(self) -> str:
        return f"{self.seq} {self.hash}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    seq: int  # the first entry that is not as it was written
    what: str


def seal(entry: Entry, head: Head) -> Entry:
    """The entry as the next one behind `head`."""
    placed = replace(entry, seq=head.seq + 1, prev=head.hash)
    return replace(placed, hash=_hash(placed))


def head_of(entry: Entry) -> Head:
    return Head(seq=entry.seq, hash=entry.hash)


def read_head(text: str) -> Head | None:
    """The head that `Head.text` wrote; None when it is no head."""
    seq, _, digest = text.removesuffix("\n").partition(" ")
    is_head = seq.isascii() and seq.isdigit() and len(seq) < 19 and len(digest) == len(START)
    found = Head(seq=int(seq), hash=digest) if is_head else None
    return found if found and found.text == text else None


def first_fault(entries: Iterable[Entry], *, heads: Iterable[Head]) -> Fault | None:
    """The first entry that is missing, moved or changed; None when all are as they were written.

    `heads` are what is known of the log from elsewhere. One may lag behind, as a process may end between two writes;
    the log must hold each of them.
    """
    hashes = [START]
    for entry in entries:
        expected = len(hashes)
        if entry.seq != expected:
            return Fault(seq=expected, what=f"it is missing: entry {entry.seq} stands in its place")
        if entry.prev != hashes[-1]:
            return Fault(seq=expected, what="it does not follow the entry before it")
        if entry.hash != _hash(entry):
            return Fault(seq=expected, what="it is not as it was written")
        hashes.append(entry.hash)
    return next((fault for head in heads if (fault := _unheld(head, hashes))), None)


def _unheld(head: Head, hashes: list[str]) -> Fault | None:
    if head.seq >= len(hashes):
        return Fault(seq=len(hashes), what=f"it is missing: the log once reached entry {head.seq}")
    if hashes[head.seq] != head.hash:
        return Fault(seq=max(head.seq, 1), what="it is not the entry that the head was taken from")
    return None


def _hash(entry: Entry) -> str:
    said: list[Any] = [entry.seq, stamp(entry.at), entry.project, entry.actor, entry.action, entry.subject]
    return fingerprint([*said, dict(entry.detail), entry.prev])
