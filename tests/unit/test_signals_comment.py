"""Beads comments in the commands that an agent ran."""

import json
from pathlib import Path

import pytest

from hindbrain.core.signals import Reach, Refusal, Signal, find_in_command, shell

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared/samples/beads/golden/memory-capture.6d7ab9e.golden.json"

Entries = list[tuple[str, str, str]]


def entries(command: str) -> Entries:
    found = find_in_command(command)
    return [(item.type, item.text, item.task) for item in found if isinstance(item, Signal)]


def reasons(command: str) -> list[str]:
    return [item.reason for item in find_in_command(command) if isinstance(item, Refusal)]


# BD-002 BD-008 BD-011 BD-016
def test_a_learned_comment_is_shared_knowledge_with_its_bead():
    assert find_in_command('bd comment BD-001 "LEARNED: TaskGroup requires @Sendable closures."') == (
        Signal(
            form="comment",
            name="LEARNED",
            type="learned",
            text="TaskGroup requires @Sendable closures.",
            reach=Reach.SHARED,
            line=1,
            task="BD-001",
        ),
    )


# BD-007
def test_an_investigation_is_its_own_type():
    assert entries('bd comment BD-2 "INVESTIGATION: Root cause: a.swift:45"') == [
        ("investigation", "Root cause: a.swift:45", "BD-2")
    ]


X = ("learned", "x", "BD-1")


# BD-012 F-23 F-24
@pytest.mark.parametrize(
    "command",
    [
        "bd comment BD-1 'LEARNED: x'",
        "bd comments add BD-1 'LEARNED: x'",
        "bd note BD-1 'LEARNED: x'",
        "bd comment BD-1 LEARNED: x",
        "bd --json comment BD-1 'LEARNED: x'",
        "bd --actor ed comment BD-1 'LEARNED: x'",
        "bd --db=/tmp/x.db comment BD-1 'LEARNED: x'",
        "bd comment BD-1 --json 'LEARNED: x'",
        "bd comment --author ed BD-1 'LEARNED: x' -q",
        "bd comment BD-1 -- 'LEARNED: x'",
        "bd comment BD-1 'LEARNED: x' 2>/dev/null || true",
        "bd comment BD-1 'LEARNED: x' >/dev/null 2>&1 && bd close BD-1",
        "bd comment BD-1 'LEARNED: x' | tail -1",
        "cd /x && bd comment BD-1 'LEARNED: x'",
        "cd /x; bd comment BD-1 'LEARNED: x'; ls",
        "ls\nbd comment BD-1 'LEARNED: x'\nls",
        "(cd /x; bd comment BD-1 'LEARNED: x')",
        "A=1 B='2 3' bd comment BD-1 'LEARNED: x'",
        "env A=1 bd comment BD-1 'LEARNED: x'",
        "./bd comment BD-1 'LEARNED: x'",
        "/usr/bin/bd comment BD-1 'LEARNED: x'",
        "if true; then bd comment BD-1 'LEARNED: x'; fi",
        "for i in 1; do bd comment BD-1 'LEARNED: x'; done",
        "true && { bd comment BD-1 'LEARNED: x'; }",
        "out=$(bd comment BD-1 'LEARNED: x')",
        "bash -c \"bd comment BD-1 'LEARNED: x'\"",
        "bd comment \\\n  BD-1 \\\n  'LEARNED: x'",
        "bd comment BD-1 $'LEARNED: x'",
        "bd comment BD-1 $'LEARNED:\\tx\\n'",
        'bd comment BD-1 "LEARNED: ""x"',
        "bd comment BD-1 -f - <<'EOF'\nLEARNED: x\nEOF",
        "bd comment BD-1 --file - <<EOF\nLEARNED: x\nEOF\nls",
        "bd comment BD-1 --file=- <<EOF && ls\nLEARNED: x\nEOF",
        "bd comment BD-1 --stdin <<-EOF\n\tLEARNED: x\n\tEOF",
        "bd comment BD-1 - <<< 'LEARNED: x'",
        "bd comment BD-1 \"$(cat <<'EOF'\nLEARNED: x\nEOF\n)\"",
        "bd comment BD-1 'LEARNED: x' # done",
        "cat > f <<'EOF'\nit's \"open\nEOF\nbd comment BD-1 'LEARNED: x'",
        "bd comment BD-1 'LEARNED: x' &",
    ],
)
def test_a_comment_is_found_however_the_shell_is_written(command):
    assert entries(command) == [X]
    assert reasons(command) == []


# F-23 F-24
@pytest.mark.parametrize(
    "command",
    [
        "abd comment BD-1 'LEARNED: x'",
        "bd-old comment BD-1 'LEARNED: x'",
        "# bd comment BD-1 'LEARNED: x'",
        "ls # bd comment BD-1 'LEARNED: x'",
        "echo \"bd comment BD-1 'LEARNED: x'\"",
        "echo bd comment BD-1 'LEARNED: x'",
        "git commit -m 'LEARNED: x'",
        "cat > notes.md <<'EOF'\nbd comment BD-1 \"LEARNED: x\"\nEOF",
        "bd create 'LEARNED: x'",
        "bd comment BD-1 'see LEARNED: x'",
    ],
)
def test_a_prefix_outside_a_comment_is_refused(command):
    assert entries(command) == []
    assert reasons(command) == ["not_a_comment"]


@pytest.mark.parametrize(
    "command",
    ["", "ls -la", "bd close BD-1", "bd comment BD-1 'just a note'", "bd comment BD-1 'UNLEARNED: x'", "bd comment"],
)
def test_a_command_without_a_prefix_is_no_entry_and_no_refusal(command):  # BD-003
    assert find_in_command(command) == ()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("bd comment BD-1 'LEARNED:   '", "empty"),
        ("bd comment BD-1 'learned: x'", "unknown_type"),
        ("bd comment BD-1 'LEARNED: ...'", "example"),
        ('bd comment BD-1 "LEARNED: never closed', "unclosed"),
        ("echo MEMORY:fix:x", "not_agent"),
        ("echo '<chorus>LEARNING_LOCAL:x</chorus>'", "not_agent"),
    ],
)
def test_a_faulty_comment_is_refused_with_its_reason(command, reason):
    assert entries(command) == []
    assert reasons(command) == [reason]


#
def test_declaring_that_nothing_was_learned_is_recorded_and_not_stored():
    (item,) = find_in_command("bd comment BD-1 'LEARNED: none — only a typo was fixed'")

    assert isinstance(item, Refusal)
    assert item.reason == "none_declared"
    assert "only a typo was fixed" in item.detail


#
def test_a_lesson_that_begins_with_none_is_a_lesson():
    assert entries("bd comment BD-1 'LEARNED: none of the mocks are reset'") == [
        ("learned", "none of the mocks are reset", "BD-1")
    ]


# F-23
def test_every_comment_of_a_command_line_is_an_entry():
    command = 'bd comment A-1 "LEARNED: first" && bd comment A-2 "LEARNED: second"'

    assert entries(command) == [("learned", "first", "A-1"), ("learned", "second", "A-2")]


# F-24
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("LEARNED: one. LEARNED: two.", [("learned", "one."), ("learned", "two.")]),
        ("LEARNED: one INVESTIGATION: two", [("learned", "one"), ("investigation", "two")]),
        ("INVESTIGATION: a\nLEARNED: b", [("investigation", "a"), ("learned", "b")]),
        ("LEARNED: comments need the LEARNED: prefix", [("learned", "comments need the LEARNED: prefix")]),
        ("LEARNED: write `LEARNED: x` there", [("learned", "write `LEARNED: x` there")]),
    ],
)
def test_several_prefixes_in_a_body_are_several_entries(body, expected):
    assert entries(f"bd comment B-1 '{body}'") == [(kind, text, "B-1") for kind, text in expected]


# BD-023
def test_the_bead_is_the_id_and_nothing_else():
    assert entries('bd comment proj-abc.12 "LEARNED: line one\nline two"') == [
        ("learned", "line one\nline two", "proj-abc.12")
    ]
    assert entries('bd comment "$ID" "LEARNED: x"') == [("learned", "x", "")]


# BD-017 Q-22
def test_a_long_comment_is_cut_on_a_character():
    ((_, text, _),) = entries(f"bd comment B-1 'LEARNED: {'ü' * 3_000}'")

    assert text == "ü" * 1_024
    ((_, text, _),) = entries(f"bd comment B-1 'LEARNED: x{'€' * 3_000}'")
    assert text == "x" + "€" * 682


#
def test_what_stands_beyond_the_body_limit_is_not_read():
    command = f"bd comment B-1 'LEARNED: {'a' * 3_000}. {'b' * 2_000} LEARNED: late'"

    assert [text for _, text, _ in entries(command)] == ["a" * 2_048]


def test_a_command_longer_than_any_shell_takes_is_refused_beyond_the_limit():
    command = "x" * 200_000 + "; bd comment B-1 'LEARNED: x'"

    assert reasons(command) == ["too_long"]


def test_line_numbers_lead_to_the_command():
    found = find_in_command("ls\nls\nbd comment B-1 'LEARNED: x\nLEARNED: y'\n# LEARNED: z")

    assert [item.line for item in found] == [3, 4, 5]


# R21: finishing is the claim
@pytest.mark.parametrize("piece", ["$(", '"$(', "<<E ", "(", "\\", "`", "'", ";", "${", "\u00a0", "\x0b", "a\n"])
def test_any_heap_of_shell_marks_is_read_to_its_end(piece):
    find_in_command("LEARNED: " + piece * 50_000)


# The recorded answers of the upstream script, where ours differ on purpose: (ours, why).
DEVIATIONS: dict[str, tuple[Entries, str]] = {
    "both_prefixes": (
        [("learned", "first part", "BD-004"), ("investigation", "second part", "BD-004")],
        "F-24: each prefix is an entry; upstream keeps the last only",
    ),
    "two_learned": (
        [("learned", "one.", "BD-005"), ("learned", "two.", "BD-005")],
        "F-24: each prefix is an entry; upstream keeps the last only",
    ),
    "chained": (
        [("learned", "chained body", "BD-010")],
        "F-23: the rest of the command line is not part of the comment",
    ),
    "two_comments": (
        [("learned", "first entry", "BD-012"), ("learned", "second entry", "BD-013")],
        "F-23: each comment command is an entry; upstream keeps the last only",
    ),
    "multiline": (
        [("learned", "line one\nline two\nline three", "BD-014")],
        "F-23, BD-023: the body does not leak into the bead",
    ),
    "escaped_quotes": ([("learned", 'use "quoted" words', "BD-017")], "F-23: quotes as the shell passes them on"),
    "long_slug": (
        [("learned", " ".join(["abcdefghij"] * 12), "BD-020")],
        "F-23: trimmed, like every signal",
    ),
    "trailing_space": ([("learned", "trailing spaces", "BD-036")], "F-23: trimmed, like every signal"),
    "comments_add": ([("learned", "new syntax of bd", "BD-025")], "BD-012: the command of newer trackers counts"),
    "extra_flags": ([("learned", "flag before comment", "BD-030")], "F-24: flags may stand before the verb"),
}


# BD-010 BD-016 BD-017 BD-023 F-23 F-24
def test_the_recorded_upstream_answers_are_ours_except_where_listed():
    if not GOLDEN.exists():
        pytest.skip("the recorded answers are not beside this project")
    cases = json.loads(GOLDEN.read_text("utf-8"))
    seen = set()
    for case in cases:
        is_shell = case["input"]["tool_name"] == "Bash"
        ours = entries(case["input"]["tool_input"]["command"]) if is_shell else []
        theirs = [(entry["type"], entry["content"], entry["bead"]) for entry in case["entries"]]
        if case["case"] in DEVIATIONS:
            seen.add(case["case"])
            assert ours == DEVIATIONS[case["case"]][0], case["case"]
            assert ours != theirs, f"{case['case']} is no deviation"
        else:
            assert ours == theirs, case["case"]
    assert seen == set(DEVIATIONS)


def test_a_command_knows_what_joins_it_to_the_one_before() -> None:
    script = shell.parse("cd a && (make; n=$(wc -l)) | tail -3 || true\nls &\n")
    found = [(item.joint, item.words[0], item.is_inner) for item in script.items if isinstance(item, shell.Command)]
    assert found == [
        ("", "cd", False),
        ("&&(", "make", False),
        (";", "n=$(wc -l)", False),
        ("", "wc", True),
        ("|", "tail", False),
        ("||", "true", False),
        ("\n", "ls", False),
    ]
