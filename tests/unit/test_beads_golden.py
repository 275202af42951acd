"""Beads' own scripts were run and their answers recorded: ours are the same, but for the faults that are listed."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from building import NOW, FakeChance, FakeClock

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.spool import FileSpool
from hindbrain.app.drain import drain
from hindbrain.app.hand_out import hand_out
from hindbrain.app.handlers import handlers
from hindbrain.app.jobs import run_due
from hindbrain.app.tools import Tools
from hindbrain.dialects import dialect
from hindbrain.dialects.beads_search import USAGE, searched, started
from hindbrain.settings import Settings

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared/samples/beads/golden"

# What ours print instead, and why.
RECALL: dict[str, tuple[str, str]] = {
    "recent_default": ("## Recent Knowledge (7 entries)", "F-26: without a number, the latest ten"),
    "regex": ("No knowledge entries matching 'al.*beta'", "BD-041: a query is literal unless --regex"),
    "matches_field_names": ("No knowledge entries matching 'ts'", "F-26: names of fields are not searched"),
    "corrupt_line": ("[INVES] investigation-k7\n  alpha only", "F-26: a bad line costs only itself"),
    "corrupt_recent": ("## Recent Knowledge (3 entries)\n\n[INVES] investigation-k2", "F-26: likewise"),
    "pretty_spaces_stats": ("Learned:        1\n", "F-26: JSON may have spaces"),
}
STARTED: dict[str, tuple[int, str]] = {
    "older_than_tail20": (5, "F-26: the newest is told wherever its line stands"),
    "corrupt": (2, "F-26: a bad line costs only itself"),
    "all_same_key_last20": (5, "F-26: duplicates are recognised however far back"),
}


def cases(name: str) -> Any:
    path = GOLDEN / f"{name}.6d7ab9e.golden.json"
    if not path.exists():
        pytest.skip("the recorded answers are not beside this project")
    return json.loads(path.read_text("utf-8"))


def lines(entries: Sequence[Any] | None, tail: str = "") -> bytes | None:
    if entries is None:
        return None
    written = [one if isinstance(one, str) else json.dumps(one, separators=(",", ":")) for one in entries]
    return ("".join(f"{line}\n" for line in written) + tail).encode()


# BD-033 BD-034 BD-035 BD-036 BD-037 BD-038 BD-039 BD-040 BD-051 F-26
def test_recall_answers_as_the_script_does_except_where_listed() -> None:
    seen = set()
    for case in cases("recall"):
        ours = searched(case["args"], active=lines(case["entries"]), archive=lines(case["archive"]))
        if case["case"] in RECALL:
            seen.add(case["case"])
            assert RECALL[case["case"]][0] in ours.text and ours.exit_code == 0, case["case"]
            assert (ours.text, ours.exit_code) != (case["stdout"], case["exit"]), f"{case['case']} is no deviation"
        else:
            assert (ours.text, ours.exit_code) == (case["stdout"], case["exit"]), case["case"]
    assert seen == set(RECALL)


# BD-025 BD-026 BD-027 BD-028 BD-029 BD-030 BD-031 BD-032 F-26
def test_a_session_is_told_what_the_script_tells_it_except_where_listed() -> None:
    seen = set()
    for case in cases("session-start"):
        ours = started(lines(case["entries"], case["raw_tail"] or ""))
        if case["case"] in STARTED:
            seen.add(case["case"])
            assert ours.count("\n  [LEARN] ") == STARTED[case["case"]][0], case["case"]
            assert (
                ours != case["knowledge_section"] and ours.splitlines()[0] == case["knowledge_section"].splitlines()[0]
            )
        else:
            assert ours == (case["knowledge_section"] or ""), case["case"]
    assert seen == set(STARTED)


def entry(key: str, content: str, **more: object) -> dict[str, object]:
    fields = {"key": key, "type": "learned", "content": content, "source": "supervisor", "tags": ["learned"]}
    return {**fields, "ts": 1, "bead": "BD-1", **more}


def test_a_pattern_is_one_when_somebody_says_so_and_a_bad_one_is_told() -> None:  # BD-041
    active = lines([entry("learned-a", "alpha [beta")])
    assert "learned-a" in searched(["al.*beta", "--regex"], active=active).text
    assert "learned-a" in searched(["["], active=active).text
    wrong = searched(["[", "--regex"], active=active)
    assert wrong.exit_code == 1 and wrong.text.endswith(USAGE)
    assert searched([], active=active).exit_code == 1  # BD-038


def test_what_was_rotated_away_is_found_with_all_only() -> None:  # BD-037 BD-051
    active, archive = lines([entry("learned-a", "alpha")]), lines([entry("learned-b", "beta")])
    assert "No knowledge entries matching" in searched(["beta"], active=active, archive=archive).text
    assert "learned-b" in searched(["beta", "--all"], active=active, archive=archive).text


# Where what a hook keeps differs from what the script wrote: the texts, and why.
CAPTURED: dict[str, tuple[list[str], str]] = {
    "both_prefixes": (["first part", "second part"], "F-24"),
    "two_learned": (["one.", "two."], "F-24"),
    "chained": (["chained body"], "F-23"),
    "two_comments": (["first entry", "second entry"], "F-23"),
    "multiline": (["line one\nline two\nline three"], "F-23"),
    "escaped_quotes": (['use "quoted" words'], "F-23"),
    "long_slug": ([" ".join(["abcdefghij"] * 12)], "F-23"),
    "trailing_space": (["trailing spaces"], "F-23"),
    "comments_add": (["new syntax of bd"], "BD-012"),
    "extra_flags": (["flag before comment"], "F-24"),
}


def heard(case: Any, folder: Path, tools: Tools) -> list[dict[str, Any]]:
    """The entries after a hook was told of the command, through the spool, the queue and the export."""
    told = case["input"]
    path = folder / f"{case['case']}.jsonl"
    use = {"type": "tool_use", "id": "toolu_1", "name": told["tool_name"], "input": told["tool_input"]}
    message = {"id": "m1", "role": "assistant", "content": [use]}
    line = {"type": "assistant", "uuid": "u1", "sessionId": "s", "cwd": told["cwd"], "message": message}
    path.write_text(json.dumps({**line, "timestamp": "2026-01-10T08:00:00.000Z"}) + "\n", "utf-8")
    spool = FileSpool(folder / f"spool-{case['case']}")
    for event in (
        {**told, "transcript_path": str(path)},
        {**told, "hook_event_name": "Stop", "transcript_path": str(path)},
    ):
        spool.append("claude", json.dumps(event).encode(), at=NOW)
    drain(spool, tools=tools, attempt=attempt)
    run_due(handlers(), tools=tools, attempt=attempt)
    project = tools.store.project_of([f"folder:{told['cwd']}"])
    if project is None:
        return []
    tree = hand_out(dialect=dialect("beads"), project=project.id, name="one", tools=tools, present={})
    return [json.loads(line) for line in tree[".beads/memory/knowledge.jsonl"].splitlines()]


def attempt(run: Callable[[], None]) -> str:
    run()
    return ""


# BD-013 BD-014 BD-016 BD-018 BD-019 BD-022 BD-023 BD-061 F-23 F-24 F-25
def test_a_hook_keeps_what_the_script_wrote_down_except_where_listed(
    tmp_path: Path, clock: FakeClock, chance: FakeChance
) -> None:
    seen = set()
    for case in cases("memory-capture"):
        folder = tmp_path / case["case"]
        folder.mkdir()
        settings = Settings(home=str(folder), store=str(folder / "hindbrain.db"))
        tools = Tools(store=DictStore(), clock=clock, chance=chance, files=LocalFiles(), settings=settings)
        ours = heard(case, folder, tools)
        theirs = case["entries"]
        if case["case"] in CAPTURED:
            seen.add(case["case"])
            assert [one["content"] for one in ours] == CAPTURED[case["case"]][0], case["case"]
            continue
        names = ("key", "type", "content", "source", "bead")
        assert [[one[name] for name in names] for one in ours] == [[one[name] for name in names] for one in theirs], (
            case
        )
        assert all(isinstance(one["ts"], int) and one["tags"][0] == one["type"] for one in ours)
    assert seen == set(CAPTURED)
