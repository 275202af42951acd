"""Laws of the readers, for any JSON and any text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.transcripts import FORMATS, Heard, Unheard, Voice, hear, read
from hindbrain.core.transcripts.listen import MAX_PER_TURN

MARK = "MEMORY:fix:planted by the test"
KEYS = st.sampled_from(
    re.findall(
        r"\S+",
        "type role message content text payload timestamp uuid id sessionId event output input number name "
        "arguments command call_id action toolCalls args result parts thought messages history $set $rewindTo "
        "data item taskId agentId functionCall functionResponse thoughts attachment",
    )
)
WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        "user assistant gemini model text tool_use tool_result thinking response_item message function_call "
        "iteration session_meta Bash shell run_shell_command item.completed attachment system 2026-01-13T10:00:00Z",
    )
)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.just(MARK) | st.text(max_size=8)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=25
)
sources = st.lists(values.map(json.dumps) | st.text(max_size=30), max_size=8).map("\n".join)


# R20
@pytest.mark.parametrize("form", FORMATS)
@given(source=sources)
def test_any_input_is_read_and_heard(form, source):
    transcript = read(source, form)

    last = source.count("\n") + 1
    assert all(1 <= item.line <= last for item in transcript.utterances)
    assert all(1 <= item.line <= last for item in transcript.skipped)
    assert all(item.at is None or item.at.utcoffset() is not None for item in transcript.utterances)
    for item in hear(transcript):
        if isinstance(item, Heard):
            assert item.utterance.voice is not Voice.OTHER
        else:
            assert isinstance(item, Unheard)


@pytest.mark.parametrize("form", ["claude", "codex", "chorus"])
@given(source=sources)
def test_a_broken_line_is_counted_once_and_changes_nothing_else(form, source):
    before = read(source, form)

    after = read(source + "\n{broken", form)

    assert after.utterances == before.utterances
    assert len(after.skipped) == len(before.skipped) + 1


@given(values)
def test_a_user_record_of_any_content_never_teaches(content):
    source = json.dumps({"type": "user", "message": {"role": "user", "content": content}})

    assert not [item for item in hear(read(source, "claude")) if isinstance(item, Heard)]


@given(st.lists(st.text(max_size=20), max_size=6), st.integers(0, 70))
def test_a_turn_never_teaches_more_than_fifty_things(prompts, count):
    said = "\n".join(f"MEMORY:fix:lesson number {n}" for n in range(count))
    records: list[object] = []
    for prompt in prompts:
        records.append({"type": "user", "message": {"content": prompt or "go"}})
        records.append({"type": "assistant", "message": {"content": [{"type": "text", "text": said}]}})

    found = hear(read("\n".join(map(json.dumps, records)), "claude"))

    assert len([item for item in found if isinstance(item, Heard)]) == min(MAX_PER_TURN, count) * len(prompts)
    assert len(found) == count * len(prompts)


@given(st.text(max_size=200))
def test_plain_text_loses_no_line(text):
    transcript = read(text, "text")

    assert transcript.utterances[0].text.count("\n") == text.count("\n")
    assert transcript.skipped == ()
