"""How a suggestion looks: to a person as a diff with its reason, to a script as JSON."""

from collections.abc import Iterator

from hindbrain.core.hints import Any
from hindbrain.core.learning.destinations import diff
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.value import names_of
from hindbrain.entry.cli.output import block, bold, dim, line, moment, safe, style
from hindbrain.entry.cli.records import plain

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def record(suggestion: Suggestion, *, is_stale: bool | None = None) -> dict[str, Any]:
    """Every field but the files' bytes, in whose place the diff stands."""
    rest = {name: plain(getattr(suggestion, name)) for name in names_of(suggestion) if name != "edits"}
    paths = [{"folder": edit.folder, "path": edit.path} for edit in suggestion.edits]
    told = {} if is_stale is None else {"is_stale": is_stale}
    return {**rest, "diff": diff(suggestion.edits), "files": paths, **told}


def lines(suggestion: Suggestion, *, is_stale: bool = False) -> Iterator[str]:
    verb = "remove from " if suggestion.removes else ""
    head = style(f"{verb}{suggestion.destination}", fg="magenta", bold=True)
    yield f"{head}  {dim(f'{suggestion.id}  weight {suggestion.importance}  {moment(suggestion.created_at)}')}"
    yield f"  {bold(line(suggestion.title))}"
    yield from (dim(part) for part in block(f"because {line(suggestion.reason)}", indent="  "))
    yield from _diff(suggestion)
    if is_stale:
        yield f"  {style('the file has changed since:', fg='yellow')} apply it with --rebase"


def _diff(suggestion: Suggestion) -> Iterator[str]:
    for part in diff(suggestion.edits).replace("\r\n", "\n").splitlines():
        shown = safe(part).expandtabs(4)
        yield f"  {style(shown, fg=_COLOURS.get(part[:1], ''))}" if part[:1] in _COLOURS else f"  {shown}"
