"""What models may cost in a day, and how that is held to: the money is set aside before a call, in one transaction.

So many processes together never spend more than the settings allow, and a call whose process was killed is on record
with the most that it may have cost.
"""

from datetime import datetime, timedelta

from hindbrain.core.model.call import Call
from hindbrain.errors import BudgetSpent
from hindbrain.ports import Changes, Store, Transaction


class Ledger:
    """The calls in a store; 0 means that there is no limit."""

    def __init__(self, store: Store, *, most_cost: float, most_calls: int) -> None:
        self._store = store
        self._most_cost = most_cost
        self._most_calls = most_calls

    def open(self, call: Call) -> None:
        """Note that `call` begins, with the most that it may cost; BudgetSpent when that is too much."""

        def work(tx: Transaction) -> None:
            self._refuse_more(call, tx)
            tx.apply(Changes(calls=(call,)))

        self._store.write(work)

    def close(self, call: Call) -> None:
        """Note how a call ended."""
        self._store.write(lambda tx: tx.apply(Changes(calls=(call,))))

    def _refuse_more(self, call: Call, tx: Transaction) -> None:
        if not self._most_cost and not self._most_calls:
            return
        begin = _day(call.at)
        today = tx.calls(since=begin)
        spent = sum(one.cost for one in today)
        if self._most_calls and len(today) >= self._most_calls:
            raise _spent(f"{len(today)} calls of models today, and {self._most_calls} are allowed", begin)
        if self._most_cost and spent + call.cost > self._most_cost:
            most = f"{self._most_cost:g} is allowed"
            raise _spent(f"models cost {spent:.4f} today, this call may cost {call.cost:.4f} more, and {most}", begin)


def _day(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _spent(what: str, begin: datetime) -> BudgetSpent:
    again = begin + timedelta(days=1)
    return BudgetSpent(
        what,
        fix=f"wait until {again:%Y-%m-%d %H:%M} UTC, or raise ai_daily_budget or ai_daily_calls in config.toml",
    )
