"""What every store promises about the service's callers and the answers that they got."""

from datetime import timedelta

from building import NOW, a_memory

from hindbrain.core.model.token import KEPT, Reply, Right, Token
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Store

TOKEN = Token(name="ci", digest="d1", rights=(Right.READ, Right.WRITE), created_at=NOW, project="prj-one")
REPLY = Reply(key="k1", request="r1", at=NOW, status=201, headers={"etag": '"1"'}, body='{"id": "mem-1"}')


def test_a_token_comes_back_as_it_was_kept_and_its_name_stands_for_the_last_one(store: Store) -> None:
    store.write(lambda tx: tx.apply(Changes(tokens=(TOKEN, replace(TOKEN, name="a", digest="d0")))))
    assert [one.name for one in store.tokens()] == ["a", "ci"] and store.tokens()[1] == TOKEN
    gone = replace(TOKEN, revoked_at=NOW)
    store.write(lambda tx: tx.apply(Changes(tokens=(gone,))))
    assert store.tokens()[1] == gone


def test_a_reply_comes_back_until_it_is_out_of_date(store: Store) -> None:
    store.write(lambda tx: tx.apply(Changes(replies=(REPLY,))))
    assert store.reply("k1") == REPLY and store.reply("k2") is None
    store.write(lambda tx: tx.apply(Changes(replies=(replace(REPLY, key="k2", at=NOW + KEPT),))))
    assert store.reply("k1") == REPLY
    later = replace(REPLY, key="k3", at=NOW + KEPT + timedelta(milliseconds=1))
    store.write(lambda tx: tx.apply(Changes(replies=(later,))))
    assert store.reply("k1") is None and store.reply("k2") and store.reply("k3") == later


def test_a_reply_that_holds_a_forgotten_text_is_forgotten_with_it(store: Store) -> None:
    memory = a_memory(content="The key of the vault lies under the mat")
    held = replace(REPLY, body='{"content": "The key of the vault lies under the mat"}')
    store.write(lambda tx: tx.apply(Changes(memories=(memory,), replies=(held, replace(REPLY, key="k2")))))
    erasure = store.erase(memory.id, at=NOW)
    assert erasure.found_in == () and store.reply("k1") is None and store.reply("k2") is not None
