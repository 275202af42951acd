"""The queue's machine, as Chorus draws it, and with what its drawing leaves out."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.logger import MACHINE, Phase, Step, after

STEPS = st.sampled_from(list(Step))


def test_a_task_is_queued_processed_and_then_all_is_idle_again() -> None:  # CH-080 CH-081 CH-082 CH-083
    assert MACHINE == "logger"
    phase = after(Phase.IDLE, Step.TASK_COMPLETED, has_more=True)
    assert phase is Phase.PROCESSING
    assert after(phase, Step.TASK_COMPLETED, has_more=True) is Phase.PROCESSING
    assert after(phase, Step.DONE, has_more=True) is Phase.PROCESSING
    assert after(phase, Step.DONE, has_more=False) is Phase.IDLE


def test_a_task_that_fails_does_not_stop_the_ones_behind_it() -> None:  # F-03
    assert after(Phase.PROCESSING, Step.ERROR, has_more=True) is Phase.PROCESSING
    assert after(Phase.PROCESSING, Step.ERROR, has_more=False) is Phase.IDLE


@given(st.lists(STEPS, max_size=30))
def test_it_processes_exactly_while_there_is_something_to_do(steps: list[Step]) -> None:  # CH-074
    phase, waiting = Phase.IDLE, 0
    for step in steps:
        waiting = waiting + 1 if step is Step.TASK_COMPLETED else max(0, waiting - 1)
        phase = after(phase, step, has_more=waiting > 0)
        assert (phase is Phase.PROCESSING) == (waiting > 0)
