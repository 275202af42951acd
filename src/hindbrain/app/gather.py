"""Which memories could be an answer: by words, by meaning, by path, or all where the strategy wants to see all."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from hindbrain.core.model import Memory
from hindbrain.core.recall import Ask, Candidate
from hindbrain.core.recall.bm25 import Document, idf, scores
from hindbrain.core.recall.fuse import DECIDE, share
from hindbrain.core.recall.index import WEIGHTS, columns
from hindbrain.core.recall.spelling import SHORTEST, meant
from hindbrain.core.shape import matches_path
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import query_terms
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Embedder, Near, Reader, Where

_DEPTH = 50  # candidates of each side, at least: room for the re-rank
_SPELLED = 500  # words of the index that an unknown word is compared with
_BY_MEANING = ("unified", "default", "loki", "doc05")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    candidates: list[Candidate]
    how: str = ""  # which sides were asked, and why not the other, for `--why`
    notices: tuple[str, ...] = ()  # what a person should know about this answer
    spelled: tuple[tuple[str, str], ...] = ()  # words of the question that nothing holds, and what they were taken for


def gather(
    ask: Ask, where: Where, *, reader: Reader, embedder: Embedder | None, as_of: datetime | None = None
) -> Gathered:
    words = query_terms(ask.text)
    if as_of is not None:
        return Gathered(candidates=_then(words, reader.as_of(where, as_of)), how="words: the past has no vectors")
    words, worth, spelled = _meant(words, reader)
    hits = reader.search(words, where, limit=_depth(ask))
    found = [Candidate(memory=h.memory, words=h.score, share=share(h.score, worth, size=h.size)) for h in hits]
    how = "words"
    notices: tuple[str, ...] = ()
    if embedder is not None and ask.strategy in _BY_MEANING and ask.text.strip():
        found, how, notices = _with_meaning(found, ask, where, reader=reader, embedder=embedder)
    if ask.strategy == "dex" or not (words or ask.paths):
        rest: Iterable[Memory] = reader.select(where, order="newest")
    else:
        rest = _about(ask.paths, where, reader=reader)
    known = {candidate.memory.id for candidate in found}
    found += [Candidate(memory=memory) for memory in rest if memory.id not in known]
    return Gathered(candidates=found, how=how, notices=notices, spelled=spelled)


def _meant(words: Sequence[str], reader: Reader) -> tuple[list[str], float, tuple[tuple[str, str], ...]]:
    """The words to look for, what they are worth together, and the unknown ones with what they were taken for:
    a word that no memory holds stands for the known one it most resembles."""
    count, holders = reader.holders(words)
    worth = sum(idf(holders[word], count) for word in words)
    taken: dict[str, str] = {}
    for word in words:
        if not holders[word] and len(word) >= SHORTEST:
            found = meant(word, reader.spelled(word[:2], limit=_SPELLED))
            if found is not None and found not in holders:
                taken[word] = found
    return [taken.get(word, word) for word in words], worth, tuple(taken.items())


def _depth(ask: Ask) -> int:
    return max(_DEPTH, 4 * ask.limit)


def _with_meaning(
    found: list[Candidate], ask: Ask, where: Where, *, reader: Reader, embedder: Embedder
) -> tuple[list[Candidate], str, tuple[str, ...]]:
    """`found` with the cosine of each, and those that only meaning finds. A model that is not running yet is
    started only where words leave the question open, and where there are vectors to compare with."""
    best = max((candidate.share for candidate in found), default=0.0)
    if not reader.has_vectors(embedder.space, where):
        return found, "words: nothing here has a vector yet", ()
    if best >= DECIDE and not embedder.is_warm:
        return found, f"words: they decide, with {best:.2f} of all that the question's words are worth", ()
    try:
        (point,) = embedder.embed([ask.text])
    except EmbedderMissing as error:
        return found, "words: the model cannot run here", (f"meaning is not compared: {error.what}; {error.fix}",)
    near = reader.nearest(
        point, embedder.space, where=where, limit=_depth(ask), also=[candidate.memory.id for candidate in found]
    )
    return _joined(found, near), "words and meaning", ()


def _joined(found: Sequence[Candidate], near: Sequence[Near]) -> list[Candidate]:
    """Both sides' candidates. What has no vector yet counts as alike as the others that words found."""
    by_id = {item.memory.id: item for item in near}
    known = [by_id[c.memory.id].similarity for c in found if c.memory.id in by_id]
    usual = sum(known) / len(known) if known else None
    joined = [_compared(c, by_id.pop(c.memory.id, None), usual=usual) for c in found]
    return joined + [_compared(Candidate(memory=item.memory), item, usual=None) for item in by_id.values()]


def _compared(candidate: Candidate, near: Near | None, *, usual: float | None) -> Candidate:
    if near is None:
        return replace(candidate, similarity=usual)
    return replace(candidate, similarity=near.similarity, pieces=near.pieces, speaks=(near.start, near.end))


def _about(paths: Sequence[str], where: Where, *, reader: Reader) -> Iterator[Memory]:
    """Memories that name one of the files, found by the words of its path and then compared for real."""
    for path in paths:
        for hit in reader.search(query_terms(path), where, limit=2 * _DEPTH):
            if any(matches_path(ref, path) for ref in hit.memory.file_refs):
                yield hit.memory


def _then(words: Sequence[str], memories: Sequence[Memory]) -> list[Candidate]:
    """The past has no index: its words are scored as the index would have."""
    documents = [Document(id=memory.id, columns=((), *columns(memory))) for memory in memories]
    found = scores(documents, words, weights=WEIGHTS)
    held = [{term for column in document.columns for term in column} for document in documents]
    worth = sum(idf(sum(word in terms for terms in held), len(held)) for word in words)
    return [
        Candidate(
            memory=memory,
            words=found.get(memory.id, 0.0),
            share=share(found.get(memory.id, 0.0), worth, size=1.0),
        )
        for memory in memories
        if not words or memory.id in found
    ]
