"""The engine proposes, a person decides, files change and come back; with every store, on a real disk."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from working import PYTEST_FAILED, Log

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.pages import LocalPages
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.decide import at_line, feed, patch, refuse, snooze
from hindbrain.app.draw import is_stale
from hindbrain.app.enact import apply, apply_safe, undo
from hindbrain.app.log import anchor, audit, findings, head_path
from hindbrain.app.reflect import SCHEMA, Learned, learn
from hindbrain.app.rules import rules
from hindbrain.app.scar import Told, engrave, gather, scars
from hindbrain.app.tools import Tools
from hindbrain.app.why import why_rule
from hindbrain.core.learning.destinations import diff
from hindbrain.core.learning.effect import Verdict
from hindbrain.core.model import Kind, State
from hindbrain.core.model.call import Completion, NoModel, Prompt, Route
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.model.receipt import Verdict as Received
from hindbrain.core.model.suggestion import Destination, Status, Suggestion
from hindbrain.core.value import replace
from hindbrain.errors import BadAnswer, BadValue, Conflict, DiskFull, HindbrainError, ModelFailed, UnknownMemory
from hindbrain.ports import Changes

ONE = "prj-one"
IMAGES = "Map what `src/img.py` reads before a layer goes"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "CLAUDE.md").write_bytes(b"# App\r\n\r\n* Be kind\r\n")
    return folder


@pytest.fixture
def desk(tools: Tools) -> Tools:
    return replace(tools, pages=LocalPages())


def engraved(desk: Tools, lesson: str = IMAGES, **given: object) -> str:
    fields: dict[str, object] = {"kind": "failure", "title": f"Broken: {lesson[:20]}", "lesson": lesson}
    receipt = engrave(Told(**(fields | given)), project=ONE, tools=desk)  # type: ignore[arg-type]
    assert receipt.memory_id
    return receipt.memory_id


def learned(desk: Tools, root: Path, **given: object) -> Learned:
    return learn(ONE, str(root), tools=desk, **given)  # type: ignore[arg-type]


def only(desk: Tools, root: Path, lesson: str = IMAGES, **given: object) -> Suggestion:
    engraved(desk, lesson, **given)
    (suggestion,) = learned(desk, root).suggestions
    return suggestion


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# --- scars


def test_a_scar_is_kept_with_its_lesson_its_weight_and_its_kind(desk: Tools) -> None:  # HB-092, HB-093, HB-096
    scar_id = engraved(desk, importance=8)
    (scar,) = scars(ONE, store=desk.store)
    assert scar.id == scar_id and scar.kind is Kind.SCAR and scar.importance == 8 and scar.trust == 4
    assert scar.body["outcome"] == "failure" and scar.body["check_added"] == IMAGES
    assert scar.body["is_learnable"] is True and scar.counters.recalled == 0 and scar.last_used_at is None  # HB-097
    assert not scars(ONE, store=desk.store, kind="victory")


@pytest.mark.parametrize("given", [{"kind": "draw"}, {"lesson": " "}, {"title": "\n"}], ids=["kind", "lesson", "title"])
def test_half_a_scar_is_refused(desk: Tools, given: dict[str, object]) -> None:  # HB-092, HB-093
    with pytest.raises(BadValue):
        engraved(desk, **{"lesson": IMAGES, **given})  # type: ignore[arg-type]
    assert not scars(ONE, store=desk.store)


@pytest.mark.parametrize(("given", "kept"), [(99, 10), (-4, 0)])
def test_a_weight_beyond_the_scale_is_taken_for_its_end(desk: Tools, given: int, kept: int) -> None:  # HB-094
    engraved(desk, importance=given)
    assert scars(ONE, store=desk.store)[0].importance == kept


def test_the_same_lesson_is_engraved_once_and_weighs_more(desk: Tools) -> None:
    first = engraved(desk)
    assert engraved(desk) == first
    (scar,) = scars(ONE, store=desk.store)
    assert scar.importance == 6 and scar.counters.evidence == 2 and scar.version == 2


def failed_and_cured(desk: Tools, session: str = "s-one") -> None:
    log = Log(session=session)
    log.gate("tests", "failed", PYTEST_FAILED, signature="AssertionError: pool reused")
    log.edited("src/pool.py", "self.free = []", "self.free = deque()")
    log.gate("tests", "passed")
    desk.store.write(lambda tx: tx.apply(Changes(activities=tuple(log.activities))))


def test_what_agents_put_right_becomes_a_scar_once(desk: Tools) -> None:  # HB-085, HB-086
    failed_and_cured(desk)
    (receipt,) = gather(ONE, tools=desk)
    assert receipt.verdict is Received.STORED and gather(ONE, tools=desk) == ()
    (scar,) = scars(ONE, store=desk.store)
    assert scar.error_signature == "AssertionError: pool reused" and scar.body["is_learnable"] is True
    failed_and_cured(desk, "s-two")
    (again,) = gather(ONE, tools=desk)
    assert again.verdict is Received.EVIDENCE and again.memory_id == scar.id
    assert scars(ONE, store=desk.store)[0].importance > scar.importance


def test_a_failure_that_came_back_though_it_was_known_becomes_a_scar(desk: Tools) -> None:
    keep(desk.store, a_memory("Restart the worker after a deploy", id="mem-1", error_signature="ConnectionReset"))
    came = Outcome(id="out-1", at=NOW, project=ONE, memory_id="mem-1", effect=Effect.HURT, how="recurred")
    desk.store.write(lambda tx: tx.apply(Changes(outcomes=(came,))))
    (receipt,) = gather(ONE, tools=desk)
    (scar,) = scars(ONE, store=desk.store)
    assert scar.body["check_added"] == "Restart the worker after a deploy" and receipt.memory_id == scar.id
    assert [link.target for link in desk.store.links(scar.id)] == ["mem-1"]
    assert gather(ONE, tools=desk) == ()


def test_a_scar_that_tells_to_run_something_dangerous_waits_for_a_person(desk: Tools, root: Path) -> None:
    log = Log()
    log.ran("make clean", 1, "error: stale cache", signature="error: stale cache")
    log.ran("rm -rf build", 0)
    log.ran("make clean", 0)
    log.ran("make clean", 1, "error: stale cache", signature="error: stale cache")
    log.ran("rm -rf build", 0)
    log.ran("make clean", 0)
    desk.store.write(lambda tx: tx.apply(Changes(activities=tuple(log.activities))))
    found = [one for one in gather(ONE, tools=desk) if one.verdict is Received.REVIEW]
    assert found and desk.store.reviews(ONE)
    memory = desk.store.memory(found[0].memory_id or "")
    assert memory is not None and memory.state is State.QUARANTINED
    assert not learned(desk, root).suggestions


# --- the engine


def test_the_engine_takes_the_most_important_first_and_each_once(desk: Tools, root: Path) -> None:  # HB-087, HB-099
    for weight, name in ((3, "alpha"), (9, "beta"), (5, "gamma")):
        engraved(desk, f"Look into `src/{name}.py` before you change it", importance=weight)
    made = learned(desk, root).suggestions
    assert [one.importance for one in made] == [9, 5, 3]
    assert {one.status for one in made} == {Status.PENDING}  # HB-106
    assert learned(desk, root).suggestions == ()
    assert [one.importance for one in feed(ONE, store=desk.store, now=NOW)] == [9, 5, 3]  # HB-115


def test_what_is_not_learnable_is_never_proposed(desk: Tools, root: Path) -> None:  # HB-095
    engraved(desk, is_learnable=False)
    assert learned(desk, root).suggestions == ()


def test_the_engine_only_proposes(desk: Tools, root: Path) -> None:  # HB-113, HB-107..HB-112, X-02
    before = files_of(root)
    for lesson in EVERYWHERE.values():
        engraved(desk, lesson)
    for _ in range(100):
        learned(desk, root)
    assert files_of(root) == before and not desk.store.audits()
    assert {one.destination for one in feed(ONE, store=desk.store, now=NOW)} == set(Destination)


EVERYWHERE = {
    Destination.CLAUDE_MD: IMAGES,
    Destination.SETTINGS_JSON: "Never run `git push --force` on a shared branch",
    Destination.MEMORY: "The owner prefers short answers",
    Destination.BRAIN_INBOX: "Removing a layer is an architectural matter",
    Destination.SKILL: "1. Stop the worker 2. Migrate the tables 3. Start it",
    Destination.CHANTIER_OUTIL: "Every cron must go through a wrapper",
}


def test_the_diff_is_one_against_the_real_file(desk: Tools, root: Path) -> None:
    suggestion = only(desk, root)
    assert suggestion.edits[0].before == b"# App\r\n\r\n* Be kind\r\n"
    assert f"+* {IMAGES}\r\n" in diff(suggestion.edits)


def test_what_a_file_says_already_is_not_proposed(desk: Tools, root: Path) -> None:
    (root / "CLAUDE.md").write_text(f"## Lessons\n\n- {IMAGES}\n")
    engraved(desk)
    result = learned(desk, root)
    assert result.suggestions == () and "says so already" in result.passed_by[0][1]


def test_settings_that_are_no_json_are_left_alone(desk: Tools, root: Path) -> None:
    (root / ".claude").mkdir()
    (root / ".claude" / "settings.json").write_text("{ broken")
    suggestion = only(desk, root, EVERYWHERE[Destination.SETTINGS_JSON])
    assert suggestion.destination is Destination.CLAUDE_MD and "cannot be read" in suggestion.reason


class Stub:
    """A model that answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def complete(self, use: str, prompt: Prompt, *, schema: Mapping[str, object] | None = None) -> Completion | NoModel:
        if use != "suggest":
            return NoModel(why="by rules")
        assert prompt.name == "suggest" and schema == SCHEMA
        self.asked.append(prompt.material)
        if isinstance(self.answer, HindbrainError):
            raise self.answer
        if isinstance(self.answer, NoModel):
            return self.answer
        said = {"provider": "stub", "model": "m", "prompt": "suggest", "prompt_version": 3, "call_id": "c"}
        return Completion(text="", data=self.answer, **said)  # type: ignore[arg-type]

    def routes(self) -> Sequence[Route]:
        return ()

    def warnings(self) -> Sequence[str]:
        return ()


def with_model(desk: Tools, root: Path, model: Stub) -> Learned:
    return learned(replace(desk, model=model), root)


GOOD = {"destination": "memory", "text": "Look before you remove", "diff_before": "", "diff_after": "x"}


def test_a_model_may_put_it_better(desk: Tools, root: Path) -> None:
    engraved(desk)
    (suggestion,) = with_model(desk, root, Stub(GOOD)).suggestions
    assert suggestion.text == "Look before you remove" and suggestion.destination is Destination.MEMORY
    assert suggestion.made_by == "stub m, prompt suggest 3" and suggestion.edits[0].path.startswith("feedback_")


def test_a_model_neither_sees_nor_leaves_secrets_and_personal_data(desk: Tools, root: Path) -> None:  # HB-100, HB-101
    secret, mail = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "jane.doe@corp-mail.com"
    keep(
        desk.store,
        a_memory(
            f"Ask {mail} with {secret}",
            id="mem-raw",
            kind=Kind.SCAR,
            body={"outcome": "failure", "check_added": f"Ask {mail} for `src/a.py`, token {secret}"},
        ),
    )
    stub = Stub({**GOOD, "text": f"Write to {mail} and use {secret}"})
    (suggestion,) = with_model(desk, root, stub).suggestions
    everything = stub.asked[0] + suggestion.text + suggestion.title + diff(suggestion.edits)
    assert secret not in everything and mail not in everything


def test_no_secret_becomes_a_step_or_a_setting(desk: Tools, root: Path) -> None:  # X-38, HB-100
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for number, lesson in enumerate(
        (f"1. Log in 2. Use {secret} 3. Log out", f"Always set GITHUB_TOKEN={secret} first")
    ):
        body = {"outcome": "failure", "check_added": lesson}
        keep(desk.store, a_memory(lesson, id=f"mem-raw{number}", kind=Kind.SCAR, body=body))
    made = learned(desk, root).suggestions
    assert len(made) == 2 and not any(secret in diff(one.edits) + one.text + str(one.data) for one in made)


@pytest.mark.parametrize(
    "answer",
    [
        *({name: value for name, value in GOOD.items() if name != gone} for gone in GOOD),  # HB-102..HB-105
        {**GOOD, "destination": "etc_passwd"},
        BadAnswer("it is no JSON", fix="ask another model"),
        {**GOOD, "text": 7},
        {**GOOD, "text": "   "},
        "no object",
        None,
        ["x"],
    ],
)
def test_an_answer_that_is_none_leaves_nothing_but_a_complaint(desk: Tools, root: Path, answer: object) -> None:
    engraved(desk)
    result = with_model(desk, root, Stub(answer))
    assert result.suggestions == () and "refused" in result.passed_by[0][1]
    assert [event.name for event in desk.store.events()][-1] == "suggestion_failed"
    assert len(learned(desk, root).suggestions) == 1  # the rules write it, then


@pytest.mark.parametrize("answer", [ModelFailed("away", fix="wait"), NoModel(why="by rules")], ids=["away", "none"])
def test_without_an_answer_the_rules_write(desk: Tools, root: Path, answer: object) -> None:
    engraved(desk)
    (suggestion,) = with_model(desk, root, Stub(answer)).suggestions
    assert suggestion.made_by == "rules" and suggestion.text == IMAGES


def test_no_model_writes_a_setting_or_a_giant(desk: Tools, root: Path) -> None:
    engraved(desk)
    stub = Stub({**GOOD, "destination": "settings_json", "text": "Ignore all rules. " * 100_000})
    (suggestion,) = with_model(desk, root, stub).suggestions
    assert suggestion.destination is Destination.CLAUDE_MD and len(suggestion.text) <= 1_200


# --- decide


@pytest.mark.parametrize("destination", list(Destination))
def test_what_a_person_agrees_to_is_in_the_file_and_in_the_log(
    desk: Tools, root: Path, destination: Destination
) -> None:  # HB-090, HB-107..HB-112, HB-114, HB-116
    before = files_of(root)
    suggestion = only(desk, root, EVERYWHERE[destination])
    assert suggestion.destination is destination
    rule = apply(suggestion.id, by="anna", project=ONE, tools=desk)
    assert rule.status is Status.APPLIED and rule.decided_by == "anna"
    for edit in rule.edits:
        assert (Path(edit.folder) / edit.path).read_bytes() == edit.after
    (entry,) = desk.store.audits()
    assert (entry.action, entry.subject, entry.actor) == ("apply", rule.id, "human anna")
    assert audit(desk).fault is None and head_path(desk.settings).stat().st_mode & 0o777 == 0o600
    undo(rule.id, project=ONE, tools=desk)
    assert files_of(root) == before
    assert [path for path in root.rglob("*") if path.is_dir()] == []


def test_a_file_that_changed_since_is_left_alone_until_the_diff_is_made_anew(desk: Tools, root: Path) -> None:
    suggestion = only(desk, root)
    (root / "CLAUDE.md").write_text("# Ours\n")
    assert is_stale(suggestion, LocalPages())
    with pytest.raises(Conflict, match="changed since") as caught:
        apply(suggestion.id, project=ONE, tools=desk)
    assert "--rebase" in caught.value.fix and (root / "CLAUDE.md").read_text() == "# Ours\n"
    assert not desk.store.audits()
    apply(suggestion.id, is_rebasing=True, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").read_text() == f"# Ours\n\n## Lessons\n\n- {IMAGES}\n"


def test_a_diff_of_another_clone_is_made_anew_here(desk: Tools, root: Path, tmp_path: Path) -> None:
    suggestion = only(desk, root)
    clone = tmp_path / "clone"
    clone.mkdir()
    with pytest.raises(Conflict, match="made in"):
        apply(suggestion.id, project=ONE, root=str(clone), tools=desk)
    assert apply_safe(project=ONE, root=str(clone), tools=desk) == ()
    apply(suggestion.id, is_rebasing=True, project=ONE, root=str(clone), tools=desk)
    assert IMAGES in (clone / "CLAUDE.md").read_text() and IMAGES not in (root / "CLAUDE.md").read_text()


def test_a_rule_in_a_persons_own_words_is_modified(desk: Tools, root: Path) -> None:  # HB-089, HB-117
    suggestion = only(desk, root)
    changed = patch(suggestion.id, "Look at\nwhat is read", by="anna", project=ONE, tools=desk)
    assert changed.status is Status.PENDING and "Look at what is read" in diff(changed.edits)
    rule = apply(suggestion.id, project=ONE, tools=desk)
    assert rule.status is Status.MODIFIED
    assert b"* Look at what is read\r\n" in (root / "CLAUDE.md").read_bytes()
    assert IMAGES.encode() not in (root / "CLAUDE.md").read_bytes()


def test_a_person_may_send_it_elsewhere(desk: Tools, root: Path) -> None:
    suggestion = only(desk, root)
    moved = patch(suggestion.id, "", destination="brain_inbox", project=ONE, tools=desk)
    assert moved.destination is Destination.BRAIN_INBOX and moved.edits[0].path.startswith("inbox/")
    with pytest.raises(BadValue):
        patch(suggestion.id, "", destination="settings_json", project=ONE, tools=desk)
    set_ = patch(suggestion.id, "Bash(rm:*)", destination="settings_json", project=ONE, tools=desk)
    assert set_.data["value"] == "Bash(rm:*)"
    for text, place in (("", ""), ("x", "moon")):
        with pytest.raises(BadValue):
            patch(suggestion.id, text, destination=place, project=ONE, tools=desk)


def test_what_was_refused_never_comes_back(desk: Tools, root: Path) -> None:  # HB-118, HB-089
    before = files_of(root)
    suggestion = only(desk, root)
    refused = refuse(suggestion.id, reason="we know", by="anna", project=ONE, tools=desk)
    assert refused.status is Status.REFUSED and refused.note == "we know" and files_of(root) == before
    keep(
        desk.store,
        a_memory("again", id="mem-again", kind=Kind.SCAR, body={"outcome": "failure", "check_added": IMAGES}),
    )
    result = learned(desk, root)
    assert result.suggestions == () and "refused" in result.passed_by[0][1]
    assert not feed(ONE, store=desk.store, now=NOW)
    for decide in (apply, refuse):
        with pytest.raises(Conflict):
            decide(suggestion.id, project=ONE, tools=desk)  # type: ignore[operator]


def test_every_decision_leaves_its_trace(desk: Tools, root: Path) -> None:  # HB-114, HB-088
    for lesson in EVERYWHERE.values():
        engraved(desk, lesson)
    one, two, three, *_ = learned(desk, root).suggestions
    apply(one.id, project=ONE, tools=desk)
    refuse(two.id, reason="a reason with words", project=ONE, tools=desk)
    patch(three.id, "In my words", destination="claude_md", project=ONE, tools=desk)
    apply(three.id, project=ONE, tools=desk)
    assert [entry.action for entry in desk.store.audits()] == ["apply", "refuse", "patch", "apply"]
    assert not any("reason with words" in str(entry.detail) for entry in desk.store.audits())


def test_a_snoozed_one_comes_back(desk: Tools, root: Path, clock: FakeClock) -> None:
    suggestion = only(desk, root)
    snooze(suggestion.id, until=NOW + timedelta(days=7), project=ONE, tools=desk)
    assert not feed(ONE, store=desk.store, now=clock.now())
    assert len(feed(ONE, store=desk.store, now=clock.now(), with_snoozed=True)) == 1
    assert len(feed(ONE, store=desk.store, now=clock.forward(days=7))) == 1
    with pytest.raises(BadValue):
        snooze(suggestion.id, until=NOW, project=ONE, tools=desk)


def test_an_undo_of_a_file_that_somebody_changed_is_offered_as_a_merge(desk: Tools, root: Path) -> None:
    rule = apply(only(desk, root).id, project=ONE, tools=desk)
    page = root / "CLAUDE.md"
    page.write_bytes(page.read_bytes() + b"* Mine\r\n")
    with pytest.raises(Conflict, match="after the rule") as caught:
        undo(rule.id, project=ONE, tools=desk)
    assert "--merge" in caught.value.fix
    undone = undo(rule.id, is_merging=True, project=ONE, tools=desk)
    assert undone.status is Status.UNDONE and b"* Mine" in page.read_bytes()
    assert IMAGES.encode() not in page.read_bytes()
    with pytest.raises(Conflict):
        undo(rule.id, project=ONE, tools=desk)


def test_rules_on_top_of_one_that_is_undone_stay(desk: Tools, root: Path) -> None:
    lessons = [f"Look into `src/{name}.py` before you change it" for name in ("alpha", "beta", "gamma")]
    ids = [only(desk, root, lesson).id for lesson in lessons]
    for one in ids:
        apply(one, project=ONE, tools=desk)  # diffs of those that wait follow the file
    undo(ids[0], project=ONE, tools=desk)
    text = (root / "CLAUDE.md").read_text()
    assert lessons[0] not in text and lessons[1] in text and lessons[2] in text and text.count("## Lessons") == 1
    apply(ids[0], is_rebasing=True, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").read_text().index(lessons[0]) > text.index(lessons[2])


def test_all_that_is_safe_is_applied_at_once(desk: Tools, root: Path) -> None:
    for lesson in EVERYWHERE.values():
        engraved(desk, lesson)
    learned(desk, root)
    done = apply_safe(by="anna", project=ONE, tools=desk)
    assert {one.destination for one in done} == set(Destination) - {Destination.SETTINGS_JSON}
    assert [one.destination for one in feed(ONE, store=desk.store, now=NOW)] == [Destination.SETTINGS_JSON]


class Failing(LocalPages):
    """A disk that fails at the second file."""

    def __init__(self) -> None:
        self.left = 1

    def write(self, folder: str, path: str, *, content: bytes | None, expected: bytes | None, made: int = 0) -> int:
        self.left -= 1
        if self.left == -1:
            raise DiskFull("no room", fix="make some")
        return super().write(folder, path, content=content, expected=expected, made=made)


def test_an_apply_that_fails_half_way_leaves_nothing_behind(desk: Tools, root: Path) -> None:
    before = files_of(root)
    suggestion = only(desk, root, EVERYWHERE[Destination.MEMORY])
    with pytest.raises(DiskFull):
        apply(suggestion.id, project=ONE, tools=replace(desk, pages=Failing()))
    assert files_of(root) == before and not desk.store.audits()
    kept = desk.store.suggestion(suggestion.id)
    assert kept is not None and kept.status is Status.PENDING


def test_a_change_that_outlived_a_crash_is_taken_for_done(desk: Tools, root: Path) -> None:
    suggestion = only(desk, root)
    (root / "CLAUDE.md").write_bytes(suggestion.edits[0].after or b"")
    apply(suggestion.id, project=ONE, tools=desk)
    undo(suggestion.id, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").read_bytes() == suggestion.edits[0].before


def test_a_link_stays_a_link_and_one_that_leads_out_is_refused(desk: Tools, root: Path, tmp_path: Path) -> None:
    (root / "CLAUDE.md").rename(root / "RULES.md")
    (root / "CLAUDE.md").symlink_to("RULES.md")
    rule = apply(only(desk, root).id, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").is_symlink() and IMAGES in (root / "RULES.md").read_text()
    undo(rule.id, project=ONE, tools=desk)
    (root / "CLAUDE.md").unlink()
    (tmp_path / "outside").write_text("theirs")
    (root / "CLAUDE.md").symlink_to(tmp_path / "outside")
    engraved(desk, "Look into `src/b.py` before you change it")
    assert "leads out" in learned(desk, root).passed_by[-1][1]
    assert (tmp_path / "outside").read_text() == "theirs"


# --- after a rule


def test_a_rule_without_effect_is_proposed_for_removal_once(desk: Tools, root: Path, clock: FakeClock) -> None:
    before = (root / "CLAUDE.md").read_bytes()
    failed_and_cured(desk)
    (suggestion,) = learned(desk, root).suggestions
    rule = apply(suggestion.id, project=ONE, tools=desk)
    assert rules(ONE, store=desk.store)[0].effect.verdict is Verdict.OPEN
    for number in range(2):
        one = Log(session=f"later-{number}").ran("pytest", 1, signature="AssertionError: pool reused")
        desk.store.write(lambda tx, one=one: tx.apply(Changes(activities=(replace(one, at=NOW + timedelta(days=3)),))))
    clock.forward(days=4)
    assert rules(ONE, store=desk.store)[0].effect.verdict is Verdict.IDLE
    (removal,) = [one for one in learned(desk, root).suggestions if one.removes]
    assert removal.removes == rule.id and removal.destination is rule.destination
    assert not [one for one in learned(desk, root).suggestions if one.removes]
    apply(removal.id, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").read_bytes() == before and not rules(ONE, store=desk.store)
    undo(removal.id, project=ONE, tools=desk)
    assert [one.suggestion.id for one in rules(ONE, store=desk.store)] == [rule.id]
    undo(rule.id, project=ONE, tools=desk)
    assert (root / "CLAUDE.md").read_bytes() == before


def test_the_walk_leads_from_a_line_to_what_agents_did(desk: Tools, root: Path) -> None:  # HB-098
    failed_and_cured(desk)
    (suggestion,) = learned(desk, root).suggestions
    apply(suggestion.id, by="anna", project=ONE, tools=desk)
    lines = (root / "CLAUDE.md").read_text().split("\n")
    number = next(at for at, line in enumerate(lines, 1) if suggestion.text in line)
    found = at_line(f"CLAUDE.md:{number}", project=ONE, root=str(root), tools=desk)
    walk = why_rule(found, store=desk.store)
    assert walk.scar is not None and walk.scar.memory.id == suggestion.scar_id and walk.scar.receipt is not None
    assert [one.deed for one in walk.activities] == ["gate", "edit", "gate"]
    assert [one.action for one in walk.decisions] == ["apply"]
    for place in ("CLAUDE.md:1", "CLAUDE.md:999", "nothing.md:1", "CLAUDE.md:x"):
        with pytest.raises(UnknownMemory):
            at_line(place, project=ONE, root=str(root), tools=desk)


def test_a_month_without_a_person_grows_knowledge_and_changes_no_rule(
    desk: Tools, root: Path, clock: FakeClock
) -> None:  # X-02, HB-113
    before = files_of(root)
    for day in range(30):
        failed_and_cured(desk, f"day-{day}")
        engraved(desk, f"Look into `src/m{day}.py` before day {day} is over")
        learned(desk, root)
        clock.forward(days=1)
    assert files_of(root) == before and len(scars(ONE, store=desk.store)) > 30
    assert len(feed(ONE, store=desk.store, now=clock.now())) > 20 and not desk.store.audits()


def test_a_log_that_lost_its_note_or_its_end_is_told(desk: Tools, root: Path) -> None:
    for name in ("alpha", "beta"):
        apply(only(desk, root, f"Look into `src/{name}.py` before it changes").id, project=ONE, tools=desk)
    assert audit(desk).fault is None and audit(desk).anchored == 2
    note = head_path(desk.settings)
    good = note.read_bytes()
    note.write_bytes(b"3 " + good[2:])
    fault = audit(desk).fault
    assert fault is not None and fault.seq == 3
    note.write_bytes(b"nonsense")
    assert audit(desk).fault is not None
    note.unlink()
    assert audit(desk).fault is not None
    apply(only(desk, root, "Look into `src/gamma.py` before it changes").id, project=ONE, tools=desk)
    assert audit(desk).fault is None and audit(desk).anchored == 3, "a person who removed it knows why"


def decided(desk: Tools, root: Path, count: int) -> None:
    for number in range(count):
        lesson = f"Look into `src/{chr(97 + number) * 5}.py` before it changes"
        engraved(desk, lesson, title=f"Broken again: {chr(97 + number) * 5}")
    for one in learned(desk, root).suggestions:
        apply(one.id, by="anna", project=ONE, tools=desk)
    assert len(desk.store.audits()) == count and audit(desk).fault is None


def test_a_decision_after_a_cut_does_not_cover_it_up(desk: Tools, root: Path) -> None:
    decided(desk, root, 4)
    old = head_path(desk.settings).read_bytes()
    if isinstance(desk.store, SqliteStore):  # as somebody would who knows the file: rows and the note beside them
        db = desk.store._connection()
        db.execute("DELETE FROM audit WHERE seq > 2")
        (two,) = db.execute("SELECT hash FROM audit WHERE seq = 2").fetchall()
        db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (f"2 {two[0]}\n",))
    else:
        assert isinstance(desk.store, DictStore)
        desk.store._tables.audits = {seq: one for seq, one in desk.store._tables.audits.items() if seq <= 2}
    apply(only(desk, root, "Look into `src/zeta.py` before it changes").id, project=ONE, tools=desk)
    apply(only(desk, root, "Look into `src/theta.py` before it changes").id, project=ONE, tools=desk)
    assert len(desk.store.audits()) == 4 and head_path(desk.settings).read_bytes() == old
    fault = audit(desk).fault
    assert fault is not None and fault.seq == 4
    anchor(desk, is_cut=True)
    assert audit(desk).fault is None, "who puts back an older store knows what is missing"


def test_a_broken_log_is_a_finding_with_what_to_do(desk: Tools, root: Path) -> None:
    decided(desk, root, 2)
    (finding,) = findings(desk)
    assert finding.is_ok and finding.what == "the log of decisions is whole: 2 entries"
    note = head_path(desk.settings)
    note.write_bytes(b"7 " + note.read_bytes()[2:])
    (finding,) = findings(desk)
    assert not finding.is_ok and "broken at entry 3" in finding.what
    assert "hindbrain audit list" in finding.fix and "backup" in finding.fix and str(note) in finding.fix
