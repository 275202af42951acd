"""A question that is answered elsewhere has the same answer as one that is answered here."""

import json
from pathlib import Path

import pytest
from building import FakeChance, FakeClock, a_memory, a_project, keep
from embedding import WordEmbedder

from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.errand import answer, errand, found
from hindbrain.app.recall import Found, Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, HindbrainError
from hindbrain.settings import Settings


@pytest.fixture
def tools(sqlite_store: SqliteStore, db_path: Path) -> Tools:
    a_project(sqlite_store, "one")
    a_project(sqlite_store, "two")
    keep(
        sqlite_store,
        a_memory("Redis locks in src/jobs/lock.py expire after 30 s ✓", id="mem-1", type="pitfall"),
        a_memory("Redis needs a password", id="mem-2", persona="ed"),
        a_memory("Deploys wait for the redis lock", id="mem-3", body={"steps": ["a", 1, None]}),
        a_memory("Redis of another project", id="mem-4", project="prj-two"),
    )
    return Tools(
        store=sqlite_store,
        clock=FakeClock(),
        chance=FakeChance(),
        files=LocalFiles(),
        settings=Settings(home=str(db_path.parent), store=str(db_path)),
        embedder=WordEmbedder(),
    )


def carried(question: Question, tools: Tools, *, project: str = "prj-one") -> dict[str, object]:
    space = tools.embedder.space.name if tools.embedder else ""
    return errand(question, project=project, settings=tools.settings, space=space)


def sent(question: Question, tools: Tools, *, project: str = "prj-one") -> Found | None:
    """There and back, as JSON."""
    message = json.loads(json.dumps(carried(question, tools, project=project)))
    return found(json.loads(json.dumps(answer(message, tools=tools))))


def asked(question: Question, tools: Tools) -> Found:
    return recall(question, project="prj-one", tools=tools)


def stripped(told: Found | None) -> Found:
    """Without the counter of recalls, which each answer raises."""
    assert told is not None
    same = (replace(i, memory=replace(i.memory, counters=a_memory().counters)) for i in told)
    return replace(told, memories=tuple(same))


@pytest.mark.parametrize(
    "question",
    [
        Question(text="redis lock"),
        Question(text="redis", limit=1),
        Question(text="redis", persona="ed", hat="critic", types=["learned"]),
        Question(paths=["src/jobs/lock.py"]),
        Question(text="redis", strategy="dex", with_all=True),
        Question(text="redis", as_of=FakeClock().now()),
        Question(text="nothing of the kind"),
        Question(text="\ud800 \x00 “redis”"),
        Question(),
    ],
    ids=lambda question: question.text or "-",
)
def test_the_answer_is_the_same_wherever_it_is_found(tools: Tools, question: Question) -> None:
    assert stripped(sent(question, tools)) == stripped(asked(question, tools))


def test_what_an_answer_says_beside_memories_comes_along(tools: Tools) -> None:
    told = Found(memories=(), left_out=3, notices=("the store cannot be written",))
    assert found({"memories": [], "left_out": 3, "notices": ["the store cannot be written"]}) == told


def test_the_askers_settings_count_and_not_the_workers(tools: Tools) -> None:
    mine = replace(tools, settings=replace(tools.settings, strategy="recent"))
    message = carried(Question(text="redis"), mine)
    assert stripped(found(answer(message, tools=tools))) == stripped(asked(Question(text="redis"), mine))


def test_a_project_that_nobody_knows_has_nothing(tools: Tools) -> None:
    told = sent(Question(text="redis"), tools, project="three")
    assert told is not None and len(told) == 0


def test_a_worker_answers_for_its_own_store_only(tools: Tools, tmp_path: Path) -> None:
    elsewhere = replace(tools, settings=replace(tools.settings, store=str(tmp_path / "other.db")))
    message = carried(Question(text="redis"), elsewhere)
    with pytest.raises(BadValue):
        answer(message, tools=tools)


@pytest.mark.parametrize("embedder", [None, WordEmbedder(model="another")])
def test_a_worker_with_no_model_or_another_does_not_answer_for_an_asker_who_has_one(
    tools: Tools, embedder: WordEmbedder | None
) -> None:
    message = carried(Question(text="redis"), tools)
    with pytest.raises(BadValue):
        answer(message, tools=replace(tools, embedder=embedder))


@pytest.mark.parametrize("part", ["store", "space", "project", "settings", "question"])
@pytest.mark.parametrize("wrong", [None, 7, {"x": 1}, "missing"])
def test_a_message_that_is_no_question_is_refused(tools: Tools, part: str, wrong: object) -> None:
    message = carried(Question(text="redis"), tools)
    if wrong == "missing":
        del message[part]
    else:
        message[part] = wrong
    with pytest.raises(HindbrainError):
        answer(message, tools=tools)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        {},
        {"memories": 3, "left_out": 0, "notices": []},
        {"memories": [{}], "left_out": 0, "notices": []},
        {"memories": [{"memory": {}, "reasons": []}], "left_out": 0, "notices": []},
        {"memories": [None], "left_out": 0, "notices": []},
        {"memories": [], "left_out": 0, "notices": [], "more": 1},
        {"memories": []},
    ],
)
def test_an_answer_that_is_none_is_not_taken_for_one(wrong: dict[str, object] | None) -> None:
    assert found(wrong) is None
