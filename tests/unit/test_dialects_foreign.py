"""What mem0, the MCP memory server, Claude Code and people's own rule files tell."""

import pytest
from building import NOW, a_memory

from hindbrain.core.front import split
from hindbrain.core.model.foreign import Fate, Reading, View
from hindbrain.core.model.memory import Kind
from hindbrain.dialects import NAMES, dialect
from hindbrain.errors import BadValue


def read(name: str, path: str, text: str) -> Reading:
    return dialect(name).read({path: text.encode()})  # type: ignore[no-any-return]


def fates(reading: Reading) -> list[str]:
    return [str(item.fate) for item in reading.items]


def test_a_dialect_that_nobody_speaks_is_refused_with_those_that_are_spoken() -> None:
    with pytest.raises(BadValue, match="there is no dialect 'klingon'") as caught:
        dialect("klingon")
    assert "beads" in caught.value.fix


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_dialect_survives_nonsense(name: str) -> None:
    spoken = dialect(name)
    for nonsense in (b"", b"\xff\xfe\x00", b"[" * 5000, b"{" * 5000, b"---\n" * 600, b"null", b'"x"', b"- \n#\n```"):
        tree = {"MEMORY.md": nonsense, "a.json": nonsense, "knowledge.jsonl": nonsense, "CLAUDE.md": nonsense}
        reading = spoken.read(tree)
        assert all(item.fate in tuple(Fate) for item in reading.items)
        assert len({item.where for item in reading.items}) == len(reading.items)


def test_mem0_results_become_memories_with_their_times_and_ids() -> None:
    text = """{"results": [{"id": "a1", "memory": "Deploys run from tags", "created_at": "2026-01-05T10:00:00-08:00",
      "agent_id": "ed-001", "run_id": "r1", "metadata": {"type": "convention"}}, {"id": "a2"}, {"memory": 5}]}"""
    reading = read("mem0", "export.json", text)

    assert fates(reading) == ["read", "rejected", "rejected"]
    told = reading.told[0]
    assert (told.content, told.id, told.type, told.session, told.instance) == (
        "Deploys run from tags",
        "a1",
        "convention",
        "r1",
        "ed-001",
    )
    assert told.learned_at is not None and told.learned_at.isoformat() == "2026-01-05T18:00:00+00:00"


def test_each_observation_of_a_graph_is_a_fact_about_its_thing() -> None:
    lines = [
        '{"type":"entity","name":"billing","entityType":"service","observations":["Port 8081","billing is old"]}',
        '{"type":"relation","from":"billing","to":"ledger","relationType":"depends_on"}',
        '{"type":"entity","name":"empty","observations":[]}',
        "{broken",
    ]
    reading = read("server-memory", "memory.json", "\n".join(lines))

    assert fates(reading) == ["read", "read", "rejected", "rejected"]
    assert [told.content for told in reading.told] == [
        "billing: Port 8081",
        "billing is old",
        "billing depends on ledger",
    ]
    assert {told.kind for told in reading.told} == {Kind.FACT}


CLAUDE = """---
name: use-tags
description: Deploys run from tags
metadata:
  type: project
---
Deploys run from tags, never from main.

**Why:** main is not always green. See [[green-main]].
"""


def test_claudes_own_files_are_read_with_their_kind_and_links() -> None:
    lines = "- [Tags](use-tags.md) — from tags\n- [Gone](gone.md) — was here\n- plain\n"
    reading = dialect("claude").read(
        {"MEMORY.md": lines.encode(), "use-tags.md": CLAUDE.encode(), "x.md": b"---\n---\n"}
    )
    assert fates(reading) == ["read", "repaired", "read", "read", "rejected"]
    assert [told.content for told in reading.told][:2] == ["Gone: was here", "plain"]

    tree = {"memory/use-tags.md": CLAUDE.encode(), "memory/MEMORY.md": b"- [Tags](use-tags.md) - from tags\n"}
    reading = dialect("claude").read(tree)
    assert [told.id for told in reading.told] == ["use-tags"]
    told = reading.told[0]
    assert told.title == "Deploys run from tags" and told.type == "decision"
    assert told.links[0][1] == "green-main"


def test_what_claude_gets_comes_back_as_it_was_and_leaves_foreign_files_alone() -> None:
    memory = a_memory("Deploys run from tags, never from main.\n\nEver.", type="decision")
    present = {
        "MEMORY.md": b"# Mine\n- [Own](own.md) - a hook\n",
        "own.md": b"mine",
        "deploys-run-from-tags.md": b"mine too",
    }
    view = View(project="api", memories=[memory], links=[], at=NOW, present=present)
    tree = dialect("claude").write(view)

    assert not {"own.md"} & set(tree)
    index = tree["MEMORY.md"].decode()
    assert index.startswith("# Mine\n- [Own](own.md) - a hook\n")
    again = dialect("claude").write(
        View(project="api", memories=[memory], links=[], at=NOW, present={**present, **tree})
    )
    assert again == tree
    told = [one for one in dialect("claude").read(tree).told if one.id == memory.id]
    assert [one.content for one in told] == [memory.content] and told[0].type == "decision"


def test_each_point_of_a_rule_file_is_a_rule_with_its_line_and_nothing_fenced_is() -> None:
    points = "- Run the tests\n  before every commit\n* ok\n```\n- an example\n```\n1. Use tabs\n"
    text = f"# Testing\n\nProse is not taken apart.\n\n{points}"
    reading = read("rules", "AGENTS.md", text)

    assert [(told.where, told.content) for told in reading.told] == [
        ("AGENTS.md:5", "Run the tests before every commit"),
        ("AGENTS.md:11", "Use tabs"),
    ]
    assert [item.where for item in reading.items if item.fate is Fate.REJECTED] == ["AGENTS.md:7"]
    assert reading.told[0].tags == ("testing",)


def test_cursors_rules_know_the_files_that_they_are_about() -> None:
    text = (
        "---\ndescription: API\nglobs: src/api/*.ts, src/http/**\nalwaysApply: false\n---\n- Validate input with zod\n"
    )
    reading = dialect("cursor").read({".cursor/rules/api.mdc": text.encode()})

    assert reading.told[0].file_refs == ("src/api/*.ts", "src/http/**")
    assert reading.told[0].where == ".cursor/rules/api.mdc:6"


def test_a_bomb_in_a_head_stays_as_small_as_it_is() -> None:
    bomb = "---\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)) + "---\nbody"
    head, body = split(bomb)
    assert body == "body" and sum(len(str(value)) for value in head.values()) < 5000
