"""The Obsidian vault: read into the index as it changes, written to by agents in inbox/ only, never reformatted."""

from pathlib import Path

import pytest
from embedding import WordEmbedder
from filing import equipped, fingerprint, write

from hindbrain.app import vault
from hindbrain.app.embed import embed_all
from hindbrain.app.recall import Question, recall
from hindbrain.app.tools import Tools
from hindbrain.core.model import Actor, ActorType, Kind, Memory, State
from hindbrain.core.value import replace
from hindbrain.errors import BadValue, Conflict, Unreadable
from hindbrain.ports import Where

AGENT, PERSON = Actor(type=ActorType.AGENT), Actor(type=ActorType.HUMAN)
NOTES = {
    "permanent/locks.md": "---\ntype: decision\nstatus: done\naliases: [mutex]\ntags: [redis]\n---\n# Locks\n\n"
    "Every lock carries a [[fencing|token]]; see [[fencing#Why]], [[lost]] and `[[code]]`.\n",
    "inbox/fencing.md": "---\ntype: idea\nstatus: draft\n---\n# Fencing\n\n## Why\n\n"
    "Two workers met. ![[scheme.png]]\n",
    "moc/start.md": "[[locks]] [[locks#None]] [[fencing#^b1]]",
    "daily/2026-01-10.md": "---\ntype: [broken\n---\nToday",
    "fleeting/x.md": "---\nnever ends",
    "templates/t.md": "[[nowhere]]",
    "scheme.png": "no picture",
}


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    return write(tmp_path / "brain", NOTES)


@pytest.fixture
def filed(tools: Tools, tmp_path: Path, brain: Path) -> Tools:
    return equipped(tools, tmp_path / "home", vault=str(brain))


def notes(tools: Tools, *states: State) -> dict[str, Memory]:
    project = vault.status(tools).project
    found = tools.store.select(Where(project=project, kinds=(Kind.NOTE,), states=frozenset(states or {State.LIVE})))
    return {str(memory.body["path"]): memory for memory in found}


# HB-004 HB-014 HB-015 HB-016 HB-017 HB-018 HB-036 HB-037 HB-038 HB-041
def test_every_note_of_the_five_folders_is_in_the_index(filed: Tools) -> None:
    done = vault.sync(filed)
    assert (done.files, len(done.added)) == (5, 5)
    found = notes(filed)
    assert set(found) == {path for path in NOTES if path.partition("/")[0] not in ("templates", "scheme.png")}
    lock = found["permanent/locks.md"]
    assert (lock.title, lock.body["type"], lock.body["status"]) == ("Locks", "decision", "done")
    assert lock.body["aliases"] == ["mutex"] and "redis" in lock.tags and lock.trust == 4
    assert found["inbox/fencing.md"].trust == 1  # found when asked for, told to nobody unasked
    assert vault.status(filed).by_folder == {"permanent": 1, "inbox": 1, "moc": 1, "daily": 1, "fleeting": 1}


# HB-019 HB-039
def test_wikilinks_become_links(filed: Tools) -> None:
    vault.sync(filed)
    found = notes(filed)
    links = {(link.source, link.target) for link in filed.store.links(found["permanent/locks.md"].id)}
    assert (found["permanent/locks.md"].id, found["inbox/fencing.md"].id) in links
    assert (found["moc/start.md"].id, found["permanent/locks.md"].id) in links


def test_a_link_to_a_note_that_comes_later_is_made_then(filed: Tools, brain: Path) -> None:
    vault.sync(filed)
    write(brain, {"permanent/lost.md": "found again"})
    vault.sync(filed)
    found = notes(filed)
    links = {link.target for link in filed.store.links(found["permanent/locks.md"].id)}
    assert found["permanent/lost.md"].id in links


# HB-019 HB-020
def test_broken_links_and_heads_are_told(filed: Tools) -> None:
    found = vault.check(filed)
    assert {(one.path, one.link) for one in found.broken} == {
        ("permanent/locks.md", "[[lost]]"),
        ("moc/start.md", "[[locks#None]]"),
        ("moc/start.md", "[[fencing#^b1]]"),
    }
    assert {one.path: one.why for one in found.heads} == {
        "moc/start.md": "it has no head",
        "daily/2026-01-10.md": "line 2 of its head is not understood",
        "fleeting/x.md": "its head never ends",
    }
    vault.sync(filed)
    assert "status" not in notes(filed)["fleeting/x.md"].body


# HB-040 HB-044
def test_a_second_look_reads_nothing_and_changes_nothing(filed: Tools) -> None:
    vault.sync(filed)
    before = notes(filed)
    again = vault.sync(filed)
    assert (again.read, again.added, again.changed, again.removed) == (0, (), (), ())
    assert vault.sync(filed, is_all=True).changed == () and notes(filed) == before


# HB-028 HB-041
def test_an_edited_note_is_the_same_memory_in_its_next_version(filed: Tools, brain: Path) -> None:
    vault.sync(filed)
    known = notes(filed)["moc/start.md"]
    write(brain, {"moc/start.md": "something else"})
    assert vault.sync(filed).changed == ("moc/start.md",)
    after = notes(filed)["moc/start.md"]
    assert (after.id, after.version, after.content) == (known.id, known.version + 1, "something else")


# HB-042 X-33
def test_a_note_that_goes_is_found_no_more_not_even_by_meaning(filed: Tools, brain: Path) -> None:
    tools = replace(filed, embedder=WordEmbedder())
    vault.sync(tools)
    assert tools.embedder
    embed_all(store=tools.store, embedder=tools.embedder)
    assert [m.title for m in recall(Question(text="Fencing", scopes=["brain"]), project="prj-one", tools=tools)][:1]
    (brain / "inbox" / "fencing.md").unlink()
    assert vault.sync(tools).removed == ("inbox/fencing.md",)
    assert "inbox/fencing.md" in notes(tools, State.ARCHIVED)
    found = recall(Question(text="Fencing two workers met", scopes=["brain"]), project="prj-one", tools=tools)
    assert all(m.memory.body["path"] != "inbox/fencing.md" for m in found)


def test_a_disk_that_is_not_there_takes_nothing_away(filed: Tools, brain: Path) -> None:
    vault.sync(filed)
    brain.rename(brain.with_name("elsewhere"))
    with pytest.raises(Unreadable):
        vault.sync(filed)
    assert len(notes(filed)) == 5


# HB-047 HB-048 F-28
def test_a_long_note_is_one_memory_of_sixteen_thousand_characters(filed: Tools, brain: Path) -> None:
    write(brain, {"daily/long.md": "word " * 4_000})
    vault.sync(filed)
    known = notes(filed)["daily/long.md"]
    assert len(known.content) == 16_000
    write(brain, {"daily/long.md": "word " * 4_000 + "more"})
    assert vault.sync(filed).changed == ()  # nothing of what is embedded has changed
    assert notes(filed)["daily/long.md"].version == known.version


# HB-021
def test_agents_write_drafts_and_touch_no_note(filed: Tools, brain: Path) -> None:
    before = fingerprint(brain)
    first = vault.note(vault.Draft(title="A thought: on locks", text="They expire."), by=AGENT, tools=filed)
    second = vault.note(vault.Draft(title="A thought: on locks", text="Again."), by=AGENT, tools=filed)
    assert (first, second) == ("inbox/2026-01-10-a-thought-on-locks.md", "inbox/2026-01-10-a-thought-on-locks-2.md")
    assert "status: draft" in (brain / first).read_text() and first in notes(filed)
    for path in (first, second):
        (brain / path).unlink()
    assert fingerprint(brain) == before


# HB-022
@pytest.mark.parametrize("by", [AGENT, Actor(type=ActorType.AUTOMATE)])
def test_permanent_is_written_by_a_persons_order_only(filed: Tools, brain: Path, by: Actor) -> None:
    vault.sync(filed)
    draft = vault.Draft(title="Rule", text="Always", folder="permanent")
    before = fingerprint(brain)
    with pytest.raises(Conflict, match="order"):
        vault.note(draft, by=by, tools=filed)
    assert fingerprint(brain) == before
    (event,) = [one for one in filed.store.events() if one.name == "vault_write_refused"]
    assert event.data["by"] == str(by.type)
    assert vault.note(draft, by=PERSON, tools=filed) == "permanent/2026-01-10-rule.md"


def test_nobody_writes_anywhere_else(filed: Tools) -> None:
    with pytest.raises(Conflict):
        vault.note(vault.Draft(title="x", text="y", folder="../out"), by=PERSON, tools=filed)


def test_a_link_out_of_the_vault_is_not_followed(filed: Tools, brain: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("not yours")
    (brain / "inbox" / "out.md").symlink_to(tmp_path / "secret.md")
    assert "inbox/out.md" not in vault.sync(filed).added


def test_without_a_vault_there_is_nothing(tools: Tools, tmp_path: Path) -> None:
    none = equipped(tools, tmp_path / "home")
    assert vault.status(none).folder == ""
    with pytest.raises(BadValue, match="no vault"):
        vault.sync(none)
