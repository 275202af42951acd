"""Laws of the signal parser, for any text."""

import re
import shlex

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.signals import Refusal, Signal, find, find_in_command, shell
from hindbrain.core.signals.echo import Echoes

PIECES = [
    "MEMORY:fix:",
    "MEMORY:",
    "pattern:",
    "<chorus>",
    "</chorus>",
    "LEARNING_LOCAL:",
    "LEARNING_GLOBAL:",
    "LEARNED: ",
    "INVESTIGATION: ",
    "bd comment B-1 ",
    "```",
    "~~~",
    "`",
    "> ",
    "- ",
    "    ",
    "\t",
    "<!--",
    "-->",
    '<hindbrain-notes fence="' + "a" * 32 + '">',
    '</hindbrain-notes fence="' + "a" * 32 + '">',
    '"',
    "'",
    "\\",
    "$(",
    ")",
    "<<EOF",
    "EOF",
    "#",
    ";",
    "&&",
    "|",
    "2>/dev/null",
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "word",
    "é",
    "\ud800",
    "\x00",
    "\u2028",
]
prose = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join)
words = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12), min_size=1, max_size=8)


# R20
@given(prose)
def test_any_text_gives_ordered_and_bounded_findings(text):
    found = find(text)

    lines = [item.line for item in found]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)
    for item in found:
        if isinstance(item, Signal):
            assert item.text == item.text.strip() != ""
            assert len(item.text) <= 2_000
            assert item.text in text.replace("\r\n", "\n") or "*" in text
            assert item.form in ("chorus", "memory")
        else:
            assert len(item.text) <= 500
            assert item.detail


@given(prose)
def test_finding_twice_finds_the_same(text):
    assert find(text) == find(text)
    assert find_in_command(text) == find_in_command(text)


@given(prose)
def test_nothing_in_a_fence_is_a_signal(text):
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)

    found = find(f"{fence}\n{text}\n{fence}\nMEMORY:fix:said after it")

    has_notes = "<hindbrain-notes" in text  # an open block of ours runs to the end
    said = [item.text for item in found if isinstance(item, Signal)]
    assert said == ["said after it"] or (has_notes and said == [])


@given(prose)
def test_nothing_in_a_quotation_is_a_signal(text):
    quoted = "\n".join(f"> {line}" for line in re.split(r"\r\n|\n|\r", text))

    assert not [item for item in find(quoted) if isinstance(item, Signal)]


@given(prose)
def test_nothing_in_our_own_notes_is_a_signal(text):
    number = "0123456789abcdef" * 2
    block = f'<hindbrain-notes fence="{number}">\n{text}\n</hindbrain-notes fence="{number}">\n'

    found = find(f"{block}\nMEMORY:fix:said after it")

    assert [item.text for item in found if isinstance(item, Signal)] == ["said after it"]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=200))
def test_a_plain_memory_is_found_whole(content):
    found = find(f"MEMORY:fix:{content}")

    is_plain = content.strip() and not re.search(r"MEMORY:|<chorus>|<|\[|\{|…|\.\.|content|text|type", content, re.I)
    if is_plain and not content.strip().casefold().startswith("solution"):
        assert [item.text for item in found if isinstance(item, Signal)] == [content.strip()]


# R20
@given(prose)
def test_any_command_gives_bounded_findings(command):
    for item in find_in_command(command):
        if isinstance(item, Signal):
            assert item.form == "comment"
            assert len(item.text.encode("utf-8", "surrogatepass")) <= 2_048
            assert re.fullmatch(r"[A-Za-z0-9._-]*", item.task)
        else:
            assert isinstance(item, Refusal)
        assert 1 <= item.line <= command.count("\n") + 1


@given(words)
def test_quoted_words_come_back_as_they_were(given_words):
    (command,) = shell.parse(shlex.join(["bd", *given_words])).items

    assert isinstance(command, shell.Command)
    assert command.words == ["bd", *given_words]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=100))
def test_a_quoted_comment_body_is_read_as_it_was_written(body):
    found = find_in_command(f"cd /x && bd comment B-1 {shlex.quote('LEARNED: fact ' + body)} 2>/dev/null || true")

    if "LEARNED:" not in body and "INVESTIGATION:" not in body:
        assert [item.text for item in found] == [f"fact {body}".strip()]


@given(
    st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]), min_size=8, max_size=12),
    st.lists(st.sampled_from(["one", "two", "three", "alpha", "beta"]), max_size=30),
    st.lists(st.sampled_from(["one", "two", "three", "alpha", "beta"]), max_size=30),
    st.sampled_from([" ", "\n", ", ", " **"]),
)
def test_a_text_is_an_echo_of_anything_that_holds_it(lesson, before, after, separator):
    read = separator.join([*before, *lesson, *after])

    assert Echoes([" ".join(lesson)]).heard_in(read) == {0}


@given(st.lists(st.text(alphabet="abc ", max_size=40), max_size=6), st.text(alphabet="xyz \n", max_size=200))
def test_a_text_is_no_echo_of_what_shares_no_word_with_it(lessons, read):
    assert Echoes(lessons).heard_in(read) == set()
