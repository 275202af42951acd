"""What a suggestion would change in the files as they are now."""

from collections.abc import Sequence

from hindbrain.app.tools import Tools
from hindbrain.core.learning.destinations import Place, Places, Taken, contents, targets
from hindbrain.core.model.suggestion import Edit, Suggestion
from hindbrain.core.setup.jsonc import NotJson
from hindbrain.core.value import replace
from hindbrain.errors import BadValue
from hindbrain.ports import Pages
from hindbrain.settings import Settings


def places_of(root: str, settings: Settings) -> Places:
    """Folders of a person's own are named in the settings; the others lie in the code base."""
    return Places(root=root, reflex=settings.reflex_folder or f"{root}/memory", vault=settings.vault or f"{root}/brain")


def pages_of(tools: Tools) -> Pages:
    if tools.pages is None:
        raise BadValue("files are not read or written here", fix="open Hindbrain with open_hindbrain()")
    return tools.pages


def drawn(suggestion: Suggestion, *, tools: Tools) -> Suggestion:
    """The suggestion with the changes that it means now. Its files are chosen anew, unless it removes a rule.

    BadValue when the settings it would change are no JSON.
    """
    pages = pages_of(tools)

    def has(place: Place) -> bytes | None:
        return pages.read(*place)

    if suggestion.removes:
        chosen: Sequence[Place] = [(edit.folder, edit.path) for edit in suggestion.edits]
    else:
        chosen = targets(suggestion, places_of(suggestion.root, tools.settings), has=has)
    present = [has(place) for place in chosen]
    blank = tuple(
        Edit(folder=folder, path=path, before=now, after=now)
        for (folder, path), now in zip(chosen, present, strict=True)
    )
    return redrawn(replace(suggestion, edits=blank), present)


def redrawn(suggestion: Suggestion, present: Sequence[bytes | None]) -> Suggestion:
    """The suggestion as it would change the same files, if they were as `present` has them."""
    try:
        after = contents(suggestion, present)
    except (NotJson, Taken) as error:
        name = suggestion.edits[0].path
        raise BadValue(f"{name}: {error}", fix="correct the file, or refuse the suggestion") from None
    edits = tuple(
        replace(edit, before=before, after=now)
        for edit, before, now in zip(suggestion.edits, present, after, strict=True)
    )
    return replace(suggestion, edits=edits)


def present_of(suggestion: Suggestion, pages: Pages) -> list[bytes | None]:
    """The files of a suggestion as they are."""
    return [pages.read(edit.folder, edit.path) for edit in suggestion.edits]


def is_stale(suggestion: Suggestion, pages: Pages) -> bool:
    """Whether a file is not as it was when the diff was made; also when the diff was forgotten."""
    return not suggestion.edits or present_of(suggestion, pages) != [edit.before for edit in suggestion.edits]
