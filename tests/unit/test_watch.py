"""Who looks on hears of everything once, whichever process did it, and goes on where it stopped."""

from building import a_memory

from hindbrain.app.add import Noted, add
from hindbrain.app.tools import Tools
from hindbrain.app.watch import Watch
from hindbrain.ports import Changes


def names(watch: Watch) -> list[str]:
    return [event.name for event in watch.news()]


def test_news_begin_when_somebody_begins_to_look_and_each_is_heard_once(tools: Tools) -> None:
    add(Noted(content="Known before"), project="prj-one", tools=tools)
    watch = Watch(lambda: "prj-one", tools=tools)
    assert names(watch) == []
    add(Noted(content="Redis locks expire after 30 s"), project="prj-one", tools=tools)
    assert names(watch) == ["learning_stored", "memory_created"]
    assert names(watch) == []


def test_another_project_is_not_heard(tools: Tools) -> None:
    watch = Watch(lambda: "prj-one", tools=tools)
    add(Noted(content="Redis locks expire after 30 s"), project="prj-two", tools=tools)
    assert names(watch) == []


def test_a_follower_with_a_name_goes_on_where_it_stopped_and_one_without_does_not(tools: Tools) -> None:
    Watch(lambda: "prj-one", "panel", tools=tools).news()
    add(Noted(content="Redis locks expire after 30 s"), project="prj-one", tools=tools)
    assert names(Watch(lambda: "prj-one", tools=tools)) == []
    assert "learning_stored" in names(Watch(lambda: "prj-one", "panel", tools=tools))
    assert names(Watch(lambda: "prj-one", "panel", tools=tools)) == []


def test_of_a_project_that_was_not_known_all_is_news(tools: Tools) -> None:
    known = ""
    watch = Watch(lambda: known, tools=tools)
    assert names(watch) == []
    add(Noted(content="Redis locks expire after 30 s"), project="prj-one", tools=tools)
    known = "prj-one"
    assert "learning_stored" in names(watch)


def test_very_many_events_come_in_several_looks_and_none_is_lost(tools: Tools) -> None:
    watch = Watch(lambda: "prj-one", tools=tools)
    one = a_memory()
    add(Noted(content=one.content), project="prj-one", tools=tools)
    event = tools.store.events(project="prj-one")[0]
    tools.store.write(lambda tx: tx.apply(Changes(events=(event,) * 2_500)))
    seen = [len(watch.news()) for _ in range(4)]
    assert seen[:2] == [1_000, 1_000] and sum(seen) >= 2_500 and seen[3] == 0
