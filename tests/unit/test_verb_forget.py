from pathlib import Path

import pytest
from building import NOW, FakeClock, a_memory, keep
from reading import everything

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.edit import edit
from hindbrain.app.forget import Forgotten, forget
from hindbrain.core.model import Receipt, Verdict
from hindbrain.errors import NotErased, UnknownMemory
from hindbrain.ports import Changes, Erasure, Store

ID = "mem-aaaabbbb"
TEXT = "The staging password rotates on the Zanzibar schedule"


def test_a_forgotten_memory_is_gone_with_its_history(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(TEXT, id=ID), a_memory("Something else altogether", id="mem-other"))
    edit(ID, {"content": TEXT + ", mostly"}, store=store, clock=clock)

    gone = forget(ID, store=store, clock=clock)

    assert gone == Forgotten(memory_id=ID, rows=gone.rows, backups=())
    assert gone.rows >= 1
    assert store.memory(ID) is None
    assert "Zanzibar" not in repr(everything(store))
    assert store.memory("mem-other") is not None


def test_the_receipt_stays_without_its_text(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(TEXT, id=ID))
    receipt = Receipt(
        id="rcp-1",
        key="k",
        at=NOW,
        project="prj-one",
        verdict=Verdict.STORED,
        text=TEXT,
        reason="new",
        memory_id=ID,
    )
    store.write(lambda tx: tx.apply(Changes(receipts=(receipt,))))

    forget(ID, store=store, clock=clock)

    known = store.receipts_for("k")
    assert known is not None and "Zanzibar" not in known.text


@pytest.mark.parametrize("given", ["mem-nowhere1", ID[:9], ""])
def test_only_a_whole_and_known_id_is_erased(store: Store, clock: FakeClock, given: str) -> None:
    keep(store, a_memory(TEXT, id=ID))
    before = everything(store)

    with pytest.raises(UnknownMemory) as raised:
        forget(given, store=store, clock=clock)
    assert "whole id" in raised.value.fix
    assert everything(store) == before


def test_who_else_holds_the_text_is_named(sqlite_store: SqliteStore, clock: FakeClock) -> None:
    first, second = sqlite_store, clock
    for name in ("one", "two"):
        first.adopt([f"name:{name}"], name=name, project_id=f"prj-{name}", at=NOW)
    keep(
        first,
        a_memory(TEXT, id=ID),
        a_memory(f"As was said: {TEXT}, and so on", id="mem-here"),
        a_memory(f"Somewhere else too: {TEXT}", id="mem-there", project="prj-two"),
        a_memory("Nothing of the kind", id="mem-innocent"),
    )

    with pytest.raises(NotErased) as raised:
        forget(ID, store=first, clock=second)

    assert "mem-here, mem-there" in raised.value.fix
    assert "mem-innocent" not in raised.value.fix
    assert first.memory(ID) is None, "erased it is, only the proof is missing"


def test_a_long_text_that_others_hold_is_no_hindrance_to_naming_them(sqlite_store: SqliteStore) -> None:
    sqlite_store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    text = "Zanzibar 100%_true \\ " + "🎉" * 15_000  # longer than a pattern of the engine may be
    begins_alike = a_memory("Zanzibar 100%_true \\ " + "🎉" * 500 + " and then no more", title="-", id="mem-alike")
    keep(sqlite_store, a_memory(text, title="-", id=ID), a_memory(f"{text}.", title="-", id="mem-here"), begins_alike)

    with pytest.raises(NotErased) as raised:
        forget(ID, store=sqlite_store, clock=FakeClock())
    assert raised.value.fix.endswith(": mem-here")


class Haunted(DictStore):
    """A store whose files keep a text that no memory holds."""

    def erase(self, memory_id: str, *, at: object) -> Erasure:
        super().erase(memory_id, at=NOW)
        return Erasure(rows=1, backups=(), found_in=("hindbrain.db",))


def test_a_text_that_only_a_file_holds_is_told_with_the_file(clock: FakeClock) -> None:
    store = Haunted()
    store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    keep(store, a_memory(TEXT, id=ID))

    with pytest.raises(NotErased, match=r"still stands in hindbrain\.db") as raised:
        forget(ID, store=store, clock=clock)
    assert "`hindbrain search`" in raised.value.fix


# S4
def test_the_raw_files_do_not_hold_the_text_any_more(db_path: Path, clock: FakeClock) -> None:
    store = SqliteStore(db_path)
    store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    keep(store, a_memory(TEXT, id=ID))
    forget(ID, store=store, clock=clock)
    store.close()

    held = [path.name for path in db_path.parent.iterdir() if path.is_file() and b"Zanzibar" in path.read_bytes()]
    assert held == []
