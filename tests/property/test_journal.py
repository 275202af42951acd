"""Laws of what is put by: byte by byte as long as it was, still records, and nothing that the door takes out."""

import json
from binascii import crc32

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.journal import cleaned, line_of, nothing
from hindbrain.adapters.spool import _clean, _read
from hindbrain.ports import Record, Spoiled

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("token ghp_" + "a1B2" * 9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


def line(payload: bytes) -> bytes:
    return b"1 claude 1768037400000 %08x %b\n" % (crc32(payload), payload)


# S4
@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5), st.booleans())
def test_a_record_is_as_long_as_it_was_and_still_a_record(payload: dict[str, object], is_ascii: bool) -> None:
    raw = line(json.dumps(payload, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass"))
    kept = _clean(raw)
    assert len(kept) == len(raw) and b"ghp_" not in kept
    record = _read(kept.removesuffix(b"\n"), 0)
    assert isinstance(record, Record) and isinstance(json.loads(record.payload), dict)
    assert record.client in ("claude", "none")


@given(st.binary(max_size=200).map(lambda raw: raw.replace(b"\n", b" ") + b"\n"))
def test_a_line_of_any_bytes_keeps_its_length(raw: bytes) -> None:
    assert len(_clean(raw)) == len(raw)


@given(st.integers(1, 500))
def test_nothing_has_any_length(size: int) -> None:
    said = nothing(size)
    assert len(said) == size and said.endswith(b"\n") and said.count(b"\n") == 1
    is_record = not isinstance(_read(said.removesuffix(b"\n"), 0), Spoiled)
    assert is_record is (size >= 21)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_plain_words_stay_as_they_are(text: str) -> None:
    payload = {"prompt": "keep " + "".join(c for c in text if c.isalpha() and c.isascii())}
    assert json.loads(cleaned(json.dumps(payload).encode()) or b"") == payload
    kept = line_of("claude", 1, payload=json.dumps(payload).encode(), size=400)
    assert len(kept) == 400 and json.loads(kept.split(b" ", 4)[4]) == payload
