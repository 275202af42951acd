"""What stands for meaning where no model may run: texts that share words get vectors that point alike.

Every store is given these, so that no peer embeds and no difference of models is mistaken for one of stores. They hang
on nothing but the text: no seed, no download, the same numbers on every machine.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import shake_128
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bench.peers.subject import DIMENSIONS
from hindbrain.core.words import query_terms

Matrix: TypeAlias = npt.NDArray[np.float32]


def vectors(texts: Sequence[str]) -> Matrix:
    """One row of unit length for each text; the sum of what its words are hashed to."""
    rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    for number, text in enumerate(texts):
        row = np.sum([_word(term) for term in query_terms(text) or [""]], axis=0)
        rows[number] = row / np.linalg.norm(row)
    return rows


def best(rows: Matrix, asked: Matrix, *, count: int) -> npt.NDArray[np.intp]:
    """The numbers of the `count` rows nearest to each row of `asked`, by comparing all of them."""
    return np.argsort(-(asked @ rows.T), axis=1, kind="stable")[:, :count]


@cache
def _word(term: str) -> Matrix:
    drawn = np.frombuffer(shake_128(term.encode()).digest(DIMENSIONS), dtype=np.int8)
    return drawn.astype(np.float32) + np.float32(0.5)  # -128..127 has its middle at -0.5
