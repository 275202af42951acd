"""Which of the six categories a text belongs to: the first whose keyword it holds as a word."""

from __future__ import annotations

import re
from functools import cache

from hindbrain.core.words import pieces

CATEGORIES: tuple[str, ...] = ("API Design", "Testing", "Architecture", "Performance", "Debugging", "General")

# Keywords with their -s, -es, -ed, -ing forms as they are spelt, so that "refactor", "login" and "stated" stay out.
_FORMS = {
    "API Design": "endpoint endpoints route routes routed routing response responses restful",
    "Testing": "test tests tested testing tdd mock mocks mocked mocking assert asserts asserted asserting",
    "Architecture": "actor actors state states pattern patterns service services",
    "Performance": "cache caches cached caching optimize optimizes optimized optimizing optimise optimises optimised "
    "optimising batch batches batched batching pool pools pooled pooling",
    "Debugging": "error errors log logs logged logging trace traces traced tracing debug debugs debugged debugging",
}
_REST = re.compile(r"(?<!\w)REST(?!\w)")  # the rest of a list is not an interface


def category_of(text: str) -> str:
    """The first matching category in table order; General when none matches."""
    known = _categories()
    found = {known[piece] for piece in pieces(text) if piece in known}
    if "REST" in text and _REST.search(text):
        found.add("API Design")
    return next((category for category in CATEGORIES if category in found), "General")


@cache
def _categories() -> dict[str, str]:
    return {form: category for category, forms in _FORMS.items() for form in forms.split()}
