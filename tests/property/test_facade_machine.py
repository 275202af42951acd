"""Any sequence of additions, edits, deletions and erasures leaves what a plain dictionary would hold."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from tier import figure

import hindbrain

_IN_MEMORY = Path("/dev/shm")


class Kept(RuleBasedStateMachine):
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp(prefix="hb-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None)
        self.memory = hindbrain.open(f"{self.folder}/hindbrain.db", project="p")
        self.live: dict[str, str] = {}
        self.away: dict[str, str] = {}
        self.count = 0

    def _text(self) -> str:
        self.count += 1
        return f"Unit u{self.count:04d}x{self.count * 7919 % 9973:04d} holds"

    @rule(target=ids)
    def add(self) -> str:
        text = self._text()
        id_ = str(self.memory.add(text).memory_id)
        self.live[id_] = text
        return id_

    @rule(id_=ids)
    def edit(self, id_: str) -> None:
        if id_ in self.live:
            self.live[id_] = self._text()
            self.memory.edit(id_, content=self.live[id_])

    @rule(id_=ids)
    def delete(self, id_: str) -> None:
        if id_ in self.live:
            self.memory.delete(id_)
            self.away[id_] = self.live.pop(id_)

    @rule(id_=ids)
    def restore(self, id_: str) -> None:
        if id_ in self.away:
            self.memory.restore(id_)
            self.live[id_] = self.away.pop(id_)

    @rule(id_=ids)
    def forget(self, id_: str) -> None:
        if id_ in self.live:
            self.memory.forget(id_)
            del self.live[id_]

    @rule(again=st.booleans())
    def reopen(self, again: bool) -> None:
        if again:
            self.memory.close()
            self.memory = hindbrain.open(f"{self.folder}/hindbrain.db", project="p")

    @invariant()
    def it_is_what_a_dictionary_holds(self) -> None:
        assert {one.id: one.content for one in self.memory.list(limit=0)} == self.live

    def teardown(self) -> None:
        assert not self.memory.store.damage()
        self.memory.close()
        shutil.rmtree(self.folder)


Kept.TestCase.settings = settings(max_examples=figure(4, 1_000), stateful_step_count=15, deadline=None)


class TestAnySequence(Kept.TestCase):
    """Runs as `test_any_sequence…` below; hypothesis wants a class of unittest."""

    # R20
    def test_any_sequence_of_verbs_leaves_what_a_dictionary_would_hold(self) -> None:
        self.runTest()
