"""The jobs: every schedule has code, every job a schedule, and a month without a person changes no person's file."""

from datetime import UTC, timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from embedding import WordEmbedder
from filing import equipped, fingerprint, reflex_file, write

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app import reflex, schedule
from hindbrain.app.decide import feed
from hindbrain.app.enact import apply
from hindbrain.app.log import audit
from hindbrain.app.moment import told
from hindbrain.app.recall import Question, recall
from hindbrain.app.scar import Told, engrave
from hindbrain.app.schedule import JOBS, lines, rows, run, run_due, watch
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.model import Kind
from hindbrain.core.model.suggestion import Destination, Suggestion
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


# HB-050
def test_the_index_of_notes_and_the_vectors_do_not_need_each_other(filed: Tools) -> None:
    words = replace(filed, embedder=None)
    run("vault", tools=words)
    found = recall(Question(text="see b", scopes=("brain",)), project=PROJECT, tools=words)
    assert {one.memory.kind for one in found} == {Kind.NOTE}
    assert run("embed", tools=words).result == "meaning is switched off"

    keep(filed.store, a_memory("the lock expires after a minute", id="mem-lock"))
    bare = replace(filed, embedder=WordEmbedder(), settings=replace(filed.settings, vault=""))
    assert bare.embedder is not None
    filed.store.expect(bare.embedder.space)
    assert "embedded" in run("embed", tools=bare).result
    near = filed.store.nearest(
        bare.embedder.embed(["lock"])[0], bare.embedder.space, where=Where(project=PROJECT), limit=9
    )
    assert "mem-lock" in [one.memory_id for one in near]


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


LESSONS = {
    Destination.CLAUDE_MD: "Map what `src/day{n}.py` reads before a layer goes",
    Destination.SETTINGS_JSON: "Never run `deploy{n} --force` on a shared branch",
    Destination.MEMORY: "The owner prefers answers of day {n} to be short",
    Destination.BRAIN_INBOX: "Removing layer {n} is an architectural matter",
    Destination.SKILL: "1. Stop worker {n} 2. Migrate its tables 3. Start it",
    Destination.CHANTIER_OUTIL: "Every cron of day {n} must go through a wrapper",
}


def a_session(number: int, *, clock: FakeClock) -> Notice:
    at, happening = clock.now(), Happening.SESSION_START
    return Notice(client="claude", happening=happening, session=f"s-{number}", source="startup", at=at)


# HB-088 HB-090 HB-091 HB-114 X-02
def test_in_thirty_days_with_a_person_each_rule_is_in_the_next_session_and_in_the_log(
    filed: Tools, brain: Path, repo: Path, clock: FakeClock
) -> None:
    reflex.sync(PROJECT, str(repo), tools=filed)
    run_due(filed, zone=UTC)  # from now on every night has its turn
    places = list(LESSONS)
    approved: list[Suggestion] = []
    for day in range(30):
        place = places[day % len(places)]
        lesson = LESSONS[place].format(n=day)
        engrave(Told(kind="failure", title=f"Day {day} went wrong", lesson=lesson), project=PROJECT, tools=filed)
        clock.forward(days=1)
        run_due(filed, zone=UTC)  # the night proposes
        (waiting,) = feed(PROJECT, store=filed.store, now=clock.now())
        assert waiting.destination is place
        before = fingerprint(repo, brain / "permanent")
        rule = apply(waiting.id, by="anna", project=PROJECT, tools=filed)
        assert (fingerprint(repo, brain / "permanent") != before) is (place is not Destination.BRAIN_INBOX)
        approved.append(rule)
        run_due(filed, zone=UTC)
        said = told(a_session(day, clock=clock), project=PROJECT, root=str(repo), tools=filed).context
        for one in approved:
            assert _is_known(one, said)
    entries = filed.store.audits()
    assert [(one.action, one.subject, one.actor) for one in entries] == [
        ("apply", rule.id, "human anna") for rule in approved
    ]
    assert audit(filed).fault is None


def _is_known(rule: Suggestion, said: str) -> bool:
    """A reflex is told by us; all else stands in a file that the client, or whoever works there, reads by itself."""
    if rule.destination is Destination.MEMORY:
        return rule.title in said or rule.text in said
    kept = [(Path(edit.folder) / edit.path).read_text() for edit in rule.edits]
    value = str(rule.data.get("value") or rule.text)
    steps = rule.data.get("steps")
    return all(step in kept[0] for step in steps) if isinstance(steps, list) else value in kept[0]


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


# R8
@pytest.mark.parametrize("store", ["sqlite"], indirect=True)  # of a dictionary nothing is written anywhere
def test_a_damaged_memory_does_not_keep_a_job_of_the_schedule_from_the_others(filed: Tools) -> None:
    assert isinstance(filed.store, SqliteStore)
    old = NOW - timedelta(days=400)
    keep(filed.store, *(a_memory(f"close harbour {n}", id=f"mem-{n}", at=old) for n in range(3)))
    filed.store._connection().execute("UPDATE memory SET content = 'close airport 1' WHERE id = 'mem-1'")

    row = run("cleanup", tools=filed)

    assert "mem-1 is damaged and was left out" in row.result and not row.result.startswith("failed")
    assert [one.where for one in filed.store.damage() if "differs" in one.what] == ["memory mem-1"]
    known = filed.store.memories(["mem-0", "mem-1", "mem-2"])
    assert [memory.archived_at is not None for memory in known.values()] == [True, False, True]
