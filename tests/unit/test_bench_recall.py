"""What the figures of recall rest on: the scripts' lines, the doubt, the stores that are filled, and what is kept."""

import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hindbrain
from bench import evals, quality, recall, tune
from bench.bulk import fill, project_name
from bench.cache import Cached
from bench.lessons import lessons
from bench.recall import Score
from bench.report import SEED
from bench.retriever import Retriever, recent, words
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Space
from hindbrain.ports import Where

SPACE = Space(provider="test", model="letters", version="1", dimension=384)


class Letters:
    """A model that counts its work: texts of like letters lie together."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    space = SPACE
    is_warm = True

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        counts = [1.0] + [float(text.count(chr(97 + place))) for place in range(26)] + [0.0] * 357
        length = math.hypot(*counts)
        return [count / length for count in counts]


def test_a_script_says_its_figures_with_and_without_blanks() -> None:
    line = "lessons/title file.py:factory n=352  R@1= 63.4 R@10= 88.1 hit@5=100.0 MRR= 72.2 docs=918 44.8ms/q"
    assert evals.figures(line) == {"n": 352, "R@1": 63.4, "R@10": 88.1, "hit@5": 100, "MRR": 72.2, "docs": 918}
    assert evals.figures("update/newest x n=39 newest-first=0.487 both-values-retrieved=1.000") == {
        "n": 39,
        "newest-first": 0.487,
        "both-values-retrieved": 1,
    }


@given(st.floats(0, 100), st.integers(1, 10_000))
def test_doubt_is_two_standard_errors_and_never_more_than_a_coin_has(value: float, n: int) -> None:
    doubt = Score(value=value, n=n).doubt
    assert 0 <= doubt <= 100 / math.sqrt(n) + 1e-9
    assert math.isclose(doubt, Score(value=100 - value, n=n).doubt, abs_tol=1e-6)


def test_a_question_on_all_or_none_leaves_no_doubt() -> None:
    assert Score(value=0, n=10).doubt == Score(value=100, n=10).doubt == 0
    assert math.isclose(Score(value=50, n=100).doubt, 10)


@pytest.mark.parametrize("part", [recall.measure, tune.measure, quality.measure])
def test_a_part_without_its_data_says_so(part: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVAL_DATA", str(tmp_path / "nowhere"))
    (note,) = part(is_quick=True).notes  # type: ignore[operator]
    assert note.startswith("Not measured: the evaluation")


def test_data_is_found_from_where_the_bench_was_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A script runs in a folder of its own, where a relative `EVAL_DATA` would name another place."""
    script = 'import os; from pathlib import Path; print(Path(os.environ["EVAL_DATA"], "set").read_text())'
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "reads.py").write_text(script)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "set").write_text("n=3")
    monkeypatch.setattr(evals, "_BESIDE", tmp_path / "scripts")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVAL_DATA", "data")
    assert evals.run("reads.py").stdout == "n=3\n"


def test_equal_texts_are_all_found_and_empty_ones_are_no_trouble() -> None:
    with closing(words()) as retriever:
        retriever.index(
            ["the cache is stale after a deploy", "", "rotate the keys", "the cache is stale after a deploy"]
        )
        assert retriever.search("stale cache", 4) == [0, 3]
        assert retriever.search("stale cache", 1) == [0]


def test_dates_rank_where_they_are_given() -> None:
    texts = ["open the port before the tests", "a busy port fails the build", "containers share one port range"]
    metas = [{"date": "2023/05/02 (Tue) 10:00"}, {"date": "2023/05/30 (Tue) 23:40"}, {"date": "2023/04/01 (Sat)"}]
    with closing(recent()) as retriever:
        retriever.index(texts, metas)
        assert retriever.search("which port", 3) == [1, 0, 2]


def test_without_dates_no_text_is_newer_than_another() -> None:
    class Seen(Retriever):
        def moments(self) -> set[object]:
            return {memory.learned_at for memory in self._memory.list()}

    with closing(Seen(is_by_meaning=False)) as retriever:
        retriever.index(["one lesson about ports", "another about keys"])
        assert len(retriever.moments()) == 1


def test_a_vector_is_made_once_and_is_the_same_ever_after(tmp_path: Path) -> None:
    model = Letters()
    first = Cached(model, tmp_path / "made.db").embed(["abc", "xyz", "abc"])
    again = Cached(model, tmp_path / "made.db").embed(["xyz", "abc"])

    assert model.asked == ["abc", "xyz"]
    assert first == [again[1], again[0], again[1]]
    assert all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(first[1], model.embed(["xyz"])[0], strict=True))


def test_a_kept_vector_counts_as_warm_from_the_first_text_on_as_a_model_does(tmp_path: Path) -> None:
    cached = Cached(Letters(), tmp_path / "made.db")
    assert not cached.is_warm
    cached.embed(["abc"])
    assert cached.is_warm and cached.space == SPACE


def test_a_store_filled_in_bulk_answers_by_words_and_by_meaning_within_its_projects(tmp_path: Path) -> None:
    path, model = tmp_path / "hindbrain.db", Letters()
    fill(path, size=40, projects=4, space=SPACE, label="test")
    texts = list(lessons(40, seed=SEED))

    with closing(SqliteStore(path)) as store:
        assert [store.count(Where(project=project_name(number))) for number in range(4)] == [10] * 4
        assert store.count_unembedded(SPACE) == 0
        assert all(store.has_vectors(SPACE, Where(project=project_name(number))) for number in range(4))
    with hindbrain.open(path, project_name(1), embedder=model) as memory:
        found = memory.recall(texts[5], limit=10)
        assert found.how.startswith("words and meaning")
        assert found.memories[0].content == texts[5]
        assert {item.content for item in found} <= set(texts[1::4])
