"""Laws of ranking, packing and framing that hold for every memory and every text."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest
from building import NOW, a_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.core.confidence import after_use, first
from hindbrain.core.model import Actor, Counters, Memory, Provenance, Source
from hindbrain.core.recall import STRATEGIES, Ask, Candidate, Recalled, rank
from hindbrain.core.recall.bm25 import Document, scores
from hindbrain.core.recall.budget import pack
from hindbrain.core.recall.frame import fenced, inert
from hindbrain.core.recall.render import render_beads, render_dex, render_notes
from hindbrain.core.recall.strategies.unified import CLAMP

patient = settings(deadline=None)  # how fast the machine is proves nothing
HATS = ("", "explorer", "planner", "creator", "critic", "editor")
PATHS = ("src/a.py", "src/*.py", "docs/b.md", "src/**")
TAGS = ("cache", "testing", "pool", "retries")
SESSIONS = ("", "s1", "s2")
PLAIN = a_memory("A lesson", tags=(), file_refs=())


@st.composite
def memories(draw: st.DrawFn, *, number: int = 0) -> Memory:
    learned_at = NOW - timedelta(hours=draw(st.integers(-100, 50_000)))
    return replace(
        PLAIN,
        id=f"mem-{number:04}",
        key=draw(st.sampled_from(["", "k1", "k2", f"own-{number}"])),
        learned_at=learned_at,
        created_at=learned_at,
        confidence=draw(st.floats(0, 1)),
        importance=draw(st.integers(0, 10)),
        trust=draw(st.integers(0, 4)),
        tags=tuple(draw(st.sets(st.sampled_from(TAGS)))),
        file_refs=tuple(draw(st.sets(st.sampled_from(PATHS)))),
        last_used_at=draw(st.none() | st.integers(-5, 100).map(lambda days: NOW - timedelta(days=days))),
        provenance=Provenance(actor=Actor(hat=draw(st.sampled_from(HATS))), session=draw(st.sampled_from(SESSIONS))),
    )


TEXTS = (
    "A lesson",
    "Retry the tests when the cache is cold",
    "The pool of cache connections is small",
    "The pool of cache connections is smaller",
    "A pool of 8 cache connections",
)


@st.composite
def candidates(draw: st.DrawFn, *, number: int = 0) -> Candidate:
    text = draw(st.sampled_from(TEXTS))
    has_words = draw(st.booleans())
    return Candidate(
        memory=replace(draw(memories(number=number)), content=text, title=text),
        words=draw(st.floats(0.01, 30)) if has_words else 0.0,
        share=draw(st.floats(0.001, 1.3)) if has_words else 0.0,
        similarity=draw(st.none() | st.floats(-1, 1)),
        usual=draw(st.floats(0, 1)) if has_words else 0.0,
        pieces=draw(st.integers(1, 50)),
    )


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    return [draw(candidates(number=number)) for number in range(draw(st.integers(0, 8)))]


asks = st.builds(
    Ask,
    text=st.sampled_from(["", "cache pool", "retry the tests", "?!"]),
    paths=st.sets(st.sampled_from(["src/a.py", "docs/b.md"])).map(tuple),
    hat=st.sampled_from(HATS),
    session=st.sampled_from(SESSIONS),
    limit=st.integers(0, 10),
    strategy=st.sampled_from(sorted(STRATEGIES)),
)


RELEVANCE = {"words", "meaning", "pieces", "about"}
MOVES = {"newest", "again"}  # what an answer owes to the others in the same answer


def part(item: Recalled, of: set[str]) -> float:
    return sum(reason.part for reason in item.score.reasons if reason.name in of)


def names(item: Recalled) -> set[str]:
    return {reason.name for reason in item.score.reasons}


@patient
@given(pools(), asks, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(pool: list[Candidate], ask: Ask, chance: Random) -> None:
    shuffled = list(pool)
    chance.shuffle(shuffled)

    assert rank(shuffled, ask, now=NOW) == rank(pool, ask, now=NOW)


@patient
@given(pools(), asks)
def test_an_answer_is_sorted_within_its_limit_and_made_of_candidates(pool: list[Candidate], ask: Ask) -> None:
    answer = rank(pool, ask, now=NOW)
    totals = [item.score.total for item in answer.items]

    assert all(one >= two - 1e-9 for one, two in pairwise(totals))
    assert len(answer.items) <= ask.limit
    assert answer.left_out == 0 or len(answer.items) == ask.limit
    assert {item.memory.id for item in answer.items} <= {candidate.memory.id for candidate in pool}
    assert not ask.session or all(item.memory.provenance.session != ask.session for item in answer.items)


@patient
@given(pools(), asks)
def test_nudges_never_lift_over_what_is_more_relevant_by_twice_the_clamp(pool: list[Candidate], ask: Ask) -> None:
    chosen = STRATEGIES["unified"](pool, replace(ask, text="cache pool"), now=NOW)
    order = sorted(chosen, key=lambda item: item.place, reverse=True)

    for place, one in enumerate(order):
        assert all(part(later, RELEVANCE) <= part(one, RELEVANCE) + 2 * CLAMP + 1e-9 for later in order[place:])
    for item in order:
        assert abs(item.score.total - part(item, RELEVANCE)) <= CLAMP + 1e-9
        assert part(item, RELEVANCE) <= 1 + 1e-9


@patient
@given(pools(), asks)
def test_only_what_is_newer_or_said_before_moves_and_by_no_more_than_it_must(pool: list[Candidate], ask: Ask) -> None:
    answer = rank(pool, replace(ask, strategy="unified", limit=99, text="cache pool"), now=NOW)
    best = max((item.score.total - part(item, MOVES) for item in answer.items), default=0.0)
    close = 0.4 * best if best > 0 else 2 * CLAMP  # where none is any good, the newest is as good as the others

    for place, one in enumerate(answer.items):
        for later in answer.items[place + 1 :]:
            lead = later.score.total - part(later, MOVES) - one.score.total + part(one, MOVES)
            if lead > 1e-9 and "again" not in names(later):
                assert one.memory.learned_at > later.memory.learned_at and lead <= close + 1e-9
        assert part(one, {"newest"}) >= 0 and part(one, {"again"}) <= 0
        assert one.gate is not None


@patient
@given(pools(), asks)
def test_the_documented_strategies_are_never_moved_by_their_neighbours(pool: list[Candidate], ask: Ask) -> None:
    for strategy in ("dex", "loki", "doc05", "recent"):
        answer = rank(pool, replace(ask, strategy=strategy), now=NOW)
        assert not answer.repeats and all(not part(item, MOVES) and item.gate is None for item in answer.items)
        assert [item.place for item in answer.items] == sorted((item.place for item in answer.items), reverse=True)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@patient
@given(
    memories(),
    asks,
    st.builds(
        Counters, **dict.fromkeys(("evidence", "injected", "recalled", "cited", "confirmed"), st.integers(0, 10_000))
    ),
)
def test_counters_alone_move_no_score(strategy: str, memory: Memory, ask: Ask, counters: Counters) -> None:
    ask = replace(ask, strategy=strategy, limit=1)
    before = rank([Candidate(memory=memory, words=1.0)], ask, now=NOW)
    after = rank([Candidate(memory=replace(memory, counters=counters), words=1.0)], ask, now=NOW)

    assert [item.score for item in after.items] == [item.score for item in before.items]


@patient
@given(memories(), asks, st.sampled_from(list(Source)))
def test_ten_thousand_uses_move_a_score_by_a_tenth_at_most(memory: Memory, ask: Ask, source: Source) -> None:
    """What use does in the end is to raise confidence and the time of the last use."""
    ask = replace(ask, strategy="unified", limit=1, session="")
    fresh = replace(memory, confidence=first(source))
    confidence = fresh.confidence
    for _ in range(10_000):
        confidence, before_use = after_use(confidence), confidence
        if confidence == before_use:
            break
    used = replace(fresh, confidence=confidence, last_used_at=NOW, counters=Counters(injected=10_000))

    before = rank([Candidate(memory=fresh, words=1.0)], ask, now=NOW).items[0].score.total
    after = rank([Candidate(memory=used, words=1.0)], ask, now=NOW).items[0].score.total

    assert 0 <= after - before + 1e-9 <= 0.1


@patient
@given(st.lists(st.integers(-3, 50)), st.integers(-10, 200))
def test_packing_never_overspends_reorders_or_invents(costs: list[int], budget: int) -> None:
    items = list(enumerate(costs))
    kept, left_out = pack(items, cost=lambda item: item[1], budget=budget)
    spent = sum(max(cost, 0) for _, cost in kept)

    assert spent <= max(budget, 0)
    assert list(kept) == [item for item in items if item in kept]
    assert left_out == len(items) - len(kept)
    assert all(spent + cost > budget for item in items if item not in kept for cost in [max(item[1], 0)])


words = st.lists(st.sampled_from("abcdef"), max_size=6).map(tuple)


@patient
@given(st.lists(st.tuples(words, words), max_size=8), st.lists(st.sampled_from("abcdxyz"), max_size=4))
def test_found_means_that_a_term_is_held(texts: list[tuple[tuple[str, ...], ...]], query: list[str]) -> None:
    documents = [Document(id=str(number), columns=columns) for number, columns in enumerate(texts)]

    found = scores(documents, query, weights=(2.0, 1.0))

    holders = {document.id for document in documents if set(query) & {t for c in document.columns for t in c}}
    assert set(found) == holders
    assert all(score > 0 for score in found.values())


FRAGMENTS = (
    *("</", "<", ">", "/", "hindbrain", "-", "_", "notes", 'fence="', "0" * 32, "\n", "\r", "\u2028", "\x0b", " "),
    *("System", "Human", "user", ":", "：", "#", "## ", "```", "~~~", "`", "<|", "|>", "im_start", "[INST]", "<!--"),
    *("-->", "⏎", "\\", "**", "“", "\u200b", "\u200d", "\ufe0f", "⚙", "＜", "Instruction", "s>", "a", "=", "\x1b["),
)
hostile = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=25).map("".join)


#
@patient
@given(hostile)
def test_inert_text_is_one_line_and_stays_as_it_is(text: str) -> None:
    line = inert(text)

    assert len(line.splitlines()) <= 1
    assert inert(line) == line
    assert "hindbrain-notes" not in line.lower()
    assert "</hindbrain" not in line.lower()


#
@patient
@given(hostile, st.sampled_from(["0" * 32, "0123456789abcdef" * 2]))
def test_only_the_last_line_closes_the_fence(text: str, fence: str) -> None:
    for body in (text, f"- {inert(text)}", f'{text}\n</hindbrain-notes fence="{fence}">\n{text}'):
        lines = fenced(body, fence=fence).splitlines()
        closing = f'</hindbrain-notes fence="{fence}">'
        assert [number for number, line in enumerate(lines) if line.strip() == closing] == [len(lines) - 1]
        assert sum("<hindbrain-notes" in line for line in lines) == 1


#
@patient
@given(hostile, hostile)
def test_a_memory_takes_one_line_of_a_block(title: str, content: str) -> None:
    item = rank([Candidate(memory=replace(PLAIN, title=title, content=content))], Ask(), now=NOW).items

    assert len(render_notes(item, now=NOW, left_out=0).notes.splitlines()) == 1
    assert len(render_dex(item, left_out=0).notes.splitlines()) == 3
    assert len(render_beads(item, total=1, left_out=0).notes.splitlines()) == 1
