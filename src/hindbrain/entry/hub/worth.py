"""What memory is worth, as it is told: which figures stand on the page, and over which spans of time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hindbrain.app.models import Costs
from hindbrain.core.lift import Comparison
from hindbrain.core.model import State, Verdict
from hindbrain.core.model.outcome import Effect, Freshness, Outcome
from hindbrain.core.value import dataclass
from hindbrain.entry.hub.plot import Bar, Range, amounts, bars, ranges
from hindbrain.entry.hub.turn import Page, Turn
from hindbrain.facade import Hindbrain

_SPANS = {"7": "a week", "30": "30 days", "90": "90 days", "": "ever"}
_MOST_BARS = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    name: str
    count: int
    of: int
    meaning: str

    @property
    def share(self) -> float | None:
        return self.count / self.of if self.of else None


def worth(turn: Turn) -> Page:
    hindbrain = turn.hindbrain()
    days = turn.said.get("days", "") if turn.said.get("days", "") in _SPANS else ""
    since = datetime.now(UTC) - timedelta(days=int(days)) if days else None
    found = hindbrain.worth(since=since)
    counted = _counted(hindbrain.outcomes(), since=since)
    costs = hindbrain.model_costs(since=since)
    about = {
        "worth": found,
        "bars": bars(counted, title="Memories that helped and hurt over time") if counted else "",
        "counted": counted,
        "recurrence": _compared(found.recurrence, title="Share of sessions in which a known failure came back"),
        "calls": _compared(found.calls, title="Calls until what failed passed", is_share=False),
        "costs": costs,
        "cost_plot": _dear(costs),
        "rates": _rates(hindbrain),
        "days": days,
        "spans": _SPANS,
    }
    return Page(template="worth.html", about=about)


def _counted(outcomes: Sequence[Outcome], *, since: datetime | None) -> list[Bar]:
    """By day; by week where there would be too many days."""
    told = [one for one in outcomes if not one.is_withheld and (since is None or one.at >= since)]
    if not told:
        return []
    first, last = min(one.at for one in told), max(one.at for one in told)
    step = max(1, -(-((last - first).days + 1) // _MOST_BARS))  # days of a bar
    step = 7 * -(-step // 7) if step > 1 else 1
    rows = [[0, 0] for _ in range((last - first).days // step + 1)]
    for one in told:
        at = min((one.at - first).days // step, len(rows) - 1)
        rows[at][0] += one.effect is Effect.HELPED
        rows[at][1] += one.effect is Effect.HURT
    names = [(first + timedelta(days=step * n)).strftime("%m-%d") for n in range(len(rows))]
    return [Bar(name=name, up=up, down=down) for name, (up, down) in zip(names, rows, strict=True)]


def _compared(found: Comparison, *, title: str, is_share: bool = True) -> object:
    sides = [("with memory", found.with_memory), ("held out", found.without)]
    rows = [Range(name=name, value=side.value, low=side.low, high=side.high) for name, side in sides]
    return {"plot": ranges(rows, title=title, is_share=is_share), "of": found, "is_share": is_share, "title": title}


def _dear(costs: Costs) -> object:
    by_use: dict[str, float] = {}
    for line in costs.lines:
        by_use[line.use] = by_use.get(line.use, 0.0) + line.cost
    return amounts(list(by_use.items()), title="Cost of models by use", unit="") if by_use else ""


def _rates(hindbrain: Hindbrain) -> list[Rate]:
    memories = hindbrain.list(with_all=True)
    own = [one for one in memories if hindbrain.project and one.project == hindbrain.project.id]
    live = [one.id for one in own if one.state is State.LIVE]
    stands = hindbrain.store.standings(live)
    doubtful = sum(one.freshness in (Freshness.SUSPECT, Freshness.GONE) for one in stands.values())
    tied = sum(one.freshness is not Freshness.UNTIED for one in stands.values())
    receipts = hindbrain.stats().receipts
    junk = sum(one.state is State.ARCHIVED for one in own)
    return [
        Rate(name="Junk", count=junk, of=len(own), meaning="of all memories: deleted, refused, or faded unused"),
        Rate(
            name="Rejected",
            count=receipts.get(Verdict.REJECTED, 0),
            of=sum(receipts.values()),
            meaning="of all captured lines: turned away at the door",
        ),
        Rate(name="Suspect", count=doubtful, of=tied, meaning="of memories tied to code: the code has changed since"),
        Rate(
            name="Quarantined",
            count=sum(one.state is State.QUARANTINED for one in own),
            of=len(own),
            meaning="of all memories: kept from agents until a person looks",
        ),
    ]
