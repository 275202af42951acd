"""Which project is meant: a name, an id, a path, or the folder one stands in."""

import os

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.value import dataclass
from hindbrain.errors import AmbiguousProject, BadValue
from hindbrain.ports import ProjectFiles, Reader

if TYPE_CHECKING:
    from hindbrain.app.tools import Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A project as far as it can be told without writing: it may not be in the store yet."""

    identities: tuple[str, ...]
    name: str
    root: str | None  # None: known by name only, so it has no files here


def locate(wanted: str | None, *, here: str, reader: Reader, files: ProjectFiles, per_worktree: bool) -> Located:
    """The project that `wanted` names; the one around `here` when it names none.

    Something with a slash, or an existing folder, is a path. A name that no project bears is a new project.
    """
    if not wanted:
        return _at(here, files, per_worktree=per_worktree)
    if "/" in wanted or wanted in (".", ".."):
        folder = os.path.expanduser(wanted)
        if not os.path.isdir(folder):
            raise BadValue(f"there is no folder {folder}", fix="give a folder that exists, or a name without a slash")
        return _at(folder, files, per_worktree=per_worktree)
    if named := [project for project in reader.projects() if wanted in (project.id, project.name)]:
        if len(named) > 1:
            ids = ", ".join(project.id for project in named)
            raise AmbiguousProject(f"{len(named)} projects are called {wanted}", fix=f"use one of the ids: {ids}")
        return Located(
            identities=(f"id:{named[0].id}",), name=named[0].name, root=_root(named[0].name, here, files=files)
        )
    from hindbrain.app.admission import tidy  # the door: most calls are about the folder one stands in

    name = tidy(wanted)
    return Located(identities=(f"name:{name}",), name=name, root=None)


def _at(path: str, files: ProjectFiles, *, per_worktree: bool) -> Located:
    return Located(
        identities=files.identities(path, per_worktree=per_worktree), name=files.name(path), root=files.root(path)
    )


def _root(name: str, here: str, *, files: ProjectFiles) -> str | None:
    """The folder one stands in, if that is the project meant."""
    return files.root(here) if files.name(here) == name else None


def is_beads(root: str, files: ProjectFiles) -> bool:
    """Whether the code base is tracked with Beads, whose supervisors work in folders below it."""
    return any(files.is_folder(f"{top}/.beads") for top in (root, root.partition("/.worktrees/")[0]) if top)


_LONGEST = 4096  # characters of a path; no system has longer ones


def relative(path: str, *, root: str, here: str) -> str:
    """The file's path from the top of the code base; "" when it lies elsewhere. Bare names are meant from `here`."""
    if not path or len(path) > _LONGEST or "\0" in path:
        return ""
    whole, top = os.path.normpath(os.path.join(here or root, path)), root.rstrip("/")
    for place, above in ((whole, top), (os.path.realpath(whole), os.path.realpath(top))):
        if place.startswith(f"{above}/"):
            return place[len(above) + 1 :]
    return ""


def adopted(folder: str, *, tools: "Tools") -> str:
    """The id of the project around `folder`, which becomes known by this if it is not."""
    located = _at(folder, tools.files, per_worktree=tools.settings.per_worktree)
    at = tools.clock.now()
    made = tools.store.adopt(located.identities, name=located.name, project_id=tools.chance.id("prj", at), at=at)
    return made.id
