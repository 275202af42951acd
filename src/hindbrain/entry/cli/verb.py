"""What a command is before anybody reads a command line: a function, its parameters, and examples.

Parameters are declared in click's words, but without click: it takes longer to load than most commands take to
answer. `grammar` makes click's commands of them; `quick` reads plain command lines with the same declarations.
"""

from hindbrain.core.hints import TYPE_CHECKING, Any, TypeVar
from hindbrain.core.value import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")


class Misuse(Exception):
    """The command line makes no sense as a whole. Raised before anything is written or taken from a pipe, or not at
    all: whoever catches it may run the same command line once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    names: tuple[str, ...]  # as click takes them: `--path`, then the keyword if it is another
    traits: "Mapping[str, Any]"  # as click takes them; a `type` is one of `values`

    @property
    def is_option(self) -> bool:
        return self.names[0].startswith("-")

    @property
    def keyword(self) -> str:
        """The name of the function's argument."""
        return self.names[-1].removeprefix("--").replace("-", "_")

    @property
    def default(self) -> "Any":
        empty = () if self.traits.get("multiple") else False if self.traits.get("is_flag") else None
        return self.traits.get("default", empty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    run: "Callable[..., int | None]"  # the first argument is the Call; an exit code, or None for 0
    name: str
    parameters: tuple[Parameter, ...]
    examples: str  # one command line a line


def command(*, examples: str, name: str = "") -> "Callable[[Callable[..., int | None]], Verb]":
    """A command; `--project` and the like are added for all."""

    def made(run: "Callable[..., int | None]") -> Verb:
        parameters: list[Parameter] = getattr(run, "parameters", [])
        called = name or run.__name__
        return Verb(run=run, name=called, parameters=tuple(reversed(parameters)), examples=examples.strip())

    return made


def option(*names: str, **traits: "Any") -> "Callable[[_F], _F]":
    return _declared(Parameter(names=names, traits=traits))


def argument(name: str, **traits: "Any") -> "Callable[[_F], _F]":
    return _declared(Parameter(names=(name,), traits=traits))


def _declared(parameter: Parameter) -> "Callable[[_F], _F]":
    def noted(run: _F) -> _F:
        """On the function itself until `command` collects them, the last one first: that is how decorators run."""
        vars(run).setdefault("parameters", []).append(parameter)
        return run

    return noted


SHARED = (
    Parameter(
        names=("--project",),
        traits={
            "metavar": "P",
            "help": "Name, id or path of a project.  [default: the one around the current folder]",
        },
    ),
    Parameter(
        names=("--per-worktree",),
        traits={"is_flag": True, "help": "Take this git worktree for a project of its own."},
    ),
    Parameter(names=("--json", "is_json"), traits={"is_flag": True, "help": "Answer, and fail, in JSON."}),
)  # what every command understands; the keywords are the fields of Call
