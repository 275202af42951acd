"""The nightly and the monthly pass: drafts, reports and archives, and never a file of a person's own."""

import gzip
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, a_memory, keep
from embedding import AngleEmbedder
from filing import equipped, fingerprint, reflex_file, write

from hindbrain.app import reflex
from hindbrain.app.dream import dream
from hindbrain.app.hygiene import hygiene
from hindbrain.app.report import NIGHT
from hindbrain.app.tools import Tools
from hindbrain.core.model import Counters, Kind, Memory
from hindbrain.core.value import replace
from hindbrain.errors import Locked

PROJECT = "prj-one"


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    return write(tmp_path / "brain", {"permanent/a.md": "see [[lost]]", "inbox/b.md": "y"})


@pytest.fixture
def filed(tools: Tools, tmp_path: Path, brain: Path) -> Tools:
    return equipped(tools, tmp_path / "home", vault=str(brain))


def a_scar(number: int, **given: object) -> Memory:
    body = {"outcome": "failure", "check_added": "close the pool in finally"}
    return a_memory(f"{'abcdefgh'[number] * 9} went wrong", kind=Kind.SCAR, body=body, id=f"mem-{number}", **given)


def drafts(brain: Path) -> list[Path]:
    return sorted(path for path in (brain / "inbox").iterdir() if "promote" in path.name)


# HB-140 F-30
@pytest.mark.parametrize(("count", "expected"), [(2, 0), (3, 1)])
def test_what_was_met_three_times_becomes_one_draft(filed: Tools, brain: Path, count: int, expected: int) -> None:
    keep(filed.store, *(a_scar(n, error_signature="RuntimeError: loop") for n in range(count)))
    for _ in range(2):
        dream(is_applied=True, tools=filed)
        filed.clock.forward(days=1)  # type: ignore[attr-defined]
    assert len(drafts(brain)) == expected
    if expected:
        text = drafts(brain)[0].read_text()
        assert "close the pool in finally" in text and all(f"mem-{n}" in text for n in range(3))


# HB-140
def test_a_cluster_that_grows_is_not_drafted_again(filed: Tools, brain: Path) -> None:
    keep(filed.store, *(a_scar(n, error_signature="E x") for n in range(3)))
    dream(is_applied=True, tools=filed)
    keep(filed.store, a_scar(3, error_signature="E x"))
    assert dream(is_applied=True, tools=filed).recurring == () and len(drafts(brain)) == 1


def test_one_scar_that_was_said_three_times_counts_thrice(filed: Tools, brain: Path) -> None:
    keep(filed.store, a_scar(0, counters=Counters(evidence=3)))
    assert dream(is_applied=True, tools=filed).recurring[0].times == 3


# F-30
@pytest.mark.parametrize(("angle", "expected"), [(15.0, 1), (20.0, 0)])  # cosines 0.966 and 0.866; 30 and 40 degrees
def test_scars_that_are_alike_by_meaning_are_one(filed: Tools, brain: Path, angle: float, expected: int) -> None:
    scars = [a_scar(n) for n in range(3)]
    keep(filed.store, *scars)
    spread = {scar.content: 2 * angle * n for n, scar in enumerate(scars)}
    tools = replace(filed, embedder=AngleEmbedder(spread))
    assert len(dream(is_applied=False, tools=tools).recurring) == expected


# HB-143 HB-142 X-23
def test_a_dry_run_changes_nothing_and_applying_only_adds_drafts(filed: Tools, brain: Path, tmp_path: Path) -> None:
    repo = write(tmp_path / "repo", {"memory/feedback_a.md": reflex_file("a", "A", "Text")})
    keep(filed.store, *(a_scar(n, error_signature="E x") for n in range(3)))
    everything, events = fingerprint(brain, repo), len(filed.store.events())
    done = dream(is_applied=False, tools=filed)
    assert done.recurring and fingerprint(brain, repo) == everything and len(filed.store.events()) == events
    human = fingerprint(brain / "permanent", repo)
    dream(is_applied=True, tools=filed)
    hygiene(is_applied=True, tools=filed, root=(PROJECT, str(repo)))
    assert fingerprint(brain / "permanent", repo) == human and (brain / "inbox" / "b.md").read_text() == "y"


# HB-149
def test_every_pass_leaves_a_report_also_when_nothing_was_found(filed: Tools, tmp_path: Path) -> None:
    for run in (dream, hygiene):
        for is_applied in (False, True):
            done = run(is_applied=is_applied, tools=filed)  # type: ignore[operator]
            assert Path(done.report).read_text() == done.text
    names = sorted(path.name for path in (tmp_path / "home" / "reports").iterdir())
    assert "dream-20260110T093000Z.md" in names and len(names) == 4


# HB-148
def test_a_second_pass_at_the_same_time_is_locked_out(filed: Tools) -> None:
    assert filed.lock
    with filed.lock(NIGHT):
        for run in (dream, hygiene):
            with pytest.raises(Locked, match="locked"):
                run(is_applied=False, tools=filed)  # type: ignore[operator]
    dream(is_applied=False, tools=filed)


# HB-141 Q-09
def test_old_transcripts_become_compact_and_their_originals_stay(filed: Tools, tmp_path: Path) -> None:
    lines = [json.dumps({"type": "user", "message": "short"}), json.dumps({"type": "tool", "output": "x" * 5_000})]
    folder = write(tmp_path / "logs", {"old.jsonl": "\n".join(lines), "new.jsonl": "\n".join(lines), "tiny.log": "x"})
    for name, days in (("old.jsonl", 14), ("new.jsonl", 13), ("tiny.log", 99)):
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(folder / name, (at, at))
    tools = replace(filed, settings=replace(filed.settings, transcript_folder=str(folder)))
    before = fingerprint(folder)
    assert [one.path for one in dream(is_applied=False, tools=tools).transcripts] == ["old.jsonl"]
    assert fingerprint(folder) == before
    (done,) = dream(is_applied=True, tools=tools).transcripts
    assert gzip.decompress(Path(done.archive).read_bytes()).decode() == "\n".join(lines)
    short = (folder / "old.jsonl").read_text()
    assert len(short) < 600 and [json.loads(line)["type"] for line in short.split("\n")] == ["user", "tool"]
    assert (folder / "old.jsonl").stat().st_mtime == (NOW - timedelta(days=14)).timestamp()
    assert dream(is_applied=True, tools=tools).transcripts == ()


# HB-145 HB-146 HB-147 HB-006
def test_hygiene_tells_what_is_amiss_and_mends_nothing(filed: Tools, brain: Path, tmp_path: Path) -> None:
    files = {
        "memory/feedback_a.md": "see [[nowhere]]",
        "memory/feedback_b.md": "the same",
        "memory/feedback_c.md": "the same",
        "memory/odd.md": "no prefix",
        "memory/MEMORY.md": "- [a](feedback_a.md) — a\n",
    }
    repo = write(tmp_path / "repo", files)
    at = (NOW - timedelta(days=200)).timestamp()
    os.utime(repo / "memory" / "odd.md", (at, at))
    reflex.sync(PROJECT, str(repo), tools=filed)
    before = fingerprint(repo, brain / "permanent")
    done = hygiene(is_applied=True, tools=filed)
    (folder,) = done.folders
    assert folder.found.dead == (("feedback_a.md", "nowhere.md"),)
    assert folder.found.copies == (("feedback_c.md", "feedback_b.md"),)
    assert folder.found.unnamed == folder.found.obsolete == ("odd.md",)
    assert folder.found.unlisted == ("feedback_b.md", "feedback_c.md", "odd.md")
    assert [one.link for one in done.broken] == ["[[lost]]"]
    assert done.draft == "inbox/2026-01-10-hygiene-of-the-memory.md"
    assert fingerprint(repo, brain / "permanent") == before
    assert hygiene(is_applied=True, tools=filed).draft == ""  # a person has that one already
