"""How the model's sums are done: in whole numbers, though its file asks for floats.

The file keeps weights as bytes and widens each to a float before it is used: three times the work, and ninety
megabytes to fill at every start. Four shapes in it are exchanged as it is loaded; the file itself stays as it is:

    MatMul(x, weight)              a product of bytes; x is rounded to bytes as it comes, by one scale for all of it
                                   or, beside a Gelu, where one scale costs most, by one for each token
    Gather(weight, ids)            only the rows that are asked for are widened
    x * 0.5 * (1 + Erf(x / r))     one operation of the runtime, Gelu
    Where(IsNaN(x), 0, x)          x: no token is ever hidden from all others

What is matched is the shape alone. Whoever calls this has checked that the file is the one these shapes were read from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from struct import pack
from typing import NamedTuple

from hindbrain.adapters.ai.wire import Field, fields, head, sized, text, whole
from hindbrain.core.value import dataclass

# Numbers of fields, from the published schema of ONNX.
_MODEL_GRAPH, _MODEL_OPERATORS = 7, 8
_GRAPH_NODE, _GRAPH_CONSTANT, _GRAPH_SHAPES = 1, 5, 13
_NODE_INPUT, _NODE_OUTPUT, _NODE_KIND, _NODE_ATTRIBUTE, _NODE_DOMAIN = 1, 2, 4, 5, 7
_ATTRIBUTE_NAME, _ATTRIBUTE_NUMBER, _ATTRIBUTE_NUMBERS, _ATTRIBUTE_TYPE = 1, 3, 8, 20
_TENSOR_TYPE, _TENSOR_NAME, _TENSOR_BYTES = 2, 8, 9
_OPERATORS_DOMAIN, _OPERATORS_VERSION = 1, 2
_NUMBER, _NUMBERS = 2, 7  # types of attributes
_FLOAT, _BYTE = 1, 2  # types of elements

_EXTENSIONS = "com.microsoft"  # operations that only this runtime knows


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One operation of the model, and the field of the file that says so."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    raw: bytes | memoryview


def in_whole_numbers(model: memoryview) -> bytes:
    """`model`, an ONNX file, with the same weights and sums of bytes."""
    chunks: list[bytes | memoryview] = []
    for field in fields(model):
        chunks += _graph(field.body) if field.number == _MODEL_GRAPH else [field.raw]
    extensions = sized(_MODEL_OPERATORS, [text(_OPERATORS_DOMAIN, _EXTENSIONS), whole(_OPERATORS_VERSION, 1)])
    return b"".join([*chunks, extensions])


def _graph(graph: memoryview) -> list[bytes | memoryview]:
    """In chunks, so that twenty megabytes of weights are copied once and not at every level."""
    parts = list(fields(graph))
    nodes = [_read(part) for part in parts if part.number == _GRAPH_NODE]
    # The shapes of values in between are hints, and many of those values are gone.
    rest = [part.raw for part in parts if part.number not in (_GRAPH_NODE, _GRAPH_SHAPES)]
    chunks = [*(node.raw for node in replaced(nodes)), *_constants(), *rest]
    return [head(_MODEL_GRAPH, sum(map(len, chunks))), *chunks]


def _read(part: Field) -> Node:
    said: dict[int, list[str]] = {_NODE_INPUT: [], _NODE_OUTPUT: [], _NODE_KIND: []}
    for field in fields(part.body):
        if field.number in said:
            said[field.number].append(str(field.body, "utf-8"))
    inputs, outputs, (kind,) = said.values()
    return Node(kind=kind, inputs=tuple(inputs), outputs=tuple(outputs), raw=part.raw)


def replaced(nodes: Sequence[Node]) -> list[Node]:
    """`nodes` in their order, the four shapes exchanged, and without those that only fed what is gone."""
    made = {name: node for node in nodes for name in node.outputs}
    near = set(_near_gelu(nodes, made))
    fresh = [other for node in nodes for other in _exchanged(node, made, near=near)]
    needed = set(made) - {name for node in nodes for name in node.inputs}  # what the model as a whole gives
    kept = []
    for node in reversed(fresh):
        if needed.intersection(node.outputs):
            needed.update(node.inputs)
            kept.append(node)
    return kept[::-1]


def _near_gelu(nodes: Sequence[Node], made: Mapping[str, Node]) -> Iterator[str]:
    """The outputs of every Gelu, and of the products whose sum with a bias is its input."""
    for node in nodes:
        if _is_gelu(node, made):
            yield node.outputs[0]
            if _path(node, made, 0, 0) == ("Add", "MatMul"):
                yield made[node.inputs[0]].inputs[0]


def _is_gelu(node: Node, made: Mapping[str, Node]) -> bool:
    return node.kind == "Mul" and _path(node, made, 1, 1, 0, 0) == ("Mul", "Add", "Erf", "Div")


def _exchanged(node: Node, made: Mapping[str, Node], *, near: Set[str]) -> Iterable[Node]:
    match node.kind:
        case "MatMul" if _path(node, made, 1, 0) == ("Mul", "Cast"):
            by_token = node.inputs[0] in near or node.outputs[0] in near
            return _product(node, _weight(node.inputs[1], made), by_token=by_token)
        case "Gather" if _path(node, made, 0, 0) == ("Mul", "Cast"):
            return _rows(node, _weight(node.inputs[0], made))
        case "Mul" if _is_gelu(node, made):
            return [_new("Gelu", [node.inputs[0]], outputs=node.outputs, domain=_EXTENSIONS)]
        case "Where" if _path(node, made, 0) == ("IsNaN",):
            return [_new("Identity", [node.inputs[2]], outputs=node.outputs)]
    return [node]


def _path(node: Node, made: Mapping[str, Node], *steps: int) -> tuple[str, ...]:
    """The kinds of the nodes met on the way back, by the input with that number at each step."""
    met = []
    for step in steps:
        before = made.get(node.inputs[step])
        if before is None:
            break
        met.append(before.kind)
        node = before
    return tuple(met)


class _Weight(NamedTuple):
    """Names of what a weight is kept as."""

    steps: str  # bytes
    scale: str


def _weight(name: str, made: Mapping[str, Node]) -> _Weight:
    """What is behind a weight that was widened."""
    wide, scale = made[name].inputs
    return _Weight(made[wide].inputs[0], scale)


def _product(node: Node, weight: _Weight, *, by_token: bool) -> list[Node]:
    (out,) = node.outputs
    # The scales are multiplied first only where both are of whole tensors: the runtime knows that shape, makes one
    # operation of it, and reads no more than one scale for x.
    first, then = (f"{out}/wide", f"{out}/step") if by_token else (f"{out}/step", f"{out}/wide")
    return [
        *(_by_token if by_token else _by_tensor)(node.inputs[0], out),
        _new("MatMulInteger", [f"{out}/bytes", weight.steps, f"{out}/zero"], outputs=[f"{out}/sums"]),
        _new("Cast", [f"{out}/sums"], outputs=[f"{out}/wide"], to=_FLOAT),
        _new("Mul", [first, weight.scale], outputs=[f"{out}/scaled"]),
        _new("Mul", [then, f"{out}/scaled"], outputs=[out]),
    ]


def _by_tensor(x: str, out: str) -> list[Node]:
    return [_new("DynamicQuantizeLinear", [x], outputs=[f"{out}/bytes", f"{out}/step", f"{out}/zero"])]


def _by_token(x: str, out: str) -> list[Node]:
    """The largest of a token's numbers is 127 steps from the middle, which is the byte 128."""
    return [
        _new("Abs", [x], outputs=[f"{out}/sizes"]),
        _new("ReduceMax", [f"{out}/sizes"], outputs=[f"{out}/largest"], axes=(2,)),
        _new("Mul", [f"{out}/largest", "a/127th"], outputs=[f"{out}/exact"]),
        _new("Max", [f"{out}/exact", "least/step"], outputs=[f"{out}/step"]),
        _new("Div", [x, f"{out}/step"], outputs=[f"{out}/steps"]),
        _new("Add", [f"{out}/steps", "middle"], outputs=[f"{out}/shifted"]),
        _new("Round", [f"{out}/shifted"], outputs=[f"{out}/whole"]),
        _new("Cast", [f"{out}/whole"], outputs=[f"{out}/bytes"], to=_BYTE),
        _new("Identity", ["middle/byte"], outputs=[f"{out}/zero"]),
    ]


def _constants() -> list[bytes]:
    known = [
        ("a/127th", _FLOAT, pack("<f", 1 / 127)),
        ("least/step", _FLOAT, pack("<f", 1e-9)),
        ("middle", _FLOAT, pack("<f", 128)),
        ("middle/byte", _BYTE, bytes([128])),
    ]
    return [
        sized(_GRAPH_CONSTANT, [whole(_TENSOR_TYPE, kind), text(_TENSOR_NAME, name), sized(_TENSOR_BYTES, [value])])
        for name, kind, value in known
    ]


def _rows(node: Node, weight: _Weight) -> list[Node]:
    (out,), ids = node.outputs, node.inputs[1]
    return [
        _new("Gather", [weight.steps, ids], outputs=[f"{out}/bytes"], axis=0),
        _new("Cast", [f"{out}/bytes"], outputs=[f"{out}/wide"], to=_FLOAT),
        _new("Gather", [weight.scale, ids], outputs=[f"{out}/scale"], axis=0),
        _new("Mul", [f"{out}/wide", f"{out}/scale"], outputs=[out]),
    ]


def _new(
    kind: str, inputs: Sequence[str], *, outputs: Sequence[str], domain: str = "", **said: int | tuple[int, ...]
) -> Node:
    chunks = [text(_NODE_INPUT, name) for name in inputs]
    chunks += [text(_NODE_OUTPUT, name) for name in outputs]
    chunks += [text(_NODE_KIND, kind), text(_NODE_DOMAIN, domain)]
    chunks += [_attribute(name, value) for name, value in said.items()]
    return Node(kind=kind, inputs=tuple(inputs), outputs=tuple(outputs), raw=sized(_GRAPH_NODE, chunks))


def _attribute(name: str, value: int | tuple[int, ...]) -> bytes:
    if isinstance(value, int):
        body = [whole(_ATTRIBUTE_NUMBER, value), whole(_ATTRIBUTE_TYPE, _NUMBER)]
    else:
        body = [*(whole(_ATTRIBUTE_NUMBERS, number) for number in value), whole(_ATTRIBUTE_TYPE, _NUMBERS)]
    return sized(_NODE_ATTRIBUTE, [text(_ATTRIBUTE_NAME, name), *body])
