"""The public API: one object with every verb, for scripts, for the command line and for every other surface."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from hindbrain.app.projects import Located
from hindbrain.app.tools import Tools
from hindbrain.core.hints import TYPE_CHECKING, TypedDict, Unpack
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Dialect, Folders, Project, Store
from hindbrain.settings import Settings

if TYPE_CHECKING:  # verbs load when they are called: a recall must not pay for the importer
    from hindbrain.app.add import Promise
    from hindbrain.app.adopt import Adopted
    from hindbrain.app.backup import Saved
    from hindbrain.app.before import Briefing
    from hindbrain.app.capture import Captured
    from hindbrain.app.consolidate import Consolidated
    from hindbrain.app.continuity import Renewed
    from hindbrain.app.doctor import Finding
    from hindbrain.app.dream import Dreamt
    from hindbrain.app.forget import Forgotten
    from hindbrain.app.fsck import Checkup
    from hindbrain.app.hygiene import Cleanliness
    from hindbrain.app.inject import Injected
    from hindbrain.app.lesson import Closed, Progress
    from hindbrain.app.link import Tie
    from hindbrain.app.log import Audited
    from hindbrain.app.maintain import Cleaned, Pruned, Tidied
    from hindbrain.app.models import Costs
    from hindbrain.app.portable import Imported
    from hindbrain.app.promote import Approved
    from hindbrain.app.purge import Purged
    from hindbrain.app.recall import Found
    from hindbrain.app.record import Recorded
    from hindbrain.app.reflect import Learned
    from hindbrain.app.reflex import Reflexes
    from hindbrain.app.rules import Rule
    from hindbrain.app.schedule import Row
    from hindbrain.app.shelf import Indexed
    from hindbrain.app.siblings import Subscription
    from hindbrain.app.stats import Stats
    from hindbrain.app.sync import Synced
    from hindbrain.app.tasks import Task
    from hindbrain.app.tokens import Issued
    from hindbrain.app.upkeep import Run, Undone
    from hindbrain.app.vault import Checked as VaultChecked
    from hindbrain.app.vault import Status as VaultStatus
    from hindbrain.app.verdict import Heard
    from hindbrain.app.verify import Checked, Verified
    from hindbrain.app.watch import Watch
    from hindbrain.app.why import RuleWalk, Walk
    from hindbrain.app.word import Reported
    from hindbrain.app.worth import Worth
    from hindbrain.core.graph import Web
    from hindbrain.core.learning.audit import Entry
    from hindbrain.core.learning.workstream import Workstream
    from hindbrain.core.model import Memory, Receipt, Review, Version
    from hindbrain.core.model.activity import Activity
    from hindbrain.core.model.backup import Backup
    from hindbrain.core.model.call import Completion, NoModel, Route
    from hindbrain.core.model.job import Job
    from hindbrain.core.model.outcome import Anchor, Outcome, Standing
    from hindbrain.core.model.paper import Paper
    from hindbrain.core.model.suggestion import Suggestion
    from hindbrain.core.model.token import Token
    from hindbrain.core.setup.wires import Kit
    from hindbrain.ports import Clients


class About(TypedDict, total=False):
    """Who said a captured text, and where it was read."""

    format: str  # text, claude, codex, gemini, chorus
    session: str
    task: str
    persona: str
    hat: str
    instance: str
    origin: str  # file or stream, for `why`


class Told(TypedDict, total=False):
    """What sort of lesson was handed over, and by whom."""

    type: str
    session: str
    task: str
    origin: str  # for `why`
    read: Sequence[str]  # ids of memories that the agent has been given
    is_proposal: bool  # of a rule: it waits for a person


class New(TypedDict, total=False):
    """A memory that a person writes down."""

    type: str
    kind: str
    title: str
    category: str
    tags: Sequence[str]
    file_refs: Sequence[str]
    persona: str  # local to that persona; empty: shared
    hat: str
    session: str
    task: str
    importance: int
    confidence: float | None
    body: dict[str, object]
    everywhere: bool  # for every project
    pinned: bool
    learned_at: datetime | None  # when it was learned, if not just now; without a zone: UTC


class How(TypedDict, total=False):
    """How to look for memories."""

    limit: int
    strategy: str
    paths: Sequence[str]
    hat: str
    persona: str
    types: Sequence[str]
    kinds: Sequence[str]
    scopes: Sequence[str]  # DOC-05's: iterations, cicatrices, victoires, memory, brain … all
    as_of: datetime | None
    with_all: bool  # superseded and archived ones too
    is_counted: bool  # False: not as a recall that guards a memory from being archived


class Which(TypedDict, total=False):
    """Which memories to list."""

    types: Sequence[str]
    kinds: Sequence[str]
    min_confidence: float | None
    after: datetime | None
    before: datetime | None
    persona: str
    containing: str
    not_session: str
    order: str  # confidence or newest
    limit: int
    as_of: datetime | None
    with_all: bool


class Context(TypedDict, total=False):
    """For whom to write a block of notes."""

    format: str  # default, dex, chorus, beads
    strategy: str
    session: str
    task: str
    task_title: str
    task_description: str
    paths: Sequence[str]
    persona: str
    hat: str
    limit: int
    budget: int


class Done(TypedDict, total=False):
    """What an agent did: a line for the activity log."""

    subject: str  # a file, a command line, the name of a gate, "explorer->planner"
    result: str  # passed, failed, or nothing
    detail: str  # output, answer, or the lines of an edit as `- gone` and `+ come`
    task: str
    hat: str
    agent: str
    agent_type: str
    client: str
    ref: str
    data: dict[str, object]


class Handing(TypedDict, total=False):
    """What a handoff may say beside what was done."""

    to: str  # empty: whoever comes next
    needs: Sequence[str]
    issues: Sequence[str]
    artifacts: Sequence[str]
    patterns: Sequence[str]
    git: str


class Engraved(TypedDict, total=False):
    """A failure or a victory that a person tells of."""

    importance: int | None  # 0..10; None: a model weighs it, where one is named
    is_learnable: bool  # False: nothing is ever proposed because of it
    signature: str  # the error as it is printed


class Upcoming(TypedDict, total=False):
    """What a task is to be, beside its goal."""

    action: str  # run_test, edit_file …
    type: str  # exploration, implementation, debugging, review, refactoring
    session: str
    task: str


class From(TypedDict, total=False):
    """A source: what was taught by all of these. Words as in `core.source.Source`."""

    session: str
    task: str
    agent: str
    login: str
    adapter: str
    origin: str
    is_tainted: bool


class Edit(TypedDict, total=False):
    """What a person changes; what is absent stays."""

    content: str
    title: str
    type: str
    category: str
    tags: Sequence[str]
    file_refs: Sequence[str]
    importance: int
    confidence: float
    pinned: bool
    everywhere: bool


class Hindbrain:
    """The memory of one project, in one store. Close it, or use it in a `with` statement."""

    def __init__(self, tools: Tools, located: Located) -> None:
        self._tools = tools
        self._located = located

    @property
    def settings(self) -> Settings:
        return self._tools.settings

    @property
    def store(self) -> Store:
        return self._tools.store

    @property
    def project(self) -> Project | None:
        """The project, or None while nothing has been kept for it."""
        return self._tools.store.project_of(self._located.identities)

    @property
    def project_name(self) -> str:
        known = self.project
        return known.name if known else self._located.name

    def capture(self, text: str, **about: Unpack[About]) -> Captured:
        """Read what an agent said, keep what it taught; a receipt for every line that looked like a signal."""
        from hindbrain.app.capture import Said, capture

        captured = capture(Said(text=text, **about), project=self._adopted(), tools=self._tools)
        self._tie(captured.receipts)
        return captured

    def remember(self, content: str, **told: Unpack[Told]) -> Captured:
        """Keep what an agent says it learned, as its own words; what it repeats of our notes is not counted."""
        from hindbrain.app.remember import Lesson, remember

        captured = remember(Lesson(content=content, **told), project=self._adopted(), tools=self._tools)
        self._tie(captured.receipts)
        return captured

    def add(self, content: str, **new: Unpack[New]) -> Receipt:
        """Keep what a person says."""
        from hindbrain.app.add import Noted, add

        receipt = add(Noted(content=content, **new), project=self._adopted(), tools=self._tools)
        self._tie((receipt,))
        if new.get("kind") == "scar" and receipt.memory_id:
            from hindbrain.app.reindex import reindex

            reindex(receipt.memory_id, tools=self._tools)
        return receipt

    def add_later(self, content: str, **new: Unpack[New]) -> Promise:
        """Write down what a person says, and let the worker keep it: it is safe when this returns, and found soon
        after. Far cheaper than `add`; what became of it is told by the receipt with the promise's id."""
        from hindbrain.app.add import Noted
        from hindbrain.app.later import promise

        return promise(Noted(content=content, **new), self._located, tools=self._tools)

    def record(self, deed: str, *, session: str, **done: Unpack[Done]) -> Recorded:
        """Note what an agent did, and learn from it at once where it completes something."""
        from hindbrain.app.record import Noted, record

        return record(Noted(deed=deed, session=session, **done), project=self._adopted(), tools=self._tools)

    def activities(self, *, session: str = "", limit: int = 50) -> Sequence[Activity]:
        """The latest lines of the activity log, oldest first; `limit` 0 means all."""
        found = self.store.activities(self._known(), session=session)
        return found[-limit:] if limit else found

    def extract(self, session: str) -> Sequence[Receipt]:
        """Learn from what a session did since this was last asked; a receipt for each lesson."""
        from hindbrain.app.extract import extract

        return extract(self._known(), session, tools=self._tools)

    def trace(self, session: str) -> Sequence[Memory]:
        """Write down what a session did as episodes, one for each task; those that are new or have changed."""
        from hindbrain.app.episodes import trace

        return trace(self._known(), session, tools=self._tools)

    def episodes(self, text: str = "", *, outcome: str = "", limit: int = 10) -> Sequence[Memory]:
        """What happened when somebody tried `text`; without it, what happened last."""
        from hindbrain.app.episodes import Asked, ask

        return ask(Asked(text=text, outcome=outcome, limit=limit), project=self._known(), tools=self._tools)

    def add_episode(self, record: Mapping[str, object]) -> Receipt:
        """Keep an episode in the schema of the Loki document, with every field that it has."""
        from hindbrain.app.episodes import note

        return note(record, project=self._adopted(), tools=self._tools)

    def consolidate(self, *, since: timedelta = timedelta(hours=24), is_dry_run: bool = False) -> Consolidated:
        """Turn the episodes of the last hours into patterns, anti-patterns and candidates for skills."""
        from hindbrain.app.consolidate import consolidate

        return consolidate(self._known(), tools=self._tools, since=since, is_dry_run=is_dry_run)

    def skills(self) -> Sequence[Memory]:
        """Skills, candidates among them, the newest first."""
        from hindbrain.app.skills import skills

        return skills(self._known(), tools=self._tools)

    def approve_skill(self, memory_id: str, *, by: str = "") -> Approved:
        """Let agents be told of a skill, and call it: it is written where the project's clients look for skills."""
        from hindbrain.app.promote import promote

        return promote(memory_id, root=self._located.root or "", by=by, tools=self._tools)

    def refuse_skill(self, memory_id: str) -> Memory:
        """Put a skill away; the same steps do not bring it back."""
        from hindbrain.app.skills import refuse

        return refuse(memory_id, tools=self._tools)

    def before_task(self, goal: str, **task: Unpack[Upcoming]) -> Briefing:
        """What worked, what to avoid and which skills apply, recorded before the first action."""
        from hindbrain.app.before import Upcoming as Task
        from hindbrain.app.before import before_task

        return before_task(Task(goal=goal, **task), project=self._adopted(), tools=self._tools)

    def subscribe(self, session: str) -> Subscription:
        """Hear, from now on, of what other sessions learn: `pending()` gives it, each memory once."""
        from hindbrain.app.siblings import Subscription

        return Subscription(self._adopted(), session, tools=self._tools)

    def watch(self, follower: str = "") -> Watch:
        """Hear of all that happens in the project, whichever process does it: `news()` gives the events.

        From now on; with a name, from where the follower of that name last stopped.
        """
        from hindbrain.app.watch import Watch

        return Watch(self._known, follower, tools=self._tools)

    def recall(self, text: str = "", **how: Unpack[How]) -> Found:
        """Memories that bear on `text`, best first, each with its reasons."""
        from hindbrain.app.recall import Question, recall

        return recall(Question(text=text, **how), project=self._known(), tools=self._tools)

    def inject(self, **context: Unpack[Context]) -> Injected:
        """A block of text for the next prompt, recorded with its reasons."""
        from hindbrain.app.inject import Occasion, inject

        occasion = Occasion(**context, root=self._located.root)
        try:
            project = self._adopted()
        except (ReadOnly, StoreLocked, DiskFull):
            project = self._known()
        return inject(occasion, project=project, tools=self._tools)

    def embed(self, *, tell: Callable[[int], None] | None = None) -> int:
        """Give vectors to all memories that have none yet, of all projects; how many got them. 0 without an embedder.

        `tell` hears how many were done since it was last called.
        """
        from hindbrain.app.embed import embed_all

        if self._tools.embedder is None:
            return 0
        return embed_all(store=self.store, embedder=self._tools.embedder, tell=tell).done

    def list(self, **which: Unpack[Which]) -> Sequence[Memory]:
        """Memories as they stand, most confident first."""
        from hindbrain.app.select import Selection, select

        return select(Selection(**which), project=self._known(), store=self.store)

    def show(self, memory_id: str) -> Memory:
        """One memory, whatever its state. UnknownMemory when there is none."""
        from hindbrain.app.show import show

        return show(memory_id, store=self.store, project=self._known())

    def history(self, memory_id: str) -> Sequence[Version]:
        """Every version of a memory, oldest first."""
        from hindbrain.app.show import history

        return history(memory_id, store=self.store)

    def receipts(self, *, session: str = "", verdict: str = "", limit: int = 50) -> Sequence[Receipt]:
        """What became of captured lines, newest first."""
        return self.store.receipts(self._known(), session=session, verdict=verdict, limit=limit)

    def edit(self, memory_id: str, *, version: int | None = None, **edit: Unpack[Edit]) -> Memory:
        """A new version by a person's hand. Conflict when it is no longer at `version`, where one is given."""
        from hindbrain.app.edit import edit as change

        return change(memory_id, edit, store=self.store, clock=self._tools.clock, version=version)

    def delete(self, memory_id: str, *, reason: str = "deleted", version: int | None = None) -> Memory:
        """Archive: gone from recall and prompts, back with `restore`. `version` as in `edit`."""
        from hindbrain.app.archive import delete

        return delete(memory_id, reason=reason, store=self.store, clock=self._tools.clock, version=version)

    def restore(self, memory_id: str) -> Memory:
        """Undo a delete, an archival by cleanup, or a supersession."""
        from hindbrain.app.archive import restore

        return restore(memory_id, store=self.store, clock=self._tools.clock)

    def unite(self, memory_id: str, other: str, *, content: str = "", version: int | None = None) -> Memory:
        """Make one of two: the first stays, says `content` where it is given, and has the evidence of both."""
        from hindbrain.app.unite import unite

        return unite(memory_id, other, content=content, version=version, tools=self._tools)

    def split(self, memory_id: str, parts: Sequence[str], *, version: int | None = None) -> Sequence[Memory]:
        """Make several of one, each with one of the `parts` as its text; the whole is hidden behind them."""
        from hindbrain.app.split import split

        return split(memory_id, parts, version=version, tools=self._tools)

    def forget(self, memory_id: str) -> Forgotten:
        """Erase a memory for good and prove it. NotErased when a file still holds its text."""
        from hindbrain.app.forget import forget

        spool = self._tools.spool() if self._tools.spool else None
        return forget(memory_id, store=self.store, clock=self._tools.clock, spool=spool)

    def purge(
        self,
        *,
        is_dry_run: bool = False,
        is_hard: bool = False,
        is_everywhere: bool = False,
        tell: Callable[[int, int], None] | None = None,
        **source: Unpack[From],
    ) -> Purged:
        """Put away all that one source taught here, or in all projects; `undo_upkeep` takes it back, unless `is_hard`:
        then it is erased and proven gone, as by `forget`. A dry run tells the same and writes nothing."""
        from hindbrain.app.purge import purge
        from hindbrain.core.source import Source

        projects = [one.id for one in self.store.projects()] if is_everywhere else [self._known()]
        ways = {"is_dry_run": is_dry_run, "is_hard": is_hard}
        purged = purge(Source(**source), projects, **ways, tools=self._tools, tell=tell or (lambda *_: None))
        if is_dry_run or self._tools.folders is None:
            return purged
        return replace(purged, files=tuple(path for one in self.sync() for path in one.written))

    def reviews(self, *, with_closed: bool = False) -> Sequence[Review]:
        """What waits for a person, oldest first."""
        return self.store.reviews(self._known(), with_closed=with_closed)

    def decide(self, review_id: str, decision: str, *, by: str = "") -> Review:
        """Close a review: release or refuse a quarantined memory; supersede, keep or refuse a contradicting one."""
        from hindbrain.app.review import decide

        review = decide(review_id, decision, by=by, store=self.store, clock=self._tools.clock)
        memory = self.store.memory(review.memory_id) if decision == "release" else None
        if memory is not None and memory.kind == "skill":
            self.approve_skill(memory.id, by=by)
        return review

    def export(self) -> str:
        """The live memories in Dex' export format."""
        from hindbrain.app.portable import export

        return export(self._known(), name=self.project_name, store=self.store, clock=self._tools.clock)

    def import_(self, text: str, *, is_own: bool | None = None) -> Imported:
        """Read Dex' export format. `is_own` None: an export of ours is recognised by its ids."""
        from hindbrain.app.portable import import_

        return import_(text, is_own=is_own, project=self._adopted(), tools=self._tools)

    def adopt(self, dialect: str, path: str) -> Adopted:
        """Read the files of another system at `path`, a file or a folder; every line of them is accounted for."""
        from hindbrain.app.adopt import adopt

        spoken, folders = self._foreign(dialect)
        tree = folders.load(path, wants=spoken.wants)
        return adopt(tree, dialect=spoken, project=self._adopted(), tools=self._tools)

    def hand_out(self, dialect: str, folder: str) -> Sequence[str]:
        """Write the memories as another system's files below `folder`; the paths that changed."""
        from hindbrain.app.hand_out import hand_out

        spoken, folders = self._foreign(dialect)
        present = folders.load(folder, wants=spoken.wants) if folders.is_there(folder) else {}
        tree = hand_out(
            dialect=spoken, project=self._known(), name=self.project_name, tools=self._tools, present=present
        )
        return folders.save(tree, folder)

    def follow(self, dialect: str, folder: str | None = None, *, has_scripts: bool = False) -> str:
        """Let another system's files follow the memories, below `folder` (default: the top of the project)."""
        from hindbrain.app.sync import follow

        where = folder or self._located.root
        if not where:
            raise BadValue("the project is known by its name only", fix="say where: --folder F")
        follow(dialect, where, project=self._adopted(), tools=self._tools, has_scripts=has_scripts)
        return where

    def files(self, dialect: str, folder: str | None = None) -> Mapping[str, bytes]:
        """Another system's files as they are, below `folder` (default: the top of the project)."""
        spoken, folders = self._foreign(dialect)
        where = folder or self._located.root or "."
        return folders.load(where, wants=spoken.wants) if folders.is_there(where) else {}

    def unfollow(self, dialect: str) -> bool:
        """Let them follow no longer; the files stay. False when they did not."""
        from hindbrain.app.sync import unfollow

        return unfollow(dialect, project=self._known(), tools=self._tools)

    def sync(self, *, settle_s: float = 0.0) -> Sequence[Synced]:
        """Take in what was changed by hand in the files that follow, then write them."""
        from hindbrain.app.sync import sync

        return sync(self._known(), name=self.project_name, tools=self._tools, settle_s=settle_s)

    def ledgers(self, agent: str = "") -> Sequence[Paper]:
        """Where agents stand, by name; of one agent, or UnknownMemory when it has none."""
        from hindbrain.app.ledger import ledger, ledgers

        project = self._known()
        return [ledger(agent, project=project, store=self.store)] if agent else ledgers(project, store=self.store)

    def save_ledger(self, agent: str, data: Mapping[str, object]) -> Paper:
        """Write an agent's checkpoint, in the place of its last one."""
        from hindbrain.app.ledger import save

        return save(agent, data, project=self._adopted(), tools=self._tools)

    def handoffs(self) -> Sequence[Paper]:
        """What was handed from agent to agent, oldest first."""
        from hindbrain.app.handoff import handoffs

        return handoffs(self._known(), store=self.store)

    def handoff(self, paper_id: str) -> Paper:
        """One handoff. UnknownMemory when there is none."""
        from hindbrain.app.handoff import handoff

        return handoff(paper_id, project=self._known(), store=self.store)

    def hand_over(self, agent: str, done: str, **more: Unpack[Handing]) -> Paper:
        """Leave a handoff for the next agent."""
        from hindbrain.app.handoff import Handed, write

        return write(Handed(agent=agent, done=done, **more), project=self._adopted(), tools=self._tools)

    def take_handoff(self, paper_id: str) -> Paper:
        """Mark a handoff as taken."""
        from hindbrain.app.handoff import take

        return take(paper_id, project=self._known(), tools=self._tools)

    def is_stale(self, paper: Paper) -> bool:
        """Whether nobody is told of it any more."""
        return paper.is_stale(self._tools.clock.now())

    def continuity(self, *, session: str = "", is_written: bool = False) -> Renewed:
        """CONTINUITY.md as it should be now; written only where the project follows Loki."""
        from hindbrain.app.continuity import continuity, write_continuity

        if is_written:
            return write_continuity(self._known(), session=session, tools=self._tools)
        return continuity(self._known(), root=self._located.root or "", session=session, tools=self._tools)

    def cleanup(self, *, is_dry_run: bool = False, tell: Callable[[int, int], None] | None = None) -> Cleaned:
        """Let unused memories fade, archive those that faded away. `tell` hears how far it is, as in `verify`."""
        from hindbrain.app.maintain import cleanup

        return cleanup(self._known(), is_dry_run=is_dry_run, tools=self._tools, tell=tell or (lambda *_: None))

    def prune(self, *, is_dry_run: bool = False, tell: Callable[[int, int], None] | None = None) -> Pruned:
        """Summarise old episodes, archive older ones that nothing refers to."""
        from hindbrain.app.maintain import prune

        return prune(self._known(), is_dry_run=is_dry_run, tools=self._tools, tell=tell or (lambda *_: None))

    def merge(self, *, is_dry_run: bool = False, tell: Callable[[int, int], None] | None = None) -> Tidied:
        """Let memories that say the same become one."""
        from hindbrain.app.maintain import merge

        return merge(self._known(), is_dry_run=is_dry_run, tools=self._tools, tell=tell or (lambda *_: None))

    def upkeep(self) -> Sequence[Run]:
        """What was done unasked in the last month, oldest first."""
        from hindbrain.app.upkeep import runs

        return runs(self._known(), reader=self.store)

    def next_upkeep(self) -> datetime | None:
        """When the worker cleans up, prunes and merges by itself; None while it has not seen the project."""
        from hindbrain.app.weekly import due_at

        return due_at(self._known(), reader=self.store)

    def undo_upkeep(self, run_id: str, *, tell: Callable[[int, int], None] | None = None) -> Undone:
        """Put back what a cleanup, a prune, a merge or a purge has changed."""
        from hindbrain.app.upkeep import undo

        return undo(run_id, project=self._known(), tools=self._tools, tell=tell or (lambda *_: None))

    def links(self, memory_id: str, *, depth: int = 1) -> Sequence[Tie]:
        """What a memory is linked to, and what that is linked to, up to `depth` steps away."""
        from hindbrain.app.link import around

        return around(memory_id, depth=depth, reader=self.store)

    def link(self, memory_id: str, relation: str, *, other: str, reason: str = "") -> Tie:
        """Say how two memories belong together."""
        from hindbrain.app.link import link

        return link(memory_id, relation, other=other, reason=reason, tools=self._tools)

    def unlink(self, memory_id: str, relation: str, *, other: str) -> Tie:
        """Take a link away again; the tie that was. UnknownMemory where there is none."""
        from hindbrain.app.link import unlink

        return unlink(memory_id, relation, other=other, tools=self._tools)

    def graph(self, *, kinds: Sequence[str] = (), relations: Sequence[str] = (), limit: int = 200) -> Web:
        """The memories that are linked, and their links."""
        from hindbrain.app.link import graph

        return graph(self._known(), kinds=kinds, relations=relations, limit=limit, reader=self.store)

    def stats(self) -> Stats:
        """How many memories there are, of which state, type and category."""
        from hindbrain.app.stats import stats

        return stats(self._known(), store=self.store, embedder=self._tools.embedder)

    def verify(
        self, *, paths: Sequence[str] = (), is_all: bool = False, tell: Callable[[int, int], None] | None = None
    ) -> Verified:
        """Compare the memories of the project with the code that they speak of; tie those that are not tied yet.

        `tell` hears how many were done since it was last called, and how many there are.
        """
        from hindbrain.app.verify import Which, verify

        which = Which(paths=tuple(paths), is_all=is_all)
        code = self._tools.files.code()
        return verify(self._known(), self._located.root, tools=self._tools, code=code, which=which, tell=tell)

    def confirm(self, memory_id: str) -> Checked:
        """A person says that a memory still holds: it is tied to the code as it is now."""
        from hindbrain.app.verify import confirm

        return confirm(memory_id, self._located.root, tools=self._tools, code=self._tools.files.code())

    def anchors(self, memory_id: str) -> Sequence[Anchor]:
        """Where in the code a memory is tied, and what became of these places."""
        memory = self.show(memory_id)
        return self.store.anchors(memory.project, memory_id=memory.id)

    def why(self, memory_id: str) -> Walk:
        """From a memory to the sentence that taught it, and to every injection."""
        from hindbrain.app.why import why

        return why(memory_id, store=self.store)

    def complete(self, task: Task) -> Job:
        """Say that a task is done: the worker will read its log."""
        from hindbrain.app.tasks import complete

        return complete(task, project=self._adopted(), tools=self._tools)

    def retry(self, ids: Sequence[str] = ()) -> Sequence[Job]:
        """Queue jobs anew that were given up; all of them when no id is given."""
        from hindbrain.app.jobs import retry

        return retry(tuple(ids), tools=self._tools)

    def verdict(self, memory_id: str, effect: str, *, note: str = "", by: str = "") -> Heard:
        """A person's word on whether a memory helped, hurt, or neither is known."""
        from hindbrain.app.verdict import verdict

        return verdict(memory_id, effect, note=note, by=by, tools=self._tools)

    def report(self, memory_id: str, effect: str, *, session: str, note: str = "") -> Reported:
        """An agent's own word on whether a memory helped: it counts once in a session, and never as a person's."""
        from hindbrain.app.word import report

        return report(memory_id, effect, session=session, note=note, tools=self._tools)

    def outcomes(self, memory_id: str = "", *, session: str = "") -> Sequence[Outcome]:
        """What came of showing memories, oldest first; of one memory, of one session, or of all."""
        if not memory_id:
            return self.store.outcomes(self._known(), session=session)
        memory = self.show(memory_id)
        return self.store.outcomes(memory.project, memory_id=memory.id, session=session)

    def standing(self, memory_id: str) -> Standing | None:
        """How a memory has fared, and whether the code still is as it says; None when nothing is known."""
        found = self.show(memory_id).id
        return self.store.standings([found]).get(found)

    def worth(self, *, since: datetime | None = None) -> Worth:
        """What memory is worth: what helped and hurt, and how sessions fared with and without it."""
        from hindbrain.app.worth import worth

        return worth(self._known(), since=since, store=self.store)

    def reflexes(self, *, is_all: bool = False) -> Reflexes:
        """The files that every session is told of, after a look at their folder; `is_all` reads each of them again."""
        from hindbrain.app.reflex import listed, sync

        project = self._adopted()
        sync(project, self._located.root, tools=self._tools, is_all=is_all)
        return listed(project, self._located.root, tools=self._tools)

    def approve(self, names: Sequence[str] = (), *, by: str = "") -> Sequence[str]:
        """A person has read these files of the reflex folder, or all; from now on every session is told of them."""
        from hindbrain.app.reflex import approve

        return approve(names, self._adopted(), root=self._located.root, tools=self._tools, by=by)

    def master_index(self, *, is_written: bool = False) -> str:
        """A line for each file of the reflex folder; written into it only on a person's order."""
        from hindbrain.app.reflex import master_index

        return master_index(self._known(), self._located.root, tools=self._tools, is_written=is_written)

    def vault(self) -> VaultStatus:
        """What the index has of the Obsidian vault."""
        from hindbrain.app.vault import status

        return status(self._tools)

    def sync_vault(self, *, is_all: bool = False) -> Indexed:
        """Take in what changed in the vault; `is_all` reads each note again."""
        from hindbrain.app.vault import sync

        return sync(self._tools, is_all=is_all)

    def check_vault(self) -> VaultChecked:
        """Links of the vault that lead nowhere, and heads that cannot be read."""
        from hindbrain.app.vault import check

        return check(self._tools)

    def note(self, text: str, *, title: str = "", is_permanent: bool = False, is_ordered: bool = False) -> str:
        """Write a new note into inbox/; into permanent/ when a person ordered it. Its path in the vault."""
        from hindbrain.app.vault import Draft, note
        from hindbrain.core.model import Actor, ActorType
        from hindbrain.core.shape import title_of

        by = Actor(type=ActorType.HUMAN if is_ordered else ActorType.AGENT)
        folder = "permanent" if is_permanent else "inbox"
        return note(Draft(title=title or title_of(text), text=text, folder=folder), by=by, tools=self._tools)

    def open_work(self, title: str, *, estimate: int = 0) -> Workstream:
        """Begin to keep the record of a piece of work."""
        from hindbrain.app.lesson import open_work

        return open_work(title, estimate=estimate, project=self._adopted(), tools=self._tools)

    def works(self) -> Sequence[Workstream]:
        """Pieces of work whose record was kept, newest first."""
        from hindbrain.app.lesson import listed

        return listed(self._known(), tools=self._tools)

    def progress(self, work_id: str, progress: Progress) -> Workstream:
        """Note down what happened in a piece of work."""
        from hindbrain.app.lesson import progressed

        return progressed(work_id, progress, tools=self._tools)

    def close_work(self, work_id: str) -> Closed:
        """Close it: a draft of its lesson, or why it is too small for one."""
        from hindbrain.app.lesson import close

        return close(work_id, tools=self._tools)

    def dream(self, *, is_applied: bool = False) -> Dreamt:
        """What the night would do; with `is_applied`, do it."""
        from hindbrain.app.dream import dream

        return dream(is_applied=is_applied, tools=self._tools)

    def hygiene(self, *, is_applied: bool = False) -> Cleanliness:
        """What is amiss in the reflex folders and the vault; with `is_applied`, also as a draft in inbox/."""
        from hindbrain.app.hygiene import hygiene

        root = (self._known(), self._located.root) if self._located.root else None
        return hygiene(is_applied=is_applied, tools=self._tools, root=root)

    def jobs(self) -> Sequence[Row]:
        """Every job with its schedule, its last and next run, and what came of it."""
        from hindbrain.app.schedule import rows

        return rows(self._tools)

    def run_job(self, name: str) -> Row:
        """Run a job now."""
        from hindbrain.app.schedule import run

        return run(name, tools=self._tools)

    def scar(self, kind: str, title: str, *, lesson: str, **engraved: Unpack[Engraved]) -> Receipt:
        """Keep a failure or a victory with what it taught."""
        from hindbrain.app.scar import Told, engrave

        return engrave(
            Told(kind=kind, title=title, lesson=lesson, **engraved), project=self._adopted(), tools=self._tools
        )

    def scars(self, *, kind: str = "") -> Sequence[Memory]:
        """Failures and victories, most important first."""
        from hindbrain.app.scar import scars

        return scars(self._known(), store=self.store, kind=kind)

    def learn(self, *, limit: int = 0, tell: Callable[[int, int], None] | None = None) -> Learned:
        """Run the engine once: propose a rule for each learnable scar that has none. Nothing is applied."""
        from hindbrain.app.reflect import learn

        return learn(self._adopted(), self._located.root or "", tools=self._tools, limit=limit, tell=tell)

    def feed(self, *, with_snoozed: bool = False) -> Sequence[Suggestion]:
        """What waits for a person, most important first."""
        from hindbrain.app.decide import feed

        now = self._tools.clock.now()
        return feed(self._known(), store=self.store, now=now, with_snoozed=with_snoozed)

    def is_outdated(self, suggestion: Suggestion) -> bool:
        """Whether a file has changed since the suggestion's diff was made, or it was made in another clone."""
        from hindbrain.app.draw import is_stale, pages_of

        is_elsewhere = self._located.root not in (None, suggestion.root) and not suggestion.removes
        return is_elsewhere or is_stale(suggestion, pages_of(self._tools))

    def apply(self, suggestion_id: str, *, is_rebasing: bool = False, by: str = "") -> Suggestion:
        """Make a suggestion a rule. Conflict when a file is not as the diff has it, unless it may be made anew."""
        from hindbrain.app.enact import apply

        root = self._located.root or ""
        return apply(suggestion_id, is_rebasing=is_rebasing, by=by, project=self._known(), root=root, tools=self._tools)

    def apply_safe(self, *, by: str = "") -> Sequence[Suggestion]:
        """Make all that waits a rule, but for settings, removals, and what has to be looked at again."""
        from hindbrain.app.enact import apply_safe

        return apply_safe(by=by, project=self._known(), root=self._located.root or "", tools=self._tools)

    def patch(self, suggestion_id: str, text: str = "", *, destination: str = "", by: str = "") -> Suggestion:
        """Change what a suggestion says, or where it goes, before it is applied."""
        from hindbrain.app.decide import patch

        return patch(suggestion_id, text, destination=destination, by=by, project=self._known(), tools=self._tools)

    def refuse(self, suggestion_id: str, *, reason: str = "", by: str = "") -> Suggestion:
        """Never propose that lesson again."""
        from hindbrain.app.decide import refuse

        return refuse(suggestion_id, reason=reason, by=by, project=self._known(), tools=self._tools)

    def snooze(self, suggestion_id: str, *, until: datetime, by: str = "") -> Suggestion:
        """Keep a suggestion out of the feed until then."""
        from hindbrain.app.decide import snooze

        return snooze(suggestion_id, until=until, by=by, project=self._known(), tools=self._tools)

    def undo(self, suggestion_id: str, *, is_merging: bool = False, by: str = "") -> Suggestion:
        """Give the files of a rule back as they were. Conflict when somebody else has changed them since."""
        from hindbrain.app.enact import undo

        return undo(suggestion_id, is_merging=is_merging, by=by, project=self._known(), tools=self._tools)

    def rules(self) -> Sequence[Rule]:
        """What a person agreed to, each with what became of the failure that it was made for."""
        from hindbrain.app.rules import rules

        return rules(self._known(), store=self.store)

    def why_rule(self, suggestion_id: str) -> RuleWalk:
        """From a suggestion or a rule (its id, or `CLAUDE.md:12`) to the scar, and to what agents did."""
        from hindbrain.app.decide import at_line, found
        from hindbrain.app.why import why_rule

        project = self._known()
        if ":" in suggestion_id:
            known = at_line(suggestion_id, project=project, root=self._root(), tools=self._tools)
        else:
            known = found(suggestion_id, project=project, store=self.store)
        return why_rule(known, store=self.store)

    def audits(self, *, limit: int = 0) -> Sequence[Entry]:
        """Who decided what, oldest first; with a `limit` the latest."""
        entries = self.store.audits()
        return entries[-limit:] if limit else entries

    def audit(self) -> Audited:
        """Whether the log of decisions is as it was written."""
        from hindbrain.app.log import audit

        return audit(self._tools)

    def issue_token(self, name: str, rights: Sequence[str], *, is_everywhere: bool = False) -> Issued:
        """A secret for one more caller of the service: for this project, or for all."""
        from hindbrain.app.tokens import issue

        return issue(name, rights, project="" if is_everywhere else self._adopted(), tools=self._tools)

    def tokens(self) -> Sequence[Token]:
        """Who may call the service, and who no longer may."""
        return self.store.tokens()

    def revoke_token(self, name: str) -> Token:
        """Let that caller in no more."""
        from hindbrain.app.tokens import revoke

        return revoke(name, tools=self._tools)

    def doctor(self, *, is_repairing: bool = False) -> Sequence[Finding]:
        """What is healthy, what is not, and the command that fixes it."""
        from hindbrain.app import log, models
        from hindbrain.app.doctor import age, doctor

        tools = self._tools
        found = doctor(
            is_repairing=is_repairing,
            project=self._known(),
            store=self.store,
            settings=self.settings,
            embedder=tools.embedder,
            worker=tools.worker,
        )
        saved = age(self.last_backup, now=tools.clock.now())
        return (*found, *log.findings(tools), saved, *models.findings(tools.model))

    @property
    def last_backup(self) -> Backup | None:
        """The newest copy of the store that was made as such; None when there is none."""
        from hindbrain.app.backup import last

        return last(self._tools.backups() if self._tools.backups else None)

    def backup(self, to: str = "", *, tell: Callable[[int, int], None] = lambda *_: None) -> Saved:
        """Copy the store, look at the copy, and let old ones go; or copy it into the new file `to`."""
        from hindbrain.app.backup import backup

        return backup(self._tools, to=to, tell=tell)

    def backups(self) -> Sequence[Backup]:
        """All copies of the store in the backups folder, oldest first."""
        from hindbrain.app.backup import listed

        return listed(self._tools)

    def fsck(self, *, is_repairing: bool = False) -> Checkup:
        """Look at every row, index, vector, link, decision, file and record; with `is_repairing`, mend what can be."""
        from hindbrain.app.fsck import fsck

        return fsck(self._tools, is_repairing=is_repairing)

    def routes(self) -> tuple[Sequence[Route], Sequence[str]]:
        """Which model answers which use, and what is wrong with routing.yaml. Nobody is called for it."""
        model = self._tools.model
        return ((), ()) if model is None else (model.routes(), model.warnings())

    def model_costs(self, *, since: datetime | None = None) -> Costs:
        """What models were asked and what it cost, over all projects."""
        from hindbrain.app.models import costs

        return costs(self.store, since=since, now=self._tools.clock.now(), budget=self.settings.ai_daily_budget)

    def ask_model(self, use: str, text: str, *, prompt: str = "") -> Completion | NoModel:
        """What the model for `use` makes of `text`; raises when it fails."""
        from hindbrain.core.model.call import NoModel, Prompt

        if self._tools.model is None:
            return NoModel(why="no model is wired here")
        return self._tools.model.complete(use, Prompt(name=prompt or use, material=text))

    def wires(self, kit: Kit, *, clients: Clients, trial: str = "") -> Sequence[Finding]:
        """Which clients are wired, and whether their events arrive. `trial` names a client to send a test event
        through."""
        from hindbrain.app.wires import wires

        now = self._tools.clock.now()
        return wires(kit, folder=self._located.root or ".", store=self.store, clients=clients, now=now, trial=trial)

    def close(self) -> None:
        self._tools.store.close()

    def __enter__(self) -> Hindbrain:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _root(self) -> str:
        """The top of the project's files. BadValue for a project that is known by its name only."""
        if not self._located.root:
            raise BadValue("the project is known by its name only", fix="run this in the project's folder")
        return self._located.root

    def _foreign(self, dialect: str) -> tuple[Dialect, Folders]:
        if self._tools.dialect is None or self._tools.folders is None:
            raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
        return self._tools.dialect(dialect), self._tools.folders

    def _tie(self, receipts: Sequence[Receipt]) -> None:
        """Best effort: what was kept is kept, and `verify` ties what is not tied yet."""
        if self._located.root is None or not any(receipt.memory_id for receipt in receipts):
            return
        from hindbrain.app.verify import retie

        with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
            retie(receipts, self._located.root, tools=self._tools, code=self._tools.files.code())

    def _known(self) -> str:
        """The project's id; one that no row has while the project is new."""
        known = self.project
        return known.id if known else ""

    def _adopted(self) -> str:
        at = self._tools.clock.now()
        if self._tools.embedder is not None:
            self.store.expect(self._tools.embedder.space)
        return self.store.adopt(
            self._located.identities, name=self._located.name, project_id=self._tools.chance.id("prj", at), at=at
        ).id
