"""What a text is about: the one place that puts title, key, tags, category, files and error together."""

from __future__ import annotations

from functools import lru_cache

from hindbrain.core.shape.category import CATEGORIES, category_of
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.shape.file_refs import file_refs_of, matches_path
from hindbrain.core.shape.key import chorus_hash, content_hash, key_of, legacy_key_of
from hindbrain.core.shape.tags import tags_of
from hindbrain.core.shape.title import title_of
from hindbrain.core.value import dataclass

__all__ = [
    "CATEGORIES",
    "Shape",
    "category_of",
    "chorus_hash",
    "content_hash",
    "error_signature_of",
    "file_refs_of",
    "key_of",
    "legacy_key_of",
    "matches_path",
    "shape",
    "tags_of",
    "title_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What can be said about a text from its words alone."""

    title: str
    key: str
    legacy_key: str  # the key Beads would give; not unique
    tags: tuple[str, ...]
    category: str
    file_refs: tuple[str, ...]
    error_signature: str | None
    content_hash: str
    chorus_hash: str


@lru_cache(maxsize=16)  # a writer with company asks before the gate, and behind it once more
def shape(text: str, *, type: str) -> Shape:  # noqa: A002 (the word of the five documents)
    """Everything a new memory needs to know about its own text."""
    return Shape(
        title=title_of(text),
        key=key_of(type, text),
        legacy_key=legacy_key_of(type, text),
        tags=tags_of(text, type=type),
        category=category_of(text),
        file_refs=file_refs_of(text),
        error_signature=error_signature_of(text),
        content_hash=content_hash(text),
        chorus_hash=chorus_hash(text),
    )
