"""How clients are found on this machine, and where is kept what was done to their files."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from hindbrain.adapters.clients import place, spool
from hindbrain.adapters.files import LocalFiles
from hindbrain.core.setup.record import Record, from_plain, to_plain
from hindbrain.core.setup.wires import CLIENTS, Roots
from hindbrain.errors import ConfigBroken
from hindbrain.ports import Spooled
from hindbrain.settings import client_folders


class LocalClients:
    """The clients of this user. Records live in `clients/` of the home, readable by nobody else: they hold copies of
    configurations, and those may hold secrets."""

    def __init__(self, home: str) -> None:
        self._home = Path(home)
        self._folder = self._home / "clients"

    def found(self) -> Mapping[str, str]:
        folders = client_folders()
        places = {client: shutil.which(client) or folders[client] for client in CLIENTS}
        return {client: found for client, found in places.items() if Path(found).exists()}

    def roots(self, folder: str) -> Roots:
        return Roots(project=LocalFiles().root(str(Path(folder).absolute())), **client_folders())

    def exists(self, path: str) -> bool:
        return Path(path).exists()

    def read(self, path: str) -> bytes | None:
        return place.read(path)

    def write(self, path: str, content: bytes, *, expected: bytes | None) -> Sequence[str]:
        return place.write(path, content, expected=expected)

    def remove(self, path: str, *, expected: bytes) -> None:
        place.remove(path, expected=expected)

    def clear(self, folders: Sequence[str]) -> None:
        place.clear(folders)

    def records(self) -> Sequence[Record]:
        return tuple(_loaded(path) for path in sorted(self._folder.glob("*.json")))

    def note(self, record: Record) -> None:
        self._keep(self._record(record.path), json.dumps(to_plain(record), ensure_ascii=False, indent=1))

    def drop(self, path: str) -> None:
        self._record(path).unlink(missing_ok=True)

    def point(self, lines: Sequence[str]) -> None:
        self._keep(self._folder / "hook", "".join(f"{line}\n" for line in lines))

    def spooled(self) -> Spooled:
        return spool.spooled(self._home)

    def tried(self, line: str, event: Mapping[str, object]) -> str:
        return spool.tried(line, event)

    def _record(self, path: str) -> Path:
        return self._folder / f"{sha256(os.fsencode(path)).hexdigest()[:16]}.json"

    def _keep(self, path: Path, text: str) -> None:
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        content = text.encode("utf-8", "surrogateescape")
        if (known := place.read(str(path))) != content:
            place.write(str(path), content, expected=known, fresh_mode=0o600)


def _loaded(path: Path) -> Record:
    try:
        return from_plain(json.loads(path.read_text("utf-8", "surrogateescape")))
    except (KeyError, TypeError, ValueError) as error:
        what = f"{path}, which says how a client's file was before, cannot be read: {error!r}"
        raise ConfigBroken(what, fix="move it away; `hindbrain uninit` then takes out our entries alone") from error
