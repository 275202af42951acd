"""Laws of telling: nothing twice to one agent, never more than a turn may cost, and what is held out never speaks."""

import tempfile
from collections.abc import Sequence
from datetime import timedelta

from building import NOW, FakeChance, FakeClock, a_memory, a_project, keep
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.moment import MAX_CHARACTERS, told
from hindbrain.app.tools import Tools
from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.model.activity import Activity, Deed
from hindbrain.core.value import replace
from hindbrain.ports import Changes
from hindbrain.settings import Settings

TOPICS = ("redis cache", "price in cents", "lock expires", "queue of jobs")
WORDS = [
    ("pitfall", "{topic} lesson {n} of src/f{file}.py and what follows from it in the end"),
    ("learned", "{topic} lesson {n}: " + "more and more of it " * 20),
]


@st.composite
def steps(draw: st.DrawFn) -> dict[str, object]:
    """One thing that happens in a session of several agents."""
    agent = draw(st.sampled_from(["", "", "a1"]))
    kind = draw(st.sampled_from(["prompt", "file", "failure", "start", "compact", "change"]))
    return {"kind": kind, "agent": agent, "topic": draw(st.sampled_from(TOPICS)), "number": draw(st.integers(0, 5))}


def a_shop(budget: int, holdout: float) -> tuple[Tools, FakeClock]:
    store, clock = DictStore(), FakeClock()
    a_project(store)
    for n in range(24):
        kind, text = WORDS[n % len(WORDS)]
        content = text.format(topic=TOPICS[n % len(TOPICS)], n=n, file=n % 6)
        keep(store, a_memory(content, id=f"mem-{n:02}", type=kind, at=NOW - timedelta(days=1)))
    home = tempfile.gettempdir()
    chosen = Settings(home=home, store="", turn_budget=budget, holdout=holdout)
    return Tools(store=store, clock=clock, chance=FakeChance(), files=LocalFiles(), settings=chosen), clock


def happen(step: dict[str, object], tools: Tools, clock: FakeClock) -> str:
    """What is said; the activity line is drained at once."""
    at, topic, agent = clock.forward(seconds=1), str(step["topic"]), str(step["agent"])
    notice = Notice(client="claude", happening=Happening.PROMPT, session="s1", at=at, prompt=topic)
    deed = None
    match step["kind"]:
        case "prompt":
            deed = Activity(id=f"act-{at}", at=at, project="prj-one", session="s1", deed=Deed.PROMPT)
        case "file":
            path = (f"src/f{step['number']}.py",)
            notice = replace(notice, happening=Happening.BEFORE_TOOL, is_edit=True, paths=path, agent=agent)
        case "failure":
            output = f"ValueError: {topic} lesson"
            notice = replace(notice, happening=Happening.AFTER_TOOL, is_failure=True, output=output, agent=agent)
        case "start":
            notice = replace(notice, happening=Happening.SESSION_START, source="resume")
        case "compact":
            notice = replace(notice, happening=Happening.SESSION_START, source="compact")
            deed = Activity(id=f"act-{at}", at=at, project="prj-one", session="s1", deed=Deed.COMPACTION)
        case "change":
            known = tools.store.memory(f"mem-{step['number']:02}")
            assert known
            keep(tools.store, replace(known, version=known.version + 1, confidence=0.6))
            return ""
    text = told(notice, project="prj-one", root="/srv/shop", tools=tools).context
    if deed:
        tools.store.write(lambda tx: tx.apply(Changes(activities=(deed,))))
    return text


@settings(max_examples=60)
@given(st.lists(steps(), min_size=5, max_size=30), st.sampled_from([0, 250, 500]), st.sampled_from([0.0, 0.3, 1.0]))
def test_ledger_budget_and_hold_out_hold_whatever_happens(
    happened: Sequence[dict[str, object]], budget: int, holdout: float
) -> None:
    tools, clock = a_shop(budget, holdout)
    sight: dict[str, set[tuple[str, int]]] = {}
    withheld: set[str] = set()
    spent: dict[str, int] = {}
    for step in happened:
        before = len(tools.store.told("prj-one"))
        text = happen(step, tools, clock)
        assert len(text) <= MAX_CHARACTERS
        if step["kind"] == "prompt":
            spent = {}
        if step["kind"] == "compact":
            sight[""] = set()
        for one in tools.store.told("prj-one")[before:]:
            shown = {(item.memory_id, item.version) for item in one.shown}
            assert not shown & sight.get(one.agent, set())
            assert not {key for key, _ in shown} & withheld
            if one.is_withheld:
                withheld |= {key for key, _ in shown}
                continue
            sight[one.agent] = sight.get(one.agent, set()) | shown
            assert all(f"[{key}]" in text for key, _ in shown)
            if one.moment != "session":
                spent[one.agent] = spent.get(one.agent, 0) + one.tokens
        assert all(tokens <= budget for tokens in spent.values())
        assert not any(f"[{key}]" in text for key in withheld)
