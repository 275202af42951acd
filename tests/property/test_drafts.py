"""Laws of what is proposed to a person: five sections, clusters that lose no scar, patterns of three tasks at least."""

import json
import re
from datetime import timedelta

from building import NOW, a_memory
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.learning.dream import LONGEST, clusters, compacted, draft
from hindbrain.core.learning.hygiene import Sheet, untidy
from hindbrain.core.learning.patterns import Step, patterns, way
from hindbrain.core.learning.report import name_of, written
from hindbrain.core.learning.workstream import Iteration, Scarred, Workstream, bundle, too_small
from hindbrain.core.learning.workstream import draft as lesson
from hindbrain.core.model import Counters, Kind, Memory

WORDS = st.text(alphabet="abc d.|#`é", max_size=40)
SECTIONS = [
    "Tokens, estimated and actual",
    "Top 3 recurring errors",
    "Top 3 patterns to standardise",
    "A candidate doctrine",
    "A tool to create",
]


def a_scar(number: int, *, signature: str = "", outcome: str = "failure", evidence: int = 1) -> Memory:
    return a_memory(
        f"scar {number}",
        id=f"mem-{number:03}",
        kind=Kind.SCAR,
        body={"outcome": outcome, "check_added": f"check {number}"},
        error_signature=signature or None,
        counters=Counters(evidence=evidence),
        at=NOW + timedelta(seconds=number),
    )


WORKS = st.builds(
    Workstream,
    id=st.just("mem-w"),
    title=WORDS,
    opened_at=st.just(NOW),
    estimate=st.integers(0, 10**6),
    tokens=st.integers(0, 10**6),
    tasks=st.lists(WORDS, max_size=5).map(tuple),
    iterations=st.lists(st.builds(Iteration, action=WORDS, observation=WORDS), max_size=5).map(tuple),
    scars=st.lists(
        st.builds(
            Scarred,
            id=st.just("mem-s"),
            is_victory=st.booleans(),
            title=WORDS,
            lesson=WORDS,
            importance=st.integers(0, 10),
        ),
        max_size=5,
    ).map(tuple),
    logs=st.lists(WORDS, max_size=3).map(tuple),
)


# HB-126 HB-127 HB-128 HB-129 HB-130
@given(WORKS)
def test_a_lesson_has_its_five_sections_in_their_order(work: Workstream) -> None:
    assert re.findall(r"^## (.+)$", lesson(work), re.MULTILINE) == SECTIONS


# HB-120 HB-121 HB-122 HB-123 HB-124 HB-125
@given(WORKS)
def test_a_bundle_has_all_its_parts(work: Workstream) -> None:
    made = bundle(work)
    assert list(made) == ["meta", "travaux", "tasks", "iterations", "scars", "logs"]
    assert json.loads(json.dumps(made)) == made


# Q-03 HB-131
@given(WORKS)
def test_small_work_is_refused_with_a_reason(work: Workstream) -> None:
    assert bool(too_small(work)) is (len(work.tasks) < 3 or work.tokens < 50_000)


# F-30
@given(st.lists(st.sampled_from(["", "E one", "E two"]), max_size=12), st.integers(0, 3))
def test_every_scar_is_in_one_cluster_and_like_ones_are_together(signatures: list[str], kind: int) -> None:
    scars = [a_scar(n, signature=s) for n, s in enumerate(signatures)]
    found = clusters(scars, lambda a, b: 0.86 if kind and int(a.id[4:]) % kind == int(b.id[4:]) % kind else 0.84)
    assert sorted(s.id for one in found for s in one.scars) == sorted(s.id for s in scars)
    where = {scar.id: one.id for one in found for scar in one.scars}
    for one in scars:
        for other in scars:
            if one.error_signature and one.error_signature == other.error_signature:
                assert where[one.id] == where[other.id]
    assert all(one.id == one.scars[0].id and one.scars[0].id in draft(one) for one in found)


def test_a_failure_and_a_victory_are_never_one_cluster() -> None:
    both = [a_scar(1, signature="E"), a_scar(2, signature="E", outcome="victory")]
    assert len(clusters(both, lambda *_: 1.0)) == 2


@given(st.lists(st.text(max_size=2_000), max_size=4), st.booleans())
def test_a_compact_transcript_keeps_its_lines_and_is_compact_for_good(texts: list[str], is_json: bool) -> None:
    lines = [json.dumps({"type": "user", "text": text}) if is_json else text.replace("\n", " ") for text in texts]
    once = compacted("\n".join(lines))
    assert compacted(once) == once and once.count("\n") == "\n".join(lines).count("\n")
    if is_json:
        said = [json.loads(line) for line in once.split("\n") if line]
        assert [one["type"] for one in said] == ["user"] * len(texts)
        assert all(len(one["text"]) <= LONGEST for one in said)


# HB-135
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["run the tests", "fix it well", "x"])), max_size=30)
)
def test_a_pattern_was_seen_in_three_tasks(steps: list[tuple[str, str]]) -> None:
    found = patterns(Step(task=task, action=action) for task, action in steps)
    assert all(len(one.tasks) >= 3 for one in found)
    assert len({one.key for one in found}) == len(found)


def test_two_tasks_are_no_pattern_and_three_are_one_whatever_the_place() -> None:
    def steps(count: int) -> list[Step]:
        return [Step(task=f"t{n}", action=f"pytest tests/test_{n}.py -q --maxfail {n}") for n in range(count)]

    assert patterns(steps(2)) == ()
    (one,) = patterns(steps(3))
    assert one.steps == ("pytest … -q --maxfail …",) and one.key == patterns(steps(4))[0].key


@given(st.text(max_size=500))
def test_a_way_is_short(text: str) -> None:
    assert len(way(text)) <= 400 and way(way(text)) == way(text)


# HB-145 HB-146 HB-147 Q-07
def test_what_is_amiss_in_a_folder_is_told() -> None:
    def sheet(name: str, text: str = "", *, days: int = 0, hits: int = 0) -> Sheet:
        return Sheet(name=name, text=text, digest=text, changed_at=NOW - timedelta(days=days), hits=hits)

    sheets = [
        sheet("feedback_a.md", "see [[gone]] and [b](feedback_b.md)"),
        sheet("feedback_b.md", "old but linked", days=400),
        sheet("feedback_c.md", "old and alone", days=180),
        sheet("feedback_d.md", "old but asked for", days=400, hits=1),
        sheet("feedback_e.md", "the same"),
        sheet("feedback_f.md", "the same"),
        sheet("odd.md", "x"),
    ]
    found = untidy(sheets, index="- [a](feedback_a.md) — a\n- [z](feedback_z.md) — z\n", now=NOW)
    assert found.dead == (("feedback_a.md", "gone.md"), ("MEMORY.md", "feedback_z.md"))
    assert found.copies == (("feedback_f.md", "feedback_e.md"),)
    assert found.unnamed == ("odd.md",)
    assert found.obsolete == ("feedback_c.md",)
    assert "feedback_a.md" not in found.unlisted and "feedback_b.md" in found.unlisted


# HB-149
@given(st.dictionaries(st.text(alphabet="ab", min_size=1), st.lists(WORDS, max_size=3), max_size=3), st.booleans())
def test_a_report_says_when_and_what_also_when_nothing_was_found(sections: dict[str, list[str]], is_on: bool) -> None:
    text = written("dream", NOW, sections=sections, is_applied=is_on)
    assert "2026-01-10T09:30:00.000Z" in text and ("dry run" in text) is not is_on
    assert ("Nothing found" in text) is (not any(sections.values()))
    assert name_of("dream", NOW) == "dream-20260110T093000Z.md"
