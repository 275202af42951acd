"""How well recall finds what was learned: the evaluation scripts on our public API, beside plain full-text search.

Each run is a process of its own and ends with a line of figures. What was measured is kept by the source it was
measured on, so that a run which was stopped goes on where it was.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from bench import evals
from bench.meter import say
from bench.plot import Bar, Tone, bars
from bench.report import OUT, ROOT, Part, Plot, Table, source
from bench.retriever import CACHE

_TITLE = "How well it finds"
_RETRIEVER = ROOT / "bench" / "retriever.py"
_SCORERS = ROOT / "bench" / "scorers.py"
_PLAIN, _OURS = "fts5", "factory"
_SIDES = ("words", "meaning")
_STRATEGIES = ("dex", "loki", "doc05", "recent")
_GATES = ("jaccard", "containment")  # of the script, without a model


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    """Questions with known answers, the figure that counts, and what was hoped for."""

    name: str
    title: str
    command: tuple[str, ...]
    figure: str = "R@10"
    is_share: bool = False  # the script says 0..1, not percent
    reach: float
    beyond: float
    tier: int = 1  # 0: in quick runs too, 2: in full runs only
    has_strategies: int = 2  # from which tier on they are compared here


_SETS = (
    _Set(
        name="locomo",
        title="LoCoMo, turns of chats",
        command=("locomo_retrieval.py",),
        reach=68,
        beyond=74,
        has_strategies=1,
    ),
    _Set(
        name="pool",
        title="LongMemEval, one pool",
        command=("longmemeval_retrieval.py", "--mode", "pool"),
        reach=86,
        beyond=90,
    ),
    _Set(
        name="turn",
        title="LongMemEval, turns",
        command=("longmemeval_retrieval.py", "--mode", "turn"),
        reach=68,
        beyond=74,
        tier=2,
    ),
    _Set(
        name="sfull",
        title="LongMemEval S, sessions",
        command=("longmemeval_retrieval.py", "--mode", "sfull"),
        figure="hit@5",
        reach=98.5,
        beyond=99.5,
        tier=2,
    ),
    _Set(
        name="beam",
        title="BEAM, coding chats",
        command=("beam_retrieval.py", "--category", "coding"),
        reach=82,
        beyond=88,
    ),
    _Set(
        name="title",
        title="lessons by their titles",
        command=("lessons_retrieval.py", "--task", "title"),
        reach=86,
        beyond=90,
        has_strategies=1,
    ),
    _Set(
        name="commit",
        title="lessons by their commits",
        command=("lessons_retrieval.py", "--task", "commit"),
        reach=62,
        beyond=70,
        tier=0,
        has_strategies=0,
    ),
    _Set(
        name="cosqa",
        title="CoSQA, code by questions",
        command=("cosqa_retrieval.py",),
        reach=78,
        beyond=82,
    ),
    _Set(
        name="newest",
        title="newest value first",
        command=("update_eval.py", "--task", "newest"),
        figure="newest-first",
        is_share=True,
        reach=75,
        beyond=90,
        has_strategies=3,  # who sorts by date has the newest first, whatever was asked
    ),
)
_GATE_REACH, _GATE_BEYOND = 45, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A share of questions, in percent."""

    value: float
    n: int

    @property
    def doubt(self) -> float:
        """Two standard errors: smaller differences mean nothing."""
        share = min(max(self.value / 100, 0.0), 1.0)
        return 200 * math.sqrt(share * (1 - share) / self.n)


def measure(*, is_quick: bool, is_full: bool = False) -> Part:
    """Scores of every set whose script and data are there; a note for each that is not."""
    if missing := evals.missing():
        say(f"recall: {missing}")
        return Part(name="recall", title=_TITLE, notes=[f"Not measured: {missing}."], is_whole=False)
    tier = 0 if is_quick else 2 if is_full else 1
    sets = [one for one in _SETS if one.tier <= tier]
    log = _Log()
    scores: dict[tuple[str, str], Score] = {}
    for one in sets:
        for system in (_PLAIN, _OURS, *_SIDES, *(_STRATEGIES if one.has_strategies <= tier else ())):
            if (score := _scored(one, system, log)) is not None:
                scores[one.name, system] = score
    gates = {} if is_quick else _gates(log)
    return _part(sets, scores, gates=gates, troubles=log.troubles, is_whole=is_full)


class _Log:
    """What each script has said about the present source."""

    def __init__(self) -> None:
        prints = sha256(str(evals.data_folder()).encode() + _RETRIEVER.read_bytes() + _SCORERS.read_bytes())
        self._file = OUT / "recall" / f"{source()}-{prints.hexdigest()[:8]}.json"
        kept = self._file.read_text("utf-8") if self._file.exists() else "{}"
        self._said: dict[str, dict[str, float]] = json.loads(kept)
        self.troubles: list[str] = []

    def figures(self, *command: str) -> dict[str, float]:
        """Of the first line that the script says; none when it fails, which is noted."""
        key = " ".join(command).replace(f"{ROOT}/", "")
        if key not in self._said:
            say(f"recall: {key}")
            done = evals.run(*command, known={CACHE: str(OUT / "vectors.db")})
            if done.returncode:
                self.troubles.append(f"`{command[0]}` stopped ({evals.kind_of_error(done.stderr)}).")
                return {}
            self._keep(key, evals.figures(next(iter(done.stdout.splitlines()), "")))
        return self._said[key]

    def _keep(self, key: str, found: dict[str, float]) -> None:
        self._said[key] = found
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(self._said, indent=1), encoding="utf-8")


def _scored(one: _Set, system: str, log: _Log) -> Score | None:
    named = system if system == _PLAIN else f"{_RETRIEVER}:{system}"
    found = log.figures(*one.command, "--system", named)
    if one.figure not in found:
        return None
    return Score(value=found[one.figure] * (100 if one.is_share else 1), n=int(found["n"]))


def _gates(log: _Log) -> dict[str, tuple[Score, float]]:
    """Of each scorer, who is still told something off-domain where 95% of the helpful are kept, and the AUC."""
    file = evals.data_folder() / "persistbench" / "cross_domain.jsonl"
    off_domain = len(file.read_text("utf-8").splitlines()) if file.exists() else 1
    found = {}
    for system in (*_GATES, f"{_SCORERS}:relevance"):
        said = log.figures("gate_eval.py", "--scorer", system)
        if "injected" in said:
            leak = Score(value=100 * said["injected"], n=off_domain)
            found["ours" if system.endswith(":relevance") else system] = (leak, said["AUC"])
    return found


_NOTES = (
    "One half of each public set; nobody here wrote it. R@10: share of the evidence among the first ten answers, "
    "hit@5: any of it among the first five, newest first: of two values of one fact the later is ranked before. In "
    "percent. FTS5: the scripts' own baseline. Reach and beyond: what we set ourselves. ±: two standard errors, "
    "smaller differences mean nothing.",
    "Every text is added through the public API with default settings, one store for each conversation or "
    "repository. Words alone: the embedder switched off. Meaning alone: by the cosine of the best piece.",
)


def _part(
    sets: Sequence[_Set],
    scores: Mapping[tuple[str, str], Score],
    *,
    gates: Mapping[str, tuple[Score, float]],
    troubles: Sequence[str],
    is_whole: bool,
) -> Part:
    figures = {f"{name}_{system}": score.value for (name, system), score in scores.items()}
    figures |= {f"gate_{name}_still_injected": leak.value for name, (leak, _) in gates.items()}
    measured = [one for one in sets if (one.name, _OURS) in scores]
    tables = [
        _reached(measured, scores),
        _against_sides(measured, scores),
        _against_strategies(measured, scores),
        *([_gated(gates)] if gates else []),
    ]
    return Part(
        name="recall",
        title=_TITLE,
        figures=figures,
        tables=tables,
        plots=[_plot(measured, scores)],
        notes=[*_NOTES, *dict.fromkeys(troubles)],
        is_whole=is_whole,
    )


def _reached(sets: Sequence[_Set], scores: Mapping[tuple[str, str], Score]) -> Table:
    head = ("set", "n", "measure", "FTS5", "ours", "±", "reach", "beyond")
    rows = []
    for one in sets:
        ours = scores[one.name, _OURS]
        goals = (f"{goal:g}" for goal in (one.reach, one.beyond))
        measure = one.figure.replace("-", " ")
        plain = _cell(scores.get((one.name, _PLAIN)))
        rows.append((one.title, f"{ours.n:,}", measure, plain, _cell(ours), f"{ours.doubt:.1f}", *goals))
    return Table(head=head, rows=rows, title="What is found")


def _against_sides(sets: Sequence[_Set], scores: Mapping[tuple[str, str], Score]) -> Table:
    head = ("set", "words alone", "meaning alone", "both", "both − the better one", "±")
    rows = []
    for one in sets:
        ours, sides = scores[one.name, _OURS], [scores.get((one.name, side)) for side in _SIDES]
        best = max((side.value for side in sides if side), default=None)
        more = "–" if best is None else f"{ours.value - best:+.1f}"
        rows.append((one.title, *map(_cell, sides), _cell(ours), more, f"{ours.doubt:.1f}"))
    return Table(head=head, rows=rows, title="Neither side hurts the other")


def _against_strategies(sets: Sequence[_Set], scores: Mapping[tuple[str, str], Score]) -> Table:
    rows = [
        (one.title, _cell(scores[one.name, _OURS]), *(_cell(scores.get((one.name, other))) for other in _STRATEGIES))
        for one in sets
        if (one.name, _STRATEGIES[0]) in scores
    ]
    return Table(head=("set", "default", *_STRATEGIES), rows=rows, title="The default beside the other strategies")


def _gated(gates: Mapping[str, tuple[Score, float]]) -> Table:
    head = ("scorer", "AUC", "off-domain still told", "±", "reach", "beyond")
    goals = (f"{_GATE_REACH}%", f"{_GATE_BEYOND}%")
    rows = [
        (name, f"{auc:.3f}", f"{leak.value:.0f}%", f"{leak.doubt:.0f}", *goals) for name, (leak, auc) in gates.items()
    ]
    return Table(head=head, rows=rows, title="Should an agent be told anything, where 95% of what helps is kept")


def _cell(score: Score | None) -> str:
    return f"{score.value:.1f}" if score else "–"


def _plot(sets: Sequence[_Set], scores: Mapping[tuple[str, str], Score]) -> Plot:
    title = "What is found, in percent: ours and plain full-text search"
    rows = []
    for one in sets:
        if (plain := scores.get((one.name, _PLAIN))) is not None:
            rows.append(Bar(label="FTS5", value=plain.value, tone=Tone.FLOOR))
        rows.append(Bar(label=one.title, value=scores[one.name, _OURS].value, tone=Tone.OURS))
    return Plot(name="recall", title=title, svg=bars(title, rows))
