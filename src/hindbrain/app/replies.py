"""When a write that is sent again gets the answer of the first one, and when it is done anew."""

from datetime import UTC, datetime, timedelta

from hindbrain.app.tools import Tools
from hindbrain.core.model.token import Reply
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Transaction

_MAKING = timedelta(minutes=2)  # an answer that takes longer has died with its process
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def claim(key: str, request: str, *, tools: Tools) -> tuple[Reply, bool]:
    """The answer that there is, and whether there is one: if not, it is the caller's to make and to `settle`.

    Conflict while somebody else makes it, BadValue when the key came with another request before.
    """
    mine = Reply(key=key, request=request, at=tools.clock.now())

    def work(tx: Transaction) -> tuple[Reply, bool]:
        known = tx.reply(key)
        if known and known.status and known.request != request:
            raise BadValue("that key came with another request", fix="use a new Idempotency-Key for each request")
        if known and known.status:
            return known, True
        if known and mine.at - known.at < _MAKING:
            raise Conflict("the same request is being answered", fix="wait a moment, then send it again")
        tx.apply(Changes(replies=(mine,)))
        return mine, False

    return tools.store.write(work)


def settle(reply: Reply, *, tools: Tools) -> None:
    """Keep the answer; one without a status was none, and whoever asks again begins anew."""
    settled = reply if reply.status else replace(reply, at=_LONG_AGO)
    tools.store.write(lambda tx: tx.apply(Changes(replies=(settled,))))
