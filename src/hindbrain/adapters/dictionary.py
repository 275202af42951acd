"""A store in plain dictionaries: what every store must amount to, without a file. For tests and trials."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from operator import mul

from hindbrain.adapters.fit import refuse_misfits, refuse_point
from hindbrain.core.learning.audit import Entry, Head, head_of
from hindbrain.core.model import (
    Event,
    Injection,
    Link,
    Memory,
    Reach,
    Receipt,
    Relation,
    Review,
    Space,
    State,
    Vector,
    Verdict,
    Version,
)
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.model.call import Call
from hindbrain.core.model.job import KEPT_DONE, SUPERSEDED, Job, JobState
from hindbrain.core.model.outcome import Anchor, Outcome, Standing, standing
from hindbrain.core.model.paper import Paper
from hindbrain.core.model.receipt import FORGOTTEN
from hindbrain.core.model.suggestion import Status, Suggestion
from hindbrain.core.model.token import KEPT, Reply, Token
from hindbrain.core.model.vector import restored
from hindbrain.core.model.workstream import Workstream
from hindbrain.core.recall.bm25 import Document, length, scores
from hindbrain.core.recall.index import WEIGHTS, columns, scope
from hindbrain.core.recall.meaningful import digest, meaningful
from hindbrain.core.source import speakers
from hindbrain.core.value import dataclass, field, replace
from hindbrain.core.words import terms
from hindbrain.errors import Conflict, UnknownMemory
from hindbrain.ports import (
    Brief,
    Changes,
    Damage,
    Erasure,
    Hit,
    Match,
    Near,
    Project,
    Reader,
    Saying,
    T,
    Transaction,
    Way,
    Where,
)


@dataclass(slots=True)
class _Tables:
    projects: dict[str, Project] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    versions: dict[str, tuple[Version, ...]] = field(default_factory=dict)
    sayings: dict[tuple[str, str], Saying] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    reviews: dict[str, Review] = field(default_factory=dict)
    injections: dict[str, Injection] = field(default_factory=dict)
    vectors: dict[tuple[str, Space], tuple[Vector, ...]] = field(default_factory=dict)
    expected: dict[Space, bool] = field(default_factory=dict)
    activities: dict[str, Activity] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    outcomes: dict[tuple[str, str, str], Outcome] = field(default_factory=dict)
    anchors: dict[str, tuple[Anchor, ...]] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    papers: dict[tuple[str, str, str], Paper] = field(default_factory=dict)
    suggestions: dict[str, Suggestion] = field(default_factory=dict)
    audits: dict[int, Entry] = field(default_factory=dict)
    workstreams: dict[str, Workstream] = field(default_factory=dict)
    cursors: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    def copy(self) -> "_Tables":
        """Values are frozen, so a copy of the dictionaries is a snapshot."""
        tables = {name: dict(getattr(self, name)) for name in self.__slots__ if name != "events"}
        return _Tables(**tables, events=self.events)


class _DictReader:
    def __init__(self, tables: _Tables) -> None:
        self._tables = tables

    def leaving_out(self, *, is_proven: bool = False) -> AbstractContextManager[list[str]]:
        return nullcontext([])  # nothing of it is written anywhere

    def memory(self, memory_id: str) -> Memory | None:
        return self._tables.memories.get(memory_id)

    def ids(self, start: str, *, limit: int) -> Sequence[str]:
        return sorted(key for key in self._tables.memories if key.startswith(start))[:limit]

    def select(self, where: Where, *, order: str = "confidence", limit: int = 0) -> Sequence[Memory]:
        found = [memory for memory in self._tables.memories.values() if where.admits(memory)]
        if order == "confidence":
            found.sort(key=lambda m: (m.confidence, m.created_at, m.id), reverse=True)
        else:
            found.sort(key=lambda m: (m.learned_at, m.id), reverse=True)
        return found[: limit or None]

    def count(self, where: Where) -> int:
        return len(self.select(where))

    def memories(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        return {key: self._tables.memories[key] for key in ids if key in self._tables.memories}

    def search(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Hit]:
        found = self.matches(words, where, limit=limit)
        return [Hit(memory=self._tables.memories[match.memory_id], score=match.score) for match in found]

    def briefs(self, project: str) -> Sequence[Brief]:
        where = Where(project=project, states=frozenset(State), with_everywhere=False)
        return [_brief(memory) for memory in self.select(where, order="newest")]

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        return {key: memory.version for key, memory in self.memories(ids).items()}

    def matches(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Match]:
        documents = [Document(id=m.id, columns=(scope(m, 0), *columns(m))) for m in self._tables.memories.values()]
        found = scores(documents, words, weights=WEIGHTS)
        sizes = {document.id: length(document) for document in documents}
        usual = sum(sizes.values()) / len(sizes) if sizes else 1.0
        matches = [
            Match(memory_id=key, score=score, size=sizes[key] / usual)
            for key, score in found.items()
            if score and where.admits(self._tables.memories[key])  # the scope weighs nothing
        ]
        return sorted(matches, key=lambda match: (-match.score, match.memory_id))[:limit]

    def _held(self) -> list[set[str]]:
        return [{term for column in columns(m) for term in column} for m in self._tables.memories.values()]

    def holders(self, words: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        held = self._held()
        return len(held), {word: sum(word in terms for terms in held) for word in words}

    def spelled(self, start: str, *, limit: int) -> Sequence[str]:
        return sorted({term for terms in self._held() for term in terms if start and term.startswith(start)})[:limit]

    def nearest(
        self, point: Sequence[float], space: Space, *, where: Where, limit: int, also: Sequence[Match] = ()
    ) -> Sequence[Near]:
        refuse_point(point, space)
        near = [
            max(
                (_near(self._tables.memories[key], piece, point=point, pieces=len(pieces)) for piece in pieces),
                key=lambda one: one.similarity,
            )
            for (key, of), pieces in self._tables.vectors.items()
            if of == space and where.admits(self._tables.memories[key])
        ]
        near.sort(key=lambda one: (-one.similarity, one.memory_id))
        asked = {match.memory_id for match in also}
        return [*near[:limit], *(one for one in near[limit:] if one.memory_id in asked)]

    def has_vectors(self, space: Space, where: Where) -> bool:
        owners = (self._tables.memories[key] for key, of in self._tables.vectors if of == space)
        return any(m.project == where.project or m.reach is Reach.EVERYWHERE for m in owners)

    def points(self, ids: Sequence[str], space: Space) -> Mapping[str, Sequence[float]]:
        found = {key: self._tables.vectors.get((key, space), ()) for key in ids}
        return {key: restored(one[0].code, one[0].scale) for key, one in found.items() if len(one) == 1}

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Memory]:
        found = [
            memory
            for memory in self._tables.memories.values()
            if memory.archived_at is None and (memory.id, space) not in self._tables.vectors
        ]
        return found[:limit] if space in self._tables.expected else ()

    def count_unembedded(self, space: Space) -> int:
        return len(self.unembedded(space, limit=len(self._tables.memories)))

    def rarest(self, words: Sequence[str], *, limit: int) -> Sequence[str]:
        _, counts = self.holders(words)
        return sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))[:limit]

    def terms(self, ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        known = (self._tables.memories[key] for key in ids if key in self._tables.memories)
        return {m.id: frozenset(term for column in columns(m) for term in column) for m in known}

    def held(self, words: Sequence[str], near: Sequence[Near]) -> Mapping[str, frozenset[str]]:
        found = self.terms([one.memory_id for one in near])
        return {key: known.intersection(words) for key, known in found.items()}

    def content_terms(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        return {key: terms(memory.content) for key, memory in self.memories(ids).items()}

    def same_text(self, memory: Memory) -> Memory | None:
        return self._same(memory, "content_hash", states=set(State))

    def same_key(self, memory: Memory) -> Memory | None:
        return self._same(memory, "key", states={State.LIVE, State.QUARANTINED})

    def _same(self, memory: Memory, name: str, *, states: set[State]) -> Memory | None:
        wanted = (memory.project, memory.persona, getattr(memory, name))
        found = [
            m
            for m in self._tables.memories.values()
            if m.state in states and (m.project, m.persona, getattr(m, name)) == wanted
        ]
        return min(found, key=lambda m: (m.state is State.ARCHIVED, m.id), default=None)

    def as_of(self, where: Where, at: datetime) -> Sequence[Memory]:
        then = [
            version.memory
            for versions in self._tables.versions.values()
            for version in versions
            if version.since <= at and (version.until is None or version.until > at)
        ]
        return sorted((m for m in then if where.admits(m)), key=lambda m: (m.learned_at, m.id), reverse=True)

    def history(self, memory_id: str) -> Sequence[Version]:
        return self._tables.versions.get(memory_id, ())

    def writers(self, project: str) -> Mapping[str, str]:
        found = (versions[0] for versions in self._tables.versions.values())
        return {first.memory.id: first.changed_by.login for first in found if first.memory.project == project}

    def sayings(self, memory_id: str) -> Sequence[Saying]:
        found = [saying for saying in self._tables.sayings.values() if saying.memory_id == memory_id]
        return sorted(found, key=lambda saying: (saying.at, saying.receipt))

    def links(self, memory_id: str) -> Sequence[Link]:
        found = [link for link in self._tables.links.values() if memory_id in (link.source, link.target)]
        return sorted(found, key=lambda link: (link.at, link.source, link.target, link.relation))

    def derivations(self, project: str) -> Sequence[tuple[str, str]]:
        links = (link for link in self._tables.links.values() if link.relation is Relation.DERIVED_FROM)
        found = self._tables.memories
        return sorted((link.source, link.target) for link in links if found[link.source].project == project)

    def receipt(self, receipt_id: str) -> Receipt | None:
        return self._tables.receipts.get(receipt_id)

    def receipts_for(self, key: str) -> Receipt | None:
        return next((receipt for receipt in self._tables.receipts.values() if receipt.key == key), None)

    def receipts(self, project: str, *, session: str = "", verdict: str = "", limit: int = 0) -> Sequence[Receipt]:
        found = [
            receipt
            for receipt in self._tables.receipts.values()
            if receipt.project == project
            and (not session or receipt.session == session)
            and (not verdict or receipt.verdict == verdict)
        ]
        return sorted(found, key=lambda receipt: (receipt.at, receipt.id), reverse=True)[: limit or None]

    def ways(self, project: str) -> Mapping[str, Way]:
        return {one.id: Way(one.task, one.adapter, one.origin) for one in self.receipts(project)}

    def taught(self, project: str, *, session: str = "", since: datetime | None = None) -> int:
        return sum(
            receipt.verdict is not Verdict.REJECTED and (since is None or receipt.at >= since)
            for receipt in self.receipts(project, session=session)
        )

    def review(self, review_id: str) -> Review | None:
        return self._tables.reviews.get(review_id)

    def reviews(self, project: str, *, with_closed: bool = False, about: tuple[str, ...] = ()) -> Sequence[Review]:
        found = [
            review
            for review in self._tables.reviews.values()
            if review.project == project and (with_closed or review.closed_at is None)
            if not about or review.memory_id in about or review.other_id in about
        ]
        return sorted(found, key=lambda review: (review.opened_at, review.id))

    def injections(self, memory_id: str) -> Sequence[Injection]:
        found = [
            i
            for i in self._tables.injections.values()
            if not i.is_withheld and any(s.memory_id == memory_id for s in i.shown)
        ]
        return sorted(found, key=lambda injection: injection.id)

    def was_shown(self, memory_id: str, session: str) -> bool:
        return any(injection.session == session for injection in self.injections(memory_id))

    def shown(self, session: str, *, agent: str = "", since: datetime | None = None) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for i in self._tables.injections.values():
            if (i.session, i.agent, i.is_withheld) == (session, agent, False) and (since is None or i.at >= since):
                for one in i.shown:
                    found[one.memory_id] = max(one.version, found.get(one.memory_id, 0))
        return dict(sorted(found.items()))

    def told(self, project: str, *, session: str = "", since: datetime | None = None) -> Sequence[Injection]:
        found = [
            i
            for i in self._tables.injections.values()
            if i.project == project and (not session or i.session == session) and (since is None or i.at >= since)
        ]
        return sorted(found, key=lambda i: (i.at, i.id))

    def activities(
        self, project: str, *, session: str = "", after: int = 0, deeds: Sequence[Deed] = (), limit: int = 0
    ) -> Sequence[Activity]:
        found = [
            activity
            for activity in self._tables.activities.values()
            if activity.project == project
            and activity.seq > after
            and (not session or activity.session == session)
            and (not deeds or activity.deed in deeds)
        ]
        return sorted(found, key=lambda activity: activity.seq)[: limit or None]

    def jobs(self, *, states: Sequence[JobState] = (), kind: str = "", limit: int = 0) -> Sequence[Job]:
        found = [
            job
            for job in self._tables.jobs.values()
            if (not states or job.state in states) and (not kind or job.kind == kind)
        ]
        return sorted(found, key=lambda job: job.seq)[: limit or None]

    def due(self, now: datetime, *, limit: int = 1) -> Sequence[Job]:
        waiting = self.jobs(states=(JobState.QUEUED, JobState.RUNNING))
        return [job for job in waiting if job.state is JobState.RUNNING or job.due_at <= now][:limit]

    def count_jobs(self) -> Mapping[JobState, int]:
        states = sorted(job.state for job in self._tables.jobs.values())
        return {state: states.count(state) for state in dict.fromkeys(states)}

    def calls(self, *, since: datetime | None = None) -> Sequence[Call]:
        found = [call for call in self._tables.calls.values() if since is None or call.at >= since]
        return sorted(found, key=lambda call: call.at)

    def outcomes(self, project: str, *, memory_id: str = "", session: str = "") -> Sequence[Outcome]:
        found = [
            outcome
            for outcome in self._tables.outcomes.values()
            if outcome.project == project
            and (not memory_id or outcome.memory_id == memory_id)
            and (not session or outcome.session == session)
        ]
        return sorted(found, key=lambda outcome: (outcome.at, outcome.id))

    def anchors(self, project: str, *, memory_id: str = "", paths: Sequence[str] = ()) -> Sequence[Anchor]:
        found = [
            anchor
            for anchors in self._tables.anchors.values()
            for anchor in anchors
            if anchor.project == project
            and (not memory_id or anchor.memory_id == memory_id)
            and (not paths or anchor.path in paths)
        ]
        return sorted(found, key=lambda anchor: (anchor.memory_id, anchor.path))

    def standings(self, ids: Sequence[str]) -> Mapping[str, Standing]:
        known = {outcome.memory_id for outcome in self._tables.outcomes.values()} | set(self._tables.anchors)
        return {
            key: standing(
                [outcome for outcome in self._tables.outcomes.values() if outcome.memory_id == key],
                [anchor.freshness for anchor in self._tables.anchors.get(key, ())],
            )
            for key in dict.fromkeys(ids)
            if key in known
        }

    def cured(self, project: str, signature: str) -> Sequence[Memory]:
        return [m for m in self.select(Where(project=project)) if signature and m.error_signature == signature]

    def papers(self, project: str, *, sort: str = "", agent: str = "", to: str | None = None) -> Sequence[Paper]:
        found = [
            paper
            for paper in self._tables.papers.values()
            if paper.project == project
            and (not sort or paper.sort == sort)
            and (not agent or paper.agent == agent)
            and (to is None or paper.to == to)
        ]
        return sorted(found, key=lambda paper: (paper.at, paper.sort, paper.id))

    def called(self, name: str, project: str) -> Sequence[str]:
        receipts = sorted(self._tables.receipts.values(), key=lambda receipt: (receipt.at, receipt.id))
        named = [r.memory_id for r in receipts if name and (r.project, r.ref) == (project, name) and r.memory_id]
        return list(dict.fromkeys(named))

    def suggestion(self, suggestion_id: str) -> Suggestion | None:
        return self._tables.suggestions.get(suggestion_id)

    def suggestions(self, project: str, *, statuses: Sequence[Status] = (), scar: str = "") -> Sequence[Suggestion]:
        found = [
            one
            for one in self._tables.suggestions.values()
            if one.project == project and (not statuses or one.status in statuses) and (not scar or one.scar_id == scar)
        ]
        return sorted(found, key=lambda one: (one.created_at, one.id))

    def audits(self, *, after: int = 0, limit: int = 0) -> Sequence[Entry]:
        return [entry for seq, entry in sorted(self._tables.audits.items()) if seq > after][: limit or None]

    def audit_head(self) -> Head | None:
        return head_of(self._tables.audits[max(self._tables.audits)]) if self._tables.audits else Head()

    def workstreams(self, project: str, *, state: str = "") -> Sequence[Workstream]:
        found = [
            one for one in self._tables.workstreams.values() if one.project == project and state in ("", one.state)
        ]
        return sorted(found, key=lambda one: (one.opened_at, one.id))

    def cursor(self, name: str) -> str:
        return self._tables.cursors.get(name, "")

    def cursors(self, start: str) -> Mapping[str, str]:
        return {name: value for name, value in sorted(self._tables.cursors.items()) if name.startswith(start)}

    def events(self, *, after: int = 0, project: str = "", limit: int = 0) -> Sequence[Event]:
        found = [e for e in self._tables.events if e.seq > after and (not project or e.project == project)]
        return found[: limit or None]

    def tokens(self) -> Sequence[Token]:
        return [token for _, token in sorted(self._tables.tokens.items())]

    def reply(self, key: str) -> Reply | None:
        return self._tables.replies.get(key)

    def projects(self) -> Sequence[Project]:
        return list(self._tables.projects.values())

    def project_of(self, identities: Sequence[str]) -> Project | None:
        known = (self._tables.identities.get(identity) for identity in identities)
        return next((self._tables.projects[project] for project in known if project), None)


class _DictTransaction(_DictReader):
    def apply(self, changes: Changes) -> None:
        tables = self._tables
        refuse_misfits(changes.vectors)
        for memory in changes.memories:
            self._put(memory, changes)
        self._file(changes)
        self._embed(changes.vectors)
        for pulse in changes.pulses:
            known = tables.memories.get(pulse.memory_id)
            if known is None:
                raise UnknownMemory(f"there is no memory {pulse.memory_id}", fix="`hindbrain list` shows their ids")
            tables.memories[known.id] = pulse.applied_to(known)
        for receipt in changes.receipts:
            if any(kept.key == receipt.key for kept in tables.receipts.values()):
                raise Conflict(f"receipt key {receipt.key} is taken", fix="read the receipt that has it")
            tables.receipts[receipt.id] = receipt
        for unsaid in changes.unsaid:
            tables.sayings.pop((unsaid.memory_id, unsaid.receipt), None)
        for saying in changes.sayings:
            tables.sayings.setdefault((saying.memory_id, saying.receipt), saying)
        for gone in changes.unlinked:
            tables.links.pop((gone.source, gone.target, gone.relation), None)
        for link in changes.links:
            tables.links.setdefault((link.source, link.target, link.relation), link)
        tables.reviews |= {review.id: review for review in changes.reviews}
        tables.injections |= {injection.id: injection for injection in changes.injections}
        start = len(tables.events) + 1
        tables.events += tuple(replace(event, seq=start + n) for n, event in enumerate(changes.events))
        self._apply_doings(changes)

    def _apply_doings(self, changes: Changes) -> None:
        tables = self._tables
        for activity in changes.activities:
            last = max((known.seq for known in tables.activities.values()), default=0)
            tables.activities.setdefault(activity.id, replace(activity, seq=last + 1))
        for job in changes.jobs:
            self._queue(job)
        for outcome in changes.outcomes:
            tables.outcomes.setdefault((outcome.memory_id, outcome.injection_id, outcome.how), outcome)
        for memory in {anchor.memory_id for anchor in changes.anchors}:
            tables.anchors[memory] = tuple(anchor for anchor in changes.anchors if anchor.memory_id == memory)
        tables.calls |= {call.id: call for call in changes.calls}
        tables.papers |= {(paper.project, paper.sort, paper.id): paper for paper in changes.papers}
        tables.suggestions |= {one.id: one for one in changes.suggestions}
        tables.workstreams |= {one.id: one for one in changes.workstreams}
        for entry in changes.audits:
            self._log(entry)
        tables.cursors = {name: value for name, value in (tables.cursors | dict(changes.cursors)).items() if value}
        tables.tokens |= {token.name: token for token in changes.tokens}
        for reply in changes.replies:
            fresh = {key: one for key, one in tables.replies.items() if one.at >= reply.at - KEPT}
            tables.replies = fresh | {reply.key: reply}

    def _log(self, entry: Entry) -> None:
        known = self.audit_head()
        if known is None or (known.seq + 1, known.hash) != (entry.seq, entry.prev):
            raise Conflict(
                f"entry {entry.seq} does not follow the last one of the audit log",
                fix="run `hindbrain audit verify`; nothing was written",
            )
        self._tables.audits[entry.seq] = entry

    def _queue(self, job: Job) -> None:
        known = self._tables.jobs.get(job.id)
        waiting = self.jobs(states=(JobState.QUEUED, JobState.RUNNING))
        is_open = job.state in (JobState.QUEUED, JobState.RUNNING)
        is_taken = is_open and any(other.key == job.key and other.id != job.id for other in waiting)
        if known:
            settled = replace(job, state=JobState.DONE, error=SUPERSEDED) if is_taken else job
            self._tables.jobs[job.id] = replace(settled, seq=known.seq)
        elif not is_taken:
            last = max((one.seq for one in self._tables.jobs.values()), default=0)
            self._tables.jobs[job.id] = replace(job, seq=last + 1)
        for old in self.jobs(states=(JobState.DONE,))[:-KEPT_DONE]:
            del self._tables.jobs[old.id]

    def _file(self, changes: Changes) -> None:
        for filing in changes.filings:
            for key, version in filing.versions.items():
                known = self._tables.memories.get(key)
                if known is None or known.version != version:
                    raise Conflict(
                        f"{key} is at version {known.version if known else 0}, not {version}",
                        fix="read it again and repeat the change",
                    )
                self._put(filing.applied_to(known), changes)

    def _put(self, memory: Memory, changes: Changes) -> None:
        known = self._tables.memories.get(memory.id)
        if memory.version != (known.version if known else 0) + 1 or memory.project not in self._tables.projects:
            raise Conflict(
                f"{memory.id} is at version {known.version if known else 0}, not {memory.version - 1}",
                fix="read it again and repeat the change",
            )
        earlier = self._tables.versions.get(memory.id, ())
        if earlier:
            earlier = (*earlier[:-1], replace(earlier[-1], until=memory.updated_at))
        version = Version(
            memory=memory, since=memory.updated_at, until=None, changed_by=changes.by, change=changes.change
        )
        self._tables.memories[memory.id] = memory
        self._tables.versions[memory.id] = (*earlier, version)
        if known and (known.title, known.content) != (memory.title, memory.content):
            _unembed(self._tables, memory.id)

    def _embed(self, vectors: Sequence[Vector]) -> None:
        for key in {(vector.memory_id, vector.space): None for vector in vectors}:
            pieces = [vector for vector in vectors if (vector.memory_id, vector.space) == key]
            memory = self._tables.memories.get(key[0])
            if memory and {vector.digest for vector in pieces} == {digest(meaningful(memory))}:
                self._tables.vectors[key] = tuple(sorted(pieces, key=lambda vector: vector.piece))


class DictStore(_DictReader):
    """Lost when the process ends. Writes are whole or not at all all the same."""

    def __init__(self) -> None:
        super().__init__(_Tables())
        self._lock = threading.RLock()

    def write(
        self,
        work: Callable[[Transaction], T],
        *,
        meanwhile: Callable[[Reader], object] | None = None,
        is_durable: bool = True,
        patience_s: float | None = None,
    ) -> T:
        with self._lock:
            draft = self._tables.copy()
            result = work(_DictTransaction(draft))
            self._tables = draft
            return result

    def adopt(self, identities: Sequence[str], *, name: str, project_id: str, at: datetime) -> Project:
        with self._lock:
            project = self.project_of(identities) or Project(id=project_id, name=name, created_at=at)
            self._tables.projects.setdefault(project.id, project)
            for identity in (*identities, f"id:{project.id}"):
                self._tables.identities.setdefault(identity, project.id)
            return project

    def expect(self, space: Space) -> None:
        with self._lock:
            self._tables.expected[space] = True

    def drop_spaces(self, *, but: Space) -> int:
        with self._lock:
            tables = self._tables
            others = {key: pieces for key, pieces in tables.vectors.items() if key[1] != but}
            tables.vectors = {key: pieces for key, pieces in tables.vectors.items() if key[1] == but}
            tables.expected = {space: True for space in tables.expected if space == but}
            return sum(map(len, others.values()))

    def erase(self, *memory_ids: str, at: datetime) -> Erasure:
        with self._lock:
            for memory_id in memory_ids:
                if memory_id not in self._tables.memories:
                    raise UnknownMemory(f"there is no memory {memory_id}", fix="`hindbrain list --all` shows their ids")
            for memory_id in memory_ids:
                self._erase(memory_id)
            return Erasure(rows=len(memory_ids), backups=(), found_in=())

    def _erase(self, memory_id: str) -> None:
        tables = self._tables
        texts = {version.memory.content for version in tables.versions[memory_id]}
        del tables.memories[memory_id], tables.versions[memory_id]
        tables.sayings = {key: s for key, s in tables.sayings.items() if s.memory_id != memory_id}
        tables.links = {key: k for key, k in tables.links.items() if memory_id not in (k.source, k.target)}
        tables.reviews = {key: r for key, r in tables.reviews.items() if memory_id not in (r.memory_id, r.other_id)}
        _unembed(tables, memory_id)
        tables.outcomes = {key: o for key, o in tables.outcomes.items() if o.memory_id != memory_id}
        tables.anchors.pop(memory_id, None)
        tables.suggestions = {key: s for key, s in tables.suggestions.items() if s.scar_id != memory_id}
        tables.events = tuple(event for event in tables.events if event.memory_id != memory_id)
        _blank(tables, memory_id, texts=texts)

    def listen(self, heard: Callable[[], None]) -> None:
        """Nobody else can write it."""

    def repair(self) -> None:
        """There is no index that could differ from the rows."""

    def damage(self) -> Sequence[Damage]:
        return ()

    def vitals(self) -> Mapping[str, str]:
        nothing = dict.fromkeys(("path", "mode_file", "mode_folder", "lock_holder", "unfit"), "")
        spaces = {space: None for space in (*self._tables.expected, *(of for _, of in self._tables.vectors))}
        sizes = dict.fromkeys(("size_bytes", "wal_bytes", "backups"), "0")
        plain = {"engine": "dictionaries", "is_engine_safe": "yes", "schema": "none", "is_read_only": "no"}
        return plain | sizes | nothing | {"spaces": "\n".join(map(self._told, spaces))}

    def _told(self, space: Space) -> str:
        kept = sum(len(pieces) for (_, of), pieces in self._tables.vectors.items() if of == space)
        return f"{space.name}: {kept} vectors, {len(self.unembedded(space, limit=len(self._tables.memories)))} due"

    def close(self) -> None:
        """Nothing to give back."""


def _brief(memory: Memory) -> Brief:
    told, count = memory.provenance, memory.counters
    return Brief(
        id=memory.id,
        title=memory.title,
        state=memory.state,
        version=memory.version,
        speakers=speakers(told.actor),
        session=told.session,
        task=told.task,
        adapter=told.adapter,
        receipt=told.receipt,
        trust=memory.trust,
        evidence=count.evidence,
        injected=count.injected,
        superseded_by=memory.superseded_by,
        archive_reason=memory.archive_reason,
    )


def _near(memory: Memory, vector: Vector, *, point: Sequence[float], pieces: int) -> Near:
    similarity = sum(map(mul, restored(vector.code, vector.scale), point))
    return Near(memory_id=memory.id, similarity=similarity, start=vector.start, end=vector.end, pieces=pieces)


def _unembed(tables: _Tables, memory_id: str) -> None:
    tables.vectors = {key: pieces for key, pieces in tables.vectors.items() if key[0] != memory_id}


def _blank(tables: _Tables, memory_id: str, *, texts: set[str]) -> None:
    """Take the words of a forgotten memory out of what was refused or asked."""
    for receipt in tables.receipts.values():
        if receipt.memory_id == memory_id or any(text in receipt.text for text in texts):
            tables.receipts[receipt.id] = replace(receipt, text=FORGOTTEN, reason="forgotten by a person")
    for injection in tables.injections.values():
        if any(text in injection.query for text in texts):
            tables.injections[injection.id] = replace(injection, query=FORGOTTEN)
    _blank_traces(tables, texts)


def _blank_traces(tables: _Tables, texts: set[str]) -> None:
    for activity in tables.activities.values():
        subject, detail = _blanked(activity.subject, texts), _blanked(activity.detail, texts)
        data = {} if _holds(activity.data, texts) else activity.data
        tables.activities[activity.id] = replace(activity, subject=subject, detail=detail, data=data)
    for key, outcome in tables.outcomes.items():
        tables.outcomes[key] = replace(outcome, note=_blanked(outcome.note, texts))
    for memory, anchors in tables.anchors.items():
        tables.anchors[memory] = tuple(replace(anchor, note=_blanked(anchor.note, texts)) for anchor in anchors)
    for job in tables.jobs.values():
        tables.jobs[job.id] = replace(job, error=_blanked(job.error, texts))
        if _holds(job.payload, texts):
            tables.jobs[job.id] = replace(job, payload={}, state=JobState.DONE, error=FORGOTTEN)
    tables.cursors = {name: _blanked(value, texts) for name, value in tables.cursors.items()}
    _blank_writings(tables, texts)


def _blank_writings(tables: _Tables, texts: set[str]) -> None:
    tables.replies = {key: one for key, one in tables.replies.items() if not any(text in one.body for text in texts)}
    tables.papers = {
        key: replace(paper, data={}) if _holds(paper.data, texts) else paper for key, paper in tables.papers.items()
    }
    for one in tables.suggestions.values():
        tables.suggestions[one.id] = _blank_suggestion(one, texts)
    for work in tables.workstreams.values():
        data = {} if _holds(work.data, texts) else work.data
        tables.workstreams[work.id] = replace(work, title=_blanked(work.title, texts), data=data)


def _blank_suggestion(one: Suggestion, texts: set[str]) -> Suggestion:
    """What is a rule by now is the person's: their file stays, but it cannot be undone from here any more."""
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    edits = tuple(e for e in one.edits if not any(text in (e.before or b"") + (e.after or b"") for text in raw))
    if any(_holds(said, texts) for said in (one.title, one.text, one.note, one.data)):
        return replace(one, title=FORGOTTEN, text=FORGOTTEN, note="", data={}, edits=edits)
    return replace(one, edits=edits)


def _blanked(text: str, forgotten: set[str]) -> str:
    return FORGOTTEN if any(word in text for word in forgotten) else text


def _holds(value: object, texts: set[str]) -> bool:
    if isinstance(value, str):
        return any(text in value for text in texts)
    if isinstance(value, Mapping):
        return any(_holds(inner, texts) for inner in value.values())
    return isinstance(value, list | tuple) and any(_holds(inner, texts) for inner in value)
