"""What models are told to do, and which wording of it: a text for each use, with a version in its first line."""

from functools import cache
from importlib.resources import files

from hindbrain.core.value import dataclass
from hindbrain.errors import BadValue

_HEAD = "version:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    name: str
    version: int
    text: str


@cache
def load(name: str) -> Order:
    """The order that is called `name`; BadValue when there is none."""
    file = files(__package__).joinpath(f"{name}.md")
    if not name.isidentifier() or not file.is_file():
        raise BadValue(
            f"there is no prompt {name!r}", fix="name one of the uses of a model, as `hindbrain ai` lists them"
        )
    head, _, text = file.read_text("utf-8").partition("\n")
    return Order(name=name, version=int(head.removeprefix(_HEAD)), text=text.strip())
