"""What a prose text shows instead of saying."""

import pytest

from hindbrain.core.signals import Refusal, Signal, find

LINE = "MEMORY:fix:x is broken"
HEX = "0123456789abcdef0123456789abcdef"


def outcome(text: str) -> list[str]:
    """The reason of each refusal; "" for a signal."""
    return [item.reason if isinstance(item, Refusal) else "" for item in find(text)]


# F-02 X-15
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"```\n{LINE}\n```", "fenced"),
        (f"```go\n{LINE}\n```", "fenced"),
        (f"~~~\n{LINE}\n~~~", "fenced"),
        (f"````\n```\n{LINE}\n```\n````", "fenced"),
        (f"```\n~~~\n{LINE}", "fenced"),
        (f"```\n{LINE}", "fenced"),
        (f"- item\n  ```\n  {LINE}\n  ```", "fenced"),
        (f"- ```\n  {LINE}\n  ```", "fenced"),
        (f"1. ```sh\n   {LINE}\n   ```", "fenced"),
        (f"```\n      ```\n{LINE}\n```", "fenced"),
        (f"text\n\n    {LINE}", "fenced"),
        (f"    {LINE}", "fenced"),
        (f"text\n\n\t{LINE}", "fenced"),
        (f"text\n\n    code\n    {LINE}", "fenced"),
        (f"- item\n\n        {LINE}", "fenced"),
        (f"say `{LINE}` to record", "inline_code"),
        (f"say ``{LINE}`` to record", "inline_code"),
        (f"`one\n{LINE}\ntwo`", "inline_code"),
        (f"```{LINE}```", "inline_code"),
        (f"> {LINE}", "quoted"),
        (f"  > {LINE}", "quoted"),
        (f"- > {LINE}", "quoted"),
        (f">> {LINE}", "quoted"),
        (f'the page says "{LINE}"', "quoted"),
        (f'the page says "please emit {LINE} now"', "quoted"),
        (f"the page says “{LINE}”", "quoted"),
        (f"the page says '{LINE}'", "quoted"),
        (f'{{"text": "{LINE}"}}', "quoted"),
        (f"<!-- {LINE} -->", "html_comment"),
        (f"<!--\n{LINE}\n-->", "html_comment"),
        (f"<!--\n{LINE}", "html_comment"),
        (f'<hindbrain-notes fence="{HEX}">\n{LINE}\n</hindbrain-notes fence="{HEX}">', "injected"),
        (f'<hindbrain-notes fence="{HEX}">\n{LINE}\n', "injected"),
    ],
)
def test_a_signal_that_is_only_shown_does_not_count(said, expected):
    assert outcome(said) == [expected]


@pytest.mark.parametrize(
    "said",
    [
        f"```\ncode\n```\n{LINE}",
        f"```\r\ncode\r\n```\r\n{LINE}",
        f"~~~\n```\n~~~\n{LINE}",
        f"```inline``` and\n{LINE}",
        f"a ` stray backtick\n\n{LINE} with ` another",
        f"`code` {LINE}",
        f"`<!--` opens a comment\n\n{LINE}",
        f"<!-- note -->\n{LINE}",
        f"> quote\n\n{LINE}",
        f"> quote\n{LINE}",
        f'he said "go" and {LINE}',
        f'a 5" disk; {LINE} "really"',
        f"it's done: {LINE}",
        f"- item\n  - nested\n    {LINE}",
        f"- item\n\n    {LINE}",
        f"1. item\n\n   {LINE}",
        f"text\n    {LINE}",
        f"- a\n    - {LINE}",
        f"# Heading\n{LINE}",
        f"a < b and c > d\n{LINE}",
    ],
)
def test_a_signal_that_is_said_counts(said):
    assert outcome(said) == [""]


def test_an_injected_block_ends_only_with_its_own_number():
    other = "f" * 32
    said = (
        f'<hindbrain-notes fence="{HEX}">\n</hindbrain-notes fence="{other}">\n{LINE}\n'
        f'</hindbrain-notes fence="{HEX}">\n{LINE}'
    )

    assert outcome(said) == ["injected", ""]


def test_marks_inside_an_injected_block_open_nothing_outside():
    said = f'<hindbrain-notes fence="{HEX}">\n```\n<!--\n</hindbrain-notes fence="{HEX}">\n{LINE}'

    assert outcome(said) == [""]


# BD-003
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("LEARNED: hooks run twice", ["not_a_comment"]),
        ("- **INVESTIGATION:** root cause", ["not_a_comment"]),
        ('bd comment BD-1 "LEARNED: hooks run twice"', ["not_a_comment"]),
        ('```\nbd comment BD-1 "LEARNED: hooks run twice"\n```', ["fenced"]),
        ("What I LEARNED: a lot", []),
        ("UNLEARNED: nothing", []),
    ],
)
def test_a_comment_prefix_in_prose_is_no_comment(said, expected):
    assert outcome(said) == expected


def test_every_refusal_says_what_to_do():
    said = f"{LINE}\n> {LINE}\n`{LINE}`\n<!-- {LINE} -->\nMEMORY:foo:x\n```\n{LINE}"

    refusals = [item for item in find(said) if isinstance(item, Refusal)]

    assert [item.line for item in refusals] == [2, 3, 4, 5, 7]
    assert all(";" in item.detail for item in refusals)
    assert all(item.text.startswith("MEMORY:") for item in refusals)


def test_text_with_more_marks_than_prose_has_is_refused_rather_than_believed():
    assert outcome("` " * 150_000 + LINE) == ["inline_code"]
    assert outcome("`<!--` " * 150_000 + "\n" + LINE) == ["fenced"]


# R21: each of these took minutes with a pattern that backtracks; finishing is the claim
@pytest.mark.parametrize(
    "piece", ["MEMORY:a ", "<chorus>LEARNING_LOCAL:", "`` ` ", "<!--", "“", "- ", "bd LEARNED: ", "~~~ ", "\t"]
)
def test_a_long_line_of_marks_is_read_to_its_end(piece):
    found = find(piece * (2_000_000 // len(piece)) + f"\n\n{LINE}")

    assert len(found) <= 10_001
    assert all(isinstance(item, Refusal) for item in found[:-1])


@pytest.mark.parametrize(
    "text",
    [
        "For example: MEMORY:fix:restart the worker",
        "Write it down, e.g. MEMORY:fix:restart the worker",
        "Use a line such as MEMORY:fix:restart the worker",
        "<example>\nMEMORY:fix:restart the worker\n</example>",
        "<examples>\n<chorus>LEARNING_LOCAL:restart the worker</chorus>\n</examples>",
    ],
)
def test_an_announced_example_is_shown_not_said(text):
    (item,) = find(text)

    assert isinstance(item, Refusal) and item.reason == "example"


def test_what_follows_an_example_is_said():
    text = "<example>\nMEMORY:fix:shown\n</example>\nMEMORY:fix:said for real, for example in the worker"

    assert [type(item).__name__ for item in find(text)] == ["Refusal", "Signal"]


def test_a_plain_text_has_no_signals():
    assert find("") == ()
    assert find("Nothing to see here.") == ()


def test_signals_and_refusals_come_in_the_order_of_the_text():
    said = "MEMORY:fix:one\n<chorus>LEARNING_LOCAL:two</chorus>\nLEARNED: three\nMEMORY:fix:four"

    assert [item.line for item in find(said)] == [1, 2, 3, 4]
    assert [type(item) for item in find(said)] == [Signal, Signal, Refusal, Signal]
