"""How a question to the store becomes SQL: bound parameters only, identifiers from fixed lists."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, TypeVar

from hindbrain.adapters.postgres import vectors, words
from hindbrain.adapters.postgres.codec import column, read_as
from hindbrain.adapters.postgres.wire import Db
from hindbrain.adapters.unread import leaving_out, must_prove, readable
from hindbrain.core.learning.audit import START, Entry, Head, read_head
from hindbrain.core.model import (
    Actor,
    ActorType,
    Event,
    Injection,
    Link,
    Memory,
    Receipt,
    Review,
    Space,
    State,
    Vector,
    Version,
)
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.call import Call
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.outcome import Anchor, Outcome, Standing, standing
from hindbrain.core.model.paper import Paper
from hindbrain.core.model.record import actor_of, fingerprint_of, from_record
from hindbrain.core.model.suggestion import Status, Suggestion
from hindbrain.core.model.token import Reply, Token
from hindbrain.core.model.vector import restored
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.notation import read, write
from hindbrain.core.recall.bm25 import idf
from hindbrain.core.source import speakers
from hindbrain.core.words import terms
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Brief, Hit, Match, Near, Project, Saying, Way, Where

T = TypeVar("T")
_ORDERS = {
    "confidence": "m.confidence DESC, m.created_at DESC, m.id DESC",
    "newest": "m.learned_at DESC, m.id DESC",
}


class PostgresReader:
    """The read half of the store. `using` runs a piece of work with a connection; queue and cursors are the home's."""

    def __init__(self, using: Callable[[Callable[[Db], Any]], Any], *, home: str) -> None:
        self._using = using
        self.home = home

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._using(lambda db: db.execute(sql.encode(), values).fetchall())
        return found

    def _values(self, kind: type[T], rest: str, *values: Any) -> list[T]:
        found = self._all(f"SELECT data FROM {_table(kind)} {rest}", *values)
        return [_read(kind, text) for (text,) in found]

    def _numbered(self, kind: type[T], rest: str, *values: Any) -> list[T]:
        found = self._all(f"SELECT seq, data FROM {_table(kind)} {rest}", *values)
        return [_read(kind, text, seq=seq) for seq, text in found]

    def _memories(self, rest: str, *values: Any) -> list[Memory]:
        found = self._all(f"SELECT m.id, m.data, m.row_hash FROM memory m {rest}", *values)
        read_ = _proven if must_prove() else _memory
        try:
            return [read_(row) for row in found]
        except StoreDamaged as error:
            return readable(found, read_, error=error)

    def leaving_out(self, *, is_proven: bool = False) -> AbstractContextManager[list[str]]:
        return leaving_out(is_proven=is_proven)

    def memory(self, memory_id: str) -> Memory | None:
        return _first(self._memories("WHERE m.id = %s", column(memory_id)))

    def ids(self, start: str, *, limit: int) -> Sequence[str]:
        found = self._all(
            "SELECT id FROM memory WHERE id >= %s AND starts_with(id, %s) ORDER BY id LIMIT %s",
            *(column(start), column(start), limit),
        )
        return [key for (key,) in found]

    def select(self, where: Where, *, order: str = "confidence", limit: int = 0) -> Sequence[Memory]:
        sql, values = clause(where)
        most = None if where.containing else limit or None
        found = self._memories(f"WHERE {sql} ORDER BY {_ORDERS[order]} LIMIT %s", *values, most)
        return _saying_so(found, where)[: limit or None]

    def count(self, where: Where) -> int:
        if where.containing:
            return len(self.select(where))
        sql, values = clause(where)
        return int(self._all(f"SELECT count(*) FROM memory m WHERE {sql}", *values)[0][0])

    def memories(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        wanted = [column(key) for key in dict.fromkeys(ids)]
        found = {memory.id: memory for memory in self._memories("WHERE m.id = ANY(%s::text[])", wanted)}
        return {key: found[key] for key in dict.fromkeys(ids) if key in found}

    def briefs(self, project: str) -> Sequence[Brief]:
        sql = f"SELECT m.id, m.state, m.data FROM memory m WHERE m.project = %s ORDER BY {_ORDERS['newest']}"
        return [_brief(key, data, state=state) for key, state, data in self._all(sql, column(project))]

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        wanted = [column(key) for key in ids]
        return dict(self._all("SELECT id, version FROM memory WHERE id = ANY(%s::text[])", wanted))

    def search(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Hit]:
        found = self.matches(words, where, limit=limit)
        known = self.memories([match.memory_id for match in found])
        return [Hit(memory=known[m.memory_id], score=m.score) for m in found if m.memory_id in known]

    def matches(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Match]:
        asked = self._asked(words, where)
        if asked is None or not limit:
            return ()
        depth = limit * 2 + 20
        while True:
            found, count = self._best(asked, where, depth=depth)
            if len(found) >= limit or count < depth:
                return found[:limit]
            depth *= 8  # what the key cannot say (state, persona, trust) has thinned them out

    def _asked(self, asked: Sequence[str], where: Where) -> dict[str, Any] | None:
        """What the words are worth, and where to look; None when nothing can be found."""
        terms = words.askable(asked)
        ((count, size, scopes, held),) = self._all(
            "SELECT memories, size, (SELECT array_agg(seq) FROM project WHERE id = %s),"
            " (SELECT array_agg(ARRAY[term, holders::text]) FROM term WHERE term = ANY(%s::text[])) FROM tally",
            *(column(where.project), terms),
        )
        if not held:
            return None
        holders = {term: int(number) for term, number in held}
        known = [term for term in terms if term in holders]
        return {
            "terms": known,
            "worths": [idf(holders[term], count) for term in known],
            "scopes": [0, *(scopes or ())],
            "average": size / count,
        }

    def _best(self, asked: dict[str, Any], where: Where, *, depth: int) -> tuple[list[Match], int]:
        """The best `depth` without those that `where` leaves out, and how many there were with them."""
        sql, values = clause(where)
        named = {f"v{n}": value for n, value in enumerate(values)}
        for name in named:
            sql = sql.replace("%s", f"%({name})s", 1)
        # Those that are as good as the last one come along: their order is by id, which the index does not know.
        ranked = f"SELECT b.*, rank() OVER (ORDER BY b.score DESC) AS place FROM ({words.BEST}) b"
        query = (
            f"WITH best AS MATERIALIZED (SELECT * FROM ({ranked}) r WHERE r.place <= %(depth)s)"
            f" SELECT m.id, b.score, b.size, (SELECT count(*) FROM best), m.data FROM best b"
            f" JOIN memory m ON m.seq = b.memory WHERE {sql} ORDER BY b.score DESC, m.id"
        )
        values_ = asked | named | {"depth": depth}
        rows: list[Any] = self._using(lambda db: db.execute(query.encode(), values_).fetchall())
        if not rows:
            count = self._using(
                lambda db: db.execute(f"SELECT count(*) FROM ({words.BEST}) b".encode(), asked).fetchall()
            )
            return [], min(depth, count[0][0])
        found = [
            Match(memory_id=key, score=score, size=size / asked["average"])
            for key, score, size, _, data in rows
            if not where.containing or where.admits(_memory((key, data)))
        ]
        return found, rows[0][3]

    def holders(self, words: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        count = int(self._all("SELECT memories FROM tally")[0][0])
        found = self._all("SELECT term, holders FROM term WHERE term = ANY(%s::text[])", _askable(words))
        return count, dict.fromkeys(words, 0) | {term: int(held) for term, held in found}

    def spelled(self, start: str, *, limit: int) -> Sequence[str]:
        if not start or "\0" in start:
            return []
        sql = "SELECT term FROM term WHERE term >= %s AND starts_with(term, %s) AND term < %s ORDER BY term LIMIT %s"
        after = start[:-1] + chr(min(ord(start[-1]) + 1, 0x10FFFF))
        return [term for (term,) in self._all(sql, start, start, after, limit)]

    def rarest(self, words: Sequence[str], *, limit: int) -> Sequence[str]:
        _, counts = self.holders(words)
        return sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))[:limit]

    def terms(self, ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        wanted = [column(key) for key in dict.fromkeys(ids)]
        found = dict(self._all("SELECT id, words FROM memory WHERE id = ANY(%s::text[])", wanted))
        return {key: frozenset(found[key].split()) for key in dict.fromkeys(ids) if key in found}

    def held(self, words: Sequence[str], near: Sequence[Near]) -> Mapping[str, frozenset[str]]:
        found = self.terms([one.memory_id for one in near])
        return {key: known.intersection(words) for key, known in found.items()}

    def content_terms(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        return {key: terms(memory.content) for key, memory in self.memories(ids).items()}

    def nearest(
        self, point: Sequence[float], space: Space, *, where: Where, limit: int, also: Sequence[Match] = ()
    ) -> Sequence[Near]:
        from hindbrain.adapters.fit import refuse_point

        refuse_point(point, space)
        sql, values = clause(where)
        asked = tuple(match.memory_id for match in also)
        wanted = vectors.Wanted(point=tuple(point), where=where, sql=sql, values=tuple(values), limit=limit, also=asked)
        near: list[Near] = self._using(lambda db: vectors.nearest(db, wanted, space=space))
        if where.containing:
            known = self.memories([one.memory_id for one in near])
            near = [one for one in near if where.admits(known[one.memory_id])]
        return [*near[:limit], *(one for one in near[limit:] if one.memory_id in asked)]

    def has_vectors(self, space: Space, where: Where) -> bool:
        found: bool = self._using(lambda db: vectors.has_any(db, space, project=where.project))
        return found

    def points(self, ids: Sequence[str], space: Space) -> Mapping[str, Sequence[float]]:
        found: Sequence[Vector] = self._using(lambda db: vectors.of(db, ids))
        own = [one for one in found if one.space == space]
        pieces = Counter(one.memory_id for one in own)
        return {one.memory_id: restored(one.code, one.scale) for one in own if pieces[one.memory_id] == 1}

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Memory]:
        return self._memories(
            "JOIN embedding_due d ON d.memory = m.seq JOIN space s ON s.seq = d.space"
            f" WHERE {vectors.SPACE} ORDER BY d.memory LIMIT %s",
            *(*vectors.key(space), limit),
        )

    def count_unembedded(self, space: Space) -> int:
        sql = f"SELECT count(*) FROM embedding_due d JOIN space s ON s.seq = d.space WHERE {vectors.SPACE}"
        return int(self._all(sql, *vectors.key(space))[0][0])

    def same_text(self, memory: Memory) -> Memory | None:
        return _first(
            self._memories(
                "WHERE m.project = %s AND m.content_hash = %s AND m.persona IS NOT DISTINCT FROM %s"
                " ORDER BY m.state = 'archived', m.id LIMIT 1",
                *(column(memory.project), column(memory.content_hash), column(memory.persona)),
            )
        )

    def same_key(self, memory: Memory) -> Memory | None:
        return _first(
            self._memories(
                "WHERE m.project = %s AND m.key = %s AND m.persona IS NOT DISTINCT FROM %s"
                " AND m.state IN ('live', 'quarantined') ORDER BY m.id LIMIT 1",
                *(column(memory.project), column(memory.key), column(memory.persona)),
            )
        )

    def as_of(self, where: Where, at: datetime) -> Sequence[Memory]:
        then = stamp(at)
        found = self._all(
            "SELECT data FROM memory_version WHERE since <= %s AND (until IS NULL OR until > %s)"
            " AND (project = %s OR reach = 'everywhere')",
            *(then, then, column(where.project)),
        )
        memories = (from_record(read(data)) for (data,) in found)
        return sorted((m for m in memories if where.admits(m)), key=lambda m: (m.learned_at, m.id), reverse=True)

    def history(self, memory_id: str) -> Sequence[Version]:
        found = self._all(
            "SELECT data, since, until, changed_by, change FROM memory_version WHERE memory = %s ORDER BY version",
            column(memory_id),
        )
        return [
            Version(
                memory=from_record(read(data)),
                since=read_stamp(since),
                until=read_stamp(until) if until else None,
                changed_by=actor_of(read(by)),
                change=change,
            )
            for data, since, until, by, change in found
        ]

    def writers(self, project: str) -> Mapping[str, str]:
        login = cache(lambda text: actor_of(read(text)).login)
        sql = "SELECT memory, changed_by FROM memory_version WHERE project = %s AND version = 1"
        return {memory: login(by) for memory, by in self._all(sql, column(project))}

    def sayings(self, memory_id: str) -> Sequence[Saying]:
        return self._values(Saying, "WHERE memory = %s ORDER BY at, receipt", column(memory_id))

    def links(self, memory_id: str) -> Sequence[Link]:
        rest = "WHERE source = %s OR target = %s ORDER BY at, source, target, relation"
        return self._values(Link, rest, column(memory_id), column(memory_id))

    def derivations(self, project: str) -> Sequence[tuple[str, str]]:
        found = self._all(
            "SELECT l.source, l.target FROM link l JOIN memory m ON m.id = l.source"
            " WHERE l.relation = 'derived_from' AND m.project = %s ORDER BY l.source, l.target",
            column(project),
        )
        return [(source, target) for source, target in found]

    def receipt(self, receipt_id: str) -> Receipt | None:
        return _first(self._values(Receipt, "WHERE id = %s", column(receipt_id)))

    def receipts_for(self, key: str) -> Receipt | None:
        return _first(self._values(Receipt, "WHERE key = %s", column(key)))

    def receipts(self, project: str, *, session: str = "", verdict: str = "", limit: int = 0) -> Sequence[Receipt]:
        narrowed, values = _narrowed(project, session=session, verdict=verdict)
        return self._values(Receipt, f"{narrowed} ORDER BY at DESC, id DESC LIMIT %s", *values, limit or None)

    def ways(self, project: str) -> Mapping[str, Way]:
        found = self._all("SELECT id, data FROM receipt WHERE project = %s", column(project))
        known = ((key, read(data)) for key, data in found)
        return {key: Way(one.get("task", ""), one.get("adapter", ""), one.get("origin", "")) for key, one in known}

    def taught(self, project: str, *, session: str = "", since: datetime | None = None) -> int:
        narrowed, values = _narrowed(project, session=session)
        sql = f"SELECT count(*) FROM receipt {narrowed} AND verdict <> 'rejected' AND at >= %s"
        return int(self._all(sql, *values, _since(since))[0][0])

    def review(self, review_id: str) -> Review | None:
        return _first(self._values(Review, "WHERE id = %s", column(review_id)))

    def reviews(self, project: str, *, with_closed: bool = False, about: tuple[str, ...] = ()) -> Sequence[Review]:
        clause = "" if with_closed else " AND closed_at IS NULL"
        clause += " AND (memory = ANY(%s::text[]) OR other = ANY(%s::text[]))" if about else ""
        named = ([column(key) for key in about],) * 2 if about else ()
        return self._values(Review, f"WHERE project = %s{clause} ORDER BY opened_at, id", column(project), *named)

    def injections(self, memory_id: str) -> Sequence[Injection]:
        return self._values(
            Injection,
            "WHERE id IN (SELECT injection FROM injection_item WHERE memory = %s) AND NOT is_withheld ORDER BY id",
            column(memory_id),
        )

    def was_shown(self, memory_id: str, session: str) -> bool:
        sql = (
            "SELECT 1 FROM injection_item t JOIN injection i ON i.id = t.injection"
            " WHERE t.memory = %s AND i.session = %s AND NOT i.is_withheld LIMIT 1"
        )
        return bool(self._all(sql, column(memory_id), column(session)))

    def shown(self, session: str, *, agent: str = "", since: datetime | None = None) -> Mapping[str, int]:
        found = self._all(
            "SELECT t.memory, max(t.version) FROM injection i JOIN injection_item t ON t.injection = i.id"
            " WHERE i.session = %s AND i.agent = %s AND i.at >= %s AND NOT i.is_withheld"
            " GROUP BY t.memory ORDER BY t.memory",
            *(column(session), column(agent), _since(since)),
        )
        return dict(found)

    def told(self, project: str, *, session: str = "", since: datetime | None = None) -> Sequence[Injection]:
        narrowed, values = _narrowed(project, session=session)
        return self._values(Injection, f"{narrowed} AND at >= %s ORDER BY at, id", *values, _since(since))

    def activities(
        self, project: str, *, session: str = "", after: int = 0, deeds: Sequence[Deed] = (), limit: int = 0
    ) -> Sequence[Activity]:
        narrowed, values = _narrowed(project, session=session, deed=[str(deed) for deed in deeds])
        rest = f"{narrowed} AND seq > %s ORDER BY seq LIMIT %s"
        return self._numbered(Activity, rest, *values, after, limit or None)

    def jobs(self, *, states: Sequence[JobState] = (), kind: str = "", limit: int = 0) -> Sequence[Job]:
        narrowed, values = _narrowed(self.home, by="home", state=[str(state) for state in states], kind=kind)
        return self._numbered(Job, f"{narrowed} ORDER BY seq LIMIT %s", *values, limit or None)

    def due(self, now: datetime, *, limit: int = 1) -> Sequence[Job]:
        is_due = "state IN ('queued', 'running') AND home = %s AND (state = 'running' OR due_at <= %s)"
        return self._numbered(Job, f"WHERE {is_due} ORDER BY seq LIMIT %s", self.home, stamp(now), limit)

    def count_jobs(self) -> Mapping[JobState, int]:
        found = self._all("SELECT state, count(*) FROM job WHERE home = %s GROUP BY state ORDER BY state", self.home)
        return {JobState(state): count for state, count in found}

    def outcomes(self, project: str, *, memory_id: str = "", session: str = "") -> Sequence[Outcome]:
        narrowed, values = _narrowed(project, memory=memory_id, session=session)
        return self._values(Outcome, f"{narrowed} ORDER BY at, id", *values)

    def anchors(self, project: str, *, memory_id: str = "", paths: Sequence[str] = ()) -> Sequence[Anchor]:
        narrowed, values = _narrowed(project, memory=memory_id, path=list(paths))
        return self._values(Anchor, f"{narrowed} ORDER BY memory, path, position", *values)

    def standings(self, ids: Sequence[str]) -> Mapping[str, Standing]:
        wanted = [column(key) for key in dict.fromkeys(ids)]
        said: dict[str, list[Outcome]] = {}
        for outcome in self._values(Outcome, "WHERE memory = ANY(%s::text[])", wanted):
            said.setdefault(outcome.memory_id, []).append(outcome)
        tied: dict[str, list[Anchor]] = {}
        for anchor in self._values(Anchor, "WHERE memory = ANY(%s::text[])", wanted):
            tied.setdefault(anchor.memory_id, []).append(anchor)
        return {
            key: standing(said.get(key, ()), [anchor.freshness for anchor in tied.get(key, ())])
            for key in dict.fromkeys(ids)
            if key in said or key in tied
        }

    def cured(self, project: str, signature: str) -> Sequence[Memory]:
        return self._memories(
            "WHERE m.error_signature = %s AND m.state = 'live' AND (m.project = %s OR m.reach = 'everywhere')"
            f" ORDER BY {_ORDERS['confidence']}",
            *(column(signature) or None, column(project)),
        )

    def papers(self, project: str, *, sort: str = "", agent: str = "", to: str | None = None) -> Sequence[Paper]:
        narrowed, values = _narrowed(project, sort=sort, agent=agent)
        if to is not None:
            narrowed, values = f"{narrowed} AND receiver = %s", [*values, column(to)]
        return self._values(Paper, f"{narrowed} ORDER BY at, sort, id", *values)

    def called(self, name: str, project: str) -> Sequence[str]:
        found = self._all(
            "SELECT memory FROM receipt WHERE project = %s AND ref = %s AND ref <> '' AND memory IS NOT NULL"
            " ORDER BY at, id",
            *(column(project), column(name)),
        )
        return list(dict.fromkeys(str(memory) for (memory,) in found))

    def suggestion(self, suggestion_id: str) -> Suggestion | None:
        return _first(self._values(Suggestion, "WHERE id = %s", column(suggestion_id)))

    def suggestions(self, project: str, *, statuses: Sequence[Status] = (), scar: str = "") -> Sequence[Suggestion]:
        narrowed, values = _narrowed(project, status=[str(status) for status in statuses], scar=scar)
        return self._values(Suggestion, f"{narrowed} ORDER BY created_at, id", *values)

    def audits(self, *, after: int = 0, limit: int = 0) -> Sequence[Entry]:
        found = self._all("SELECT seq, data FROM audit WHERE seq > %s ORDER BY seq LIMIT %s", *(after, limit or None))
        return [_entry(seq, data) for seq, data in found]

    def audit_head(self) -> Head | None:
        found = self._all("SELECT value FROM meta WHERE name = 'audit'")
        return read_head(found[0][0]) if found else Head()

    def workstreams(self, project: str, *, state: str = "") -> Sequence[Workstream]:
        narrowed, values = _narrowed(project, state=state)
        return self._values(Workstream, f"{narrowed} ORDER BY opened_at, id", *values)

    def cursor(self, name: str) -> str:
        found = self._all("SELECT value FROM cursor WHERE home = %s AND name = %s", self.home, column(name))
        return str(read(found[0][0])) if found else ""

    def cursors(self, start: str) -> Mapping[str, str]:
        found = self._all(
            "SELECT name, value FROM cursor WHERE home = %s AND starts_with(name, %s) ORDER BY name",
            self.home,
            column(start),
        )
        return {name: str(read(value)) for name, value in found}

    def calls(self, *, since: datetime | None = None) -> Sequence[Call]:
        return self._values(Call, "WHERE at >= %s ORDER BY at, seq", _since(since))

    def events(self, *, after: int = 0, project: str = "", limit: int = 0) -> Sequence[Event]:
        narrowed, values = _narrowed(project) if project else ("WHERE true", [])
        return self._numbered(Event, f"{narrowed} AND seq > %s ORDER BY seq LIMIT %s", *values, after, limit or None)

    def tokens(self) -> Sequence[Token]:
        return self._values(Token, "ORDER BY name")

    def reply(self, key: str) -> Reply | None:
        return _first(self._values(Reply, "WHERE key = %s", column(key)))

    def projects(self) -> Sequence[Project]:
        return [_project(row) for row in self._all("SELECT id, name, created_at FROM project ORDER BY seq")]

    def project_of(self, identities: Sequence[str]) -> Project | None:
        wanted = [column(identity) for identity in identities]
        found = self._all(
            "SELECT p.id, p.name, p.created_at FROM project_identity i JOIN project p ON p.id = i.project"
            " WHERE i.identity = ANY(%s::text[]) ORDER BY array_position(%s::text[], i.identity::text) LIMIT 1",
            *(wanted, wanted),
        )
        return _project(found[0]) if found else None


def _table(kind: type[Any]) -> str:
    return kind.__name__.lower()


def clause(where: Where) -> tuple[str, list[Any]]:
    """The condition on `memory m`, and its values. Of what is to be contained it says only what must stand somewhere:
    whoever asks looks again with `admits`."""
    project = "(m.project = %s OR m.reach = 'everywhere')" if where.with_everywhere else "m.project = %s"
    parts: list[tuple[str, Sequence[Any]]] = [(project, [column(where.project)])]
    for name, wanted in (("kind", where.kinds), ("type", where.types)):
        if wanted:
            parts.append((f"m.{name} = ANY(%s::text[])", [[column(str(value)) for value in wanted]]))
    optional: tuple[tuple[bool, str, Sequence[Any]], ...] = (
        (bool(where.states), "m.state = ANY(%s::text[])", [[str(state) for state in sorted(where.states)]]),
        (
            where.voices is not None,
            "(m.persona IS NULL OR m.persona = ANY(%s::text[]))",
            [[column(voice) for voice in where.voices or ()]],
        ),
        (where.min_confidence is not None, "m.confidence >= %s", [where.min_confidence]),
        (where.min_trust > 0, "m.trust >= %s", [where.min_trust]),
        (where.after is not None, "m.created_at >= %s", [stamp(where.after) if where.after else ""]),
        (where.before is not None, "m.created_at <= %s", [stamp(where.before) if where.before else ""]),
        (bool(where.not_session), "m.session <> %s", [column(where.not_session)]),
        (bool(where.containing), "strpos(lower(m.data), %s) > 0", [_in_json(where.containing)]),
        (where.is_pinned, "m.is_pinned", []),
    )
    parts += [(sql, values) for is_asked, sql, values in optional if is_asked]
    return " AND ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _in_json(text: str) -> str:
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in write(text)[1:-1])


def _saying_so(found: list[Memory], where: Where) -> list[Memory]:
    return [memory for memory in found if where.admits(memory)] if where.containing else found


def _narrowed(owner: str, *, by: str = "project", **wanted: str | list[str]) -> tuple[str, list[Any]]:
    """A condition on the owner, whoever that is, and on those that are not empty; a list means any of it.

    No owner owns nothing: a folder that is no project yet must not be shown what others hold.
    """
    asked = {name: value for name, value in wanted.items() if value}
    parts = [
        f"{name} = ANY(%s::text[])" if isinstance(value, list) else f"{name} = %s" for name, value in asked.items()
    ]
    values = [[column(one) for one in value] if isinstance(value, list) else column(value) for value in asked.values()]
    return f"WHERE {' AND '.join([f'{by} = %s', *parts])}", [column(owner), *values]


def _since(moment: datetime | None) -> str:
    return stamp(moment) if moment else ""


def _askable(asked: Sequence[str]) -> list[str]:
    return words.askable(asked)


def _first(found: Sequence[T]) -> T | None:
    return found[0] if found else None


def _project(row: Sequence[Any]) -> Project:
    return Project(id=row[0], name=row[1], created_at=read_stamp(row[2]))


def _proven(row: Sequence[Any]) -> Memory:
    key, data, proof = row
    if fingerprint_of(data) != proof:
        raise StoreDamaged.of(f"memory {key}")
    return _memory(row)


def _memory(row: Sequence[Any]) -> Memory:
    key, data, *_ = row
    try:
        return from_record(read(data))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreDamaged(f"memory {key} cannot be read: {error}", fix="run `hindbrain doctor`") from error


def _brief(key: str, data: str, *, state: str) -> Brief:
    try:
        known = read(data)
        told, count = known["provenance"], known["counters"]
        actor = told["actor"]
        return Brief(
            *(key, known["title"], State(state), known["version"]),
            *(_names((actor["type"], actor["persona"], actor["instance"])), told["session"], told["task"]),
            *(told["adapter"], told["receipt"], known["trust"], count["evidence"], count["injected"]),
            *(known["superseded_by"], known["archive_reason"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StoreDamaged(f"memory {key} cannot be read: {error}", fix="run `hindbrain doctor`") from error


@lru_cache(maxsize=1024)
def _names(actor: tuple[str, str, str]) -> tuple[str, ...]:
    kind, persona, instance = actor
    return speakers(Actor(type=ActorType(kind), persona=persona, instance=instance))


def _read(kind: type[T], text: str, **more: Any) -> T:
    try:
        return read_as(kind, text, **more)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreDamaged(
            f"a {kind.__name__.lower()} cannot be read: {error}", fix="run `hindbrain doctor`"
        ) from error


def _entry(seq: int, data: str) -> Entry:
    """One that cannot be read is told as it is: the chain finds it."""
    try:
        return read_as(Entry, data, seq=seq)
    except (ValueError, KeyError, TypeError):
        never = read_stamp("1970-01-01T00:00:00.000Z")
        return Entry(
            at=never, project="", actor="", action="", subject="", detail={"foreign": data}, seq=seq, prev=START
        )
