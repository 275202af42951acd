"""How an agent's next prompt is asked for on the command line."""

from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING, Unpack
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.output import aside, bold, dim, many, safe
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import command, option
from hindbrain.facade import Context

if TYPE_CHECKING:
    from hindbrain.app.inject import Injected

_NEAREST = 5  # of those that were kept out


@command(
    examples="""
hindbrain inject --task-title "Fix the lock timeout" --path src/jobs/lock.py
hindbrain inject --hat critic --session s-43 --format dex
hindbrain inject --persona ed --format chorus --budget 1000 --json
hindbrain inject --task-title "Fix the lock timeout" --why > /dev/null
"""
)
@option("--hat", default="", metavar="H", help="The agent's role.")
@option("--persona", default="", metavar="P", help="The agent's persona: its own memories come too.")
@option("--session", default="", metavar="S", help="The agent's session; what it taught itself is left out.")
@option("--task", default="", metavar="T", help="Id of the task.")
@option("--task-title", default="", metavar="TEXT", help="What the task is about.")
@option("--task-description", default="", metavar="TEXT", help="The task in more words.")
@options.paths
@option(
    "--format",
    type=OneOf("format", options.BLOCKS),
    default="default",
    show_default=True,
    metavar="F",
    help="Whose way of writing prompts: default, dex, chorus or beads.",
)
@options.strategy
@options.limit(type=Whole(1, options.MOST), default=None, help="Most memories.  [default: the setting]")
@option("--budget", type=Whole(1, options.MOST), metavar="N", help="Most tokens.  [default: the setting]")
@option("--why", is_flag=True, help="Say on stderr what was chosen and what the gate kept out, with the reasons.")
def inject(call: Call, why: bool, **context: Unpack[Context]) -> None:
    """Print a block of notes for an agent's prompt.

    Chooses what bears on the task and the files, within a token budget, and records what was shown and why.
    The notes are framed as data: no memory can pass for an instruction.
    """
    with call.open() as hindbrain:
        injected = hindbrain.inject(**given(context))
    call.note(injected.notices)
    if not injected.text:
        call.note(["nothing is known that bears on this; the block is empty"])
    call.tell(lambda: _record(injected), [safe(injected.text).rstrip("\n")])
    if why and not call.is_json:
        aside(_reckoned(injected))


def _record(injected: "Injected") -> dict[str, object]:
    from hindbrain.entry.cli.records import injected_record

    return injected_record(injected)


def _reckoned(injected: "Injected") -> Iterator[str]:
    """What was chosen, what was not, and why."""
    from hindbrain.entry.cli.cards import recalled_card, search_lines, unheard_card

    yield bold(f"told {many(len(injected.shown), 'memory', plural='memories')}" if injected.shown else "told nothing")
    for number, one in enumerate(injected.shown, start=1):
        yield from recalled_card(number, one, has_reasons=True)
    if injected.kept_out:
        yield ""
        yield bold(f"kept out {many(len(injected.kept_out), 'memory', plural='memories')}")
        for one in injected.kept_out[:_NEAREST]:
            yield from unheard_card(one)
        if rest := len(injected.kept_out[_NEAREST:]):
            yield dim(f"and {rest:,} further off; --json has all of them")
    if injected.left_out:
        yield ""
        yield dim(f"{injected.left_out:,} more did not fit; --limit and --budget make room")
    yield from search_lines(injected, injected.shown)
