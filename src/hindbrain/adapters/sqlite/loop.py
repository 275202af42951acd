"""How suggestions, decisions and workstreams are laid down in rows."""

from collections.abc import Callable, Sequence

import apsw

from hindbrain.adapters.sqlite import rows, seals
from hindbrain.core.hints import Any
from hindbrain.core.learning.audit import Entry, Head, head_of, read_head
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.suggestion import Destination, Edit, Status, Suggestion
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.notation import read
from hindbrain.errors import Conflict
from hindbrain.ports import Changes

Ask = Callable[..., list[Any]]  # runs a query

_COLUMNS = ("id", "project", "scar", "key", "status", "destination", "created_at", "importance", "applied_as", "data")
_REST = ("title", "text", "reason", "name", "root", "removes", "made_by", "is_patched", "decided_by", "note")
_TIMES = ("decided_at", "snoozed_until")
_AUDIT = ("seq", "at", "project", "actor", "action", "subject", "detail", "prev", "hash")
_WORK = ("id", "project", "title", "state", "data", "opened_at", "closed_at")
_PUT = f"INSERT OR REPLACE INTO suggestion ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM suggestion"
_HEAD = "audit"  # its name in `meta`


def put(changes: Changes, db: apsw.Connection) -> None:
    keys = [suggestion.id for suggestion in changes.suggestions]
    seals.prove(db, "suggestion", column="id", values=keys)
    seals.prove(db, "suggestion_edit", column="suggestion", values=keys)
    seals.prove(db, "workstream", column="id", values=[work.id for work in changes.workstreams])
    for suggestion in changes.suggestions:
        _suggest(suggestion, db)
    for entry in changes.audits:
        _log(entry, db)
    for work in changes.workstreams:
        values = (work.id, work.project, work.title, work.state, rows.to_json(dict(work.data)))
        db.execute(
            f"INSERT OR REPLACE INTO workstream ({', '.join(_WORK)}) VALUES ({', '.join('?' * len(_WORK))})",
            (*values, stamp(work.opened_at), rows.maybe_stamp(work.closed_at)),
        )


def suggestions(ask: Ask, project: str, *, statuses: Sequence[Status], scar: str) -> Sequence[Suggestion]:
    """What `Reader.suggestions` promises."""
    of_status = f" AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
    found = ask(
        f"{_SELECT} WHERE project = ?{of_status}{' AND scar = ?' if scar else ''} ORDER BY created_at, id",
        *(project, *map(str, statuses), *([scar] if scar else [])),
    )
    return [_suggestion(row, ask) for row in found]


def suggestion(ask: Ask, suggestion_id: str) -> Suggestion | None:
    found = ask(f"{_SELECT} WHERE id = ?", suggestion_id)
    return _suggestion(found[0], ask) if found else None


def audits(ask: Ask, *, after: int, limit: int) -> Sequence[Entry]:
    """What `Reader.audits` promises. Rows that cannot be read are told as they are: the chain finds them."""
    found = ask(f"SELECT {', '.join(_AUDIT)} FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", after, limit or -1)
    return [_entry(row) for row in found]


def head(ask: Ask) -> Head | None:
    found = ask("SELECT value FROM meta WHERE name = ?", _HEAD)
    return read_head(found[0][0]) if found else Head()


def workstreams(ask: Ask, project: str, *, state: str) -> Sequence[Workstream]:
    """What `Reader.workstreams` promises."""
    found = ask(
        f"SELECT {', '.join(_WORK)} FROM workstream WHERE project = ? AND (? = '' OR state = ?) ORDER BY opened_at, id",
        *(project, state, state),
    )
    return [
        Workstream(
            id=id_,
            project=of,
            title=title,
            state=state_,
            data=read(data),
            opened_at=read_stamp(opened),
            closed_at=rows.read_moment(closed),
        )
        for id_, of, title, state_, data, opened, closed in found
    ]


def _suggest(one: Suggestion, db: apsw.Connection) -> None:
    rest = {name: getattr(one, name) for name in _REST} | {"data": dict(one.data)}
    rest |= {name: rows.maybe_stamp(getattr(one, name)) for name in _TIMES}
    values = (one.id, one.project, one.scar_id or None, one.key, str(one.status), str(one.destination))
    db.execute("DELETE FROM suggestion_edit WHERE suggestion = ?", (one.id,))
    db.execute(_PUT, (*values, stamp(one.created_at), one.importance, one.applied_as, rows.to_json(rest)))
    for position, edit in enumerate(one.edits):
        db.execute(
            "INSERT INTO suggestion_edit VALUES (?, ?, ?, ?, ?, ?, ?)",
            (one.id, position, edit.folder, edit.path, edit.before, edit.after, edit.made),
        )


def _log(entry: Entry, db: apsw.Connection) -> None:
    known = head(lambda sql, *values: db.execute(sql, values).fetchall())
    if known is None or (known.seq + 1, known.hash) != (entry.seq, entry.prev):
        raise Conflict(
            f"entry {entry.seq} does not follow the last one of the audit log",
            fix="run `hindbrain audit verify`; nothing was written",
        )
    values = (entry.seq, stamp(entry.at), entry.project, entry.actor, entry.action, entry.subject)
    db.execute(
        f"INSERT INTO audit ({', '.join(_AUDIT)}) VALUES ({', '.join('?' * len(_AUDIT))})",
        (*values, rows.to_json(dict(entry.detail)), entry.prev, entry.hash),
    )
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_HEAD, head_of(entry).text))


def _suggestion(row: Sequence[Any], ask: Ask) -> Suggestion:
    r = dict(zip(_COLUMNS, row, strict=True))
    rest = read(r.pop("data"))
    rest |= {name: rows.read_moment(rest[name]) for name in _TIMES}
    edits = ask(
        "SELECT folder, path, before, after, made FROM suggestion_edit WHERE suggestion = ? ORDER BY position", r["id"]
    )
    r |= {"status": Status(r["status"]), "destination": Destination(r["destination"])}
    r["created_at"] = read_stamp(r["created_at"])
    return Suggestion(scar_id=r.pop("scar") or "", edits=tuple(_edit(edit) for edit in edits), **r, **rest)


def _edit(row: Sequence[Any]) -> Edit:
    folder, path, before, after, made = row
    return Edit(folder=folder, path=path, before=before, after=after, made=made)


def _entry(row: Sequence[Any]) -> Entry:
    r = dict(zip(_AUDIT, row, strict=True))
    try:
        known = {"at": read_stamp(r["at"]), "detail": read(r["detail"])}
        is_ours = (stamp(known["at"]), rows.to_json(known["detail"])) == (r["at"], r["detail"])
    except ValueError:
        is_ours = False
    # Only a hand other than ours writes it in another form: whatever it says, its hash will not fit.
    foreign = {"at": read_stamp(_NEVER), "detail": {"foreign": [r["at"], r["detail"]]}}
    return Entry(**(r | (known if is_ours and isinstance(known["detail"], dict) else foreign)))


_NEVER = "1970-01-01T00:00:00.000Z"
