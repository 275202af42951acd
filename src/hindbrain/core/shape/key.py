"""What makes a lesson the same one again: the hash of its text, and the name it goes by."""

from __future__ import annotations

import re
import unicodedata

from hindbrain.core.digest import sha256

_HEAD = 60  # characters of the text that the key shows; bytes, for the key of old
_ENDINGS = " \t\r\n.,;:!?…。！？、，；："


def content_hash(text: str) -> str:
    """Equal for texts that differ only in case, spacing, compatibility forms and closing punctuation."""
    flat = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _sha256(flat.rstrip(_ENDINGS) or flat)


def chorus_hash(text: str) -> str:
    """The hash that Chorus files carry: lower case and trimmed, nothing more."""
    return _sha256(text.lower().strip())


def key_of(type: str, text: str) -> str:  # noqa: A002 (the word of the five documents)
    """A readable name, such as `learned-use-batch-inserts`.

    Letters of every script stay. A text that is longer than 60 characters, or has no letter, also gets eight digits of
    its hash: two lessons that only begin alike stay two. So every documented key of up to 60 ASCII characters is
    unchanged, and a documented key of a longer text is what `legacy_key_of` gives, kept as the alias.
    """
    flat = " ".join(unicodedata.normalize("NFKC", text[: 20 * _HEAD]).casefold().split())
    slug = re.sub("-+", "-", "".join(c if _is_letter(c) else "-" for c in flat[:_HEAD])).strip("-")
    whole = len(flat) <= _HEAD and len(text) <= 20 * _HEAD
    parts = [type, slug] if slug and whole else [type, slug, content_hash(text)[:8]]
    return "-".join(part for part in parts if part)


def legacy_key_of(type: str, text: str) -> str:  # noqa: A002
    """The key that Beads writes: the first 60 bytes, and only ASCII letters and digits survive."""
    head = text.encode("utf-8", "surrogatepass")[:_HEAD].lower()
    slug = re.sub(rb"[^a-z0-9]+", b"-", head).decode("ascii")
    return f"{type}-{slug.removeprefix('-').removesuffix('-')}"


def _is_letter(c: str) -> bool:
    return c.isalnum() or unicodedata.category(c)[0] == "M"  # vowel signs are part of a word


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass"))
