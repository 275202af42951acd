"""What agents are taught: one text wherever it is installed, and one that teaches the memory itself nothing."""

import re
from pathlib import Path

import pytest

import hindbrain
from hindbrain.adapters.clients import kit
from hindbrain.core.recall.render import RECORDING_LEARNINGS
from hindbrain.core.signals import Signal, find
from hindbrain.entry.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin" / "plugins" / "hindbrain"
SKILL = kit(has_server=False, home="").skill


def test_the_plugin_has_the_same_skill() -> None:
    assert (PLUGIN / "skills" / "hindbrain" / "SKILL.md").read_text("utf-8") == SKILL


# DX-111, DX-112
def test_the_skill_has_the_block_for_hats_word_for_word() -> None:
    assert f"\n{RECORDING_LEARNINGS.strip()}\n" in SKILL


# BD-006
def test_the_skill_says_to_ask_before_an_error_is_investigated_again() -> None:
    asking = SKILL.partition("## Ask before you guess")[2].partition("\n## ")[0]
    assert "an error looks like one that somebody has met" in " ".join(asking.split())
    assert 'hindbrain recall "' in asking


# CH-069..CH-071
def test_the_skill_says_what_is_local_and_what_is_global() -> None:
    assert "<chorus>LEARNING_LOCAL:" in SKILL and "<chorus>LEARNING_GLOBAL:" in SKILL
    assert re.search(r"LOCAL is specific to this agent's workflow, GLOBAL affects all agents", SKILL)


def test_the_skill_teaches_the_signals_of_comments_and_how_to_have_none() -> None:
    for words in ("LEARNED: the", "INVESTIGATION: what", "LEARNED: none — "):
        assert words in SKILL


# DX-113
@pytest.mark.parametrize("before", ["", "Here is what I was told:\n\n", "> quoted\n\n"])
def test_an_agent_that_echoes_the_skill_teaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setenv("HINDBRAIN_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with hindbrain.open() as memory:
        captured = memory.capture(before + SKILL)
        assert len(memory.list(with_all=True)) == 0
    assert all(receipt.verdict == "rejected" for receipt in captured.receipts)


# DX-113: nor without its fences, as far as the samples of the hats' block go
def test_the_samples_teach_nothing_without_their_fence() -> None:
    found = find(RECORDING_LEARNINGS)
    assert len(found) == 4 and not [one for one in found if isinstance(one, Signal)]


def test_every_command_that_is_taught_exists() -> None:
    texts = [SKILL, *(path.read_text("utf-8") for path in (PLUGIN / "commands").glob("*.md"))]
    named = {name for text in texts for name in re.findall(r"\bhindbrain ([a-z]+) (?:ID|\"|with)", text)}
    assert named >= {"recall", "show", "verdict"} and named <= set(COMMANDS)


def test_a_skill_fits_the_format() -> None:
    name = re.search(r"^name: (.+)$", SKILL, re.MULTILINE)
    description = re.search(r"^description: (.+)$", SKILL, re.MULTILINE)
    assert name and name.group(1) == "hindbrain" and description and len(description.group(1)) <= 1024
