"""How often the two decisions that act by themselves are right: to merge, and to supersede.

The scorers are judged by how they order pairs; these two are judged where they draw the line. Run it with
`PYTHONPATH=src python -m bench.decisions`. The data lies beside the project; `EVAL_DATA` names another folder.
"""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.report import ROOT
from hindbrain.core.same import is_same
from hindbrain.core.shape import content_hash
from hindbrain.core.supersede import Verdict, rule

_SCRIPTS = ROOT.parent / "shared" / "evals"
_Pair = tuple[str, str, int]  # old, new, 1 if the label says yes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    pairs: int
    labelled: int  # pairs that the label calls the same, or an update
    decided: int  # pairs that we called so
    wrong: int  # of these, against the label
    equal: int  # of the wrong ones, pairs whose two texts are equal: the label, not the decision, is in doubt

    def line(self, name: str) -> str:
        right = self.decided - self.wrong
        precision = f"{right / self.decided:.3f}" if self.decided else "–"
        recall = f"{right / self.labelled:.3f}" if self.labelled else "–"
        harmed = self.wrong / max(1, self.pairs - self.labelled)
        return (
            f"{name:<28} n={self.pairs:<5} pos={self.labelled:<5} decided={self.decided:<4} wrong={self.wrong} "
            f"(equal texts {self.equal}) P={precision} R={recall} wrong/negatives={harmed:.2%}"
        )


def main() -> int:
    if not _SCRIPTS.is_dir():
        print("Not measured: the evaluation scripts are not beside the project.")
        return 1
    sys.dont_write_bytecode = True  # the scripts lie in a folder that is not ours
    sys.path.insert(0, str(_SCRIPTS))
    duplicates, updates = importlib.import_module("dup_pairs"), importlib.import_module("update_eval")
    for split in ("train", "test"):
        for name, make in duplicates.SETS.items():
            _show(f"same/{name} {split}", _of(make, split), decide=is_same)
        for name, make in (("beam", updates.beam_set), ("sick", updates.sick), ("anli", updates.anli)):
            _show(f"supersedes/{name} {split}", _of(make, split), decide=_supersedes)
        for name in ("mrpc", "stsb", "lessons", "consolidate"):
            # No label says "update" here, so every supersede is counted as wrong: an upper bound.
            unlabelled = ((a, b, 0) for a, b, _ in _of(duplicates.SETS[name], split))
            _show(f"supersedes/{name} {split}", unlabelled, decide=_supersedes)
    return 0


def _supersedes(old: str, new: str) -> bool:
    return rule(new, old).verdict is Verdict.SUPERSEDES


def _of(make: Callable[[str], Iterable[Any]], split: str) -> Iterator[_Pair]:
    """The pairs of a set; nothing when this half of the data lacks it."""
    try:
        yield from make(split)
    except FileNotFoundError:
        return


def _show(name: str, pairs: Iterable[_Pair], *, decide: Callable[[str, str], bool]) -> None:
    count = _counted(list(pairs), decide=decide)
    print(count.line(name) if count.pairs else f"{name:<28} not in this data", flush=True)


def _counted(pairs: list[_Pair], *, decide: Callable[[str, str], bool]) -> _Count:
    decided = [(old, new, label) for old, new, label in pairs if decide(old, new)]
    wrong = [(old, new) for old, new, label in decided if not label]
    return _Count(
        pairs=len(pairs),
        labelled=sum(label for *_, label in pairs),
        decided=len(decided),
        wrong=len(wrong),
        equal=sum(content_hash(old) == content_hash(new) for old, new in wrong),
    )


if __name__ == "__main__":
    sys.exit(main())
