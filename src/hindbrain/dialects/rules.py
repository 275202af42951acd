"""What people wrote down for agents in CLAUDE.md, AGENTS.md and files like them: each point of a list is a rule."""

from collections.abc import Mapping

from hindbrain.core.front import split
from hindbrain.core.model.foreign import Fate, Item, Reading, Told, View
from hindbrain.dialects.careful import text_of
from hindbrain.dialects.prose import points
from hindbrain.errors import BadValue

_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md")
_SHORT = 4  # letters; less is no statement


class Rules:
    def __init__(
        self, name: str, *, files: tuple[str, ...], folders: tuple[str, ...], endings: tuple[str, ...]
    ) -> None:
        self.name = name
        self._files, self._folders, self._endings = files, folders, endings

    def wants(self, path: str) -> bool:
        folder, _, file = path.rpartition("/")
        is_there = any(f"/{folder}/".find(f"/{name}/") >= 0 for name in self._folders)
        return path.endswith(self._files) or (is_there and file.endswith(self._endings))

    def read(self, tree: Mapping[str, bytes]) -> Reading:
        told: list[Told] = []
        items: list[Item] = []
        for path in sorted(tree):
            text, repair = text_of(tree[path])
            head, body = split(text)
            above = text.count("\n") - body.count("\n")
            found = [self._rule(point, path=path, above=above, head=head) for point in points(body)]
            told += [one for one in found if one]
            for (number, _, _), one in zip(points(body), found, strict=True):
                where = f"{path}:{number + above}"
                fate = Fate.REJECTED if one is None else Fate.REPAIRED if repair else Fate.READ
                items.append(
                    Item(where=where, fate=fate, reason="too short to say anything" if one is None else repair)
                )
            if not found:
                items.append(Item(where=path, fate=Fate.REJECTED, reason="no list in it: prose is not taken apart"))
        return Reading(told=tuple(told), items=tuple(items))

    def write(self, view: View) -> Mapping[str, bytes]:
        raise BadValue(
            f"a rule is a person's to write ({len(view.memories)} memories)", fix="approve a suggestion instead"
        )

    def _rule(
        self, point: tuple[int, str, tuple[str, ...]], *, path: str, above: int, head: Mapping[str, object]
    ) -> Told | None:
        number, said, headings = point
        if sum(map(str.isalpha, said)) < _SHORT:
            return None
        globs = head.get("globs") or head.get("paths") or ()
        refs = (
            globs.split(",")
            if isinstance(globs, str)
            else [str(one) for one in globs]
            if isinstance(globs, list)
            else []
        )
        return Told(
            where=f"{path}:{number + above}",
            content=said,
            type="convention",
            tags=tuple(dict.fromkeys(name.casefold() for name in headings[-1:])) or None,
            file_refs=tuple(ref.strip() for ref in refs if ref.strip()) or None,
            id=f"{path}#{said}"[:200],
        )


DIALECT = Rules("rules", files=_FILES, folders=(".claude/rules",), endings=(".md",))
