"""The seeds' own acceptance lists, as far as the walk goes, through the public API."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import hindbrain
from hindbrain.core.model import Verdict
from hindbrain.facade import Hindbrain


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hindbrain:
    monkeypatch.setenv("HINDBRAIN_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HINDBRAIN_STORE", raising=False)
    project = tmp_path / "app"
    project.mkdir()
    monkeypatch.chdir(project)
    return hindbrain.open()


# DX-177 DX-178
def test_signals_of_all_eight_types_are_stored_in_the_database(memory: Hindbrain, tmp_path: Path) -> None:
    types = ["architecture", "dependency", "decision", "constraint", "pattern", "convention", "pitfall", "fix"]
    text = "\n".join(f"note: MEMORY:{name}:what {name} means for module{n} here" for n, name in enumerate(types))
    assert [r.verdict for r in memory.capture(text, session="s1").receipts] == [Verdict.STORED] * 8
    db = apsw.Connection(str(tmp_path / "home" / "hindbrain.db"), flags=apsw.SQLITE_OPEN_READONLY)
    assert {row[0] for row in db.execute("SELECT type FROM memories")} == set(types)
    db.close()


# DX-009 DX-180
def test_the_score_of_dex_weighs_hat_path_and_confidence(memory: Hindbrain) -> None:
    memory.capture("MEMORY:fix:Restart the worker after a deploy in src/worker.py", session="s1", hat="creator")

    def score(**context: object) -> float:
        found = memory.recall("", strategy="dex", **context)  # type: ignore[arg-type]
        return float(found.memories[0].score) if found.memories else 0.0

    assert score() == 0.0  # the base alone is under the threshold (G-3)
    assert score(hat="creator") == pytest.approx(0.37)
    assert score(hat="creator", paths=["src/worker.py"]) == pytest.approx(0.67)
    assert score(hat="planner") == 0.0 and score(paths=["src/worker.py"]) == pytest.approx(0.42)


def test_search_goes_by_date(memory: Hindbrain) -> None:  # DX-171 DX-182
    memory.add("The session table is wide")
    now = datetime.now(UTC)
    assert memory.list(containing="SESSION", after=now - timedelta(days=1), before=now + timedelta(days=1))
    assert not memory.list(containing="session", after=now + timedelta(days=1))
    assert not memory.list(containing="session", before=now - timedelta(days=1))


def test_use_is_counted_and_convinces(memory: Hindbrain) -> None:  # DX-183 DX-184
    memory.capture("MEMORY:fix:Restart the worker", session="s1")
    memory.inject(session="s2", task_title="worker")
    (kept,) = memory.list()
    assert kept.counters.injected == 1 and kept.last_used_at is not None
    assert kept.confidence == pytest.approx(0.62)


def test_what_is_stored_after_the_prompt_waits_for_the_next_one(memory: Hindbrain) -> None:  # CH-121 X-16
    first = memory.inject(persona="ed", format="chorus", task_title="t").text
    memory.capture("<chorus>LEARNING_GLOBAL:All APIs need rate limiting</chorus>", session="s1")
    second = memory.inject(persona="ed", format="chorus", task_title="t").text
    assert "rate limiting" not in first and "rate limiting" in second


def test_one_comment_is_one_memory_with_no_extra_step(memory: Hindbrain) -> None:  # BD-001 BD-060
    command = {"type": "tool_use", "id": "t1", "name": "Bash"}
    command["input"] = {"command": 'cd x && bd comment BD-1 "LEARNED: Menus close on activate" && bd close BD-1'}  # type: ignore[assignment]
    record = {"type": "assistant", "cwd": "/p/.worktrees/bd-1", "message": {"content": [command]}}
    (receipt,) = memory.capture(json.dumps(record), format="claude", session="s1").receipts
    kept = memory.show(str(receipt.memory_id))
    assert (kept.content, kept.type, kept.provenance.task) == ("Menus close on activate", "learned", "BD-1")
    assert kept.body == {"beads_source": "supervisor"}
    assert memory.recall("menus").memories


# X-07 X-08 X-11 X-29 X-36 X-40
def test_every_facet_is_a_field_of_its_own(memory: Hindbrain) -> None:
    text = "MEMORY:pitfall:All endpoints cache the error of batch 7 in api/cache.py"
    (receipt,) = memory.capture(
        text, session="s", task="42", persona="ed", hat="critic", instance="ed-001", origin="x.txt"
    ).receipts
    record = memory.show(str(receipt.memory_id))
    origin = record.provenance
    assert (str(record.kind), record.type, record.category) == ("lesson", "pitfall", "API Design")
    assert (origin.actor.persona, origin.actor.hat, origin.actor.instance) == ("ed", "critic", "ed-001")
    assert (origin.session, origin.task, str(origin.actor.type)) == ("s", "42", "agent")
    assert (record.confidence, record.importance, record.counters.evidence) == (0.6, 5, 1)
    assert record.created_at.tzinfo is UTC and record.created_at.microsecond % 1000 == 0


def test_superseded_memories_leave_prompts_and_stay_in_history(memory: Hindbrain) -> None:
    memory.capture("MEMORY:decision:Use Memcached for caching", session="s1")
    memory.capture("MEMORY:decision:Use Redis for caching", session="s2")
    assert "Memcached" not in memory.inject(session="s3", task_title="caching").text
    assert {m.content for m in memory.list(with_all=True)} == {"Use Memcached for caching", "Use Redis for caching"}


def test_a_repository_stays_as_it_is(memory: Hindbrain) -> None:  # DX-014 X-04
    memory.capture("MEMORY:fix:Restart the worker", session="s1")
    memory.inject(session="s2", task_title="worker", format="chorus")
    assert not list(Path.cwd().iterdir())


def test_no_network_and_no_model_is_needed(tmp_path: Path) -> None:  # BD-060 X-14
    """In a process in which every socket is an error."""
    code = (
        "import socket, sys\n"
        "def no(*a, **k): raise AssertionError('a socket')\n"
        "socket.socket = no\n"
        "import hindbrain\n"
        "m = hindbrain.open(sys.argv[1], project='p')\n"
        "m.capture('MEMORY:fix:Restart the worker', session='s1')\n"
        "print(len(m.recall('worker')), len(m.inject(session='s2', task_title='worker').memory_ids))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "h.db")], capture_output=True, text=True, env=dict(os.environ)
    )
    assert run.stdout == "1 1\n", run.stderr
