"""That words and meaning together find more than either does alone, and more than the formulas of others.

On a small set of our own (`fixtures/recall`): memories of three code bases, and questions in four groups. `words`:
names, numbers and codes that stand in one memory, beside others much like it. `meaning`: hardly a word in common with
the answer. `both`: some of each. `nothing`: no memory bears on it. The public sets of `python -m bench` are larger and
written by others; this one comes with the tests, and tells in seconds when the sides are no longer weighed as they
should be.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import pytest

import hindbrain
from hindbrain.adapters.ai.minilm import MiniLm
from hindbrain.core.words import query_terms
from hindbrain.facade import Hindbrain
from hindbrain.ports import Where
from hindbrain.settings import Settings

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "recall"
GROUPS = ("words", "meaning", "both")
SIDES = ("by words alone", "by meaning alone")
STRATEGIES = ("dex", "loki", "doc05", "recent")
LIMIT = 10
ALLOWED = 0.08  # that a group may lose to the better side: as if two of thirteen answers fell to the second place
LEAD = 0.02  # that both together have over each side, and over each strategy, as the mean of the groups
Way = Callable[[str], Sequence[str]]  # the ids that a question finds, best first


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    memory: Hindbrain
    model: MiniLm
    names: Mapping[str, str]  # of the memories, by their ids

    def ways(self) -> dict[str, Way]:
        return {
            "default": self.recalled(""),
            "by words alone": self.by_words,
            "by meaning alone": self.by_meaning,
            **{name: self.recalled(name) for name in STRATEGIES},
        }

    def recalled(self, strategy: str) -> Way:
        return lambda question: [one.id for one in self.memory.recall(question, limit=LIMIT, strategy=strategy)]

    def by_words(self, question: str) -> Sequence[str]:
        """BM25 and nothing else."""
        hits = self.memory.store.search(query_terms(question), self.where, limit=LIMIT)
        return [hit.memory.id for hit in hits]

    def by_meaning(self, question: str) -> Sequence[str]:
        """The cosine and nothing else."""
        (point,) = self.model.embed([question])
        near = self.memory.store.nearest(point, self.model.space, where=self.where, limit=LIMIT)
        return [one.memory_id for one in near]

    @property
    def where(self) -> Where:
        assert self.memory.project is not None
        return Where(project=self.memory.project.id)

    def told(self, question: str) -> list[str]:
        """What an agent with that task is told unasked."""
        return [self.names[one] for one in self.memory.inject(task_title=question).memory_ids]


def rows(name: str) -> list[dict[str, str]]:
    with (FIXTURES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def questions(*groups: str) -> list[dict[str, str]]:
    return [row for row in rows("questions.tsv") if row["group"] in groups]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    home = tmp_path_factory.mktemp("home")
    settings = Settings(home=str(home), store=str(home / "hindbrain.db"))  # whatever the user has set
    model = MiniLm()
    together = datetime.now(UTC)  # none is newer than another
    with hindbrain.open(settings.store, "app", settings=settings, embedder=model) as memory:
        kept = {memory.add(row["text"], learned_at=together).memory_id: row["name"] for row in rows("memories.tsv")}
        names = {key: name for key, name in kept.items() if key is not None}
        assert len(names) == len(rows("memories.tsv"))
        memory.embed()
        yield Filled(memory=memory, model=model, names=names)


@pytest.fixture(scope="module")
def ranks(filled: Filled) -> dict[str, dict[str, float]]:
    """The mean reciprocal rank of the answers, by the way they were looked for and the group of the question."""
    return {
        name: {group: fmean(reciprocal(filled, way, row) for row in questions(group)) for group in GROUPS}
        for name, way in filled.ways().items()
    }


def reciprocal(filled: Filled, way: Way, row: Mapping[str, str]) -> float:
    found = [filled.names[one] for one in way(row["question"])]
    return 1 / (found.index(row["answer"]) + 1) if row["answer"] in found else 0.0


def test_the_set_asks_of_each_kind_and_names_answers_that_are_there() -> None:
    names = [row["name"] for row in rows("memories.tsv")]
    assert len(names) == len(set(names)) >= 60
    assert {row["answer"] for row in questions(*GROUPS)} <= set(names)
    assert all(len(questions(group)) >= 12 for group in (*GROUPS, "nothing"))


def test_each_side_has_questions_that_the_other_cannot_answer(ranks: dict[str, dict[str, float]]) -> None:
    words, meaning = (ranks[side] for side in SIDES)
    assert words["words"] > meaning["words"] + ALLOWED and meaning["meaning"] > words["meaning"] + ALLOWED


@pytest.mark.parametrize("group", GROUPS)
def test_together_they_are_not_worse_than_the_better_one(group: str, ranks: dict[str, dict[str, float]]) -> None:
    assert ranks["default"][group] >= max(ranks[side][group] for side in SIDES) - ALLOWED, ranks


@pytest.mark.parametrize("other", [*SIDES, *STRATEGIES])
def test_over_all_groups_the_default_is_ahead_of_each_side_and_of_the_formulas_of_others(
    other: str, ranks: dict[str, dict[str, float]]
) -> None:
    assert fmean(ranks["default"].values()) > fmean(ranks[other].values()) + LEAD, ranks


def test_an_agent_is_told_what_bears_on_its_task_and_seldom_anything_else(filled: Filled) -> None:
    right = [row["answer"] in filled.told(row["question"]) for row in questions(*GROUPS)]
    wrong = [bool(filled.told(row["question"])) for row in questions("nothing")]
    assert fmean(right) >= 0.85 and fmean(wrong) <= 1 / 3


WORKERS = (
    *("queue retries", "log rotation", "the database pool", "health checks", "cache warmup", "mail batches"),
    *("image resizing", "report exports", "the search index", "billing runs", "webhooks", "session cleanup"),
    *("feature flags", "metrics", "backups", "tenant quotas"),
)
HABITS = (
    *("reads its settings once at start", "must not run twice", "sleeps ten seconds between rounds"),
    *("writes to a temporary file first", "needs the read replica", "keeps at most five connections"),
    *("is started by systemd", "fails without a locale", "prints JSON lines", "skips empty rows"),
)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hindbrain]:
    """All but one of many memories are about a worker."""
    home = tmp_path_factory.mktemp("home")
    settings = Settings(home=str(home), store=str(home / "hindbrain.db"))
    together = datetime.now(UTC)
    with hindbrain.open(settings.store, "app", settings=settings, embedder=MiniLm()) as memory:
        for text in (f"The worker for {name} {habit}" for name in WORKERS for habit in HABITS):
            memory.add(text, learned_at=together)
        memory.add("A hanging request is given up after thirty seconds", learned_at=together)
        memory.embed()
        yield memory


@pytest.mark.parametrize("question", ["worker timeout", "does the worker time out when a call never returns?"])
def test_a_word_that_every_memory_holds_does_not_hide_the_one_that_answers(workers: Hindbrain, question: str) -> None:
    found = workers.recall(question, limit=LIMIT)

    assert "A hanging request is given up after thirty seconds" in [one.content for one in list(found)[:3]]
    assert found.how.endswith("without 'worker', which most memories hold")
