"""What `--why` explains, and what an answer says without being asked."""

from pathlib import Path

import pytest
from calling import Cli

LONG = "\n\n".join(
    (
        "The image goes to the registry first. " * 9,
        "If a rollout hangs, look at the readiness probe: it waits until the cache is warm. " * 4,
        "Whoever is on call looks at the dashboards afterwards. " * 7,
    )
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.delenv("HINDBRAIN_EMBEDDER", raising=False)
    return Cli(tmp_path, monkeypatch)


def rows(shown: str, name: str) -> list[str]:
    """What stands behind that name."""
    lines = (line.split(maxsplit=1) for line in shown.splitlines())
    return [rest for first, rest in (line for line in lines if len(line) == 2) if first == name]


def test_why_names_words_gate_repeats_and_how_it_was_searched(cli: Cli) -> None:
    first = cli.add("Redis is flushed every night by the cron job on host b")
    again = cli.add("Redis gets flushed every night by the cron job on host b", "--persona", "ed")
    cli.add("Gardens need water")

    shown = cli("recall", "flushed redis cron", "--why", "--limit", "1").out

    assert rows(shown, "words")[0].endswith("flushed, redis, cron")
    assert rows(shown, "gate") == ["1.00, at least 0.25: bears on it"]
    assert rows(shown, "searched") == ["words: nothing here has a vector yet"]
    (repeat,) = rows(shown, "repeat")
    assert repeat.endswith(" says the same as number 1") and repeat.split()[0] in (first, again)


def test_a_slip_is_told_without_being_asked_because_it_changes_the_answer(cli: Cli) -> None:
    cli.add("The docker build needs BUILDKIT=1")
    cli.add("Gardens need water")
    said = "nothing holds 'docekr'; searched for 'docker'"

    plain, why = cli("recall", "docekr"), cli("recall", "docekr", "--why")

    assert cli.json("recall", "docekr")["spelled"] == [{"word": "docekr", "taken_for": "docker"}]
    assert plain.err == f"note: {said}\n" and said not in plain.out
    assert why.err == "" and rows(why.out, "spelled") == [said]


def test_an_answer_that_hardly_bears_on_the_question_says_so(cli: Cli) -> None:
    cli.add("The lights of the zebra crossing stay red for long")

    far = cli("recall", "stay connected to the database of the billing service during a deploy")
    near = cli("recall", "zebra crossing lights")

    assert far.err == "note: nothing bears closely on this; here is what comes nearest\n" and near.err == ""


def test_meaning_finds_what_shares_no_word_and_says_which_piece_spoke(cli: Cli) -> None:
    kept = cli.add("The login page logs people out after 15 minutes")
    cli.add(LONG, "--title", "How we deploy")
    cli("worker", "--once")

    found = cli.json("recall", "users lose their session")
    assert found["how"].startswith("words and meaning") and found["memories"][0]["id"] == kept
    assert found["memories"][0]["similarity"] > 0.3 and found["memories"][0]["gate"]["is_open"]

    asked = "pods are not getting healthy, hot cache missing"
    (deploy,) = (one for one in cli.json("recall", asked)["memories"] if one["title"] == "How we deploy")
    piece = deploy["piece"]
    assert "readiness" in f"How we deploy\n{LONG}"[piece["start"] : piece["end"]]
    (note,) = (reason["note"] for reason in deploy["reasons"] if reason["name"] == "meaning")
    assert note.startswith("“") and note.endswith("…”")
    assert note in cli("recall", asked, "--why").out


def test_inject_explains_itself_beside_the_block_and_not_in_it(cli: Cli) -> None:
    near = cli.add("Redis locks expire after 30 seconds")
    far = cli.add("The seconds hand of the station clock is red")
    task = ["--task-title", "redis locks expire too early, some seconds before the job ends"]

    answer, data = cli("inject", *task, "--why"), cli.json("inject", *task)

    assert near in answer.out and far not in answer.out and "gate" not in answer.out
    told, kept_out = answer.err.split("kept out 1 memory\n")
    assert told.startswith("told 1 memory\n") and near in told and rows(told, "gate")
    assert far in kept_out and rows(kept_out, "gate")[0].endswith("too far off to tell an agent unasked")
    assert rows(kept_out, "searched") == ["words: nothing here has a vector yet"]
    assert [one["memory_id"] for one in data["shown"]] == data["memory_ids"] == [near]
    assert [one["memory_id"] for one in data["kept_out"]] == [far]


def test_inject_that_tells_nothing_says_what_was_kept_out(cli: Cli) -> None:
    cli.add("The seconds hand of the station clock is red")
    answer = cli("inject", "--task-title", "translate the second chapter of the manual into plain words", "--why")

    assert answer.out == "" and "told nothing\n" in answer.err and "kept out 1 memory" in answer.err


def test_of_many_that_were_kept_out_a_person_is_told_the_nearest(cli: Cli) -> None:
    for name in ("station", "kitchen", "chess", "alarm", "church", "kids", "desk"):
        cli.add(f"The seconds hand of the {name} clock is red")
    task = ["--task-title", "translate the second chapter of the manual into plain words"]
    answer = cli("inject", *task, "--why")

    assert len(rows(answer.err, "gate")) == 5 and "and 2 further off; --json has all of them" in answer.err
    assert len(cli.json("inject", *task)["kept_out"]) == 7


def test_a_date_given_by_hand_decides_which_of_two_is_newer(cli: Cli) -> None:
    cli.add("The mail limit of the provider was raised: 500 an hour", "--learned", "2026-03-01")
    old = cli.json("add", "--learned", "2025-03-01T09:30Z", "The mail limit of the provider is 100 an hour, no more")

    assert old["said_at"] == "2025-03-01T09:30:00.000Z"
    assert cli.json("show", old["memory_id"])["learned_at"] == old["said_at"]
    assert cli.contents("recall", "mail limit of the provider")[0].endswith("500 an hour")
    assert "2025-03-01 09:30 UTC" in cli("why", old["memory_id"]).out


def test_a_date_for_a_memory_that_is_known_holds_for_that_one(cli: Cli) -> None:
    known = cli.add("Redis locks expire")

    assert cli.add("Redis locks expire", "--learned", "2026-01-31") == known
    assert cli.json("show", known)["learned_at"] == "2026-01-31T00:00:00.000Z"


def test_nothing_was_learned_in_the_future(cli: Cli) -> None:
    answer = cli("add", "--learned", "2999-01-01", "Too early", "--json", code=64)

    assert answer.error["what"] == "2999-01-01T00:00:00.000Z is in the future"
    assert cli.contents("list") == []
