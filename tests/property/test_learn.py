"""Laws of what is learned unasked, for any log."""

import pytest
from building import NOW
from hypothesis import given
from hypothesis import strategies as st
from working import EXPLORED, PLANNED, PYTEST_FAILED, REVIEWED

from hindbrain.core.learn.closing import closing
from hindbrain.core.learn.edits import essence
from hindbrain.core.learn.failures import advice, summary
from hindbrain.core.learn.findings import findings
from hindbrain.core.learn.gates import gate_of, gates_of
from hindbrain.core.learn.hats import hat_of, worn
from hindbrain.core.learn.launch import runs_of
from hindbrain.core.learn.lessons import lessons
from hindbrain.core.learn.reading import parts
from hindbrain.core.learn.statements import COMPLETED, statements
from hindbrain.core.learn.statements import EXPLORED as EXPLORED_TYPES
from hindbrain.core.learn.statements import PLANNED as PLANNED_TYPES
from hindbrain.core.learn.taints import taints
from hindbrain.core.model import DEX_TYPES
from hindbrain.core.model.activity import Activity, Deed, Result

COMMANDS = [
    "pytest",
    "pytest -q | tail",
    "uv run pytest",
    "ruff check .",
    "npm install",
    "ls",
    "make test || true",
    "x=$(",
]
TEXTS = [PYTEST_FAILED, EXPLORED, PLANNED, REVIEWED, "1 passed in 1s", "- gone\n+ come()", "ValueError: x", ""]
commands = st.lists(
    st.sampled_from([*COMMANDS, "&&", "||", ";", "|", "(", ")", "'", '"', "\n", "A=1"]), max_size=8
).map(" ".join) | st.text(max_size=30)
texts = st.sampled_from(TEXTS) | st.text(max_size=80)


@st.composite
def logs(draw: st.DrawFn) -> list[Activity]:
    made = draw(
        st.lists(
            st.builds(
                Activity,
                id=st.just(""),
                at=st.just(NOW),
                project=st.just("prj-one"),
                session=st.sampled_from(["s1", "s2"]),
                deed=st.sampled_from(tuple(Deed)),
                subject=commands
                | st.sampled_from(["tests", "explorer->planner", "critic->creator", "src/a.py", "Explore"]),
                result=st.sampled_from(tuple(Result)),
                detail=texts,
                agent=st.sampled_from(["", "a1"]),
                agent_type=st.sampled_from(["", "Explore", "Plan", "critic"]),
                hat=st.sampled_from(["", "critic"]),
                ref=st.sampled_from(["", "t1", "t2"]),
                data=st.sampled_from([{}, {"exit_code": 1}, {"exit_code": 0}, {"passed": True, "tests": False}]),
            ),
            max_size=25,
        )
    )
    names = made[0].__slots__ if made else ()
    numbered = (
        {name: getattr(one, name) for name in names} | {"id": f"a{n}", "seq": n} for n, one in enumerate(made, 1)
    )
    return [Activity(**fields) for fields in numbered]


@given(logs(), st.integers(0, 26))
def test_learning_in_two_goes_teaches_the_same_as_in_one(log: list[Activity], cut: int) -> None:
    assert [*lessons(log[:cut], after=0), *lessons(log, after=cut)] == [*lessons(log, after=0)]


@given(logs())
def test_every_lesson_has_content_a_known_type_and_leads_back_to_what_was_done(log: list[Activity]) -> None:
    ids = {one.id for one in log}
    for lesson in lessons(log, after=0):
        assert lesson.content.strip() and lesson.title.strip() and lesson.type in DEX_TYPES
        assert set(lesson.body["activities"]) <= ids  # type: ignore[call-overload]
        assert lesson.confidence is None or 0 < lesson.confidence <= 0.7


@given(logs())
def test_each_activity_is_done_under_one_hat_and_taints_only_what_follows(log: list[Activity]) -> None:
    assert len(worn(log)) == len(log)
    for at in range(len(log)):
        assert set(taints(log, until=at)) <= set(taints(log, until=at + 1))


@given(commands, texts, st.none() | st.integers(0, 255))
def test_any_command_line_can_be_asked_for_its_gates(command: str, output: str, code: int | None) -> None:
    found = gates_of(command, output=output, exit_code=code)
    assert (gate_of(command, output=output, exit_code=code) is None) == (not found)
    assert all(run.words and run.words[0] for run in runs_of(command))


@given(texts, texts)
def test_the_essence_of_an_edit_holds_only_lines_that_differ(old: str, new: str) -> None:
    before = {line.strip() for line in old.splitlines()}
    after = {line.strip() for line in new.splitlines()}
    for line in essence(old, new).splitlines():
        sign, text = line[:1], line[2:]
        assert (text in before and text not in after) if sign == "-" else (text in after and text not in before)


@given(texts)
def test_no_answer_is_too_odd_to_be_read(text: str) -> None:
    assert all(part.text for part in parts(text))
    assert all(len(one.description) <= 600 for one in findings(text))
    for types in (EXPLORED_TYPES, PLANNED_TYPES, COMPLETED):
        found = statements([text, text], types)
        assert len(found) <= 5 and all(one.type in types and len(one.text) <= 300 for one in found)
    assert len(summary(text)) <= 300
    line, names = advice(text)
    assert bool(line) == bool(names)
    assert hat_of(text) in ("", "explorer", "planner", "creator", "critic")


@pytest.mark.parametrize(
    "piece", ["x", "- ", "1. ", "*", "`", "error: ", "&& ", "| ", "FAILED a::b ", "=", "(", "\n- a"]
)
def test_ten_megabytes_of_anything_are_read_in_passing(piece: str) -> None:
    """What is not linear does not come back within the test run's patience."""
    text = (piece * (10_000_000 // len(piece)))[:10_000_000]
    findings(text), statements([text], EXPLORED_TYPES), summary(text), advice(text), closing("npm", text)
    essence(text, text[1:]), gates_of(text, output=text, exit_code=1), hat_of(text[:1000])
