"""Whoever thinks before the gate decides as if it had done so behind it, whatever others did in between."""

import fcntl
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from building import FakeChance, FakeClock, a_memory, a_project, keep

from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.adapters.sqlite.gate import Gate, _Place
from hindbrain.app.add import Noted, add
from hindbrain.app.archive import delete
from hindbrain.app.capture import Said, capture
from hindbrain.app.edit import edit
from hindbrain.app.keep import is_same_lesson, ruled
from hindbrain.app.tools import Tools
from hindbrain.core.model import Memory, Receipt, State, Verdict
from hindbrain.core.shape import shape
from hindbrain.core.words import query_terms
from hindbrain.errors import BadValue
from hindbrain.ports import Reader, T, Transaction, Where
from hindbrain.settings import Settings

pytest.importorskip("numpy")

ALL = Where(project="prj-one", states=frozenset(State))
SAID = "Retry the nightly build twice before paging anybody about the broken cache"
OTHERWISE = "Retry the nightly build twice before paging anybody about the broken caches"
KNOWN = "Retry the nightly build twice before paging anybody about a broken cache"


class Overtaken(SqliteStore):
    """A store on which its owner has to wait with every write, and others come first once it has looked."""

    def __init__(self, path: Path, *, may_look: bool) -> None:
        super().__init__(path)
        self.may_look, self.looks = may_look, 0
        self.meanwhile: Callable[[], None] = lambda: None

    def write(  # type: ignore[override]
        self, work: Callable[[Transaction], T], *, meanwhile: Callable[[Reader], object] | None = None
    ) -> T:
        if meanwhile and self.may_look:
            self.look(meanwhile)
        self.meanwhile()
        return super().write(work)

    def look(self, work: Callable[[Reader], T]) -> list[T]:
        seen: list[T] = []
        self._glance(lambda reader: seen.append(work(reader)), self._kept_trail())
        self.looks += len(seen)
        return seen


class Desk:
    """One process at a store, and how it tells the time."""

    def __init__(self, store: SqliteStore, *, home: Path) -> None:
        self.clock = FakeClock()
        self.tools = Tools(
            store=store,
            clock=self.clock,
            chance=FakeChance(),
            files=LocalFiles(),
            settings=Settings(home=str(home), store=str(store.path)),
        )

    def hears(self, text: str, *, session: str) -> Receipt:
        self.clock.forward(minutes=1)
        said = Said(text=f"MEMORY:pattern:{text}", session=session, persona=session)
        (receipt,) = capture(said, project="prj-one", tools=self.tools).receipts
        return receipt

    def notes(self, text: str) -> Receipt:
        self.clock.forward(minutes=1)
        return add(Noted(content=text), project="prj-one", tools=self.tools)


class Pair:
    """Two processes: `ours` looks, then `theirs` writes, then `ours` does."""

    def __init__(self, home: Path, *, may_look: bool) -> None:
        home.mkdir()
        is_same_lesson.cache_clear()
        ruled.cache_clear()
        self.store = Overtaken(home / "h.db", may_look=may_look)
        self.other = SqliteStore(home / "h.db")
        a_project(self.store)
        self.ours, self.theirs = Desk(self.store, home=home), Desk(self.other, home=home)
        self.theirs.clock.forward(hours=1)
        self.theirs.tools.chance.count = 1_000  # type: ignore[attr-defined]
        for number in range(4):  # until it pays to keep lists
            self.ours.notes(f"Our note number {number} speaks of nothing else")
            self.theirs.notes(f"Their remark {number} is about other matters")
        self.theirs.hears(KNOWN, session="before")
        self.ours.clock.at = self.theirs.clock.at
        self.store.looks = 0

    def race(self, deed: Callable[["Pair"], object]) -> tuple[Receipt, list[Memory]]:
        self.store.meanwhile = lambda: (deed(self), None)[1]
        self.ours.clock.forward(hours=2)
        receipt = self.ours.hears(SAID, session="ours")
        return receipt, sorted(self.store.select(ALL), key=lambda memory: memory.id)

    def known(self) -> Memory:
        return next(memory for memory in self.other.select(ALL) if memory.content == KNOWN)


def says_the_same(pair: Pair) -> None:
    pair.theirs.hears(SAID, session="theirs")


def says_it_otherwise(pair: Pair) -> None:
    pair.theirs.hears(OTHERWISE, session="theirs")


def says_it_as_a_person(pair: Pair) -> None:
    pair.theirs.notes(OTHERWISE)


def says_the_contrary(pair: Pair) -> None:
    pair.theirs.hears(SAID.replace("Retry", "Never retry"), session="theirs")


def makes_another_one_say_it(pair: Pair) -> None:
    edit(pair.known().id, {"content": OTHERWISE}, store=pair.other, clock=pair.theirs.clock)


def deletes_what_was_near(pair: Pair) -> None:
    delete(pair.known().id, store=pair.other, clock=pair.theirs.clock)


def erases_what_was_near(pair: Pair) -> None:
    pair.other.erase(pair.known().id, at=pair.theirs.clock.now())


def says_it_and_has_it_deleted(pair: Pair) -> None:
    receipt = pair.theirs.hears(SAID, session="theirs")
    delete(str(receipt.memory_id), store=pair.other, clock=pair.theirs.clock)


def captures_the_very_same_saying(pair: Pair) -> None:
    pair.theirs.hears(SAID, session="ours")


DEEDS = (
    *(says_the_same, says_it_otherwise, says_it_as_a_person, says_the_contrary, makes_another_one_say_it),
    *(deletes_what_was_near, erases_what_was_near, says_it_and_has_it_deleted, captures_the_very_same_saying),
)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path / "looking", may_look=True)
    with closing(made.store), closing(made.other):
        yield made


@pytest.mark.parametrize("deed", DEEDS)
def test_a_look_before_the_gate_changes_no_answer(  # R2 X-05
    pair: Pair, deed: Callable[[Pair], None], tmp_path: Path
) -> None:
    looked = pair.race(deed)
    assert pair.store.looks == 1
    blind = Pair(tmp_path / "blind", may_look=False)
    with closing(blind.store), closing(blind.other):
        assert looked == blind.race(deed)
        assert blind.store.looks == 0


def test_two_who_say_the_same_at_once_are_two_witnesses_of_one_memory(pair: Pair) -> None:  # R2 X-05
    receipt, memories = pair.race(says_the_same)
    assert receipt.verdict is Verdict.EVIDENCE
    (kept,) = [memory for memory in memories if memory.content == SAID]
    assert {saying.session for saying in pair.store.sayings(kept.id)} == {"ours", "theirs"}


def test_what_was_said_in_other_words_meanwhile_is_replaced_as_if_it_had_been_seen(pair: Pair) -> None:
    receipt, memories = pair.race(says_it_otherwise)
    (theirs,) = [memory for memory in memories if memory.content == OTHERWISE]
    assert receipt.verdict is Verdict.SUPERSEDED and receipt.supersedes == (theirs.id,)
    assert theirs.superseded_by == receipt.memory_id


def test_one_saying_is_captured_once_though_two_look_at_it(pair: Pair) -> None:  # R2
    receipt, memories = pair.race(captures_the_very_same_saying)
    assert receipt.is_replay and sum(memory.content == SAID for memory in memories) == 1


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store whose owner has written a few times."""
    with closing(SqliteStore(tmp_path / "h.db")) as store:
        a_project(store)
        desk = Desk(store, home=tmp_path)
        for number in range(4):
            desk.notes(f"Note number {number} speaks of nothing else")
        yield store


def test_who_need_not_wait_does_not_look(lone: SqliteStore) -> None:  # R2
    assert lone.write(lambda tx: tx.count(ALL), meanwhile=lambda reader: pytest.fail("nobody is in the way")) == 4


def test_who_has_to_wait_looks_before_its_turn(lone: SqliteStore) -> None:  # R2
    looks: queue.Queue[int] = queue.Queue()
    counts: list[int] = []
    with Gate(lone.path).hold(1):
        writer = threading.Thread(
            target=lambda: counts.append(
                lone.write(lambda tx: tx.count(ALL), meanwhile=lambda reader: looks.put(reader.count(ALL)))
            )
        )
        writer.start()
        assert looks.get(timeout=30) == 4 and not counts
    writer.join()
    assert counts == [4]


def test_a_look_that_fails_is_told_and_leaves_the_gate_to_others(lone: SqliteStore) -> None:  # R2
    def fail(reader: Reader) -> None:
        raise BadValue("not this", fix="another")

    errors: queue.Queue[Exception] = queue.Queue()

    def write() -> None:
        try:
            lone.write(lambda tx: pytest.fail("it was told"), meanwhile=fail)
        except BadValue as error:
            errors.put(error)

    with Gate(lone.path).hold(1):
        writer = threading.Thread(target=write)
        writer.start()
        assert str(errors.get(timeout=30)) == "not this"
    writer.join()
    assert lone.write(lambda tx: tx.count(ALL), patience_s=30) == 4


def test_a_turn_that_comes_too_late_is_nobodys(tmp_path: Path) -> None:  # R2
    """Even where it comes in the moment in which somebody gives up waiting for it."""
    before, store = Gate(tmp_path / "h.db"), tmp_path / "h.db"
    with ExitStack() as held:
        held.enter_context(before.hold(1))
        place = _Place(f"{store}.next", f"{store}.turn")
        assert place.is_next(30)
        place._state = _Overtaken(place._state, held, place)  # type: ignore[assignment]
        assert place.turn(0) is None
    with Gate(store).hold(0):
        assert not _is_free(f"{store}.turn"), "it was given back, once, and somebody else has it"


class _Overtaken:
    """A lock behind which the turn comes, as soon as it is left."""

    def __init__(self, lock: Any, held: ExitStack, place: _Place) -> None:
        self._lock, self._held, self._place, self._is_first = lock, held, place, True

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if self._is_first:
            self._is_first = False
            self._held.close()
            assert self._place._end.acquire(timeout=30)


def _is_free(path: str) -> bool:
    with Path(path).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_thread_does_not_look_while_another_of_its_own_follows_the_store(lone: SqliteStore) -> None:  # R2
    """What it would wait for is the turn itself: then it would think behind the gate, and twice."""
    trail = lone._kept_trail()
    assert trail is not None and trail.is_worn
    with trail.lock:
        lone._glance(lambda reader: pytest.fail("it had to wait"), trail)
    looks: list[int] = []
    lone._glance(lambda reader: looks.append(reader.count(ALL)), trail)
    assert looks == [4]


def test_behind_the_gate_a_text_is_not_shaped_again_that_was_looked_at(pair: Pair) -> None:  # R2
    shape.cache_clear()
    pair.race(lambda _: None)
    assert (shape.cache_info().misses, shape.cache_info().hits) == (1, 1)


def test_what_a_look_saw_is_not_taken_for_what_came_later(pair: Pair) -> None:
    words = query_terms(SAID)
    for number in range(3):
        assert pair.store.look(lambda reader: list(reader.matches(words, ALL, limit=9)))
        keep(pair.other, a_memory(f"{SAID} {number}", id=f"mem-{number}"))
        with closing(SqliteStore(pair.store.path)) as new:
            assert pair.store.write(lambda tx: list(tx.matches(words, ALL, limit=9))) == new.matches(
                words, ALL, limit=9
            )
