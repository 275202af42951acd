"""What words and meaning say of each question of the sets: found once through our own store, kept for every grid."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bench import evals
from bench.meter import say
from bench.report import OUT, source
from bench.retriever import CACHE, Retriever, model
from hindbrain.app.gather import Gathered, covered, gather
from hindbrain.core.recall import Ask, Ranked, rank
from hindbrain.core.recall.fuse import LONG, NEAR
from hindbrain.core.words import count_words
from hindbrain.ports import Store, Where

LIMIT = 40  # answers that the scripts ask for
NAMES = ("locomo", "pool", "turn", "sfull", "beam", "title", "commit", "cosqa")


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """Texts of one store, and questions with the numbers of those that answer them."""

    texts: Sequence[str]
    questions: Sequence[tuple[str, frozenset[int]]]
    dates: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The candidates of one question, side by side: a row each."""

    share: Any  # of words
    likeness: Any  # cosine, or what counts instead where it is not known
    pieces: Any
    has_words: Any
    is_gold: Any
    golds: int  # that there are, found or not
    asked: int  # words of the question, as far as they are counted
    nearest: float  # the highest cosine of all
    covered: float  # of the worth of the question's words, what the best answer by words holds


class Watched(Retriever):
    """Our store, open for what recall sees before it ranks."""

    def gathered(self, question: str) -> Gathered:
        return gather(self._ask(question), Where(project=self.project_id), reader=self.store, embedder=model())

    def covered(self, question: str) -> float:
        return covered(self._ask(question), Where(project=self.project_id), reader=self.store)

    def ranked(self, question: str, gathered: Gathered) -> Ranked:
        from hindbrain.adapters.clock import SystemClock

        return rank(gathered.candidates, self._ask(question), now=SystemClock().now(), terms=gathered.terms)

    def rows_of(self, memory_id: str) -> list[int]:
        return self._rows.get(memory_id, [])

    @property
    def store(self) -> Store:
        return self._memory.store

    @property
    def project_id(self) -> str:
        project = self._memory.project
        return project.id if project else ""

    def _ask(self, question: str) -> Ask:
        return Ask(text=question, limit=LIMIT)


def cases(name: str) -> list[Case]:
    """Of the named set, all questions of all its stores."""
    file = OUT / "tune" / source() / f"{name}.npz"
    if not file.exists():
        say(f"tune: reading {name}")
        _save([case for haystack in haystacks(name) for case in _cases(haystack)], file)
    return _load(file)


@contextmanager
def opened(haystack: Haystack) -> Iterator[Watched]:
    os.environ.setdefault(CACHE, str(OUT / "vectors.db"))
    with closing(Watched()) as watched:
        watched.index(haystack.texts, [{"date": date} for date in haystack.dates] if haystack.dates else None)
        yield watched


def _cases(haystack: Haystack) -> Iterator[Case]:
    with opened(haystack) as watched:
        for question, gold in haystack.questions:
            yield case_of(watched, question, gold)


def case_of(watched: Watched, question: str, gold: frozenset[int]) -> Case:
    candidates = watched.gathered(question).candidates
    pairs = [(one, row) for one in candidates for row in watched.rows_of(one.memory.id)]
    return Case(
        share=np.array([one.share for one, _ in pairs], np.float32),
        likeness=np.array([one.usual if one.similarity is None else one.similarity for one, _ in pairs], np.float32),
        pieces=np.array([one.pieces for one, _ in pairs], np.int32),
        has_words=np.array([one.words > 0 for one, _ in pairs], bool),
        is_gold=np.array([row in gold for _, row in pairs], bool),
        golds=len(gold),
        asked=count_words(question, most=LONG),
        nearest=next((one.nearest for one in candidates if one.nearest is not None), NEAR),
        covered=watched.covered(question),
    )


_SINGLE = ("golds", "asked", "nearest", "covered")
_COLUMNS = ("share", "likeness", "pieces", "has_words", "is_gold")


def _save(found: Sequence[Case], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Any] = {name: np.concatenate([getattr(case, name) for case in found]) for name in _COLUMNS}
    sizes = np.array([len(case.share) for case in found])
    single: dict[str, Any] = {name: np.array([getattr(case, name) for case in found]) for name in _SINGLE}
    np.savez_compressed(file, sizes=sizes, **single, **columns)


def _load(file: Path) -> list[Case]:
    kept = np.load(file)
    ends = np.cumsum(kept["sizes"])[:-1]
    parts = {name: np.split(kept[name], ends) for name in _COLUMNS}
    return [
        Case(
            golds=int(golds),
            asked=int(asked),
            nearest=float(nearest),
            covered=float(covered),
            **{name: one[at] for name, one in parts.items()},
        )
        for at, (golds, asked, nearest, covered) in enumerate(zip(*(kept[name] for name in _SINGLE), strict=True))
    ]


# ---- the sets, as their scripts read them


def haystacks(name: str) -> list[Haystack]:
    if str(evals.scripts_folder()) not in sys.path:
        sys.path.insert(0, str(evals.scripts_folder()))
    read: Any = _READ[name]
    return [_haystack(documents, questions) for documents, questions in read()]


def _haystack(documents: Sequence[tuple[Any, str]], questions: Sequence[Sequence[Any]]) -> Haystack:
    numbers = {key: row for row, (key, _) in enumerate(documents)}
    asked = [(str(one[0]), frozenset(numbers[key] for key in one[1] if key in numbers)) for one in questions]
    return Haystack(texts=[text for _, text in documents], questions=[(text, gold) for text, gold in asked if gold])


def dated(haystack: Haystack) -> Haystack:
    """With the dates that the texts of LongMemEval begin with."""
    dates = [text.partition("\n")[0] for text in haystack.texts]
    return Haystack(texts=haystack.texts, questions=haystack.questions, dates=dates)


def updates() -> list[tuple[Haystack, list[int]]]:
    """Facts that changed, as `update_eval.py --task newest` reads them: and the session of each text."""
    file = evals.data_folder() / "longmemeval" / "longmemeval_oracle.json"
    found = []
    for asked in json.loads(file.read_text("utf-8")):
        if asked["question_type"] != "knowledge-update" or asked["question_id"].endswith("_abs"):
            continue
        turns = list(_turns(asked))
        gold = frozenset(row for row, (_, _, turn) in enumerate(turns) if turn.get("has_answer"))
        sessions = [session for session, _, _ in turns]
        if len({sessions[row] for row in gold}) > 1:
            texts, dates = [turn["content"] for *_, turn in turns], [date for _, date, _ in turns]
            found.append((Haystack(texts=texts, questions=[(asked["question"], gold)], dates=dates), sessions))
    return found


def _turns(asked: Mapping[str, Any]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """What the user said: the number of the session, its date, the turn; the oldest first."""
    columns = (asked["haystack_dates"], asked["haystack_session_ids"], asked["haystack_sessions"])
    for number, (date, _, session) in enumerate(sorted(zip(*columns, strict=True), key=lambda one: one[:2])):
        yield from ((number, date, turn) for turn in session if turn["role"] == "user")


def _script(name: str) -> Any:
    return import_module(name)


_READ = {
    "locomo": lambda: _script("locomo_retrieval").load_locomo(),
    "pool": lambda: _script("longmemeval_retrieval").load_lme("pool"),
    "turn": lambda: _script("longmemeval_retrieval").load_lme("turn"),
    "sfull": lambda: _script("longmemeval_retrieval").load_lme("sfull"),
    "beam": lambda: [one[:2] for one in _script("beam_retrieval").load_beam(category="coding")],
    "title": lambda: [one[1:] for one in _script("lessons_retrieval").load_task("title")],
    "commit": lambda: [one[1:] for one in _script("lessons_retrieval").load_task("commit")],
    "cosqa": lambda: [_script("cosqa_retrieval").load_cosqa("test")],
}
