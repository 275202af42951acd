"""How a person sees what runs by itself, and lets something else than the worker run it."""

import shlex
import sys
from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, dim, line, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.schedule import Row


@command(
    name="jobs",
    examples="""
hindbrain jobs
hindbrain jobs run dream
hindbrain jobs install
""",
)
def _listed(call: Call) -> None:
    """List what runs by itself and when, or run it now.

    The worker runs these jobs while it lives; one that was missed is made up for once. `hindbrain jobs install` prints
    what cron or systemd need to run them without a worker.
    """
    with call.open() as hindbrain:
        rows = hindbrain.jobs()
    call.tell(lambda: {"jobs": plain(rows)}, _lines(rows))


@command(name="run", examples="hindbrain jobs run vault")
@argument("name", metavar="NAME")
def _run(call: Call, name: str) -> None:
    """Run a job now, due or not."""
    with call.open() as hindbrain:
        row = hindbrain.run_job(name)
    call.tell(lambda: plain(row), [f"{bold(line(row.name))}: {line(row.result)}"])


@command(
    name="install",
    examples="""
hindbrain jobs install
hindbrain jobs install --systemd
""",
)
@option("--systemd", "is_systemd", is_flag=True, help="Units and timers instead of lines for crontab.")
def _install(call: Call, is_systemd: bool) -> None:
    """Print what runs the jobs without a worker; you put it there."""
    from hindbrain.app.schedule import lines
    from hindbrain.settings import load

    program = shlex.join([sys.executable, "-m", "hindbrain"])
    printed = lines("systemd" if is_systemd else "cron", home=shlex.quote(load().home), program=program)
    call.tell(lambda: {"lines": list(printed)}, map(line, printed))


jobs = family(_listed, _run, _install)


def _lines(rows: "Sequence[Row]") -> Iterator[str]:
    cells = [
        [
            row.name,
            row.schedule,
            f"{row.last_run.astimezone():%Y-%m-%d %H:%M}" if row.last_run else "never",
            f"{row.next_run:%Y-%m-%d %H:%M}",
            row.result or row.does,
        ]
        for row in rows
    ]
    yield from table(["JOB", "RUNS", "LAST", "NEXT", "RESULT"], cells, styles={0: bold, 1: dim})
