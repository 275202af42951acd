"""A model that fails now and then: what waited for it is done once, and costs no more than was allowed."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from building import FakeChance, FakeClock, a_memory, a_project
from provider import Handler, chat, disconnects, says, serving
from tier import a_seed, figure, reached

from hindbrain.adapters.ai.completing import RoutedModel
from hindbrain.adapters.ai.exchange import Line
from hindbrain.adapters.ai.ledger import Ledger
from hindbrain.adapters.ai.routing import Routing
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.jobs import run_due
from hindbrain.app.tools import Tools
from hindbrain.core.model.call import Completion, Prompt
from hindbrain.core.model.job import Job, JobState
from hindbrain.errors import BudgetSpent, ModelFailed
from hindbrain.ports import Changes, Where
from hindbrain.settings import Settings

FAILING = 0.3


def attempt(run: Callable[[], None]) -> str:
    try:
        run()
    except (ModelFailed, BudgetSpent) as error:
        return type(error).__name__
    return ""


def asked(job: Job, tools: Tools) -> Changes:
    """What a job that needs a model comes to: a memory in the model's words."""
    assert tools.model is not None
    found = tools.model.complete("importance", Prompt(name="importance", material=f"Step {job.key} failed"))
    assert isinstance(found, Completion)
    return Changes(memories=(a_memory(f"{found.text} {job.key}", id=f"mem-{job.key}"),))


@pytest.mark.parametrize("most_calls", [0, 40], ids=["without a limit", "with one"])
def test_a_model_that_fails_three_times_in_ten_loses_nothing_doubles_nothing_and_stays_within_its_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_calls: int
) -> None:  # R14
    seed = a_seed()
    chance = random.Random(seed)
    monkeypatch.setenv("SOME_KEY", "sk-test-4fJ9wQz81LmX0pRt77Vb")
    count = figure(40, 400)

    def flaky(handler: Handler) -> None:
        fails = chance.random() < FAILING
        act = chance.choice([disconnects, says({}, status=503), says({}, status=500)]) if fails else chat("Mind")
        act(handler)

    clock, drawn = FakeClock(), FakeChance()
    with serving(flaky) as server, SqliteStoreOf(tmp_path) as store:
        (tmp_path / "routing.yaml").write_text(
            f"importance:\n  provider: openai\n  model: small\n  base_url: {server.url}\n  key: SOME_KEY\n"
        )
        ledger = Ledger(store, most_cost=0.0, most_calls=most_calls)
        line = Line(str(tmp_path), ledger=ledger, clock=clock, chance=drawn, sleep=lambda _: None)
        tools = Tools(
            store=store,
            clock=clock,
            chance=drawn,
            files=LocalFiles(),
            settings=Settings(home=str(tmp_path), store=str(tmp_path / "hindbrain.db")),
            model=RoutedModel(Routing(str(tmp_path)), line=line, chance=drawn),
        )
        now = clock.now()
        jobs = tuple(
            Job(id=f"job-{n:03}", kind="ask", key=f"{n:03}", project="prj-one", payload={}, created_at=now, due_at=now)
            for n in range(count)
        )
        store.write(lambda tx: tx.apply(Changes(jobs=jobs)))
        for _ in range(8):
            run_due({"ask": asked}, tools=tools, attempt=attempt)
            clock.forward(minutes=2)

        ended = Counter(job.state for job in store.jobs())
        kept = [memory.id for memory in store.select(Where(project="prj-one"))]
        assert ended.total() == count and set(ended) <= {JobState.DONE, JobState.DEAD}
        assert sorted(kept) == [f"mem-{job.key}" for job in store.jobs() if job.state is JobState.DONE]
        assert ended[JobState.DONE] and (most_calls or not ended[JobState.DEAD])
        assert all(job.error for job in store.jobs(states=(JobState.DEAD,)))
        spent = sum(call.tries for call in store.calls())
        assert len(server.seen) <= 3 * (most_calls or 2 * count) and spent >= len(kept)
    told = f"{ended[JobState.DONE]} done, {ended[JobState.DEAD]} parked, none twice"
    reached("R14", f"{count} jobs, {len(server.seen)} requests, 3 in 10 failing: {told}", seed=seed)


class SqliteStoreOf:
    """A store with a project, closed at the end."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / "hindbrain.db")
        a_project(self._store)

    def __enter__(self) -> SqliteStore:
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()
