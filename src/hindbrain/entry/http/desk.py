"""Which store and which project a request is about. One store and one model serve all of them."""

import threading
from collections.abc import Callable
from pathlib import Path

from hindbrain.app.admission import tidy
from hindbrain.app.projects import Located, locate
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory
from hindbrain.core.model.token import Right
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.http.caller import Caller
from hindbrain.entry.http.problem import Refused
from hindbrain.errors import UnknownMemory
from hindbrain.facade import Hindbrain
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools


class Desk:
    """The open store. A file that was put in its place, from a backup for instance, is opened in its stead."""

    def __init__(self, settings: Settings, *, opened: Callable[[Settings], Tools] = open_tools) -> None:
        self.settings = settings
        self._opened = opened
        self._lock = threading.Lock()
        self._tools = opened(settings)
        self._file = _file(settings.store)
        self._folder = str(Path.cwd())
        self._here = self._located(settings.project)

    def tools(self) -> Tools:
        file = _file(self.settings.store)
        if file is not None and file != self._file:
            with self._lock:
                if file != self._file:
                    self._tools = replace(self._opened(self.settings), embedder=self._tools.embedder)
                    self._file = file
        return self._tools

    def of_here(self) -> Hindbrain:
        """The project around the folder that the service was started in."""
        return Hindbrain(self.tools(), self._here)

    def named(self, project: str) -> Hindbrain:
        """The project that is meant by a name, an id or a path of this machine; one that nobody knows yet is new."""
        return Hindbrain(self.tools(), self._located(project))

    def of(self, project: str, *, name: str) -> Hindbrain:
        """The project with that id."""
        tools = self.tools()
        here = tools.store.project_of(self._here.identities)
        root = self._here.root if here and here.id == project else None
        return Hindbrain(tools, Located(identities=(f"id:{project}",), name=name, root=root))

    def adopted(self, name: str) -> tuple[str, str]:
        """Id and name of the project that is called so; it becomes known by this if it is not."""
        tools = self.tools()
        known = [one for one in tools.store.projects() if one.name == name]
        if not known:
            at, called = tools.clock.now(), tidy(name)
            made = tools.store.adopt((f"name:{called}",), name=called, project_id=tools.chance.id("prj", at), at=at)
            return made.id, made.name
        return known[0].id, known[0].name

    def close(self) -> None:
        self._tools.store.close()

    def _located(self, project: str) -> Located:
        tools, settings = self._tools, self.settings
        return locate(
            project or None,
            here=self._folder,
            reader=tools.store,
            files=tools.files,
            per_worktree=settings.per_worktree,
        )


def _file(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request's view of the desk: what its caller may see of it."""

    caller: Caller
    desk: Desk

    def hindbrain(self, project: str = "") -> Hindbrain:
        """The project that is named by its id or name; without a name the token's own, or the service's.

        Which projects a caller may see comes from its token. Another one is not there, as far as it can tell.
        """
        wanted = project or self.caller.project
        if not wanted:
            return self.desk.of_here()
        seen = [(id_, name) for id_, name in self.projects() if wanted in (id_, name)]
        if len(seen) > 1:
            raise Refused(409, "ambiguous_project", "several projects are called that", fix="use the project's id")
        if not seen:
            raise Refused(404, "unknown_project", "there is no such project", fix="GET /api/projects lists them")
        return self.desk.of(seen[0][0], name=seen[0][1])

    def projects(self) -> list[tuple[str, str]]:
        """Id and name of each that the caller may see."""
        return [(one.id, one.name) for one in self.desk.tools().store.projects() if self.caller.owns(one.id)]

    def memory(self, memory_id: str, *, is_own: bool = False) -> tuple[Hindbrain, Memory]:
        """A memory by its whole id, with the project that it belongs to; `is_own`: no other will do, even if it was
        sent everywhere."""
        store = self.desk.tools().store
        memory = store.memory(memory_id)
        if memory is None or not self.caller.sees(memory):
            raise UnknownMemory(f"there is no memory {memory_id:.80}", fix="GET /api/recall finds memories")
        if is_own and not self.caller.owns(memory.project):
            raise Refused(403, "other_project", "that memory belongs to another project", fix="use a token of it")
        name = next(one.name for one in store.projects() if one.id == memory.project)
        return self.desk.of(memory.project, name=name), memory

    def person(self, said: str) -> str:
        """Who decides. A named token is its bearer's word, and nobody else's; only the owner may speak for others."""
        return self.caller.name if not self.caller.is_owner else said or self.caller.name

    def refuse_other_projects(self) -> None:
        """For what only a token of all projects may do."""
        if self.caller.project:
            raise Refused(403, "one_project", "this token is for one project", fix="use one for all projects")

    def refuse_without(self, right: Right) -> None:
        if not self.caller.may(right):
            raise Refused(403, "no_right", f"this token may not {right}", fix=f"use one with the right to {right}")
