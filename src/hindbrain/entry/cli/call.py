"""One run of a command: for which project it asks, and in which form it answers."""

from collections.abc import Callable, Iterable

from hindbrain.core.hints import TYPE_CHECKING, Any, TypeVar, cast
from hindbrain.core.value import dataclass, replace
from hindbrain.entry.cli import output

if TYPE_CHECKING:
    from hindbrain.facade import Hindbrain

T = TypeVar("T")


@dataclass(slots=True)
class Call:
    project: str = ""
    is_json: bool = False
    per_worktree: bool = False

    def open(self, *, is_new: bool = False, is_brief: bool = True) -> "Hindbrain":
        """The memory of the project. A name that nobody has used is worth a word, unless `is_new` expects one.
        A command that stays is not `is_brief`: a model that it starts serves all that follows."""
        from hindbrain.settings import load
        from hindbrain.wiring import open_hindbrain  # late: a wrong option must not pay for the store

        settings = load()
        settings = replace(settings, per_worktree=self.per_worktree or settings.per_worktree)
        hindbrain = open_hindbrain(project=self.project or None, settings=settings, is_brief=is_brief)
        if self.project and not is_new and hindbrain.project is None:
            self.note([f"nothing has been kept for {self.project} yet"])
        return hindbrain

    def tell(self, data: Callable[[], object], lines: Iterable[str]) -> None:
        """Answer as JSON or as lines; only the form that was asked for is made."""
        if self.is_json:
            output.echo(output.to_json(data()))
        else:
            output.show(lines)

    def note(self, notices: Iterable[str]) -> None:
        """Beside the answer, for a person; JSON answers carry theirs inside."""
        for notice in () if self.is_json else notices:
            output.note(notice)


def given(options: T) -> T:
    """What was said on the command line: options that were left out are left out here, too."""
    return cast(T, {name: value for name, value in cast(dict[str, Any], options).items() if value is not None})
