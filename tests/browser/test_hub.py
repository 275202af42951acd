"""The hub as a person uses it: every page and every action in a real browser, with and without its extras."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browser.poisoned import PAYLOADS, poison
from browser.service import Hub
from building import a_memory

from hindbrain.core.model import Link, Relation
from hindbrain.ports import Changes
from scripts import clients

PAGES = ("feed", "memories", "graph", "worth", "health", "timeline")
SCHEMES = ("light", "dark")
Opened = Callable[..., Any]
Kept = Callable[[Any, str], None]


def memory_id(hub: Hub, containing: str) -> str:
    return next(one.id for one in hub.hindbrain().list(with_all=True) if containing in one.content)


def test_keys_apply_a_suggestion_and_undo_it(hub: Hub, opened: Opened, kept: Kept) -> None:  # HB-088, HB-115, HB-116
    rules = hub.folder / "CLAUDE.md"
    before = rules.read_bytes()
    page = opened()
    assert page.url == f"{hub.url}/hub/feed"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator(".item.chosen h3").inner_text() == "Broken images after a deploy"
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("a")
    page.wait_for_selector("#done")
    assert "was applied" in page.locator("#done").inner_text()
    assert "Map what `src/img.py` reads" in rules.read_text("utf-8")
    kept(page, "feed-applied")
    page.keyboard.press("u")
    page.wait_for_selector("text=the files are as they were")
    assert rules.read_bytes() == before


def test_a_suggestion_is_patched_refused_and_snoozed(hub: Hub, opened: Opened, kept: Kept) -> None:  # HB-117, HB-118
    page = opened()
    total = page.locator(".card").count()
    page.locator(".card", has_text="Migrations ran twice").locator("h3 a").click()
    page.wait_for_selector("ol.walk")
    assert "Take the advisory lock" in page.locator("ol.walk").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("p")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Take the advisory lock first, always")
    kept(page, "feed-patch")
    page.get_by_role("button", name="Patch and apply").click()
    page.wait_for_selector("text=applied in your words")
    assert "- Take the advisory lock first, always" in (hub.folder / "CLAUDE.md").read_text("utf-8")

    card = page.locator(".card", has_text="The release took ten minutes")
    card.locator("h3 a").focus()
    page.keyboard.press("r")
    page.keyboard.type("we have no releases")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=it will not be proposed again")

    page.locator(".card", has_text="Force push").get_by_role("button", name="Snooze").click()
    page.wait_for_selector("text=was snoozed")
    assert page.locator(".card").count() == total - 3
    page.get_by_text("With those that are snoozed").click()
    page.wait_for_selector("text=snoozed until")
    assert [one.action for one in hub.hindbrain().audits()] == ["patch", "apply", "refuse", "snooze"]


def test_the_walk_behind_a_suggestion_unfolds_in_place(opened: Opened) -> None:  # HB-098
    page = opened()
    card = page.locator(".card", has_text="ValueError: no rows").first
    card.get_by_text("Evidence and the walk behind it").click()
    card.locator("ol.walk > li").nth(2).wait_for()
    told = card.locator("ol.walk").inner_text()
    assert "src/rows.py" in told and "session 7f3c" in told


def test_memories_are_found_while_one_types(hub: Hub, opened: Opened, kept: Kept) -> None:
    page = opened()
    page.keyboard.press("2")
    page.wait_for_url("**/hub/memories")
    page.keyboard.press("/")
    page.keyboard.type("batch inserts")
    page.wait_for_selector("text=/^1 memory, best first/")
    page.locator(".score summary").first.click()
    assert re.search(r"score|match|words", page.locator(".score table").inner_text(), re.I)
    assert "q=batch" in page.url
    kept(page, "memories-search")
    assert hub.hindbrain().show(memory_id(hub, "batch inserts")).counters.recalled == 0
    page.goto(f"{hub.url}/hub/memories?kind=fact")
    assert page.locator(".hit").count() == 3
    page.get_by_role("link", name=re.compile("^Performance")).click()
    page.wait_for_url("**category=Performance**")
    assert page.locator(".hit").count() == 0
    page.goto(f"{hub.url}/hub/memories?category=Performance&q=batch")
    assert page.locator(".hit").count() == 1
    page.get_by_role("link", name=re.compile("^archived")).click()
    page.goto(f"{hub.url}/hub/memories?state=archived")
    assert "jenny" in page.locator(".hit").inner_text()


def test_a_memory_is_edited_pinned_judged_deleted_and_restored(hub: Hub, opened: Opened, kept: Kept) -> None:
    id_ = memory_id(hub, "Use batch inserts")
    page = opened()
    page.goto(f"{hub.url}/hub/memories/{id_}")
    page.keyboard.press("e")
    page.fill("#content", "Use batch inserts of 900 rows.\nMore is no quicker.")
    page.fill("#tags", "speed, database")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("text=The memory was changed.")
    assert "More is no quicker." in page.locator(".history .diff").first.inner_text()
    assert {"speed", "database"} <= set(hub.hindbrain().show(id_).tags)
    kept(page, "memory-edited")
    for button, told in (
        ("Pin", "The pin was changed."),
        ("It helped", "Your word was noted."),
    ):
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_selector(f"text={told}")
    assert hub.hindbrain().show(id_).is_pinned
    page.locator("summary", has_text="Delete").click()
    page.fill("#reason", "not true any more")
    page.get_by_role("button", name="Delete").click()
    page.wait_for_selector("text=was deleted")
    assert hub.hindbrain().show(id_).archive_reason == "not true any more"
    page.get_by_role("button", name="Restore").click()
    page.wait_for_selector("text=The memory is back.")
    assert [one.change for one in hub.hindbrain().history(id_)][-2:] == ["deleted", "restored"]


def test_links_are_made_and_removed_and_one_memory_takes_the_place_of_another(
    hub: Hub, opened: Opened, kept: Kept
) -> None:
    batch, retried = memory_id(hub, "Use batch inserts"), memory_id(hub, "Payments are retried")
    page = opened()
    page.goto(f"{hub.url}/hub/memories/{batch}")
    before = page.locator("#links + ul li:not(.none)").count()
    page.locator("summary", has_text="Link").click()
    page.select_option("#relation", "example_of")
    assert page.locator("#choices-link .choice").count() > 1  # those that are near, before anybody looks for one
    page.fill("#find-link", "idempotency key")
    page.locator("#choices-link .choice").nth(1).wait_for(state="detached")
    page.get_by_label("Payments are retried").check()
    page.fill("#because", "both are about writing less")
    kept(page, "memory-link")
    page.get_by_role("button", name="Link", exact=True).click()
    page.wait_for_selector("text=The link was made.")
    made = page.locator("li", has_text="both are about writing less")
    assert "example of" in made.inner_text() and "Payments are retried" in made.inner_text()
    made.get_by_role("button", name="Remove").click()
    page.wait_for_selector("text=The link was removed.")
    assert page.locator("#links + ul li:not(.none)").count() == before

    page.locator("summary", has_text="Supersede").click()
    page.fill("#other-supersede", retried)
    page.get_by_role("button", name="Supersede", exact=True).click()
    page.wait_for_selector("text=The other memory stands in its place.")
    assert hub.hindbrain().show(batch).superseded_by == retried
    page.locator("li", has_text="a person decided so").get_by_role("button", name="Remove").click()
    page.wait_for_selector("text=What it had hidden is shown again.")
    assert str(hub.hindbrain().show(batch).state) == "live"


def test_two_memories_are_made_one_and_taken_apart_again(hub: Hub, opened: Opened, kept: Kept) -> None:
    batch, retried = memory_id(hub, "Use batch inserts"), memory_id(hub, "Payments are retried")
    page = opened()
    page.goto(f"{hub.url}/hub/memories/{batch}")
    page.locator("summary", has_text="Merge").click()
    page.fill("#other-merge", retried)
    page.get_by_role("button", name="Compare both").click()
    page.wait_for_selector("h1:has-text('One of two')")
    kept(page, "memory-merge")
    both = page.locator("#content").input_value()
    assert "Use batch inserts" in both and "Payments are retried" in both
    page.get_by_role("button", name="Merge").click()
    page.wait_for_selector("text=Two memories are one.")
    assert hub.hindbrain().show(retried).superseded_by == batch and hub.hindbrain().show(batch).content == both

    page.get_by_role("link", name="Split").click()
    page.wait_for_selector("h1:has-text('Several of one')")
    assert page.locator("#content").input_value() == both.replace("\n\n", "\n---\n")
    page.fill("#content", "Use batch inserts of 500 rows.\n---\nPayments are tried again for a day.")
    kept(page, "memory-split")
    page.get_by_role("button", name="Split").click()
    page.wait_for_selector("text=Its parts are memories of their own.")
    assert page.locator("li", has_text="Payments are tried again for a day").count() == 1
    assert str(hub.hindbrain().show(batch).state) == "superseded"
    page.get_by_role("button", name="Restore").click()
    page.wait_for_selector("text=The memory is back.")


def test_who_logs_out_is_out(hub: Hub, opened: Opened, kept: Kept) -> None:
    page = opened()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_selector("text=This browser is forgotten.")
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    assert hub.call("/hub/feed", cookie=cookie).status == 401 and cookie == ""


def test_who_is_not_logged_in_is_told_how_to_get_in(hub: Hub, chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    assert page.goto(f"{hub.url}/hub/memories").status == 401
    assert "hindbrain hub" in page.locator("main").inner_text()
    context.close()


def test_hidden_characters_are_seen_before_a_memory_is_released(hub: Hub, opened: Opened, kept: Kept) -> None:
    # S8
    page = opened()
    page.get_by_text("it holds characters that a reader cannot see").click()
    page.wait_for_selector(".memory")
    assert {"U+202E", "U+202C", "U+200B", "U+E0041"} <= set(page.locator(".text .unseen").all_inner_texts())
    kept(page, "memory-hidden")
    page.get_by_role("button", name="Release").click()
    page.wait_for_selector("text=The question was decided.")
    assert not hub.hindbrain().reviews()


def test_an_edit_of_what_somebody_else_has_changed_is_not_made(hub: Hub, opened: Opened) -> None:
    id_ = memory_id(hub, "Use batch inserts")
    page = opened()
    page.goto(f"{hub.url}/hub/memories/{id_}")
    hub.hindbrain().edit(id_, title="Changed meanwhile")
    answer = hub.call(
        f"/hub/memories/{id_}/pin",
        cookie="; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies()),
        form={"token": page.locator("input[name=token]").first.input_value(), "version": "1"},
    )
    assert answer.status == 409 and "That was not done" in answer.text


def test_the_graph_is_filtered_and_a_note_is_opened_by_a_click(hub: Hub, opened: Opened, kept: Kept) -> None:  # LK-073
    page = opened()
    page.goto(f"{hub.url}/hub/graph")
    notes = page.locator(".node").count()
    assert notes >= 8 and page.locator(".edges line").count() >= 7
    page.get_by_label("Larger").click()
    assert page.locator("svg.graph").get_attribute("viewBox") != ""
    kept(page, "graph")
    page.select_option("select[name=relation]", "contradicts")
    page.wait_for_url("**relation=contradicts**")
    assert page.locator(".edges line").count() == 1
    page.locator(".node circle").first.click()
    page.wait_for_url("**/hub/memories/mem-**")


def test_two_thousand_notes_are_drawn_with_names_that_can_be_read(hub: Hub, opened: Opened, kept: Kept) -> None:
    known = hub.hindbrain().project
    assert known is not None
    notes = [
        a_memory(f"Note {n} of many, on subject {n % 37}", id=f"mem-{n:06d}", project=known.id) for n in range(2000)
    ]
    ends = [(n, n // 9 if n % 3 else max(0, n - 7)) for n in range(1, 2000)]
    at = datetime.now(UTC)
    links = [Link(source=notes[a].id, target=notes[b].id, relation=Relation.RELATED_TO, at=at) for a, b in ends]
    hub.hindbrain().store.write(lambda tx: tx.apply(Changes(memories=tuple(notes), links=tuple(links))))
    page = opened()
    page.goto(f"{hub.url}/hub/graph")
    assert page.locator(".node").count() >= 2000
    boxes = page.evaluate(
        "[...document.querySelectorAll('.node.named text')].map(one => one.getBoundingClientRect()).map("
        "box => [box.left, box.top, box.right, box.bottom])"
    )
    assert len(boxes) >= 10 and all(bottom - top >= 10 for _, top, _, bottom in boxes)
    kept(page, "graph-2000")


def test_what_was_given_up_is_tried_again(hub: Hub, opened: Opened, kept: Kept) -> None:
    page = opened()
    page.goto(f"{hub.url}/hub/health")
    told = page.locator("main").inner_text()
    assert "the transcript ends in the middle of a line" in told and "daily at 02:00" in told
    assert page.locator(".tiles div", has_text="Last backup").inner_text().split() == ["Last", "backup", "never"]
    hub.hindbrain().backup()
    page.reload()
    assert "never" not in page.locator(".tiles div", has_text="Last backup").inner_text()
    kept(page, "health")
    page.get_by_role("button", name="Retry transcript").click()
    page.wait_for_selector("text=The jobs are queued again.")
    assert [str(job.state) for job in hub.hindbrain().store.jobs(kind="transcript")] == ["queued"]


def test_the_timeline_is_live_and_filtered(hub: Hub, opened: Opened, kept: Kept) -> None:
    page = opened()
    page.goto(f"{hub.url}/hub/timeline")
    page.wait_for_selector(".following:not([hidden])")
    hub.hindbrain().add("Somebody else has just learned this.", type="pitfall")
    page.wait_for_selector("text=Somebody else has just learned this")
    kept(page, "timeline")
    page.goto(f"{hub.url}/hub/timeline?session=s-1")  # what was learned in it, not only what was done
    assert "Handlers return values" in page.locator(".timeline").inner_text()
    page.goto(f"{hub.url}/hub/timeline?session=7f3c")
    assert "src/rows.py" in page.locator(".timeline").inner_text()
    assert "run-001" not in page.locator(".timeline").inner_text()
    page.goto(f"{hub.url}/hub/timeline?persona=ed&task=APP-1")
    assert page.locator(".timeline li").count() >= 2


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_serious_stands_in_anybodys_way(hub: Hub, opened: Opened, kept: Kept, scheme: str) -> None:
    words = clients.command("axe")
    if isinstance(words, clients.Absent):
        pytest.skip(words.why)
    page = opened(color_scheme=scheme, bypass_csp=True)  # for axe alone: the pages themselves stay as they are
    suggestion = hub.hindbrain().feed()[0].id
    one, other = memory_id(hub, "Use batch inserts"), memory_id(hub, "Payments are retried")
    told = (f"memories/{memory_id(hub, 'Deploy')}", f"memories/{one}", f"memories/{one}/split")
    for name in (*PAGES, "memories?q=tests", f"feed/{suggestion}", *told, f"memories/{one}/merge?other={other}"):
        page.goto(f"{hub.url}/hub/{name}")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.add_script_tag(content=Path(words[-1]).read_text("utf-8"))
        found = page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })")
        grave = [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert not grave, (name, grave)
        kept(page, f"{scheme}-{re.sub('[^a-z]+', '-', name)[:20].strip('-')}")


def test_a_phone_shows_every_page_without_scrolling_sideways(hub: Hub, opened: Opened, kept: Kept) -> None:
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    one = f"memories/{memory_id(hub, 'tzdata')}"
    for name in (*PAGES, one, f"{one}/split", f"{one}/merge?other={memory_id(hub, 'Payments')}"):
        page.goto(f"{hub.url}/hub/{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        kept(page, f"phone-{re.sub('[^a-z]+|mem-[0-9a-z]+', '-', name)[:24].strip('-')}")


def test_everything_can_be_read_and_decided_without_scripts(hub: Hub, opened: Opened) -> None:
    page = opened(java_script_enabled=False)
    for name in PAGES:
        page.goto(f"{hub.url}/hub/{name}")
        assert page.locator("h1").inner_text() == name.capitalize()
    page.goto(f"{hub.url}/hub/memories")
    page.fill("#q", "batch inserts")
    page.get_by_role("button", name="Search").click()
    assert page.locator(".hit").count() == 1
    page.goto(f"{hub.url}/hub/feed")
    card = page.locator(".card", has_text="Broken images")
    assert card.locator(".diff tr.added").count() == 1
    card.get_by_role("button", name="Apply").click()
    assert "was applied" in page.locator("#done").inner_text()


def test_keys_are_told_and_a_project_is_chosen(hub: Hub, opened: Opened, kept: Kept) -> None:
    hub.desk.adopted("other")
    page = opened()
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    kept(page, "keys")
    page.keyboard.press("Escape")
    page.select_option("#project", label="other")
    page.wait_for_url("**project=prj-**")
    assert "Nothing waits" in page.locator("main").inner_text()


def test_a_real_browser_runs_nothing_that_is_stored(hub: Hub, opened: Opened, kept: Kept) -> None:  # S6
    page = opened()
    names = poison(hub, PAYLOADS[:40:4])
    for name in (*names[:9], *names[-4:]):
        page.goto(f"{hub.url}/hub/{name}")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("window.pwned") is None, name
        assert page.locator("script").count() == 2 and page.locator("main iframe, main img").count() == 0
    kept(page, "poisoned")
