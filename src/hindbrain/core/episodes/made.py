"""How the log of a task becomes its episode: goal, limits, actions, errors with their cures, and how it came out."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from hindbrain.core.episodes.episode import Action, Ending, Episode, Trouble
from hindbrain.core.episodes.tasks import Task, tasks
from hindbrain.core.learn.cures import Attempt, Cure, attempts, cures, exit_code
from hindbrain.core.learn.edits import edit_of
from hindbrain.core.learn.failures import summary
from hindbrain.core.learn.fixes import is_idle, remedy
from hindbrain.core.learn.gates import gate_of
from hindbrain.core.learn.reading import parts, plain, sentences
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.record import fingerprint

MOST_ACTIONS = 600  # of one task; of a longer one the middle is left out
_MOST_FILES = 60
_MOST_LIMITS = 10
_GOAL, _LIMIT, _TARGET, _MESSAGE = 300, 200, 200, 300  # characters
_RUNS = {"tests": "run_test", "lint": "run_lint", "types": "run_types", "build": "run_build", "format": "run_format"}
_RESULTS = {Result.PASSED: "pass", Result.FAILED: "fail", Result.UNKNOWN: ""}


def episodes(activities: Sequence[Activity]) -> tuple[Episode, ...]:
    """One for each task of one session (LK-042); none of a task of which there is nothing to tell."""
    made = (_episode(task) for task in tasks(activities))
    return tuple(one for one in made if one.goal or one.errors or any(_is_change(action) for action in one.actions))


def _is_change(action: Action) -> bool:
    return action.action in ("edit_file", "write_file", "commit")


def action_of(gate: str) -> str:
    """What running a quality gate is called in an action log."""
    return _RUNS.get(gate, f"run_{gate}")


def _episode(task: Task) -> Episode:
    log = task.log
    first, last = log[0], log[-1]
    errors = tuple(_errors(log))
    ending, reason = _ending(log)
    actions = tuple(_actions(log))
    edited = tuple(dict.fromkeys(edit_of(one).path for one in log if _is_edit(one)))
    seen = tuple(dict.fromkeys(edit_of(one).path for one in log if _is_edit(one) or _is_read(one)))
    return Episode(
        name=_name(task),
        task=task.name or (first.session if task.number == 1 else f"{first.session}#{task.number}"),
        began_at=first.at,
        duration_s=round(max((last.at - first.at).total_seconds(), 0.0), 1),
        agent=next((one.client for one in log if one.client), "agent"),
        phase=_phase(log),
        goal=_goal(log) or task.name,
        constraints=_limits(log),
        files=seen[:_MOST_FILES],
        actions=(*actions[: MOST_ACTIONS // 2], *actions[MOST_ACTIONS // 2 :][-MOST_ACTIONS // 2 :]),
        ending=ending,
        ending_reason=reason,
        errors=errors,
        artifacts=edited[:_MOST_FILES],
        commit=next((one.subject for one in reversed(log) if one.deed is Deed.COMMIT and one.subject), ""),
        session=first.session,
        left_out=max(len(actions) - MOST_ACTIONS, 0),
    )


def _name(task: Task) -> str:
    first = task.log[0]
    return f"ep-{first.at.date()}-{fingerprint([first.project, first.session, task.name, task.number])[:8]}"


def _is_edit(one: Activity) -> bool:
    return one.deed is Deed.EDIT and one.result is not Result.FAILED and bool(one.subject.strip())


def _is_read(one: Activity) -> bool:
    return one.deed is Deed.READ and bool(one.subject.strip()) and "://" not in one.subject


def _phase(log: Sequence[Activity]) -> str:
    """As somebody said it, else as whom the agent worked, else by what was done."""
    told = [str(one.data["phase"]) for one in log if isinstance(one.data.get("phase"), str) and one.data["phase"]]
    hats = [one.hat for one in log if one.hat]
    if told or hats:
        return (told or hats)[-1]
    if any(_is_edit(one) for one in log):
        return "development"
    return "testing" if any(one.deed is Deed.GATE for one in log) else "exploration"


def _goal(log: Sequence[Activity]) -> str:
    """The first sentence or two of the first prompt; else what the completion says was done."""
    asked = (_first_words(one.detail or one.subject) for one in log if one.deed is Deed.PROMPT)
    done = (_first_words(one.detail or one.subject) for one in log if one.deed is Deed.COMPLETION)
    return next(filter(None, (*asked, *done)), "")


def _first_words(text: str) -> str:
    """Without what clients put around a prompt: tags, and notices in brackets."""
    lines = (" ".join(line.split()) for line in text[:20_000].splitlines())
    line = next((line for line in lines if line and not line.startswith(("<", "[", "```", "Caveat:"))), "")
    line = plain(line.lstrip("#*- ")).strip()
    return line if len(line) <= _GOAL else line[: _GOAL - 1].rstrip() + "…"


def _limits(log: Sequence[Activity]) -> tuple[str, ...]:
    """What a person said that must, must not, or may only be."""
    said = (
        sentence.strip().rstrip(".")
        for one in log
        if one.deed is Deed.PROMPT
        for part in parts(one.detail)
        for sentence in sentences(plain(part.text))
    )
    found = [one for one in said if len(one) <= _LIMIT and not one.endswith("?") and _limit().search(one)]
    return tuple(dict.fromkeys(found))[:_MOST_LIMITS]


@cache
def _limit() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:must|never|do not|don't|may not|cannot use|without (?:any|a|adding|changing|breaking|touching|using)"
        r"|avoid|at most|at least|no more than|no (?:new |third.party |external |extra )?(?:deps|dependencies|packages)"
        r"|only use|keep (?:the|it|all|every|existing))\b|[<>≤≥]=?\s?\d",
        re.IGNORECASE,
    )


def _actions(log: Sequence[Activity]) -> Iterator[Action]:
    began = log[0].at
    is_asked = False
    gates = _gated(log)
    for one in log:
        t = round(max((one.at - began).total_seconds(), 0.0), 1)
        if one.deed is Deed.PROMPT:
            if is_asked:  # the first one is the goal
                yield Action(t=t, action="prompt", target=_cut(_first_words(one.detail or one.subject)))
            is_asked = True
        elif one.deed is Deed.COMMAND and one.id not in gates:
            yield _ran(one, t=t)
        elif one.deed is Deed.GATE:
            yield _gate(one, t=t)
        elif name := _plain_action(one):
            yield Action(t=t, action=name, target=_cut(_target(one)))


def _plain_action(one: Activity) -> str:
    match one.deed:
        case Deed.READ:
            return "read_file"
        case Deed.EDIT:
            return "write_file" if edit_of(one).is_new_file else "edit_file"
        case Deed.COMMIT:
            return "commit"
        case Deed.AGENT:
            return "start_agent"
        case Deed.HAT:
            return "change_hat"
        case Deed.COMPLETION:
            return "complete"
    return ""


def _target(one: Activity) -> str:
    return edit_of(one).path if one.deed in (Deed.READ, Deed.EDIT) else one.subject


def _gated(log: Sequence[Activity]) -> frozenset[str]:
    """Commands whose gate has a line of its own."""
    found: set[str] = set()
    for one, after in pairwise(log):
        is_same = after.deed is Deed.GATE and after.data.get("command") == one.subject
        if one.deed is Deed.COMMAND and (is_same or (after.deed is Deed.GATE and one.ref and one.ref == after.ref)):
            found.add(one.id)
    return frozenset(found)


def _ran(one: Activity, *, t: float) -> Action:
    code = exit_code(one)
    gate = gate_of(one.subject, output=one.detail, exit_code=code)
    result = gate.result if gate else one.result
    name = action_of(gate.name) if gate else "run_command"
    return Action(t=t, action=name, target=_cut(one.subject), result=_RESULTS[result], error=_error(one, result))


def _gate(one: Activity, *, t: float) -> Action:
    target = str(one.data.get("command") or one.subject)
    name = action_of(one.subject.strip().lower() or "check")
    return Action(t=t, action=name, target=_cut(target), result=_RESULTS[one.result], error=_error(one, one.result))


def _error(one: Activity, result: Result) -> str:
    return summary(one.detail, signature=one.signature)[:_MESSAGE] if result is Result.FAILED else ""


def _errors(log: Sequence[Activity]) -> Iterator[Trouble]:
    """Each failure once, with what cured it."""
    cured = {id(cure.failed.activity): cure for cure in cures(log)}
    last: dict[tuple[tuple[str, ...], str], tuple[Attempt, str]] = {}
    for attempt in attempts(log):
        message = summary(attempt.detail, signature=attempt.signature) if attempt.result is Result.FAILED else ""
        if message:
            key = (attempt.key, attempt.signature or message)
            known = last.get(key)
            if known is None or id(known[0].activity) not in cured:
                last[key] = (attempt, message)
    for attempt, message in last.values():
        yield _trouble(attempt, message, cure=cured.get(id(attempt.activity)))


def _trouble(attempt: Attempt, message: str, *, cure: Cure | None) -> Trouble:
    return Trouble(
        type=_type(attempt),
        message=message[:_MESSAGE],
        resolution=remedy(cure) if cure else "",
        action=action_of(attempt.name) if attempt.is_gate else "run_command",
        command=_cut(attempt.command),
        signature=attempt.signature,
        is_slip=is_idle(cure) if cure else False,
    )


def _type(attempt: Attempt) -> str:
    """`RuntimeError in tests`, `tests failed`, `npm install failed`."""
    kind = attempt.signature.partition(":")[0]
    is_kind = bool(kind) and kind not in ("FAILED", "ERROR", "FAIL", "error", "fatal") and " " not in kind
    return f"{kind} in {attempt.name}" if is_kind else f"{attempt.name} failed"


def _ending(log: Sequence[Activity]) -> tuple[str, str]:
    """By what was said at the end, else by the last word of each gate, else by what was finished."""
    done = [one for one in log if one.deed is Deed.COMPLETION]
    said = done[-1].result if done else Result.UNKNOWN
    if said is not Result.UNKNOWN:
        return (Ending.SUCCESS, "completed") if said is Result.PASSED else (Ending.FAILURE, "it was given up")
    is_finished = bool(done) or any(one.deed is Deed.COMMIT for one in log)
    if by_gates := _by_gates(log, is_finished=is_finished):
        return by_gates
    if is_finished:
        return Ending.SUCCESS, "completed" if done else "committed"
    return Ending.PARTIAL, "nothing says that it was finished"


def _by_gates(log: Sequence[Activity], *, is_finished: bool) -> tuple[str, str] | None:
    failed, passed = (_last_words(log, result) for result in (Result.FAILED, Result.PASSED))
    if failed:
        ending = Ending.PARTIAL if passed or is_finished else Ending.FAILURE
        return ending, f"{', '.join(failed)} failed last"
    return (Ending.SUCCESS, f"{', '.join(passed)} passed last") if passed else None


def _last_words(log: Sequence[Activity], result: Result) -> list[str]:
    """Gates that ended so."""
    gates = [one for one in attempts(log) if one.is_gate and one.result is not Result.UNKNOWN]
    last = {one.name: one.result for one in gates}
    return sorted(name for name, known in last.items() if known is result)


def _cut(text: str) -> str:
    line = " ".join(text[: 4 * _TARGET].split())
    return line if len(line) <= _TARGET else line[: _TARGET - 1] + "…"
