"""Laws of stopping: nobody is held for ever, and only one who worked and said nothing is asked."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.enforce import MOST_HOLDS, Conduct, Ruling, Stance, conduct, ruling, stance
from hindbrain.core.holdout import is_held_out
from hindbrain.core.transcripts import FORMATS, read

CONDUCTS = st.builds(
    Conduct, has_worked=st.booleans(), has_edited=st.booleans(), has_taught=st.booleans(), declined=st.text(max_size=5)
)


@given(CONDUCTS, st.sampled_from(list(Stance)), st.integers(0, 20))
def test_nobody_is_held_more_often_than_allowed_nor_without_cause(seen: Conduct, attitude: Stance, holds: int) -> None:
    decided = ruling(seen, attitude, holds=holds)
    if decided in (Ruling.HOLD, Ruling.NUDGE):
        assert seen.has_worked and not seen.has_taught and not seen.declined
    assert decided is not Ruling.HOLD or (attitude is Stance.BLOCK and holds < MOST_HOLDS)
    assert attitude is not Stance.OFF or decided is Ruling.PASS


@given(st.sampled_from(["", *Stance]), st.booleans(), st.text(max_size=30))
def test_off_is_off_for_everybody_and_beads_asks_supervisors_only(setting: str, beads: bool, agent_type: str) -> None:
    attitude = stance(setting, is_beads=beads, agent_type=agent_type)
    assert setting != "off" or attitude is Stance.OFF
    assert not beads or attitude is Stance.OFF or "supervisor" in agent_type.casefold()


@given(st.text(max_size=200), st.sampled_from(FORMATS), st.text(max_size=80))
def test_no_transcript_is_an_error(text: str, form: str, last_words: str) -> None:
    assert isinstance(conduct(read(text, form), last_words=last_words), Conduct)


@given(st.text(max_size=40), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_holds_out_whatever_a_smaller_one_does(key: str, one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert is_held_out(key, large) or not is_held_out(key, small)
    assert is_held_out(key, 1.0) and not is_held_out(key, 0.0)


def test_about_as_many_are_held_out_as_were_asked_for() -> None:
    drawn = sum(is_held_out(f"inj-{n:026d}", 0.05) for n in range(20_000))
    assert 900 < drawn < 1_100  # seven standard deviations are 216
