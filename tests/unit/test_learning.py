"""Which lesson goes where, which failures leave a scar, how much they weigh, and whether a rule helps."""

from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, a_memory
from working import PYTEST_FAILED, Log

from hindbrain.core.learning.destinations import INDEX, Places, Taken, contents, diff, taken_back, targets
from hindbrain.core.learning.effect import Verdict, effect_of, survey
from hindbrain.core.learning.importance import importance, severity
from hindbrain.core.learning.scars import FAILURE, VICTORY, lesson_key, scars_from, scars_of_outcomes
from hindbrain.core.learning.suggest import setting_of, suggest
from hindbrain.core.model.memory import Kind, Memory, Reach
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.model.suggestion import Destination, Edit, Suggestion
from hindbrain.core.setup.jsonc import NotJson
from hindbrain.core.value import replace

PLACES = Places(root="/app", reflex="/app/memory", vault="/vault")


def a_scar(lesson: str, title: str = "It broke", **given: object) -> Memory:
    body = {"outcome": given.pop("outcome", FAILURE), "check_added": lesson, "is_learnable": True}
    return a_memory(lesson, title=title, kind=Kind.SCAR, body=body, **given)


@pytest.mark.parametrize(
    ("lesson", "given", "destination"),
    [
        ("Decode text where it enters the parser in `src/parse.py`", {}, Destination.CLAUDE_MD),  # HB-107
        ("Restart the container after the variable was added", {}, Destination.CLAUDE_MD),
        ("Never run `git push --force` on main", {}, Destination.SETTINGS_JSON),  # HB-108
        ("Always set PYTHONPATH=src before the tests", {}, Destination.SETTINGS_JSON),
        ("The owner prefers small commits", {}, Destination.MEMORY),  # HB-109
        ("Ask before you delete data", {"importance": 9}, Destination.MEMORY),
        ("Use UTC", {"reach": Reach.EVERYWHERE}, Destination.MEMORY),
        ("Retiring a layer is an architectural decision", {}, Destination.BRAIN_INBOX),  # HB-110
        ("Small batches import faster", {"outcome": VICTORY}, Destination.BRAIN_INBOX),
        ("1. Stop the worker 2. Migrate 3. Start it", {}, Destination.SKILL),  # HB-111
        ("Every cron must go through a wrapper that logs", {}, Destination.CHANTIER_OUTIL),  # HB-112
    ],
)
def test_each_kind_of_lesson_has_its_place(lesson: str, given: dict[str, object], destination: Destination) -> None:
    draft = suggest(a_scar(lesson, **given))
    assert draft.destination is destination and draft.reason
    assert draft.text.replace("`", "") == lesson.replace("`", "").lstrip()  # the same lesson


@pytest.mark.parametrize(
    "lesson",
    ["Never run `rm -rf $(pwd)`", "Set the variable in the container", "A variable is not set", "never run it twice"],
)
def test_what_settings_cannot_say_exactly_they_do_not_say(lesson: str) -> None:
    assert setting_of(lesson) is None


def a_suggestion(destination: Destination, **given: object) -> Suggestion:
    fields: dict[str, object] = {"title": "Broken [images]", "text": "Map what is read", "name": "broken-images"}
    fields |= {"id": "sug-1", "project": "prj-one", "key": "k", "created_at": NOW, "root": "/app"}
    return Suggestion(destination=destination, **(fields | given))  # type: ignore[arg-type]


def placed(suggestion: Suggestion, present: dict[tuple[str, str], bytes]) -> Suggestion:
    """With the change that it means, if the files are as they are said to be."""
    chosen = targets(suggestion, PLACES, has=present.get)
    before = [present.get(place) for place in chosen]
    blank = tuple(Edit(folder=f, path=p, before=None, after=None) for f, p in chosen)
    after = contents(replace(suggestion, edits=blank), before)
    edits = tuple(Edit(folder=f, path=p, before=b, after=a) for (f, p), b, a in zip(chosen, before, after, strict=True))
    return replace(suggestion, edits=edits)


def changed(suggestion: Suggestion, present: dict[tuple[str, str], bytes]) -> dict[str, str]:
    found = placed(suggestion, present)
    return {f"{edit.folder}/{edit.path}": (edit.after or b"").decode() for edit in found.edits}


def test_a_rule_is_an_item_of_the_file_that_the_project_uses() -> None:  # HB-107
    rule = a_suggestion(Destination.CLAUDE_MD)
    made = "## Lessons\n\n- Map what is read\n"
    assert changed(rule, {}) == {"/app/CLAUDE.md": made}
    assert changed(rule, {("/app", "AGENTS.md"): b""}) == {"/app/AGENTS.md": made}
    pointing = {("/app", "AGENTS.md"): b"* a\n", ("/app", "CLAUDE.md"): b"@AGENTS.md\n"}
    assert changed(rule, pointing) == {"/app/AGENTS.md": "* a\n\n## Lessons\n\n* Map what is read\n"}
    both = {("/app", "AGENTS.md"): b"", ("/app", "CLAUDE.md"): b"# Ours\n"}
    assert list(changed(rule, both)) == ["/app/CLAUDE.md"]
    assert list(changed(rule, {("/app", ".claude/CLAUDE.md"): b""})) == ["/app/.claude/CLAUDE.md"]


def test_settings_change_in_one_place_and_keep_their_comments() -> None:  # HB-108
    data = {"at": ["permissions", "deny"], "value": "Bash(git push --force:*)"}
    rule = a_suggestion(Destination.SETTINGS_JSON, data=data)
    before = b'{\n    // ours\n    "permissions": {\n        "deny": ["Bash(x)"]\n    },\n}\n'
    (after,) = changed(rule, {("/app", ".claude/settings.json"): before}).values()
    assert "// ours" in after and '"Bash(x)"' in after and '"Bash(git push --force:*)"' in after
    again = placed(rule, {("/app", ".claude/settings.json"): after.encode()})
    assert again.edits[0].before == again.edits[0].after
    with pytest.raises(NotJson):
        changed(rule, {("/app", ".claude/settings.json"): b"{"})
    with pytest.raises(NotJson):
        changed(rule, {("/app", ".claude/settings.json"): b'{"permissions": 3}'})
    env = a_suggestion(Destination.SETTINGS_JSON, data={"at": ["env", "PYTHONPATH"], "value": "src"})
    assert '"PYTHONPATH": "src"' in changed(env, {})["/app/.claude/settings.json"]


def test_a_reflex_is_a_file_and_one_line_of_the_index() -> None:  # HB-006, HB-109, HB-011
    rule = a_suggestion(Destination.MEMORY, data={"kind": "feedback"})
    index = b"# Memory\n- [A](feedback_a.md) \xe2\x80\x94 a\n- [Z](user_z.md) \xe2\x80\x94 z\n"
    found = changed(rule, {("/app/memory", INDEX): index})
    assert found["/app/memory/feedback_broken_images.md"].startswith("---\nname: feedback_broken_images\n")
    assert found["/app/memory/MEMORY.md"].split("\n")[2] == (
        "- [Broken (images)](feedback_broken_images.md) — Map what is read"
    )
    taken = {("/app/memory", "feedback_broken_images.md"): b"mine"}
    assert "/app/memory/feedback_broken_images-2.md" in changed(rule, taken)


def test_drafts_work_and_skills_get_files_of_their_own() -> None:  # HB-110, HB-111, HB-112
    note = changed(a_suggestion(Destination.BRAIN_INBOX), {})["/vault/inbox/broken-images.md"]
    assert "status: draft" in note and "Map what is read" in note
    work = changed(a_suggestion(Destination.CHANTIER_OUTIL), {})["/app/chantiers/broken-images.md"]
    assert "status: open" in work and "- [ ]" in work
    steps = {"steps": ["Stop", "Migrate", "Start"]}
    skill = changed(a_suggestion(Destination.SKILL, data=steps), {})["/app/.claude/skills/broken-images/SKILL.md"]
    assert skill.startswith("---\nname: broken-images\ndescription: ") and "2. Migrate" in skill
    known = {("/app", ".claude/skills/broken-images/SKILL.md"): b"---\nname: broken-images\n---\n# Mine\n"}
    (better,) = changed(a_suggestion(Destination.SKILL), known).values()
    assert better.startswith("---\nname: broken-images\n---\n# Mine\n") and "- Map what is read" in better


def test_a_file_of_somebody_else_is_never_written_over() -> None:
    rule = replace(
        a_suggestion(Destination.BRAIN_INBOX), edits=(Edit(folder="/v", path="inbox/x.md", before=None, after=b""),)
    )
    with pytest.raises(Taken):
        contents(rule, [b"mine"])


@pytest.mark.parametrize("destination", list(Destination))
def test_what_a_rule_brought_can_be_taken_out_of_a_file_that_moved_on(destination: Destination) -> None:
    data = {"at": ["env", "A"], "value": "1"} if destination is Destination.SETTINGS_JSON else {}
    rule = placed(a_suggestion(destination, data=data), {})
    present = [edit.after for edit in rule.edits]
    if destination is Destination.CLAUDE_MD:
        present = [(present[0] or b"") + b"- by hand\n"]
    if destination is Destination.MEMORY:
        present[1] = (present[1] or b"") + b"- [Mine](user_me.md) - me\n"
    left = b"".join(one or b"" for one in taken_back(rule, present))
    assert b"Map what is read" not in left and b'"A"' not in left
    assert (b"by hand" in left) == (destination is Destination.CLAUDE_MD)
    assert (b"user_me.md" in left) == (destination is Destination.MEMORY)


def test_a_diff_names_the_files_and_marks_a_missing_line_end() -> None:
    shown = diff((Edit(folder="/app", path="CLAUDE.md", before=b"a\nb", after=b"a\nb\nc"),))
    assert shown == (
        "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n"
        "+b\n+c\n\\ No newline at end of file\n"
    )
    made = diff((Edit(folder="/app", path="x.md", before=None, after=b"a\n"),))
    assert made == "--- /dev/null\n+++ b/x.md\n@@ -0,0 +1,1 @@\n+a\n"


def test_an_error_that_was_put_right_leaves_a_scar() -> None:  # HB-085
    log = Log()
    log.gate("tests", "failed", PYTEST_FAILED, signature="AssertionError: pool reused")
    log.edited("src/pool.py", "self.free = []", "self.free = deque()")
    log.gate("tests", "passed")
    (scar,) = scars_from(log.activities)
    assert scar.outcome == FAILURE and scar.is_learnable and scar.signature == "AssertionError: pool reused"
    assert "src/pool.py" in scar.lesson and scar.activities[0] == log.activities[0].id
    assert scars_from(log.activities, after=scar.seq) == ()


def test_what_came_back_in_other_sessions_weighs_more() -> None:
    logs = []
    for name in ("s-one", "s-two", "s-three"):
        log = Log(session=name)
        log.gate("tests", "failed", PYTEST_FAILED, signature="AssertionError: pool reused")
        log.edited("src/pool.py", "self.free = []", "self.free = deque()")
        log.gate("tests", "passed")
        logs.append(log)
    (alone,) = scars_from(logs[0].activities)
    together = scars_from([one for log in logs for one in log.activities])
    assert len({scar.key for scar in together}) == 1 and together[0].importance > alone.importance


def test_a_way_that_worked_again_and_again_is_a_victory() -> None:  # HB-092, HB-093
    log = Log()
    log.ran("npm install", 1, "npm ERR! ERESOLVE unable to resolve dependency tree", signature="npm ERR! ERESOLVE")
    for _ in range(3):
        log.ran("npm install --legacy-peer-deps", 0)
    kinds = {scar.outcome: scar for scar in scars_from(log.activities)}
    assert set(kinds) == {FAILURE, VICTORY}
    assert "`npm install --legacy-peer-deps`, not `npm install`" in kinds[VICTORY].lesson
    assert kinds[VICTORY].is_learnable and not kinds[FAILURE].is_learnable, "one rule says it"
    log.ran("npm install --legacy-peer-deps", 1, "npm ERR! network", signature="npm ERR! network")
    assert VICTORY not in {scar.outcome for scar in scars_from(log.activities)}


def test_a_lesson_reads_as_an_instruction() -> None:  # HB-093
    log = Log()
    log.ran("pytest -q", 1, PYTEST_FAILED)
    log.edited("src/db/pool.py", "get_event_loop()", "new_event_loop()")
    log.ran("pytest -q", 0, "3 passed in 0.12s")
    (scar,) = scars_from(log.activities)
    assert scar.lesson.startswith("When the tests fail with “RuntimeError: There is no current event loop")
    assert "”, try what ended it before: `src/db/pool.py`: replaced `get_event_loop()`" in scar.lesson


@pytest.mark.parametrize("sessions", [1, 2])
def test_what_a_compiler_says_of_a_line_is_worth_a_rule_only_when_it_comes_back(sessions: int) -> None:
    activities = []
    for number in range(sessions):
        log = Log(session=f"s-{number}")
        told = "src/app.ts(12,5): error TS2322: Type 'string' is not assignable to 'number'."
        log.ran("npx tsc --noEmit", 1, told, signature="error TS2322: Type <value> is not assignable to <value>")
        log.edited("src/app.ts", "const n: number = s", "const n = Number(s)")
        log.ran("npx tsc --noEmit", 0)
        activities += log.activities
    found = scars_from(activities)
    assert found and all(scar.is_learnable is (sessions > 1) for scar in found)


def an_outcome(how: str, **given: object) -> Outcome:
    fields: dict[str, object] = {"id": "out-1", "at": NOW, "project": "prj-one", "memory_id": "mem-1"}
    return Outcome(how=how, **(fields | {"effect": Effect.HURT} | given))  # type: ignore[arg-type]


def test_outcomes_leave_scars_too() -> None:
    memory = a_memory("Restart the worker after a deploy", id="mem-1", error_signature="ConnectionReset")
    known = {memory.id: memory}
    (recurred,) = scars_of_outcomes([an_outcome("recurred")], known)
    assert recurred.lesson == memory.content and recurred.is_learnable and recurred.signature == "ConnectionReset"
    (misled,) = scars_of_outcomes([an_outcome("person", note="the port moved")], known)
    assert "the port moved" in misled.lesson and misled.is_learnable and misled.sources == ("mem-1",)
    (silent,) = scars_of_outcomes([an_outcome("contradicted")], known)
    assert not silent.is_learnable
    nothing = [an_outcome("recurred", is_withheld=True), an_outcome("cited", effect=Effect.HELPED)]
    assert scars_of_outcomes([*nothing, an_outcome("recurred", memory_id="mem-gone")], known) == ()


def test_importance_counts_cost_recurrence_and_what_was_at_stake() -> None:  # Q-02, HB-094
    assert importance("a test failed", is_gate=True) == 5
    assert importance("x", steps=20) == 6 and importance("x", sessions=5) == 7
    assert severity("credentials leaked into the log") == 3 and severity("production was down") == 2
    assert importance("data loss in production", steps=99, sessions=99, is_gate=True) == 10


def test_two_scars_of_one_error_have_one_key() -> None:
    assert lesson_key("do this", "E: x") == lesson_key("do that", "E: x") != lesson_key("do this")
    assert lesson_key("Do this.") == lesson_key("do  this")


def sessions(*with_failure: bool, start: int) -> list[object]:
    found = []
    for number, has_failed in enumerate(with_failure):
        log = Log(session=f"s-{start}-{number}")
        one = log.ran("pytest", 1 if has_failed else 0, signature="E: x" if has_failed else "")
        found.append(replace(one, at=NOW + timedelta(days=start, seconds=number)))
    return found


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((True, True, False), (False, False, False), Verdict.WORKS),
        ((True, True, True, True), (True, False, False), Verdict.WORKS),
        ((True, False), (True, True), Verdict.IDLE),
        ((True,), (True,), Verdict.OPEN),
        ((True,), (), Verdict.OPEN),
    ],
)
def test_a_rule_is_measured_by_whether_its_failure_comes_back(
    before: tuple[bool, ...], after: tuple[bool, ...], verdict: Verdict
) -> None:
    log = [*sessions(*before, start=-9), *sessions(*after, start=9)]
    found = effect_of(survey(log), signature="E: x", since=NOW)  # type: ignore[arg-type]
    assert found.verdict is verdict and found.why
    assert (found.before, found.before_of, found.after_of) == (sum(before), len(before), len(after))


def test_a_rule_that_hurt_is_told_to_have_hurt() -> None:
    came = [an_outcome("person", at=NOW + timedelta(days=1))]
    assert effect_of(survey([]), signature="", since=NOW, outcomes=came).verdict is Verdict.HURT
    assert effect_of(survey([]), signature="", since=NOW + timedelta(days=2), outcomes=came).verdict is Verdict.OPEN


SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "samples" / "synedre"


def test_the_real_scars_go_where_a_reader_would_put_them() -> None:
    if not SAMPLES.exists():
        pytest.skip("the samples are not beside this project")
    text = (SAMPLES / "wall-of-scars.excerpt.md").read_text("utf-8")
    laws = [line.removeprefix("Engraved law: ") for line in text.splitlines() if line.startswith("Engraved law: ")]
    places = [suggest(a_scar(law)).destination for law in laws]
    assert places == [
        Destination.BRAIN_INBOX,
        Destination.CHANTIER_OUTIL,
        Destination.CLAUDE_MD,
        Destination.CLAUDE_MD,
    ]
