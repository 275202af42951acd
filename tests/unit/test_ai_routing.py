"""What routing.yaml means, and what holds while it means nothing."""

import os
from pathlib import Path

import pytest

from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.routing import Routing, parse

GOOD = """\
# who answers what
default: rules
embed:
  provider: mistral   # the canonical one
suggest:
  provider: openai
  model: "qwen3:8b"
  base_url: http://127.0.0.1:11434/v1/
  timeout_s: 90
  price_in: 0.15
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def write(home: Path, text: str) -> None:
    """With a time of its own: two edits within one tick of a coarse clock are told apart by size or by this."""
    path = home / "routing.yaml"
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_each_use_has_its_own_plan(home: Path) -> None:
    # HB-153
    write(home, GOOD)
    routing = Routing(str(home))
    assert routing.plan("embed") == Plan(
        provider="mistral",
        model="mistral-embed",
        dimension=1024,
        base_url="https://api.mistral.ai/v1",
        key="MISTRAL_API_KEY",
        use="embed",
    )
    assert routing.plan("suggest") == Plan(
        provider="openai",
        model="qwen3:8b",
        base_url="http://127.0.0.1:11434/v1",
        key="none",
        timeout_s=90.0,
        price_in=0.15,
        use="suggest",
    )
    assert routing.plan("dream").provider == "rules" and routing.warnings() == ()
    assert routing.plan("embed").space.name == "mistral/mistral-embed@1/1024"


def test_the_default_speaks_for_every_use_but_embed(home: Path) -> None:
    write(home, "default:\n  provider: anthropic\n  model: claude-x\n")
    routing = Routing(str(home))
    assert (routing.plan("dream").provider, routing.plan("dream").use) == ("anthropic", "dream")
    assert routing.plan("embed").provider == "local"


def test_without_a_file_all_is_local_and_nothing_is_said(home: Path) -> None:
    # HB-155
    routing = Routing(str(home))
    assert routing.plan("embed").provider == "local" and routing.plan("suggest").provider == "rules"
    assert routing.warnings() == ()


# HB-155
@pytest.mark.parametrize(
    "broken",
    [
        "\x00\xff{{{",
        "suggest\n",
        "suggest:\n- a\n",
        "  provider: openai\n",
        "suggest: {provider: openai}\n",
        "suggest:\n  provider: &a openai\n",
        "suggest:\n  provider: openai\n  provider: rules\n",
        "suggest: rules\nsuggest: rules\n",
        "suggest:\n  model: 'open\n",
        "x: y\n" * 2000,
    ],
)
def test_a_broken_file_changes_nothing_but_warns(home: Path, broken: str) -> None:
    fresh = Routing(str(home))
    write(home, broken)
    assert fresh.plan("suggest").provider == "rules" and "the default holds" in fresh.warnings()[0]

    write(home, GOOD)
    assert fresh.plan("suggest").model == "qwen3:8b" and fresh.warnings() == ()
    write(home, broken)
    for routing in (fresh, Routing(str(home))):  # also in a process that never saw the good one
        assert routing.plan("suggest").model == "qwen3:8b"
        assert "what it last said holds" in routing.warnings()[0]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("suggest: opanai\n", "there is no provider 'opanai'"),
        ("suggest: openai\n", "say which model of openai"),
        ("suggest: local\n", "local writes no texts"),
        ("embed: anthropic\n", "anthropic makes no embeddings"),
        ("embed:\n  provider: openai\n  model: mine\n", "say how many numbers mine gives"),
        ("suggest:\n  provider: agent\n", "say which agent"),
        ("suggest:\n  provider: openai\n  model: m\n  timeout: 5\n", "there is no option 'timeout'"),
        ("suggest:\n  provider: openai\n  model: m\n  timeout_s: soon\n", "timeout_s must be a number"),
        ("suggest:\n  provider: openai\n  model: m\n  max_tokens: -5\n", "max_tokens must not be -5"),
        ("suggest:\n  provider: openai\n  model: m\n  price_in: inf\n", "price_in must not be inf"),
        ("suggest:\n  provider: openai\n  model: m\n  key: sk-123\n", "never the key itself"),
        ("suggest:\n  provider: openai\n  model: m\n  base_url: file:///etc\n", "does not begin with http"),
        ("suggest:\n  provider: openai\n  model: m\n  key: abcDEF0123456789\n", "never the key itself"),
    ],
)
def test_an_entry_that_makes_no_sense_goes_by_what_was_last_said_and_the_others_hold(
    home: Path, entry: str, why: str
) -> None:
    rest = "dream:\n  provider: anthropic\n  model: m\n"
    write(home, GOOD)
    Routing(str(home)).plan("embed")
    write(home, entry + rest)
    routing = Routing(str(home))
    assert routing.plan("dream").provider == "anthropic"
    assert routing.plan("embed").provider == ("mistral" if entry.startswith("embed") else "local")
    (warning,) = routing.warnings()
    assert why in warning and "line 1" in warning


def test_a_file_that_is_gone_is_worth_a_word(home: Path) -> None:
    # HB-155
    write(home, GOOD)
    routing = Routing(str(home))
    assert routing.plan("embed").provider == "mistral"
    (home / "routing.yaml").unlink()
    assert routing.plan("embed").provider == "local" and "is gone" in routing.warnings()[0]


def test_windows_line_ends_and_a_mark_at_the_front_do_not_matter(home: Path) -> None:
    (home / "routing.yaml").write_bytes(b"\xef\xbb\xbf---\r\nsuggest: rules\r\n")
    routing = Routing(str(home))
    assert routing.plan("suggest").provider == "rules" and routing.warnings() == ()


def test_the_line_that_is_not_understood_is_named() -> None:
    with pytest.raises(ValueError, match="line 3"):
        parse("a: rules\n\nb rules\n")
