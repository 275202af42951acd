"""Where a command's text comes from: a file, a pipe or the terminal; always text in the end."""

import sys

from hindbrain.core.hints import TYPE_CHECKING, BinaryIO, TextIO
from hindbrain.core.value import dataclass
from hindbrain.entry.cli import output
from hindbrain.entry.cli.verb import Misuse
from hindbrain.errors import Unreadable

if TYPE_CHECKING:
    from pathlib import Path

STREAM = "-"

_CHUNK = 1 << 20
_LONG = 64 << 20  # bytes; reading more than this takes long enough to show a bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    text: str
    origin: str  # for `why`: the file's path, or "stdin"
    notices: tuple[str, ...] = ()


def take(source: str | None) -> Taken:
    """The text of a file, or of stdin for `-` and None. Unreadable says why it could not be had.

    Bytes that are no UTF-8 become �, and a notice says so: one bad byte must not cost the rest.
    """
    if source is not None and source != STREAM:
        from pathlib import Path  # late: most text comes through a pipe

        return _decoded(_file(Path(source)), origin=source)
    stdin: TextIO | None = sys.stdin  # None where the caller closed it
    if stdin is None or (source is None and stdin.isatty()):
        raise Misuse("Nothing to read: name a FILE, or pipe text in (`-` reads the terminal).")
    return _decoded(stdin.buffer.read(), origin="stdin")


def notify(taken: Taken, *, is_json: bool) -> dict[str, list[str]]:
    """Say on stderr what a person should know; for JSON, the key that says it in the answer."""
    if is_json:
        return {"notices": list(taken.notices)} if taken.notices else {}
    for notice in taken.notices:
        output.note(notice)
    return {}


def _file(path: "Path") -> bytes:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size < _LONG or not sys.stderr.isatty():
                return file.read()
            return _with_bar(file, size, label=f"reading {path.name}")
    except IsADirectoryError:
        raise Unreadable(f"{path} is a folder", fix="name a file in it") from None
    except FileNotFoundError:
        raise Unreadable(f"{path} does not exist", fix="check the path; `-` reads from a pipe") from None
    except PermissionError:
        raise Unreadable(f"{path} may not be read", fix=f"allow it: chmod u+r {path}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Unreadable(f"{path} cannot be read: {reason}", fix="check the path and the disk") from error


def _with_bar(file: BinaryIO, size: int, *, label: str) -> bytes:
    import click  # late: so much is rarely read

    parts = []
    with click.progressbar(length=size, label=output.line(label), file=sys.stderr) as bar:
        while part := file.read(_CHUNK):
            parts.append(part)
            bar.update(len(part))
    return b"".join(parts)


def _decoded(raw: bytes, *, origin: str) -> Taken:
    notices: tuple[str, ...] = ()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace")
        notices = (f"{origin} is not UTF-8 (first at byte {error.start + 1:,}); bad bytes were read as {output.MARK}",)
    return Taken(text=text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), origin=origin, notices=notices)
