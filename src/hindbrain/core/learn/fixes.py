"""What a cure teaches: a fix, where it says what failed and what helped; with it the pitfall that the failure named.

Nothing comes of slips of the pen, of code that just had not been written yet, of repairs that a tool makes by itself,
or of so many changes at once that nobody can say which one helped.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.learn.cures import Cure
from hindbrain.core.learn.edits import Edit, told
from hindbrain.core.learn.failures import advice, summary
from hindbrain.core.learn.lesson import Lesson, origin
from hindbrain.core.learn.reading import parts, plain, sentences
from hindbrain.core.shape.title import title_of

GATE_RULE = "quality_gate:passed_after_failure"
COMMAND_RULE = "command:passed_after_failure"
_BY_GATE, _BY_COMMAND = 0.7, 0.6  # how sure; the former is verified by the gate
_MOST_FILES = 15  # edited between failure and success; beyond that the cause is anybody's guess
_TOLD_FILES, _TOLD_COMMANDS = 4, 3
_COMMAND = 160  # characters of a command that are told


def fixes(cure: Cure, *, hat: str) -> Iterator[Lesson]:
    """At most one fix, and at most one pitfall."""
    problem = summary(cure.failed.detail, signature=cure.failed.signature)
    fix = remedy(cure)
    if not problem or not fix or is_idle(cure):
        return
    is_gate = cure.failed.is_gate
    name = cure.failed.name
    tags = (name, "quality-gate") if is_gate else (cure.failed.key[1], "command-fix")
    made = Lesson(
        rule=GATE_RULE if is_gate else COMMAND_RULE,
        type="fix",
        title=f"Fix for {name} failure",
        content=f"**Problem:** {problem}\n\n**Fix:** {fix}",
        cause=cure.passed.activity,
        confidence=_BY_GATE if is_gate else _BY_COMMAND,
        tags=tags,
        hat=hat,
        file_refs=tuple(edit.path for edit in _near(cure)[:_TOLD_FILES]),
        error_signature=cure.failed.signature,
        body=origin(*cure.sources),
    )
    yield made
    if is_gate and (warning := _warning(cure)):
        yield _pitfall(made, warning, problem=problem)


def _pitfall(fix: Lesson, warning: str, *, problem: str) -> Lesson:
    return Lesson(
        rule=fix.rule,
        type="pitfall",
        title=title_of(warning),
        content=warning if problem in warning else f"{warning}\n\nSeen with: {problem}",
        cause=fix.cause,
        confidence=_BY_COMMAND,
        tags=fix.tags,
        hat=fix.hat,
        file_refs=fix.file_refs,
        body=fix.body,
    )


def _warning(cure: Cure) -> str:
    """Advice in the failure's own text, if what helped was just that: output alone teaches nothing."""
    line, names = advice(cure.failed.detail)
    done = "\n".join([*(line for edit in cure.edits for line in edit.come), *cure.commands])
    return line if any(name in done for name in names) else ""


def remedy(cure: Cure) -> str:
    """What was done between the failure and the success, in one line; empty where nobody can say."""
    clauses = [told(edit) for edit in _near(cure)[:_TOLD_FILES]] if len(cure.edits) <= _MOST_FILES else []
    more = len(cure.edits) - _TOLD_FILES
    if clauses and more > 0:
        clauses.append(f"and edits to {more} more file{'s' if more > 1 else ''}")
    ran = [f"ran `{_cut(command)}`" for command in cure.commands[-_TOLD_COMMANDS:]]
    if cure.instead:
        ran.append(f"ran `{_cut(cure.passed.command)}` instead of `{_cut(cure.failed.command)}`")
    if not clauses and not ran and not cure.edits:
        return _own_words(cure.said)
    return "; ".join(clauses + ran)


def _near(cure: Cure) -> list[Edit]:
    """Files that the failure names first, then those that were edited last."""
    seen = cure.failed.detail
    return sorted(reversed(cure.edits), key=lambda edit: edit.path.rsplit("/", 1)[-1] not in seen)


def _own_words(answers: Sequence[str]) -> str:
    """What the agent said it had changed, where nothing else recorded it."""
    said = (
        sentence for answer in reversed(answers) for part in parts(answer) for sentence in sentences(plain(part.text))
    )
    return next((one for one in said if _changed().search(one) and len(one.split()) >= 5 and len(one) <= 300), "")


def is_idle(cure: Cure) -> bool:
    """Whether it teaches nothing that the next agent would not see at once."""
    signature = cure.failed.signature
    if _slip().match(signature) or (not cure.failed.is_gate and _is_fresh(cure)):
        return True
    return _is_unwritten(cure)


def _is_fresh(cure: Cure) -> bool:
    """A scratch file of this very session was put right; nobody else will ever run it."""
    return bool(cure.edits) and not cure.commands and all(edit.is_new_file for edit in cure.edits)


def _is_unwritten(cure: Cure) -> bool:
    """The error asked for a name, and the edit was to write it: work in progress, not a failure."""
    named = {name for line in cure.failed.detail.splitlines()[-400:] for name in _absent().findall(line[:500])}
    named = {part.strip() for found in named for part in found if part.strip()}
    if not named:
        return False
    come = [line for edit in cure.edits for line in edit.come]
    written = {edit.path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for edit in cure.edits if edit.is_new_file}
    return any(
        name.rsplit(".", 1)[-1] in written or any(_defines(line, name.rsplit(".", 1)[-1]) for line in come)
        for name in named
    )


def _defines(line: str, name: str) -> bool:
    found = _definition().match(line)
    return bool(found) and found is not None and found[1] == name


def _cut(command: str) -> str:
    line = " ".join(command.replace("`", "'").split())
    return line if len(line) <= _COMMAND else line[: _COMMAND - 1] + "…"


@cache
def _changed() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:fixed|changed|replaced|added|removed|renamed|moved|switched|wrapped|increased|pinned|upgraded|downgraded"
        r"|set)\b.*[`/._]|\b(?:was caused by|the cause was|root cause)\b",
        re.I,
    )


@cache
def _slip() -> re.Pattern[str]:
    return re.compile(r"(?:SyntaxError|IndentationError|TabError|UnboundLocalError)\b")


@cache
def _absent() -> re.Pattern[str]:
    return re.compile(
        r"cannot import name '(\w{1,100})'|No module named '([\w.]{1,100})'|name '(\w{1,100})' is not defined"
        r"|has no attribute '(\w{1,100})'|undefined: (\w{1,100})|cannot find \w+ `(\w{1,100})`"
        r"|(\w{1,100}) is not (?:defined|a function)|Cannot find (?:name|module) '([\w./-]{1,100})'"
        r"|has no exported member '(\w{1,100})'"
    )


@cache
def _definition() -> re.Pattern[str]:
    return re.compile(
        r"(?:export |pub |async |public |private |static |default |abstract )*"
        r"(?:def|class|fn|func|function|struct|enum|trait|interface|type|const|let|var|mod)\s+(\w+)"
    )
