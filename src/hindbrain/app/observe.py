"""What a hook call says about the work: which lines of the activity log it makes, and what is to be done about it.

Every text goes through the door here, and is cut to a length at which a log stays a log.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from hindbrain.app.admission import tidy
from hindbrain.app.ending import agent_of, records
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.learn.edits import essence
from hindbrain.core.learn.gates import gate_of
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.job import Job
from hindbrain.core.model.record import fingerprint
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.transcripts import FORMATS
from hindbrain.core.transcripts.opencode import written
from hindbrain.core.value import replace

_SUBJECT, _DETAIL = 500, 4_000  # characters kept
_READ = 200_000  # characters of an output that are looked at, half of them from its end
_SAID = 20_000  # characters of an agent's last words, where no transcript holds them
_MOST_PATHS = 20  # files of one tool call
_ENDS = (Happening.STOP, Happening.AGENT_STOP, Happening.SESSION_END, Happening.BEFORE_COMPACT)
_PARTINGS = (Happening.BEFORE_COMPACT, Happening.SESSION_END)
_AT_ENDS = ("extract", "judge", "episode")  # kinds of jobs about a session, once it has come to a rest


def observed(notice: Notice, *, project: str, tools: Tools) -> tuple[tuple[Activity, ...], tuple[Job, ...]]:
    """What is to be recorded, and what is to be queued. A fork of the client's own making does nothing of either."""
    if notice.is_internal:
        return (), ()
    desk = _Desk(notice, project=project, tools=tools)
    activities = tuple(_ACTS[notice.happening](desk)) if notice.happening in _ACTS else ()
    return activities, tuple(desk.jobs(activities))


class _Desk:
    """One call: the same moment, session and agent for every line."""

    def __init__(self, notice: Notice, *, project: str, tools: Tools) -> None:
        self.notice = notice
        self._tools = tools
        self._session = _named(notice.session)
        self._blank = Activity(
            id="",
            at=notice.at,
            project=project,
            session=self._session,
            deed=Deed.SESSION,
            client=_named(notice.client),
            agent=_named(notice.agent),
            agent_type=_named(notice.agent_type),
            ref=tidy(notice.ref),
        )

    def line(
        self,
        deed: Deed,
        subject: str = "",
        *,
        detail: str = "",
        result: Result = Result.UNKNOWN,
        signature: str = "",
        data: Mapping[str, object] | None = None,
    ) -> Activity:
        return replace(
            self._blank,
            id=self._tools.chance.id("act", self.notice.at),
            deed=deed,
            subject=_passed(subject, _SUBJECT),
            result=result,
            detail=_passed(detail, _DETAIL),
            signature=signature,
            data=data or {},
        )

    def session(self) -> Iterator[Activity]:
        yield self.line(Deed.SESSION, self.notice.source)

    def prompt(self) -> Iterator[Activity]:
        if self.notice.is_person:
            first = next((line for line in self.notice.prompt.splitlines() if line.strip()), "")
            yield self.line(Deed.PROMPT, first, detail=self.notice.prompt)

    def tool(self) -> Iterator[Activity]:
        n = self.notice
        if n.is_shell:
            yield from self._shell()
        elif not n.is_failure:  # what failed has changed and shown nothing
            where = {"cwd": _passed(n.cwd, _SUBJECT), "tool": _named(n.tool)}
            deed = Deed.EDIT if n.is_edit else Deed.READ
            detail = essence(n.old_text, n.new_text) if n.is_edit else ""
            for path in n.paths[:_MOST_PATHS] if n.is_edit or n.is_read else ():
                yield self.line(deed, path, detail=detail, data=where)

    def _shell(self) -> Iterator[Activity]:
        n = self.notice
        output = _ends_of(n.output, _READ)
        result = _result(n)
        detail = output if result is Result.FAILED else ""
        signature = _signature(output) if result is Result.FAILED else ""
        yield self.line(Deed.COMMAND, n.command, detail=detail, result=result, signature=signature)
        if not n.is_interrupt:
            yield from self._gate(output)
            yield from self._commit(output, result)

    def _gate(self, output: str) -> Iterator[Activity]:
        n = self.notice
        gate = gate_of(n.command, output=output, exit_code=n.exit_code)
        if gate:
            is_failed = gate.result is Result.FAILED
            data = {"command": _passed(n.command, _SUBJECT), "cwd": _passed(n.cwd, _SUBJECT)}
            yield self.line(
                Deed.GATE,
                gate.name,
                detail=output if is_failed else "",
                result=gate.result,
                signature=_signature(output) if is_failed else "",
                data=data,
            )

    def _commit(self, output: str, result: Result) -> Iterator[Activity]:
        if result is Result.FAILED or not _commit().search(self.notice.command):
            return
        made = _committed().search(output)
        if made or result is Result.PASSED:
            yield self.line(Deed.COMMIT, made[1] if made else "", result=Result.PASSED)

    def agent(self) -> Iterator[Activity]:
        yield self.line(Deed.AGENT, self.notice.agent_type)

    def stop(self) -> Iterator[Activity]:
        if self.notice.message.strip():
            yield self.line(Deed.RESPONSE, detail=self.notice.message)
        if self.notice.happening is Happening.AGENT_STOP:
            yield self.line(Deed.END, "agent")

    def compaction(self) -> Iterator[Activity]:
        yield self.line(Deed.COMPACTION, "begins" if self.notice.happening is Happening.BEFORE_COMPACT else "done")

    def end(self) -> Iterator[Activity]:
        yield self.line(Deed.END, self.notice.source)

    def jobs(self, activities: tuple[Activity, ...]) -> Iterator[Job]:
        if self.notice.happening in _ENDS:
            yield from self._transcripts()
            for kind in _AT_ENDS:
                yield self._job(kind, f"{self._blank.project}/{self._session}", payload={"session": self._session})
        if self.notice.is_errand:
            yield from self._errands()
        yield from self._written_work()
        if any(activity.deed is Deed.COMMIT for activity in activities):
            yield self._job("verify", self._blank.project, payload={"cwd": _passed(self.notice.cwd, _SUBJECT)})

    def _written_work(self) -> Iterator[Job]:
        """What the main agent leaves in writing: for the next one, and, where a file follows, for this one."""
        project, happening = self._blank.project, self.notice.happening
        about: dict[str, object] = {"session": self._session, "agent": "", "project": project}
        if happening in _PARTINGS:
            yield self._job("handoff", f"{project}/{self._session}", payload=about)
        is_turn = happening in (Happening.PROMPT, Happening.STOP, Happening.SESSION_END)
        if is_turn and self._tools.store.cursor(f"sync/{project}/loki"):
            yield self._job("continuity", project, payload=about)

    def _transcripts(self) -> Iterator[Job]:
        n = self.notice
        is_agents = n.happening is Happening.AGENT_STOP
        path = n.agent_transcript if is_agents and n.agent_transcript else n.transcript
        text = _spoken(n)
        about: dict[str, object] = {
            "path": path[:_LONGEST_PATH],
            "format": n.client if n.client in FORMATS and (path or n.said) else "text",
            "session": self._session,
            **({"agent": self._blank.agent, "agent_type": self._blank.agent_type} if is_agents else {}),
            "cwd": _passed(n.cwd, _SUBJECT),
            "text": text,
        }
        if path:  # each stop has last words of its own, which the file may not hold yet
            words = f"/{fingerprint(text)[:16]}" if text.strip() else ""
            yield self._job("transcript", path[:_LONGEST_PATH] + words, payload=about)
        elif text.strip():  # each of them says something else
            yield self._job("transcript", f"{self._session}/{fingerprint(text)[:16]}", payload=about)

    def _errands(self) -> Iterator[Job]:
        """What a subagent says last stands in its record when it is over. Which one it was nobody knows: all are read,
        those without anything new for nothing."""
        for path in records(self.notice, files=self._tools.files)[:_MOST_ERRANDS]:
            about: dict[str, object] = {
                "path": path[:_LONGEST_PATH],
                "format": self.notice.client,
                "session": self._session,
                "agent": _named(agent_of(path)),
                "cwd": _passed(self.notice.cwd, _SUBJECT),
            }
            yield self._job("transcript", path[:_LONGEST_PATH], payload=about)

    def _job(self, kind: str, key: str, *, payload: Mapping[str, object]) -> Job:
        now = self._tools.clock.now()
        return Job(
            id=self._tools.chance.id("job", now),
            kind=kind,
            key=f"{kind}/{key}",
            project=self._blank.project,
            payload=payload,
            created_at=now,
            due_at=now,
        )


def _spoken(notice: Notice) -> str:
    """What came with the hook, for where no file holds it: the session, or at least the agent's last words."""
    if notice.said:
        return written((_named(who), admit(what).text) for who, what in notice.said)
    return admit(notice.message[:_SAID]).text


_LONGEST_PATH = 4_096
_MOST_ERRANDS = 20  # subagents that may have run at once
_ACTS = {
    Happening.SESSION_START: _Desk.session,
    Happening.PROMPT: _Desk.prompt,
    Happening.AFTER_TOOL: _Desk.tool,
    Happening.AGENT_START: _Desk.agent,
    Happening.AGENT_STOP: _Desk.stop,
    Happening.STOP: _Desk.stop,
    Happening.BEFORE_COMPACT: _Desk.compaction,
    Happening.AFTER_COMPACT: _Desk.compaction,
    Happening.SESSION_END: _Desk.end,
}


_named = lru_cache(maxsize=1024)(tidy)  # a session has thousands of calls, all with the same names


def _result(notice: Notice) -> Result:
    if notice.is_interrupt:
        return Result.UNKNOWN
    if notice.is_failure or notice.exit_code:
        return Result.FAILED
    return Result.UNKNOWN if notice.exit_code is None else Result.PASSED


def _signature(output: str) -> str:
    return admit(error_signature_of(output) or "").text[:_SUBJECT]


def _passed(text: str, most: int) -> str:
    """Through the door, then cut: a secret that is cut in two is not seen any more. A few times as much goes through
    as is kept, because ten megabytes would take the door long."""
    return _ends_of(admit(_ends_of(text, 4 * most)).text, most)


def _ends_of(text: str, most: int) -> str:
    """The beginning and the end: what was run, and how it ended."""
    if len(text) <= most:
        return text
    half = (most - len(_GAP)) // 2
    return f"{text[:half]}{_GAP}{text[-half:]}"


_GAP = "\n[…]\n"


@cache
def _commit() -> re.Pattern[str]:
    return re.compile(r"\bgit\b[^\n|;&]{0,200}?\bcommit\b")


@cache
def _committed() -> re.Pattern[str]:
    """`[main 1a2b3c4] Say what changed`"""
    return re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\]", re.MULTILINE)
