"""Who could be an answer, and when a model is asked: never for nothing, never where words are enough."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from building import NOW, a_memory, a_vector, keep
from embedding import AngleEmbedder, WordEmbedder, at

from hindbrain.app.gather import Gathered, gather, needs_model
from hindbrain.app.recall import Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Reach, Space
from hindbrain.core.recall import STRATEGIES, Ask, Candidate
from hindbrain.core.value import replace
from hindbrain.errors import EmbedderMissing
from hindbrain.ports import Changes, Embedder, Store, Where

HERE = Where(project="prj-one")
LOCK = "Redis locks expire after a minute"
MUTEX = "why do mutexes time out"


def keep_at(store: Store, memory: Memory, *degrees: float, space: Space | None = None) -> None:
    space = space or AngleEmbedder().space
    vectors = tuple(a_vector(memory, at(angle), space=space, piece=n) for n, angle in enumerate(degrees))
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), vectors=vectors)))


def asked(store: Store, text: str, embedder: Embedder | None = None, **more: object) -> Gathered:
    return gather(Ask(text=text, **more), HERE, reader=store, embedder=embedder)  # type: ignore[arg-type]


def by_id(gathered: Gathered) -> dict[str, Candidate]:
    return {candidate.memory.id: candidate for candidate in gathered.candidates}


def fill(store: Store, count: int = 12) -> None:
    """Memories about other things, so that a word can be rare."""
    keep(store, *(a_memory(f"Gardens need water, note {n}", id=f"mem-fill-{n:02}") for n in range(count)))


class Gone(AngleEmbedder):
    def embed(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        super().embed(texts)
        raise EmbedderMissing("onnxruntime is not installed", fix="pip install hindbrain")


@pytest.mark.parametrize(("strategy", "is_counted"), [("default", True), ("loki", False)])
def test_what_meaning_brings_counts_with_the_words_it_holds_although_words_brought_others(
    store: Store, strategy: str, is_counted: bool
) -> None:
    fill(store, 300)
    keep(store, *(a_memory(f"redis, note {n}", id=f"mem-redis-{n:03}") for n in range(200)))
    keep_at(store, a_memory(f"redis and {'much else ' * 60}", id="mem-near"), 0)
    warm = AngleEmbedder({"redis": 0.0})

    near = by_id(asked(store, "redis", warm, limit=1, strategy=strategy))["mem-near"]

    assert near.similarity == pytest.approx(1.0, abs=0.01)
    assert (near.words > 0, near.share > 0) == (is_counted, is_counted)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_of_many_that_are_as_good_as_each_other_the_later_ids_are_ranked_and_no_fewer(store: Store, limit: int) -> None:
    keep(store, *(a_memory(f"redis, note {n}", id=f"mem-redis-{n:03}") for n in range(60)))

    ranked = [one.memory.id for one in asked(store, "redis", limit=limit).candidates]

    assert ranked == [f"mem-redis-{n:03}" for n in range(59, 59 - 2 * limit - 5, -1)]


# BD-060
def test_a_cold_model_is_not_started_where_words_decide(store: Store) -> None:
    fill(store)
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    cold = AngleEmbedder(is_warm=False)

    found = asked(store, "redis locks expire", cold)

    assert cold.calls == [] and found.how.startswith("words: they decide, the best answer holds 1.00")
    assert list(by_id(found)) == ["mem-a"] and by_id(found)["mem-a"].similarity is None


# HB-062
def test_a_cold_model_is_started_once_where_words_leave_the_question_open(store: Store) -> None:
    fill(store)
    keep_at(store, a_memory(LOCK, id="mem-a"), 10)
    cold = AngleEmbedder({MUTEX: 0.0}, is_warm=False)

    found = asked(store, MUTEX, cold)

    assert cold.calls == [[MUTEX]] and found.how.startswith("words and meaning")
    assert by_id(found)["mem-a"].similarity == pytest.approx(0.985, abs=0.01)


@pytest.mark.parametrize("strategy", ["loki", "doc05"])
def test_a_strategy_that_ranks_by_meaning_has_it_whether_the_model_runs_or_not(store: Store, strategy: str) -> None:
    """Their formulas know no words: an order that depends on who ran before would be exact by chance only."""
    fill(store)
    keep_at(store, a_memory(LOCK, id="mem-a"), 60)
    cold, warm = AngleEmbedder({}, is_warm=False), AngleEmbedder({})

    found = asked(store, "redis locks expire", cold, strategy=strategy)

    assert found.candidates == asked(store, "redis locks expire", warm, strategy=strategy).candidates
    assert len(cold.calls) == 1 and by_id(found)["mem-a"].similarity is not None


def test_a_question_that_the_model_cannot_read_goes_by_words_and_says_so(store: Store) -> None:
    """What it makes of two such texts is alike whatever they say: an agent would be told one for the other."""
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    keep_at(store, a_memory("quite something else", id="mem-b"), 0)

    found = asked(store, "redis", Illiterate())

    assert found.how == "words: the model cannot read this question"
    assert list(by_id(found)) == ["mem-a"] and by_id(found)["mem-a"].similarity is None


class Illiterate(AngleEmbedder):
    def embed(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        return [(0.0, 0.0) for _ in super().embed(texts)]


class HalfIlliterate(AngleEmbedder):
    """Can read what it was taught, and nothing else."""

    def embed(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        found = super().embed(texts)
        return [point if text in self._angles else (0.0, 0.0) for text, point in zip(texts, found, strict=True)]


def test_one_rare_word_among_unknown_ones_does_not_decide(store: Store) -> None:
    fill(store)
    keep_at(store, a_memory(LOCK, id="mem-a"), 10)
    cold = AngleEmbedder(is_warm=False)

    asked(store, "redis nonsense gibberish", cold)

    assert len(cold.calls) == 1


def test_a_warm_model_is_asked_once_even_where_words_decide(store: Store) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 60)
    warm = AngleEmbedder({"redis locks": 0.0})

    found = asked(store, "redis locks", warm)

    assert warm.calls == [["redis locks"]]
    assert by_id(found)["mem-a"].similarity == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("is_warm", [True, False])
def test_without_vectors_to_compare_with_no_model_is_asked(store: Store, is_warm: bool) -> None:
    keep(store, a_memory(LOCK, id="mem-a"))
    keep_at(store, a_memory("mutexes elsewhere", id="mem-b", project="prj-two"), 0)  # not seen from here
    embedder = AngleEmbedder(is_warm=is_warm)

    found = asked(store, "redis mutexes", embedder)

    assert embedder.calls == [] and found.how == "words: nothing here has a vector yet"
    assert list(by_id(found)) == ["mem-a"]


def test_what_goes_everywhere_is_compared_from_every_project(store: Store) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a", project="prj-two", reach=Reach.EVERYWHERE), 0)
    warm = AngleEmbedder({MUTEX: 0.0})

    assert list(by_id(asked(store, MUTEX, warm))) == ["mem-a"]


# X-14 X-20
def test_a_model_that_cannot_run_leaves_an_answer_by_words_and_a_notice(store: Store) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    gone = Gone()

    found = asked(store, "redis unheard words", gone)

    assert len(gone.calls) == 1 and found.how == "words: the model cannot run here"
    assert found.notices == ("meaning is not compared: onnxruntime is not installed; pip install hindbrain",)
    assert list(by_id(found)) == ["mem-a"] and by_id(found)["mem-a"].similarity is None


def test_a_memory_without_a_vector_counts_like_the_average_of_the_others_that_words_found(store: Store) -> None:
    keep_at(store, a_memory("locks in redis", id="mem-near"), 0)
    keep_at(store, a_memory("locks in files", id="mem-far"), 60)
    keep_at(store, a_memory("nothing in common", id="mem-other"), 0)
    keep(store, a_memory("locks in memory", id="mem-bare"))
    warm = AngleEmbedder({"locks": 0.0})

    found = by_id(asked(store, "locks", warm))

    assert found["mem-bare"].similarity is None
    assert found["mem-bare"].usual == pytest.approx((1.0 + 0.5) / 2, abs=0.01)  # the third shares no word
    assert found["mem-other"].similarity == pytest.approx(1.0, abs=0.01)


def test_where_no_memory_that_words_found_has_a_vector_none_is_made_up(store: Store) -> None:
    keep(store, a_memory("locks in memory", id="mem-bare"))
    keep_at(store, a_memory("nothing in common", id="mem-other"), 0)

    found = by_id(asked(store, "locks", AngleEmbedder({"locks": 0.0})))

    assert (found["mem-bare"].usual, found["mem-bare"].similarity) == (0.0, None)


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("redsi locks", (("redsi", "redi"),)),  # as the index has it, without the ending
        ("postgre vacuum", (("postgr", "postgresql"),)),
        ("redis locks", ()),
        ("http3 stalls", ()),  # numbers are never guessed
        ("zebra", ()),
    ],
)
def test_an_unknown_word_is_taken_for_the_known_one_it_resembles_and_that_is_told(
    store: Store, question: str, spelled: tuple[tuple[str, str], ...]
) -> None:
    keep(store, a_memory(LOCK, id="mem-a"), a_memory("Postgresql vacuum runs at night", id="mem-b"))
    keep(store, a_memory("http2 stalls behind the proxy", id="mem-c"))

    assert asked(store, question).spelled == spelled


def test_a_misspelled_word_finds_what_the_right_one_finds(store: Store, tools: Tools) -> None:
    fill(store)
    keep(store, a_memory("Kubernetes evicts greedy pods", id="mem-a"))

    right = recall(Question(text="kubernetes"), project="prj-one", tools=tools)
    wrong = recall(Question(text="kuberntes"), project="prj-one", tools=tools)

    assert [item.id for item in wrong] == [item.id for item in right] == ["mem-a"]
    assert wrong.spelled and not right.spelled


def test_a_word_taken_for_one_that_is_asked_as_well_counts_once(store: Store) -> None:
    fill(store)
    keep(store, a_memory("Kubernetes evicts greedy pods", id="mem-a"))

    both, one = asked(store, "kubernetes kuberntes"), asked(store, "kubernetes")

    assert both.spelled == () and by_id(both)["mem-a"].words == pytest.approx(by_id(one)["mem-a"].words)


# X-20 HB-035
def test_spaces_never_mix(store: Store) -> None:
    one, other = AngleEmbedder({MUTEX: 0.0}, model="one"), AngleEmbedder({MUTEX: 0.0}, model="other")
    memory = a_memory(LOCK, id="mem-a")
    keep_at(store, memory, 0, space=one.space)
    keep_at(store, a_memory("Deploys wait on Tuesdays", id="mem-b"), 0, space=other.space)
    turned = (a_vector(memory, at(60), space=other.space),)
    store.write(lambda tx: tx.apply(Changes(vectors=turned)))

    assert {key: c.similarity for key, c in by_id(asked(store, MUTEX, one)).items()} == {
        "mem-a": pytest.approx(1.0, abs=0.01)
    }
    assert {key: c.similarity for key, c in by_id(asked(store, MUTEX, other)).items()} == {
        "mem-a": pytest.approx(0.5, abs=0.01),
        "mem-b": pytest.approx(1.0, abs=0.01),
    }


@pytest.mark.parametrize("different", [{"model": "round"}, {"version": "2"}, {"provider": "remote"}])
def test_a_model_that_differs_in_anything_is_another_space_and_is_not_asked(
    store: Store, different: dict[str, str]
) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    other = AngleEmbedder()
    other.space = replace(other.space, **different)

    assert asked(store, "redis", other).how == "words: nothing here has a vector yet" and other.calls == []


def test_what_words_found_is_compared_however_many_others_are_nearer(store: Store) -> None:
    """A cosine that was not asked for would be taken for one that is not there."""
    for n in range(60):
        keep_at(store, a_memory(f"gardens need water {n}", id=f"mem-near-{n:02}"), 75)
    for n in range(20):
        keep_at(store, a_memory(f"a lock, short {n}", id=f"mem-a{n:02}"), 80)
    for n in range(20):
        keep_at(store, a_memory(f"a lock, a little longer than the others {n}", id=f"mem-z{n:02}"), 180)

    found = by_id(asked(store, "lock", AngleEmbedder({"lock": 0.0})))

    assert {key for key in found if "-a" in key} == {f"mem-a{n:02}" for n in range(20)}
    assert not [key for key, candidate in found.items() if candidate.similarity is None or "-z" in key]


def test_the_best_piece_speaks_and_how_many_there_are_is_known(store: Store) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 90, 0, 45)

    found = by_id(asked(store, MUTEX, AngleEmbedder({MUTEX: 0.0})))["mem-a"]

    assert found.similarity == pytest.approx(1.0, abs=0.01)
    assert (found.pieces, found.speaks) == (3, (10, 15))


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_who_asks_how_many_is_not_answered_with_many_but_by_strategies_of_others(store: Store, strategy: str) -> None:
    fill(store)
    keep(store, a_memory("Many thanks", id="mem-a"), a_memory("Three workers run", id="mem-b"))

    found = by_id(asked(store, "how many workers", strategy=strategy))

    assert found["mem-b"].words > 0
    assert ("mem-a" in found and found["mem-a"].words > 0) == (strategy not in ("unified", "default"))


def test_the_longer_a_question_the_more_its_words_count_and_it_says_so(store: Store) -> None:
    fill(store)
    keep_at(store, a_memory("Redis locks expire", id="mem-words"), 100)
    keep_at(store, a_memory("Mutexes time out", id="mem-meaning"), 60)
    short, long = "redis expire", "what is it that we have to do so that with all of this redis would expire"
    embedder = AngleEmbedder({short: 0.0, long: 0.0})

    by_meaning, by_words = asked(store, short, embedder), asked(store, long, embedder)

    assert next(iter(by_id(by_meaning))) == "mem-meaning" and next(iter(by_id(by_words))) == "mem-words"
    assert by_meaning.how == "words and meaning: for all words 1, for the very same meaning 1; the nearest is at 0.50"
    assert by_words.how == "words and meaning: for all words 2.33, for the very same meaning 1; the nearest is at 0.50"


def test_the_nearer_one_comes_the_less_words_count_and_it_says_so(store: Store) -> None:
    """Meaning is sure of itself there; the same lead in cosines would not do where all are far off."""
    fill(store)
    keep_at(store, a_memory("Redis locks expire", id="mem-words"), 60)
    keep_at(store, a_memory("Mutexes time out", id="mem-meaning"), 30)
    near, far = "redis expire", "expire redis"
    embedder = AngleEmbedder({near: 0.0, far: -38.0})

    sure, unsure = asked(store, near, embedder), asked(store, far, embedder)

    assert next(iter(by_id(sure))) == "mem-meaning" and next(iter(by_id(unsure))) == "mem-words"
    assert sure.how == "words and meaning: for all words 0.481, for the very same meaning 1; the nearest is at 0.87"
    assert unsure.how == "words and meaning: for all words 1.2, for the very same meaning 1; the nearest is at 0.38"


@pytest.mark.parametrize("limit", [1, 2, 30])
def test_how_much_words_count_is_the_same_however_few_are_asked_for(store: Store, limit: int) -> None:
    """The nearest of all may be no answer at all, and every answer still says how near it was."""
    fill(store)
    keep_at(store, a_memory("Gardens need water", id="mem-near"), 30)
    for n in range(20):
        keep_at(store, a_memory(f"Redis expires {n}", id=f"mem-{n:02}"), 60)

    found = asked(store, "redis", AngleEmbedder({"redis": 0.0}), limit=limit).candidates

    assert {round(candidate.nearest or 0, 2) for candidate in found} == {0.87}


COMMON = "which gardens hold a lock"


def at_halfway(store: Store, **more: object) -> tuple[Gathered, AngleEmbedder]:
    """Two hundred memories about gardens, and a question that names them, and something else."""
    fill(store, 200)
    keep_at(store, a_memory("Mutexes time out", id="mem-half"), 30)
    embedder = AngleEmbedder({COMMON: 0.0, "which hold a lock": 60.0})
    return asked(store, COMMON, embedder, **more), embedder


def test_a_word_that_most_memories_hold_is_half_of_what_is_compared_and_it_says_so(store: Store) -> None:
    found, embedder = at_halfway(store)

    assert embedder.calls == [[COMMON, "which hold a lock"]]
    assert by_id(found)["mem-half"].similarity == pytest.approx(1.0, abs=0.01)
    assert found.how.endswith("half of the meaning is asked for without 'gardens', which most memories hold")


@pytest.mark.parametrize("strategy", ["loki", "doc05"])
def test_strategies_of_others_compare_the_question_as_it_was_asked(store: Store, strategy: str) -> None:
    found, embedder = at_halfway(store, strategy=strategy)

    assert embedder.calls == [[COMMON]]
    assert by_id(found)["mem-half"].similarity == pytest.approx(0.87, abs=0.01)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("which gardens need water", 200),  # nothing else is asked for
        ("which hold a lock", 200),  # no such word
        ("which gardens hold a lock", 60),  # in a small store that may be chance
        (f"which gardens hold a lock{' and so on' * 5}", 200),  # one word of many
    ],
)
def test_else_a_question_is_embedded_once(store: Store, text: str, count: int) -> None:
    fill(store, count)
    keep_at(store, a_memory("Mutexes time out", id="mem-half"), 30)
    embedder = AngleEmbedder({text: 0.0})

    found = asked(store, text, embedder)

    assert embedder.calls == [[text]] and "half of the meaning" not in found.how


def test_where_the_model_cannot_read_the_rest_the_question_stays_whole(store: Store) -> None:
    fill(store, 200)
    keep_at(store, a_memory("Mutexes time out", id="mem-half"), 30)

    found = asked(store, COMMON, HalfIlliterate({COMMON: 0.0}))

    assert by_id(found)["mem-half"].similarity == pytest.approx(0.87, abs=0.01)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_only_strategies_that_go_by_meaning_ask_a_model(store: Store, strategy: str) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    embedder = AngleEmbedder()

    asked(store, MUTEX, embedder, strategy=strategy)

    assert len(embedder.calls) == (strategy not in ("dex", "recent"))


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_asked_is_compared_with_nothing(store: Store, text: str) -> None:
    keep_at(store, a_memory(LOCK, id="mem-a"), 0)
    embedder = AngleEmbedder()

    assert list(by_id(asked(store, text, embedder))) == ["mem-a"] and embedder.calls == []


def test_the_past_is_asked_by_words(store: Store) -> None:
    memory = a_memory(LOCK, id="mem-a")
    keep_at(store, memory, 0)
    keep(store, replace(memory, content="Redis is gone", title="Redis is gone", version=2, updated_at=NOW + DAY))
    embedder = AngleEmbedder()

    then = gather(Ask(text="redis locks"), HERE, reader=store, embedder=embedder, as_of=NOW)

    assert embedder.calls == [] and then.how == "words: the past has no vectors"
    assert [candidate.memory.content for candidate in then.candidates] == [LOCK]
    assert 0 < then.candidates[0].share <= 1.3


DAY = timedelta(days=1)


# DX-081
def test_a_memory_about_a_file_at_hand_comes_whatever_is_asked(store: Store) -> None:
    fill(store)
    keep(store, a_memory("Never log in here", id="mem-a", file_refs=("src/auth/login.py",)))
    keep(store, a_memory("Elsewhere", id="mem-b", file_refs=("docs/auth.md",)))

    assert list(by_id(asked(store, "zebra", paths=("src/auth/login.py",)))) == ["mem-a"]


@pytest.mark.parametrize("text", ["redis locks expire", "redis nonsense gibberish", MUTEX, "", "gardens"])
@pytest.mark.parametrize("is_warm", [True, False])
@pytest.mark.parametrize("strategy", ["unified", "dex"])
@pytest.mark.parametrize("has_vectors", [True, False])
def test_whether_a_model_would_have_to_start_is_known_beforehand(
    tools: Tools, text: str, is_warm: bool, strategy: str, has_vectors: bool
) -> None:
    fill(tools.store)
    if has_vectors:
        keep_at(tools.store, a_memory(LOCK, id="mem-a"), 0)
    embedder = AngleEmbedder(is_warm=is_warm)
    ask = Ask(text=text, strategy=strategy)

    is_needed = needs_model(ask, HERE, tools=replace(tools, embedder=embedder))

    assert embedder.calls == []
    gather(ask, HERE, reader=tools.store, embedder=embedder)
    assert is_needed is (bool(embedder.calls) and not is_warm)


def test_no_model_is_needed_where_there_is_none(tools: Tools) -> None:
    assert not needs_model(Ask(text=MUTEX), HERE, tools=tools)


# BD-060
@pytest.mark.parametrize("text", ["redis locks", "gardens water", MUTEX, "reids"])
def test_without_vectors_the_answer_is_the_one_of_words(tools: Tools, text: str) -> None:
    fill(tools.store)
    keep(tools.store, a_memory(LOCK, id="mem-a"))

    plain = recall(Question(text=text), project="prj-one", tools=tools)
    with_model = recall(Question(text=text), project="prj-one", tools=replace(tools, embedder=WordEmbedder()))

    assert [(i.id, i.score) for i in plain] == [(i.id, i.score) for i in with_model]


def test_what_a_person_should_know_comes_with_the_answer(tools: Tools) -> None:
    keep_at(tools.store, a_memory(LOCK, id="mem-a"), 0)

    found = recall(Question(text="redsi unheard"), project="prj-one", tools=replace(tools, embedder=Gone()))

    assert "onnxruntime" in found.notices[0] and found.how == "words: the model cannot run here"
    assert found.spelled == (("redsi", "Redis"),)
