"""When a failure is cured, and by what: from the last failure of a run to the next success of the same thing.

What passes without any change in between was flaky, and teaches nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from hindbrain.core.learn.edits import Edit, edit_of, merged
from hindbrain.core.learn.effects import is_looking, is_tidying
from hindbrain.core.learn.gates import STOPPED, gates_in, gates_of, sort_of
from hindbrain.core.learn.launch import Run, runs_of
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed

_MISSING = 127  # the shell's status for a program that is not there


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try of something that may be tried again."""

    index: int  # in the log
    activity: Activity
    key: tuple[str, ...]  # what makes two tries the same thing
    name: str  # of the gate, or what the command is called
    result: Result
    is_gate: bool
    detail: str = ""
    signature: str = ""
    command: str = ""
    run: Run | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    failed: Attempt  # the last of its run
    passed: Attempt
    edits: tuple[Edit, ...]
    commands: tuple[str, ...]  # that changed something
    instead: bool  # it passed because it was called another way
    said: tuple[str, ...]  # answers in between
    sources: tuple[Activity, ...]


def cures(activities: Sequence[Activity]) -> Iterator[Cure]:
    """The cures of one session, in the order in which they were found."""
    failed: dict[tuple[str, ...], Attempt] = {}
    for attempt in attempts(activities):
        known = failed.get(attempt.key) or (failed.get(attempt.key[:2]) if attempt.is_gate else None)
        if attempt.result is Result.FAILED:
            failed[attempt.key] = attempt
        elif attempt.result is Result.PASSED and known and _covers(attempt, known):
            failed = {key: other for key, other in failed.items() if other is not known}
            cure = _cure(known, attempt, activities=activities)
            if cure:
                yield cure


def unsolved(activities: Sequence[Activity]) -> tuple[Attempt, ...]:
    """What failed last time it was tried, oldest first."""
    failed: dict[tuple[str, ...], Attempt] = {}
    for attempt in attempts(activities):
        if attempt.result is Result.FAILED:
            failed.pop(attempt.key, None)
            failed[attempt.key] = attempt
        elif attempt.result is Result.PASSED:
            cured = [key for key, other in failed.items() if _is_retry(attempt, other)]
            failed = {key: other for key, other in failed.items() if key not in cured}
    return tuple(failed.values())


def _is_retry(passed: Attempt, failed: Attempt) -> bool:
    is_gate = passed.is_gate and failed.key == passed.key[:2]
    return (passed.key == failed.key or is_gate) and _covers(passed, failed)


def attempts(activities: Sequence[Activity]) -> Iterator[Attempt]:
    """Gates and other commands, each once: what was recorded as a gate is not read from its command again."""
    gates = [one for one in activities if one.deed is Deed.GATE]
    known = {(one.ref, one.subject): one.result for one in gates if one.ref}
    for index, one in enumerate(activities):
        if one.deed is Deed.GATE:
            yield from _gates(one, index)
        elif one.deed is Deed.COMMAND and not _is_cut_off(one):
            yield from (attempt for attempt in _commands(one, index) if _is_news(attempt, known))


def _is_news(attempt: Attempt, known: Mapping[tuple[str, str], Result]) -> bool:
    """Whether no gate was recorded for it; or one that decided nothing, because there was no such program."""
    recorded = known.get((attempt.activity.ref, attempt.name))
    return recorded is None or (recorded is Result.UNKNOWN and is_missing(attempt))


def is_missing(attempt: Attempt) -> bool:
    """Whether it failed because the shell or the interpreter found no such program."""
    has_said = any(word in attempt.signature for word in ("command not found", "No module named", "not found:"))
    return attempt.result is Result.FAILED and has_said


def exit_code(activity: Activity) -> int | None:
    """As the client told it; else as far as the result tells it."""
    code = activity.data.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    return {Result.PASSED: 0, Result.FAILED: 1}.get(activity.result)


def _gates(one: Activity, index: int) -> Iterator[Attempt]:
    command = str(one.data.get("command") or "")
    run = _gate_run(command, one.subject)
    tool = sort_of(run)[1] if run else ""
    reported = () if one.subject else gates_in(one.data)
    for name, result, output in [(gate.name, gate.result, gate.detail) for gate in reported] or [
        (one.subject.strip().lower(), one.result, one.detail)
    ]:
        if name:
            yield Attempt(
                index=index,
                activity=one,
                key=("gate", name, tool) if tool else ("gate", name),
                name=name,
                result=result,
                is_gate=True,
                detail=output,
                signature=one.signature or error_signature_of(output) or "",
                command=command,
                run=run,
            )


def _gate_run(command: str, name: str) -> Run | None:
    return next((run for run in runs_of(command) if sort_of(run)[0] == name), None) if command else None


def _commands(one: Activity, index: int) -> Iterator[Attempt]:
    code = exit_code(one)
    gates = gates_of(one.subject, output=one.detail, exit_code=code)
    for gate in gates:
        yield Attempt(
            index=index,
            activity=one,
            key=("gate", gate.name, gate.tool),
            name=gate.name,
            result=Result.FAILED if code == _MISSING else gate.result,
            is_gate=True,
            detail=one.detail,
            signature=one.signature or error_signature_of(one.detail) or "",
            command=one.subject,
            run=_gate_run(one.subject, gate.name),
        )
    if not gates and code is not None and code not in STOPPED:
        yield from _other(one, index, code=code)


def _other(one: Activity, index: int, *, code: int) -> Iterator[Attempt]:
    """A command that is no gate: its failure counts only with an error of its own, and only if it did not just look."""
    main = [run for run in runs_of(one.subject) if not is_looking(run) or _is_commit(run)]
    if len(main) != 1:
        return
    run = main[0]
    signature = one.signature or error_signature_of(one.detail) or ""
    if run.other_tells if code else run.zero_tells:
        yield Attempt(
            index=index,
            activity=one,
            key=("command", *_without_flags(run)),
            name=_called(run),
            result=_ended(code, signature),
            is_gate=False,
            detail=one.detail,
            signature=signature,
            command=one.subject,
            run=run,
        )


def _ended(code: int, signature: str) -> Result:
    has_error = bool(signature) and not signature.startswith("exit code")
    return Result.PASSED if code == 0 else Result.FAILED if has_error else Result.UNKNOWN


def _is_commit(run: Run) -> bool:
    return run.words[:2] == ("git", "commit")


def _without_flags(run: Run) -> tuple[str, ...]:
    """What makes two calls the same one; of a commit the message does not."""
    return run.words[:2] if _is_commit(run) else tuple(word for word in run.words if word[:1] != "-")


def _called(run: Run) -> str:
    """`npm install`, `python migrate.py`: the program and its first word."""
    words = [word for word in run.words[1:] if not word.startswith("-")]
    return " ".join([run.program, *words[:1]])[:60]


def _is_cut_off(one: Activity) -> bool:
    """Stopped or declined by a person, or by a deadline: it says nothing about the code."""
    told = any(one.data.get(name) for name in ("is_interrupt", "interrupted", "is_declined", "declined", "timed_out"))
    return told or any(phrase in one.detail[:400] for phrase in _CUT_OFF)


_CUT_OFF = (
    "The user doesn't want to",
    "[Request interrupted by user",
    "Command timed out",
    "was rejected by the user",
    "Permission to use",
    "command was aborted",
)


def _covers(passed: Attempt, failed: Attempt) -> bool:
    """Whether the success is one of the thing that had failed, and not of another part of it."""
    if passed.run is None or failed.run is None:
        return True
    narrowed = _targets(passed.run)
    if not narrowed or narrowed == _targets(failed.run) or "--lf" in passed.run.words:
        return True
    seen = f"{failed.detail}\n{failed.command}"
    return all(target.split("::")[0] in seen for target in narrowed)


def _targets(run: Run) -> tuple[str, ...]:
    """Files, tests and expressions that narrow what is checked."""
    found: list[str] = []
    for before, word in zip(run.words, run.words[1:], strict=False):
        is_named = before in _NARROWING
        is_path = not word.startswith("-") and ("/" in word or "::" in word or word.endswith(_SOURCES))
        if is_named or (is_path and word not in (".", "./", "./...")):
            found.append(word.removeprefix("./"))
    return tuple(found)


_NARROWING = frozenset(listed("-k -run --run -t --testNamePattern --test --tests --package -p"))
_SOURCES = (".py", ".ts", ".tsx", ".js", ".jsx", ".go", ".rs", ".rb", ".php", ".java", ".kt")


def _cure(failed: Attempt, passed: Attempt, *, activities: Sequence[Activity]) -> Cure | None:
    between = activities[failed.index + 1 : passed.index]
    edited = [one for one in between if one.deed is Deed.EDIT and one.result is not Result.FAILED]
    ran = [one for one in between if _has_changed(one)]
    said = tuple(one.detail for one in between if one.deed is Deed.RESPONSE and one.detail.strip())
    instead = _is_instead(failed, passed)
    if not any((edited, ran, said, instead)):
        return None
    return Cure(
        failed=failed,
        passed=passed,
        edits=merged([edit_of(one) for one in edited]),
        commands=tuple(dict.fromkeys(changing(one.subject) for one in ran)),
        instead=instead,
        said=said,
        sources=(failed.activity, *edited, *ran, passed.activity),
    )


def _has_changed(one: Activity) -> bool:
    return one.deed is Deed.COMMAND and exit_code(one) == 0 and bool(changing(one.subject))


def changing(command: str) -> str:
    """The parts of a command line that change something, as a shell would read them; empty where none does."""
    kept = [run for run in runs_of(command) if not is_looking(run) and not is_tidying(run) and not sort_of(run)[0]]
    return " && ".join(" ".join((*run.launcher, *run.words)) for run in kept)


def _is_instead(failed: Attempt, passed: Attempt) -> bool:
    """Whether it was called another way: by another launcher where the first found nothing, or with other flags."""
    one, other = failed.run, passed.run
    if one is None or other is None:
        return False
    if failed.is_gate:
        return one.launcher != other.launcher and is_missing(failed)
    return {word for word in one.words if word[:1] == "-"} - _LOUD != {
        word for word in other.words if word[:1] == "-"
    } - _LOUD


_LOUD = frozenset(listed("-v -vv -vvv -q -qq --verbose --quiet --debug --no-color --color --progress --silent -s"))
