"""Loki's folder `.loki/memory`: everything in it is read, counted once and written again as it was."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from building import NOW, FakeClock, a_memory, keep

from hindbrain.adapters import tree as folders
from hindbrain.adapters.dictionary import DictStore
from hindbrain.app.adopt import Adopted, adopt
from hindbrain.app.hand_out import hand_out
from hindbrain.app.show import show
from hindbrain.app.tools import Tools
from hindbrain.core.model import Kind, Memory, Relation, State
from hindbrain.core.model.foreign import Fate, Reading, View
from hindbrain.core.model.paper import Sort
from hindbrain.core.value import replace
from hindbrain.dialects import dialect
from hindbrain.dialects.loki.skill import parsed, rendered
from hindbrain.ports import Store, Where

PROJECT = "prj-one"
SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "samples" / "loki"
EVERY = Where(project=PROJECT, states=frozenset(State))
TOP = ".loki/memory"

EPISODE: dict[str, Any] = {
    "id": "ep-2026-01-06-001",
    "task_id": "task-042",
    "timestamp": "2026-01-06T10:30:00Z",
    "duration_seconds": 342,
    "agent": "eng-001-backend",
    "context": {
        "phase": "development",
        "goal": "Implement POST /api/todos endpoint",
        "constraints": ["No third-party deps", "< 200ms response"],
        "files_involved": ["src/routes/todos.ts", "src/db/todos.ts"],
    },
    "action_log": [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 120, "action": "run_test", "result": "fail", "error": "missing return type"},
        {"t": 180, "action": "run_test", "result": "pass"},
    ],
    "outcome": "success",
    "errors_encountered": [
        {
            "type": "TypeScript compilation",
            "message": "Missing return type annotation",
            "resolution": "Added explicit :void to route handler",
        }
    ],
    "artifacts_produced": ["src/routes/todos.ts", "tests/todos.test.ts"],
    "git_commit": "abc123",
}
PATTERN: dict[str, Any] = {
    "id": "sem-001",
    "pattern": "Express route handlers require explicit return types in strict mode",
    "category": "typescript",
    "conditions": ["Using TypeScript strict mode", "Writing Express route handlers"],
    "correct_approach": "Add `: void` to handler signature: `(req, res): void =>`",
    "incorrect_approach": "Omitting return type annotation",
    "confidence": 0.95,
    "source_episodes": ["ep-2026-01-06-001", "ep-2026-01-05-012"],
    "usage_count": 8,
    "last_used": "2026-01-06T14:00:00Z",
    "links": [
        {"to": "sem-005", "relation": "related_to", "strength": 0.35},
        {"to": "sem-012", "relation": "supersedes"},
    ],
}
SKILL = """# Skill: API Endpoint Implementation

## Prerequisites
- OpenAPI spec exists at .loki/specs/openapi.yaml
- Database schema defined

## Steps
1. Read endpoint spec from openapi.yaml
2. Create route handler in src/routes/{resource}.ts

## Common Errors & Fixes
- Missing return type: Add `: void` to handler
- Schema mismatch: Regenerate types from spec

## Exit Criteria
- All contract tests pass
"""
LEDGER = {
    "agent_id": "eng-001-backend",
    "last_checkpoint": "2026-01-06T10:00:00Z",
    "tasks_completed": 12,
    "current_task": "task-042",
    "state": {"files_modified": ["src/routes/todos.ts"], "uncommitted_changes": True, "last_git_commit": "abc123"},
    "context": {"tech_stack": ["express"], "patterns_learned": ["sem-001"], "current_goal": "Implement CRUD for todos"},
}
HANDOFF = {
    "id": "handoff-001",
    "from_agent": "eng-001-backend",
    "to_agent": "qa-001-testing",
    "timestamp": "2026-01-06T11:00:00Z",
    "context": {
        "what_was_done": "Implemented POST /api/todos endpoint",
        "artifacts": ["src/routes/todos.ts"],
        "git_state": "commit abc123",
        "needs_testing": ["unit tests for validation", "contract tests"],
        "known_issues": [],
        "relevant_patterns": ["sem-001"],
    },
}


def pattern(name: str, said: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "pattern": said, **more}


def folder(**changed: Any) -> dict[str, bytes]:
    """The folder of the document, with one of everything."""
    files: dict[str, Any] = {
        "episodic/2026-01-06/task-001.json": EPISODE,
        "semantic/patterns.json": {
            "patterns": [
                PATTERN,
                pattern("sem-005", "Validate request bodies against the published schema"),
                pattern("sem-012", "Jest snapshots drift whenever locale settings differ between machines"),
            ]
        },
        "semantic/anti-patterns.json": {
            "anti_patterns": [
                {
                    "what_fails": "TypeScript compilation",
                    "why": "Missing return type annotation",
                    "prevention": "Added explicit :void to route handler",
                    "source": "ep-2026-01-06-001",
                }
            ]
        },
        "semantic/facts.json": {"facts": [{"id": "fact-7", "fact": "Billing listens on port 8081", "seen": 3}]},
        "semantic/links.json": {"links": [{"from": "sem-005", "to": "sem-001", "relation": "elaborates"}]},
        "learnings/2026-01-06.json": [
            {
                "what_failed": "Deploy from main",
                "why": "main was red",
                "prevent": "Deploy tags only",
                "ts": "2026-01-06T09:00:00Z",
                "agent": "ops-001",
            }
        ],
        "ledgers/eng-001-backend.json": LEDGER,
        "handoffs/handoff-001.json": HANDOFF,
        "episodic/index.json": {"episodes": []},
    }
    tree = {f"{TOP}/{path}": json.dumps(value).encode() for path, value in (files | changed).items()}
    return tree | {f"{TOP}/skills/api-implementation.md": SKILL.encode()}


def read(tree: dict[str, bytes]) -> Reading:
    return dialect("loki").read(tree)  # type: ignore[no-any-return]


def adopted(tree: dict[str, bytes], tools: Tools) -> Adopted:
    return adopt(tree, dialect=dialect("loki"), project=PROJECT, tools=tools)


def handed_out(tools: Tools) -> dict[str, bytes]:
    return dict(hand_out(dialect=dialect("loki"), project=PROJECT, name="one", tools=tools, present={}))


def elsewhere(tools: Tools) -> Tools:
    """Another store, on another day."""
    store = DictStore()
    store.adopt(["name:one"], name="one", project_id=PROJECT, at=NOW)
    clock = FakeClock(tools.clock.now())
    clock.forward(days=3)
    return replace(tools, store=store, clock=clock)


def by_name(store: Store, name: str) -> Memory:
    return show(name, store=store, project=PROJECT)


def test_an_episode_keeps_every_field(store: Store, tools: Tools) -> None:  # LK-003, LK-007, LK-022..041
    adopted(folder(), tools)
    written = json.loads(handed_out(tools)[f"{TOP}/episodic/2026-01-06/task-001.json"])

    assert {name: written[name] for name in EPISODE} == EPISODE
    memory = by_name(store, "ep-2026-01-06-001")
    assert memory.kind is Kind.EPISODE and memory.provenance.task == "task-042"
    assert memory.content.startswith("Implement POST /api/todos endpoint: success\n")
    assert "Fixed by: Added explicit :void" in memory.content and "run_test: missing return type" in memory.content


def test_a_pattern_keeps_every_field(store: Store, tools: Tools) -> None:  # LK-009, LK-043..054, LK-080
    adopted(folder(), tools)
    found = json.loads(handed_out(tools)[f"{TOP}/semantic/patterns.json"])["patterns"]

    written = next(one for one in found if one["id"] == "sem-001")
    assert {name: written[name] for name in PATTERN} == PATTERN
    memory = by_name(store, "sem-001")
    assert memory.kind is Kind.PATTERN and memory.confidence == 0.7 and memory.counters.injected == 8
    assert "Do: Add `: void`" in memory.content and "Not: Omitting" in memory.content


def test_links_of_both_places_meet_in_one_table(store: Store, tools: Tools) -> None:  # LK-012, LK-073..081, X-26, X-27
    adopted(folder(), tools)
    one, five, twelve = (by_name(store, name) for name in ("sem-001", "sem-005", "sem-012"))
    episode = by_name(store, "ep-2026-01-06-001")
    found = {(link.source, link.relation, link.target) for link in store.links(one.id)}

    assert (five.id, Relation.ELABORATES, one.id) in found and (one.id, Relation.RELATED_TO, five.id) in found
    assert (one.id, Relation.DERIVED_FROM, episode.id) in found
    assert twelve.superseded_by == one.id
    tree = handed_out(tools)
    links = json.loads(tree[f"{TOP}/semantic/links.json"])["links"]
    assert {"from": "sem-005", "to": "sem-001", "relation": "elaborates"} in links
    patterns = json.loads(tree[f"{TOP}/semantic/patterns.json"])["patterns"]
    assert {"to": "sem-001", "relation": "elaborates"} in next(p for p in patterns if p["id"] == "sem-005")["links"]


@pytest.mark.parametrize("relation", list(Relation))
def test_every_relation_comes_back(store: Store, tools: Tools, relation: Relation) -> None:  # LK-073..079
    two = [pattern("sem-1", "Retry uploads with jitter"), pattern("sem-2", "Cache manifests for an hour")]
    two[0]["links"] = [{"to": "sem-2", "relation": str(relation)}, {"to": "sem-2", "relation": "likes"}]
    adopted({"semantic/patterns.json": json.dumps({"patterns": two}).encode()}, tools)
    assert relation in {link.relation for link in store.links(by_name(store, "sem-1").id)}
    assert by_name(store, "sem-1").superseded_by is None or relation is Relation.SUPERSEDED_BY


def test_errors_and_learnings_become_anti_patterns(store: Store, tools: Tools) -> None:  # LK-010, LK-018, Q-18
    adopted(folder(), tools)
    found = sorted(memory.content for memory in store.select(replace(EVERY, kinds=(Kind.ANTI_PATTERN,))))
    assert found == [
        "Deploy from main: main was red\nInstead: Deploy tags only",
        "TypeScript compilation: Missing return type annotation\nInstead: Added explicit :void to route handler",
    ]
    (learning,) = json.loads(handed_out(tools)[f"{TOP}/learnings/2026-01-06.json"])
    wanted = {"what_failed": "Deploy from main", "why": "main was red", "prevent": "Deploy tags only"}
    assert {name: learning[name] for name in wanted} == wanted
    assert (learning["ts"], learning["agent"]) == ("2026-01-06T09:00:00Z", "ops-001")


def test_facts_stand_in_their_own_file_with_all_their_fields(tools: Tools) -> None:  # LK-011
    adopted(folder(), tools)
    (fact,) = json.loads(handed_out(tools)[f"{TOP}/semantic/facts.json"])["facts"]
    assert (fact["id"], fact["fact"], fact["seen"]) == ("fact-7", "Billing listens on port 8081", 3)


def test_a_skill_is_read_in_its_parts_and_written_the_same() -> None:  # LK-005, LK-013..015, LK-082..086
    body = parsed(SKILL, name="api-implementation")
    assert body["name"] == "API Endpoint Implementation" and len(body["steps"]) == 2
    assert body["common_errors"][0] == {"error": "Missing return type", "fix": "Add `: void` to handler"}
    assert body["exit_criteria"] == ["All contract tests pass"] and len(body["prerequisites"]) == 2
    assert rendered(body["name"], body, description="") == SKILL


def test_ledgers_and_handoffs_are_papers(store: Store, tools: Tools) -> None:  # LK-016, LK-017, LK-100..120
    assert adopted(folder(), tools).papers == 2
    (ledger,) = store.papers(PROJECT, sort=Sort.LEDGER)
    (handoff,) = store.papers(PROJECT, sort=Sort.HANDOFF, to="qa-001-testing")
    assert ledger.agent == "eng-001-backend" and ledger.data == LEDGER
    assert handoff.agent == "eng-001-backend" and handoff.data == HANDOFF
    tree = handed_out(tools)
    assert json.loads(tree[f"{TOP}/ledgers/eng-001-backend.json"]) == LEDGER
    assert json.loads(tree[f"{TOP}/handoffs/handoff-001.json"]) == HANDOFF
    assert adopted(folder(), tools).papers == 0


def test_the_index_names_every_memory_and_its_file(tools: Tools) -> None:  # LK-008
    adopted(folder(), tools)
    tree = handed_out(tools)
    (episode,) = json.loads(tree[f"{TOP}/episodic/index.json"])["episodes"]
    assert episode["path"] == "episodic/2026-01-06/task-001.json" and episode["outcome"] == "success"
    topics = json.loads(tree[f"{TOP}/index.json"])["topics"]
    assert len(topics) == 8 and {f"{TOP}/{topic['path']}" for topic in topics} <= set(tree)


def test_a_round_trip_gives_the_same_bytes(tools: Tools) -> None:
    adopted(folder(), tools)
    first = handed_out(tools)
    other = elsewhere(tools)
    adopted(first, other)
    assert handed_out(other) == first
    assert handed_out(tools) == first


def test_reading_our_own_files_again_changes_nothing(store: Store, tools: Tools) -> None:
    keep(store, a_memory("Use tabs in Makefiles", type="convention"), a_memory("Port moved", kind=Kind.EPISODE))
    adopted(folder(), tools)
    first, before = handed_out(tools), store.select(EVERY)
    again = adopted(first, tools)
    assert (again.created, again.changed) == (0, 0)
    assert store.select(EVERY) == before and handed_out(tools) == first


EPISODE_FILE = f"{TOP}/episodic/2026-01-06/task-001.json"


@pytest.mark.parametrize(
    "changed",
    [
        {"outcome": "failure", "git_commit": "def456"},
        {"context": EPISODE["context"] | {"goal": "Implement POST /api/todos with paging"}},
        {"duration_seconds": 400},  # nothing that its prose tells
    ],
)
def test_an_episode_that_was_changed_upstream_becomes_a_version_of_itself(
    store: Store, tools: Tools, changed: dict[str, Any]
) -> None:
    adopted({EPISODE_FILE: json.dumps(EPISODE).encode()}, tools)
    before = by_name(store, "ep-2026-01-06-001")
    newer = {EPISODE_FILE: json.dumps(EPISODE | changed).encode()}
    report = adopted(newer, tools)

    assert (report.created, report.changed) == (0, 1)
    (after,) = store.select(EVERY)
    assert (after.id, after.version) == (before.id, 2)
    assert {name: after.body[name] for name in changed} == changed
    assert [version.memory.content for version in store.history(before.id)] == [before.content, after.content]
    assert {name: json.loads(handed_out(tools)[EPISODE_FILE])[name] for name in changed} == changed
    again = adopted(newer, tools)
    assert (again.created, again.changed) == (0, 0) and store.select(EVERY) == [after]


SEMANTIC_FILE = f"{TOP}/semantic/patterns.json"


@pytest.mark.parametrize(
    "changed",
    [
        {"source_episodes": ["ep-2026-01-06-001", "ep-2026-01-05-012", "ep-2026-01-07-003"]},  # not told by its prose
        {"correct_approach": "Add `: void` or `: Promise<void>` to the handler signature"},
        {"applies_to": "express 5"},
    ],
)
def test_a_pattern_that_was_changed_upstream_becomes_a_version_of_itself(
    store: Store, tools: Tools, changed: dict[str, Any]
) -> None:
    adopted({SEMANTIC_FILE: json.dumps([PATTERN]).encode()}, tools)
    (before,) = store.select(EVERY)
    newer = {SEMANTIC_FILE: json.dumps([PATTERN | changed]).encode()}
    report = adopted(newer, tools)

    assert (report.created, report.changed) == (0, 1)
    (after,) = store.select(EVERY)
    assert (after.id, after.version) == (before.id, 2)
    assert {name: after.body[name] for name in changed} == changed
    again = adopted(newer, tools)
    assert (again.created, again.changed) == (0, 0) and store.select(EVERY) == [after]


def test_a_link_that_was_added_upstream_is_there_and_the_pattern_stays_as_it_is(store: Store, tools: Tools) -> None:
    other = {"id": "sem-005", "pattern": "Handlers are tested through the router", "confidence": 0.9}
    alone = PATTERN | {"links": []}
    adopted({SEMANTIC_FILE: json.dumps([alone, other]).encode()}, tools)
    before = store.select(EVERY)
    report = adopted({SEMANTIC_FILE: json.dumps([PATTERN, other]).encode()}, tools)

    assert (report.created, report.changed) == (0, 0) and store.select(EVERY) == before
    (first, second) = (by_name(store, name) for name in ("sem-001", "sem-005"))
    assert [(link.target, str(link.relation)) for link in store.links(first.id)] == [(second.id, "related_to")]


def test_another_pattern_under_the_same_name_stays_another_memory(store: Store, tools: Tools) -> None:
    adopted({SEMANTIC_FILE: json.dumps([PATTERN]).encode()}, tools)
    other = {"id": PATTERN["id"], "pattern": "Database migrations run in one transaction", "confidence": 0.8}
    assert adopted({SEMANTIC_FILE: json.dumps([other]).encode()}, tools).created == 1
    assert len(store.select(EVERY)) == 2


def test_another_event_under_the_same_name_stays_another_memory(store: Store, tools: Tools) -> None:
    adopted({EPISODE_FILE: json.dumps(EPISODE).encode()}, tools)
    other = EPISODE | {"task_id": "task-7", "timestamp": "2026-01-06T18:00:00Z", "outcome": "failure"}
    assert adopted({EPISODE_FILE: json.dumps(other).encode()}, tools).created == 1
    assert len(store.select(EVERY)) == 2


def test_what_a_person_vouched_for_is_not_overwritten_from_upstream(store: Store, tools: Tools) -> None:
    adopted({EPISODE_FILE: json.dumps(EPISODE).encode()}, tools)
    known = by_name(store, "ep-2026-01-06-001")
    keep(store, replace(known, trust=4, version=2))
    adopted({EPISODE_FILE: json.dumps(EPISODE | {"outcome": "failure"}).encode()}, tools)
    assert len(store.select(EVERY)) == 2 and store.memory(known.id) == replace(known, trust=4, version=2)


def test_memories_that_were_born_here_survive_the_way_there_and_back(store: Store, tools: Tools) -> None:
    keep(
        store,
        a_memory("Makefiles want tabs", type="convention", tags=("make",), importance=8, persona="ed"),
        a_memory("Redis sessions expire after half an hour", kind=Kind.FACT, type="dependency", title="Expiry"),
        a_memory("Split the invoice job; it ran fine", kind=Kind.EPISODE, body={"outcome": "success"}),
        a_memory("Retry with jitter\nDo: sleep random\nDo: log it", kind=Kind.PATTERN),
        a_memory("Ship a release", kind=Kind.SKILL, body={"name": "Release", "steps": ["tag it", "push it"]}),
        a_memory("rm without a trailing slash: links vanish\nInstead: name the link", kind=Kind.ANTI_PATTERN),
        a_memory("Old way of doing invoices", archived_at=NOW, archive_reason="deleted"),
        a_memory("It hurt", kind=Kind.SCAR),
    )
    first = handed_out(tools)
    other = elsewhere(tools)
    report = adopted(first, other)

    assert report.count(Fate.REJECTED) == 0
    assert handed_out(other) == first
    lesson = by_name(other.store, _name_of("Makefiles want tabs", first))
    assert (lesson.kind, lesson.type, lesson.tags, lesson.importance, lesson.persona) == (
        Kind.LESSON,
        "convention",
        ("make",),
        8,
        "ed",
    )
    assert f"{TOP}/skills/release.md" in first and f"{TOP}/archive/semantic/facts.json" in first
    assert not any(b"It hurt" in content for content in first.values())


def _name_of(fact: str, tree: dict[str, bytes]) -> str:
    facts = json.loads(tree[f"{TOP}/semantic/facts.json"])["facts"]
    return str(next(one["id"] for one in facts if one["fact"] == fact))


def test_a_name_once_given_never_changes(store: Store, tools: Tools) -> None:  # LK-022, LK-043, LK-133
    first = a_memory("Retry uploads with jitter", kind=Kind.PATTERN)
    keep(store, first)
    handed_out(tools)
    old = replace(first, id="mem-0", content="Older", learned_at=NOW.replace(year=2020))
    keep(store, old, a_memory("Anything", kind=Kind.EPISODE, at=NOW))
    names = [one["id"] for one in json.loads(handed_out(tools)[f"{TOP}/semantic/patterns.json"])["patterns"]]
    assert names == ["sem-002", "sem-001"]
    assert by_name(store, "sem-001").id == first.id
    assert f"{TOP}/episodic/2026-01-10/task-001.json" in handed_out(tools)


def test_two_memories_with_one_foreign_name_are_both_written(store: Store, tools: Tools) -> None:
    keep(store, a_memory("Retry uploads with jitter", kind=Kind.PATTERN))
    handed_out(tools)
    adopted(
        {"patterns.json": json.dumps({"patterns": [pattern("sem-001", "Manifests are cached hourly")]}).encode()}, tools
    )
    found = json.loads(handed_out(tools)[f"{TOP}/semantic/patterns.json"])["patterns"]
    assert sorted(one["id"] for one in found) == ["sem-001", "sem-002"]


def test_an_edited_pattern_is_written_as_it_says_now() -> None:
    body = {"correct_approach": "old", "extra": {"x": 1}}
    memory = a_memory("Use B\nDo: import b", kind=Kind.PATTERN, body=body)
    tree = dialect("loki").write(View(project="one", memories=[memory], links=[], at=NOW))
    (written,) = json.loads(tree[f"{TOP}/semantic/patterns.json"])["patterns"]
    assert (written["pattern"], written["correct_approach"], written["extra"]) == ("Use B", "import b", {"x": 1})


def test_fields_of_the_wrong_type_are_reported_and_come_back(store: Store, tools: Tools) -> None:
    odd = EPISODE | {"git_commit": None, "errors_encountered": ["it broke"], "duration_seconds": "long", "tags": "x"}
    report = adopted(folder(**{"episodic/2026-01-06/task-001.json": odd}), tools)
    item = next(item for item in report.items if item.where.endswith("task-001.json"))
    assert item.fate is Fate.REPAIRED and "duration_seconds must be a number" in item.reason
    written = json.loads(handed_out(tools)[f"{TOP}/episodic/2026-01-06/task-001.json"])
    assert {name: written[name] for name in odd if name != "tags"} == {k: v for k, v in odd.items() if k != "tags"}
    assert "it broke" in by_name(store, "ep-2026-01-06-001").content


FIGURES = {
    "efficiency/iteration-1": {"iteration": 1, "duration_ms": 438000, "timestamp": "2026-01-06T06:37:41Z", "cost": 1.5},
    "rewards/outcomes": [{"task": "t1", "reward": 0.5}],
    "dashboard": {"window_days": 7, "tasks": 40},
}


def test_figures_that_loki_counted_come_back_as_they_were(tools: Tools) -> None:  # LK-019, LK-020, LK-021
    theirs = {f".loki/metrics/{place}.json": json.dumps(said).encode() for place, said in FIGURES.items()}
    report = adopted(folder() | theirs, tools)
    assert {item.where for item in report.items if item.fate is Fate.READ} >= set(theirs)
    present = dict(hand_out(dialect=dialect("loki"), project=PROJECT, name="one", tools=tools, present=theirs))
    assert {path: present[path] for path in theirs} == theirs  # not even laid out anew
    written = handed_out(tools)
    assert {place: json.loads(written[f".loki/metrics/{place}.json"]) for place in FIGURES} == FIGURES
    assert ".loki/metrics/dashboard-hindbrain.json" in written  # ours stands beside theirs
    other = elsewhere(tools)
    adopted(written, other)
    assert handed_out(other) == written
    board = ".loki/metrics/dashboard.json"
    adopted({board: b'{"window_days": 7, "tasks": 41}'}, tools)
    assert json.loads(handed_out(tools)[board])["tasks"] == 41


def test_tasks_leave_figures_and_memory_works_without_them(tools: Tools) -> None:  # LK-019, LK-020, LK-021
    failed = {"t": 5, "action": "run_test", "target": "npm test", "result": "fail", "error": "red"}
    log = [failed, failed, failed | {"result": "pass", "error": ""}, {"t": 9, "action": "run_test", "result": "pass"}]
    late = EPISODE | {
        "id": "ep-2026-01-20-001",
        "task_id": "t-2",
        "timestamp": "2026-01-20T10:00:00Z",
        "outcome": "failure",
    }
    files = {"a.json": EPISODE | {"action_log": log}, "b.json": late}
    adopted({f"{TOP}/episodic/2026-01-06/{name}": json.dumps(one).encode() for name, one in files.items()}, tools)
    tree = handed_out(tools)

    (cost,) = json.loads(tree[".loki/metrics/efficiency/2026-01-06.json"])["tasks"]
    assert (cost["task_id"], cost["duration_seconds"], cost["agents"]) == ("task-042", 342, ["eng-001-backend"])
    assert cost["retries"] == 2
    (reward,) = json.loads(tree[".loki/metrics/rewards/2026-01-06.json"])["signals"]
    assert (reward["outcome"], reward["efficiency"]) == (1.0, 0.333)
    assert reward["preference"] == EPISODE["context"]["constraints"]
    week = json.loads(tree[".loki/metrics/dashboard.json"])
    assert (week["tasks"], week["outcomes"]) == (1, {"failure": 1})  # the other one is older than seven days
    without = {path: text for path, text in tree.items() if "/metrics/" not in path}
    other = elsewhere(tools)
    adopted(without, other)
    assert handed_out(other) == tree


def test_a_folder_of_metrics_in_the_code_is_none_of_lokis() -> None:
    assert not dialect("loki").wants("src/metrics/table.json") and dialect("loki").wants(".loki/metrics/dashboard.json")


def test_secrets_do_not_pass_in_any_field(store: Store, tools: Tools) -> None:
    secret = "ghp_" + "a8Kd93mVb2Lq7Xz0Rt5Yw1Pn6Sj4Fh3Gc9De"
    loud = EPISODE | {"context": {"goal": f"use {secret}"}, "action_log": [{"t": 1, "error": secret, secret: 1}]}
    handed = HANDOFF | {"context": {"what_was_done": secret, "deep": [{"x": secret}]}}
    files = {"episodic/2026-01-06/task-001.json": loud, "handoffs/handoff-001.json": handed}
    adopted(folder(**files), tools)
    assert not any(secret.encode() in content for content in handed_out(tools).values())


def test_patterns_that_say_nothing_are_rejected() -> None:
    junk = [
        pattern("sem-1", "Pattern for /tmp/a.md tasks (2 instances)", correct_approach=""),
        pattern("sem-2", "Pattern: /tmp/b.md (and 8 similar)"),
        pattern("sem-3", ""),
        pattern("sem-4", "Pattern for retries (2 instances)", correct_approach="Use jitter"),
    ]
    reading = read({"semantic/patterns.json": json.dumps({"patterns": junk}).encode()})
    assert [(str(item.fate), item.reason) for item in reading.items] == [("rejected", "says nothing")] * 3 + [
        ("read", "")
    ]


def test_signals_teach_only_what_they_say() -> None:
    cured = {"type": "error_pattern", "error_type": "E", "error_message": "port taken", "resolution": "free port 80"}
    chosen = {"type": "user_preference", "preference_key": "editor", "preference_value": "vim"}
    tree = {
        ".loki/learning/signals/a.json": cured,
        ".loki/learning/signals/b.json": cured | {"resolution": ""},
        ".loki/learning/signals/c.json": chosen | {"alternatives_rejected": ["nano"]},
        ".loki/learning/signals/d.json": chosen,
        ".loki/learning/signals/e.json": {"type": "tool_efficiency", "tokens_used": 0},
    }
    reading = read({path: json.dumps(value).encode() for path, value in tree.items()})
    assert [told.content for told in reading.told] == [
        "E: port taken\nInstead: free port 80",
        "For editor, use vim, not nano",
    ]
    assert [bool(item.reason) for item in reading.items] == [False, True, False, True, True]


CONTINUITY = """# Mine
## Key Decisions This Session
- Use SQLite, not files
- [mem-1] refers
- None recorded yet
## Mistakes & Learnings
(none yet)
- Never mock the clock
## Mistakes to Avoid (From Learnings)
- Learned long ago
## Next Up
- Write tests
"""


def test_decisions_and_mistakes_of_the_working_memory_become_lessons() -> None:
    reading = read({".loki/CONTINUITY.md": CONTINUITY.encode()})
    assert [(told.content, told.type) for told in reading.told] == [
        ("Use SQLite, not files", "decision"),
        ("Never mock the clock", "pitfall"),
    ]
    assert len({item.where for item in reading.items}) == len(reading.items) == 4


def test_a_lone_document_is_a_handoff_and_one_beside_its_json_is_not_a_second() -> None:
    text = "# Session Handoff - 2026-03-21T06:31:46Z\n\n## Notes\nLook at the lock first\n"
    tree = {
        f"{TOP}/handoffs/a.md": text.encode(),
        f"{TOP}/handoffs/b.md": text.encode(),
        f"{TOP}/handoffs/b.json": b"{}",
    }
    reading = read(tree)
    alone, pair = reading.papers[f"{TOP}/handoffs/a.md"], reading.papers[f"{TOP}/handoffs/b.json"]
    assert alone.data == {"markdown": text} and pair.data == {"notes": "Look at the lock first"}
    assert alone.at.isoformat() == "2026-03-21T06:31:46+00:00" and len(reading.items) == 3


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_the_real_folder_is_read_whole_and_comes_back_the_same(tools: Tools, clock: FakeClock) -> None:
    clock.forward(days=120)
    tree = folders.load(str(SAMPLES / "showtime"), wants=dialect("loki").wants)
    report = adopted(tree, tools)

    assert Counter(str(item.fate) for item in report.items) == {"read": len(tree) - 2 + 1, "rejected": 4}
    assert {item.reason for item in report.items if item.fate is Fate.REJECTED} == {"says nothing"}
    assert report.created == 29 and report.papers == 23  # 22 handoffs and the figures of an iteration
    first = handed_out(tools)
    for path in tree:
        if "/episodic/" in path and not path.endswith("index.json"):
            told = json.loads(tree[path].replace(b"/vishnu/", b"/[personal:user]/"))  # the door does so
            written = json.loads(first[path])
            assert {name: written[name] for name in told} == told
    other = elsewhere(tools)
    adopted(first, other)
    assert handed_out(other) == first
    assert adopted(tree, tools).created == 0


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_lessons_in_a_timeline_are_not_passed_over(store: Store, tools: Tools) -> None:
    report = adopted(folders.load(str(SAMPLES / "popcoating"), wants=dialect("loki").wants), tools)
    assert report.count(Fate.READ) == len(report.items) == 36
    assert store.count(EVERY) >= 34
    other = elsewhere(tools)
    first = handed_out(tools)
    adopted(first, other)
    assert handed_out(other) == first
