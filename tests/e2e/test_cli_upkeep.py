"""Cleaning up, pruning, merging, linking and drawing, through the command line."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from calling import Cli

ONE = "Run the database migrations before starting the integration tests in the pipeline"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def added(cli: Cli, text: str, *more: str) -> str:
    return str(cli("add", text, *more, "--json").data["memory_id"])


def test_an_old_episode_is_pruned_and_brought_back(cli: Cli) -> None:  # LK-124
    old = added(cli, "Tried to mend the lock", "--kind", "episode", "--learned", "2020-01-01")

    assert cli("prune", "--dry-run", "--json").data["archived"][0]["id"] == old
    assert "1 archived" in cli("prune").out
    assert cli("show", old, "--json").data["state"] == "archived"
    [run] = cli("maintenance", "--json").data["runs"]
    assert (run["job"], run["steps"], run["is_over"]) == ("prune", 1, True)
    assert "can be taken back until" in cli("maintenance").out

    assert cli("maintenance", "undo", run["id"], "--json").data["restored"] == [old]
    assert cli("show", old, "--json").data["state"] == "live"
    assert cli("maintenance", "undo", run["id"], "--json", code=76).error["code"] == "conflict"


def test_what_says_the_same_becomes_one(cli: Cli) -> None:  # LK-129
    one = added(cli, ONE, "--kind", "pattern")
    cli("edit", one, "--unpin")
    other = added(cli, "Cache the templates", "--kind", "pattern")
    cli("edit", other, "--content", f"{ONE}!")

    told = cli("merge", "--dry-run", "--json").data
    assert told["compared"] == 2 and len(told["merged"]) == 1 and told["run"] == ""
    assert "2 became 1" in cli("merge").out
    assert len(cli("list", "--json").data["memories"]) == 1
    assert cli("merge", "--json").data["merged"] == []


def test_links_are_made_seen_and_drawn(cli: Cli) -> None:  # LK-073 LK-081
    one, other = added(cli, "Locks need a timeout"), added(cli, "Tried a lock", "--kind", "episode")

    made = cli("links", one, "--add", "derived_from", other, "--reason", "seen there", "--json").data
    assert [(tie["relation"], tie["to"], tie["is_outward"]) for tie in made["links"]] == [("derived_from", other, True)]
    assert "← derived_from (from there) Locks need a timeout" in cli("links", other).out
    assert cli("links", one, "--add", "likes", other, "--json", code=64).error["code"] == "bad_value"

    assert f'"{one}" -> "{other}"' in cli("graph").out
    target = cli.folder / "web.svg"
    cli("graph", "--format", "svg", "--output", str(target))
    assert ElementTree.parse(target).getroot().tag.endswith("svg")
    drawn = cli("graph", "--format", "json", "--relation", "derived_from").data
    assert [link["relation"] for link in drawn["links"]] == ["derived_from"] and len(drawn["memories"]) == 2
    assert cli("graph", "--kind", "skill", "--json").data["links"] == []

    wrong = cli("links", other, "--remove", "derived_from", one, "--json", code=67).error
    assert "other way" in wrong["fix"]
    assert cli("links", one, "--remove", "derived_from", other, "--json").data["links"] == []
    assert "no links" in cli("links", other).out


# S12
def test_all_that_a_session_taught_is_counted_taken_out_and_brought_back(cli: Cli) -> None:
    cli("capture", "--session", "s-bad", stdin="MEMORY:fix:Never lock the harbour gate\n")
    cli("capture", "--session", "s-good", stdin="MEMORY:fix:Restart the worker after a deploy\n")
    [bad] = [one["id"] for one in cli("list", "--json").data["memories"] if "harbour" in one["content"]]

    assert "Name a source" in cli("purge", code=2).err
    told = cli("purge", "--session", "s-bad", "--dry-run", "--json").data
    assert [(one["id"], one["what"]) for one in told["memories"]] == [(bad, "archived")] and told["is_dry_run"]
    assert cli("show", bad, "--json").data["state"] == "live"

    assert "1 put away" in (out := cli("purge", "--session", "s-bad").out) and "maintenance undo run-" in out
    assert cli("show", bad, "--json").data["state"] == "archived"
    [run] = cli("maintenance", "--json").data["runs"]
    assert run["job"] == "purge"
    assert "purge" in cli("audit").out
    assert cli("maintenance", "undo", run["id"], "--json").data["restored"] == [bad]

    done = cli("purge", "--session", "s-bad", "--hard", "--json").data
    assert [one["what"] for one in done["memories"]] == ["erased"] and done["erased"] > 0
    assert cli("show", bad, "--json", code=67).error["code"] == "unknown_memory"
    assert [one["content"] for one in cli("list", "--json").data["memories"]] == ["Restart the worker after a deploy"]
    assert "0 memories" in cli("purge", "--session", "s-bad").out
