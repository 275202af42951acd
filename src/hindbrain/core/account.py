"""What a session has done so far, told from its activities: for whoever goes on with the work."""

from collections.abc import Callable, Iterable, Sequence

from hindbrain.core.learn.cures import attempts, unsolved
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.value import dataclass

_LONGEST = 200  # characters of one line
_FRAMING = {Deed.SESSION, Deed.END, Deed.COMPACTION}  # deeds that are no work
_READ = 20_000  # characters of an output


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Each line is short, and stands on its own."""

    goal: str = ""  # what a person asked for last
    task: str = ""
    hat: str = ""
    edited: tuple[str, ...] = ()  # files, the last one last
    uncommitted: tuple[str, ...] = ()  # of those, since the last commit
    untested: tuple[str, ...] = ()  # of those, since a test last passed
    commands: tuple[str, ...] = ()
    gates: tuple[tuple[str, Result], ...] = ()  # how each ended last
    failures: tuple[str, ...] = ()  # that nothing has cured yet
    commit: str = ""  # the last one
    completed: tuple[str, ...] = ()  # tasks
    is_empty: bool = True

    @property
    def done(self) -> str:
        """In one sentence or two."""
        said = [*self.completed[-3:]] or ([f"Worked on: {self.goal}"] if self.goal else [])
        if self.edited:
            said.append(f"edited {_listed(self.edited)}")
        if self.gates:
            said.append(", ".join(f"{name} {result}" for name, result in self.gates))
        return "; ".join(said)


def account(activities: Sequence[Activity]) -> Account:
    """Of the activities of one session, or of one agent in it, oldest first."""
    edits = [(at, _path(one)) for at, one in enumerate(activities) if one.deed is Deed.EDIT and one.subject]
    committed = _last_at(activities, lambda one: one.deed is Deed.COMMIT)
    tested = _last_at(activities, _is_tested)
    return Account(
        goal=_last(activities, Deed.PROMPT),
        task=_latest(one.task for one in activities),
        hat=_latest(one.hat for one in activities),
        edited=_once(path for _, path in edits),
        uncommitted=_once(path for at, path in edits if at > committed),
        untested=_once(path for at, path in edits if at > tested),
        commands=_once(short(one.subject) for one in _of(activities, Deed.COMMAND)),
        gates=_gates(activities),
        failures=tuple(short(_failure(one.name, one.detail)) for one in unsolved(activities)),
        commit=_last(activities, Deed.COMMIT),
        completed=_once(short(one.subject or one.detail or one.task) for one in _of(activities, Deed.COMPLETION)),
        is_empty={one.deed for one in activities} <= _FRAMING,
    )


def short(text: str, *, most: int = _LONGEST) -> str:
    """On one line, and not endless."""
    line = " ".join(text[: 8 * most].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _path(one: Activity) -> str:
    """As seen from where the agent worked."""
    cwd = one.data.get("cwd")
    return one.subject.removeprefix(f"{cwd}/") if isinstance(cwd, str) and cwd else one.subject


def _is_tested(one: Activity) -> bool:
    return one.deed is Deed.GATE and one.result is Result.PASSED and one.subject.strip().lower() in ("tests", "test")


def _last_at(activities: Sequence[Activity], is_it: Callable[[Activity], bool]) -> int:
    return max((at for at, one in enumerate(activities) if is_it(one)), default=-1)


def _latest(texts: Iterable[str]) -> str:
    return next((text for text in reversed(list(texts)) if text), "")


def _gates(activities: Sequence[Activity]) -> tuple[tuple[str, Result], ...]:
    tried = [one for one in attempts(activities) if one.is_gate and one.result]
    return tuple({one.name: one.result for one in tried}.items())


def _of(activities: Sequence[Activity], deed: Deed) -> list[Activity]:
    return [one for one in activities if one.deed is deed]


def _last(activities: Sequence[Activity], deed: Deed) -> str:
    texts = (one.subject or one.detail for one in reversed(activities) if one.deed is deed)
    return short(next((text for text in texts if text.strip()), ""))


def _failure(name: str, said: str) -> str:
    """With the line that names the error, as it was printed; without one, with the first."""
    lines = [line.strip() for line in said[:_READ].splitlines() if line.strip()]
    telling = next((line for line in lines if error_signature_of(line)), lines[0] if lines else "")
    return f"{name}: {telling}" if telling else f"{name} failed"


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """Each once, in the place where it came last."""
    found = [text for text in texts if text]
    return tuple(reversed(dict.fromkeys(reversed(found))))


def _listed(paths: Sequence[str]) -> str:
    few, rest = paths[-5:], len(paths) - 5
    return ", ".join(few) + (f" and {rest} more" if rest > 0 else "")
