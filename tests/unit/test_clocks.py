"""A clock that is set back or forward in the middle of everything: nothing waits, doubles, or changes its order."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from building import FakeClock, tools_of
from database import give_back, take_url
from tier import a_seed, figure, reached

from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.add import Noted, add
from hindbrain.app.jobs import run_due
from hindbrain.app.recall import Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.value import replace
from hindbrain.ports import Changes, Store, Where

JUMPS = (timedelta(hours=-1), timedelta(days=1), timedelta(days=-1))


def _server(_: Path) -> Iterator[Store]:
    from hindbrain.adapters.postgres import PostgresStore

    url = take_url()
    store = PostgresStore(url)
    yield store
    store.close()
    give_back(url)


def _file(folder: Path) -> Iterator[Store]:
    store = SqliteStore(folder / "hindbrain.db")
    yield store
    store.close()


@pytest.fixture(params=[_file, _server], ids=["sqlite", "postgres"])
def tools(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Tools]:
    for store in request.param(tmp_path):
        store.adopt(["name:one"], name="one", project_id="prj-one", at=clock.now())
        yield replace(tools_of(tmp_path / "other"), store=store, clock=clock)


def attempt(run: Callable[[], None]) -> str:
    try:
        run()
    except ZeroDivisionError as error:
        return str(error)
    return ""


def test_jumps_of_the_clock_keep_no_job_waiting_and_do_none_twice_and_order_is_by_number(
    tools: Tools, clock: FakeClock
) -> None:  # R16
    seed = a_seed()
    chance = random.Random(seed)
    done: Counter[str] = Counter()

    def work(job: Job, tools: Tools) -> None:
        if chance.random() < 0.2 and not done[job.id]:
            raise ZeroDivisionError("it is broken")
        done[job.id] += 1

    added: list[str] = []
    rounds = figure(12, 120)
    for number in range(rounds):
        now = clock.now()
        job = Job(id=f"job-{number}", kind="work", key=str(number), project="", payload={}, created_at=now, due_at=now)
        tools.store.write(lambda tx, job=job: tx.apply(Changes(jobs=(job,))))
        receipt = add(Noted(content=f"Remark r{number:03d} of the day"), project="prj-one", tools=tools)
        added.append(str(receipt.memory_id))
        run_due({"work": work}, tools=tools, attempt=attempt)
        clock.at += chance.choice(JUMPS) if number % 3 == 2 else timedelta(seconds=5)
        assert all(
            item.memory.learned_at for item in recall(Question(text="remark"), project="prj-one", tools=tools).memories
        )
    for _ in range(6):
        run_due({"work": work}, tools=tools, attempt=attempt)
        clock.forward(seconds=61)

    assert {job.state for job in tools.store.jobs()} == {JobState.DONE}
    assert done == Counter({f"job-{number}": 1 for number in range(rounds)})
    stored = [event.memory_id for event in tools.store.events() if event.memory_id in set(added)]
    assert list(dict.fromkeys(stored)) == added, "the feed goes by number, whatever the clock said"
    assert [event.seq for event in tools.store.events()] == sorted(event.seq for event in tools.store.events())
    assert tools.store.count(Where(project="prj-one")) == rounds and not tools.store.damage()
    reached("R16", f"{rounds} rounds with jumps of -1 h, +1 day and -1 day: none stuck, none twice", seed=seed)
