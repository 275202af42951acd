"""How much a memory's record of helping and hurting may count, and that it never counts for much.

Helped and hurt are votes, one for each session, upon a prior of as many good as bad ones, so that the first verdict
never reads as certainty. Unknown weighs little, and pulls to the middle. Being shown, asked for or counted is no vote.
"""

from hindbrain.core.model.outcome import Standing

MOST = 0.05  # that it adds to a score, or takes from it
MOST_GAIN = 0.1  # of the score without it (RELIABILITY S3)

_PRIOR = 2.0  # votes on either side before anybody has voted
_UNKNOWN = 0.1  # votes, half on either side
_MOST_UNKNOWN = 4.0  # votes that all of them have together


def estimate(standing: Standing) -> float:
    """How likely it is that it helps the next time that it makes a difference: 0..1, 0.5 where nothing is known."""
    neutral = min(_UNKNOWN * standing.unknown, _MOST_UNKNOWN)
    votes = standing.helped + standing.hurt + neutral + 2 * _PRIOR
    return (standing.helped + neutral / 2 + _PRIOR) / votes


def nudge(standing: Standing, *, score: float) -> float:
    """What is added to a score that is `score` without it."""
    wish = MOST * (2 * estimate(standing) - 1)
    return min(wish, MOST_GAIN * max(score, 0.0))


def told(standing: Standing) -> str:
    """`3 helped, 1 hurt`."""
    return f"{standing.helped} helped, {standing.hurt} hurt"
