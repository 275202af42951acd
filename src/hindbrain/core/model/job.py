"""Work that must not be lost: queued in the store, done by one worker, exactly once as far as its effects go."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass

MOST_TRIES = 5  # then a person must look
KEPT_DONE = 1_000  # jobs that are done, and still listed
SUPERSEDED = "another job with the same key was queued since"


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"  # failed MOST_TRIES times; does not stand in the way of the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    id: str
    kind: str  # transcript, extract, judge, verify …; the worker has one handler for each
    key: str  # two jobs with one key are the same job while the first is queued or running
    project: str
    payload: Mapping[str, object]
    created_at: datetime
    due_at: datetime
    state: JobState = JobState.QUEUED
    tries: int = 0
    updated_at: datetime | None = None
    error: str = ""  # what went wrong last
    seq: int = 0  # given by the store; the order of the queue
