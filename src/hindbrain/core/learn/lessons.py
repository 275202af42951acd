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
    found = [lesson for log in sessions.values() for lesson in _of_session(log, after=after)]
    return tuple(sorted(found, key=lambda lesson: lesson.cause.seq))


def _of_session(log: Sequence[Activity], *, after: int) -> Iterator[Lesson]:
    hats = worn(log)
    for cure in cures(log):
        if cure.passed.activity.seq > after:
            yield from fixes(cure, hat=hats[cure.passed.index])
    yield from _at_transitions(log, hats, after=after)
    yield from _at_completions(log, hats, after=after)


def _at_transitions(log: Sequence[Activity], hats: Sequence[str], *, after: int) -> Iterator[Lesson]:
    """Each answer is read at the first handing over behind it, and at no later one."""
    unread = [at for at, one in enumerate(log) if hats[at] in _AFTER and _is_answer(one)]
    for transition in transitions(log):
        if transition.after not in _AFTER.get(transition.before, ()):
            continue
        said = [at for at in unread if at < transition.index and hats[at] == transition.before]
        unread = [at for at in unread if at not in said]
        if transition.cause.seq > after:
            yield from _at_transition(transition, [log[at] for at in said])


def _at_transition(transition: Transition, answers: Sequence[Activity]) -> Iterator[Lesson]:
    before = transition.before
    rule = f"hat_transition:{before}->{transition.after}"
    if before == CRITIC:
        yield from _pitfalls(answers, rule=rule, cause=transition.cause)
    else:
        yield from _stated(answers, types=_TYPES[before], rule=rule, cause=transition.cause, hat=before)


def _at_completions(log: Sequence[Activity], hats: Sequence[str], *, after: int) -> Iterator[Lesson]:
    """The completion's own words, and the answer right before it by the same agent, once.

    The end of a session completes whatever was worked on: most clients name no task.
    """
    last: dict[str, Activity] = {}  # the answer of each agent that no completion has used up yet
    for one, hat in zip(log, hats, strict=True):
        if one.deed is Deed.RESPONSE:
            last[one.agent] = one
        elif one.deed is Deed.COMPLETION or (one.deed is Deed.END and not one.agent):
            before = last.pop(one.agent, None)
            answers = [said for said in (before, one) if said and said.detail.strip()]
            if one.seq > after:
                yield from _stated(answers, types=COMPLETED, rule="task:completed", cause=one, hat=hat)


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
