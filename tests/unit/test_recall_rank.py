"""Who is an answer, in which order, and why: the strategies `unified` and `recent`, ties and limits."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model import Actor, Memory, Provenance
from hindbrain.core.recall import STRATEGIES, Ask, Candidate, Ranked, rank
from hindbrain.core.recall.gate import gate
from hindbrain.core.recall.strategies.unified import CLAMP


def made(name: str, *, days: float = 0, hat: str = "", session: str = "s0", **given: object) -> Memory:
    plain: dict[str, object] = {"id": f"mem-{name}", "tags": (), "file_refs": (), "key": name}
    provenance = Provenance(actor=Actor(hat=hat), session=session)
    return a_memory(name, at=NOW - timedelta(days=days), provenance=provenance, **(plain | given))


def names(answer: Ranked) -> list[str]:
    return [item.memory.id.removeprefix("mem-") for item in answer.items]


def parts(answer: Ranked) -> dict[str, float]:
    return {reason.name: round(reason.part, 6) for reason in answer.items[0].score.reasons}


#
def test_the_strategies_have_names_and_ours_is_the_default() -> None:
    assert set(STRATEGIES) == {"unified", "dex", "loki", "doc05", "recent", "default"}
    assert STRATEGIES["default"] is STRATEGIES["unified"]
    assert Ask().strategy == "unified"


def test_relevance_decides_and_worth_only_nudges() -> None:
    poor = made("poor", days=900, confidence=0.1, importance=0, trust=1)
    fine = made("fine", confidence=0.95, importance=10, hat="critic")
    candidates = [Candidate(memory=fine, words=6.0, share=0.6), Candidate(memory=poor, words=10.0, share=1.0)]

    assert names(rank(candidates, Ask(text="cache", hat="critic"), now=NOW)) == ["poor", "fine"]


def test_among_equals_the_better_believed_the_newer_and_the_more_important_come_first() -> None:
    plain = made("plain", days=50)
    for better in (
        replace(plain, id="mem-better", confidence=0.9),
        replace(plain, id="mem-better", learned_at=NOW),
        replace(plain, id="mem-better", importance=8),
        replace(plain, id="mem-better", provenance=Provenance(actor=Actor(hat="critic"))),
        replace(plain, id="mem-better", tags=("caching",)),
    ):
        candidates = [Candidate(memory=plain, words=3.0), Candidate(memory=better, words=3.0)]
        assert names(rank(candidates, Ask(text="cache", hat="critic"), now=NOW)) == ["better", "plain"]


def test_low_trust_comes_last_among_equals() -> None:
    memories = [made("tainted", trust=1), made("agent", trust=2), made("human", trust=4)]
    answer = rank([Candidate(memory=m, words=1.0) for m in memories], Ask(text="cache"), now=NOW)

    assert names(answer) == ["human", "agent", "tainted"]
    assert answer.items[2].score.reasons[-1].note == "trust 1"


# DX-081
def test_a_memory_about_a_file_at_hand_is_found_without_a_common_word() -> None:
    about = Candidate(memory=made("about", file_refs=("src/**/*.py",)))
    elsewhere = Candidate(memory=made("elsewhere", file_refs=("docs/a.md",)))

    answer = rank([about, elsewhere], Ask(text="cache", paths=("src/app/a.py",)), now=NOW)

    assert names(answer) == ["about"]
    assert parts(answer) == {"about": 0.5, "path": 0.05, "recency": 0.04}
    assert answer.items[0].score.reasons[0].note == "src/app/a.py by src/**/*.py"


def test_a_file_in_common_adds_nothing_to_words_that_say_more() -> None:
    both = Candidate(memory=made("both", content="caching pools", file_refs=("a.py",)), words=9.0, share=0.9)
    weak = Candidate(memory=made("weak", file_refs=("a.py",)), words=1.8, share=0.18)

    answer = rank([weak, both], Ask(text="cache pool", paths=("a.py",)), now=NOW)

    assert parts(answer) == {"words": 1.0, "path": 0.05, "recency": 0.04}
    assert answer.items[0].score.reasons[0].note == "cache, pool"
    assert [round(reason.part, 6) for reason in answer.items[1].score.reasons[:2]] == [0.2, 0.3]


def test_a_tag_in_common_is_found_last() -> None:
    tagged = Candidate(memory=made("tagged", tags=("caching",)))
    worded = Candidate(memory=made("worded"), words=0.5, share=0.1)
    neither = Candidate(memory=made("neither"))

    assert names(rank([tagged, neither, worded], Ask(text="cache"), now=NOW)) == ["worded", "tagged"]


def test_what_the_clamp_takes_is_said() -> None:
    loved = made("loved", confidence=0.95, importance=10, hat="critic", tags=("cache",), file_refs=("a.py",))

    candidate = Candidate(memory=loved, words=1.0, share=0.4)

    answer = rank([candidate], Ask(text="cache", hat="critic", paths=("a.py",)), now=NOW)

    held = answer.items[0].score.reasons[-1]
    assert (held.name, held.note) == ("held back", "nudges together count at most 0.15")
    assert answer.items[0].score.total == pytest.approx(1 + CLAMP)


def test_the_clamp_holds_downwards_as_well() -> None:
    poor = made("poor", days=9000, confidence=0.0, importance=0, trust=0)

    answer = rank([Candidate(memory=poor, words=1.0, share=0.4)], Ask(text="cache"), now=NOW)

    assert answer.items[0].score.total == pytest.approx(1 - CLAMP)


def test_at_the_start_of_a_session_worth_decides() -> None:
    memories = [
        made("old", days=400),
        made("new"),
        made("important", days=60, importance=10),
        made("doubted", confidence=0.1),
    ]
    answer = rank([Candidate(memory=memory) for memory in memories], Ask(), now=NOW)

    assert names(answer) == ["important", "new", "doubted", "old"]
    assert [reason.name for reason in answer.items[0].score.reasons] == ["confidence", "importance", "recency"]


def test_a_question_of_signs_only_finds_nothing_and_is_no_error() -> None:
    assert rank([Candidate(memory=made("any"))], Ask(text='"* AND ('), now=NOW) == Ranked(items=(), left_out=0)


# DX-095
@pytest.mark.parametrize("strategy", ["unified", "recent"])
def test_ties_fall_by_what_was_learned_last_and_then_by_id(strategy: str) -> None:
    memories = [made("b"), made("a"), made("c", created_at=NOW - timedelta(days=9))]
    newer = made("z", days=-0.5)  # from a clock that runs ahead: no age counts as less than none

    candidates = [Candidate(memory=memory, words=1.0) for memory in (*memories, newer)]

    assert names(rank(candidates, Ask(text="x", strategy=strategy), now=NOW)) == ["z", "c", "b", "a"]


# DX-172
def test_what_lies_beyond_the_limit_is_counted() -> None:
    candidates = [Candidate(memory=made(f"{n}"), words=1.0) for n in range(5)]

    assert rank(candidates, Ask(text="x", limit=2), now=NOW).left_out == 3
    assert rank(candidates, Ask(text="x", limit=0), now=NOW) == Ranked(items=(), left_out=5)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_memory_that_came_twice_is_answered_once_with_its_better_match(strategy: str) -> None:
    memory = made("twice", hat="critic")
    candidates = [Candidate(memory=memory), Candidate(memory=memory, words=2.0), Candidate(memory=memory, words=1.0)]

    answer = rank(candidates, Ask(text="x", hat="critic", strategy=strategy), now=NOW)

    assert names(answer) == ["twice"]


# F-17
@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_no_strategy_tells_a_session_what_it_taught(strategy: str) -> None:
    candidates = [
        Candidate(memory=made("own", session="s1", hat="critic"), words=1.0),
        Candidate(memory=made("other", session="s2", hat="critic"), words=1.0),
    ]
    ask = Ask(text="x", session="s1", hat="critic", strategy=strategy)

    assert names(rank(candidates, ask, now=NOW)) == ["other"]


# BD-025 BD-032
def test_recent_means_newest_first_and_one_for_each_key() -> None:
    rewrites = [Candidate(memory=made(f"r{n}", key="same", days=20 - n)) for n in range(20)]
    others = [Candidate(memory=made(f"o{n}", days=30 + n)) for n in range(10)]
    keyless = Candidate(memory=made("keyless", key="", days=100))

    answer = rank([*rewrites, *others, keyless], Ask(strategy="recent", limit=5), now=NOW)

    assert names(answer) == ["r19", "o0", "o1", "o2", "o3"]
    assert answer.left_out == 7


def test_recent_with_a_question_keeps_only_what_shares_a_word() -> None:
    candidates = [Candidate(memory=made("with", days=9), words=0.1), Candidate(memory=made("without"))]

    assert names(rank(candidates, Ask(strategy="recent", text="x"), now=NOW)) == ["with"]
    assert names(rank(candidates, Ask(strategy="recent", text="  "), now=NOW)) == ["without", "with"]


def found(name: str, text: str, *, share: float, days: float = 0, similarity: float | None = None) -> Candidate:
    memory = made(name, days=days, content=text, title=text)
    return Candidate(memory=memory, words=10 * share, share=share, similarity=similarity)


@pytest.mark.parametrize(("nearest", "first"), [(None, "worded"), (0.5, "worded"), (0.9, "alike")])
def test_words_give_way_to_meaning_where_something_was_very_near(nearest: float | None, first: str) -> None:
    """Also where that one itself is no candidate any more."""
    worded = found("worded", "Caching pools", share=0.5, similarity=0.3)
    alike = found("alike", "Keep copies", share=0.0, similarity=0.6)

    answer = rank([replace(one, nearest=nearest) for one in (worded, alike)], Ask(text="caching"), now=NOW)

    assert names(answer)[0] == first


OLDER = ("The deploy window is Tuesday", 30.0)
NEWER = ("Since May the deploy window is Thursday morning", 2.0)


def test_of_neighbours_on_one_topic_the_newest_comes_first_and_says_so() -> None:
    older = found("older", OLDER[0], share=0.5, days=OLDER[1])
    newer = found("newer", NEWER[0], share=0.45, days=NEWER[1])
    other = found("other", "Wait for the deploy of the windows build", share=0.1)

    answer = rank([older, newer, other], Ask(text="deploy window"), now=NOW)

    assert names(answer)[:2] == ["newer", "older"]
    reason = answer.items[0].score.reasons[-1]
    assert (reason.name, reason.note) == ("newest", "learned after mem-older, on the same words")
    assert answer.items[0].score.total == pytest.approx(answer.items[1].score.total)
    assert "newest" not in {r.name for item in answer.items[1:] for r in item.reasons}


@pytest.mark.parametrize(
    "newer",
    [
        found("newer", NEWER[0], share=0.2, days=NEWER[1]),  # too much worse
        found("newer", "The port is 8080", share=0.45, days=NEWER[1]),  # about something else
        found("newer", NEWER[0], share=0.45, days=OLDER[1]),  # of the same day
    ],
)
def test_what_is_worse_or_about_something_else_or_no_newer_stays_behind(newer: Candidate) -> None:
    older = found("older", OLDER[0], share=0.5, days=OLDER[1])

    answer = rank([newer, older], Ask(text="deploy window"), now=NOW)

    assert names(answer) == ["older", "newer"]
    assert "newest" not in {reason.name for item in answer.items for reason in item.reasons}


SAME = "Wait for the nightly import before the deploy starts on Tuesday"


def test_what_says_the_same_again_goes_to_the_end_and_says_of_whom() -> None:
    first = found("first", SAME, share=0.5)
    again = found("again", f"{SAME} please", share=0.49)
    other = found("other", "A deploy needs two approvals", share=0.2)

    answer = rank([first, again, other], Ask(text="deploy"), now=NOW)

    assert names(answer) == ["first", "other", "again"]
    reason = answer.items[2].score.reasons[-1]
    assert (reason.name, reason.note) == ("again", "says the same as mem-first")
    assert answer.items[2].score.total == pytest.approx(answer.items[1].score.total)
    assert answer.repeats == ()  # nobody was left out


def test_a_repeat_makes_room_and_is_told_with_the_one_that_is_shown_instead() -> None:
    first = found("first", SAME, share=0.5)
    again = found("again", f"{SAME} please", share=0.49)
    other = found("other", "A deploy needs two approvals", share=0.2)

    answer = rank([first, again, other], Ask(text="deploy", limit=2), now=NOW)

    assert names(answer) == ["first", "other"]
    assert answer.repeats == (("mem-again", "mem-first"),)
    assert answer.left_out == 1


@pytest.mark.parametrize("limit", [0, 1])
def test_where_the_one_that_says_it_is_not_shown_either_no_repeat_is_told(limit: int) -> None:
    best = found("best", "A deploy needs two approvals", share=0.9)
    first = found("first", SAME, share=0.5)
    again = found("again", f"{SAME} please", share=0.49)

    answer = rank([best, first, again], Ask(text="deploy", limit=limit), now=NOW)

    assert len(answer.items) == limit and answer.repeats == ()
    assert answer.left_out == 3 - limit


def test_another_number_is_no_repeat() -> None:
    eight = found("eight", "The pool of the deploy database has 8 connections", share=0.5)
    nine = found("nine", "The pool of the deploy database has 9 connections", share=0.4)

    answer = rank([eight, nine], Ask(text="deploy pool", limit=1), now=NOW)

    assert answer.repeats == ()


def test_every_answer_carries_what_the_gate_says_of_it() -> None:
    near = found("near", SAME, share=0.5, similarity=0.6)
    far = found("far", "A deploy needs two approvals", share=0.1, similarity=-0.2)
    unknown = found("unknown", "A deploy of the nightly import", share=0.1)

    answer = rank([near, far, unknown], Ask(text="deploy after the nightly import"), now=NOW)

    gates = {item.id: item.gate for item in answer.items}
    assert gates == {
        "mem-near": gate(0.6, held=3, asked=3),
        "mem-far": gate(-0.2, held=1, asked=3),
        "mem-unknown": gate(None, held=3, asked=3),
    }
    assert [item.id for item in answer.items if item.gate and not item.gate.is_open] == ["mem-far"]


def test_without_a_question_there_is_no_gate() -> None:
    assert [item.gate for item in rank([Candidate(memory=made("any"))], Ask(), now=NOW).items] == [None]


def test_what_only_resembles_a_little_is_not_counted_as_left_out() -> None:
    near = found("near", SAME, share=0.5, similarity=0.6)
    faint = Candidate(memory=made("faint"), similarity=0.15)
    alike = Candidate(memory=made("alike"), similarity=0.35)

    answer = rank([near, faint, alike], Ask(text="deploy", limit=1), now=NOW)

    assert names(answer) == ["near"] and answer.left_out == 1


def test_meaning_alone_is_an_answer_from_a_tenth_on() -> None:
    just = Candidate(memory=made("just"), similarity=0.1)
    under = Candidate(memory=made("under"), similarity=0.09)

    assert names(rank([just, under], Ask(text="deploy"), now=NOW)) == ["just"]


def test_the_reasons_tell_which_words_which_piece_and_that_a_vector_is_missing() -> None:
    text = f"{SAME}. " + "Much more is said about other things. " * 5
    piece = Candidate(memory=made("piece", content=text), words=5, share=0.5, similarity=0.5, pieces=3, speaks=(0, 40))
    bare = Candidate(memory=made("bare", content="deploy at night"), words=3, share=0.3, usual=0.4)

    answer = rank([piece, bare], Ask(text="when does the deploy start?"), now=NOW)

    notes = {item.id: {reason.name: reason.note for reason in item.reasons} for item in answer.items}
    assert notes["mem-piece"]["words"] == "deploy, start"
    assert notes["mem-piece"]["meaning"].startswith("“") and notes["mem-piece"]["pieces"] == "the best of 3"
    assert notes["mem-bare"]["meaning"] == "no vector yet: counted like the others"


def test_a_word_that_only_asks_is_not_told_as_one_in_common() -> None:
    one = found("one", "Many deploys start at night", share=0.5)

    answer = rank([one], Ask(text="How many deploys start?"), now=NOW)

    assert [reason.note for reason in answer.items[0].reasons if reason.name == "words"] == ["deploys, start"]
    assert answer.items[0].gate == gate(None, held=2, asked=2)


def test_the_words_of_an_index_count_instead_of_the_texts() -> None:
    asked: list[list[str]] = []

    def terms(ids: Sequence[str]) -> dict[str, frozenset[str]]:
        asked.append(list(ids))
        return {"mem-one": frozenset({"deploi"})}

    one, two = found("one", "zebra", share=0.5), found("two", "deploy", share=0.4)
    answer = rank([one, two], Ask(text="deploy"), now=NOW, terms=terms)

    assert asked == [["mem-one", "mem-two"]]
    assert [item.gate for item in answer.items] == [gate(None, held=1, asked=1), gate(None, held=0, asked=1)]


def test_unasked_what_does_not_bear_on_the_text_is_left_out_and_takes_nobodys_place() -> None:
    noise = [found(f"noise{n}", f"A deploy of thing{n}", share=0.7, similarity=0.1) for n in range(9)]
    near = found("near", SAME, share=0.05, similarity=0.6)
    about = Candidate(memory=made("about", file_refs=("a.py",)), similarity=-0.3)
    ask = Ask(text="deploy poems about trains and grandmothers", paths=("a.py",), limit=1)

    loud, quiet = (rank([*noise, near, about], replace(ask, is_unasked=one), now=NOW) for one in (False, True))

    assert names(loud)[0].startswith("noise") and loud.left_out == 10
    assert names(quiet) == ["near"] and quiet.left_out == 1  # the one about the file
    assert names(rank([*noise, near, about], replace(ask, is_unasked=True, limit=9), now=NOW)) == ["near", "about"]
