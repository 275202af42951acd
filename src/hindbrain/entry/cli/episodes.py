"""How episodes are asked for and written down on the command line, and what is made of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.core.model import Memory
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.cards import receipt_lines
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.intake import take
from hindbrain.entry.cli.output import block, bold, coloured, dim, line, many, moment, style
from hindbrain.entry.cli.records import memory_record, plain, receipt_record
from hindbrain.entry.cli.values import Hours, OneOf, Whole
from hindbrain.entry.cli.verb import argument, command, option
from hindbrain.errors import BadValue

if TYPE_CHECKING:
    from hindbrain.app.before import Briefing
    from hindbrain.app.consolidate import Consolidated
    from hindbrain.app.skills import Lore
    from hindbrain.facade import Upcoming

_ENDINGS = ("success", "failure", "partial")
_TYPES = ("exploration", "implementation", "debugging", "review", "refactoring")
_COLOURS = {"success": "green", "failure": "red", "partial": "yellow"}
_FATES = {"new": "green", "evidence": "cyan", "known": "", "unsure": "yellow"}


@command(
    name="episodes",
    examples="""
hindbrain episodes "add the todos endpoint"
hindbrain episodes --outcome failure --limit 5
hindbrain episodes "flaky tests" --json
hindbrain episodes add --file task-042.json
""",
)
@option("--about", "query", default="", metavar="QUERY", help="What was tried; the same as QUERY without an option.")
@option("--outcome", type=OneOf("outcome", _ENDINGS), metavar="O", help="Only success, failure or partial.")
@options.limit(type=Whole(1, options.MOST), default=10, show_default=True, help="Most episodes to print.")
def _asked(call: Call, query: str, outcome: str | None, limit: int) -> None:
    """Tell what happened when something was tried.

    Each task that an agent worked on is one episode: its goal, how it came out, the errors that were met and
    what cured them, and the files. Without a QUERY, the latest.
    """
    with call.open() as hindbrain:
        found = hindbrain.episodes(query, outcome=outcome or "", limit=limit)
    call.tell(lambda: {"episodes": [memory_record(one) for one in found]}, _lines(found))


@command(
    name="add",
    examples="""
hindbrain episodes add --file task-042.json
hindbrain episodes add < task-042.json
""",
)
@option(
    "--file", "file", metavar="FILE", help="An episode, or a list of them, in the schema of Loki.  [default: stdin]"
)
def _added(call: Call, file: str | None) -> None:
    """Keep an episode that another program wrote, with every field that it has."""
    records = _read(take(file).text)
    with call.open(is_new=True) as hindbrain:
        receipts = [hindbrain.add_episode(record) for record in records]
    call.tell(
        lambda: {"receipts": [receipt_record(one) for one in receipts]},
        (row for one in receipts for row in receipt_lines(one)),
    )


@command(
    name="trace",
    examples="""
hindbrain episodes trace --session 7f3c
""",
)
@option("--session", required=True, metavar="S", help="The session to write down.")
def _traced(call: Call, session: str) -> None:
    """Write down what a session did; the worker does this by itself when it ends."""
    with call.open() as hindbrain:
        found = hindbrain.trace(session)
    lines = _lines(found) if found else iter(["Nothing new was done in that session."])
    call.tell(lambda: {"episodes": [memory_record(one) for one in found]}, lines)


episodes = family(_asked, _added, _traced, bare="--about")


@command(
    examples="""
hindbrain consolidate --dry-run
hindbrain consolidate --since 7d --json
"""
)
@option("--since", type=Hours(), metavar="T", help="How far back: 90m, 24h, 7d.  [default: 24h]")
@option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
def consolidate(call: Call, since: timedelta | None, dry_run: bool) -> None:
    """Turn the latest episodes into patterns, warnings and skills.

    The worker does this by itself after a task and when nothing happens for ten minutes. Running it again
    changes nothing; what the episodes do not share is not made up, and the reason is told.
    """
    with call.open() as hindbrain:
        done = hindbrain.consolidate(since=since or timedelta(hours=24), is_dry_run=dry_run)
    call.note(done.notices)
    call.tell(lambda: plain(done), _consolidated(done))


@command(
    name="before-task",
    examples="""
hindbrain before-task "fix the flaky pool test" --type debugging --action run_test
hindbrain before-task "add the todos endpoint" --json
""",
)
@argument("goal", metavar="GOAL")
@option("--action", default="", metavar="A", help="What is about to be done: run_test, edit_file, run_command.")
@option("--type", "type", type=OneOf("type of task", _TYPES), metavar="T", help=f"One of: {', '.join(_TYPES)}.")
@option("--session", default="", metavar="S", help="The session that asks; what it taught itself is left out.")
@option("--task", default="", metavar="T", help="The task that begins.")
def before_task(call: Call, goal: str, **task: "Unpack[Upcoming]") -> None:
    """Tell what worked, what to avoid and which skills apply.

    To be asked before a task begins; that it was asked is recorded.
    """
    with call.open(is_new=True) as hindbrain:
        told = hindbrain.before_task(goal, **given(task))
    call.note(told.notices)
    call.tell(lambda: _briefing(told), [told.text] if told.text else ["Nothing is known about this yet."])


def _briefing(told: "Briefing") -> dict[str, object]:
    ids = [one.id for one in (*told.relevant, *told.avoid, *told.skills)]
    return {**told.context(), "text": told.text, "injection_id": told.injection_id, "memory_ids": ids}


def _read(text: str) -> Sequence[Mapping[str, object]]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadValue(f"that is no JSON: {error}", fix="give an episode in the schema of Loki") from None
    records = parsed if isinstance(parsed, list) else [parsed]
    if not records or not all(isinstance(one, dict) for one in records):
        raise BadValue("an episode is a JSON object", fix="give one, or a list of them")
    return records


def _lines(found: Sequence[Memory]) -> Iterator[str]:
    if not found:
        yield "No episode tells of that."
        return
    for number, one in enumerate(found):
        if number:
            yield ""
        outcome = line(str(one.body.get("outcome") or "not known"))
        yield f"{coloured(_COLOURS)(outcome)}  {bold(line(one.title))}"
        yield f"  {dim(f'{one.id} · {moment(one.learned_at)}')}"
        rest = [row for row in one.content.splitlines()[1:] if row.strip() and not row.startswith("Outcome:")]
        yield from block("\n".join(rest), indent="  ")


def _consolidated(done: "Consolidated") -> Iterator[str]:
    would = "would be " if done.is_dry_run else ""
    yield f"{many(done.episodes, 'episode')} in {many(done.clusters, 'group')}: {would}consolidated"
    parts = {"Patterns": done.patterns, "Anti-patterns": done.anti_patterns, "Skills": done.skills}
    for title, found in parts.items():
        if found:
            yield ""
            yield dim(title)
            yield from (row for one in found for row in _lore(one))
    if done.barren:
        yield ""
        yield dim("Nothing came of")
        yield from (f"  {many(len(one.episodes), 'episode')}: {line(one.reason)}" for one in done.barren)


def _lore(one: "Lore") -> Iterator[str]:
    yield f"  {style(one.fate, fg=_FATES.get(one.fate, ''))}  {line(one.text)}"
    yield f"    {dim(line(f'{one.memory_id} sure {one.confidence:.2f} · {one.reason}'))}"
