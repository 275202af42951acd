"""The jobs: every schedule has code, every job a schedule, and a month without a person changes no person's file."""

from datetime import UTC, timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from filing import equipped, fingerprint, reflex_file, write

from hindbrain.app import reflex, schedule
from hindbrain.app.moment import told
from hindbrain.app.schedule import JOBS, lines, rows, run, run_due, watch
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.model import Kind
from hindbrain.core.value import replace
from hindbrain.errors import BadSettings, BadValue
from hindbrain.ports import Where

PROJECT = "prj-one"


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    return write(tmp_path / "brain", {"permanent/a.md": "---\ntype: x\nstatus: y\n---\nsee [[b]]", "inbox/b.md": "y"})


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    files = {
        "memory/feedback_a.md": reflex_file("a", "Rule A", "Text"),
        "CLAUDE.md": "# Rules\n",
        ".claude/settings.json": "{}\n",
        ".claude/skills/x/SKILL.md": "# Skill\n",
    }
    return write(tmp_path / "repo", files)


@pytest.fixture
def filed(tools: Tools, tmp_path: Path, brain: Path) -> Tools:
    return equipped(tools, tmp_path / "home", vault=str(brain))


# HB-043 HB-134 HB-137 HB-139 HB-144 Q-05
def test_every_schedule_has_code_and_every_job_a_schedule(filed: Tools) -> None:
    listed = {row.name: row.cron for row in rows(filed, zone=UTC)}
    assert listed["vault"] == listed["reflex"] == "*/15 * * * *"
    assert listed["dream"] == "0 3 * * *" and listed["hygiene"] == "0 4 1 * *"
    assert listed["monitor"] == "0 * * * *" and listed["skills"].endswith(" * * 0")
    assert len(listed) == len(JOBS)
    handlers = {name for name in vars(schedule) if name in {f"_{job.name}" for job in JOBS}}
    assert handlers == {f"_{job.name}" for job in JOBS} == {job.run.__name__ for job in JOBS}
    for job in JOBS:
        assert run(job.name, tools=filed).result  # each of them runs, also where there is nothing to do


def test_a_job_is_listed_with_its_last_and_next_run(filed: Tools, clock: FakeClock) -> None:
    before = {row.name: row for row in rows(filed, zone=UTC)}
    assert before["dream"].last_run is None and before["dream"].next_run == NOW.replace(day=11, hour=3, minute=0)
    run("dream", tools=filed)
    after = {row.name: row for row in rows(filed, zone=UTC)}["dream"]
    assert after.last_run == NOW and "0 recurring" in after.result
    with pytest.raises(BadValue, match="no job"):
        run("nap", tools=filed)


def test_missed_runs_are_made_up_for_once(filed: Tools, clock: FakeClock) -> None:
    assert set(run_due(filed, zone=UTC)) == {"vault", "reflex", "monitor"}  # what has no hour of its own
    assert run_due(filed, zone=UTC) == ()
    clock.forward(days=10)
    assert set(run_due(filed, zone=UTC)) == {job.name for job in JOBS} - {"hygiene"}
    assert run_due(filed, zone=UTC) == ()
    clock.forward(minutes=15)
    assert run_due(filed, zone=UTC) == ("vault", "reflex")


def test_a_job_that_fails_says_so_and_stops_no_other(filed: Tools, clock: FakeClock) -> None:
    def failing(_: str) -> None:
        raise BadSettings("notify_command fails", fix="x")

    keep(filed.store, *(a_memory(f"skill {n}", kind=Kind.SKILL, trust=0, id=f"mem-{n}") for n in range(11)))
    tools = replace(filed, notify=failing)
    assert "monitor" in run_due(tools, zone=UTC)
    result = {row.name: row.result for row in rows(tools, zone=UTC)}
    assert result["monitor"] == "failed: notify_command fails" and "2 notes" in result["vault"]
    with pytest.raises(BadSettings):
        keep(filed.store, a_memory("one more", kind=Kind.SKILL, trust=0))
        clock.forward(days=2)
        run("monitor", tools=tools)


def test_two_processes_do_not_run_the_same_job(filed: Tools) -> None:
    assert filed.lock
    with filed.lock("jobs"):
        assert run_due(filed, zone=UTC) == ()
    assert run_due(filed, zone=UTC)


def test_a_file_that_changes_is_taken_in_without_waiting(filed: Tools, brain: Path) -> None:
    assert watch(filed) == 2 and watch(filed) == 0
    write(brain, {"inbox/c.md": "new"})
    assert watch(filed) == 1


def test_cron_and_systemd_are_told_of_every_job() -> None:
    printed = lines("cron", home="/h", program="hindbrain")
    assert printed[0] == "*/15 * * * * HINDBRAIN_HOME=/h hindbrain jobs run vault" and len(printed) == len(JOBS)
    units = "\n".join(lines("systemd", home="/h", program="hindbrain"))
    assert all(f"ExecStart=hindbrain jobs run {job.name}" in units for job in JOBS)
    assert "OnCalendar=*-*-* 03:00:00" in units


# HB-023 HB-024 HB-133 HB-113 X-23
def test_thirty_days_without_a_person_change_nothing_that_is_a_persons(
    filed: Tools, brain: Path, repo: Path, clock: FakeClock
) -> None:
    reflex.sync(PROJECT, str(repo), tools=filed)
    before = fingerprint(repo, brain / "permanent")
    notes = len(list((brain / "inbox").iterdir()))
    ran: dict[str, int] = {}
    for hour in range(30 * 24):
        clock.forward(hours=1)
        if hour % 24 == 0:  # every day the same thing goes wrong once more
            keep(filed.store, a_scar(hour // 24, at=clock.now()))
        for name in run_due(filed, zone=UTC):
            ran[name] = ran.get(name, 0) + 1
    assert fingerprint(repo, brain / "permanent") == before
    assert ran == {
        "vault": 720,
        "reflex": 720,
        "monitor": 720,
        "backup": 30,
        "drill": 5,
        "embed": 30,
        "verify": 30,
        "dream": 30,
        "learn": 30,
        "cleanup": 5,
        "skills": 5,
        "hygiene": 1,
    }
    assert len(list((brain / "inbox").iterdir())) == notes + 1  # one draft, though it went wrong thirty times
    assert len(filed.store.select(Where(project=PROJECT, kinds=(Kind.SCAR,)))) == 30
    assert len(list((Path(filed.settings.home) / "reports").iterdir())) == 31
    assert filed.store.suggestions(PROJECT)  # knowledge grows: rules are proposed, and wait
    said = told(
        Notice(client="claude", happening=Happening.SESSION_START, session="s", source="startup", at=clock.now()),
        project=PROJECT,
        root=str(repo),
        tools=filed,
    ).context
    assert "Rule A" not in said  # nobody has approved it


# HB-091
def test_what_a_person_approves_is_in_the_next_session(filed: Tools, repo: Path, clock: FakeClock) -> None:
    run_due(filed, zone=UTC)
    reflex.approve(["feedback_a.md"], PROJECT, root=str(repo), tools=filed)
    clock.forward(days=1)
    run_due(filed, zone=UTC)
    notice = Notice(client="claude", happening=Happening.SESSION_START, session="s", source="startup", at=clock.now())
    assert "Rule A" in told(notice, project=PROJECT, root=str(repo), tools=filed).context


def test_hours_are_those_of_the_zone(filed: Tools, clock: FakeClock) -> None:
    from datetime import timezone

    east = timezone(timedelta(hours=9))
    dream = {row.name: row for row in rows(filed, zone=east)}["dream"]
    assert dream.next_run.astimezone(UTC) == NOW.replace(hour=18, minute=0)  # 03:00 there


def a_scar(number: int, *, at: object) -> object:
    return a_memory(
        f"the pool of day {number} was closed twice",
        id=f"mem-{number:03}",
        kind=Kind.SCAR,
        error_signature="RuntimeError: closed",
        body={"outcome": "failure", "check_added": "close it in finally"},
        at=at,
    )
