"""Which operations of a model are exchanged."""

from hindbrain.adapters.ai.graph import Node, replaced

WIDENED = ("Cast w_steps -> w_wide", "Mul w_wide w_scale -> w")


def graph(*lines: str) -> list[Node]:
    nodes = []
    for line in lines:
        before, _, outputs = line.partition(" -> ")
        kind, *inputs = before.split()
        nodes.append(Node(kind=kind, inputs=tuple(inputs), outputs=tuple(outputs.split()), raw=line.encode()))
    return nodes


def lines(nodes: list[Node]) -> list[str]:
    return [f"{node.kind} {' '.join(node.inputs)} -> {' '.join(node.outputs)}" for node in nodes]


def test_a_product_with_a_widened_weight_is_one_of_bytes() -> None:
    assert lines(replaced(graph(*WIDENED, "MatMul x w -> y"))) == [
        "DynamicQuantizeLinear x -> y/bytes y/step y/zero",
        "MatMulInteger y/bytes w_steps y/zero -> y/sums",
        "Cast y/sums -> y/wide",
        "Mul y/step w_scale -> y/scaled",
        "Mul y/wide y/scaled -> y",
    ]


def test_beside_a_gelu_each_token_has_a_scale_of_its_own() -> None:
    gelu = ("Div b r -> c", "Erf c -> d", "Add d one -> e", "Mul half e -> f", "Mul b f -> g")
    found = lines(replaced(graph(*WIDENED, "MatMul x w -> a", "Add a bias -> b", *gelu, "MatMul g w -> y")))
    for x, out in (("x", "a"), ("g", "y")):
        assert found[(first := found.index(f"Abs {x} -> {out}/sizes")) : first + 2][1].startswith("ReduceMax")
        assert f"Mul {out}/wide w_scale -> {out}/scaled" in found and f"Mul {out}/step {out}/scaled -> {out}" in found
    assert "Gelu b -> g" in found and not any("DynamicQuantizeLinear" in line for line in found)


def test_only_the_rows_that_are_asked_for_are_widened() -> None:
    assert lines(replaced(graph(*WIDENED, "Gather w ids -> rows"))) == [
        "Gather w_steps ids -> rows/bytes",
        "Cast rows/bytes -> rows/wide",
        "Gather w_scale ids -> rows/scale",
        "Mul rows/wide rows/scale -> rows",
    ]


def test_a_gelu_that_was_spelled_out_is_one_operation() -> None:
    spelled = graph("Div x r -> a", "Erf a -> b", "Add b one -> c", "Mul half c -> d", "Mul x d -> y")
    assert lines(replaced(spelled)) == ["Gelu x -> y"]


def test_a_guard_against_what_cannot_happen_is_left_out() -> None:
    guarded = graph("Softmax x -> a", "IsNaN a -> b", "Where b zero a -> y")
    assert lines(replaced(guarded)) == ["Softmax x -> a", "Identity a -> y"]


def test_a_weight_that_somebody_else_needs_stays() -> None:
    shared = graph(*WIDENED, "MatMul x w -> y", "Add w y -> z")
    assert lines(replaced(shared))[:2] == list(WIDENED)


def test_all_else_stays_as_it_stood() -> None:
    other = graph("MatMul x w -> y", "Where c y x -> z", "Gather z ids -> g", "Split g -> l r", "Mul r g -> m")
    assert replaced(other) == other
