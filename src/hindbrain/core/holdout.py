"""Which injections are kept back, so that what showing memories is worth can be measured."""

from hindbrain.core.digest import sha256

_DIGITS = 13  # of the hash: as many as a float holds exactly


def is_held_out(injection_id: str, share: float) -> bool:
    """Whether this one is among the `share` (0..1) that is kept back.

    As good as random, because ids are; and everybody who knows the id can check that nobody chose.
    """
    drawn = int(sha256(injection_id.encode("utf-8", "surrogatepass"))[:_DIGITS], 16)
    return drawn < share * float(16**_DIGITS)
