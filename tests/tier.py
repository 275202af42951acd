"""How much a test tries: little with every change, all of it by `make soak`; and where what it reached is noted."""

import os
import random
from datetime import UTC, datetime
from pathlib import Path

IS_FULL = os.environ.get("HINDBRAIN_TIER") == "full"


def figure(small: int, full: int) -> int:
    return full if IS_FULL else small


def a_seed() -> int:
    """Another one each time, and printed: HINDBRAIN_SEED repeats a run that failed."""
    seed = int(os.environ.get("HINDBRAIN_SEED") or random.SystemRandom().randrange(2**32))
    print(f"seed {seed}")
    return seed


def reached(row: str, what: str, *, seed: int | None = None) -> None:
    """Say how far a test came. `make soak` names a file in HINDBRAIN_FIGURES that `scripts/reliability.py` reads."""
    print(f"{row}: {what}")
    test = os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)")
    noted(row, what, test=test, seed=seed)


def noted(row: str, what: str, *, test: str, seed: int | None = None) -> None:
    place = os.environ.get("HINDBRAIN_FIGURES")
    if place and IS_FULL:
        fields = (row, test, what, f"{datetime.now(UTC):%Y-%m-%d}", "" if seed is None else str(seed))
        with Path(place).open("a", encoding="utf-8") as file:
            file.write("\t".join(fields) + "\n")
