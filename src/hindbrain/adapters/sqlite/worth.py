"""How what came of a memory, and where in the code it is tied, are laid down in rows."""

from collections.abc import Callable, Mapping, Sequence

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.outcome import Anchor, Effect, Freshness, Outcome, Standing, standing

_OUTCOME = ("id", "at", "project", "memory", "effect", "how", "injection", "session", "note", "is_withheld")
_ANCHOR = (
    *("memory", "project", "path", "tied_at", "checked_at", "blob", "symbol", "start", "end", "digest"),
    *("freshness", "note"),
)
_ADD = f"INSERT OR IGNORE INTO outcome ({', '.join(_OUTCOME)}) VALUES ({', '.join('?' * len(_OUTCOME))})"
_TIE = f"INSERT INTO anchor (position, {', '.join(_ANCHOR)}) VALUES (?, {', '.join('?' * len(_ANCHOR))})"

Ask = Callable[..., list[Any]]  # runs a query


def put_outcomes(outcomes: Sequence[Outcome], db: apsw.Connection) -> None:
    for one in outcomes:
        db.execute(
            _ADD,
            (
                *(one.id, stamp(one.at), one.project, one.memory_id, str(one.effect), one.how),
                *(one.injection_id, one.session, one.note, int(one.is_withheld)),
            ),
        )


def put_anchors(anchors: Sequence[Anchor], db: apsw.Connection) -> None:
    for memory in dict.fromkeys(anchor.memory_id for anchor in anchors):
        db.execute("DELETE FROM anchor WHERE memory = ?", (memory,))
        own = [anchor for anchor in anchors if anchor.memory_id == memory]
        for position, one in enumerate(own):
            db.execute(
                _TIE,
                (
                    *(position, one.memory_id, one.project, one.path, stamp(one.tied_at), stamp(one.checked_at)),
                    *(one.blob, one.symbol, one.start, one.end, one.digest, str(one.freshness), one.note),
                ),
            )


def outcomes(ask: Ask, project: str, *, memory_id: str, session: str) -> Sequence[Outcome]:
    """What `Reader.outcomes` promises."""
    narrowed = "".join((" AND memory = ?" if memory_id else "", " AND session = ?" if session else ""))
    told = ask(
        f"SELECT {', '.join(_OUTCOME)} FROM outcome WHERE project = ?{narrowed} ORDER BY at, id",
        project,
        *(value for value in (memory_id, session) if value),
    )
    return [_outcome(row) for row in told]


def anchors(ask: Ask, project: str, *, memory_id: str, paths: Sequence[str]) -> Sequence[Anchor]:
    """What `Reader.anchors` promises."""
    of_memory = " AND memory = ?" if memory_id else ""
    of_paths = " AND path IN (SELECT value FROM json_each(?))" if paths else ""
    told = ask(
        f"SELECT {', '.join(_ANCHOR)} FROM anchor WHERE project = ?{of_memory}{of_paths}"
        " ORDER BY memory, path, position",
        *(project, *([memory_id] if memory_id else []), *([rows.to_json(list(paths))] if paths else [])),
    )
    return [_anchor(row) for row in told]


def standings(ask: Ask, ids: Sequence[str]) -> Mapping[str, Standing]:
    """What `Reader.standings` promises."""
    among = "FROM json_each(?) j CROSS JOIN"
    asked = rows.to_json(list(dict.fromkeys(ids)))
    judged = ask(f"SELECT {', '.join(f'o.{name}' for name in _OUTCOME)} {among} outcome o ON o.memory = j.value", asked)
    tied = ask(f"SELECT a.memory, a.freshness {among} anchor a ON a.memory = j.value", asked)
    said: dict[str, list[Outcome]] = {}
    for row in judged:
        said.setdefault(row[3], []).append(_outcome(row))
    fresh: dict[str, list[Freshness]] = {}
    for memory, freshness in tied:
        fresh.setdefault(memory, []).append(Freshness(freshness))
    return {key: standing(said.get(key, ()), fresh.get(key, ())) for key in dict.fromkeys((*said, *fresh))}


def _outcome(row: Sequence[Any]) -> Outcome:
    id_, at, project, memory, effect, how, injection, session, note, is_withheld = row
    return Outcome(
        id=id_,
        at=read_stamp(at),
        project=project,
        memory_id=memory,
        effect=Effect(effect),
        how=how,
        injection_id=injection,
        session=session,
        note=note,
        is_withheld=bool(is_withheld),
    )


def _anchor(row: Sequence[Any]) -> Anchor:
    r = dict(zip(_ANCHOR, row, strict=True))
    r |= {"tied_at": read_stamp(r["tied_at"]), "checked_at": read_stamp(r["checked_at"])}
    return Anchor(memory_id=r.pop("memory"), **(r | {"freshness": Freshness(r["freshness"])}))
