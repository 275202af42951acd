"""Laws of what a record of helping may do, whatever the record is."""

from datetime import timedelta

from building import NOW, a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core import worth
from hindbrain.core.lift import efforts, shares, wilson
from hindbrain.core.model import Injection, Memory, Score, Shown
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.outcome import Effect, Freshness, Standing
from hindbrain.core.outcomes import judged
from hindbrain.core.recall import Ask, Candidate, rank
from hindbrain.core.recall.strategies.unified import CLAMP
from hindbrain.core.trial import Trial, calls_to_green, recurrence
from hindbrain.core.value import replace

COUNTS = st.integers(0, 100_000)
STANDINGS = st.builds(Standing, helped=COUNTS, hurt=COUNTS, unknown=COUNTS, freshness=st.sampled_from(list(Freshness)))


@given(STANDINGS)
def test_an_estimate_lies_between_never_and_always_and_rises_with_help_alone(standing: Standing) -> None:
    now = worth.estimate(standing)
    assert 0 < now < 1
    assert worth.estimate(replace(standing, helped=standing.helped + 1)) > now
    assert worth.estimate(replace(standing, hurt=standing.hurt + 1)) < now
    more = worth.estimate(replace(standing, unknown=standing.unknown + 1))
    assert abs(more - 0.5) <= abs(now - 0.5), "what is unknown never makes more certain"


@given(STANDINGS, st.floats(0, 3))
def test_a_record_moves_a_score_by_little_and_lifts_it_by_a_tenth_at_most(standing: Standing, score: float) -> None:
    nudge = worth.nudge(standing, score=score)
    assert -worth.MOST <= nudge <= min(worth.MOST, 0.1 * score + 1e-12)


@given(STANDINGS, st.floats(0, 1), st.integers(0, 10), st.integers(1, 4), st.booleans())
def test_in_the_ranking_a_record_stays_within_its_bounds(
    standing: Standing, confidence: float, importance: int, trust: int, has_question: bool
) -> None:
    memory = a_memory("The lock expires", confidence=confidence, importance=importance, trust=trust)
    ask = Ask(text="lock" if has_question else "", strategy="unified")
    bare, judged_ = (_score(memory, ask, standing=known) for known in (None, standing))
    assert judged_ - bare <= 0.1 * max(bare, 0.0) + 1e-9
    assert bare - judged_ <= 2 * CLAMP + 1e-9


def _score(memory: Memory, ask: Ask, *, standing: Standing | None) -> float:
    candidate = Candidate(memory=memory, words=2.0, share=0.7, standing=standing)
    (found,) = rank([candidate], ask, now=NOW).items
    return found.score.total


@given(st.sampled_from(["dex", "loki", "doc05", "recent"]), STANDINGS)
def test_the_strategies_of_other_systems_know_of_no_record(strategy: str, standing: Standing) -> None:
    memory = a_memory("The lock expires", tags=("lock",), confidence=0.9)
    ask = Ask(text="lock", strategy=strategy)
    assert _score(memory, ask, standing=standing) == _score(memory, ask, standing=None)


TEXTS = st.text(alphabet="ab `.\n\\", max_size=40) | st.sampled_from(
    ["mem-0aaaaaaaa1 is wrong", "`make x y` passed", "never `make x y`", "src/a.py"]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(list(Deed)),
        TEXTS,
        st.sampled_from(list(Result)),
        st.sampled_from(["", "boom"]),
        st.sampled_from(["", "sub"]),
    ),
    max_size=12,
)


def session(steps: list[tuple[Deed, str, Result, str, str]]) -> list[Activity]:
    return [
        Activity(
            id=f"act-{number}",
            at=NOW + timedelta(seconds=number - 3),
            project="prj-one",
            session="s",
            deed=deed,
            subject=text,
            detail=text,
            result=result,
            signature=signature,
            agent=agent,
        )
        for number, (deed, text, result, signature, agent) in enumerate(steps)
    ]


MEMORIES = st.builds(
    lambda text, signature: a_memory(text, id="mem-0aaaaaaaa1", error_signature=signature, file_refs=("src/a.py",)),
    TEXTS,
    st.sampled_from([None, "boom"]),
)
MOMENTS = st.sampled_from(["asked", "session", "prompt", "file", "failure", "sibling"])


def told(memory: Memory, *, moment: str, is_withheld: bool) -> Injection:
    return Injection(
        id="inj-1",
        at=NOW,
        project="prj-one",
        format="default",
        strategy="unified",
        shown=(Shown(memory_id=memory.id, version=1, score=Score(())),),
        left_out=0,
        tokens=1,
        session="s",
        moment=moment,
        is_withheld=is_withheld,
    )


@given(MEMORIES, STEPS, MOMENTS, st.booleans())
def test_every_session_gives_each_memory_just_one_judgement_from_its_own_agent_after_it_was_told(
    memory: Memory, steps: list[tuple[Deed, str, Result, str, str]], moment: str, is_withheld: bool
) -> None:
    injection = told(memory, moment=moment, is_withheld=is_withheld)
    activities = session(steps)
    (found,) = judged(injection, {memory.id: memory}, activities=activities)
    assert found == judged(injection, {memory.id: memory}, activities=activities)[0]
    assert found == judged(injection, {memory.id: memory}, activities=[one for one in activities if not one.agent])[0]
    if is_withheld:
        assert found.effect is Effect.UNKNOWN
    before = [one for one in activities if one.at <= NOW]
    assert judged(injection, {memory.id: memory}, activities=before)[0].how == "unseen"


@given(MEMORIES, STEPS, MOMENTS)
def test_what_is_compared_does_not_depend_on_the_side(
    memory: Memory, steps: list[tuple[Deed, str, Result, str, str]], moment: str
) -> None:
    activities = session(steps)
    sides = [told(memory, moment=moment, is_withheld=side) for side in (False, True)]
    back = [recurrence([one], {memory.id: memory}, activities=activities) for one in sides]
    calls = [calls_to_green([one], activities) for one in sides]
    for shown, held in (back, calls):
        assert (shown is None) == (held is None)
        if shown and held:
            assert replace(shown, is_withheld=True) == held


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_of_a_share_holds_it_and_stays_a_share(count: int, more: int) -> None:
    low, high = wilson(count, count + more)
    assert 0 <= low <= high <= 1
    if count + more:
        assert low - 1e-12 <= count / (count + more) <= high + 1e-12


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=40))
def test_any_sessions_can_be_compared(made: list[tuple[bool, int]]) -> None:
    trials = [Trial(session=str(n), is_withheld=side, value=float(value)) for n, (side, value) in enumerate(made)]
    for found in (shares(trials), efforts(trials)):
        assert found.with_memory.sessions + found.without.sessions == len(trials)
        if found.change is not None:
            assert found.change.low <= found.change.value <= found.change.high
            assert (found.missing == 0) == found.change.is_clear
