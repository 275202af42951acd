"""Memories as resources: listed, searched, written down, edited, archived; their history, links and verdicts."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Header, Path, Query, Request
from starlette.responses import Response

from hindbrain.core.model import Memory, State
from hindbrain.core.model.token import Right
from hindbrain.entry.cli.records import memory_record
from hindbrain.entry.http import shapes
from hindbrain.entry.http.answers import (
    Here,
    changed,
    expected,
    given,
    listed,
    memory_told,
    moment,
    told,
)
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.pages import Page
from hindbrain.errors import Conflict, UnknownMemory

ProjectId = Annotated[str, Path(max_length=200, description="Id or name of a project.")]
MemoryId = Annotated[str, Path(max_length=200)]
LinkName = Annotated[str, Path(max_length=200, description="One of the seven relations.")]
IfMatch = Annotated[str | None, Header(description="The ETag that was read; 412 when it is no longer the present one.")]
Everything = Annotated[bool, Query(alias="all", description="Archived and superseded ones too.")]


def projects(visit: Here) -> Response:
    """Projects that the token may see."""
    return told([{"id": id_, "name": name} for id_, name in visit.projects()])


def add_project(visit: Here, sent: shapes.NewProject) -> Response:
    """Make a project known by a name; one that is known already is answered as it is."""
    visit.refuse_other_projects()
    id_, name = visit.desk.adopted(sent.name)
    return told({"id": id_, "name": name}, status=201)


def list_memories(
    request: Request, visit: Here, *, project_id: ProjectId, asked: Annotated[shapes.Listing, Query()]
) -> Response:
    """Memories of a project, the most certain first."""
    which: dict[str, Any] = {
        "types": [asked.type] if asked.type else [],
        "min_confidence": asked.min_confidence,
        "with_all": asked.all,
    }
    return _listed(request, visit, project=project_id, page=asked.page, which=which)


def search_memories(
    request: Request, visit: Here, *, project_id: ProjectId, asked: Annotated[shapes.Search, Query()]
) -> Response:
    """Memories that hold the text, the most certain first, then the newest."""
    which: dict[str, Any] = {
        "containing": asked.q,
        "after": moment(asked.after_date, name="after_date"),
        "before": moment(asked.before_date, name="before_date", is_end=True),
        "not_session": asked.exclude_session,
    }
    return _listed(request, visit, project=project_id, page=asked.page, which=which)


def _listed(request: Request, visit: Visit, *, project: str, page: Page, which: dict[str, Any]) -> Response:
    hindbrain = visit.hindbrain(project)

    def rows(count: int) -> Sequence[Memory]:
        return hindbrain.list(**which, limit=count)

    found, cursor = page.cut(rows, id_of=lambda memory: memory.id)
    return listed(request, found, cursor=cursor)


def add_memory(visit: Here, project_id: ProjectId, *, sent: shapes.NewMemory) -> Response:
    """Write a memory down. One with the same text is kept once: the answer is the one that is there."""
    new = given(sent)
    if new.get("everywhere") or new.get("pinned"):
        visit.refuse_without(Right.DECIDE)
    content = new.pop("content")
    receipt = visit.hindbrain(project_id).add(content, **new)
    memory = visit.desk.tools().store.memory(receipt.memory_id or "")
    if memory is None:
        raise Conflict(f"it was not kept: {receipt.reason}", fix="see the reason")
    return memory_told(memory, status=201)


def read_memory(visit: Here, memory_id: MemoryId, *, with_all: Everything = False) -> Response:
    """One memory. What was archived is gone, unless all is asked for."""
    _, memory = visit.memory(memory_id)
    _refuse_archived(memory, with_all=with_all)
    return memory_told(memory)


def _refuse_archived(memory: Memory, *, with_all: bool = False) -> None:
    if memory.state is State.ARCHIVED and not with_all:
        raise UnknownMemory(f"{memory.id} was deleted", fix="add ?all=true, or POST …/restore")


def edit_memory(visit: Here, memory_id: MemoryId, *, sent: shapes.EditedMemory, if_match: IfMatch = None) -> Response:
    """Change some of a memory; what is absent stays, and what it said before is in its history."""
    edit = given(sent)
    if "everywhere" in edit or "pinned" in edit:
        visit.refuse_without(Right.DECIDE)
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    _refuse_archived(memory)
    version = expected(memory, if_match)
    try:
        return memory_told(hindbrain.edit(memory.id, version=version, **edit))
    except Conflict:
        _refuse_raced(visit, memory, version=version)
        raise


def delete_memory(visit: Here, memory_id: MemoryId, *, if_match: IfMatch = None) -> Response:
    """Archive a memory: out of every recall and prompt, back with restore."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    _refuse_archived(memory)
    version = expected(memory, if_match)
    try:
        hindbrain.delete(memory.id, version=version)
    except Conflict:
        _refuse_raced(visit, memory, version=version)
        raise
    return Response(status_code=204)


def _refuse_raced(visit: Visit, memory: Memory, *, version: int | None) -> None:
    """Somebody else was faster, between the look and the change."""
    _, now = visit.memory(memory.id)
    if version is not None and now.version != version:
        raise changed()


def restore_memory(visit: Here, memory_id: MemoryId) -> Response:
    """Bring back what was deleted, faded or superseded."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    return memory_told(hindbrain.restore(memory.id))


def history(visit: Here, memory_id: MemoryId) -> Response:
    """Every version, oldest first."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    return told(hindbrain.history(memory.id))


def why(visit: Here, memory_id: MemoryId) -> Response:
    """From a memory to the sentences that taught it, and to every prompt that it reached."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    return told(hindbrain.why(memory.id))


def links(visit: Here, memory_id: MemoryId) -> Response:
    """Links from and to a memory, oldest first; those to memories that the token may not see are left out."""
    hindbrain, memory = visit.memory(memory_id)
    found = hindbrain.store.links(memory.id)
    others = hindbrain.store.memories([end for link in found for end in (link.source, link.target)])
    seen = {id_ for id_, other in others.items() if visit.caller.sees(other)}
    return told([link for link in found if link.source in seen and link.target in seen])


def add_link(visit: Here, memory_id: MemoryId, *, sent: shapes.NewLink) -> Response:
    """Tie a memory to another one by one of the seven relations."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    _, other = visit.memory(sent.target, is_own=True)
    return told(hindbrain.link(memory.id, sent.relation, other=other.id, reason=sent.reason), status=201)


def remove_link(visit: Here, memory_id: MemoryId, *, relation: LinkName, other_id: MemoryId) -> Response:
    """Take a link away, whichever end it was written from; what it hid is shown again."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    _, other = visit.memory(other_id, is_own=True)
    hindbrain.unlink(memory.id, relation, other=other.id)
    return Response(status_code=204)


def merge_memory(visit: Here, memory_id: MemoryId, *, sent: shapes.Merged, if_match: IfMatch = None) -> Response:
    """Make one of two memories: this one stays, with the evidence of both; restore brings the other back."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    _, other = visit.memory(sent.other, is_own=True)
    version = expected(memory, if_match)
    try:
        return memory_told(hindbrain.unite(memory.id, other.id, content=sent.content, version=version))
    except Conflict:
        _refuse_raced(visit, memory, version=version)
        raise


def split_memory(visit: Here, memory_id: MemoryId, *, sent: shapes.Parted, if_match: IfMatch = None) -> Response:
    """Make several memories of one, each with one of the parts as its text; restore brings the whole back."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    version = expected(memory, if_match)
    try:
        found = hindbrain.split(memory.id, sent.parts, version=version)
    except Conflict:
        _refuse_raced(visit, memory, version=version)
        raise
    return told([memory_record(part) for part in found], status=201)


def outcomes(visit: Here, memory_id: MemoryId) -> Response:
    """What came of showing a memory, oldest first."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    return told(hindbrain.outcomes(memory.id))


def add_verdict(visit: Here, memory_id: MemoryId, *, sent: shapes.NewVerdict) -> Response:
    """A person's word on whether a memory helped."""
    hindbrain, memory = visit.memory(memory_id, is_own=True)
    heard = hindbrain.verdict(memory.id, sent.effect, note=sent.note, by=visit.person(sent.by))
    return told(heard, status=201)


def cleanup(visit: Here, project_id: ProjectId, *, dry_run: Annotated[bool, Query()] = False) -> Response:
    """Let unused memories of this project fade, and of no other."""
    cleaned = visit.hindbrain(project_id).cleanup(is_dry_run=dry_run)
    return told(
        {"status": "looked" if dry_run else "cleaned", "decayed": cleaned.decayed, "archived": cleaned.archived}
    )
