"""How what agents did is laid down in rows."""

from collections.abc import Callable, Sequence

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.notation import read

_COLUMNS = (
    *("id", "at", "project", "session", "deed", "subject", "result", "detail", "signature"),
    *("client", "agent", "agent_type", "hat", "task", "ref", "data"),
)
_INSERT = f"INSERT OR IGNORE INTO activity ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"


def put(activities: Sequence[Activity], db: apsw.Connection) -> None:
    db.executemany(_INSERT, [tuple(_column(activity, name) for name in _COLUMNS) for activity in activities])


def found(
    ask: Callable[..., list[Any]],
    project: str,
    *,
    session: str,
    after: int,
    deeds: Sequence[Deed],
    limit: int,
) -> Sequence[Activity]:
    """What `Reader.activities` promises; `ask` runs a query."""
    kinds = f" AND deed IN ({', '.join('?' * len(deeds))})" if deeds else ""
    told = ask(
        f"SELECT seq, {', '.join(_COLUMNS)} FROM activity WHERE project = ? AND seq > ?"
        f"{' AND session = ?' if session else ''}{kinds} ORDER BY seq LIMIT ?",
        *(project, after, *([session] if session else []), *map(str, deeds), limit or -1),
    )
    return [_activity(row) for row in told]


def _column(activity: Activity, name: str) -> Any:
    value = getattr(activity, name)
    if name == "at":
        return stamp(value)
    return rows.to_json(dict(value)) if name == "data" else str(value)


def _activity(row: Sequence[Any]) -> Activity:
    seq, *values = row
    r = dict(zip(_COLUMNS, values, strict=True))
    r |= {"at": read_stamp(r["at"]), "deed": Deed(r["deed"]), "result": Result(r["result"]), "data": read(r["data"])}
    return Activity(**r, seq=seq)
