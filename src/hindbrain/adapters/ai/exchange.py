"""How one call of a model is made, whoever it is: key, money set aside, sent, tried again, read, on record.

What goes into an error has passed the door, and holds no key whatever a server may echo.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from hindbrain.adapters.ai import keys
from hindbrain.adapters.ai.http import Request, Response, Unreached, post
from hindbrain.adapters.ai.ledger import Ledger
from hindbrain.adapters.ai.patience import RETRIES, Timing, persist
from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers import KINDS, NONE
from hindbrain.adapters.ai.providers.speech import Ask, Outgoing, Points, Reply
from hindbrain.adapters.prompts import Order
from hindbrain.core.door import admit
from hindbrain.core.model.call import ANSWERED, FAILED, Call
from hindbrain.core.value import replace
from hindbrain.errors import ModelFailed
from hindbrain.ports import Chance, Clock

_LETTERS = 4  # of a token, about; where the provider does not tell how many there were
_FEWEST_LETTERS = 2  # what a call may cost is not to be guessed too low
_TOLD = 300  # characters of what a server complains about
_NOT_AN_ANSWER = (ValueError, LookupError, TypeError, AttributeError, RecursionError)

T = TypeVar("T")


class Line:
    """What every call goes through."""

    def __init__(
        self, home: str, *, ledger: Ledger, clock: Clock, chance: Chance, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.home, self.ledger, self._clock, self._chance = home, ledger, clock, chance
        self._timing = Timing(sleep=sleep, now=clock.now, random=lambda: int(chance.fence()[:8], 16) / 2**32)

    def complete(self, plan: Plan, ask: Ask, *, order: Order) -> tuple[Reply, Call]:
        """What the model says, on record. ModelFailed, KeyMissing or BudgetSpent when it says nothing."""
        length = sum(map(len, (ask.order, ask.material, *(text for _, text in ask.turns))))
        work = self._by_agent(plan, ask) if plan.provider == "agent" else self._by_http(plan, ask)
        call = replace(
            self._call(plan, length=length, most_out=plan.max_tokens), prompt=order.name, prompt_version=order.version
        )

        def used(reply: Reply) -> tuple[int, int, float]:
            told_in = length // _LETTERS if reply.tokens_in is None else reply.tokens_in
            told_out = len(reply.text) // _LETTERS if reply.tokens_out is None else reply.tokens_out
            return told_in, told_out, plan.cost(told_in, told_out) if reply.cost is None else reply.cost

        return self._carried(call, work, used=used)

    def embed(self, plan: Plan, texts: list[str], *, retries: int = RETRIES) -> Points:
        """A vector for each of `texts`, on record. The same errors."""
        provider, key, length = KINDS[plan.provider].load(), self._key(plan), sum(map(len, texts))
        outgoing = provider.embedded(texts, plan, key=key)

        def read(data: Any) -> Points:
            points = provider.points(data)
            if [len(vector) for vector in points.vectors] != [plan.dimension] * len(texts):
                raise ValueError(f"not {len(texts)} vectors of {plan.dimension} numbers")
            return points

        def used(points: Points) -> tuple[int, int, float]:
            told = length // _LETTERS if points.tokens_in is None else points.tokens_in
            return told, 0, plan.cost(told, 0)

        call = self._call(plan, length=length, most_out=0)
        points, _ = self._carried(
            call, lambda: self._sent(plan, outgoing, read=read, key=key, retries=retries), used=used
        )
        return points

    def _by_agent(self, plan: Plan, ask: Ask) -> Callable[[], _Got[Reply]]:
        from hindbrain.adapters.ai import agent

        def work() -> _Got[Reply]:
            try:
                return _Got(1, value=agent.run(ask, plan))
            except Unreached as error:
                return _Got(1, trouble=admit(str(error)).text)

        return work

    def _by_http(self, plan: Plan, ask: Ask) -> Callable[[], _Got[Reply]]:
        provider, key = KINDS[plan.provider].load(), self._key(plan)
        outgoing = provider.asked(ask, plan, key=key)
        return lambda: self._sent(plan, outgoing, read=provider.replied, key=key)

    def _key(self, plan: Plan) -> str:
        return "" if plan.key in ("", NONE) else keys.find(plan.key, self.home)

    def _call(self, plan: Plan, *, length: int, most_out: int) -> Call:
        at = self._clock.now()
        return Call(
            id=self._chance.id("call", at),
            at=at,
            use=plan.use,
            provider=plan.provider,
            model=plan.model or plan.agent,
            cost=plan.cost(length // _FEWEST_LETTERS, most_out),
        )

    def _carried(
        self, call: Call, work: Callable[[], _Got[T]], *, used: Callable[[T], tuple[int, int, float]]
    ) -> tuple[T, Call]:
        self.ledger.open(call)
        begun = time.monotonic()
        got = work()
        call = replace(call, tries=got.tries, duration_s=round(time.monotonic() - begun, 3))
        if got.value is None:
            self.ledger.close(replace(call, outcome=FAILED, cost=0.0))
            raise ModelFailed(f"{call.provider} {call.model} for {call.use}: {got.trouble}", fix=got.fix or _fix(call))
        tokens_in, tokens_out, cost = used(got.value)
        call = replace(call, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost, outcome=ANSWERED)
        self.ledger.close(call)
        return got.value, call

    def _sent(
        self, plan: Plan, outgoing: Outgoing, *, read: Callable[[Any], T], key: str, retries: int = RETRIES
    ) -> _Got[T]:
        request = Request(
            url=plan.base_url + outgoing.path,
            body=json.dumps(outgoing.body).encode(),
            headers=outgoing.headers,
            timeout_s=plan.timeout_s,
            is_private_allowed=plan.base_url != KINDS[plan.provider].base_url,
            proxy=plan.proxy,
        )
        outcome = persist(lambda: post(request), timing=self._timing, retries=retries)
        if outcome.response is None:
            return _Got(outcome.tries, trouble=outcome.trouble, fix=outcome.fix)
        if outcome.response.status != 200:
            return _Got(outcome.tries, trouble=_complaint(outcome.response, key))
        try:
            return _Got(outcome.tries, value=read(json.loads(outcome.response.body)))
        except _NOT_AN_ANSWER as error:
            return _Got(outcome.tries, trouble=_clean(f"it answered in a form that is not known: {error}", key))


class _Got(Generic[T]):
    """What came of a call: a value, or the reason why there is none."""

    def __init__(self, tries: int, *, value: T | None = None, trouble: str = "", fix: str = "") -> None:
        self.tries, self.value, self.trouble, self.fix = tries, value, trouble, fix


def _complaint(response: Response, key: str) -> str:
    told = " ".join(response.body[: 10 * _TOLD].decode("utf-8", "replace").split())
    again = response.headers.get("retry-after", "")
    wait = f", and to wait {again[:40]}s" if again.isdecimal() else ""
    return _clean(f"it answered {response.status}{wait}: {told}", key)


def _clean(text: str, key: str) -> str:
    return admit(text.replace(key, "[secret:key]") if key else text).text[:_TOLD]


def _fix(call: Call) -> str:
    return (
        f"check {call.use} in routing.yaml with `hindbrain ai test {call.use}`; until then it goes by rules and words"
    )
