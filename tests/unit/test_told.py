"""What an answer says about itself: how it was searched, which words counted, what was kept out and why."""

import pytest
from building import NOW, a_memory, a_vector, keep
from embedding import AngleEmbedder, at

from hindbrain.app.inject import Injected, Occasion, inject
from hindbrain.app.recall import Found, Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory
from hindbrain.core.value import replace
from hindbrain.ports import Changes

LOCK = "Containers of the queue restart when redis is flushed"
ASKED = "why do the workers begin anew"


def found(tools: Tools, text: str, **more: object) -> Found:
    return recall(Question(text=text, **more), project="prj-one", tools=tools)  # type: ignore[arg-type]


def told(tools: Tools, **context: object) -> Injected:
    return inject(Occasion(**context), project="prj-one", tools=tools)  # type: ignore[arg-type]


def with_meaning(tools: Tools, *placed: tuple[Memory, float]) -> Tools:
    """Memories at angles to ASKED, which lies at 0 degrees."""
    embedder = AngleEmbedder({ASKED: 0.0})
    for memory, angle in placed:
        vectors = (a_vector(memory, at(angle), space=embedder.space),)
        changes = Changes(memories=(memory,), vectors=vectors)
        tools.store.write(lambda tx, changes=changes: tx.apply(changes))  # type: ignore[misc]
    return replace(tools, embedder=embedder)


def test_a_slip_is_told_in_words_as_people_write_them(tools: Tools) -> None:
    keep(tools.store, a_memory(LOCK, id="mem-a"), a_memory("Gardens need water", id="mem-b"))

    answer = found(tools, "the contaniers, restarted?")

    assert answer.spelled == (("contaniers", "Containers"),)
    assert [item.id for item in answer] == ["mem-a"]
    (words,) = [reason for reason in answer.memories[0].reasons if reason.name == "words"]
    assert words.note == "contaniers, restarted"
    assert answer.memories[0].gate and answer.memories[0].gate.value == 1.0  # both words are held


def test_words_that_nobody_searched_for_are_not_named(tools: Tools) -> None:
    keep(tools.store, a_memory("The cache of the router is cold", id="mem-a"), a_memory("Gardens", id="mem-b"))

    (item,) = found(tools, "is the router down").memories

    assert item.reasons[0].note == "router"


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        ({"text": "redis"}, "words: meaning is switched off"),
        ({"text": "redis", "strategy": "dex"}, "words: the strategy dex compares no meanings"),
        ({"text": "redis", "as_of": NOW}, "words: the past has no vectors"),
        ({"text": "", "paths": ("src/a.py",)}, "files"),
        ({"text": ""}, "all memories"),
    ],
)
def test_it_is_told_what_was_searched(tools: Tools, asked: dict[str, str], how: str) -> None:
    keep(tools.store, a_memory(LOCK, id="mem-a"))

    assert found(tools, **asked).how == how


def test_what_the_gate_kept_out_is_told_with_its_reason(tools: Tools) -> None:
    near, far = a_memory(LOCK, id="mem-near"), a_memory("Gardens need water", id="mem-far")
    tools = with_meaning(tools, (near, 20.0), (far, 80.0))

    answer = told(tools, task_title=ASKED)

    assert answer.how.startswith("words and meaning")
    assert [item.id for item in answer.shown] == list(answer.memory_ids) == ["mem-near"]
    (kept_out,) = answer.kept_out
    assert kept_out.id == "mem-far" and kept_out.gate and not kept_out.gate.is_open
    assert str(kept_out.gate) == "0.17, under 0.3: too far off to tell an agent unasked"
    assert answer.left_out == 0


def test_where_nothing_bears_on_the_task_nothing_is_told(tools: Tools) -> None:
    tools = with_meaning(tools, *((a_memory(f"Gardens {n}", id=f"mem-{n:02}"), 80.0) for n in range(20)))

    answer = told(tools, task_title=ASKED)

    assert (answer.text, answer.shown, answer.left_out) == ("", (), 0)
    assert len(answer.kept_out) == 8


def test_what_did_not_fit_is_not_told_as_shown(tools: Tools) -> None:
    keep(tools.store, *(a_memory(f"caching lesson {n} " + "and so on " * 20, id=f"mem-{n:02}") for n in range(9)))

    answer = told(tools, task_title="caching", budget=300)

    assert [item.id for item in answer.shown] == list(answer.memory_ids)
    assert 0 < len(answer.shown) < 8 and not answer.kept_out
