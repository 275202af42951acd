"""How calls of models are laid down in rows."""

from collections.abc import Callable, Sequence
from datetime import datetime

import apsw

from hindbrain.core.hints import Any
from hindbrain.core.model.call import Call
from hindbrain.core.model.moment import read_stamp, stamp

_COLUMNS = (
    *("id", "at", "use", "provider", "model", "outcome", "tokens_in", "tokens_out", "cost"),
    *("duration_s", "tries", "prompt", "prompt_version"),
)
_PUT = (
    f"INSERT INTO call ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


def put(calls: Sequence[Call], db: apsw.Connection) -> None:
    db.executemany(_PUT, [(call.id, stamp(call.at), *(getattr(call, name) for name in _COLUMNS[2:])) for call in calls])


def found(ask: Callable[..., list[Any]], *, since: datetime | None) -> Sequence[Call]:
    """What `Reader.calls` promises; `ask` runs a query."""
    where = " WHERE at >= ?" if since else ""
    told = ask(f"SELECT {', '.join(_COLUMNS)} FROM call{where} ORDER BY at, seq", *([stamp(since)] if since else []))
    return [_call(dict(zip(_COLUMNS, row, strict=True))) for row in told]


def _call(row: dict[str, Any]) -> Call:
    return Call(**(row | {"at": read_stamp(row["at"])}))
