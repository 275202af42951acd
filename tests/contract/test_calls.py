"""What every store promises about calls of models."""

from datetime import timedelta

from building import NOW

from hindbrain.core.model.call import Call
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Store


def a_call(key: str, **given: object) -> Call:
    fields: dict[str, object] = {"at": NOW, "use": "suggest", "provider": "openai", "model": "small"}
    return Call(id=key, **(fields | given))  # type: ignore[arg-type]


def test_a_call_comes_back_as_it_was_noted(store: Store) -> None:
    call = a_call(
        "call-1",
        outcome="answered",
        tokens_in=12,
        tokens_out=3,
        cost=0.25,
        duration_s=1.5,
        tries=2,
        prompt="suggest",
        prompt_version=3,
    )
    store.write(lambda tx: tx.apply(Changes(calls=(call,))))
    assert list(store.calls()) == [call]


def test_a_call_that_ends_is_the_same_call(store: Store) -> None:
    begun = a_call("call-1", cost=5.0)
    store.write(lambda tx: tx.apply(Changes(calls=(begun, a_call("call-2")))))
    ended = replace(begun, outcome="failed", cost=0.0)
    store.write(lambda tx: tx.apply(Changes(calls=(ended,))))
    assert list(store.calls()) == [ended, a_call("call-2")]


def test_calls_since_a_moment_are_told_oldest_first(store: Store) -> None:
    late, early = a_call("call-a", at=NOW + timedelta(hours=1)), a_call("call-b")
    store.write(lambda tx: tx.apply(Changes(calls=(late, early))))
    assert [call.id for call in store.calls()] == ["call-b", "call-a"]
    assert [call.id for call in store.calls(since=NOW)] == ["call-b", "call-a"]
    assert [call.id for call in store.calls(since=NOW + timedelta(milliseconds=1))] == ["call-a"]


def test_what_is_noted_in_a_transaction_is_counted_in_it(store: Store) -> None:
    """The budget is held to by this."""

    def work(tx: Store) -> int:
        tx.apply(Changes(calls=(a_call("call-1"),)))  # type: ignore[attr-defined]
        return len(tx.calls())

    assert store.write(work) == 1  # type: ignore[arg-type]
