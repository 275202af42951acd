"""Which constants recall runs with, and what others would have done: grids over what both sides say of each question.

Constants are changed in the module that owns them, which is then asked as ever.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from statistics import fmean
from types import ModuleType
from typing import Any

import numpy as np

from bench import evals
from bench.meter import say
from bench.report import OUT, SEED, Part, Table, source
from bench.sides import NAMES, Case, Haystack, Watched, case_of, cases, dated, haystacks, opened, updates
from hindbrain.core.recall import bm25, diverse, fuse, gate
from hindbrain.core.words import asked_terms, terms

_TITLE = "How the constants were chosen"
_WORDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
_EACH = (0.0, 0.04, 0.08, 0.1, 0.12, 0.16)
_SURE = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
_NEAR = (0.4, 0.45, 0.5, 0.55, 0.6)
_UNSURE = (1.0, 1.1, 1.2, 1.3, 1.5, 10.0)
_MOST = (0.1, 0.2, 0.3, 0.4, 0.5, 2.0)  # no word is held by twice as many memories as there are
_READ_TWICE = ("locomo", "pool", "beam", "title", "commit")  # sets of which several stores may have such a word
_MANY = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)
_CROWD = (2, 3, 4, 6, 64)
_LEAST = (0.0, 0.05, 0.1, 0.2, 0.3)
_DECIDE = (0.5, 0.6, 0.7, 0.8, 0.9)
_GATE = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
_GATE_WORDS = (0.15, 0.2, 0.25, 0.3, 0.4)
_SAME_TOPIC = (0.5, 0.6, 0.67, 0.75)
_CLOSE = (0.2, 0.3, 0.4, 0.5)
_OFF = (2.0, 0.0)  # no overlap reaches 2: as if there were no such rule
_NONE = ("no such rule", "")
_TOLD = 10  # answers that a person reads
_FEW = 5
_OWN, _FOREIGN = 40, 15  # questions asked to a store: of its own set, and of each other set
_KIN = (frozenset({"title", "commit", "cosqa"}), frozenset({"locomo", "pool"}))  # sets about the same things


def measure(*, is_quick: bool) -> Part:
    if missing := evals.missing():
        say(f"tune: {missing}")
        return Part(name="tune", title=_TITLE, notes=[f"Not measured: {missing}."], is_whole=False)
    names = ("title", "commit") if is_quick else NAMES
    found = {name: cases(name) for name in names}
    tables = [
        _grid("WORDS", _WORDS, found),
        _grid("EACH", _EACH, found),
        _grid("SURE", _SURE, found),
        _grid("NEAR", _NEAR, found),
        _grid("UNSURE", _UNSURE, found),
        _grid("MANY", _MANY, found),
        _grid("CROWD", _CROWD, found),
        _grid("LEAST", _LEAST, found),
        _decided(found),
        *([] if is_quick else [_rereading(), *_gates(), _diversity()]),
    ]
    notes = [*_NOTES, _best(found)]
    return Part(name="tune", title=_TITLE, tables=tables, notes=notes, is_whole=not is_quick)


_NOTES = (
    "`python -m bench --only tune`, on the same halves as above, so the other halves are the real test. R@10 by "
    "relevance alone (LongMemEval S: hit@5), before nudges and repeats. In bold what recall runs with.",
    "`WORDS`: what a full share of words is worth in cosines where a question has few, `EACH`: what it is worth more "
    f"for each of its words between {fuse.SHORT} and {fuse.LONG}. `SURE`: how fast that falls the nearer the nearest "
    "memory comes than `NEAR`, and `UNSURE`: how many times as much it is at most where none comes near. `MANY`: taken "
    "off for each e-fold of pieces, up to `CROWD` of them. `LEAST`: cosine below which meaning alone is no reason to "
    "answer. `DECIDE`: of the worth of a question's words, what the best answer by words must hold so that a process "
    "without a running model does not start one.",
)


@contextmanager
def _set(module: ModuleType, **values: float) -> Iterator[None]:
    """`module` with other constants."""
    before = {name: getattr(module, name) for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


# ---- how words and meaning are weighed


def _grid(constant: str, values: Sequence[float], found: Mapping[str, Sequence[Case]]) -> Table:
    rows = []
    for value in values:
        with _set(fuse, **{constant: value}):
            scores = _scores(found)
        cells = [f"{100 * score:.1f}" for score in (*scores, fmean(scores))]
        rows.append(_marked((f"{value:g}", *cells), is_ours=value == getattr(fuse, constant)))
    return Table(head=(f"`{constant}`", *found, "mean"), rows=rows, title=f"`fuse.{constant}`")


def _marked(cells: tuple[str, ...], *, is_ours: bool) -> tuple[str, ...]:
    return tuple(f"**{cell}**" for cell in cells) if is_ours else cells


def _best(found: Mapping[str, Sequence[Case]]) -> str:
    """Of all pairs of the two weights, and how far ours is from it."""
    means = {}
    for words, each in product(_WORDS, _EACH):
        with _set(fuse, WORDS=words, EACH=each):
            means[words, each] = 100 * fmean(_scores(found))
    words, each = max(means, key=lambda pair: means[pair])
    ours = 100 * fmean(_scores(found))
    return (
        f"Of all {len(means)} pairs of `WORDS` and `EACH` the best on average is {words:g} and {each:g} with "
        f"{means[words, each]:.2f}; ours has {ours:.2f}."
    )


def _scores(found: Mapping[str, Sequence[Case]]) -> list[float]:
    return [fmean(_score(case, name) for case in some) for name, some in found.items()]


def _score(case: Case, name: str) -> float:
    order = _order(case, _relevance(case))
    if name == "sfull":
        return float(case.is_gold[order[:_FEW]].any())
    return float(case.is_gold[order[:_TOLD]].sum()) / case.golds


def _relevance(case: Case) -> Any:
    """As `fuse.relevance` has it, for all candidates at once; what is no answer at all comes last."""
    many = fuse.MANY * np.log(np.clip(case.pieces, 1, fuse.CROWD))
    found = fuse.weight(case.asked, nearest=case.nearest) * case.share + case.likeness - many
    return np.where(case.has_words | (case.likeness >= fuse.LEAST), found, -np.inf)


def _order(case: Case, value: Any) -> Any:
    order = np.argsort(-value, kind="stable")
    return order[np.isfinite(value[order])]


def _decided(found: Mapping[str, Sequence[Case]]) -> Table:
    rows = []
    for value in _DECIDE:
        cells = [_decided_cell(some, value) for some in found.values()]
        rows.append(_marked((f"{value:g}", *cells), is_ours=value == fuse.DECIDE))
    return Table(
        head=("`DECIDE`", *found),
        rows=rows,
        title=f"`fuse.DECIDE`: questions that words decide; of those, R@{_FEW} by words / by both",
    )


def _decided_cell(some: Sequence[Case], least: float) -> str:
    decided = [case for case in some if case.covered >= least]
    if not decided:
        return "0%"
    by_words = fmean(_found_among_few(case, np.where(case.has_words, case.share, -np.inf)) for case in decided)
    by_both = fmean(_found_among_few(case, _relevance(case)) for case in decided)
    return f"{len(decided) / len(some):.0%}: {100 * by_words:.0f} / {100 * by_both:.0f}"


def _found_among_few(case: Case, value: Any) -> float:
    return float(case.is_gold[_order(case, value)[:_FEW]].sum()) / case.golds


# ---- which words say nothing


def _rereading() -> Table:
    file = OUT / "tune" / source() / "common.json"
    if not file.exists():
        file.write_text(json.dumps(_reread()), encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(file.read_text("utf-8"))
    rows = []
    for value in _MOST:
        scores = [100 * found[name][f"{value:g}"] for name in _READ_TWICE]
        label = "never" if value > 1 else f"{value:g}"
        cells = (label, *(f"{score:.1f}" for score in (*scores, fmean(scores))))
        rows.append(_marked(cells, is_ours=value == bm25.MOST))
    head = ("`MOST`", *_READ_TWICE, "mean")
    return Table(head=head, rows=rows, title="`bm25.MOST`: from which share of memories on a word is left out of half")


def _reread() -> dict[str, dict[str, float]]:
    say("tune: words that most memories hold")
    found: dict[str, dict[str, list[float]]] = {name: {f"{value:g}": [] for value in _MOST} for name in _READ_TWICE}
    for name in _READ_TWICE:
        for haystack in haystacks(name):
            with opened(haystack) as watched:
                for question, gold in haystack.questions:
                    for value in _MOST:
                        with _set(bm25, MOST=value):
                            case = case_of(watched, question, gold)
                        found[name][f"{value:g}"].append(_score(case, name))
    return {name: {key: fmean(values) for key, values in some.items()} for name, some in found.items()}


# ---- whether to say anything


def _gates() -> list[Table]:
    """What each threshold keeps and lets through, with vectors and without."""
    persist = _kept("persistbench", _persistbench)
    natural = _kept("natural", _natural)
    tables = []
    for place, (name, values) in enumerate((("LEAST", _GATE), ("LEAST_WORDS", _GATE_WORDS))):
        groups = [[pair[place] for pair in some[kind]] for some in (persist, natural) for kind in ("helps", "off")]
        rows = [
            _marked((f"{value:g}", *(_share(group, value) for group in groups)), is_ours=value == getattr(gate, name))
            for value in values
        ]
        head = (f"`{name}`", "PersistBench kept", "let through", "own questions kept", "foreign let through")
        side = "words and meaning" if place == 0 else "words alone"
        tables.append(Table(head=head, rows=rows, title=f"`gate.{name}`: {side}"))
    return tables


_Values = dict[str, list[tuple[float, float]]]  # the gate's value with meaning, and by words alone


def _kept(name: str, make: Callable[[], _Values]) -> _Values:
    file = OUT / "tune" / source() / f"gate-{name}.json"
    if not file.exists():
        say(f"tune: gate on {name}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(make()), encoding="utf-8")
    kept: _Values = json.loads(file.read_text("utf-8"))
    return kept


def _share(values: Sequence[float], least: float) -> str:
    return f"{sum(value >= least for value in values) / len(values):.0%}"


def _persistbench() -> _Values:
    from bench.scorers import relevance

    found: _Values = {}
    for kind, name in (("helps", "beneficial_samples"), ("off", "cross_domain")):
        lines = (evals.data_folder() / "persistbench" / f"{name}.jsonl").read_text("utf-8").splitlines()
        asked = [(row["query"], row["memories"]) for row in map(json.loads, lines)]
        found[kind] = [
            (max(relevance(query, text) for text in texts), max(_by_words(query, terms(text)) for text in texts))
            for query, texts in asked
        ]
    return found


def _by_words(query: str, held: Sequence[str] | frozenset[str]) -> float:
    asked = frozenset(asked_terms(query))
    return gate.gate(None, held=len(asked.intersection(held)), asked=len(asked)).value


def _natural() -> _Values:
    """Questions asked to the store of their own set, and to those of sets about something else."""
    chance = np.random.default_rng(SEED)
    stores = {name: haystacks(name)[0] for name in NAMES if name not in ("turn", "sfull")}
    found: _Values = {"helps": [], "off": []}
    for name, haystack in stores.items():
        with opened(haystack) as watched:
            found["helps"] += [_value(watched, text) for text in _some(haystack, _OWN, chance)]
            others = [other for other in stores if other != name and not any({name, other} <= kin for kin in _KIN)]
            found["off"] += [
                _value(watched, text) for other in others for text in _some(stores[other], _FOREIGN, chance)
            ]
    return found


def _some(haystack: Haystack, count: int, chance: Any) -> list[str]:
    numbers = chance.choice(len(haystack.questions), min(count, len(haystack.questions)), replace=False)
    return [haystack.questions[number][0] for number in numbers.tolist()]


def _value(watched: Watched, question: str) -> tuple[float, float]:
    """Of the answer that bears on it most."""
    items = watched.ranked(question, watched.gathered(question)).items[:_TOLD]
    held = watched.store.terms([item.id for item in items])
    by_both = max((item.gate.value for item in items if item.gate), default=-1.0)
    return by_both, max((_by_words(question, held[item.id]) for item in items), default=-1.0)


# ---- the newest value first


def _diversity() -> Table:
    file = OUT / "tune" / source() / "diverse.json"
    if not file.exists():
        file.write_text(json.dumps(_diverse()), encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(file.read_text("utf-8"))
    ours = _pair(diverse._SAME_TOPIC, diverse._CLOSE)
    rows = [
        _marked(
            (
                *(_NONE if key == _pair(*_OFF) else key.split()),
                *(f"{100 * some[name]:.1f}" for name in ("newest", "sfull", "pool")),
            ),
            is_ours=key == ours,
        )
        for key, some in found.items()
    ]
    head = ("`_SAME_TOPIC`", "`_CLOSE`", "newest value first", "MRR, LongMemEval S", "MRR, one pool")
    return Table(head=head, rows=rows, title="`diverse`: the newest first, and what it costs where dates are known")


def _pair(topic: float, close: float) -> str:
    return f"{topic:g} {close:g}"


def _diverse() -> dict[str, dict[str, float]]:
    say("tune: the newest value first")
    pairs = [_OFF, *product(_SAME_TOPIC, _CLOSE)]
    found: dict[str, dict[str, list[float]]] = {_pair(*pair): {} for pair in pairs}
    for haystack, sessions in updates():
        _order_by_pairs(haystack, pairs, "newest", partial(_is_newest, sessions), into=found)
    for name in ("sfull", "pool"):
        for haystack in haystacks(name):
            _order_by_pairs(dated(haystack), pairs, name, _reciprocal, into=found)
    return {key: {name: fmean(values) for name, values in some.items()} for key, some in found.items()}


def _order_by_pairs(
    haystack: Haystack,
    pairs: Sequence[tuple[float, float]],
    name: str,
    judge: Callable[[list[int], frozenset[int]], float],
    *,
    into: dict[str, dict[str, list[float]]],
) -> None:
    with opened(haystack) as watched:
        for question, gold in haystack.questions:
            gathered = watched.gathered(question)
            for topic, close in pairs:
                with _set(diverse, _SAME_TOPIC=topic, _CLOSE=close):
                    items = watched.ranked(question, gathered).items
                rows = [row for item in items for row in watched.rows_of(item.id)]
                into[_pair(topic, close)].setdefault(name, []).append(judge(rows, gold))


def _is_newest(sessions: Sequence[int], rows: list[int], gold: frozenset[int]) -> float:
    first = next((row for row in rows if row in gold), None)
    return float(first is not None and sessions[first] == max(sessions[row] for row in gold))


def _reciprocal(rows: list[int], gold: frozenset[int]) -> float:
    return next((1 / place for place, row in enumerate(rows, 1) if row in gold), 0.0)
