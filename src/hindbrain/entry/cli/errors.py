"""How a failure is told to a user: what happened, what to do, and an exit code that scripts can tell apart."""

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Iterator
from io import TextIOWrapper

import click

from hindbrain import settings
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
    """Turn what goes wrong inside into a message on stderr and `Ending.code`.

    A pipe that nobody reads any more is click's to handle: it exits with 1, silently.
    """
    ending = Ending()
    _lenient_streams()
    try:
        yield ending
    except HindbrainError as error:
        ending.code = report(error, is_json=is_json)
    except click.UsageError as error:
        _say(code="usage", what=_sentence(error), fix=_help_for(error), is_json=is_json)
        ending.code = USAGE
    except click.ClickException as error:
        _say(code="error", what=_sentence(error), fix="correct that, then try again", is_json=is_json)
        ending.code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        ending.code = INTERRUPTED
    except OSError as error:
        ending.code = report(_of_disk(error), is_json=is_json)
        _drop_unwritten()


def tell_bug(error: BaseException, *, is_json: bool) -> None:
    """A failure that is nobody's but ours: said in the same form, with the traceback for whoever mends it."""
    if not is_json:
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    what = f"this is a bug in hindbrain: {type(error).__name__}: {error}"
    fix = "report it with the traceback that the same command prints without --json; what was saved is intact"
    _say(code="internal", what=what, fix=fix, is_json=is_json)


def report(error: HindbrainError, *, is_json: bool) -> int:
    _say(code=error.code, what=error.what, fix=error.fix, is_json=is_json)
    return error.exit_code


def _say(*, code: str, what: str, fix: str, is_json: bool) -> None:
    with contextlib.suppress(BrokenPipeError):
        if is_json:
            error = {"code": code, "what": what[:_LONGEST], "fix": fix[:_LONGEST]}
            click.echo(output.to_json({"error": error}), err=True)
            return
        for label, colour, text in (("error", "red", what), ("fix", "green", fix)):
            said = f"{click.style(f'{label}:', fg=colour, bold=True)} {output.line(text[:_LONGEST])}"
            click.echo(said, err=True, color=settings.colour())


def _sentence(error: click.ClickException) -> str:
    return error.format_message().rstrip().removesuffix(".")


def _help_for(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "hindbrain"
    return f"see `{path} --help`"


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
