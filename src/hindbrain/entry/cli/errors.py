"""How a failure is told to a user: what happened, what to do, and an exit code that scripts can tell apart."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper

from hindbrain.core.value import dataclass
from hindbrain.entry.cli import output
from hindbrain.errors import DiskFailed, DiskFull, HindbrainError

USAGE = 2  # the command line itself was wrong; click's own code
INTERRUPTED = 130  # 128 + SIGINT, as shells count

_LONGEST = 2_000  # characters of a message


@dataclass(slots=True)
class Ending:
    code: int = 0


@contextlib.contextmanager
def told(*, is_json: bool) -> Iterator[Ending]:
    """Turn what goes wrong inside into a message on stderr and `Ending.code`."""
    ending = Ending()
    _lenient_streams()
    try:
        yield ending
    except HindbrainError as error:
        ending.code = report(error, is_json=is_json)
    except KeyboardInterrupt:
        output.echo("", err=True)  # below what the terminal shows of the key
        ending.code = INTERRUPTED
    except BrokenPipeError:  # nobody reads any more, so there is nobody to tell
        ending.code = 1
        _drop_unwritten()
    except OSError as error:
        ending.code = report(_of_disk(error), is_json=is_json)
        _drop_unwritten()


def tell_bug(error: BaseException, *, is_json: bool) -> None:
    """A failure that is nobody's but ours: said in the same form, with the traceback for whoever mends it."""
    if not is_json:
        import traceback

        output.echo("".join(traceback.format_exception(error)), err=True, is_line=False)
    what = f"this is a bug in hindbrain: {type(error).__name__}: {error}"
    fix = "report it with the traceback that the same command prints without --json; what was saved is intact"
    say(code="internal", what=what, fix=fix, is_json=is_json)


def report(error: HindbrainError, *, is_json: bool) -> int:
    say(code=error.code, what=error.what, fix=error.fix, is_json=is_json)
    return error.exit_code


def say(*, code: str, what: str, fix: str, is_json: bool) -> None:
    with contextlib.suppress(BrokenPipeError):
        if is_json:
            error = {"code": code, "what": what[:_LONGEST], "fix": fix[:_LONGEST]}
            output.echo(output.to_json({"error": error}), err=True)
            return
        for label, colour, text in (("error", "red", what), ("fix", "green", fix)):
            head = output.style(f"{label}:", fg=colour, bold=True, err=True)
            output.echo(f"{head} {output.line(text[:_LONGEST])}", err=True)


def _of_disk(error: OSError) -> HindbrainError:
    """Files to read and the store have errors of their own; what comes here is mostly about our output."""
    where = f" ({error.filename})" if error.filename else ""
    what = f"the system refused to read or write{where}: {error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(what, fix="make room, then run the command again")
    return DiskFailed(what, fix="check the current folder and where the output goes, then run the command again")


def _lenient_streams() -> None:
    """A terminal that cannot show a character must not end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_unwritten() -> None:
    """What stdout still buffers would fail again at exit, and Python would say so in its own words."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        stdout = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout)
