"""How a question to the store becomes SQL: bound parameters only, identifiers from fixed lists."""

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import itemgetter

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.adapters.sqlite.engine import steady, translated
from hindbrain.adapters.sqlite.words import Wanted, Words
from hindbrain.core.hints import Any, TypeVar
from hindbrain.core.model import (
    Event,
    Injection,
    Link,
    Memory,
    Reason,
    Receipt,
    Relation,
    Review,
    ReviewKind,
    Score,
    Shown,
    Space,
    Verdict,
    Version,
)
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.record import actor_of, from_record
from hindbrain.core.notation import read
from hindbrain.core.recall.index import is_scope
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Hit, Match, Near, Project, Saying, Where

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hindbrain.adapters.sqlite.scan import Found, Shelf
    from hindbrain.adapters.sqlite.shelves import Shelves
    from hindbrain.adapters.sqlite.trail import Trail
    from hindbrain.core.learning.audit import Entry, Head
    from hindbrain.core.model.activity import Activity, Deed
    from hindbrain.core.model.call import Call
    from hindbrain.core.model.job import Job, JobState
    from hindbrain.core.model.outcome import Anchor, Outcome, Standing
    from hindbrain.core.model.paper import Paper
    from hindbrain.core.model.suggestion import Status, Suggestion
    from hindbrain.core.model.token import Reply, Token
    from hindbrain.core.model.workstream import Workstream
    from hindbrain.ports import Brief, Way

_T = TypeVar("_T")
_ORDERS = {
    "confidence": "m.confidence DESC, m.created_at DESC, m.id DESC",
    "newest": "m.learned_at DESC, m.id DESC",
}
_SPACE = "SELECT seq FROM space WHERE provider = ? AND model = ? AND version = ? AND dimension = ?"
_SPANS = (
    "SELECT v.memory, v.start, v.end FROM json_each(?) j CROSS JOIN vector v ON v.scope = j.value ->> 1"
    " AND v.space = ? AND v.memory = j.value ->> 0 AND v.piece = j.value ->> 2"
)
_near = partial(tuple.__new__, Near)  # what Near._make does, without a Python function in between
_WHOLE = (0, 0)  # of a memory's only piece
_VECTORS = (
    "json_each(?) j JOIN memory m ON m.id = j.value JOIN memory_scope c ON c.memory = m.seq"
    " JOIN space s ON s.provider = ? AND s.model = ? AND s.version = ? AND s.dimension = ?"
    " JOIN vector v ON v.scope = c.scope AND v.space = s.seq AND v.memory = m.seq"
)
_REST = (
    " JOIN vector_rest r ON (r.scope, r.space, r.memory, r.piece) = (v.scope, v.space, v.memory, v.piece)"
    " ORDER BY m.id, r.part"
)
_RECEIPT = (
    *("id", "key", "at", "project", "verdict", "text", "reason", "memory", "supersedes", "signal", "said_at"),
    *("session", "task", "adapter", "origin", "line", "ref", "removed"),
)


class SqliteReader:
    """The read half of the store, over whatever connection the calling thread has."""

    def __init__(self, path: str, connection: Callable[[], apsw.Connection], trail: "Trail | None" = None) -> None:
        self._path = path
        self._db = connection
        self._shelves: Shelves | None = None
        self._index = Words(self._all, connection, trail)

    def _all(self, sql: str, *values: Any) -> list[Any]:
        try:
            return self._db().execute(sql, values).fetchall()
        except (apsw.Error, OSError):
            with translated(self._path):
                raise

    def _memories(self, rest: str, *values: Any) -> list[Memory]:
        return _those(rows.selected(self._all, f"memory m {rest}", *values))

    def leaving_out(self, *, is_proven: bool = False) -> "AbstractContextManager[list[str]]":
        from hindbrain.adapters.unread import leaving_out

        return leaving_out(is_proven=is_proven)

    def memory(self, memory_id: str) -> Memory | None:
        return _first(self._memories("WHERE m.id = ?", memory_id))

    def ids(self, start: str, *, limit: int) -> Sequence[str]:
        found = self._all(
            "SELECT id FROM memory WHERE id >= ? AND substr(id, 1, ?) = ? ORDER BY id LIMIT ?",
            *(start, len(start), start, limit),
        )
        return [key for (key,) in found]

    def select(self, where: Where, *, order: str = "confidence", limit: int = 0) -> Sequence[Memory]:
        clause, values = _clause(where)
        return self._memories(f"WHERE {clause} ORDER BY {_ORDERS[order]} LIMIT ?", *values, limit or -1)

    def count(self, where: Where) -> int:
        clause, values = _clause(where)
        return int(self._all(f"SELECT count(*) FROM memory m WHERE {clause}", *values)[0][0])

    def memories(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        found = rows.selected(self._all, rows.THOSE, rows.to_json(list(ids)))
        return {memory.id: memory for memory in _those(found)}

    def search(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Hit]:
        found = self.matches(words, where, limit=limit)
        known = self.memories([match.memory_id for match in found])
        return [Hit(memory=known[m.memory_id], score=m.score) for m in found if m.memory_id in known]

    def matches(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Match]:
        words = [word for word in words if "\0" not in word]  # FTS5 would take it for the end of the text
        if not words:
            return ()
        return self._index.best(words, self._wanted(where), limit=limit)

    def _wanted(self, where: Where) -> Wanted:
        known = self._all("SELECT seq FROM project WHERE id = ?", where.project)
        number = known[0][0] if known else 0  # a project that is not known yet: what goes everywhere, goes there
        clause, values = _clause(where)
        plain = Where(project=where.project, states=where.states, with_everywhere=where.with_everywhere)
        return Wanted(where=where, clause=clause, values=values, number=number, is_scope=where == plain)

    def nearest(
        self, point: Sequence[float], space: Space, *, where: Where, limit: int, also: Sequence[Match] = ()
    ) -> Sequence[Near]:
        from hindbrain.adapters.fit import refuse_point
        from hindbrain.adapters.sqlite.scan import ranking  # a question of words needs none of it

        refuse_point(point, space)
        with translated(self._path), steady(self._db()) as is_committed:
            numbers = self._all(_SPACE, space.provider, space.model, space.version, space.dimension)
            if not numbers:
                return ()
            number = numbers[0][0]
            wanted = self._wanted(where)
            ranked = ranking(self._read_shelves(number, space, project=wanted.number, is_committed=is_committed), point)
            depth = limit
            while True:
                best, floor = ranked.top(depth)
                near = self._placed(best, self._index.admitted(list(best), wanted), space=number)
                if floor == -math.inf or sum(one.similarity >= floor for one in near) >= limit:
                    break
                depth *= 4  # what the key cannot say (state, persona, trust) has thinned them out
            near = near[:limit]
            known = {one.memory_id for one in near}
            others = {match.number: match.memory_id for match in also if match.memory_id not in known}
            return [*near, *self._placed(ranked.of(list(others)), others, space=number)]

    def _read_shelves(self, number: int, space: Space, *, project: int, is_committed: bool) -> "list[Shelf]":
        """Those of the project, and of what goes everywhere: memories of the project may lie there too."""
        from hindbrain.adapters.sqlite.shelves import Shelves

        self._shelves = shelves = self._shelves or Shelves()
        return [
            shelves.read(self._db(), scope, space=number, dimension=space.dimension, is_committed=is_committed)
            for scope in ([0, project] if project else [0])
        ]

    def _placed(self, found: "Mapping[int, Found]", ids: Mapping[int, str], *, space: int) -> list[Near]:
        """Those of `found` that have one of `ids`, best first. Only where one of several pieces lies must be read."""
        places = [[seq, scope, piece] for seq, (_, scope, piece, of) in found.items() if of > 1 and seq in ids]
        spans = (
            {seq: (start, end) for seq, start, end in self._all(_SPANS, rows.to_json(places), space)} if places else {}
        )
        near = [
            _near((ids[seq], similarity, *spans.get(seq, _WHOLE), pieces, seq))
            for seq, (similarity, _, _, pieces) in found.items()
            if seq in ids
        ]
        near.sort()  # by id
        near.sort(key=itemgetter(1), reverse=True)
        return near

    def has_vectors(self, space: Space, where: Where) -> bool:
        found = self._all(
            f"SELECT 1 FROM vector_tally WHERE vectors > 0 AND space = ({_SPACE})"
            " AND (scope = 0 OR scope = (SELECT seq FROM project WHERE id = ?)) LIMIT 1",
            *(space.provider, space.model, space.version, space.dimension, where.project),
        )
        return bool(found)

    def points(self, ids: Sequence[str], space: Space) -> Mapping[str, Sequence[float]]:
        from hindbrain.core.model.vector import restored

        given = (rows.to_json(list(ids)), space.provider, space.model, space.version, space.dimension)
        found = self._all(f"SELECT m.id, v.scale, v.code, count(*) FROM {_VECTORS} GROUP BY m.id", *given)
        alone = {key: (scale, code) for key, scale, code, pieces in found if pieces == 1}
        # What is longer than a row holds goes on in rows of its own.
        rest: dict[str, bytes] = {}
        if any(len(code) < space.dimension for _, code in alone.values()):
            for key, code in self._all(f"SELECT m.id, r.code FROM {_VECTORS}{_REST}", *given):
                rest[key] = rest.get(key, b"") + code
        whole = {key: (scale, code + rest.get(key, b"")) for key, (scale, code) in alone.items()}
        return {key: restored(code, scale) for key, (scale, code) in whole.items() if len(code) == space.dimension}

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Memory]:
        return self._memories(
            "JOIN vector_due d ON d.memory = m.seq JOIN space s ON s.seq = d.space"
            " WHERE s.provider = ? AND s.model = ? AND s.version = ? AND s.dimension = ? ORDER BY d.memory LIMIT ?",
            *(space.provider, space.model, space.version, space.dimension, limit),
        )

    def count_unembedded(self, space: Space) -> int:
        # The list names memories that are there and have words: triggers take all others from it.
        numbers = self._all(_SPACE, space.provider, space.model, space.version, space.dimension)
        return sum(self._all("SELECT count(*) FROM vector_due WHERE space = ?", seq)[0][0] for (seq,) in numbers)

    def holders(self, words: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        return self._index.holders(words)

    def spelled(self, start: str, *, limit: int) -> Sequence[str]:
        after = start[:-1] + chr(ord(start[-1]) + 1) if start else ""
        found = self._all("SELECT term FROM memory_terms WHERE term >= ? AND term < ? LIMIT ?", start, after, limit)
        return [term for (term,) in found if not is_scope(term)]

    def rarest(self, words: Sequence[str], *, limit: int) -> Sequence[str]:
        counts = self._index.counts(words)
        return sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))[:limit]

    def terms(self, ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        found = self._all(
            "SELECT m.id, m.title_words, m.content_words, m.extra_words"
            " FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value",
            rows.to_json(list(ids)),
        )
        return {key: frozenset(" ".join(columns).split()) for key, *columns in found}

    def held(self, words: Sequence[str], near: Sequence[Near]) -> Mapping[str, Collection[str]]:
        found = self._index.held(words, {one.number: one.memory_id for one in near})
        if found is not None:
            return found
        known = self.terms([one.memory_id for one in near])
        return {key: terms.intersection(words) for key, terms in known.items()}

    def content_terms(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        sql = "SELECT m.id, m.content_words FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value"
        return {key: words.split() for key, words in self._all(sql, rows.to_json(list(ids)))}

    def same_text(self, memory: Memory) -> Memory | None:
        return self._foremost(
            "project = ? AND content_hash = ? AND persona IS ? ORDER BY state = 'archived', id",
            *(memory.project, memory.content_hash, memory.persona),
        )

    def same_key(self, memory: Memory) -> Memory | None:
        return self._foremost(
            "project = ? AND key = ? AND persona IS ? AND state IN ('live', 'quarantined') ORDER BY id",
            *(memory.project, memory.key, memory.persona),
        )

    def _foremost(self, rest: str, *values: Any) -> Memory | None:
        """The first of them. Mostly there is none, and to put whole rows in order takes longer than to find that."""
        found = self._all(f"SELECT id FROM memory WHERE {rest} LIMIT 1", *values)
        return self.memory(found[0][0]) if found else None

    def as_of(self, where: Where, at: datetime) -> Sequence[Memory]:
        then = stamp(at)
        found = self._all(
            "SELECT data FROM memory_version WHERE since <= ? AND (until IS NULL OR until > ?)"
            " AND (project = ? OR data ->> '$.reach' = 'everywhere')",
            *(then, then, where.project),
        )
        memories = (from_record(read(data)) for (data,) in found)
        return sorted((m for m in memories if where.admits(m)), key=lambda m: (m.learned_at, m.id), reverse=True)

    def history(self, memory_id: str) -> Sequence[Version]:
        found = self._all(
            "SELECT data, since, until, changed_by, change FROM memory_version WHERE memory = ? ORDER BY version",
            memory_id,
        )
        return [
            Version(
                memory=from_record(read(data)),
                since=read_stamp(since),
                until=rows.read_moment(until),
                changed_by=actor_of(read(changed_by)),
                change=change,
            )
            for data, since, until, changed_by, change in found
        ]

    def sayings(self, memory_id: str) -> Sequence[Saying]:
        found = self._all(
            "SELECT memory, receipt, session, speaker, at FROM saying WHERE memory = ? ORDER BY at, receipt",
            memory_id,
        )
        return [
            Saying(memory_id=memory, receipt=receipt, session=session, speaker=speaker, at=read_stamp(at))
            for memory, receipt, session, speaker, at in found
        ]

    def links(self, memory_id: str) -> Sequence[Link]:
        found = self._all(
            "SELECT source, target, relation, at, reason FROM link WHERE source = ? OR target = ?"
            " ORDER BY at, source, target, relation",
            *(memory_id, memory_id),
        )
        return [
            Link(source=source, target=target, relation=Relation(relation), at=read_stamp(at), reason=reason)
            for source, target, relation, at, reason in found
        ]

    def receipt(self, receipt_id: str) -> Receipt | None:
        return _first(self._receipts("WHERE id = ?", receipt_id))

    def receipts_for(self, key: str) -> Receipt | None:
        return _first(self._receipts("WHERE key = ?", key))

    def receipts(self, project: str, *, session: str = "", verdict: str = "", limit: int = 0) -> Sequence[Receipt]:
        return self._receipts(
            "WHERE project = ? AND (? = '' OR session = ?) AND (? = '' OR verdict = ?)"
            " ORDER BY at DESC, id DESC LIMIT ?",
            *(project, session, session, verdict, verdict, limit or -1),
        )

    def _receipts(self, rest: str, *values: Any) -> list[Receipt]:
        found = self._all(f"SELECT {', '.join(_RECEIPT)} FROM receipt {rest}", *values)
        return [_receipt(row) for row in found]

    def taught(self, project: str, *, session: str = "", since: datetime | None = None) -> int:
        found = self._all(
            "SELECT count(*) FROM receipt WHERE project = ? AND verdict <> 'rejected' AND (? = '' OR session = ?)"
            " AND at >= ?",
            *(project, session, session, rows.maybe_stamp(since) or ""),
        )
        return int(found[0][0])

    def review(self, review_id: str) -> Review | None:
        return _first(self._reviews("WHERE id = ?", review_id))

    def reviews(self, project: str, *, with_closed: bool = False, about: tuple[str, ...] = ()) -> Sequence[Review]:
        clause = "" if with_closed else " AND closed_at IS NULL"
        order = " ORDER BY opened_at, id"
        if not about:
            return self._reviews(f"WHERE project = ?{clause}{order}", project)
        # With the plus sign, the index of open questions is no choice: it leads to all of them.
        named = " IN (SELECT value FROM json_each(?))"
        ids = rows.to_json(about)
        return self._reviews(
            f"WHERE +project = ?{clause} AND (memory{named} OR other{named}){order}", *(project, ids, ids)
        )

    def _reviews(self, rest: str, *values: Any) -> list[Review]:
        found = self._all(
            "SELECT id, project, kind, memory, other, reason, opened_at, closed_at, decision, decided_by FROM review "
            + rest,
            *values,
        )
        return [
            Review(
                id=id_,
                project=project,
                kind=ReviewKind(kind),
                memory_id=memory,
                other_id=other,
                reason=reason,
                opened_at=read_stamp(opened),
                closed_at=rows.read_moment(closed),
                decision=decision,
                decided_by=by,
            )
            for id_, project, kind, memory, other, reason, opened, closed, decision, by in found
        ]

    def injections(self, memory_id: str) -> Sequence[Injection]:
        return self._injections(
            "WHERE id IN (SELECT injection FROM injection_item WHERE memory = ?) AND is_withheld = 0 ORDER BY id",
            memory_id,
        )

    def told(self, project: str, *, session: str = "", since: datetime | None = None) -> Sequence[Injection]:
        narrowed = " AND session = ?" if session else ""
        return self._injections(
            f"WHERE project = ? AND at >= ?{narrowed} ORDER BY at, id",
            *(project, rows.maybe_stamp(since) or "", *([session] if session else [])),
        )

    def _injections(self, rest: str, *values: Any) -> list[Injection]:
        found = self._all(f"SELECT id, at, is_withheld, {', '.join(_INJECTION)} FROM injection {rest}", *values)
        return [
            Injection(
                **dict(zip(_INJECTION, row, strict=True)),
                id=id_,
                at=read_stamp(at),
                shown=self._shown(id_),
                is_withheld=bool(is_withheld),
            )
            for id_, at, is_withheld, *row in found
        ]

    def _shown(self, injection_id: str) -> tuple[Shown, ...]:
        found = self._all(
            "SELECT memory, version, reasons FROM injection_item WHERE injection = ? ORDER BY position",
            injection_id,
        )
        return tuple(
            Shown(
                memory_id=memory,
                version=version,
                score=Score(tuple(Reason(*part) for part in read(reasons))),
            )
            for memory, version, reasons in found
        )

    def was_shown(self, memory_id: str, session: str) -> bool:
        return bool(
            self._all(
                "SELECT 1 FROM injection_item t JOIN injection i ON i.id = t.injection"
                " WHERE t.memory = ? AND t.session = ? AND i.is_withheld = 0 LIMIT 1",
                *(memory_id, session),
            )
        )

    def shown(self, session: str, *, agent: str = "", since: datetime | None = None) -> Mapping[str, int]:
        found = self._all(
            "SELECT t.memory, max(t.version) FROM injection i JOIN injection_item t ON t.injection = i.id"
            " WHERE i.session = ? AND i.agent = ? AND i.at >= ? AND i.is_withheld = 0"
            " GROUP BY t.memory ORDER BY t.memory",
            *(session, agent, rows.maybe_stamp(since) or ""),
        )
        return dict(found)

    # What a recall does not ask for lies in modules of its own.

    def briefs(self, project: str) -> "Sequence[Brief]":
        from hindbrain.adapters.sqlite.briefs import briefs

        return briefs(self._all, project)

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        wanted = rows.to_json(list(ids))
        return dict(
            self._all("SELECT m.id, m.version FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value", wanted)
        )

    def writers(self, project: str) -> Mapping[str, str]:
        from hindbrain.adapters.sqlite.briefs import writers

        return writers(self._all, project)

    def derivations(self, project: str) -> Sequence[tuple[str, str]]:
        from hindbrain.adapters.sqlite.briefs import derivations

        return derivations(self._all, project)

    def ways(self, project: str) -> "Mapping[str, Way]":
        from hindbrain.adapters.sqlite.briefs import ways

        return ways(self._all, project)

    def activities(
        self, project: str, *, session: str = "", after: int = 0, deeds: "Sequence[Deed]" = (), limit: int = 0
    ) -> "Sequence[Activity]":
        from hindbrain.adapters.sqlite.deeds import found

        return found(self._all, project, session=session, after=after, deeds=deeds, limit=limit)

    def jobs(self, *, states: "Sequence[JobState]" = (), kind: str = "", limit: int = 0) -> "Sequence[Job]":
        from hindbrain.adapters.sqlite.queue import found

        return found(self._all, states=states, kind=kind, limit=limit)

    def due(self, now: datetime, *, limit: int = 1) -> "Sequence[Job]":
        from hindbrain.adapters.sqlite.queue import due

        return due(self._all, now, limit=limit)

    def count_jobs(self) -> "Mapping[JobState, int]":
        from hindbrain.core.model.job import JobState

        return {
            JobState(state): count
            for state, count in self._all("SELECT state, count(*) FROM job GROUP BY state ORDER BY state")
        }

    def calls(self, *, since: datetime | None = None) -> "Sequence[Call]":
        from hindbrain.adapters.sqlite.calls import found

        return found(self._all, since=since)

    def outcomes(self, project: str, *, memory_id: str = "", session: str = "") -> "Sequence[Outcome]":
        from hindbrain.adapters.sqlite.worth import outcomes

        return outcomes(self._all, project, memory_id=memory_id, session=session)

    def anchors(self, project: str, *, memory_id: str = "", paths: Sequence[str] = ()) -> "Sequence[Anchor]":
        from hindbrain.adapters.sqlite.worth import anchors

        return anchors(self._all, project, memory_id=memory_id, paths=paths)

    def standings(self, ids: Sequence[str]) -> "Mapping[str, Standing]":
        if not self._all("SELECT 1 FROM outcome UNION ALL SELECT 1 FROM anchor LIMIT 1"):
            return {}  # most stores, and then nothing is loaded for it
        from hindbrain.adapters.sqlite.worth import standings

        return standings(self._all, ids)

    def cured(self, project: str, signature: str) -> Sequence[Memory]:
        return self._memories(
            "WHERE m.error_signature = ? AND m.state = 'live' AND (m.project = ? OR m.reach = 'everywhere')"
            f" ORDER BY {_ORDERS['confidence']}",
            *(signature or None, project),
        )

    def papers(self, project: str, *, sort: str = "", agent: str = "", to: str | None = None) -> "Sequence[Paper]":
        from hindbrain.adapters.sqlite.papers import found

        return found(self._all, project, sort=sort, agent=agent, to=to)

    def called(self, name: str, project: str) -> Sequence[str]:
        found = self._all(
            "SELECT memory FROM receipt WHERE project = ? AND ref = ? AND ref <> '' AND memory IS NOT NULL"
            " ORDER BY at, id",
            *(project, name),
        )
        return list(dict.fromkeys(str(memory) for (memory,) in found))

    def suggestion(self, suggestion_id: str) -> "Suggestion | None":
        from hindbrain.adapters.sqlite.loop import suggestion

        return suggestion(self._all, suggestion_id)

    def suggestions(self, project: str, *, statuses: "Sequence[Status]" = (), scar: str = "") -> "Sequence[Suggestion]":
        from hindbrain.adapters.sqlite.loop import suggestions

        return suggestions(self._all, project, statuses=statuses, scar=scar)

    def audits(self, *, after: int = 0, limit: int = 0) -> "Sequence[Entry]":
        from hindbrain.adapters.sqlite.loop import audits

        return audits(self._all, after=after, limit=limit)

    def audit_head(self) -> "Head | None":
        from hindbrain.adapters.sqlite.loop import head

        return head(self._all)

    def workstreams(self, project: str, *, state: str = "") -> "Sequence[Workstream]":
        from hindbrain.adapters.sqlite.loop import workstreams

        return workstreams(self._all, project, state=state)

    def cursor(self, name: str) -> str:
        found = self._all("SELECT value FROM cursor WHERE name = ?", name)
        return str(found[0][0]) if found else ""

    def cursors(self, start: str) -> Mapping[str, str]:
        return dict(
            self._all(
                "SELECT name, value FROM cursor WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name",
                *(start, len(start), start),
            )
        )

    def events(self, *, after: int = 0, project: str = "", limit: int = 0) -> Sequence[Event]:
        found = self._all(
            "SELECT seq, at, project, name, memory, data FROM event WHERE seq > ? AND (? = '' OR project = ?)"
            " ORDER BY seq LIMIT ?",
            *(after, project, project, limit or -1),
        )
        return [
            Event(seq=seq, at=read_stamp(at), project=of, name=name, memory_id=memory, data=read(data))
            for seq, at, of, name, memory, data in found
        ]

    def tokens(self) -> Sequence["Token"]:
        from hindbrain.adapters.sqlite import callers  # only the service has any

        return callers.tokens(self._all)

    def reply(self, key: str) -> "Reply | None":
        from hindbrain.adapters.sqlite import callers

        return callers.reply(self._all, key)

    def projects(self) -> Sequence[Project]:
        return [_project(row) for row in self._all("SELECT id, name, created_at FROM project ORDER BY seq")]

    def project_of(self, identities: Sequence[str]) -> Project | None:
        for identity in identities:
            found = self._all(
                "SELECT p.id, p.name, p.created_at FROM project_identity i JOIN project p ON p.id = i.project"
                " WHERE i.identity = ?",
                identity,
            )
            if found:
                return _project(found[0])
        return None


_INJECTION = (
    *("project", "format", "strategy", "left_out", "tokens", "session", "task", "persona", "hat", "query"),
    *("moment", "agent"),
)


def _first(found: Sequence[_T]) -> _T | None:
    return found[0] if found else None


def _those(found: Sequence[tuple[Any, ...]]) -> list[Memory]:
    read = _proven if _must_prove() else _memory
    try:
        return [read(row) for row in found]
    except StoreDamaged as error:
        from hindbrain.adapters.unread import readable

        return readable(found, read, error=error)


def _must_prove() -> bool:
    if "hindbrain.adapters.unread" not in sys.modules:  # who asks for it has loaded it
        return False
    from hindbrain.adapters.unread import must_prove

    return must_prove()


def _proven(row: tuple[Any, ...]) -> Memory:
    if not rows.is_whole(row):
        raise StoreDamaged.of(f"memory {row[0]}")
    return _memory(row)


def _memory(row: tuple[Any, ...]) -> Memory:
    try:
        return rows.of_row(row[: len(rows.COLUMNS)])
    except (ValueError, TypeError) as error:
        raise StoreDamaged(f"memory {row[0]} cannot be read: {error}", fix="run `hindbrain doctor`") from error


def _project(row: Sequence[Any]) -> Project:
    return Project(id=row[0], name=row[1], created_at=read_stamp(row[2]))


def _receipt(row: Sequence[Any]) -> Receipt:
    r = dict(zip(_RECEIPT, row, strict=True))
    return Receipt(
        **{name: r[name] for name in ("id", "key", "project", "text", "reason", "signal", "session", "task")},
        **{name: r[name] for name in ("adapter", "origin", "line", "ref")},
        at=read_stamp(r["at"]),
        said_at=rows.read_moment(r["said_at"]),
        verdict=Verdict(r["verdict"]),
        memory_id=r["memory"],
        supersedes=tuple(read(r["supersedes"])),
        removed=tuple(read(r["removed"])),
    )


def _clause(where: Where) -> tuple[str, list[Any]]:
    """The condition on `memory m`, and its values."""
    project = "(m.project = ? OR m.reach = 'everywhere')" if where.with_everywhere else "m.project = ?"
    parts: list[tuple[str, Sequence[Any]]] = [(project, [where.project])]
    for column, wanted in (("state", sorted(where.states)), ("kind", where.kinds), ("type", where.types)):
        if wanted:
            parts.append((f"m.{column} IN ({', '.join('?' * len(wanted))})", [str(value) for value in wanted]))
    if where.voices is not None:
        marks = ", ".join("?" * len(where.voices))
        parts.append((f"(m.persona IS NULL OR m.persona IN ({marks}))", where.voices))
    optional: tuple[tuple[bool, str, Sequence[Any]], ...] = (
        (where.min_confidence is not None, "m.confidence >= ?", [where.min_confidence]),
        (where.min_trust > 0, "m.trust >= ?", [where.min_trust]),
        (where.after is not None, "m.created_at >= ?", [rows.maybe_stamp(where.after)]),
        (where.before is not None, "m.created_at <= ?", [rows.maybe_stamp(where.before)]),
        (bool(where.not_session), "m.session <> ?", [where.not_session]),
        (bool(where.containing), _CONTAINS, [where.containing] * 2),
        (where.is_pinned, "m.is_pinned = 1", []),
    )
    parts += [(sql, values) for is_asked, sql, values in optional if is_asked]
    return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


# lower() knows ASCII only, as LIKE does, but takes a text of any length and has no wildcards.
_CONTAINS = "(instr(lower(m.title), lower(?)) OR instr(lower(m.content), lower(?)))"
