"""How often the decisions that act by themselves are right: to let two memories be one, and to supersede.

The scorers are judged by how they order pairs; these are judged where they draw the line, on the test part of sets that
nobody here wrote. `EVAL_DATA` names another folder of the same form.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import fsum
from operator import mul
from typing import Any

from bench import evals
from bench.meter import say
from bench.report import Part, Table
from hindbrain.core.same import is_same, means_same
from hindbrain.core.shape import content_hash
from hindbrain.core.supersede import Verdict, rule

_TITLE = "Where it acts by itself"
_SETS = ("mrpc", "stsb", "lessons", "consolidate", "beads")
_UNLABELLED = ("mrpc", "stsb", "lessons", "consolidate")
_HEAD = ("decision, set", "n", "pos", "decided", "wrong", "of these equal texts", "P", "R", "wrong, of the negatives")
_Pair = tuple[str, str, int]  # old, new, 1 if the label says yes
_Decide = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    pairs: int = 0
    labelled: int = 0  # pairs that the label calls the same, or an update
    decided: int = 0  # pairs that we called so
    wrong: int = 0  # of these, against the label
    equal: int = 0  # of the wrong ones, pairs whose two texts are equal: the label, not the decision, is in doubt

    @property
    def precision(self) -> float:
        return (self.decided - self.wrong) / self.decided if self.decided else 1.0

    @property
    def recall(self) -> float:
        return (self.decided - self.wrong) / self.labelled if self.labelled else 0.0

    @property
    def harm(self) -> float:
        """Wrong decisions of all that could go wrong; equal texts left out."""
        return (self.wrong - self.equal) / max(1, self.pairs - self.labelled)

    def row(self, name: str) -> tuple[str, ...]:
        counts = (self.pairs, self.labelled, self.decided, self.wrong, self.equal)
        precision = f"{self.precision:.3f}" if self.decided else "–"
        recall = f"{self.recall:.3f}" if self.labelled else "–"
        return (name, *(f"{count:,}" for count in counts), precision, recall, f"{self.harm:.2%}")


def measure(*, is_quick: bool) -> Part:
    del is_quick  # a model is asked only about pairs that nothing else forbids
    if missing := evals.missing():
        say(f"decisions: {missing}")
        return Part(name="decisions", title=_TITLE, notes=[f"Not measured: {missing}."])
    sys.dont_write_bytecode = True  # the scripts lie in a folder that is not ours
    sys.path.insert(0, str(evals.scripts_folder()))
    same, updates = importlib.import_module("dup_pairs"), importlib.import_module("update_eval")
    alike = {name: list(_of(same.SETS[name])) for name in _SETS}
    ways = {"the same, by words": is_same, "the same, by meaning": _means_same, "the same and more": _refines}
    merges = {
        f"{way}: {name}": _counted(pairs, decide=decide)
        for way, decide in ways.items()
        for name, pairs in alike.items()
        if pairs
    }
    told = list(_entailed())
    merges |= {f"{way}: sick, follows": _counted(told, decide=decide) for way, decide in ways.items() if told}
    labelled = {name: list(_of(make)) for name, make in (("beam", updates.beam_set), ("sick", updates.sick))}
    newer = {f"supersedes: {name}": _counted(pairs, decide=_supersedes) for name, pairs in labelled.items() if pairs}
    newer |= {
        f"supersedes: {name}, no label": _counted([(old, new, 0) for old, new, _ in alike[name]], decide=_supersedes)
        for name in _UNLABELLED
        if alike[name]
    }
    return _part(merges, newer)


def _part(merges: dict[str, _Count], newer: dict[str, _Count]) -> Part:
    figures = {f"{name} {what}": getattr(count, what) for name, count in (merges | newer).items() for what in _SHOWN}
    automatic = [count for name, count in merges.items() if "more" not in name]
    bad, of_all = sum(one.wrong for one in automatic), sum(one.decided for one in automatic)
    equal = sum(one.equal for one in automatic)
    more = merges.get("the same and more: sick, follows", _Count())
    figures["wrong_versions"] = more.wrong / max(1, more.decided)
    figures["wrong_merges"] = bad / max(1, of_all)
    figures["wrong_merges_of_unequal"] = (bad - equal) / max(1, of_all - equal)
    return Part(
        name="decisions",
        title=_TITLE,
        figures=figures,
        tables=[
            Table(
                title="Two memories become one", head=_HEAD, rows=[count.row(name) for name, count in merges.items()]
            ),
            Table(title="The new takes the old's place", head=_HEAD, rows=[n.row(name) for name, n in newer.items()]),
        ],
        notes=[
            "By words: what `capture` and `merge` do without vectors. By meaning: what `merge` does with vectors of "
            "the built-in model. The same and more: what `capture` makes a new version of; the old wording stays in "
            "the memory's history. Labels of paraphrase do not fit that one: a text that holds another and adds to it "
            "is no paraphrase. Whether the old follows from the new does (`sick, follows`): of "
            f"{more.decided:,} {more.wrong:,} are wrong by that label, {more.wrong / max(1, more.decided):.1%}.",
            f"By the labels {bad:,} of {of_all:,} merges are wrong; {equal:,} of these are of equal texts, counted "
            f"once by words and once by meaning. Of the other {of_all - equal:,} {bad - equal:,} are. "
            "Merging is nearly exact match on purpose: a wrong one hides a lesson, a missed one only shows two. The "
            "equal texts are of `beads`, whose negatives nobody labelled: they are the nearest issues that carry no "
            "link, here one issue filed many times, equal in every character.",
            "Where a set has no label for updates, each supersede is counted as wrong: an upper bound.",
        ],
    )


_SHOWN = ("pairs", "labelled", "decided", "wrong", "equal", "precision", "recall", "harm")


def _entailed() -> Iterator[_Pair]:
    """Pairs of which people said whether the second follows from the first: then the first may stand for both."""
    file = evals.data_folder() / "sick" / "SICK_test_annotated.txt"
    if not file.is_file():
        return
    for line in file.read_text("utf-8", errors="replace").splitlines():
        number, first, second, _, label, *_ = [*line.split("\t"), *[""] * 5]
        if number.isdigit():
            yield second, first, int(label == "ENTAILMENT")


def _means_same(old: str, new: str) -> bool:
    """A model is asked last: mostly the words forbid it already."""
    if not means_same(old, new, similarity=1.0):
        return False
    from bench.scorers import point

    return means_same(old, new, similarity=fsum(map(mul, point(old), point(new))))


def _refines(old: str, new: str) -> bool:
    return not is_same(old, new) and _ruled(old, new) is Verdict.REFINES


def _supersedes(old: str, new: str) -> bool:
    return _ruled(old, new) is Verdict.SUPERSEDES


@cache
def _ruled(old: str, new: str) -> Verdict:
    return rule(new, old).verdict


def _of(make: Callable[[str], Iterable[Any]]) -> Iterator[_Pair]:
    """The pairs of a set; nothing when this half of the data lacks it."""
    try:
        yield from make("test")
    except FileNotFoundError:
        return


def _counted(pairs: list[_Pair], *, decide: _Decide) -> _Count:
    decided = [(old, new, label) for old, new, label in pairs if decide(old, new)]
    wrong = [(old, new) for old, new, label in decided if not label]
    return _Count(
        pairs=len(pairs),
        labelled=sum(label for *_, label in pairs),
        decided=len(decided),
        wrong=len(wrong),
        equal=sum(content_hash(old) == content_hash(new) for old, new in wrong),
    )
