"""What consolidation makes of recorded work: every pattern it yields, beside what another program had kept of the same.

The store of a real project that Loki ran lies in the samples with its episodes and with the patterns it drew from them;
recorded sessions of agents are read as hooks would have noted them. All is kept in a store of its own, in memory.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.meter import say
from bench.report import ROOT, Part, Table
from hindbrain.adapters.clock import SystemChance
from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.consolidate import Consolidated, consolidate
from hindbrain.app.episodes import note, trace
from hindbrain.app.tools import Tools
from hindbrain.core.learn.edits import essence
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.moment import read_stamp
from hindbrain.ports import Changes
from hindbrain.settings import Settings

SAMPLES = ROOT.parent / "shared" / "samples"
_TITLE = "From episodes to knowledge"
_PATHS = re.compile(r"/[^\s/][^\s]*/")  # where somebody's files lie is nobody's business
_CUT = 160  # characters of a text in a table


class _Clock:
    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at


def measure(*, is_quick: bool) -> Part:
    del is_quick  # it takes a second
    if not SAMPLES.is_dir():
        say("consolidation: the samples are not beside this project")
        return Part(name="consolidation", title=_TITLE, notes=["Not measured: the samples are not there."])
    theirs, ours, days, count = showtime()
    sessions, learned = transcripts()
    planted = _by_day(_CONTROL)[0]
    yields = [*_yields(ours), *_yields(learned)]
    head = ("pattern", "sure", "episodes", "what it says to do")
    return Part(
        name="consolidation",
        title=_TITLE,
        figures={
            "loki_episodes": count,
            "loki_patterns": len(theirs),
            "our_patterns": sum(one[0] == "pattern" for one in yields),
            "barren_clusters": sum(len(one.barren) for one in ours),
            "sessions": sessions,
        },
        tables=[
            Table(title="Loki's own store, from its 29 episodes", head=head, rows=[_their_row(one) for one in theirs]),
            Table(
                title=f"Ours, from the same {count} episodes, day by day ({days} days) and all together",
                head=("kind", "sure", "episodes", "text"),
                rows=[row[:4] for row in _yields(ours)] or [("none", "", "", "the episodes share no content")],
            ),
            Table(
                title=f"Ours, from {sessions} recorded sessions of Claude Code",
                head=("kind", "sure", "episodes", "text"),
                rows=[row[:4] for row in _yields(learned)]
                or [("none", "", "", "nothing failed, nothing was repeated")],
            ),
            Table(
                title="Ours, from two tasks that met the error of the document's example",
                head=("kind", "sure", "episodes", "text"),
                rows=[row[:4] for row in _yields(planted)],
            ),
        ],
        notes=[_note(ours)],
    )


_CONTROL = [
    {
        "task_id": f"task-{number}",
        "timestamp": f"2026-01-06T1{number}:30:00Z",
        "context": {"goal": goal},
        "outcome": "success",
        "errors_encountered": [
            {
                "type": "TypeScript compilation",
                "message": "Missing return type annotation",
                "resolution": "Added explicit :void to route handler",
            }
        ],
    }
    for number, goal in enumerate(["Implement POST /api/todos endpoint", "Implement GET /api/users endpoint"])
]


def showtime() -> tuple[list[dict[str, Any]], list[Consolidated], int, int]:
    """Loki's patterns; what each day of its episodes yields here; the number of days and of episodes."""
    memory = SAMPLES / "loki" / "showtime" / ".loki" / "memory"
    theirs = json.loads((memory / "semantic" / "patterns.json").read_text("utf-8"))["patterns"]
    records = [json.loads(path.read_text("utf-8")) for path in sorted(memory.glob("episodic/*/*.json"))]
    records.sort(key=lambda one: one["timestamp"])
    return theirs, *_by_day(records), len(records)


def _by_day(records: Sequence[Mapping[str, Any]]) -> tuple[list[Consolidated], int]:
    """The last moment of each day: all that happened on it is within the window."""
    clock = _Clock(datetime(2026, 1, 1, tzinfo=UTC))
    tools, project = _store(clock)
    days = sorted({one["timestamp"][:10] for one in records})
    done: list[Consolidated] = []
    for day in days:
        for one in (one for one in records if one["timestamp"].startswith(day)):
            clock.at = read_stamp(one["timestamp"]) + timedelta(seconds=1)
            note(one, project=project, tools=tools)
        clock.at = read_stamp(f"{day}T23:59:59Z")
        done.append(consolidate(project, tools=tools))
    done.append(consolidate(project, tools=tools, since=timedelta(days=30)))
    return done, len(days)


def transcripts() -> tuple[int, list[Consolidated]]:
    """How many sessions there are, and what they yield together."""
    clock = _Clock(datetime(2026, 1, 2, tzinfo=UTC))
    tools, project = _store(clock)
    paths = sorted(SAMPLES.glob("claude-code/*/*.jsonl"))
    for path in paths:
        log = tuple(_session(path, project=project, at=clock.at - timedelta(hours=2)))
        tools.store.write(lambda tx, log=log: tx.apply(Changes(activities=log)))  # type: ignore[misc]
        trace(project, path.stem, tools=tools)
    return len(paths), [consolidate(project, tools=tools)]


def _store(clock: _Clock) -> tuple[Tools, str]:
    store = DictStore()
    project = store.adopt(["name:bench"], name="bench", project_id="prj-bench", at=clock.now())
    settings = Settings(home=".", store=":memory:")
    return Tools(store=store, clock=clock, chance=SystemChance(), files=LocalFiles(), settings=settings), project.id


def _session(path: Path, *, project: str, at: datetime) -> Iterator[Activity]:
    """The deeds of a transcript, as hooks would have noted them."""
    calls: dict[str, dict[str, Any]] = {}
    number = 0
    for who, block in _blocks(path):
        made: dict[str, Any] | None = None
        if block.get("type") == "text":
            made = {"deed": Deed.PROMPT if who == "user" else Deed.RESPONSE, "detail": str(block["text"])[:4_000]}
        elif block.get("type") == "tool_use":
            calls[str(block.get("id"))] = block
        elif block.get("type") == "tool_result" and block.get("tool_use_id") in calls:
            made = _deed(calls[block["tool_use_id"]], block)
        if made:
            made["data"] = {"cwd": block["cwd"]}
            number += 1
            moment = at + timedelta(seconds=number)
            yield Activity(
                id=f"{path.stem}-{number}", at=moment, project=project, session=path.stem, seq=number, **made
            )


def _deed(call: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any] | None:
    given, content = call["input"], answer.get("content") or ""
    output = content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
    match call["name"]:
        case "Bash":
            is_failed = bool(answer.get("is_error"))
            result = Result.FAILED if is_failed else Result.PASSED
            return {"deed": Deed.COMMAND, "subject": given["command"], "result": result, "detail": output[:4_000]}
        case "Edit" | "Write":
            new = given.get("new_string") or given.get("content", "")
            detail = essence(given.get("old_string", ""), new)
            return {"deed": Deed.EDIT, "subject": given["file_path"], "detail": detail}
        case "Read":
            return {"deed": Deed.READ, "subject": given["file_path"]}
    return None


def _blocks(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in path.read_text("utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        message = record["message"] if isinstance(record.get("message"), dict) else record
        content = message.get("content") or []
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        where = {"cwd": str(record.get("cwd") or "")}
        yield from ((str(record.get("type")), block | where) for block in content if isinstance(block, dict))


def _yields(done: Sequence[Consolidated]) -> list[tuple[str, str, str, str, str]]:
    found = []
    for one in done:
        parts = (("pattern", one.patterns), ("anti-pattern", one.anti_patterns), ("skill", one.skills))
        for kind, lores in parts:
            for lore in lores:
                if lore.fate in ("new", "evidence"):
                    sure, count = f"{lore.confidence:.2f}", str(len(lore.sources))
                    found.append((kind, sure, count, _cut(lore.text), lore.memory_id))
    return found


def _their_row(one: Mapping[str, Any]) -> tuple[str, ...]:
    said = one["correct_approach"] or "nothing"
    return (_cut(_PATHS.sub("…/", one["pattern"])), f"{one['confidence']:.2f}", str(len(one["source_episodes"])), said)


def _note(done: Sequence[Consolidated]) -> str:
    barren = [one for day in done for one in day.barren]
    reasons = sorted({one.reason for one in barren})
    told = f" {len(barren)} groups gave nothing: {'; '.join(reasons)}." if barren else " No two of them form a group."
    return (
        "Loki's episodes hold the path of a proposal as their goal, no action, no error and no artifact: there is "
        f"nothing in them that a pattern could say, and ours says nothing.{told}"
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CUT else line[: _CUT - 1] + "…"
