"""What must be remembered of a changed file so that it can become again what it was."""

from hindbrain.core.hints import Any
from hindbrain.core.setup.wires import Form, Wish
from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    path: str
    project: str  # whose file it is; empty: the user's
    before: bytes | None  # None: there was no such file
    after: str  # SHA-256 of what we wrote
    folders: tuple[str, ...]  # that were made for it, the outermost first
    wishes: tuple[Wish, ...]  # what was put in, without the contents

    @property
    def clients(self) -> frozenset[str]:
        return frozenset(wish.client for wish in self.wishes)


def to_plain(record: Record) -> dict[str, Any]:
    from base64 import b64encode

    return {
        "path": record.path,
        "project": record.project,
        "before": None if record.before is None else b64encode(record.before).decode(),
        "after": record.after,
        "folders": list(record.folders),
        "wishes": [
            {"client": wish.client, "what": wish.what, "form": str(wish.form), "at": list(wish.at)}
            for wish in record.wishes
        ],
    }


def from_plain(data: dict[str, Any]) -> Record:
    """KeyError, TypeError or ValueError when it is not what `to_plain` made."""
    from base64 import b64decode

    path = str(data["path"])
    return Record(
        path=path,
        project=str(data["project"]),
        before=None if data["before"] is None else b64decode(data["before"], validate=True),
        after=str(data["after"]),
        folders=tuple(map(str, data["folders"])),
        wishes=tuple(
            Wish(
                client=str(one["client"]),
                path=path,
                what=str(one["what"]),
                form=Form(one["form"]),
                at=tuple(map(str, one["at"])),
            )
            for one in data["wishes"]
        ),
    )
