"""How a person sees which models are asked, tries one, and is told what they cost."""

from pathlib import Path

import pytest
from calling import Cli
from provider import chat, says, serving, vectors

KEY = "sk-test-4fJ9wQz81LmX0pRt77Vb"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made = Cli(tmp_path, monkeypatch)
    made.home.mkdir()
    monkeypatch.setenv("SOME_KEY", KEY)
    return made


def route(cli: Cli, text: str) -> None:
    (cli.home / "routing.yaml").write_text(text)


def test_a_plain_home_needs_no_model(cli: Cli) -> None:
    said = cli("ai").out
    assert "embed" in said and "rules" in said and "all-MiniLM-L6-v2" in said
    assert cli("ai", "cost").out == "No model was asked anything.\n"
    assert "suggest goes by rules" in cli("ai", "test", "suggest").out
    assert cli.json("ai", "test", "suggest")["is_trouble"] is False


def test_a_routing_file_is_checked_and_no_key_is_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # HB-155, HB-161
    entry = "  provider: openai\n  model: small\n  base_url: http://192.168.7.7:8000/v1\n"
    route(cli, f"suggest:\n{entry}  key: SOME_KEY\n")
    said = cli("ai", "routing").out
    assert "SOME_KEY, found" in said and KEY not in said and "in the clear" in said

    monkeypatch.delenv("SOME_KEY")
    assert "SOME_KEY is not set" in cli("ai", "routing", code=1).out

    route(cli, f"suggest:\n{entry}lesson: nobody\n")
    answer = cli("ai", "routing", "--json", code=1).data
    assert "there is no provider 'nobody'" in answer["warnings"][0]
    assert [one["provider"] for one in answer["routes"] if one["use"] in ("suggest", "lesson")] == ["openai", "rules"]
    assert "routing" in cli("doctor", code=1).out


def test_a_trial_is_a_real_call_with_its_cost(cli: Cli) -> None:
    with serving(chat("It is about hooks."), says({"error": KEY}, status=400)) as server:
        money = "  key: SOME_KEY\n  price_in: 1\n  price_out: 10\n"
        route(cli, f"suggest:\n  provider: openai\n  model: small\n  base_url: {server.url}\n{money}")
        said = cli("ai", "test", "suggest").out
        assert "It is about hooks." in said and "prompt test version 1" in said
        failed = cli("ai", "test", "suggest", code=92).err
        assert "it answered 400" in failed and KEY not in failed
    (line,) = cli.json("ai", "cost")["lines"]
    assert (line["use"], line["model"], line["calls"], line["failed"]) == ("suggest", "small", 2, 1)
    assert (line["tokens_in"], line["tokens_out"], line["cost"]) == (100, 20, pytest.approx(0.0003))
    assert "2 calls, 0.0003 in all" in cli("ai", "cost").out
    assert cli.json("ai", "cost", "--since", "2999-01-01")["lines"] == []
    assert not [path for path in cli.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_spent_budget_is_told_with_the_hour_it_ends(cli: Cli) -> None:
    (cli.home / "config.toml").write_text("ai_daily_calls = 1\n")
    with serving(chat("x")) as server:
        route(cli, f"suggest:\n  provider: openai\n  model: small\n  base_url: {server.url}\n")
        cli("ai", "test", "suggest")
        said = cli("ai", "test", "suggest", "--json", code=91)
    assert said.error["code"] == "budget_spent" and "00:00 UTC" in said.error["fix"]


def test_embeddings_are_tried_as_the_worker_makes_them(cli: Cli) -> None:
    with serving(vectors(1024)) as server:
        route(cli, f"embed:\n  provider: mistral\n  base_url: {server.url}\n")
        assert cli.json("ai", "test", "embed") == {"space": "mistral/mistral-embed@1/1024", "dimension": 1024}
    assert len(server.seen) == 1
