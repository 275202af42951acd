"""How the record of a piece of work is kept on the command line."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING, TypedDict, Unpack
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import block, bold, dim, line, many, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import argument, command, option

if TYPE_CHECKING:
    from hindbrain.app.lesson import Closed
    from hindbrain.core.learning.workstream import Workstream


class _Given(TypedDict):
    """The fields of `app.lesson.Progress`."""

    tasks: Sequence[str]
    works: Sequence[str]
    iterations: Sequence[str]
    scars: Sequence[str]
    logs: Sequence[str]
    tokens: int


_TOKENS = Whole(0, 1000 * options.MOST)


@command(
    name="lesson",
    examples="""
hindbrain lesson
hindbrain lesson open "Move the queue to Redis" --estimate 80000
hindbrain lesson close mem-01k2x6d0q3v8r5w7y9z1b3d5f7
""",
)
def _listed(call: Call) -> None:
    """Keep the record of a piece of work, and draft what it teaches.

    Open it, add what happens, close it: what was large enough leaves a draft in five sections in the vault's inbox/, or
    on the screen where there is no vault. Without more, list the records.
    """
    with call.open() as hindbrain:
        works = hindbrain.works()
    call.tell(lambda: {"works": plain(works)}, _lines(works))


@command(name="open", examples='hindbrain lesson open "Move the queue to Redis" --estimate 80000')
@argument("title", metavar="TITLE")
@option("--estimate", type=_TOKENS, default=0, metavar="TOKENS", help="What you think that it will take.")
def _open(call: Call, title: str, estimate: int) -> None:
    """Begin the record of a piece of work."""
    with call.open(is_new=True) as hindbrain:
        work = hindbrain.open_work(title, estimate=estimate)
    call.tell(lambda: plain(work), [f"Opened: {bold(line(work.title))}", f"  {dim(line(work.id))}"])


@command(
    name="add",
    examples="""
hindbrain lesson add mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --task api-12 --tokens 21000
hindbrain lesson add mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --scar mem-01k2x6d0q3v8r5w7y9z1b3d5f8 --log "1 failed"
""",
)
@argument("work_id", metavar="ID")
@option("--task", "tasks", multiple=True, metavar="T", help="A task of it; repeatable.")
@option("--work", "works", multiple=True, metavar="W", help="What is to be done, in words; repeatable.")
@option(
    "--iteration",
    "iterations",
    multiple=True,
    metavar="I",
    help="`thought | action | observation`, of the first --task.",
)
@option("--scar", "scars", multiple=True, metavar="ID", help="A scar that it left; repeatable.")
@option("--log", "logs", multiple=True, metavar="TEXT", help="The end of a log; repeatable.")
@option("--tokens", type=_TOKENS, default=0, metavar="N", help="Tokens that it took since you last said so.")
def _add(call: Call, work_id: str, **given: Unpack[_Given]) -> None:
    """Note down what happened."""
    from hindbrain.app.lesson import Progress

    with call.open() as hindbrain:
        work = hindbrain.progress(work_id, Progress(**given))
    call.tell(lambda: plain(work), _lines([work]))


@command(name="close", examples="hindbrain lesson close mem-01k2x6d0q3v8r5w7y9z1b3d5f7")
@argument("work_id", metavar="ID")
def _close(call: Call, work_id: str) -> None:
    """Close the record, and draft the lesson if the work was large enough."""
    with call.open() as hindbrain:
        routes = {route.use: route for route in hindbrain.routes()[0]}
        if "lesson" in routes and routes["lesson"].provider != "rules":
            call.note([f"asking {routes['lesson'].provider} {routes['lesson'].model}; this may take a while"])
        closed = hindbrain.close_work(work_id)
    call.tell(lambda: plain(closed), _closed_lines(closed))


lesson = family(_listed, _open, _add, _close)


def _lines(works: "Sequence[Workstream]") -> Iterator[str]:
    if not works:
        yield "No record of work yet: hindbrain lesson open TITLE"
        return
    rows = [
        [
            one.id,
            "closed" if one.closed_at else "open",
            f"{len(one.tasks)}",
            f"{one.tokens:,} of {one.estimate:,}" if one.estimate else f"{one.tokens:,}",
            one.title,
        ]
        for one in works
    ]
    yield from table(["ID", "STATE", "TASKS", "TOKENS", "TITLE"], rows, styles={0: dim})


def _closed_lines(closed: "Closed") -> Iterator[str]:
    work = closed.work
    yield f"Closed: {bold(line(work.title))}, {many(len(work.tasks), 'task')}, {many(work.tokens, 'token')}"
    if closed.trouble:
        yield dim(f"Written by rules: {line(closed.trouble)}")
    if closed.refused:
        yield f"No lesson: {line(closed.refused)}"
    elif closed.path:
        yield f"The draft is in your vault: {bold(line(closed.path))}"
    else:
        yield ""
        yield from block(closed.text)
