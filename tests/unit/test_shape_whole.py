"""All that is known of a text, put together."""

from hindbrain.core import shape as shapes
from hindbrain.core.shape import shape


def test_a_shape_holds_what_each_part_says() -> None:
    text = "Use connection pooling in src/db/pool.py. TimeoutError: queue is full"
    known = shape(text, type="pitfall")

    assert known.title == shapes.title_of(text) == "Use connection pooling in src/db/pool.py"
    assert known.key == shapes.key_of("pitfall", text)
    assert known.legacy_key == shapes.legacy_key_of("pitfall", text)
    assert known.tags == shapes.tags_of(text, type="pitfall")
    assert known.category == "Performance"
    assert known.file_refs == ("src/db/pool.py",)
    assert known.error_signature == "TimeoutError: queue is full"
    assert known.content_hash == shapes.content_hash(text)
    assert known.chorus_hash == shapes.chorus_hash(text)
