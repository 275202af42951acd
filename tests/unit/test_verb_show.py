import pytest
from building import FakeClock, a_memory, keep

from hindbrain.app.archive import delete
from hindbrain.app.show import history, show
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Store


def test_a_memory_is_shown_by_its_id_whatever_its_state(store: Store, clock: FakeClock) -> None:  # DX-166
    keep(store, a_memory(id="mem-aaaabbbb"))
    delete("mem-aaaabbbb", store=store, clock=clock)

    for given in ("mem-aaaabbbb", "mem-aaaa"):
        assert show(given, store=store).archive_reason == "deleted"


def test_eight_characters_of_an_id_are_enough_when_no_other_begins_so(store: Store) -> None:
    keep(store, a_memory("first", id="mem-aaaabbbb"), a_memory("second", id="mem-aaaacccc", project="prj-two"))

    assert show("mem-aaaab", store=store).content == "first"
    assert show("mem-aaaac", store=store).content == "second"
    assert [version.memory.content for version in history("mem-aaaac", store=store)] == ["second"]


def test_a_whole_id_is_never_taken_for_the_beginning_of_another(store: Store) -> None:
    keep(store, a_memory("short", id="mem-aaaa"), a_memory("long", id="mem-aaaabbbb"))

    assert show("mem-aaaa", store=store).content == "short"


@pytest.mark.parametrize("given", ["", "mem-", "mem-aaa", "mem-zzzzzzzz", "mem-aaaa%", "mem-aaaa_bbb", "MEM-AAAABBBB"])
def test_an_unknown_id_says_where_the_ids_are(store: Store, given: str) -> None:  # DX-166
    keep(store, a_memory(id="mem-aaaabbbb"))

    with pytest.raises(UnknownMemory) as raised:
        show(given, store=store)
    assert "`hindbrain list`" in raised.value.fix


def test_a_beginning_that_two_ids_share_names_none_of_them(store: Store) -> None:
    keep(store, a_memory("first", id="mem-aaaabbbb"), a_memory("second", id="mem-aaaacccc"))

    with pytest.raises(UnknownMemory, match="ids of several memories begin with mem-aaaa"):
        show("mem-aaaa", store=store)


def test_history_is_told_oldest_first(store: Store, clock: FakeClock) -> None:
    keep(store, a_memory(id="mem-aaaabbbb"))
    clock.forward(hours=1)
    delete("mem-aaaabbbb", store=store, clock=clock)

    told = history("mem-aaaabbbb", store=store)
    assert [version.change for version in told] == ["stored", "deleted"]
    assert told[0].until == told[1].since
    with pytest.raises(UnknownMemory):
        history("mem-zzzzzzzz", store=store)
