"""Which program a command line really runs, and whether the line's exit status is that program's.

`cd api && CI=1 uv run python -m pytest -q 2>&1 | tail -5` runs pytest, and says nothing of how it ended.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from hindbrain.core.signals.shell import MAX_CHARS, Command, parse
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed

_MAX_NESTING = 4  # shells that run shells
_MOST = 200  # programs of one command line; beyond that nobody can say which of them it ended with


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One program of a command line. Its words begin with its own name: no path, no launcher, no assignment."""

    words: tuple[str, ...]
    launcher: tuple[str, ...] = ()  # what stood before it: assignments, `uv run`, `timeout 60`
    stdin: str = ""
    is_chained: bool = False  # it ran only if the one before it succeeded
    zero_tells: bool = False  # an exit status of 0 means that this program succeeded
    other_tells: bool = False  # any other means that this program failed

    @property
    def program(self) -> str:
        return self.words[0]


@lru_cache(maxsize=512)  # a log holds the same few command lines again and again
def runs_of(command: str) -> tuple[Run, ...]:
    """The programs of a command line in the order in which they are named; those in substitutions are left out."""
    steps = _flat(command[:MAX_CHARS], nesting=0)
    return _placed(steps) if len(steps) <= _MOST else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    joint: str
    words: tuple[str, ...]
    launcher: tuple[str, ...]
    stdin: str
    is_condition: bool  # of an `if` or a `while`, or negated: its status decides something else


def _flat(source: str, *, nesting: int) -> list[_Step]:
    steps: list[_Step] = []
    for item in parse(source).items:
        if not isinstance(item, Command) or item.is_inner:
            continue
        words, launcher, is_condition = _unwrapped(item.words)
        if not words or not words[0]:
            continue
        step = _Step(
            joint=item.joint.strip("()"),
            words=words,
            launcher=launcher,
            stdin=item.stdin or "",
            is_condition=is_condition,
        )
        script = _script(words)
        inner = _flat(script, nesting=nesting + 1) if script and nesting < _MAX_NESTING else []
        steps += [_joined(inner[0], step), *inner[1:]] if inner else [step]
    return steps


def _joined(first: _Step, outer: _Step) -> _Step:
    return _Step(
        joint=outer.joint,
        words=first.words,
        launcher=(*outer.launcher, *outer.words[:2], *first.launcher),
        stdin=first.stdin,
        is_condition=first.is_condition or outer.is_condition,
    )


def _script(words: Sequence[str]) -> str:
    """What `bash -lc '…'` is told to run."""
    if words[0] not in _SHELLS or len(words) < 3:
        return ""
    flags = words[1]
    return words[2] if flags.startswith("-") and not flags.startswith("--") and flags.endswith("c") else ""


def _placed(steps: Sequence[_Step]) -> tuple[Run, ...]:
    has_pipefail = False
    made: list[Run] = []
    for at, step in enumerate(steps):
        has_pipefail = has_pipefail or (step.words[0] == "set" and "pipefail" in step.words)
        zero = not step.is_condition and _is_open(steps, at, has_pipefail=has_pipefail)
        made.append(
            Run(
                words=step.words,
                launcher=step.launcher,
                stdin=step.stdin,
                is_chained=step.joint == "&&",
                zero_tells=zero,
                other_tells=zero and _is_alone(steps, at),
            )
        )
    return tuple(made)


def _is_open(steps: Sequence[_Step], at: int, *, has_pipefail: bool) -> bool:
    """Whether nothing behind the step takes its place as what the line ends with, or lets its failure pass."""
    if at + 1 < len(steps) and _is_pipe(steps[at + 1].joint) and not has_pipefail:
        return False
    if steps[at].joint == "||":
        return False
    for later in steps[at + 1 :]:
        passes_on = later.joint == "||" and later.words[0] in _GIVING_UP
        if later.joint != "&&" and not _is_pipe(later.joint) and not passes_on:
            return False
    return True


def _is_alone(steps: Sequence[_Step], at: int) -> bool:
    """Whether no other program of the line is likely to have failed in its place."""
    before = at
    while before > 0 and steps[before].joint in ("&&", "|", "|&"):
        before -= 1
    others = [*steps[before:at], *steps[at + 1 :]]
    return all(step.words[0] in _QUIET or step.words[0] in _GIVING_UP for step in others)


def _is_pipe(joint: str) -> bool:
    return joint in ("|", "|&")


_GIVING_UP = frozenset(listed("exit false return"))
_QUIET = frozenset(
    listed(
        "cd pushd popd export source . set unset true : echo printf mkdir touch ulimit umask alias shopt conda nvm "
        "tee cat "
        "tail head sort uniq wait date pwd sleep clear"
    )
)  # these hardly ever fail
_SHELLS = frozenset(listed("bash sh zsh dash ksh"))
_CONDITIONS = frozenset(listed("if elif while until !"))
_KEYWORDS = frozenset(listed("then do else { time"))
_PLAIN = frozenset(
    listed("env sudo nice ionice nohup command exec stdbuf xvfb-run caffeinate chronic setsid npx bunx uvx")
)
_TWO = {
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "pipenv": ("run",),
    "hatch": ("run",),
    "rye": ("run",),
    "pixi": ("run",),
    "conda": ("run",),
    "micromamba": ("run",),
    "pipx": ("run",),
    "doppler": ("run",),
    "dotenv": ("run",),
    "bundle": ("exec",),
    "npm": ("exec", "x"),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "bun": ("x",),
    "mise": ("exec", "x"),
    "asdf": ("exec",),
    "rtx": ("exec",),
}  # programs whose only job, with that word, is to run another one
_COMPOSE = (("docker", "compose"), ("docker-compose",), ("podman", "compose"))
_WITH_PLACE: tuple[tuple[str, ...], ...] = (
    ("timeout",),
    ("gtimeout",),
    ("direnv", "exec"),
    ("docker", "exec"),
    *((*compose, verb) for compose in _COMPOSE for verb in ("exec", "run")),
)  # these take a word of their own first: how long, or where
_WITH_VALUE = frozenset(
    listed(
        "--with --python -p --extra --group --project --directory --env-file --package -n --name -u --user -k -s "
        "--signal "
        "--kill-after -w --workdir -e --env -W -X --prefix -C --only-group --with-requirements"
    )
)


def _unwrapped(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The program with its arguments, what stood before it, and whether it is a condition."""
    at, is_condition = 0, False
    while at < len(words):
        word = words[at]
        if word in _CONDITIONS:
            is_condition = True
            at += 1
        elif word in _KEYWORDS or _is_assignment(word):
            at += 1
        elif skipped := _launched(words[at:]):
            at += skipped
        else:
            break
    if at >= len(words):
        return (), tuple(words), is_condition
    return (_name(words[at]), *words[at + 1 :]), tuple(words[:at]), is_condition


def _launched(words: Sequence[str]) -> int:
    """How many words of a launcher stand before what it launches; 0 where there is no launcher."""
    name = _name(words[0])
    if name in _PLAIN:
        return _behind_flags(words, 1)
    if name in _TWO and len(words) > 1 and words[1] in _TWO[name]:
        return _behind_flags(words, 2)
    if name.startswith("python") or name == "py":
        return _module(words)
    for start in _WITH_PLACE:
        if (name, *words[1 : len(start)]) == start:
            return min(_behind_flags(words, len(start)) + 1, len(words))
    return 0


def _module(words: Sequence[str]) -> int:
    """`python -W error -m pytest` runs pytest; `python script.py` runs Python."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m":
            return at + 1 if at + 1 < len(words) else 0
        at += 2 if words[at] in _WITH_VALUE else 1
    return 0


def _behind_flags(words: Sequence[str], at: int) -> int:
    while at < len(words) and (words[at].startswith("-") or _is_assignment(words[at])):
        if words[at] in ("-m", "--"):
            return at + 1
        at += 2 if words[at] in _WITH_VALUE else 1
    return min(at, len(words))


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _name(word: str) -> str:
    """Without its folder; `.exe` and `.cmd` are Windows' way of saying the same."""
    base = word.replace("\\", "/").rsplit("/", 1)[-1] or word
    for ending in (".exe", ".cmd"):
        base = base.removesuffix(ending)
    return base


def plain_words(run: Run) -> Iterator[str]:
    """The words of a run that are no flags."""
    return (word for word in run.words if not word.startswith("-"))
