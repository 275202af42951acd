"""Which files a memory's anchors lie in: found by its references at first, followed through renames later."""

import os
from collections.abc import Iterable, Sequence
from datetime import datetime

from hindbrain.core import anchors as core
from hindbrain.core.anchors import Cited, Source, Tree
from hindbrain.core.model import Memory
from hindbrain.core.model.outcome import Anchor, Freshness
from hindbrain.core.value import replace
from hindbrain.ports import Code

_MOVES = 200  # files whose way is asked of git in one look: each takes a while
_HELD = 50_000_000  # characters of sources that are kept while many memories are looked at


def tie(memory: Memory, root: str, *, code: Code, at: datetime) -> tuple[Anchor, ...]:
    """Anchors of `memory` in the code base at `root` as it is now; none when it names nothing that is there."""
    return Checkout(root, code=code).tie(memory, at=at)


class Checkout:
    """A code base as it lies there, each file read once."""

    def __init__(self, root: str, *, code: Code) -> None:
        self._root = root
        self._code = code
        self._tree: Tree | None = None
        self._sources: dict[str, Source | None] = {}
        self._held = 0
        self._past: dict[str, str | None] = {}
        self._moves: dict[tuple[str, str], str | None] = {}
        self.read = 0  # files

    def tie(self, memory: Memory, *, at: datetime, before: Sequence[Anchor] = ()) -> tuple[Anchor, ...]:
        """Anchors in the files that the memory means, as these are now; else where those `before` have gone to."""
        sources = {cite: self._meant(cite) for cite in core.cited(memory)}
        return core.tied(memory, sources, at=at) or core.tied(memory, dict(map(self._again, before)), at=at)

    def _again(self, anchor: Anchor) -> tuple[Cited, list[Source]]:
        there = anchor if self._source(anchor.path) else self._followed(anchor)
        source = self._source(there.path)
        lines = (0, 0) if anchor.symbol else (anchor.start, anchor.end)
        cite = Cited(ref=there.path, symbol=anchor.symbol, start=lines[0], end=lines[1])
        return cite, [source] if source else []

    def paths(self, memory: Memory) -> frozenset[str]:
        """The files that the memory means now."""
        return frozenset(path for cite in core.cited(memory) for path in self._named(cite))

    def has(self, path: str) -> bool:
        return self._source(path) is not None

    def look(self, anchor: Anchor, *, at: datetime, is_anew: bool) -> Anchor:
        """The anchor as it is now. What it was tied to stays, so that code that is changed back is fresh again.

        In a file that is the same, letter by letter, nothing is looked for unless `is_anew`.
        """
        source = self._source(anchor.path)
        if source and source.blob == anchor.blob and anchor.freshness is Freshness.FRESH and not is_anew:
            return anchor
        moved = anchor if source else self._followed(anchor)
        now = self._compared(moved, source or self._source(moved.path))
        parts = (f"{anchor.path} is {moved.path} now" if moved is not anchor else "", now.note)
        note = "; ".join(filter(None, parts))
        if not note and anchor.freshness is now.freshness:
            note = anchor.note  # where it came from
        return replace(now, note=note, checked_at=at)

    def _compared(self, anchor: Anchor, source: Source | None) -> Anchor:
        seen = core.compare(anchor, source.text if source else None)
        now = replace(anchor, freshness=seen.freshness, note=seen.note, start=seen.start, end=seen.end)
        if source and seen.freshness is Freshness.FRESH:
            return replace(now, blob=source.blob)
        if source and seen.freshness is Freshness.SUSPECT:
            return replace(now, note=self._explained(now, source))
        return now

    def _meant(self, cite: Cited) -> list[Source]:
        return [source for path in self._named(cite) if (source := self._source(path))]

    def _named(self, cite: Cited) -> Sequence[str]:
        return self._files().meant(_relative(cite.ref, self._root))

    def _files(self) -> Tree:
        if self._tree is None:
            self._tree = Tree(self._code.tracked(self._root))
        return self._tree

    def _source(self, path: str) -> Source | None:
        if path not in self._sources:
            source = self._code.read(self._root, path)
            size = len(source.text) if source else 0
            if self._held + size > _HELD:
                self._sources.clear()
                self._held = 0
            self._held += size
            self._sources[path] = source
            self.read += 1
        return self._sources[path]

    def _followed(self, anchor: Anchor) -> Anchor:
        """The anchor where its file went to: as git says, else to the only file of that name and content."""
        key = (anchor.path, anchor.blob)
        if key not in self._moves:
            there = self._code.renamed(self._root, anchor.path) if len(self._moves) < _MOVES else None
            self._moves[key] = there or _only(self._same_content(anchor))
        there = self._moves[key]
        return replace(anchor, path=there) if there else anchor

    def _same_content(self, anchor: Anchor) -> Iterable[str]:
        for path in self._files().namesakes(anchor.path):
            source = self._source(path)
            if source and source.blob == anchor.blob:
                yield path

    def _explained(self, anchor: Anchor, source: Source) -> str:
        """How much changed, where git still has what the memory was tied to."""
        if anchor.blob not in self._past:
            self._past[anchor.blob] = self._code.was(self._root, anchor.blob)
        past = self._past[anchor.blob]
        before = core.span(anchor, past) if past is not None else None
        after = core.place(anchor, source.text)
        much = core.told(before, after) if before is not None and after is not None else ""
        return f"{anchor.note}: {much}" if much else anchor.note


def _relative(ref: str, root: str) -> str:
    """An absolute path into the code base as one that begins at its top; any other as it is."""
    for top in (root, os.path.realpath(root)):
        if ref.startswith(f"{top}/"):
            return ref[len(top) + 1 :]
    return ref


def _only(found: Iterable[str]) -> str | None:
    every = list(found)
    return every[0] if len(every) == 1 else None
