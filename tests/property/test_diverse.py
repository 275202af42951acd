"""Laws of the order of answers among each other."""

from datetime import timedelta

from building import NOW
from hypothesis import given, settings
from hypothesis import strategies as st

from hindbrain.core.recall.diverse import Item, newest_first, repeats
from hindbrain.core.value import replace

patient = settings(deadline=None)
WORDS = "retry the worker never after deploy with 5 http2 queue"
terms = st.frozensets(st.sampled_from(WORDS.split()), max_size=10)


def made(number: int, drawn: tuple[int, int, frozenset[str], frozenset[str]]) -> Item:
    moments, score, asked, held = drawn
    learned_at = NOW + moments * timedelta(minutes=10)
    text = " ".join(sorted(held))
    return Item(id=f"mem-{number}", score=score / 20, learned_at=learned_at, asked=asked, terms=held, text=text)


def ranked(rows: list[tuple[int, int, frozenset[str], frozenset[str]]]) -> list[Item]:
    return sorted((made(n, row) for n, row in enumerate(rows)), key=lambda item: -item.score)


asked = st.frozensets(st.sampled_from("abc"), max_size=3)
answers = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 20), asked, terms), max_size=15).map(ranked)


@patient
@given(answers)
def test_nothing_is_lost_and_only_who_is_named_was_moved(items: list[Item]) -> None:
    by_id = {item.id: item for item in items}
    for order in (newest_first(items), repeats(items)):
        moved = dict(order.because)
        assert sorted(item.id for item in order.items) == sorted(by_id)
        assert len(moved) == len(order.because)
        assert all(one != two and two in by_id for one, two in order.because)
        assert order.because or order.items == tuple(items)


@patient
@given(answers)
def test_who_overtook_is_newer_about_as_good_and_on_the_same_words(items: list[Item]) -> None:
    by_id = {item.id: item for item in items}
    for one, other in newest_first(items).because:
        newer, older = by_id[one], by_id[other]
        assert newer.learned_at > older.learned_at
        assert newer.score >= older.score - 0.4 - 1e-9
        assert 5 * len(newer.asked & older.asked) >= 3 * len(newer.asked | older.asked) > 0


@patient
@given(answers)
def test_answers_equally_good_on_the_same_words_come_newest_first(items: list[Item]) -> None:
    alike = [replace(item, score=0.9 + item.score / 10, asked=frozenset("a")) for item in items]

    assert newest_first(alike).items == tuple(sorted(alike, key=lambda item: item.learned_at, reverse=True))


@patient
@given(answers)
def test_answers_on_different_words_keep_their_order(items: list[Item]) -> None:
    apart = [replace(item, asked=frozenset({item.id})) for item in items]

    assert newest_first(apart).items == tuple(apart)


@patient
@given(answers)
def test_answers_learned_within_ten_minutes_keep_their_order(items: list[Item]) -> None:
    at_once = [replace(item, learned_at=NOW + (item.learned_at - NOW) / 31) for item in items]

    assert newest_first(at_once).items == tuple(at_once)


@patient
@given(answers)
def test_a_repeat_stands_behind_what_it_repeats_and_the_rest_keeps_its_order(items: list[Item]) -> None:
    order = repeats(items)
    place = {item.id: n for n, item in enumerate(order.items)}
    again = [one for one, _ in order.because]
    kept = [item.id for item in items if item.id not in again]

    assert [item.id for item in order.items] == kept + again
    assert all(place[other] < len(kept) for _, other in order.because)
    assert repeats(order.items[: len(kept)]).because == ()


@patient
@given(answers)
def test_the_same_text_is_said_once(items: list[Item]) -> None:
    twins = [replace(item, id=f"{item.id}-again") for item in items if item.terms]
    order = repeats([*items, *twins])

    assert {item.id for item in twins} <= {one for one, _ in order.because}


@patient
@given(st.lists(st.frozensets(st.sampled_from("abcdefghijklm"), min_size=7), max_size=12))
def test_every_pair_that_is_alike_is_noticed(held: list[frozenset[str]]) -> None:
    items = [made(n, (0, 20, frozenset(), terms)) for n, terms in enumerate(held)]
    kept: list[Item] = []
    expected = []
    for item in items:
        alike = (other for other in kept if len(item.terms & other.terms) / len(item.terms | other.terms) >= 0.8)
        first = next(alike, None)
        if first is None:
            kept.append(item)
        else:
            expected.append((item.id, first.id))

    assert repeats(items).because == tuple(expected)


@patient
@given(st.integers(0, 20))
def test_only_the_first_fifty_are_looked_at(beyond: int) -> None:
    same = Item(id="", score=1.0, learned_at=NOW, asked=frozenset("a"), terms=frozenset("a"), text="a")
    items = [replace(same, id=str(n), learned_at=NOW + timedelta(hours=n)) for n in range(50 + beyond)]
    rest = tuple(items[50:])

    assert newest_first(items).items == (*reversed(items[:50]), *rest)
    assert repeats(items).items == (items[0], *rest, *items[1:50])
