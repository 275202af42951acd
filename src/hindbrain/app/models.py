"""What a person is told about models: what they were asked and cost, and what is wrong with how they are chosen."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hindbrain.app.doctor import Finding
from hindbrain.core.model.call import Call
from hindbrain.core.value import dataclass
from hindbrain.ports import Model, Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one use with one model."""

    use: str
    provider: str
    model: str
    calls: int
    failed: int  # of these: no answer, or none that could be used
    tokens_in: int
    tokens_out: int
    cost: float
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    lines: tuple[Cost, ...]  # the dearest first
    calls: int
    cost: float
    today: float  # of the cost
    budget: float  # a day's; 0: no limit


def costs(reader: Reader, *, since: datetime | None, now: datetime, budget: float) -> Costs:
    """What was asked of models since that moment, by use and model."""
    by_line: dict[tuple[str, str, str], list[Call]] = {}
    calls = reader.calls(since=since)
    for call in calls:
        by_line.setdefault((call.use, call.provider, call.model), []).append(call)
    lines = sorted((_cost(found) for found in by_line.values()), key=lambda one: (-one.cost, -one.calls, one.use))
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Costs(
        lines=tuple(lines),
        calls=len(calls),
        cost=sum(call.cost for call in calls),
        today=sum(call.cost for call in reader.calls(since=begin)),
        budget=budget,
    )


def _cost(calls: Sequence[Call]) -> Cost:
    first = calls[0]
    return Cost(
        use=first.use,
        provider=first.provider,
        model=first.model,
        calls=len(calls),
        failed=sum(call.outcome in ("failed", "misfit") for call in calls),
        tokens_in=sum(call.tokens_in for call in calls),
        tokens_out=sum(call.tokens_out for call in calls),
        cost=sum(call.cost for call in calls),
        duration_s=round(sum(call.duration_s for call in calls), 3),
    )


def findings(model: Model | None) -> Iterator[Finding]:
    """For `doctor`: nothing while no model is named anywhere."""
    if model is None:
        return
    for warning in model.warnings():
        yield Finding(name="routing", is_ok=False, what=warning, fix="correct routing.yaml; `hindbrain ai` shows it")
    for route in model.routes():
        if not route.has_key:
            what = f"{route.use} goes to {route.provider}, and {route.key} is not set"
            yield Finding(name="routing", is_ok=False, what=what, fix=f"set {route.key}, or write keys/{route.key}")
        for doubt in route.warnings:
            yield Finding(name="routing", is_ok=True, what=doubt, fix="use https, if the server can")
