"""Which text stands for a memory when meanings are compared."""

from dataclasses import replace
from hashlib import sha256

from building import a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.recall.meaningful import MOST, digest, meaningful

TEXTS = st.text(max_size=60)


def test_a_title_that_only_begins_the_content_is_not_said_twice() -> None:
    whole = "Use batch inserts for this table"
    for title in (whole, "Use batch...", "Use batch", ""):
        assert meaningful(a_memory(whole, title=title)) == whole


def test_a_title_of_its_own_comes_first() -> None:
    memory = a_memory("Inserts were slow until they came in batches", title="Batches")
    assert meaningful(memory) == "Batches\nInserts were slow until they came in batches"


@given(TEXTS, TEXTS, st.integers(1, 600), st.integers(1, 600))
def test_no_text_is_longer_than_the_most_and_all_of_a_short_one_is_there(
    title: str, content: str, wide: int, long: int
) -> None:
    memory = replace(a_memory(), title=title * wide, content=content * long)
    text = meaningful(memory)
    assert len(text) <= MOST
    if len(memory.title) + len(memory.content) < MOST:
        assert text.endswith(memory.content) and text in (memory.content, f"{memory.title}\n{memory.content}")
    else:
        assert f"{memory.title}\n{memory.content}".startswith(text) or memory.content.startswith(text)


@given(TEXTS, TEXTS)
def test_only_title_and_content_count(title: str, content: str) -> None:
    memory = replace(a_memory(), title=title, content=content)
    other = replace(memory, tags=("x",), trust=0, version=7, key="k", persona="ed")
    assert meaningful(memory) == meaningful(other)


@given(st.text())
def test_a_digest_is_that_of_the_bytes(text: str) -> None:
    assert digest(text) == sha256(text.encode()).hexdigest()


def test_half_a_character_has_a_digest_too() -> None:
    assert digest("\ud800") != digest("")
