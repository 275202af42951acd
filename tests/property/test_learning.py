"""Laws of the loop from a scar to a rule: pages keep their style, logs cannot be changed unseen, undo is exact."""

import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from building import NOW, FakeChance, FakeClock, a_memory, a_project, keep
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.adapters.pages import LocalPages
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.app.draw import drawn
from hindbrain.app.enact import apply, undo
from hindbrain.app.log import anchor, audit
from hindbrain.app.tools import Tools
from hindbrain.core.learning.audit import START, Entry, Head, first_fault, head_of, read_head, seal
from hindbrain.core.learning.destinations import diff
from hindbrain.core.learning.importance import clamped, importance
from hindbrain.core.learning.page import bytes_of, text_of, with_item, with_line, without_item, without_line
from hindbrain.core.learning.suggest import name_of, rule_text, suggest
from hindbrain.core.model.memory import Kind
from hindbrain.core.model.suggestion import Destination, Edit, Suggestion
from hindbrain.core.value import replace
from hindbrain.ports import Changes
from hindbrain.settings import Settings

ENDS = st.sampled_from(["\n", "\r\n"])
LINE = st.one_of(
    st.sampled_from(["# Title", "## Lessons", "## Other", "- one", "* two", "+ three", "", "```", "text", "  - deep"]),
    st.text(st.characters(exclude_characters="\n\r", exclude_categories=("Cs",)), max_size=20),
)


@st.composite
def pages(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    text = end.join(draw(st.lists(LINE, max_size=12)))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", end]))


ITEM = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30).map(rule_text).filter(bool)


def lost(before: str, after: str) -> list[str]:
    """Lines of one text that are not, in this order, in the other."""
    left = iter(after.replace("\r\n", "\n").split("\n"))
    return [line for line in before.replace("\r\n", "\n").split("\n") if line and line not in left]


@given(pages(), ITEM)
def test_an_item_comes_in_and_no_other_line_moves(text: str, item: str) -> None:
    after = with_item(text, item, section="Lessons")
    assert lost(text, after) == [] and item in after
    assert with_item(after, item, section="Lessons") == after
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    assert after.endswith("\n") == (not text or text.endswith("\n"))


@given(pages(), ITEM)
def test_new_lines_end_as_the_others_do(text: str, item: str) -> None:
    after = with_item(text, item, section="Lessons")
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        assert "\n" not in after.replace("\r\n", "")
    if "\r" not in text:
        assert "\r" not in after


@given(pages(), ITEM)
def test_an_item_goes_as_it_came(text: str, item: str) -> None:
    after = without_item(with_item(text, item, section="Lessons"), item, section="Lessons")
    gone = Counter(text.replace("\r\n", "\n").split("\n")) - Counter(after.replace("\r\n", "\n").split("\n"))
    # A section that held nothing else goes with its last item, and an item that was there before cannot be told apart.
    assert all(not line.strip("\ufeff") or "lessons" in line.casefold() or item in line for line in gone)
    assert without_item(after, "never said by anybody", section="Lessons") == after


@given(pages(), st.lists(st.sampled_from(["a.md", "b.md", "c.md", "d.md"]), unique=True))
def test_an_index_stays_sorted_and_complete(text: str, names: Sequence[str]) -> None:  # HB-003, HB-011
    start = text.replace("](", "]-(")
    page = start
    for name in names:
        page = with_line(page, f"[T]({name}) — hook", key=name)
    found = [line.partition("](")[2].partition(")")[0] for line in page.split("\n") if "](" in line]
    assert found == sorted(names)
    for name in names:
        page = without_line(page, key=name)
    assert lost(start, page) == [] and "](" not in page


@given(st.binary(max_size=200))
def test_every_file_gives_its_bytes_back(content: bytes) -> None:
    assert bytes_of(text_of(content)) == content


@given(st.text(max_size=300))
def test_a_rule_is_one_line_that_opens_nothing(text: str) -> None:
    said = rule_text(text)
    assert "\n" not in said and "```" not in said and "<!--" not in said
    assert rule_text(said) == said or "@" in said


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Read @~/.ssh/id_rsa first", "Read `@~/.ssh/id_rsa` first"),
        ("Use `@property` here, and @cache there", "Use `@property` here, and `@cache` there"),
        ("mail me@example.org", "mail me@example.org"),
    ],
)
def test_a_rule_loads_no_file(said: str, written: str) -> None:
    assert rule_text(said) == written


@given(st.text(max_size=200))
def test_a_name_is_one_that_every_disk_and_the_skill_standard_take(title: str) -> None:
    name = name_of(title)
    assert 0 < len(name) <= 64 and name == name.strip("-") and "--" not in name
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@given(st.text(max_size=100), st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_importance_stays_within_its_scale_and_never_falls_with_more_cost(
    text: str, steps: int, sessions: int, is_gate: bool
) -> None:
    value = importance(text, steps=steps, sessions=sessions, is_gate=is_gate)
    assert 0 <= value <= 10
    assert importance(text, steps=steps + 9, sessions=sessions + 2, is_gate=is_gate) >= value
    assert clamped(-3) == 0 and clamped(99) == 10  # HB-094


@given(st.text(min_size=1, max_size=400), st.integers(0, 10))
def test_every_lesson_has_a_place_among_the_six(lesson: str, weight: int) -> None:
    scar = a_memory(lesson, kind=Kind.SCAR, importance=weight, body={"check_added": lesson, "outcome": "failure"})
    draft = suggest(scar)
    assert draft.destination in tuple(Destination) and draft.reason and draft.name


def patched(before: str, text: str) -> str:
    """What `patch` makes of one file with one hunk."""
    lines = [f"{part}\n" for part in before.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    lines = lines if lines[-1] else lines[:-1]
    hunk = text.split("\n")[3:-1]
    start, count = map(int, text.split("\n")[2].split()[1].removeprefix("-").split(","))
    at = start - 1 if count else start
    new: list[str] = []
    old = 0
    for number, line in enumerate(hunk):
        if line.startswith("\\"):
            continue
        is_open = number + 1 < len(hunk) and hunk[number + 1].startswith("\\")
        body = line[1:] + ("" if is_open else "\n")
        old += line[0] in " -"
        new += [body] if line[0] in " +" else []
    return "".join([*lines[:at], *new, *lines[at + old :]])


TEXTS = st.text(st.sampled_from("ab\r\n"), max_size=30)


@given(TEXTS, TEXTS)
def test_a_diff_is_a_real_one(before: str, after: str) -> None:
    shown = diff((Edit(folder="/f", path="x", before=before.encode(), after=after.encode()),))
    assert (patched(before, shown) if shown else before) == after


# --- the log


def a_log(size: int) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(size):
        head = head_of(entries[-1]) if entries else Head()
        draft = Entry(
            at=NOW + timedelta(seconds=number),
            project="prj-one",
            actor="human anna",
            action="apply",
            subject=f"sug-{number}",
            detail={"n": number, "path": "CLAUDE.md"},
        )
        entries.append(seal(draft, head))
    return entries


def tampered(entries: Sequence[Entry], chance: random.Random) -> tuple[list[Entry], int]:
    """The log after somebody was at it, and the first entry that is not what it was."""
    log, at = list(entries), chance.randrange(len(entries))
    match chance.choice(["edit", "delete", "reorder", "truncate", "renumber", "rehash", "insert"]):
        case "edit":
            fields = {"actor": "human eve", "subject": "sug-x", "detail": {"n": -1}, "prev": "f" * 64, "project": "p"}
            name = chance.choice([*fields, "at", "hash", "action"])
            other = {"at": NOW - timedelta(days=1), "hash": "e" * 64, "action": "refuse"} | fields
            log[at] = replace(log[at], **{name: other[name]})
            return log, at + 1
        case "delete":
            del log[at]
            return log, at + 1
        case "reorder":
            other_at = (at + 1 + chance.randrange(len(log) - 1)) % len(log)
            first, second = sorted((at, other_at))
            log[first], log[second] = log[second], log[first]
            return log, first + 1
        case "truncate":
            return log[:at], at + 1
        case "renumber":  # a hole that somebody closed
            log = [*log[:at], *(replace(one, seq=one.seq - 1) for one in log[at + 1 :])]
            return log, at + 1
        case "insert":
            made = seal(replace(log[at], subject="sug-forged"), head_of(log[at - 1]) if at else Head())
            return [*log[:at], made, *log[at:]], at + 1
        case _:  # everything behind it computed anew
            head = head_of(log[at - 1]) if at else Head()
            for number in range(at, len(log)):
                log[number] = seal(replace(log[number], actor="human eve"), head)
                head = head_of(log[number])
            return log, len(log)


# S12
def test_a_thousand_tampers_are_all_found_and_named() -> None:
    entries, chance = a_log(40), random.Random(7)
    head = head_of(entries[-1])
    assert first_fault(entries, heads=[head]) is None
    for _ in range(1_000):
        log, first = tampered(entries, chance)
        fault = first_fault(log, heads=[head])
        assert fault is not None
        assert fault.seq in (first, first + 1) if len(log) > len(entries) else fault.seq == first


def at_the_rows(db: apsw.Connection, entries: Sequence[Entry], chance: random.Random) -> int:
    """Somebody with SQL and time: the first entry that is not what it was. The head beside the rows goes with them."""
    last, at = len(entries), chance.randrange(1, len(entries) + 1)
    columns = ["at", "project", "actor", "action", "subject", "detail", "prev", "hash"]
    match chance.choice(["edit", "byte", "delete", "renumber", "swap", "truncate", "forge"]):
        case "edit":
            db.execute(f"UPDATE audit SET {chance.choice(columns)} = 'x' WHERE seq = ?", (at,))
        case "byte":
            name, place = chance.choice(columns), chance.randrange(1, 9)
            changed = f"substr({name}, 1, {place} - 1) || char(unicode(substr({name}, {place})) + 1)"
            db.execute(f"UPDATE audit SET {name} = {changed} || substr({name}, {place} + 1) WHERE seq = ?", (at,))
        case "delete":
            db.execute("DELETE FROM audit WHERE seq = ?", (at,))
        case "renumber":
            db.execute("DELETE FROM audit WHERE seq = ?", (at,))
            db.execute("UPDATE audit SET seq = -seq WHERE seq > ?", (at,))
            db.execute("UPDATE audit SET seq = -seq - 1 WHERE seq < 0")
        case "swap":
            other = chance.choice([one for one in range(1, last + 1) if one != at])
            at, other = min(at, other), max(at, other)
            for old, new in ((at, -1), (other, at), (-1, other)):
                db.execute("UPDATE audit SET seq = ? WHERE seq = ?", (new, old))
        case "truncate":
            db.execute("DELETE FROM audit WHERE seq >= ?", (at,))
            head = head_of(entries[at - 2]) if at > 1 else Head()
            db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (head.text,))
        case _:
            forged = seal(replace(entries[at - 1], actor="human eve"), head_of(entries[at - 2]) if at > 1 else Head())
            db.execute("UPDATE audit SET actor = ?, hash = ? WHERE seq = ?", (forged.actor, forged.hash, at))
            return at + 1 if at < last else at  # it is whole by itself; what follows does not follow it
    return at


def test_a_thousand_tampers_with_the_database_are_all_found_and_named(tmp_path: Path) -> None:
    store, chance, entries = SqliteStore(tmp_path / "home" / "hindbrain.db"), random.Random(11), a_log(24)
    a_project(store, "one")
    tools = replace(the_tools(tmp_path), store=store, pages=LocalPages())
    for entry in entries:
        store.write(lambda tx, entry=entry: tx.apply(Changes(audits=(entry,))))  # type: ignore[misc]
    anchor(tools)
    db = store._connection()
    assert audit(tools).fault is None and audit(tools).anchored == len(entries)
    for _ in range(1_000):
        db.execute("SAVEPOINT tamper")
        first = at_the_rows(db, entries, chance)
        fault = audit(tools).fault
        assert fault is not None and fault.seq == first
        db.execute("ROLLBACK TO tamper")
        db.execute("RELEASE tamper")
    assert audit(tools).fault is None
    store.close()


def test_a_log_that_grew_behind_its_note_is_whole() -> None:
    entries = a_log(5)
    assert first_fault(entries, heads=[Head(), head_of(entries[2]), head_of(entries[4])]) is None
    assert first_fault([], heads=[Head()]) is None
    assert first_fault([], heads=[head_of(entries[0])]) is not None


@given(st.integers(0, 10**9), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_a_head_is_read_as_it_was_written(seq: int, digest: str) -> None:
    head = Head(seq=seq, hash=digest)
    assert read_head(head.text) == head
    assert read_head(head.text + " ") is None and read_head(f"x {START}\n") is None


# --- apply and undo


def the_tools(folder: Path) -> Tools:
    store = DictStore()
    a_project(store, "one")
    options = Settings(home=str(folder / "home"), store=str(folder / "home" / "hindbrain.db"))
    return Tools(
        store=store,
        clock=FakeClock(),
        chance=FakeChance(),
        files=LocalFiles(),
        settings=options,
        pages=LocalPages(),
    )


def proposed(tools: Tools, root: Path, *, number: int, destination: Destination, text: str) -> Suggestion:
    setting: dict[str, object] = {"at": ["permissions", "deny"], "value": f"Bash(cmd{number}:*)"}
    whole: dict[str, object] = {"skill": {"title": f"Scar {number}", "steps": ["one", "two"]}} if number % 2 else {}
    scar = a_memory(f"scar {number}", id=f"mem-{number:04d}", kind=Kind.SCAR)
    keep(tools.store, scar)
    suggestion = drawn(
        Suggestion(
            id=f"sug-{number:04d}",
            project="prj-one",
            destination=destination,
            title=f"Scar {number}",
            text=rule_text(text) or "x",
            key=f"k{number}",
            created_at=NOW + timedelta(seconds=number),
            scar_id=scar.id,
            name=name_of(f"scar {number % 7}" if destination is Destination.SKILL else f"scar {number}"),
            data={Destination.SETTINGS_JSON: setting, Destination.SKILL: whole}.get(destination, {}),
            root=str(root),
        ),
        tools=tools,
    )
    tools.store.write(lambda tx: tx.apply(Changes(suggestions=(suggestion,))))
    return suggestion


def files_of(root: Path) -> dict[str, tuple[bytes, int]]:
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode) for path in found}


def walked(root: Path, chance: random.Random, *, size: int) -> None:
    """Apply and undo in any order until nothing is applied any more; every file is as it was, then."""
    tools = the_tools(root.parent)
    before = files_of(root)
    places = list(Destination)
    ids = [
        proposed(tools, root, number=n, destination=chance.choice(places), text=f"Rule {n} - `x`").id
        for n in range(size)
    ]
    standing: list[str] = []
    waiting = list(ids)
    while waiting or standing:
        if waiting and (not standing or chance.random() < 0.55):
            one = waiting.pop(chance.randrange(len(waiting)))
            apply(one, is_rebasing=True, project="prj-one", tools=tools)
            standing.append(one)
        else:
            undo(standing.pop(chance.randrange(len(standing))), project="prj-one", tools=tools)
    assert files_of(root) == before
    assert audit(tools).fault is None and audit(tools).entries == 2 * size


STYLES = {
    "CLAUDE.md": [
        None,
        b"",
        b"# A\n\n- one\n",
        b"\xef\xbb\xbf# A\r\n\r\n* one\r\n* two",
        b"## Lessons\n\n+ a\n\n+ b\n\n## End\n\xff\xfe",
    ],
    ".claude/settings.json": [
        None,
        b"",
        b"{}",
        b'{\n\t"env": {}, // why\n\t"permissions": {"deny": ["Bash(x)"],},\n}\r\n',
    ],
    "memory/MEMORY.md": [None, b"# Index\r\n- [A](feedback_a.md) \xe2\x80\x94 a\r\n- [Z](user_z.md) - z", b"\n\n"],
}


def test_a_hundred_rules_applied_and_undone_in_random_order_leave_every_byte() -> None:  # HB-116
    for seed in range(3):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name) / "app"
            chance = random.Random(seed)
            dress(root, chance)
            walked(root, chance, size=100 if not seed else 30)


def dress(root: Path, chance: random.Random) -> None:
    root.mkdir()
    for path, choices in STYLES.items():
        content = chance.choice(choices)
        if content is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
            (root / path).chmod(chance.choice([0o644, 0o600, 0o755]))


@settings(max_examples=25)
@given(st.integers(0, 10**9), st.lists(pages(), min_size=1, max_size=1))
def test_apply_and_undo_are_inverse_on_files_of_any_style(seed: int, texts: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "app"
        chance = random.Random(seed)
        dress(root, chance)
        (root / "CLAUDE.md").write_bytes(texts[0].encode("utf-8", "surrogatepass"))
        walked(root, chance, size=5)
