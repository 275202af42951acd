"""When repetition becomes a skill, how it is written, and that it does nothing before a person has agreed."""

import re
from pathlib import Path
from typing import Any

import pytest
from building import FakeClock, a_memory, keep
from working import PYTEST_FAILED, Log

from hindbrain.adapters.pages import LocalPages
from hindbrain.app.before import Upcoming, before_task
from hindbrain.app.consolidate import consolidate
from hindbrain.app.enact import undo
from hindbrain.app.episodes import trace
from hindbrain.app.inject import Occasion, inject
from hindbrain.app.log import audit
from hindbrain.app.promote import promote
from hindbrain.app.propose import propose
from hindbrain.app.skills import approve, refuse, skills
from hindbrain.app.tools import Tools
from hindbrain.app.why import why_rule
from hindbrain.core.learning.destinations import diff
from hindbrain.core.model import Actor, Kind, Provenance, State
from hindbrain.core.model.suggestion import Status
from hindbrain.core.skills import Skill, body_of, parse, read, render
from hindbrain.core.value import replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes

DOCUMENT = Skill(
    title="API Endpoint Implementation",
    description="How to implement an API endpoint.",
    prerequisites=("OpenAPI spec exists at .loki/specs/openapi.yaml", "Database schema defined"),
    steps=("Read endpoint spec from openapi.yaml", "Create route handler in src/routes/{resource}.ts", "Run tests"),
    errors=(("Missing return type", "Add `: void` to handler"), ("Schema mismatch", "Regenerate types from spec")),
    criteria=("All contract tests pass", "No TypeScript errors"),
)


def a_task(tools: Tools, session: str, *, fails: bool = False, file: str = "todos") -> None:
    log = Log(session)
    log.add("prompt", detail=f"Add the {file} route")
    log.edited(f"src/routes/{file}.py", "a", f"b {file}")
    log.edited(f"tests/test_{file}.py", "a", f"b {file}")
    if fails:
        log.ran("pytest -q", 1, PYTEST_FAILED)
        log.edited(f"src/routes/{file}.py", "get_event_loop()", "new_event_loop()")
    log.ran("pytest -q", 0, "3 passed in 0.11s")
    log.ran("ruff check src", 0, "All checks passed!")
    log.add("commit", f"abc{session}")
    tools.store.write(lambda tx: tx.apply(Changes(activities=tuple(log.activities))))
    trace("prj-one", session, tools=tools)


def learn(tools: Tools, count: int) -> Any:
    for number in range(count):
        a_task(tools, f"s-{number}", file=f"thing{number}")
    return consolidate("prj-one", tools=tools)


def test_the_example_of_the_document_is_written_and_read_back() -> None:
    # LK-082..LK-086
    text = render(DOCUMENT)
    assert "# Skill: API Endpoint Implementation\n" in text
    assert "## Prerequisites\n- OpenAPI spec exists at" in text
    assert "## Steps\n1. Read endpoint spec from openapi.yaml\n2. Create" in text
    assert "## Common Errors & Fixes\n- Missing return type: Add `: void` to handler\n" in text
    assert "## Exit Criteria\n- All contract tests pass\n" in text
    assert parse(text) == DOCUMENT
    assert read(body_of(DOCUMENT)) == DOCUMENT


def test_a_skill_without_front_matter_is_read_too() -> None:
    text = render(DOCUMENT).split("---\n", 2)[2]
    assert parse(text).steps == DOCUMENT.steps


@pytest.mark.parametrize("title", ["API Endpoint", "--x--", "é", "a" * 200, "Change src/*.py until `x` passes"])
def test_names_follow_the_standard(title: str) -> None:
    name = Skill(title=title).name
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) and len(name) <= 64


def test_three_tasks_that_did_the_same_make_a_candidate_and_two_do_not(tools: Tools) -> None:
    assert learn(tools, 2).skills == ()
    a_task(tools, "s-2", file="thing2")
    consolidate("prj-one", tools=tools)
    (made,) = skills("prj-one", tools=tools)
    assert made.body["steps"] == [
        "Edit `src/routes/*.py`",
        "Edit `tests/test_*.py`",
        "Run `pytest -q`",
        "Run `ruff check src`",
    ]
    assert "candidate" in made.tags and made.trust == 1
    assert parse(made.content).steps == tuple(made.body["steps"])


def test_a_candidate_is_never_told_to_an_agent_until_a_person_approves(tools: Tools) -> None:
    # LK-091, LK-099
    learn(tools, 3)
    (made,) = skills("prj-one", tools=tools)

    def told() -> list[str]:
        ids = inject(Occasion(task_title="change routes until ruff passes"), project="prj-one", tools=tools).memory_ids
        asked = before_task(Upcoming(goal="change src/routes until pytest passes"), project="prj-one", tools=tools)
        return [*ids, *(one.id for one in (*asked.relevant, *asked.avoid, *asked.skills))]

    assert made.id not in told()
    agreed = approve(made.id, by="ed", tools=tools)
    assert agreed.trust == 4 and "candidate" not in agreed.tags
    assert made.id in told()
    assert approve(made.id, by="ed", tools=tools).version == agreed.version


def test_later_episodes_add_errors_and_fixes(tools: Tools, clock: FakeClock) -> None:
    learn(tools, 3)
    (first,) = skills("prj-one", tools=tools)
    assert first.body["common_errors"] == []
    a_task(tools, "s-9", fails=True, file="thing9")
    consolidate("prj-one", tools=tools)
    (second,) = skills("prj-one", tools=tools)
    assert (second.id, second.version) == (first.id, 2)
    ((pair),) = second.body["common_errors"]
    assert "no current event loop" in pair["error"] and "new_event_loop" in pair["fix"]
    assert "no current event loop" in second.content


def test_what_is_added_to_an_approved_skill_waits_for_approval(tools: Tools) -> None:
    learn(tools, 3)
    (made,) = skills("prj-one", tools=tools)
    approve(made.id, tools=tools)
    a_task(tools, "s-9", fails=True, file="thing9")
    consolidate("prj-one", tools=tools)
    (waiting,) = skills("prj-one", tools=tools)
    assert "no current event loop" not in waiting.content
    assert waiting.body["proposed"]["common_errors"]
    assert consolidate("prj-one", tools=tools).skills[0].fate == "known"
    assert "no current event loop" in approve(made.id, tools=tools).content


def test_a_refused_skill_does_not_come_back(tools: Tools) -> None:
    learn(tools, 3)
    (made,) = skills("prj-one", tools=tools)
    assert refuse(made.id, tools=tools).state is State.ARCHIVED
    a_task(tools, "s-9", file="thing9")
    done = consolidate("prj-one", tools=tools)
    assert [one.fate for one in done.skills] == ["known"]
    assert not skills("prj-one", tools=tools)
    with pytest.raises(BadValue):
        approve(made.id, tools=tools)


def test_only_a_skill_can_be_approved(tools: Tools) -> None:
    a_task(tools, "s-0")
    from hindbrain.app.episodes import latest

    (episode,) = latest("prj-one", store=tools.store)
    with pytest.raises(BadValue):
        approve(episode.id, tools=tools)


@pytest.fixture
def desk(tools: Tools) -> Tools:
    return replace(tools, pages=LocalPages())


def test_an_approved_skill_can_be_called_by_its_name_and_taken_back(desk: Tools, tmp_path: Path) -> None:
    # HB-138, HB-111
    learn(desk, 3)
    (made,) = skills("prj-one", tools=desk)
    assert not (tmp_path / "app").exists()

    approved = promote(made.id, root=str(tmp_path / "app"), by="ed", tools=desk)

    rule = approved.rule
    assert rule and rule.status is Status.APPLIED and rule.decided_by == "ed" and approved.reason == ""
    page = tmp_path / "app" / ".claude" / "skills" / rule.name / "SKILL.md"
    front, _, body = page.read_text().removeprefix("---\n").partition("---\n")
    assert f"name: {rule.name}\n" in front and "description: " in front and page.parent.name == rule.name
    assert parse(page.read_text()).steps == tuple(made.body["steps"]) and "Run `pytest -q`" in body
    assert [entry.action for entry in desk.store.audits()] == ["apply"] and audit(desk).fault is None
    walk = why_rule(rule, store=desk.store)
    assert walk.scar and walk.scar.memory.id == made.id, "the walk leads back to the skill"
    undo(rule.id, project="prj-one", tools=desk)
    assert not page.exists() and not (tmp_path / "app" / ".claude").exists()


def test_approving_twice_is_approving_once(desk: Tools, tmp_path: Path) -> None:
    learn(desk, 3)
    (made,) = skills("prj-one", tools=desk)
    first, second = (promote(made.id, root=str(tmp_path), tools=desk) for _ in range(2))
    assert first.rule == second.rule and len(desk.store.audits()) == 1


def test_a_better_skill_replaces_its_file_unless_a_person_has_changed_it(desk: Tools, tmp_path: Path) -> None:
    learn(desk, 3)
    (made,) = skills("prj-one", tools=desk)
    first = promote(made.id, root=str(tmp_path), tools=desk).rule
    assert first
    page = tmp_path / first.edits[0].path
    old = page.read_bytes()
    a_task(desk, "s-9", fails=True, file="thing9")
    consolidate("prj-one", tools=desk)
    assert page.read_bytes() == old, "what was added waits"
    second = promote(made.id, root=str(tmp_path), tools=desk).rule
    assert second and second.is_standing and "no current event loop" in page.read_text()
    undo(second.id, project="prj-one", tools=desk)
    assert page.read_bytes() == old

    page.write_bytes(old + b"My own words.\n")
    third = promote(made.id, root=str(tmp_path), tools=desk)
    assert third.rule and third.rule.status is Status.PENDING and "by hand" in third.reason
    assert page.read_bytes() == old + b"My own words.\n"
    assert "-My own words." in diff(third.rule.edits)


def test_a_project_without_a_folder_has_its_skill_told_and_not_written(desk: Tools) -> None:
    learn(desk, 3)
    (made,) = skills("prj-one", tools=desk)
    approved = promote(made.id, root="", tools=desk)
    assert approved.rule is None and "name only" in approved.reason and approved.memory.trust == 4


def test_a_proposal_from_patterns_is_approved_the_same_way(desk: Tools, tmp_path: Path) -> None:  # HB-138, HB-136
    turns = (
        a_memory(
            f"turn {n}",
            id=f"mem-t{n}",
            kind=Kind.ITERATION,
            body={"thought": "x", "action": "regenerate the client from schema", "observation": "well"},
            provenance=Provenance(actor=Actor(), task=f"t-{n}"),
        )
        for n in range(3)
    )
    keep(desk.store, *turns)
    (made,) = propose(desk)
    assert desk.store.reviews("prj-one")
    approved = promote(made.id, root=str(tmp_path), by="ed", tools=desk)
    assert approved.rule and approved.rule.is_standing and approved.memory.state is State.LIVE
    assert desk.store.reviews("prj-one") == [], "nobody is asked about it any more"
    assert parse((tmp_path / approved.rule.edits[0].path).read_text()).steps == ("regenerate the client from schema",)
    assert propose(desk) == ()
