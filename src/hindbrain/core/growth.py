"""The constants of confidence, which a user may change: apart, so that settings load without the model."""

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """All between 0 and 1 (DX-114..120; `manual` from Dex's later code)."""

    explicit: float = 0.6  # an agent marked it as worth keeping
    automatic: float = 0.5  # drawn from activity
    imported: float = 0.7  # brought from another store
    manual: float = 0.8  # a person wrote it
    usage_boost: float = 0.02  # per session that was shown it
    ceiling: float = 0.95  # use never lifts above
    decay_per_week: float = 0.02  # per full week without use
    floor: float = 0.1  # neglect never sinks below
