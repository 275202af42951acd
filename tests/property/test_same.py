"""Laws of sameness and replacement."""

from hypothesis import given
from hypothesis import strategies as st

from hindbrain.core.claim import read
from hindbrain.core.same import MERGE_AT, in_order, is_same, likeness
from hindbrain.core.supersede import Verdict, rule

WORDS = st.sampled_from(
    [
        "use",
        "Redis",
        "cache",
        "for",
        "the",
        "not",
        "3",
        "src/a.py",
        "before",
        "tests",
        "never",
        "getUser",
        "slow",
        "API",
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join) | st.text(max_size=80)


@given(SENTENCES)
def test_every_text_is_the_same_as_itself(text: str) -> None:
    assert is_same(text, text)
    assert likeness(text, f"  {text}\n").score == 1.0


@given(SENTENCES, SENTENCES)
def test_likeness_does_not_depend_on_the_order(a: str, b: str) -> None:
    one, other = likeness(a, b), likeness(b, a)
    assert abs(one.score - other.score) < 1e-9
    assert one.guards == other.guards


@given(SENTENCES, SENTENCES)
def test_scores_are_shares_and_guards_are_known(a: str, b: str) -> None:
    alike = likeness(a, b)
    assert 0.0 <= alike.score <= 1.0
    assert set(alike.guards) <= {"numbers", "paths", "identifiers", "negation", "relations"}
    assert is_same(a, b) == (alike.score >= MERGE_AT and not alike.guards)


@given(SENTENCES, st.integers(10, 10**6), st.integers(10, 10**6))
def test_another_number_is_never_the_same_lesson(text: str, a: int, b: int) -> None:
    if a != b:
        assert not is_same(f"{text} keep {a} rows", f"{text} keep {b} rows")


@given(st.lists(st.sampled_from(["keep", "rows", "fast", "index"]), min_size=2, max_size=8))
def test_a_denied_lesson_is_never_the_same(words: list[str]) -> None:
    text = " ".join(words)
    assert not is_same(text, f"do not {text}")


@given(SENTENCES, SENTENCES)
def test_every_pair_gets_a_verdict_with_a_reason(new: str, old: str) -> None:
    ruling = rule(new, old)
    assert isinstance(ruling.verdict, Verdict)
    assert ruling.reason
    assert 0.0 <= ruling.score <= 1.0
    assert rule(new, old) == ruling


@given(SENTENCES)
def test_no_lesson_replaces_itself(text: str) -> None:
    assert rule(text, text).verdict in (Verdict.REFINES, Verdict.KEEP_BOTH, Verdict.UNRELATED)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_order_is_a_share_and_full_for_equal_lists(a: list[str], b: list[str]) -> None:
    assert 0.0 <= in_order(tuple(a), tuple(b)) <= 1.0
    assert in_order(tuple(a), tuple(a)) == 1.0


@given(SENTENCES)
def test_reading_loses_no_word_with_a_letter(text: str) -> None:
    claim = read(text)
    assert len(claim.content) <= len(claim.tokens)
    assert all(token.raw and token.word for token in claim.tokens)
    assert claim.negations == sum(token.kind == "not" for token in claim.tokens)
