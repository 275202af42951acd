"""What a session teaches without saying so: the five extraction points of Dex, and commands that failed and then ran.

The whole session is read every time, because a failure may lie before the cursor and its cure behind it; only
what was set off behind the cursor is returned, so that nothing is learned twice (F-32, F-33).
"""

from collections.abc import Iterator, Sequence

from hindbrain.core.learn.cures import cures
from hindbrain.core.learn.findings import findings
from hindbrain.core.learn.fixes import fixes
from hindbrain.core.learn.hats import CREATOR, CRITIC, EXPLORER, PLANNER, Transition, transitions, worn
from hindbrain.core.learn.lesson import Lesson, origin
from hindbrain.core.learn.statements import COMPLETED, EXPLORED, PLANNED, statements
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.shape.file_refs import file_refs_of
from hindbrain.core.shape.title import title_of

_CRITIC_CONFIDENCE = 0.6
_AFTER = {EXPLORER: (PLANNER, CREATOR), PLANNER: (CREATOR,), CRITIC: (CREATOR,)}  # whose transitions teach
_TYPES = {EXPLORER: EXPLORED, PLANNER: PLANNED}


def lessons(activities: Sequence[Activity], *, after: int) -> tuple[Lesson, ...]:
    """Lessons whose cause has a `seq` beyond `after`, in the order of their causes. Sessions are read apart."""
    sessions: dict[str, list[Activity]] = {}
    for one in activities:
        sessions.setdefault(one.session, []).append(one)
    found = [lesson for log in sessions.values() for lesson in _of_session(log) if lesson.cause.seq > after]
    return tuple(sorted(found, key=lambda lesson: lesson.cause.seq))


def _of_session(log: Sequence[Activity]) -> Iterator[Lesson]:
    hats = worn(log)
    for cure in cures(log):
        yield from fixes(cure, hat=hats[cure.passed.index])
    read: set[int] = set()  # answers that a transition has used up
    for transition in transitions(log):
        yield from _at_transition(transition, log, hats=hats, read=read)
    for index, one in enumerate(log):
        if one.deed is Deed.COMPLETION or (one.deed is Deed.END and not one.agent):
            yield from _at_completion(index, log, hat=hats[index], read=read)


def _at_transition(
    transition: Transition, log: Sequence[Activity], *, hats: Sequence[str], read: set[int]
) -> Iterator[Lesson]:
    before = transition.before
    if transition.after not in _AFTER.get(before, ()):
        return
    said = [at for at in range(transition.index) if at not in read and _is_answer(log[at]) and hats[at] == before]
    read.update(said)
    answers = [log[at] for at in said]
    rule = f"hat_transition:{before}->{transition.after}"
    if before == CRITIC:
        yield from _pitfalls(answers, rule=rule, cause=transition.cause)
    else:
        yield from _stated(answers, types=_TYPES[before], rule=rule, cause=transition.cause, hat=before)


def _at_completion(index: int, log: Sequence[Activity], *, hat: str, read: set[int]) -> Iterator[Lesson]:
    """The completion's own words, and the answer right before it by the same agent.

    The end of a session completes whatever was worked on: most clients name no task.
    """
    done = log[index]
    before = [at for at in range(index) if log[at].deed is Deed.RESPONSE and log[at].agent == done.agent][-1:]
    fresh = [at for at in (*before, index) if at not in read and log[at].detail.strip()]
    read.update(fresh)
    answers = [log[at] for at in fresh]
    yield from _stated(answers, types=COMPLETED, rule="task:completed", cause=done, hat=hat)


def _pitfalls(answers: Sequence[Activity], *, rule: str, cause: Activity) -> Iterator[Lesson]:
    for answer in answers:
        for finding in findings(answer.detail):
            yield Lesson(
                rule=rule,
                type="pitfall",
                title=finding.title,
                content=finding.description,
                cause=cause,
                confidence=_CRITIC_CONFIDENCE,
                tags=("review", "critic-finding"),
                hat=CRITIC,
                file_refs=file_refs_of(finding.description),
                body=origin(answer, cause),
            )


def _stated(
    answers: Sequence[Activity], *, types: Sequence[str], rule: str, cause: Activity, hat: str
) -> Iterator[Lesson]:
    for statement in statements([answer.detail for answer in answers], types):
        yield Lesson(
            rule=rule,
            type=statement.type,
            title=title_of(statement.text),
            content=statement.text,
            cause=cause,
            tags=(statement.type,),
            hat=hat,
            file_refs=file_refs_of(statement.text),
            body=origin(*answers, cause),
        )


def _is_answer(activity: Activity) -> bool:
    """What an agent said: an answer, or the last words that the end of a subagent carries."""
    is_said = activity.deed is Deed.RESPONSE or (activity.deed is Deed.END and bool(activity.agent))
    return is_said and bool(activity.detail.strip())
