"""The strategy `dex`: the documented formula, constant by constant."""

from datetime import timedelta

import pytest
from building import NOW, a_memory

from hindbrain.core.model import Actor, Memory, Provenance
from hindbrain.core.recall import Ask, Candidate, Recalled, rank
from hindbrain.core.recall.strategies.dex import RELATED_HATS, keywords


def made(confidence: float = 0.6, *, hat: str = "", session: str = "s0", **given: object) -> Memory:
    plain: dict[str, object] = {"id": "mem-1", "tags": (), "file_refs": ()}
    provenance = Provenance(actor=Actor(hat=hat), session=session)
    return a_memory("A lesson", confidence=confidence, provenance=provenance, **(plain | given))


def recalled(memory: Memory, *, hat: str = "creator", text: str = "", **given: object) -> Recalled | None:
    ask = Ask(strategy="dex", hat=hat, text=text, **given)  # type: ignore[arg-type]
    items = rank([Candidate(memory=memory)], ask, now=NOW).items
    return items[0] if items else None


# G-3 DX-079 DX-087 DX-088 DX-089 DX-090 DX-091 DX-093 DX-094 X-10
@pytest.mark.parametrize(
    ("memory", "paths", "expected"),
    [
        (made(0.6, hat="creator"), (), 0.37),
        (made(0.6, hat="critic"), (), None),
        (made(0.76, hat="critic"), (), 0.252),
        (made(0.95, hat="critic"), (), 0.29),
        (made(0.6, hat="explorer"), (), None),
        (made(0.95), (), None),
        (made(0.7), (), None),
        (made(0.6, hat="critic", tags=("testing",)), (), 0.37),
        (made(0.6, file_refs=("src/a.py",)), ("src/a.py",), 0.42),
        (made(0.6, hat="critic", last_used_at=NOW), (), 0.32),
        (made(0.95, last_used_at=NOW), (), 0.29),
        (made(0.31, hat="creator"), (), 0.312),
    ],
)
def test_the_golden_table_of_scores(memory: Memory, paths: tuple[str, ...], expected: float | None) -> None:
    found = recalled(memory, text="fix the test", paths=paths)

    assert (None if found is None else round(found.score.total, 9)) == expected


# DX-094
@pytest.mark.parametrize(("confidence", "is_in"), [(0.75, False), (0.76, True)])
def test_a_score_of_exactly_a_quarter_stays_out(confidence: float, is_in: bool) -> None:
    assert (recalled(made(confidence, hat="critic")) is not None) is is_in


# DX-084
@pytest.mark.parametrize(("confidence", "is_in"), [(0.30, False), (0.1 + 0.2, False), (0.31, True)])
def test_a_candidate_must_be_believed(confidence: float, is_in: bool) -> None:
    assert (recalled(made(confidence, hat="creator")) is not None) is is_in


# DX-080 DX-085 DX-175 F-17
@pytest.mark.parametrize(
    ("taught_in", "asked_in", "is_in"),
    [("s1", "s1", False), ("s1", "s2", True), ("", "s2", True), ("s1", "", True), ("", "", True)],
)
def test_a_session_is_not_told_what_it_taught(taught_in: str, asked_in: str, is_in: bool) -> None:
    memory = made(hat="creator", session=taught_in)

    assert (recalled(memory, session=asked_in) is not None) is is_in


# DX-086 F-15
def test_the_fifty_most_believed_do_not_hide_the_others() -> None:
    believed = [Candidate(memory=made(0.9, id=f"mem-{n:02}")) for n in range(60)]
    fitting = Candidate(memory=made(0.4, id="mem-fit", hat="creator"))

    answer = rank([*believed, fitting], Ask(strategy="dex", hat="creator"), now=NOW)

    assert [item.memory.id for item in answer.items] == ["mem-fit"]


# DX-081 DX-090 DX-103
def test_two_overlapping_paths_count_once() -> None:
    memory = made(file_refs=("internal/session/*.go", "internal/session/ralph.go"))

    found = recalled(memory, paths=("internal/session/ralph.go", "internal/session/x.go"))

    assert found is not None
    assert round(found.score.total, 9) == 0.42
    assert recalled(memory, paths=("internal/api/x.go",)) is None


# DX-082 DX-091 DX-092 F-15
@pytest.mark.parametrize(
    ("tags", "text", "bonus"),
    [
        (("testing",), "test", 0.15),
        (("test",), "testing", 0.0),
        (("testing", "tests"), "test", 0.30),
        (("Testing", "unit-tests", "tests"), "TEST!", 0.30),
    ],
)
def test_tags_that_contain_a_keyword_count_up_to_two(tags: tuple[str, ...], text: str, bonus: float) -> None:
    found = recalled(made(hat="creator", tags=tags), text=text)

    assert found is not None
    assert round(found.score.total - 0.37, 9) == bonus


# DX-093
@pytest.mark.parametrize(("days", "bonus"), [(0, 0.1), (25, 0.05), (50, 0.0), (500, 0.0), (-3, 0.1)])
def test_recent_use_fades_over_fifty_days(days: int, bonus: float) -> None:
    found = recalled(made(hat="creator", last_used_at=NOW - timedelta(days=days)))

    assert found is not None
    assert round(found.score.total - 0.37, 9) == bonus


# DX-098 DX-099 DX-100 DX-101 DX-102
@pytest.mark.parametrize(
    ("current", "related"),
    [
        ("explorer", {"planner"}),
        ("planner", {"creator", "explorer"}),
        ("creator", {"critic", "editor", "planner"}),
        ("critic", {"creator", "editor"}),
        ("editor", {"creator", "critic"}),
    ],
)
def test_which_hats_bear_on_which(current: str, related: set[str]) -> None:
    names = {}
    for other in (*RELATED_HATS, "designer", ""):
        found = recalled(made(0.95, hat=other, last_used_at=NOW), hat=current)
        assert found is not None
        names[other] = {reason.name for reason in found.score.reasons} & {"same hat", "related hat"}

    assert {other for other, found_names in names.items() if found_names == {"related hat"}} == related
    assert {other for other, found_names in names.items() if found_names == {"same hat"}} == {current}


def test_no_hat_is_not_a_hat_in_common() -> None:
    assert recalled(made(0.6, hat=""), hat="") is None


# DX-104
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the session bug in Go", ("fix", "session", "bug")),
        ('Fix the "login" bug, (again).', ("fix", "login", "bug", "again")),
        ("the a an and or to in on for of is it this that with as be are was were", ()),
        (" ".join(f"word{n}" for n in range(20)), tuple(f"word{n}" for n in range(10))),
        ("", ()),
    ],
)
def test_keywords_of_a_task(text: str, expected: tuple[str, ...]) -> None:
    assert keywords(text) == expected


# DX-095 DX-096 DX-105
def test_the_best_come_first_and_the_limit_holds() -> None:
    confidences = [0.40, 0.60, 0.50, 0.95, 0.31, 0.70, 0.45, 0.90, 0.35, 0.55, 0.65, 0.80]
    candidates = [Candidate(memory=made(c, id=f"mem-{c}", hat="creator")) for c in confidences]

    answer = rank(candidates, Ask(strategy="dex", hat="creator", limit=8), now=NOW)

    assert [item.memory.confidence for item in answer.items] == sorted(confidences, reverse=True)[:8]
    assert answer.left_out == 4


def test_every_part_of_a_score_says_what_it_is_for() -> None:
    memory = made(hat="critic", tags=("testing",), file_refs=("src/*.py",), last_used_at=NOW)

    found = recalled(memory, text="test it", paths=("src/a.py",))

    assert found is not None
    assert [(r.name, r.value, r.weight, r.note) for r in found.score.reasons] == [
        ("confidence", 0.6, 0.2, ""),
        ("related hat", 1.0, 0.1, "critic for creator"),
        ("path", 1.0, 0.3, "src/a.py by src/*.py"),
        ("tags", 1.0, 0.15, "testing"),
        ("recency", 1.0, 0.1, "last use"),
    ]
