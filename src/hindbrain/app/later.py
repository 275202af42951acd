"""When a memory is promised before it is kept: written down where no power cut reaches it, and kept by the worker.

To keep one takes milliseconds: it is checked, shaped, compared with all that is near it, and written in five tables. To
write its words down takes a fraction of one. Who adds many, one by one, need not wait for the rest. The receipt that
follows has the id that was promised, so that whatever is read twice is kept once.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from hindbrain.app.add import Noted, Promise, add, checked
from hindbrain.app.admission import admitted_body, kinds_removed, through, tidy
from hindbrain.app.compose import MAX_CHARACTERS
from hindbrain.app.projects import Located
from hindbrain.app.reindex import reindex
from hindbrain.app.tools import Tools
from hindbrain.app.verify import retie
from hindbrain.core.door import admit
from hindbrain.core.model import Receipt, Verdict
from hindbrain.core.model.job import Job
from hindbrain.core.model.moment import in_utc, read_stamp, stamp
from hindbrain.core.model.record import fingerprint
from hindbrain.core.value import names_of
from hindbrain.errors import BadValue, HindbrainError, TooLong
from hindbrain.ports import PROMISES, Changes

_BLANK = Noted(content="")
_FIELDS = tuple(name for name in names_of(_BLANK) if name != "learned_at")


def promise(noted: Noted, located: Located, *, tools: Tools) -> Promise:
    """Write down what a person says; it is on disk when this returns. BadValue or TooLong before that."""
    if tools.spool is None or not tools.is_served:
        raise BadValue("no worker takes up later what belongs to this store", fix="add it at once")
    now = tools.clock.now()
    checked(noted, now)
    _refuse_nameless(located)
    promised = Promise(id=tools.chance.id("rcp", now), at=now)
    root = located.root if located.root and _is_text(located.root) else None  # then the next `verify` ties it
    record = {
        "id": promised.id,
        "project": {"identities": located.identities, "name": located.name, "root": root},
        "memory": _written(noted),
    }
    tools.spool().append(PROMISES, json.dumps(record).encode(), at=now)
    return promised


def _refuse_nameless(located: Located) -> None:
    """What no store could write down, no worker can keep."""
    if not all(map(_is_text, (*located.identities, located.name))):
        raise BadValue("the name of the folder is no text", fix="name the project with --project")


def _is_text(name: str) -> bool:
    """Whether a name that came from the disk can be written anywhere else."""
    return name.encode("utf-8", "replace").decode() == name


def _written(noted: Noted) -> dict[str, object]:
    """What differs from what it is without a word; a record is read with every drain."""
    told = {name: getattr(noted, name) for name in _FIELDS if getattr(noted, name) != getattr(_BLANK, name)}
    if noted.body:
        told["body"] = admitted_body(noted.body)
    if noted.learned_at:
        told["learned_at"] = stamp(in_utc(noted.learned_at))
    return told


def queued(payload: Mapping[str, object], *, at: datetime, tools: Tools) -> Changes:
    """The job that keeps what was promised. ValueError for a record that nobody wrote here: it is set aside."""
    project, memory, promised = payload.get("project"), payload.get("memory"), payload.get("id")
    if not (isinstance(project, dict) and isinstance(memory, dict) and isinstance(promised, str)):
        raise ValueError("the record holds no promise")
    now = tools.clock.now()
    made = tools.store.adopt(
        tuple(map(str, project["identities"])),
        name=str(project["name"]),
        project_id=tools.chance.id("prj", now),
        at=now,
    )
    content = str(memory.get("content") or "")
    job = Job(
        id=tools.chance.id("job", now),
        kind="add",
        key=f"add/{promised}",
        project=made.id,
        payload={
            "id": promised,
            "at": stamp(at),
            "root": project.get("root") or "",
            "removed": list(kinds_removed(admit(content))),
            "text": through(memory),  # a queue is kept longer than a spool
        },
        created_at=now,
        due_at=now,
    )
    json.dumps(job.payload, ensure_ascii=False).encode()  # UnicodeEncodeError here spoils one record, and later all
    return Changes(jobs=(job,))


def add_job(job: Job, tools: Tools) -> Changes | None:
    """Keep what was promised, once; then all that follows from an add. What cannot be kept is rejected, under the id
    that was named."""
    removed = job.payload.get("removed")
    promised = Promise(
        id=str(job.payload["id"]),
        at=read_stamp(str(job.payload["at"])),
        removed=tuple(map(str, removed)) if isinstance(removed, list) else (),
    )
    noted = _read(job.payload["text"])
    try:
        receipt = add(noted, project=job.project, tools=tools, promise=promised)
    except (BadValue, TooLong) as error:
        refused = _refused(error, noted, project=job.project, promise=promised)
        return None if tools.store.receipts_for(refused.key) else Changes(receipts=(refused,))
    root = job.payload.get("root")
    if receipt.memory_id and isinstance(root, str) and root:
        retie((receipt,), root, tools=tools, code=tools.files.code())
    if receipt.memory_id and noted.kind == "scar":
        reindex(receipt.memory_id, tools=tools)
    return None


def _refused(error: HindbrainError, noted: Noted, *, project: str, promise: Promise) -> Receipt:
    return Receipt(
        id=promise.id,
        key=fingerprint([promise.id]),
        at=promise.at,
        project=project,
        verdict=Verdict.REJECTED,
        text=noted.content[:MAX_CHARACTERS],
        reason=f"{error.what}; {error.fix}",
        session=tidy(noted.session),
        task=tidy(noted.task),
        adapter="cli",
        removed=promise.removed,
    )


def _read(told: object) -> Noted:
    if not isinstance(told, dict):
        raise BadValue("the job holds no memory", fix="add it again")
    fields = {name: told[name] for name in _FIELDS if name in told}
    learned = told.get("learned_at")
    return Noted(**fields, learned_at=read_stamp(learned) if isinstance(learned, str) else None)
