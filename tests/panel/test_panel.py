"""The panel, row by row of Chorus' document: what it shows, what its keys do, and what it says when something fails."""

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from building import a_memory, keep
from calling import SRC
from panel.scenes import SCENES, SIZES, empty, named, shown, told
from paneling import a_project, kept, panel_of, screen, taught, tried, typed, until
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.events import Key, MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

import hindbrain as package
from hindbrain.adapters.sqlite import SqliteStore
from hindbrain.core.model import Memory, State
from hindbrain.entry.panel import LearningsPanel, LearningsScreen, LearningToasts
from hindbrain.entry.panel.listing import LearningList
from hindbrain.entry.panel.toast import SHOWN_S, WIDTH, LearningToast
from hindbrain.facade import Hindbrain

FOOTER = "[Tab] Switch view [j/k] Scroll [/] Search [e] Edit [d] Delete [ESC] Close"


@pytest.fixture
def chorus(tmp_path: Path) -> Iterator[Hindbrain]:
    with a_project(tmp_path) as hindbrain:
        yield hindbrain


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_screen_is_as_it_was_last_looked_at(chorus: Hindbrain, size: tuple[int, int]) -> None:
    # CH-010, CH-015
    seen = {name: shown(chorus, name, size) for name in SCENES}
    assert {name: text for name, text in seen.items() if text != kept(named(name, size))} == {}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_toast_and_an_empty_panel_are_as_they_were_last_looked_at(tmp_path: Path, size: tuple[int, int]) -> None:
    assert told(tmp_path / "told", size) == kept(named("toast", size))
    assert empty(tmp_path / "empty", size) == kept(named("empty", size))


def test_the_shared_view_reads_as_the_document_draws_it(chorus: Hindbrain) -> None:
    # CH-007..CH-014, CH-016, X-31
    async def story(pilot: Pilot[None]) -> None:
        lines = screen(pilot).splitlines()
        assert "💡 PROJECT LEARNINGS" in lines[1] and lines[1].endswith("│ ESC close │")
        assert "View: [●Shared] [⚙️ ed] [🔍 ace] [📊 pat] [All]" in lines[4] and "6 learnings" in lines[4]
        for heading in ("API DESIGN", "TESTING", "ARCHITECTURE"):
            at = next(number for number, line in enumerate(lines) if line.strip("│ ▁▂▃▄▅▆▇█") == heading)
            assert set(lines[at - 1].strip("│ ▁▂▃▄▅▆▇█")) == {"═"} and set(lines[at + 1].strip("│ ▁▂▃▄▅▆▇█")) == {"─"}
        text = screen(pilot)
        assert "• Rate limiting: 100 requests/minute per user" in text
        assert "  Source: ch-015 (2026-01-10, ⚙️ ed-001)" in text and "  Source: ch-010 (2026-01-10, 📊 pat)" in text
        assert FOOTER in text and "[s] Superseded" in text
        assert "batch inserts" not in text and "trace id" not in text

    tried(chorus, story, size=(100, 44))


def test_each_view_holds_its_own_and_all_holds_everything(chorus: Hindbrain) -> None:
    # CH-017..CH-023, CH-008, CH-035
    taught(chorus, "Look at failing snapshots first", "ch-060", "", "finn", "2026-01-14", is_local=True)

    async def story(pilot: Pilot[None]) -> None:
        ed = await typed(pilot, "tab")
        assert "💡 ⚙️ ED'S LEARNINGS" in ed and "[●⚙️ ed]" in ed and "[Shared]" in ed and "3 learnings" in ed
        assert "• [2026-01-13] This table needs batch inserts for 10x performance" in ed
        assert "Source: ch-045 " in ed and "ch-015" not in ed and FOOTER in ed
        ace = await typed(pilot, "tab")
        assert "ACE'S LEARNINGS" in ace and "The trace id is in the log" in ace and "1 learning " in ace
        assert "Plan the migration" in await typed(pilot, "tab")
        assert "🔧 FINN'S LEARNINGS" in await typed(pilot, "tab")
        everything = await typed(pilot, "tab")
        assert "ALL LEARNINGS" in everything and "12 learnings" in everything and "[🔧 finn]" in everything
        assert "Source: ch-051 (2026-01-14, 📊 pat, local)" in everything
        assert "Look at failing snapshots first" in await typed(pilot, "end")
        assert "[●Shared]" in await typed(pilot, "tab")

    tried(chorus, story, size=(100, 44))


def test_five_tabs_lead_back_to_shared(chorus: Hindbrain) -> None:
    # CH-035
    async def story(pilot: Pilot[None]) -> None:
        assert "[●Shared]" in await typed(pilot, *["tab"] * 5)
        assert "[●All]" in await typed(pilot, "shift+tab")

    tried(chorus, story)


def test_letters_and_arrows_move_the_selection_and_what_is_below_the_window_is_reached(tmp_path: Path) -> None:
    # CH-015, CH-036, CH-037
    with a_project(tmp_path, is_taught=False) as hindbrain:
        for number in range(1, 16):
            taught(
                hindbrain, f"Lesson {number:02} of fifteen about topic {number * 7919}", "ch-1", "", "ed", "2026-01-10"
            )

        async def story(pilot: Pilot[None]) -> None:
            assert "15 learnings" in screen(pilot) and "Lesson 15" not in screen(pilot)
            assert "▸ • Lesson 03" in await typed(pilot, "j", "down")
            assert "▸ • Lesson 01" in await typed(pilot, "k", "up")
            assert "▸ • Lesson 15" in await typed(pilot, *["j"] * 20)
            assert "▸ • Lesson 01" in await typed(pilot, "home")
            assert "▸ • Lesson 15" in await typed(pilot, "G")
            assert "▸ • Lesson 15" not in await typed(pilot, "pageup")

        tried(hindbrain, story, size=(82, 30))


def test_a_search_narrows_as_it_is_typed_and_escape_ends_it_before_it_closes(chorus: Hindbrain) -> None:
    # CH-038
    async def story(pilot: Pilot[None]) -> None:
        narrowed = await typed(pilot, "slash", *"rate")
        assert "1 learning " in narrowed and "Rate limiting" in narrowed and "TDD" not in narrowed
        assert "• Rate limiting" in await typed(pilot, "enter") and "/rate" in screen(pilot)
        assert "0 learnings" in await typed(pilot, "tab")  # the search goes along
        whole = await typed(pilot, "shift+tab", "escape")
        assert "6 learnings" in whole and "/rate" not in whole
        assert panel_of(pilot).is_mounted
        assert "1 learning " in await typed(pilot, "slash", *"CH-022")
        assert "Nothing here matches" in await typed(pilot, *"zzz")

    tried(chorus, story)


def edited(text: str) -> tuple[str, ...]:
    return ("e", "ctrl+u", *("space" if letter == " " else letter for letter in text), "ctrl+s")


def test_an_edit_is_seen_in_the_panel_the_file_and_the_store_and_the_old_text_in_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CH-039
    monkeypatch.setenv("HINDBRAIN_HOME", str(tmp_path / "home"))
    project = tmp_path / "app"
    project.mkdir()
    with package.open(project=project) as hindbrain:
        memory_id = hindbrain.add("Tests run with make").memory_id or ""
        hindbrain.follow("chorus")
        hindbrain.sync()
        file = project / ".chorus" / "learnings.md"
        assert "Tests run with make" in file.read_text()

        async def story(pilot: Pilot[None]) -> None:
            await typed(pilot, *edited("Tests run with just"))
            await until(pilot, lambda: "• Tests run with just" in screen(pilot))
            assert "Source: by hand" in screen(pilot) and "Saved" in screen(pilot)

        tried(hindbrain, story)
        assert "Tests run with just" in file.read_text() and "Tests run with make" not in file.read_text()
        assert hindbrain.show(memory_id).content == "Tests run with just"
        assert [one.memory.content for one in hindbrain.history(memory_id)] == [
            "Tests run with make",
            "Tests run with just",
        ]


def test_a_deleted_learning_is_gone_everywhere_after_a_yes_and_comes_back_with_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CH-040, X-34
    monkeypatch.setenv("HINDBRAIN_HOME", str(tmp_path / "home"))
    project = tmp_path / "app"
    project.mkdir()
    with package.open(project=project) as hindbrain:
        memory_id = hindbrain.add("Rate limits apply to every endpoint").memory_id or ""
        hindbrain.follow("chorus")
        file = project / ".chorus" / "learnings.md"

        async def story(pilot: Pilot[None]) -> None:
            assert "Delete this learning?" in await typed(pilot, "d")
            assert "• Rate limits" in await typed(pilot, "n") and "Delete this" not in screen(pilot)
            await typed(pilot, "d", "y")
            await until(pilot, lambda: "No learnings yet." in screen(pilot) and "[u] Undo" in screen(pilot))
            assert "Rate limits" not in file.read_text()
            assert "Rate limits" not in hindbrain.inject(format="chorus", task_title="Endpoints").text
            assert hindbrain.show(memory_id).state is State.ARCHIVED
            await typed(pilot, "u")
            await until(pilot, lambda: "▸ • Rate limits" in screen(pilot))
            assert "[u] Undo" not in screen(pilot) and "Rate limits" in file.read_text()

        tried(hindbrain, story)
        assert hindbrain.show(memory_id).state is State.LIVE


def test_what_was_superseded_is_hidden_until_it_is_asked_for(chorus: Hindbrain) -> None:
    # CH-030..CH-034, CH-041, X-34
    async def story(pilot: Pilot[None]) -> None:
        assert "SUPERSEDED" not in screen(pilot) and "Zustand" not in screen(pilot)
        history = await typed(pilot, "s")
        assert "SUPERSEDED (Hidden by default)" in history
        assert "▸ • ~~Use Zustand for state management~~" in history
        assert '  Superseded by: "XState v5 for state management"' in history
        assert "  Original: ch-002 (2026-01-09, ⚙️ ed-001)" in history and "  Superseded: 2026-01-10" in history
        assert "6 learnings" in history and "[e] Edit" not in history and "[d] Delete" in history
        back = await typed(pilot, "s")
        assert "Zustand" not in back and "▸ • All endpoints" in back
        assert "Nothing was superseded." in await typed(pilot, "tab", "s")

    tried(chorus, story)
    assert "Zustand" not in chorus.inject(format="chorus", task_title="state management").text


class Host(App[None]):
    """A program with a screen of its own, where `L` shows learnings and `l` its logs."""

    BINDINGS: ClassVar[list[BindingType]] = [("L", "learnings", "Learnings"), ("l", "logs", "Logs")]

    def __init__(self, hindbrain: Hindbrain) -> None:
        super().__init__()
        self.hindbrain = hindbrain

    def compose(self) -> ComposeResult:
        yield Static("implementation mode", id="below")
        yield LearningToasts(self.hindbrain)

    def action_learnings(self) -> None:
        self.push_screen(LearningsScreen(self.hindbrain))

    def action_logs(self) -> None:
        self.query_one("#below", Static).update("log panel")


def test_a_capital_l_opens_the_panel_above_another_program_and_leaves_that_as_it_was(chorus: Hindbrain) -> None:
    # CH-006, CH-042
    async def story(pilot: Pilot[None]) -> None:
        below = screen(pilot)
        assert "implementation mode" in below
        for closing in ("escape", "L"):
            await typed(pilot, "L")
            await until(pilot, lambda: "6 learnings" in screen(pilot))
            await typed(pilot, closing)
            await until(pilot, lambda: not isinstance(pilot.app.screen, LearningsScreen))
            assert screen(pilot) == below
        assert "log panel" in await typed(pilot, "l")

    tried(chorus, story, app=Host(chorus))


def test_the_panel_is_a_widget_like_any_other(chorus: Hindbrain) -> None:
    class Beside(App[None]):
        closed = 0

        def compose(self) -> ComposeResult:
            yield Static("mine")
            yield LearningsPanel(chorus, view="all")

        def on_learnings_panel_closed(self) -> None:
            self.closed += 1

    app = Beside()

    async def story(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "11 learnings" in screen(pilot))
        assert "mine" in screen(pilot)
        await typed(pilot, "escape")
        assert app.closed == 1 and app.is_running

    tried(chorus, story, app=app)


CAPTURE = """
import sys
import hindbrain
with hindbrain.open(sys.argv[1], project="app") as memory:
    memory.capture("<chorus>LEARNING_GLOBAL:Docker compose v2 needs no version key</chorus>", session=sys.argv[2],
        task="ch-010", persona="pat")
"""


def test_a_learning_of_another_process_is_told_for_five_seconds_and_its_repetition_is_not(chorus: Hindbrain) -> None:
    # CH-025..CH-029, Q-19
    assert SHOWN_S == 5.0 and WIDTH == 40

    def capture(session: str) -> None:
        words = [sys.executable, "-c", CAPTURE, chorus.settings.store, session]
        subprocess.run(words, check=True, env={"PYTHONPATH": str(SRC)}, capture_output=True)

    async def story(pilot: Pilot[None]) -> None:
        await pilot.pause(0.6)
        await asyncio.to_thread(capture, "s-one")
        await until(pilot, lambda: "New Learning" in screen(pilot))
        (toast,) = pilot.app.screen.query(LearningToast)
        assert toast.outer_size.width == WIDTH
        assert toast.region.bottom_right == (100, 36)
        assert toast.styles.border_top[1].hex == "#14B8A6"
        lines = [line[61:].strip("│ ") for line in screen(pilot).splitlines()[-6:-1]]
        assert lines == [
            "💡 New Learning Extracted",
            '"Docker compose v2 needs no',
            'version key"',
            "From: ch-010 (📊 pat)",
            "Press 'L' to view all",
        ]
        await until(pilot, lambda: not pilot.app.screen.query(LearningToast))
        assert "7 learnings" in screen(pilot)
        await asyncio.to_thread(capture, "s-two")
        await until(pilot, lambda: chorus.list(containing="Docker")[0].counters.evidence == 2)
        await pilot.pause(1.2)
        assert not pilot.app.screen.query(LearningToast)

    tried(chorus, story)


def test_the_key_that_a_toast_names_leads_to_the_new_learning(chorus: Hindbrain) -> None:
    # CH-028
    async def story(pilot: Pilot[None]) -> None:
        await pilot.pause(0.6)
        taught(chorus, "Docker compose v2 needs no version key", "ch-099", "", "pat", "2026-01-15")
        await until(pilot, lambda: "New Learning" in screen(pilot) and "7 learnings" in screen(pilot))
        looked = await typed(pilot, "L")
        assert "[●All]" in looked and "▸ • Docker compose" in looked and "New Learning" not in looked
        await typed(pilot, "L")
        assert not pilot.app.is_running or pilot.app._exit

    tried(chorus, story)


def test_a_program_without_an_open_panel_is_told_too_and_many_at_once_are_three(chorus: Hindbrain) -> None:
    # CH-025, CH-028
    async def story(pilot: Pilot[None]) -> None:
        await pilot.pause(0.6)
        memories = [a_memory(f"Fact {number} of nine", id=f"mem-{number}") for number in range(1, 10)]
        pilot.app.query_one(LearningToasts).tell(memories)
        await pilot.pause()
        text = screen(pilot)
        assert text.count("New Learning Extracted") == 3 and '"Fact 9 of nine"' in text and "(+6)" in text
        await typed(pilot, "L")
        await until(pilot, lambda: "PROJECT LEARNINGS" in screen(pilot))

    tried(chorus, story, app=Host(chorus))


def test_what_happened_while_no_panel_was_open_is_told_once_by_the_next(chorus: Hindbrain) -> None:
    # CH-025
    async def nothing_new(pilot: Pilot[None]) -> None:
        await pilot.pause(1.2)
        assert not pilot.app.screen.query(LearningToast)

    async def something_new(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: '"Node 22 is the oldest"' in screen(pilot))

    tried(chorus, nothing_new)
    taught(chorus, "Node 22 is the oldest", "ch-100", "", "pat", "2026-01-16")
    tried(chorus, something_new)
    tried(chorus, nothing_new)


def test_a_change_by_another_process_is_seen_without_a_key(chorus: Hindbrain) -> None:
    async def story(pilot: Pilot[None]) -> None:
        chosen = panel_of(pilot).query_one(LearningList).selected
        assert chosen is not None
        await asyncio.to_thread(chorus.edit, chosen.id, content="Endpoints answer in JSON")
        await until(pilot, lambda: "▸ • Endpoints answer in JSON" in screen(pilot))
        await asyncio.to_thread(chorus.forget, chosen.id)
        await until(pilot, lambda: "Endpoints answer" not in screen(pilot))

    tried(chorus, story)


def test_a_purge_by_another_process_and_its_undoing_are_seen_without_a_key(chorus: Hindbrain) -> None:  # S12
    async def story(pilot: Pilot[None]) -> None:
        assert "All endpoints return" in screen(pilot) and "6 learnings" in screen(pilot)
        purged = await asyncio.to_thread(chorus.purge, session="ch-015")
        await until(pilot, lambda: "All endpoints return" not in screen(pilot))
        [(_, run)] = purged.runs
        await asyncio.to_thread(chorus.undo_upkeep, run)
        await until(pilot, lambda: "All endpoints return" in screen(pilot) and "6 learnings" in screen(pilot))

    tried(chorus, story)


def test_no_character_of_a_memory_steers_the_terminal(tmp_path: Path) -> None:
    bad = "a\x1b[2Jb\x07c\u202ed\u200be\x9b31mf\rg"
    with a_project(tmp_path) as hindbrain:
        project = hindbrain.project
        assert project is not None
        hostile = a_memory(bad, id="mem-bad", project=project.id, persona="x\x1b]0;y\x07", category="Z\x1b[1m")
        keep(hindbrain.store, hostile)

        async def story(pilot: Pilot[None]) -> None:
            seen = [screen(pilot), *[await typed(pilot, "tab") for _ in range(6)]]
            seen += [await typed(pilot, "shift+tab", "shift+tab", "d"), await typed(pilot, "n", "e")]
            pilot.app.query(LearningToasts).first().tell([hostile])
            await pilot.pause()
            seen.append(screen(pilot))
            assert any("b�" in text for text in seen)
            letters = set("".join(seen)) - {"\n"}
            assert {letter for letter in letters if not letter.isprintable() and letter not in "\ufe0f"} == set()

        tried(hindbrain, story)


def damaged(hindbrain: Hindbrain) -> None:
    for name in ("-wal", "-shm"):
        Path(hindbrain.settings.store + name).unlink(missing_ok=True)
    Path(hindbrain.settings.store).write_bytes(b"this is no database, and never was one" * 200)


def test_a_damaged_store_is_told_with_what_to_do_and_the_panel_can_be_closed(chorus: Hindbrain) -> None:
    damaged(chorus)

    async def story(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "The learnings cannot be read." in screen(pilot))
        text = screen(pilot)
        assert "→ " in text and "backup" in text and "[r] Try again [ESC] Close" in text and "[e] Edit" not in text
        await typed(pilot, "e", "d", "s", "r", "escape")

    tried(chorus, story)


def test_a_store_that_was_removed_is_missed_and_its_return_is_noticed(chorus: Hindbrain) -> None:
    store = Path(chorus.settings.store)

    async def story(pilot: Pilot[None]) -> None:
        store.rename(store.with_name("away.db"))
        await until(pilot, lambda: "is gone" in screen(pilot) and "put it back" in screen(pilot))
        store.with_name("away.db").rename(store)
        await until(pilot, lambda: "6 learnings" in screen(pilot) and "is gone" not in screen(pilot))

    tried(chorus, story)


def test_what_cannot_be_saved_stays_in_the_editor_with_the_reason(chorus: Hindbrain) -> None:
    held, over = threading.Event(), threading.Event()
    other = SqliteStore(chorus.settings.store)

    def hold() -> None:
        other.write(lambda _: (held.set(), over.wait(60)))

    keeper = threading.Thread(target=hold)

    async def story(pilot: Pilot[None]) -> None:
        keeper.start()
        await asyncio.to_thread(held.wait)
        await typed(pilot, *edited("Typed in vain"))
        await until(pilot, lambda: "locked" in screen(pilot))
        assert "→" in screen(pilot)
        assert pilot.app.screen.query_one(TextArea).text == "Typed in vain"
        over.set()
        await asyncio.to_thread(keeper.join)
        await typed(pilot, "ctrl+s")
        await until(pilot, lambda: "• Typed in vain" in screen(pilot))

    try:
        tried(chorus, story)
    finally:
        over.set()
        other.close()


def test_an_edit_does_not_overwrite_what_somebody_else_wrote_meanwhile(chorus: Hindbrain) -> None:
    async def story(pilot: Pilot[None]) -> None:
        chosen = panel_of(pilot).query_one(LearningList).selected
        assert chosen is not None
        await typed(pilot, "e")
        await asyncio.to_thread(chorus.edit, chosen.id, content="Theirs")
        await typed(pilot, "x", "ctrl+s")
        await until(pilot, lambda: "somebody else has changed it" in screen(pilot))
        await typed(pilot, "escape")
        assert chorus.show(chosen.id).content == "Theirs"

    tried(chorus, story)


def test_the_mouse_does_what_keys_do(chorus: Hindbrain) -> None:
    async def story(pilot: Pilot[None]) -> None:
        lines = screen(pilot).splitlines()
        row = next(number for number, line in enumerate(lines) if "• TDD" in line)
        await pilot.click(offset=(20, row))
        assert "▸ • TDD" in screen(pilot)
        await pilot.click(offset=(lines[4].index("[🔍 ace]") + 2, 4))
        await pilot.pause()
        assert "ACE'S LEARNINGS" in screen(pilot)
        await pilot.click(offset=(12, 4))
        await pilot.pause()
        row = next(number for number, line in enumerate(screen(pilot).splitlines()) if "[s] Superseded" in line)
        await pilot.click(offset=(screen(pilot).splitlines()[row].index("[s]") + 1, row))
        await pilot.pause()
        assert "SUPERSEDED" in screen(pilot)
        await typed(pilot, "s", "home")
        listing = panel_of(pilot).query_one(LearningList)
        assert listing.scroll_offset.y == 0
        await pilot._post_mouse_events([MouseScrollDown], offset=(20, 12))
        await until(pilot, lambda: listing.scroll_offset.y > 0)

    tried(chorus, story, size=(100, 24))


def ten_thousand(hindbrain: Hindbrain) -> None:
    project = hindbrain.project
    assert project is not None
    made = [
        a_memory(f"Learning {number} about module {number * 7919}", id=f"mem-{number:08}", project=project.id)
        for number in range(10_000)
    ]
    for start in range(0, len(made), 2_000):
        keep(hindbrain.store, *made[start : start + 2_000])


def test_ten_thousand_learnings_scroll_and_only_what_is_seen_is_drawn(tmp_path: Path) -> None:
    with a_project(tmp_path) as hindbrain:
        ten_thousand(hindbrain)

        async def story(pilot: Pilot[None]) -> None:
            assert "10,006 learnings" in screen(pilot)
            listing = panel_of(pilot).query_one(LearningList)
            drawn = list[int]()
            listing.render_line, whole = (lambda y: (drawn.append(y), whole(y))[1]), listing.render_line
            assert "Learning 9999 about" in await typed(pilot, "end")
            assert len(drawn) <= 20 * listing.size.height
            assert "1 learning " in await typed(pilot, "slash", *f"9998 {9998 * 7919}")

        tried(hindbrain, story)


def test_a_long_learning_is_cut_on_the_screen_and_whole_in_the_editor(chorus: Hindbrain) -> None:
    text = "word " * 2_000 + "end"
    memory = chorus.add(text).memory_id or ""

    async def story(pilot: Pilot[None]) -> None:
        await typed(pilot, "end")
        assert sum("word word" in line for line in screen(pilot).splitlines()) == 12 and "word…" in screen(pilot)
        await typed(pilot, "e")
        assert pilot.app.screen.query_one(TextArea).text == text

    tried(chorus, story)
    assert isinstance(chorus.show(memory), Memory)


def test_what_is_typed_ahead_goes_into_the_search_and_gives_no_orders(chorus: Hindbrain) -> None:
    async def story(pilot: Pilot[None]) -> None:
        for key in ("slash", *"ddy/e", "escape", "j"):
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert "▸ • Rate limiting" in screen(pilot) and "6 learnings" in screen(pilot)
        for key in ("slash", *"src/db"):
            pilot.app.post_message(Key(key, "/" if key in ("slash", "/") else key))
        await pilot.pause()
        assert "/src/db" in screen(pilot)

    tried(chorus, story)


def test_the_program_that_the_page_shows_works(chorus: Hindbrain) -> None:
    # CH-006, CH-028
    page = (Path(__file__).resolve().parents[2] / "docs" / "panel.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(code, "panel.md", "exec"), names)

    async def story(pilot: Pilot[None]) -> None:
        assert "your program" in screen(pilot)
        await pilot.pause(0.6)
        taught(chorus, "Docker compose v2 needs no version key", "ch-099", "", "pat", "2026-01-15")
        await until(pilot, lambda: "New Learning Extracted" in screen(pilot))
        await typed(pilot, "L")
        await until(pilot, lambda: "7 learnings" in screen(pilot))

    tried(chorus, story, app=names["Board"](chorus))
