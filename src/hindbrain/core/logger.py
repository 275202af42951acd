"""Which state the queue is in, and which event leads to which: the machine that Chorus draws for its logger.

    idle        TASK_COMPLETED   add to the queue, go to processing
    processing  TASK_COMPLETED   add to the queue, stay
    processing  done, error      processing again while there is more in the queue, else idle

Unlike the drawing, a task that fails is an event as well: it does not stop the ones behind it.
"""

from hindbrain.core.closed import StrEnum

MACHINE = "logger"


class Phase(StrEnum):
    IDLE = "idle"
    PROCESSING = "processing"


class Step(StrEnum):
    TASK_COMPLETED = "TASK_COMPLETED"  # something was queued
    DONE = "done"  # what was taken from the queue is done
    ERROR = "error"  # … or has failed, this time or for good


def after(phase: Phase, step: Step, *, has_more: bool) -> Phase:
    """The phase that follows. `has_more` is asked once the step was taken: whether anything is left to be done."""
    if step is Step.TASK_COMPLETED:
        return Phase.PROCESSING
    return phase if phase is Phase.IDLE or has_more else Phase.IDLE
