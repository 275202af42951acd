"""From a scar to a rule and back, as a person does it: on the command line, with real files and several processes."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from calling import SRC, Cli

from hindbrain.adapters.sqlite import SqliteStore

PAGE = b"\xef\xbb\xbf# App\r\n\r\n* Be kind"
LESSON = "Map what `src/img.py` reads before a layer goes"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("HINDBRAIN_EMBEDDER", "off")
    cli = Cli(tmp_path, monkeypatch)
    (cli.folder / "CLAUDE.md").write_bytes(PAGE)
    (cli.folder / "CLAUDE.md").chmod(0o640)
    return cli


def scar(cli: Cli, lesson: str = LESSON, *more: str) -> Any:
    words = ["--kind", "failure", "--title", "Broken images", "--lesson", lesson, "--importance", "8"]
    return cli.json("scar", "add", *words, *more)


def proposed(cli: Cli) -> Sequence[Any]:
    cli("learn")
    found: Sequence[Any] = cli.json("feed")["suggestions"]
    return found


def test_a_scar_becomes_a_rule_and_the_rule_goes_without_a_trace(cli: Cli) -> None:  # HB-090, HB-091, HB-115, HB-116
    page = cli.folder / "CLAUDE.md"
    scar(cli)
    assert cli.json("scars")["scars"][0]["body"]["check_added"] == LESSON
    (suggestion,) = proposed(cli)
    assert suggestion["destination"] == "claude_md" and f"+* {LESSON}" in suggestion["diff"]
    assert page.read_bytes() == PAGE

    (rule,) = cli.json("apply", suggestion["id"], "--by", "anna")["suggestions"]
    assert rule["status"] == "applied" and not cli.json("feed")["suggestions"]
    assert page.read_bytes() == PAGE + f"\r\n\r\n## Lessons\r\n\r\n* {LESSON}".encode()
    assert page.stat().st_mode & 0o777 == 0o640
    assert cli.json("rules")["rules"][0]["effect"]["verdict"] == "too early to tell"
    assert cli.json("audit")["entries"][0]["actor"] == "human anna"
    assert cli.json("audit", "verify") == {"entries": 1, "fault": None, "anchored": 1, "is_intact": True}

    walk = cli.json("why", rule["id"])
    assert walk["scar"]["memory"]["id"] == rule["scar_id"] and walk["decisions"][0]["action"] == "apply"
    assert cli.json("why", "CLAUDE.md:7")["suggestion"]["id"] == rule["id"]

    assert cli.json("undo", rule["id"])["suggestions"][0]["status"] == "undone"
    assert page.read_bytes() == PAGE and page.stat().st_mode & 0o777 == 0o640
    assert cli.json("audit", "verify")["is_intact"]


def test_a_failure_that_an_agent_cured_walks_all_the_way_to_a_rule_and_back(cli: Cli) -> None:  # HB-085, HB-098
    failed = "ValueError: no rows in src/rows.py"
    for deed, subject, *more in (
        ("gate", "tests", "--result", "failed", "--detail", failed),
        ("edit", "src/rows.py", "--detail", "- rows = None\n+ rows = rows or []"),
        ("gate", "tests", "--result", "passed"),
    ):
        cli("activity", "add", "--session", "7f3c", "--deed", deed, "--subject", subject, *more)
    (suggestion,) = proposed(cli)
    assert "src/rows.py" in suggestion["text"] and suggestion["destination"] == "claude_md"
    cli("apply", suggestion["id"])
    walk = cli.json("why", suggestion["id"])
    assert [one["subject"] for one in walk["activities"]] == ["tests", "src/rows.py", "tests"]
    assert walk["scar"]["receipt"]["text"] and walk["sources"][0]["type"] == "fix"
    assert "seen gate tests failed" in cli("why", suggestion["id"]).out
    for session in ("s-1", "s-2"):
        words = ["--deed", "gate", "--subject", "tests", "--result", "failed", "--detail", failed]
        cli("activity", "add", "--session", session, *words)
    assert cli.json("rules")["rules"][0]["effect"]["verdict"] == "no effect"
    (removal,) = proposed(cli)
    assert removal["removes"] == suggestion["id"] and f"-* {suggestion['text']}" in removal["diff"]
    assert "remove from claude_md" in cli("feed").out
    cli("apply", removal["id"])
    assert (cli.folder / "CLAUDE.md").read_bytes() == PAGE and cli.json("rules")["rules"] == []


def test_a_diff_can_be_given_to_git(cli: Cli) -> None:
    scar(cli)
    (suggestion,) = proposed(cli)
    done = subprocess.run(
        ["git", "apply", "--check", "-"], input=suggestion["diff"].encode(), cwd=cli.folder, check=False
    )
    assert done.returncode == 0


def test_people_read_what_is_proposed_and_what_was_decided(cli: Cli) -> None:
    scar(cli)
    assert "8       Broken images" in cli("scars").out and "1 scar" in cli("scar").out
    assert "1 suggestion" in cli("learn").out and "Nothing new" in cli("learn").out
    shown = cli("feed").out
    assert "claude_md" in shown and f"+* {LESSON}" in shown and "hindbrain apply|patch|refuse|snooze sug-" in shown
    (suggestion,) = cli.json("feed")["suggestions"]
    key = suggestion["id"]
    assert "pending" in cli("snooze", key, "--until", "2999-01-01").out
    assert "Nothing waits" in cli("feed").out and LESSON in cli("feed", "--all").out
    assert "modified: Broken images" in cli("apply", patched(cli, key)).out
    assert "too early to tell" in cli("rules").out and "CLAUDE.md" in cli("rules").out
    assert "patch" in cli("audit", "list").out and "intact: 3 entries" in cli("audit", "verify").out
    assert "taught by a person" in cli("why", key).out
    assert "undone" in cli("undo", key).out
    assert "No rules" in cli("rules").out


def patched(cli: Cli, key: str) -> str:
    assert "hindbrain apply" in cli("patch", key, "--file", "-", stdin="Look at what is read").out
    return key


def test_a_rule_in_my_own_words_is_modified(cli: Cli) -> None:  # HB-117
    scar(cli)
    (suggestion,) = proposed(cli)
    changed = cli.json("patch", suggestion["id"], "--text", "Look first", "--apply")
    assert changed["status"] == "modified" and b"* Look first" in (cli.folder / "CLAUDE.md").read_bytes()
    cli("patch", suggestion["id"], code=2)
    cli("patch", suggestion["id"], "--text", "a", "--file", "b", code=2)


def test_what_was_refused_is_never_proposed_again(cli: Cli) -> None:  # HB-118
    scar(cli)
    (suggestion,) = proposed(cli)
    assert cli.json("refuse", suggestion["id"], "--reason", "no")["suggestions"][0]["status"] == "refused"
    scar(cli)
    assert proposed(cli) == [] and (cli.folder / "CLAUDE.md").read_bytes() == PAGE
    assert "decided already" in cli("apply", suggestion["id"], code=76).err


def test_a_file_that_changed_is_offered_a_rebase_and_an_undo_a_merge(cli: Cli) -> None:
    page = cli.folder / "CLAUDE.md"
    scar(cli)
    (suggestion,) = proposed(cli)
    page.write_text("# Mine\n")
    assert cli.json("feed")["suggestions"][0]["is_stale"] and "--rebase" in cli("feed").out
    assert "--rebase" in cli("apply", suggestion["id"], code=76).err
    cli("apply", suggestion["id"], "--rebase")
    page.write_text(page.read_text() + "- by hand\n")
    assert "--merge" in cli("undo", suggestion["id"], code=76).err
    cli("undo", suggestion["id"], "--merge")
    assert page.read_text() == "# Mine\n\n## Lessons\n\n- by hand\n"


def test_what_is_safe_goes_together(cli: Cli) -> None:
    scar(cli)
    scar(cli, "Never run `git push --force` here")
    proposed(cli)
    assert len(cli.json("apply", "--all-safe")["suggestions"]) == 1
    assert [one["destination"] for one in cli.json("feed")["suggestions"]] == ["settings_json"]
    cli("apply", code=2)
    assert cli.json("apply", "--all-safe")["suggestions"] == []
    assert "Nothing was done" in cli("apply", "--all-safe").out


def started(cli: Cli, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.Popen(cli.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def test_two_processes_that_apply_at_once_make_one_rule(cli: Cli) -> None:
    scar(cli)
    (suggestion,) = proposed(cli)
    running = [started(cli, "apply", suggestion["id"]) for _ in range(2)]
    for one in running:
        one.communicate(timeout=60)
    assert sorted(one.returncode for one in running) == [0, 76]
    assert (cli.folder / "CLAUDE.md").read_bytes().count(LESSON.encode()) == 1
    assert cli.json("audit", "verify") == {"entries": 1, "fault": None, "anchored": 1, "is_intact": True}


def test_two_processes_that_apply_two_rules_to_one_file_lose_none(cli: Cli) -> None:
    lessons = [f"Look into `src/{name}.py` before you change it" for name in ("alpha", "beta")]
    for lesson in lessons:
        scar(cli, lesson)
    running = [started(cli, "apply", one["id"]) for one in proposed(cli)]
    for one in running:
        one.communicate(timeout=60)
    assert [one.returncode for one in running] == [0, 0]
    text = (cli.folder / "CLAUDE.md").read_text()
    assert all(lesson in text for lesson in lessons) and cli.json("audit", "verify")["is_intact"]


TAMPERS = {
    "edit": ("UPDATE audit SET actor = 'human eve' WHERE seq = 2", 2),
    "detail": ("UPDATE audit SET detail = detail || ' ' WHERE seq = 3", 3),
    "moment": ("UPDATE audit SET at = substr(at, 1, 19) || 'Z' WHERE seq = 3", 3),
    "no JSON": ("UPDATE audit SET detail = 'x' WHERE seq = 1", 1),
    "delete": ("DELETE FROM audit WHERE seq = 2", 2),
    "reorder": ("UPDATE audit SET seq = 99 WHERE seq = 1; UPDATE audit SET seq = 1 WHERE seq = 2;"
                "UPDATE audit SET seq = 2 WHERE seq = 99", 1),
    "truncate": ("DELETE FROM audit WHERE seq >= 3; DELETE FROM meta WHERE name = 'audit'", 3),
    "rollback": ("DELETE FROM audit WHERE seq >= 2; UPDATE meta SET value = '1 ' ||"
                 " (SELECT hash FROM audit WHERE seq = 1) || char(10) WHERE name = 'audit'", 2),
    "empty": ("DELETE FROM audit; DELETE FROM meta WHERE name = 'audit'", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERS)
def test_the_first_bad_entry_is_named(cli: Cli, name: str) -> None:
    sql, seq = TAMPERS[name]
    for lesson in ("alpha", "beta", "gamma"):
        scar(cli, f"Look into `src/{lesson}.py` before you change it")
    for one in proposed(cli):
        cli("apply", one["id"])
    store = SqliteStore(cli.home / "hindbrain.db")  # somebody who has our program, too: the rows' seals are right again
    store._connection().execute(sql)
    store.close()
    told = cli.json("audit", "verify", code=1)
    assert told["fault"]["seq"] == seq and not told["is_intact"]
    assert re.search(rf"broken at entry {seq}: \w", cli("audit", "verify", code=1).out)


def test_wrong_words_are_told_and_change_nothing(cli: Cli) -> None:
    assert "draw" in cli("scar", "add", "--kind", "draw", "--title", "a", "--lesson", "b", code=64).err  # HB-092
    assert "empty" in cli("scar", "add", "--kind", "failure", "--title", "a", "--lesson", " ", code=64).err  # HB-093
    assert "no suggestion" in cli("apply", "sug-nothing", code=67).err
    assert cli.json("scar", "add", "--kind", "victory", "--title", "a", "--lesson", "b c", "--importance", "99")
    assert cli.json("scar")["scars"][0]["importance"] == 10  # HB-094
    scar(cli, "d e f", "--not-learnable")
    assert len(proposed(cli)) == 1  # HB-095
    scar(cli, "g h i", "--project", "elsewhere")
    assert "known by its name only" in cli("learn", "--project", "elsewhere").out


def test_a_new_scar_is_found_at_once(cli: Cli) -> None:  # HB-086, HB-061
    made = scar(cli)
    assert cli.json("recall", "what reads the images before a layer goes")["memories"][0]["id"] == made["memory_id"]
