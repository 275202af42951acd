"""What the program needs from outside: time, randomness, files, and a store. Adapters implement these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime

from hindbrain.core.hints import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from hindbrain.core.model import (
    Actor,
    Event,
    Injection,
    Kind,
    Link,
    Memory,
    Pulse,
    Reach,
    Receipt,
    Review,
    Space,
    State,
    Vector,
    Version,
)
from hindbrain.core.value import dataclass, field

if TYPE_CHECKING:  # a recall needs none of these
    from contextlib import AbstractContextManager

    from hindbrain.core.anchors import Source
    from hindbrain.core.learning.audit import Entry, Head
    from hindbrain.core.model.activity import Activity, Deed
    from hindbrain.core.model.backup import Backup, Mended
    from hindbrain.core.model.call import Call, Completion, NoModel, Prompt, Route
    from hindbrain.core.model.filing import Filing
    from hindbrain.core.model.foreign import Reading, View
    from hindbrain.core.model.job import Job, JobState
    from hindbrain.core.model.outcome import Anchor, Outcome, Standing
    from hindbrain.core.model.paper import Paper
    from hindbrain.core.model.suggestion import Status, Suggestion
    from hindbrain.core.model.token import Reply, Token
    from hindbrain.core.model.workstream import Workstream
    from hindbrain.core.setup.record import Record as Altered
    from hindbrain.core.setup.wires import Roots

T = TypeVar("T")


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, aware, UTC, whole milliseconds."""


class Chance(Protocol):
    """Randomness. Two calls never give the same answer."""

    def id(self, prefix: str, at: datetime) -> str:
        """`prefix-` and 26 lower-case characters; ids of later moments sort after earlier ones."""

    def fence(self) -> str:
        """128 bits as 32 hex digits, for the delimiters around injected notes."""


class Embedder(Protocol):
    """A model that turns texts into points, so that texts of like meaning lie close together."""

    @property
    def space(self) -> Space:
        """Known without loading the model."""

    @property
    def is_warm(self) -> bool:
        """Whether a text costs milliseconds now, and not the start of a model first."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each of `texts`, or of length 0 where the model cannot read one of them: it is alike
        to none. EmbedderMissing when the model cannot be run here."""

    def check(self) -> str:
        """Where the model is, for a person; EmbedderMissing when it could not be run. It is not started for that."""


class Model(Protocol):
    """The one door to models that write. What goes out and what comes back is free of secrets and personal data."""

    def complete(self, use: str, prompt: Prompt, *, schema: Mapping[str, object] | None = None) -> Completion | NoModel:
        """What the model for `use` makes of `prompt`; with a `schema` (`core.schema`) as data that fits it.

        NoModel where `use` goes by rules. ModelFailed, BadAnswer, KeyMissing or BudgetSpent when it does not answer;
        `app.consult` makes NoModel of them. Every call is recorded in the store. It may take minutes.
        """

    def routes(self) -> Sequence[Route]:
        """Who answers which use, as routing.yaml says now. Nobody is called for it."""

    def warnings(self) -> Sequence[str]:
        """What is wrong with routing.yaml; the uses concerned go by what it last said, or by the default."""


class Worker(Protocol):
    """Another process of this user that has the model and the store open, for those that live too short for both."""

    def ask(self, message: Mapping[str, object]) -> Mapping[str, object] | None:
        """Its answer, whole and in time. None for whatever reason there is none: then do without. Never raises."""

    @property
    def is_late(self) -> bool:
        """Whether the last message was left at the deadline: somebody is there, but busy or stuck."""

    def poke(self) -> None:
        """Tell it that memories were kept which have no vector yet. Best effort: it looks by itself, a little later."""


class ProjectFiles(Protocol):
    """A project's own files, read only. Hindbrain writes nothing into a user's repository."""

    def identities(self, path: str, *, per_worktree: bool) -> tuple[str, ...]:
        """Names under which the code base at `path` may be known, the most telling first."""

    def name(self, path: str) -> str:
        """What a person would call the code base at `path`."""

    def text(self, path: str, *, within: str) -> str:
        """The text of a file; "" when there is none, or when it really lies outside `within`."""

    def is_folder(self, path: str) -> bool: ...

    def tail(self, path: str, *, most: int, until: Callable[[str], bool] = lambda _: True) -> str:
        """The last whole lines of a file that a client writes, `most` bytes at most; "" when it cannot be read. Where
        they are not yet as `until` wants them it is waited a moment, and then they are taken as they are."""

    def mark(self, path: str) -> str:
        """Changes whenever the file does; "" when there is none."""

    def newest(self, folder: str, suffix: str) -> tuple[str, ...]:
        """Paths of the files in `folder` with that suffix, the one that was written last first; empty when there is
        none."""

    def texts(self, folder: str, suffix: str, *, within: str) -> tuple[tuple[str, str], ...]:
        """(name, text) of the files in `folder` with that suffix, sorted by name; empty when there is none."""

    def root(self, path: str) -> str:
        """The top folder of the code base that `path` lies in."""

    def code(self) -> Code:
        """How the sources of a code base are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What came of writing files that people may have open."""

    changed: tuple[str, ...]
    theirs: tuple[str, ...]  # saved by somebody else meanwhile, and left as they are
    late: Mapping[str, bytes]  # what an editor wrote into a file that had been replaced under it


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file as it lies there, without having been read."""

    mark: str  # another one: it may have been changed. Times and size; also of a change that kept both
    changed_at: datetime


class Folders(Protocol):
    """Files that a person names, read or written on their order."""

    def wait(self, for_s: float) -> None:
        """Give others the time to finish what they are writing."""

    def is_there(self, path: str) -> bool: ...

    def load(self, path: str, *, wants: Callable[[str], bool]) -> Mapping[str, bytes]:
        """The file at `path`, or those below a folder that are wanted. Unreadable, TooLong or BadValue (a packed
        file, a link that leads out of the folder) before anything is returned."""

    def save(self, tree: Mapping[str, bytes], folder: str) -> Sequence[str]:
        """Write each file whole or not at all, none outside of `folder`; the paths whose content changed."""

    def seen(self, folder: str, *, wants: Callable[[str], bool]) -> Mapping[str, Seen]:
        """The files below `folder` that are wanted, none of them read. What a link out of the folder leads to is not
        there. Unreadable when the folder itself is not."""

    def content(self, folder: str, name: str) -> bytes | None:
        """One of these, as much of it as anybody would write by hand; None when it is not there any more."""

    def create(self, folder: str, name: str, *, content: bytes) -> bool:
        """Write a new file whole or not at all; False when there is one of that name, which stays as it is."""

    def compact(self, folder: str, name: str, *, content: bytes, archive: str) -> str:
        """Put `content` in the place of a file whose bytes are first packed into the folder `archive`, and read back
        from there; where they are now."""

    def exchange(
        self, tree: Mapping[str, bytes], folder: str, *, present: Mapping[str, bytes], settle_s: float
    ) -> Written:
        """The same, but a file that is not as `present` has it any more is left alone, and the old file is watched
        for `settle_s` for what an editor may still write into it."""


class Pages(Protocol):
    """Files that a person's rules stand in. Only what a person agreed to is written there, and read back first."""

    def read(self, folder: str, path: str) -> bytes | None:
        """The file below `folder`; None when there is none. BadValue for one that a link leads out of the folder to,
        that is no plain file, or that is larger than anybody would write by hand."""

    def write(self, folder: str, path: str, *, content: bytes | None, expected: bytes | None, made: int = 0) -> int:
        """Put the file in its place in one step, with the mode that it had; None removes it, and `made` folders above
        it if they are empty then. How many folders had to be made. Conflict when the file is not as `expected`."""

    def keep(self, path: str, content: bytes) -> None:
        """A file of our own, which nobody else can read."""


class Dialect(Protocol):
    """The files of another system, as bytes by their paths with `/` between folders."""

    @property
    def name(self) -> str: ...

    def wants(self, path: str) -> bool:
        """Whether a file at `path`, below the folder that is imported, may be one of its own."""

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        """What they tell. Tolerant: a bad line is an item, never an error. Files of no concern are no items.

        The paths may begin anywhere: at the project, at the system's own folder, or be one file's name.
        """

    def write(self, view: View) -> Mapping[str, bytes]:
        """The same memories as the other system would have written them, with paths relative to the project.
        BadValue from a dialect that can only be read."""


class Code(Protocol):
    """The files of a code base as they lie on the disk, and what git knows of them. Nothing is ever written.

    Paths are relative to `root`, with forward slashes; what lies outside of it, also by a link, is not there. Without
    git, or where git does not answer, only renames are not seen. Never raises.
    """

    def read(self, root: str, path: str) -> Source | None:
        """A file with git's name for its content, as it lies there; None when there is none, or when it is no text, or
        larger than anybody would write by hand."""

    def was(self, root: str, blob: str) -> str | None:
        """The text that git keeps under that name, if it does."""

    def tracked(self, root: str) -> tuple[str, ...]:
        """All files but those that git ignores; of submodules, too. Without names that no text can hold."""

    def head(self, root: str) -> str:
        """The commit that is checked out; "" when there is none."""

    def renamed(self, root: str, path: str) -> str | None:
        """Where a file that is not there any more went to; None: it did not, or nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one hook was told, as it lies in the spool."""

    end: int  # where the next record begins, in bytes of the file
    client: str
    at: datetime
    payload: bytes
    lost: bytes = b""  # what stood in the same line before it: the beginning of one that was cut short


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoiled:
    """A line of the spool that is no record: cut short, or changed since."""

    end: int
    line: bytes


PROMISES = "hindbrain"  # whose records are promises; hooks write under the names of their clients


class Spool(Protocol):
    """Where hooks leave what they were told, and whoever promises to keep something, for the one worker that takes it
    up."""

    def append(self, client: str, payload: bytes, *, at: datetime) -> None:
        """Leave a record; it is on disk, and found there after a power cut, when this returns. Whole, or not at all
        with DiskFull or ReadOnly."""

    def claim(self) -> Sequence[str]:
        """Names of the files to be read, oldest first: the one that hooks write to, which they write to no more, and
        those that an earlier worker left."""

    def records(self, name: str, *, after: int = 0) -> Iterator[Record | Spoiled]:
        """What stands behind that byte. The beginning of a line that somebody may still be writing is left out."""

    def finish(self, name: str, *, at: int) -> bool:
        """Put the file by, for good once this returns; not if anything stands behind `at`, or may yet come. It is kept,
        as the door would have it, until a backup holds what it taught; of very much, the latest."""

    def set_aside(self, text: str) -> None:
        """Keep a line that nobody could read, for a person; of very many, the latest."""

    def forget(self, texts: Sequence[str]) -> Sequence[str]:
        """Drop lines that were set aside or put by and hold any of `texts`; the files with records that wait and hold
        one."""

    def kept(self) -> Sequence[str]:
        """Names of the files that were put by, oldest first."""

    def drop_kept(self, *, before: datetime) -> int:
        """Let go what was taken up before that moment and is in a backup now; how many files."""

    def replay(self) -> int:
        """Let what was taken up and is still kept be taken up once more, in its order; how many files. What had an
        effect already has none again: how far a file was read stands in the store that was restored."""

    def spoiled(self) -> int:
        """How many of the lines that wait or are kept are no record."""

    def vitals(self) -> Mapping[str, str]:
        """waiting_bytes, oldest (the time of the first record that waits; "" when none does), bad_bytes, kept_bytes,
        path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """What hooks left behind, as the files show it."""

    waiting: int  # records that nobody has read yet
    size_bytes: int
    oldest: datetime | None  # when the first of them was written
    bad: int  # records that could not be read
    troubles: tuple[str, ...]  # what went wrong in hooks, the last few
    modes: Mapping[str, str]  # path -> octal mode, of files and folders that hold what agents said


class Clients(Protocol):
    """The coding agents' clients of this user: where their files are, and what was done to those."""

    def found(self) -> Mapping[str, str]:
        """By name, those that are installed or have been used: the program, or the folder that shows it."""

    def roots(self, folder: str) -> Roots:
        """Where their files are, for this user and for the code base around `folder`."""

    def exists(self, path: str) -> bool: ...

    def read(self, path: str) -> bytes | None:
        """None when there is no such file. Unreadable when there is one that cannot be read."""

    def write(self, path: str, content: bytes, *, expected: bytes | None) -> Sequence[str]:
        """Whole or not at all, through a link to the file it leads to, with the mode that was there; the folders that
        had to be made, the outermost first. ConfigChanged when the file is not as `expected`."""

    def remove(self, path: str, *, expected: bytes) -> None:
        """ConfigChanged when the file is not as `expected`."""

    def clear(self, folders: Sequence[str]) -> None:
        """Remove those that are empty, the innermost first."""

    def records(self) -> Sequence[Altered]:
        """Of every file that was changed and not restored yet."""

    def note(self, record: Altered) -> None:
        """Instead of the one that the path had, if any. Durable before the file itself is changed."""

    def drop(self, path: str) -> None: ...

    def point(self, lines: Sequence[str]) -> None:
        """Leave word in the home where the hook program is, for those that cannot know."""

    def spooled(self) -> Spooled: ...

    def tried(self, line: str, event: Mapping[str, object]) -> str:
        """Run a hook's command line with that event, in a home that is thrown away. Empty when the event arrived in
        its spool; else what happened instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    id: str
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which memories. Every field narrows; the default is all that an agent of the project may see."""

    project: str
    states: frozenset[State] = frozenset({State.LIVE})
    with_everywhere: bool = True  # also memories of other projects that a person sent everywhere
    voices: tuple[str, ...] | None = None  # None: any persona; else shared ones and these personas' own
    kinds: tuple[Kind, ...] = ()  # empty: any
    types: tuple[str, ...] = ()
    min_confidence: float | None = None
    min_trust: int = 0
    after: datetime | None = None  # created at or after
    before: datetime | None = None  # created at or before
    not_session: str = ""
    containing: str = ""  # in title or content, as it stands; case does not count for ASCII
    is_pinned: bool = False  # only those that a person pinned

    def admits(self, memory: Memory) -> bool:
        """Whether `memory` is one of these: what every store's own query language must amount to."""
        return all((self._is_near(memory), self._is_of_sort(memory), self._is_timely(memory), self._says_so(memory)))

    def _is_near(self, memory: Memory) -> bool:
        is_everywhere = self.with_everywhere and memory.reach is Reach.EVERYWHERE
        is_heard = self.voices is None or memory.persona is None or memory.persona in self.voices
        return (memory.project == self.project or is_everywhere) and is_heard

    def _is_of_sort(self, memory: Memory) -> bool:
        is_wanted = (not self.kinds or memory.kind in self.kinds) and (not self.types or memory.type in self.types)
        is_sure = self.min_confidence is None or memory.confidence >= self.min_confidence
        is_held = memory.trust >= self.min_trust and (memory.is_pinned or not self.is_pinned)
        return is_wanted and is_sure and is_held and memory.state in self.states

    def _is_timely(self, memory: Memory) -> bool:
        is_late = self.after is None or memory.created_at >= self.after
        return is_late and (self.before is None or memory.created_at <= self.before)

    def _says_so(self, memory: Memory) -> bool:
        is_foreign = not self.not_session or memory.provenance.session != self.not_session
        return is_foreign and (not self.containing or _contains(memory, self.containing))


def _contains(memory: Memory, text: str) -> bool:
    wanted = text.translate(_LOWER)
    return wanted in memory.title.translate(_LOWER) or wanted in memory.content.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Brief(NamedTuple):
    """A memory without its words: how it stands, and where it came from. A tuple: all of a project are read at once."""

    id: str
    title: str
    state: State
    version: int
    speakers: tuple[str, ...]  # all names of who said it
    session: str
    task: str
    adapter: str
    receipt: str
    trust: int
    evidence: int
    injected: int
    superseded_by: str | None
    archive_reason: str


class Way(NamedTuple):
    """How something came in."""

    task: str
    adapter: str
    origin: str


class Match(NamedTuple):
    """A memory by words. A tuple, as Near is: hundreds are made for every question."""

    memory_id: str
    score: float  # BM25, higher is better
    size: float = 1.0  # its length in words against the average memory's
    number: int = 0  # by which the store that gave this finds the memory again; means nothing to anybody else


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    memory: Memory
    score: float


class Near(NamedTuple):
    """A memory by meaning, with the piece of it that speaks for it."""

    memory_id: str
    similarity: float  # cosine
    start: int  # where the piece lies in the memory's meaningful text; of the only one it may be left at 0, 0
    end: int
    pieces: int = 1  # how many the memory has: the best of many is good by chance, too
    number: int = 0  # as that of a match


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One time that a memory was taught: what corroboration is counted from."""

    memory_id: str
    receipt: str
    session: str
    speaker: str  # persona or person, with the machine where several share one store
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Something in the store that is not as it was written."""

    where: str  # table and id
    what: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What `erase` removed, and where the text was still found afterwards (empty: proven gone)."""

    rows: int
    backups: tuple[str, ...]
    found_in: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All that one verb wants written. It happens wholly or not at all."""

    memories: tuple[Memory, ...] = ()  # new ones, or the next version of a known one
    filings: tuple[Filing, ...] = ()  # many that are put away or brought back; none of these is among `memories`
    pulses: tuple[Pulse, ...] = ()
    sayings: tuple[Saying, ...] = ()
    unsaid: tuple[Saying, ...] = ()  # sayings that go, by memory and receipt; one that is not there changes nothing
    links: tuple[Link, ...] = ()
    unlinked: tuple[Link, ...] = ()  # links that go, by their ends and relation; one that is not there changes nothing
    receipts: tuple[Receipt, ...] = ()
    reviews: tuple[Review, ...] = ()  # new ones, or the closed form of a known one
    injections: tuple[Injection, ...] = ()
    vectors: tuple[Vector, ...] = ()  # all pieces of a memory in a space; they take the place of those it had
    events: tuple[Event, ...] = ()
    activities: tuple[Activity, ...] = ()  # one that is there already (by its id) is left as it is
    jobs: tuple[Job, ...] = ()  # new ones, unless their key is queued or running; or the next state of a known one
    outcomes: tuple[Outcome, ...] = ()  # one for a (memory, injection, how) that is there already changes nothing
    anchors: tuple[Anchor, ...] = ()  # all of a memory; they take the place of those it had
    calls: tuple[Call, ...] = ()  # new ones, or how a known one (by its id) ended
    papers: tuple[Paper, ...] = ()  # new ones; they take the place of those with the same project, sort and id
    suggestions: tuple[Suggestion, ...] = ()  # new ones, or the next state of a known one
    audits: tuple[Entry, ...] = ()  # each sealed behind the one before it
    workstreams: tuple[Workstream, ...] = ()  # new ones, or the next state of a known one
    cursors: Mapping[str, str] = field(default_factory=dict)  # how far each follower has come; "" removes it
    tokens: tuple[Token, ...] = ()  # each takes the place of the one with its name
    replies: tuple[Reply, ...] = ()  # each takes the place of the one with its key; those out of date go
    by: Actor = field(default_factory=Actor)
    change: str = "stored"  # what happened to `memories`, for their history


class Reader(Protocol):
    """Memories as they stand. No method ranks, embeds, redacts or reads the clock.

    An odd or empty search text finds nothing; it is never an error. Order is always the same for the
    same rows. A memory that cannot be read is StoreDamaged.
    """

    def leaving_out(self, *, is_proven: bool = False) -> AbstractContextManager[list[str]]:
        """While it is open, memories that cannot be read are left out instead, and their ids are told here. With
        `is_proven`, so are those that another hand has changed: what is read can be written on."""

    def memory(self, memory_id: str) -> Memory | None: ...

    def ids(self, start: str, *, limit: int) -> Sequence[str]:
        """Ids of memories, of any project and state, that begin with `start`, in order."""

    def select(self, where: Where, *, order: str = "confidence", limit: int = 0) -> Sequence[Memory]:
        """`order` is "confidence" (then newest first) or "newest"; `limit` 0 means all."""

    def count(self, where: Where) -> int: ...

    def memories(self, ids: Sequence[str]) -> Mapping[str, Memory]:
        """Those of `ids` that are there."""

    def briefs(self, project: str) -> Sequence[Brief]:
        """Of all memories of the project, whatever their state, newest first."""

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        """At which version each of `ids` is that is there."""

    def matches(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Match]:
        """Which memories hold any of `words`, best first by BM25."""

    def search(self, words: Sequence[str], where: Where, *, limit: int) -> Sequence[Hit]:
        """`matches`, with the memories themselves."""

    def nearest(
        self, point: Sequence[float], space: Space, *, where: Where, limit: int, also: Sequence[Match] = ()
    ) -> Sequence[Near]:
        """The `limit` memories nearest to `point` by their best piece, best first, and behind them those of
        `also` that are not among them. Exact within `where`; `also` is what `matches` gave for the same. Memories
        without a vector in `space` are not there. An unknown space holds nothing. `point` has length 1; BadValue
        when its dimension is not that of the space."""

    def has_vectors(self, space: Space, where: Where) -> bool:
        """Whether any memory of the project, or one that goes everywhere, has a vector in `space`."""

    def points(self, ids: Sequence[str], space: Space) -> Mapping[str, Sequence[float]]:
        """The vectors of those of `ids` that have exactly one piece in `space`."""

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Memory]:
        """Memories of any project, not archived, whose present text has no vector in `space`, in the order in which
        they were kept. None in a space that nobody expects."""

    def holders(self, words: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        """How many memories there are, over all projects, and how many of them hold each of `words`."""

    def count_unembedded(self, space: Space) -> int:
        """How many `unembedded` would give without a limit."""

    def spelled(self, start: str, *, limit: int) -> Sequence[str]:
        """Words of the index that begin with `start`, in order."""

    def rarest(self, words: Sequence[str], *, limit: int) -> Sequence[str]:
        """Those of `words` that fewest memories hold, over all projects; without those that none holds."""

    def terms(self, ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """The words that each of these memories is found by; without those that are not there."""

    def held(self, words: Sequence[str], near: Sequence[Near]) -> Mapping[str, Collection[str]]:
        """Which of `words` each of the memories is found by that `nearest` gave; those that hold none, or are not there
        any more, may be left out."""

    def content_terms(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The words of each content alone, in order and with repeats; without memories that are not there."""

    def same_text(self, memory: Memory) -> Memory | None:
        """The oldest memory of the same project and persona with the same content hash; an archived one last."""

    def same_key(self, memory: Memory) -> Memory | None:
        """The live or quarantined memory of the same project and persona with the same key."""

    def as_of(self, where: Where, at: datetime) -> Sequence[Memory]:
        """What `select` would have given at that moment, newest first."""

    def history(self, memory_id: str) -> Sequence[Version]:
        """Oldest first."""

    def writers(self, project: str) -> Mapping[str, str]:
        """By the id of each memory of the project, the account that wrote its first version; "" where it had none."""

    def sayings(self, memory_id: str) -> Sequence[Saying]: ...

    def links(self, memory_id: str) -> Sequence[Link]:
        """Links from and to the memory, oldest first."""

    def derivations(self, project: str) -> Sequence[tuple[str, str]]:
        """Ids of each memory of the project that was derived, and of what it was derived from, of any project."""

    def receipt(self, receipt_id: str) -> Receipt | None: ...

    def receipts_for(self, key: str) -> Receipt | None:
        """The receipt with that idempotency key."""

    def receipts(self, project: str, *, session: str = "", verdict: str = "", limit: int = 0) -> Sequence[Receipt]:
        """Newest first."""

    def ways(self, project: str) -> Mapping[str, Way]:
        """By the id of each receipt of the project."""

    def taught(self, project: str, *, session: str = "", since: datetime | None = None) -> int:
        """How many receipts that did not reject came from the session, or since that moment."""

    def review(self, review_id: str) -> Review | None: ...

    def reviews(self, project: str, *, with_closed: bool = False, about: tuple[str, ...] = ()) -> Sequence[Review]:
        """Oldest first; with `about`, those that name one of these memories, found without reading the others."""

    def injections(self, memory_id: str) -> Sequence[Injection]:
        """Injections that showed the memory (not: would have shown), oldest first."""

    def was_shown(self, memory_id: str, session: str) -> bool:
        """Whether an injection of that session has shown the memory already."""

    def shown(self, session: str, *, agent: str = "", since: datetime | None = None) -> Mapping[str, int]:
        """The ledger: which memories that agent of the session was shown (not: would have been), and the newest
        version of each that it saw."""

    def told(self, project: str, *, session: str = "", since: datetime | None = None) -> Sequence[Injection]:
        """Injections, oldest first, those that were withheld too."""

    def activities(
        self, project: str, *, session: str = "", after: int = 0, deeds: Sequence[Deed] = (), limit: int = 0
    ) -> Sequence[Activity]:
        """In the order in which they were recorded; `after` is the `seq` last seen."""

    def jobs(self, *, states: Sequence[JobState] = (), kind: str = "", limit: int = 0) -> Sequence[Job]:
        """In the order in which they were queued, of all projects."""

    def due(self, now: datetime, *, limit: int = 1) -> Sequence[Job]:
        """Jobs to be done now: queued ones whose time has come, in order, and running ones, whose worker died."""

    def count_jobs(self) -> Mapping[JobState, int]:
        """How many there are in each state that any is in. Of those that are done, only the latest are kept."""

    def outcomes(self, project: str, *, memory_id: str = "", session: str = "") -> Sequence[Outcome]:
        """Oldest first."""

    def anchors(self, project: str, *, memory_id: str = "", paths: Sequence[str] = ()) -> Sequence[Anchor]:
        """By memory and path; `paths` narrows to those files."""

    def standings(self, ids: Sequence[str]) -> Mapping[str, Standing]:
        """Of those of `ids` about which anything is known. Withheld outcomes are not counted, and one session counts
        once for each memory: what it says last (`core.model.outcome.standing`)."""

    def cured(self, project: str, signature: str) -> Sequence[Memory]:
        """Live memories of the project, and those sent everywhere, about the failure with that signature."""

    def papers(self, project: str, *, sort: str = "", agent: str = "", to: str | None = None) -> Sequence[Paper]:
        """Ledgers and handoffs, oldest first; `to` narrows to one receiver, "" to what is for whoever comes next."""

    def called(self, name: str, project: str) -> Sequence[str]:
        """Ids of the memories of that project that came in under `name` from another system, the newest last."""

    def suggestion(self, suggestion_id: str) -> Suggestion | None: ...

    def suggestions(self, project: str, *, statuses: Sequence[Status] = (), scar: str = "") -> Sequence[Suggestion]:
        """In the order in which they were made."""

    def audits(self, *, after: int = 0, limit: int = 0) -> Sequence[Entry]:
        """The log of decisions of all projects, in its order; `after` is the `seq` last seen."""

    def audit_head(self) -> Head | None:
        """How far the log reaches, as it was noted beside it; None when that note cannot be read."""

    def workstreams(self, project: str, *, state: str = "") -> Sequence[Workstream]:
        """In the order in which they were opened."""

    def cursor(self, name: str) -> str:
        """How far a follower has come; "" when it has not begun."""

    def cursors(self, start: str) -> Mapping[str, str]:
        """All whose name begins so."""

    def calls(self, *, since: datetime | None = None) -> Sequence[Call]:
        """Calls of models that began at that moment or later, oldest first."""

    def events(self, *, after: int = 0, project: str = "", limit: int = 0) -> Sequence[Event]:
        """In the order in which they happened; `after` is the cursor, the `seq` last seen."""

    def tokens(self) -> Sequence[Token]:
        """By name, those that were revoked too."""

    def reply(self, key: str) -> Reply | None:
        """What was answered to the write with that key, or that it is still being answered."""

    def projects(self) -> Sequence[Project]: ...

    def project_of(self, identities: Sequence[str]) -> Project | None:
        """The project that the first known identity belongs to."""


class Transaction(Reader, Protocol):
    """The store while this process alone may write it: what `apply` wrote can be read at once."""

    def apply(self, changes: Changes) -> None:
        """Raises Conflict when a memory's version is not one more than the stored one, a filing names another one than
        the stored one, or an audit entry does not follow the last one; BadValue when a vector does not fit its space.
        A memory whose words change loses its vectors, unless the same change brings new ones. Vectors of other words
        than the memory has, or of a memory that is gone, are left out: it was changed meanwhile, and is still due."""


class Ear(Protocol):
    """Somebody who is told that something may have happened."""

    @property
    def is_sure(self) -> bool:
        """Whether words of other processes reach it now: then there is no need to look often."""

    def close(self) -> None: ...


class Store(Reader, Protocol):
    """Durable memories. Each call happens wholly or not at all, and survives a crash once it returns."""

    def write(
        self,
        work: Callable[[Transaction], T],
        *,
        meanwhile: Callable[[Reader], object] | None = None,
        is_durable: bool = True,
        patience_s: float | None = None,
    ) -> T:
        """Hold the gate, let `work` read and apply, commit, return what it returned.

        An exception in `work` undoes all of it. With `is_durable` False the write may be lost by a power
        cut (never torn): for counters only. `patience_s` is how long to wait for other writers, if not as
        long as the settings say; StoreLocked after that.

        Who has to wait for others may read one state of the store in `meanwhile`, and think before others have to
        wait for it. What it finds may have changed when `work` begins. It is not called where nobody else writes, or
        where to read twice would cost more than it spares.
        """

    def adopt(self, identities: Sequence[str], *, name: str, project_id: str, at: datetime) -> Project:
        """The project known by any of `identities`, or a new one; all of them become its names."""

    def expect(self, space: Space) -> None:
        """From now on memories are to have vectors in `space`, beside other spaces that are expected: what has none
        counts as unembedded. Costs nothing when it is expected already."""

    def drop_spaces(self, *, but: Space) -> int:
        """Remove the vectors of every other space, and expect those no more; how many vectors there were. Other
        writers get their turn in between; a call that was cut short is completed by the next."""

    def erase(self, *memory_ids: str, at: datetime) -> Erasure:
        """Remove memories and every copy of their texts, then search the files for what is left. UnknownMemory when
        one is not there, and nothing was removed."""

    def listen(self, heard: Callable[[], None]) -> Ear | None:
        """Call `heard`, from a thread of the store's, whenever any process may have written events, until the ear is
        closed. It may be called for nothing, and a word may be lost: what counts is the cursor. None where the store
        cannot tell: look now and then."""

    def repair(self) -> None:
        """Build the word index anew from the rows, remove vectors that do not belong to their memory's words."""

    def damage(self) -> Sequence[Damage]:
        """Check rows against their hashes, words and vectors against rows, versions and links against memories."""

    def vitals(self) -> Mapping[str, str]:
        """How the store is, for a person: engine, is_engine_safe, path, size_bytes, wal_bytes, schema, mode_file,
        mode_folder, is_read_only, lock_holder, backups, unfit (why its place is none for a database that many write),
        spaces (a line for each: its vectors, and what is due).
        Claims are "yes" or "no"; "" where there is no such thing.
        """

    def close(self) -> None: ...


class Whole(Reader, Protocol):
    """A store, or one state of it, that can be read out wholly."""

    def identities(self) -> Sequence[tuple[str, str]]:
        """Every name that a project is known by, with the project's id, in order."""

    def spaces(self) -> Sequence[tuple[Space, bool]]:
        """In the order in which they were made, and whether each is expected."""

    def vectors(self, ids: Sequence[str]) -> Sequence[Vector]:
        """All pieces of these memories in all spaces, by memory, the name of the space and piece."""


class Movable(Whole, Store, Protocol):
    """A store whose whole content can be carried into another of these."""

    def carry(self, parts: Sequence[tuple[Changes, Mapping[str, int]]]) -> None:
        """Apply them one after the other, wholly or not at all. The numbers say which one the first new row of
        `event`, `activity` or `job` gets in each: followers hold them."""


class Backups(Protocol):
    """Copies of one store in a folder of this machine. The store need not be sound, nor be there at all.

    One process at a time: UpkeepRunning names the other.
    """

    @property
    def folder(self) -> str: ...

    def all(self) -> Sequence[Backup]:
        """Oldest first. What somebody else put there is left out."""

    def make(self, at: datetime, *, to: str = "", tell: Callable[[int, int], None]) -> Backup:
        """Copy the store as it is at one moment, while others write it; into `to`, a new file, if not into the folder.

        The copy is read back and compared before it gets its name: there is a whole one or none. StoreDamaged when the
        store is not sound: a copy of damage must not take the place of a sound one.
        """

    def remove(self, backup: Backup) -> None: ...

    def check(self, path: str) -> tuple[int, Sequence[Damage]]:
        """Fill a store from the backup, somewhere out of the way, and look at all of it: how many memories there are,
        and what is wrong. Nothing is left behind. Unreadable when it is no backup."""

    def restore(self, path: str, *, at: datetime) -> str:
        """Let the store hold what the backup holds, at once and wholly. Where that which it held is now; "" when there
        was nothing. StoreDamaged when the backup is not sound; BadValue when the store is on a server and not empty."""

    def mend(self, at: datetime) -> Mended:
        """Rebuild the store: its own sound rows, and those of the newest sound backup in the place of others."""
