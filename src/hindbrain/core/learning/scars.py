"""Which failures and victories leave a scar: an error that was put right, and a way that worked again and again.

The lesson of a failure is what was done against it; the lesson of a victory is what to do again (HB-093).
"""

from collections.abc import Iterator, Mapping, Sequence

from hindbrain.core.learn.cures import Attempt, Cure, attempts, cures
from hindbrain.core.learn.fixes import fixes
from hindbrain.core.learn.lesson import Lesson
from hindbrain.core.learning.importance import importance
from hindbrain.core.model.activity import Activity, Result
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.outcome import Effect, Outcome
from hindbrain.core.shape.key import content_hash
from hindbrain.core.shape.title import title_of
from hindbrain.core.value import dataclass, replace

FAILURE, VICTORY = "failure", "victory"
OUTCOMES = (FAILURE, VICTORY)  # HB-092
_REPRODUCED = 3  # times that another way must have worked, and never failed, to be a victory


@dataclass(frozen=True, slots=True, kw_only=True)
class Scar:
    """What is to be engraved."""

    outcome: str
    title: str
    lesson: str
    importance: int
    is_learnable: bool = True
    signature: str = ""  # of the error
    activities: tuple[str, ...] = ()  # ids of what was done
    sources: tuple[str, ...] = ()  # ids of memories that it speaks of
    file_refs: tuple[str, ...] = ()
    session: str = ""
    seq: int = 0  # of the activity that completed it

    @property
    def key(self) -> str:
        return lesson_key(self.lesson, self.signature)


def lesson_key(lesson: str, signature: str = "") -> str:
    """What two scars of the same lesson have in common: the error, where there is one; else the words."""
    return f"error:{content_hash(signature)}" if signature else f"text:{content_hash(lesson)}"


def key_of(memory: Memory) -> str:
    """The same for a scar that is kept."""
    return lesson_key(lesson_of(memory), memory.error_signature or "")


def lesson_of(memory: Memory) -> str:
    return str(memory.body.get("check_added") or memory.content)


def is_learnable(memory: Memory) -> bool:
    """Whether the engine may make a suggestion of it (HB-095)."""
    return memory.body.get("is_learnable") is not False


def scars_from(activities: Sequence[Activity], *, after: int = 0) -> tuple[Scar, ...]:
    """Scars that were completed by an activity with a `seq` beyond `after`, in that order. Sessions are read apart,
    but what came back in several of them weighs more."""
    sessions: dict[str, list[Activity]] = {}
    for one in activities:
        sessions.setdefault(one.session, []).append(one)
    seen = _seen(activities)
    victories = tuple(_victories(sessions))
    failures = (scar for log in sessions.values() for scar in _of_session(log, seen))
    found = [*(_beside(scar, victories) for scar in failures), *victories]
    return tuple(sorted((scar for scar in found if scar.seq > after), key=lambda scar: (scar.seq, scar.outcome)))


def scars_of_outcomes(outcomes: Sequence[Outcome], memories: Mapping[str, Memory]) -> tuple[Scar, ...]:
    """Scars of what agents were told: a failure that came back though the session knew better is worth a rule; a
    memory that misled is worth remembering, and worth a rule where somebody said why."""
    found = []
    for outcome in outcomes:
        memory = memories.get(outcome.memory_id)
        if memory and outcome.effect is Effect.HURT and not outcome.is_withheld:
            found.append(_recurred(outcome, memory) if outcome.how == "recurred" else _misled(outcome, memory))
    return tuple(found)


def _recurred(outcome: Outcome, memory: Memory) -> Scar:
    lesson = lesson_of(memory)
    return Scar(
        outcome=FAILURE,
        title=title_of(f"It came back, although it was known: {memory.title}"),
        lesson=lesson,
        importance=importance(lesson, sessions=2),
        signature=memory.error_signature or "",
        sources=(memory.id,),
        file_refs=memory.file_refs,
        session=outcome.session,
    )


def _misled(outcome: Outcome, memory: Memory) -> Scar:
    why = f" {outcome.note.strip()}" if outcome.note.strip() else ""
    return Scar(
        outcome=FAILURE,
        title=title_of(f"What was remembered misled: {memory.title}"),
        lesson=f"Do not rely on “{memory.title}”.{why}",
        importance=importance(memory.content),
        is_learnable=bool(why) and outcome.how == "person",
        sources=(memory.id,),
        file_refs=memory.file_refs,
        session=outcome.session,
    )


def _seen(activities: Sequence[Activity]) -> Mapping[str, int]:
    """In how many sessions each error was seen."""
    found: dict[str, set[str]] = {}
    for one in activities:
        if one.signature:
            found.setdefault(one.signature, set()).add(one.session)
    return {signature: len(sessions) for signature, sessions in found.items()}


def _of_session(log: Sequence[Activity], seen: Mapping[str, int]) -> Iterator[Scar]:
    for cure in cures(log):
        for lesson in fixes(cure, hat=""):
            if lesson.type == "fix":
                yield _failure(cure, lesson, sessions=seen.get(cure.failed.signature, 1))


def _failure(cure: Cure, lesson: Lesson, *, sessions: int) -> Scar:
    problem, _, fix = lesson.content.partition("\n\n**Fix:** ")
    problem = problem.removeprefix("**Problem:** ")
    steps = cure.passed.index - cure.failed.index
    # Once, and only by a command that is no gate, may have been anything.
    is_sure = (cure.failed.is_gate and not _is_plain(cure)) or cure.instead or sessions > 1
    what = _CALLED.get(cure.failed.name, f"`{cure.failed.name}` fails")
    return Scar(
        outcome=FAILURE,
        title=title_of(problem),
        lesson=f"When {what} with “{problem}”, try what ended it before: {fix}",
        importance=importance(problem, steps=steps, sessions=sessions, is_gate=cure.failed.is_gate),
        is_learnable=is_sure,
        signature=cure.failed.signature,
        activities=tuple(one.id for one in cure.sources),
        file_refs=lesson.file_refs,
        session=cure.passed.activity.session,
        seq=cure.passed.activity.seq,
    )


def _beside(failure: Scar, victories: Sequence[Scar]) -> Scar:
    """A failure whose cure was to call it another way, which is a victory by now, needs no rule of its own."""
    is_told = any(set(failure.activities) <= set(one.activities) for one in victories)
    return replace(failure, is_learnable=failure.is_learnable and not is_told)


def _is_plain(cure: Cure) -> bool:
    """Whether a compiler or a linter named the very file that was put right: whoever meets it again is told again."""
    is_static = cure.failed.name in _STATIC and not cure.commands and not cure.instead
    return is_static and all(edit.path.rpartition("/")[2] in cure.failed.detail for edit in cure.edits)


_STATIC = ("build", "format", "lint", "types")
_CALLED = {
    "build": "the build fails",
    "format": "the formatter complains",
    "lint": "the linter complains",
    "tests": "the tests fail",
    "types": "the type check fails",
}


def _victories(sessions: Mapping[str, Sequence[Activity]]) -> Iterator[Scar]:
    """A command that was called another way where the usual one had failed, and that worked ever since."""
    tries: dict[str, list[Attempt]] = {}
    for log in sessions.values():
        for one in attempts(log):
            tries.setdefault(one.command, []).append(one)
    for log in sessions.values():
        for cure in cures(log):
            ran = tries.pop(cure.passed.command, []) if cure.instead else []
            if _is_reproduced(ran):
                yield _victory(cure, ran)


def _is_reproduced(ran: Sequence[Attempt]) -> bool:
    return len(ran) >= _REPRODUCED and all(one.result is Result.PASSED for one in ran)


def _victory(cure: Cure, ran: Sequence[Attempt]) -> Scar:
    last = max(ran, key=lambda one: one.activity.seq).activity
    good, bad = cure.passed.command[:_SHOWN], cure.failed.command[:_SHOWN]
    return Scar(
        outcome=VICTORY,
        title=title_of(f"Called another way it works: `{good}`"),
        lesson=f"Run `{good}`, not `{bad}`: it worked each of {len(ran)} times.",
        importance=importance(good, sessions=len({one.activity.session for one in ran})),
        signature="",
        activities=tuple(dict.fromkeys((*(one.id for one in cure.sources), *(one.activity.id for one in ran)))),
        session=last.session,
        seq=last.seq,
    )


_SHOWN = 160  # characters of a command
