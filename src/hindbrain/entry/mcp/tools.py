"""The words in which a model is told what it can ask for, and when to."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from hindbrain.entry.mcp import answers
from hindbrain.entry.mcp.caller import Caller, caller
from hindbrain.entry.mcp.verbs import Refusal, Verbs
from hindbrain.errors import HindbrainError

Type = Literal["architecture", "dependency", "decision", "constraint", "pattern", "convention", "pitfall", "fix"]
TaskKind = Literal["", "exploration", "implementation", "debugging", "review", "refactoring"]
Ids = Annotated[list[str], Field(min_length=1, max_length=20, description="ids of memories, as `recall` gives them")]
Paths = Annotated[list[str], Field(default=[], max_length=50, description="files being worked on, from the top folder")]
Task = Annotated[str, Field(default="", max_length=200, description="id of the task or issue, if there is one")]
Project = Annotated[
    str,
    Field(
        default="",
        max_length=500,
        description="leave empty; only a server shared by several projects needs the name or folder of yours",
    ),
]
Lines = Annotated[list[str], Field(default=[], max_length=50)]

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_HANDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_ALWAYS = {"anthropic/alwaysLoad": True}  # Claude Code hides the others until a model looks for them


class Tools:
    """What `add` registers. `session` stands for a client that names none."""

    def __init__(self, verbs: Verbs, *, session: str) -> None:
        self._verbs, self._session = verbs, session

    def add(self, server: MCPServer[Any]) -> None:
        self._add(server, self.recall, title="Recall", annotations=_READS, meta=_ALWAYS)
        self._add(server, self.read, title="Read memories", annotations=_READS, meta=_ALWAYS)
        self._add(server, self.before_task, title="Before a task", annotations=_READS)
        self._add(server, self.remember, title="Remember", annotations=_WRITES)
        self._add(server, self.outcome, title="Report an outcome", annotations=_WRITES)
        self._add(server, self.handoff, title="Hand over", annotations=_HANDS)
        self._add(server, self.propose_rule, title="Propose a rule", annotations=_WRITES)

    def _add(self, server: MCPServer[Any], tool: Callable[..., Any], **about: Any) -> None:
        server.add_tool(tool, description=inspect.getdoc(tool), **about)

    def recall(
        self,
        query: Annotated[str, Field(max_length=4_000, description="a question, an error message, or key words")],
        *,
        paths: Paths,
        types: Annotated[list[Type], Field(default=[], description="only these kinds of memories; empty: all")],
        limit: Annotated[int, Field(default=8, ge=1, le=50)],
        project: Project,
    ) -> Annotated[CallToolResult, answers.Index]:
        """Find what earlier sessions on this project learned: fixes, pitfalls, decisions, conventions.

        Call it before changing code that you do not know, when something fails, and before choosing between designs.
        The answer is an index, best first: one line for each memory. Then call `read` with the ids that matter.
        """
        with refusing():
            return self._verbs.recall(self._who(project), query, paths=paths, types=types, limit=limit)

    def read(self, ids: Ids, *, project: Project) -> Annotated[CallToolResult, answers.Notes]:
        """Read memories in full, with how far to trust them and how they fared. Ids come from `recall`."""
        with refusing():
            return self._verbs.read(self._who(project), ids)

    def before_task(
        self,
        goal: Annotated[str, Field(max_length=4_000, description="what is to be done, in a sentence or two")],
        *,
        kind: Annotated[TaskKind, Field(default="", description="what sort of work it is, if that is clear")],
        task: Task,
        project: Project,
    ) -> Annotated[CallToolResult, answers.Briefing]:
        """Get what bears on a task before you begin it: what worked here, what to avoid, which skills apply.

        Call it once, at the start of a task. What this session itself taught is left out.
        """
        with refusing():
            return self._verbs.before_task(self._who(project), goal, kind=kind, task=task)

    def remember(
        self,
        content: Annotated[str, Field(min_length=3, max_length=2_000, description="one lesson, in plain words")],
        *,
        type: Annotated[Type, Field(description="what sort of lesson it is")],  # noqa: A002
        task: Task,
        project: Project,
    ) -> Annotated[CallToolResult, answers.Kept]:
        """Keep one lesson that cost you something, so that no later session pays for it again.

        Say what holds and why, in one to three sentences, with the file, command or error it is about. Do not keep
        what the code or its documentation already says, what you were told by memory, or secrets. The receipt says
        what became of it; known lessons are counted, not kept twice.
        """
        with refusing():
            who = self._who(project, is_writing=True)
            return self._verbs.remember(who, content, sort=type, task=task)

    def outcome(
        self,
        id: Annotated[str, Field(min_length=8, max_length=80, description="id of the memory")],  # noqa: A002
        *,
        effect: Annotated[
            Literal["helped", "hurt", "unknown"], Field(description="hurt: it was wrong, out of date or misleading")
        ],
        note: Annotated[str, Field(default="", max_length=1_000, description="what you saw, in a sentence")],
        project: Project,
    ) -> Annotated[CallToolResult, answers.Reported]:
        """Say whether a memory helped you or misled you, once you know. Later sessions see it sooner, or later."""
        with refusing():
            who = self._who(project, is_writing=True)
            return self._verbs.outcome(who, id, effect=effect, note=note)

    def handoff(
        self,
        done: Annotated[str, Field(min_length=3, max_length=4_000, description="what was done, and how far it is")],
        *,
        left: Annotated[Lines, Field(description="what is left to do or to test")],
        issues: Annotated[Lines, Field(description="what is known to be wrong")],
        to: Annotated[str, Field(default="", max_length=100, description="for whom; empty: whoever comes next")],
        project: Project,
    ) -> Annotated[CallToolResult, answers.Handoff]:
        """Leave word for the agent that goes on with this work, when you stop before it is finished.

        The next session is told once, at its start.
        """
        with refusing():
            who = self._who(project, is_writing=True)
            return self._verbs.handoff(who, "main", done=done, more={"to": to, "needs": left, "issues": issues})

    def propose_rule(
        self,
        rule: Annotated[str, Field(min_length=3, max_length=1_000, description="what every session should do")],
        *,
        why: Annotated[str, Field(default="", max_length=900, description="what went wrong without it")],
        project: Project,
    ) -> Annotated[CallToolResult, answers.Proposal]:
        """Propose a rule for all later sessions, when the same thing goes wrong again and again.

        It changes no file and nobody is told of it: it waits until a person agrees.
        """
        with refusing():
            return self._verbs.propose_rule(self._who(project, is_writing=True), rule, why=why)

    def _who(self, project: str, *, is_writing: bool = False) -> Caller:
        return caller(project=project, session=self._session, is_writing=is_writing)


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """What a person could act on is told to the model, which may try otherwise; what is our fault is not."""
    try:
        yield
    except HindbrainError as error:
        raise Refusal(error) from error
