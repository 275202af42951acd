"""Recall by source: the ten scopes and all, the re-rank of scars, labels on raw similarity, and what is served."""

from datetime import timedelta

import pytest
from building import NOW, a_memory, keep
from embedding import AngleEmbedder

from hindbrain.app.embed import embed_all
from hindbrain.app.maintain import cleanup
from hindbrain.app.recall import Question, recall
from hindbrain.app.reindex import reindex
from hindbrain.app.tools import Tools
from hindbrain.core.model import Counters, Kind, Memory, State
from hindbrain.core.recall.strategies.doc05 import label
from hindbrain.core.scopes import SCOPES, is_in, source_of
from hindbrain.core.value import replace
from hindbrain.errors import BadValue

PROJECT = "prj-one"


def made(source: str, text: str, **given: object) -> Memory:
    return a_memory(f"lock {text}", id=f"mem-{source}", **given)


ONE_OF_EACH = (
    made("iteration", "was tried", kind=Kind.ITERATION, body={"action": "x"}),
    made("cicatrice", "broke", kind=Kind.SCAR, body={"outcome": "failure", "check_added": "wait"}),
    made("victoire", "held", kind=Kind.SCAR, body={"outcome": "victory", "check_added": "fence"}),
    made("memory", "rule", kind=Kind.REFLEX, body={"path": "feedback_x.md"}),
    made("brain-moc", "map", kind=Kind.NOTE, body={"path": "moc/x.md"}),
    made("brain-permanent", "note", kind=Kind.NOTE, body={"path": "permanent/x.md"}),
    made("doctrine", "decided", type="decision"),
    made("chantier", "work", kind=Kind.ITERATION, body={"chantier": {"title": "work"}}),
    made("agent", "as ed knows", persona="ed"),
    made("drill", "exercise", kind=Kind.SKILL),
    made("conduite", "habit", type="convention"),
    made("lesson", "plain"),
)


# HB-005 HB-025 HB-029 HB-030 HB-051 HB-052 HB-053 HB-054 HB-055 HB-056 HB-057 HB-058 HB-059 HB-060
@pytest.mark.parametrize("memory", ONE_OF_EACH, ids=lambda memory: memory.id)
def test_every_memory_has_one_source(memory: Memory) -> None:
    assert source_of(memory) == memory.id.removeprefix("mem-")


@pytest.mark.parametrize("name", ["doctrine", "chantier", "agent", "drill", "conduite"])
def test_a_tag_declares_a_source(name: str) -> None:
    assert source_of(a_memory("anything", tags=(name,))) == name


# HB-064 HB-067 HB-068 HB-069 HB-070 HB-071 HB-072 HB-073 HB-074 HB-075 HB-076 HB-077
@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_gives_its_sources_and_nothing_else(tools: Tools, scope: str) -> None:
    keep(tools.store, *ONE_OF_EACH)
    found = recall(Question(text="lock", scopes=[scope], limit=50), project=PROJECT, tools=tools)
    wanted = {m.id for m in ONE_OF_EACH if is_in(m, scope)}
    assert {one.id for one in found} == wanted and wanted
    assert len(found) == (12 if scope == "all" else 2 if scope == "brain" else 1)


def test_several_scopes_are_any_of_them_and_an_unknown_one_is_refused(tools: Tools) -> None:
    keep(tools.store, *ONE_OF_EACH)
    found = recall(Question(text="lock", scopes=["cicatrices", "doctrine"]), project=PROJECT, tools=tools)
    assert {one.id for one in found} == {"mem-cicatrice", "mem-doctrine"}
    with pytest.raises(BadValue, match="no scope"):
        recall(Question(text="lock", scopes=["tout"]), project=PROJECT, tools=tools)


# HB-051 HB-052
def test_what_is_archived_is_in_no_scope(tools: Tools) -> None:
    keep(tools.store, replace(ONE_OF_EACH[1], archived_at=NOW, archive_reason="x"))
    assert len(recall(Question(text="lock", scopes=["all"]), project=PROJECT, tools=tools)) == 0


def angled(tools: Tools, angles: dict[str, float], *memories: Memory) -> Tools:
    """Memories at these angles from a question at 0 degrees."""
    embedder = AngleEmbedder({**angles, "question": 0.0})
    keep(tools.store, *memories)
    embed_all(store=tools.store, embedder=embedder)
    return replace(tools, embedder=embedder)


# G-4 X-21 HB-062 HB-063 HB-065 HB-066 HB-078 HB-079
def test_only_scars_are_reranked_and_the_band_of_the_raw_similarity_comes_first(tools: Tools) -> None:
    old = a_memory("old scar", kind=Kind.SCAR, importance=1, at=NOW - timedelta(days=700))
    fresh = a_memory("fresh scar", kind=Kind.SCAR, importance=9)
    note = a_memory("a plain note", kind=Kind.NOTE, body={"path": "moc/x.md"}, importance=10)
    near = {"old scar": 40.0, "fresh scar": 45.0, "a plain note": 46.0}  # cosines 0.766, 0.707, 0.695
    told = angled(tools, near, old, fresh, note)
    found = list(recall(Question(text="question", scopes=["all"]), project=PROJECT, tools=told))
    assert [one.content for one in found] == ["old scar", "fresh scar", "a plain note"]
    scores = {one.content: one.score.total for one in found}
    assert scores["fresh scar"] > 1.0 > scores["a plain note"] > scores["old scar"]
    assert [label(one.similarity or 0) for one in found] == ["highly relevant", "relevant", "relevant"]


# HB-082 HB-083 HB-084
@pytest.mark.parametrize(
    ("similarity", "words"),
    [(0.76, "highly relevant"), (0.75, "relevant"), (0.65, "relevant"), (0.64, "validate manually")],
)
def test_labels_are_made_of_the_raw_similarity(similarity: float, words: str) -> None:
    assert label(similarity) == words


# F-31 HB-080 HB-096 HB-097
def test_only_what_was_served_above_the_threshold_counts_as_recalled(tools: Tools) -> None:
    close = a_memory("close scar", kind=Kind.SCAR)
    far = a_memory("far scar", kind=Kind.SCAR)
    told = angled(tools, {"close scar": 45.0, "far scar": 60.0}, close, far)
    found = recall(Question(text="question", scopes=["all"]), project=PROJECT, tools=told)
    assert len(found) == 2
    counted = {m.content: m for m in tools.store.memories([close.id, far.id]).values()}
    assert counted["close scar"].counters.recalled == 1 and counted["close scar"].last_used_at == NOW
    assert counted["far scar"].counters.recalled == 0 and counted["far scar"].last_used_at is None


# HB-081 Q-06
def test_a_scar_is_put_away_only_if_nobody_ever_asked_for_it(tools: Tools) -> None:
    long_ago = NOW - timedelta(days=181)
    unused = a_memory("unused scar", kind=Kind.SCAR, at=long_ago, confidence=0.9, decayed_at=NOW)
    used = a_memory("used scar", kind=Kind.SCAR, at=long_ago, counters=Counters(recalled=1), decayed_at=NOW)
    young = a_memory("young scar", kind=Kind.SCAR, at=NOW - timedelta(days=179), decayed_at=NOW)
    keep(tools.store, unused, used, young)
    cleanup(PROJECT, tools=tools)
    states = {m.content: m.state for m in tools.store.memories([unused.id, used.id, young.id]).values()}
    assert states == {"unused scar": State.ARCHIVED, "used scar": State.LIVE, "young scar": State.LIVE}


# HB-061 HB-045 HB-046
def test_a_new_scar_is_found_by_meaning_at_once(tools: Tools) -> None:
    told = angled(tools, {"new scar": 10.0})
    scar = a_memory("new scar", kind=Kind.SCAR)
    keep(tools.store, scar)
    assert reindex(scar.id, tools=told)
    (found,) = recall(Question(text="question", scopes=["cicatrices"]), project=PROJECT, tools=told)
    assert found.id == scar.id and found.similarity is not None and found.similarity > 0.9
    embedder = told.embedder
    assert isinstance(embedder, AngleEmbedder)
    calls = len(embedder.calls)
    embed_all(store=tools.store, embedder=embedder)
    assert len(embedder.calls) == calls


def test_a_model_that_is_not_running_is_not_started_for_it(tools: Tools) -> None:
    scar = a_memory("new scar", kind=Kind.SCAR)
    keep(tools.store, scar)
    cold = AngleEmbedder(is_warm=False)
    assert not reindex(scar.id, tools=replace(tools, embedder=cold)) and not cold.calls
    assert not reindex(scar.id, tools=tools) and not reindex("mem-none", tools=tools)
