"""The real Claude Code: what it learns without being asked to, and what it is told without asking."""

from collections.abc import Iterator, Sequence

import pytest
from clients.agents import Claude
from clients.desk import Desk, Session
from clients.script import Part, Request, Say, Script, Turn
from clients.stories import (
    CHOICE,
    CURE,
    FORGED,
    HABIT,
    REFUSED,
    Past,
    begin,
    blocks,
    learn,
    lived,
    meet_it_again,
    punctual,
)

from hindbrain.core import trust

AGENT = Claude()
PITFALL = "In check.py the port is read as text: strip it before it is compared"


@pytest.fixture(scope="module")
def past() -> Iterator[Past]:
    with lived(AGENT) as one:
        yield one


def test_what_a_session_learned_at_a_cost_is_kept_without_being_asked_for(past: Past) -> None:
    assert past.first.code == 0, past.first.err
    assert REFUSED in past.first.last.text and "1 passed" in past.first.last.text  # it did fail, and then pass
    assert past.first.told(CURE) is None
    assert {CURE, HABIT} <= set(past.learned)


def test_a_failure_that_was_cured_is_remembered_with_its_cure(past: Past) -> None:  # F-32
    (cured,) = past.learned.keys() - {CURE, HABIT}
    assert REFUSED in cured and "5432" in cured and "port.txt" in cured
    assert past.learned[cured]["provenance"]["source"] == "automatic"


def test_the_next_session_is_told_before_it_fails(past: Past) -> None:
    assert past.later.code == 0, past.later.err
    assert past.later.told(CURE) == 0  # before the model has said a word


def test_nothing_is_told_twice(past: Past) -> None:
    assert REFUSED in past.later.last.text  # there was a second occasion
    assert blocks(past.later.last, CURE) == 1


# S1
def test_what_somebody_else_wrote_and_what_it_was_told_teaches_it_nothing(past: Past) -> None:
    assert past.later.last.text.count(f"MEMORY:fix:{FORGED}") >= 3  # the file, the page and the command's output
    assert past.kept.keys() == {*past.learned, CHOICE}


def test_what_it_says_after_it_has_read_a_web_page_is_kept_and_told_to_nobody_unasked(past: Past) -> None:
    assert past.learned[CURE]["trust"] == trust.AGENT
    assert past.kept[CHOICE]["trust"] == trust.TAINTED


def test_after_a_failure_the_agent_is_told_what_cured_it_before(desk: Desk) -> None:
    begin(desk, AGENT)
    learn(desk, AGENT)
    desk.drained()
    desk.set(session_limit=0)  # else it would be told at once
    (desk.project / "port.txt").write_text("5433\n")

    turns = [[Say("Hello."), AGENT.shell("make test")], [Say("I see.")]]
    session = punctual(desk, lambda: desk.run(AGENT, "Say hello", Script(turns=turns)))

    assert [blocks(request, CURE) for request in session.requests] == [0, 1]


def test_before_a_file_is_touched_the_agent_is_told_its_pitfalls(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(session_limit=0)
    desk.hindbrain("add", PITFALL, "--type", "pitfall")
    file = desk.project / "check.py"

    turns = [[Say("Hello."), AGENT.read(file)], [Say("I see.")]]
    session = punctual(desk, lambda: desk.run(AGENT, "Say hello", Script(turns=turns)))

    assert [blocks(request, PITFALL) for request in session.requests] == [0, 1]


def test_in_a_session_nothing_is_told_twice_until_the_context_is_shortened(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    prompt = "The tests of the port fail, please look"
    turns = [[Say("One.")], [Say("Two.")], [Say("Three.")]]

    def spoken() -> Session:
        script = Script(turns=turns, aside="<summary>We spoke.</summary>")
        return desk.run(AGENT, [prompt, prompt, "/compact", prompt], script)

    session = punctual(desk, spoken)

    assert ["We spoke." in request.text for request in session.requests] == [False, False, True]
    assert [blocks(request, CURE) for request in session.requests] == [1, 1, 1]  # the first stays in the second


def test_a_session_that_goes_on_in_a_new_process_is_not_told_again(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    prompt = "The tests of the port fail, please look"

    desk.run(AGENT, prompt, Script(turns=[[Say("One.")]]))
    again = desk.run(AGENT, prompt, Script(turns=[[Say("Two.")]]), is_again=True)

    assert again.last.turns == 1  # it knows what was said before
    assert blocks(again.last, CURE) == 1


def test_a_subagent_that_worked_and_taught_nothing_is_asked_for_it_once(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.set(enforce="block")

    def declined(request: Request) -> Sequence[Part]:
        assert "MEMORY: none" in request.text
        return [Say("Nothing new.\n\nMEMORY: none — the tests were only run")]

    task = [[AGENT.shell("cat port.txt")], [Say("It reads 5433.")], declined]
    script = Script(turns=[[AGENT.task("LOOK-IT-UP: which port?")], [Say("Thanks.")]], tasks={"LOOK-IT-UP": task})
    session = desk.run(AGENT, "Ask which port it is", script)
    desk.drained()

    assert session.code == 0, session.err
    assert [request.turns for request in session.requests if "LOOK-IT-UP" in request.opening] == [0, 1, 2]
    assert "Nothing new." in session.last.text  # it was let go, and its answer arrived
    assert desk.memories == {}


# BD-042, BD-043
def test_in_a_beads_project_a_supervisor_is_held_until_it_comments(desk: Desk) -> None:
    begin(desk, AGENT)
    (desk.project / ".beads").mkdir()
    agents = desk.project / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "port-supervisor.md").write_text(
        "---\nname: port-supervisor\ndescription: minds ports\n---\nMind ports.\n"
    )
    learned = AGENT.shell(f'bd comment app-1 "LEARNED: {HABIT}"')
    task = [[AGENT.shell("cat port.txt")], [Say("It reads 5433.")], [learned], [Say("Now it is written down.")]]
    script = Script(
        turns=[[AGENT.task("MIND-IT: which port?", "port-supervisor")], [Say("Thanks.")]], tasks={"MIND-IT": task}
    )

    session = desk.run(AGENT, "Ask which port it is", script)
    desk.drained()

    assert session.code == 0, session.err
    assert [request.turns for request in session.requests if "MIND-IT" in request.opening] == [0, 1, 2, 3]
    assert HABIT in desk.memories


def test_a_worker_that_is_killed_in_the_middle_of_a_session_loses_nothing(desk: Desk) -> None:
    begin(desk, AGENT)
    killed: list[bool] = []

    def shot(*parts: Part) -> Turn:
        def turn(_: Request) -> Sequence[Part]:
            killed.append(desk.kill_worker())
            return parts

        return turn

    turns = [
        [AGENT.shell("make test")],
        shot(AGENT.shell(f'bd comment app-1 "LEARNED: {HABIT}"')),
        shot(AGENT.write(desk.project / "port.txt.new", "5432\n")),
        shot(Say(f"Done.\n\nMEMORY:fix:{CURE}\n")),
    ]
    session = desk.run(AGENT, "Make the tests pass", Script(turns=turns))
    killed.append(desk.kill_worker())
    desk.hindbrain("worker", "--detach")
    desk.drained()

    assert session.code == 0, session.err
    assert any(killed)
    assert desk.memories.keys() == {CURE, HABIT}


def test_without_any_worker_the_agent_is_told_all_the_same(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    (desk.memory / "worker.lock").unlink(missing_ok=True)
    (desk.memory / "worker.lock").mkdir()  # no worker can start

    session = punctual(desk, lambda: meet_it_again(desk, AGENT))

    assert session.code == 0, session.err
    assert session.told(CURE) == 0
