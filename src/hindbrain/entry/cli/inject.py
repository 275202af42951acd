"""How an agent's next prompt is asked for on the command line."""

from hindbrain.core.hints import Unpack
from hindbrain.entry.cli import options
from hindbrain.entry.cli.call import Call, given
from hindbrain.entry.cli.output import safe
from hindbrain.entry.cli.values import OneOf, Whole
from hindbrain.entry.cli.verb import command, option
from hindbrain.facade import Context


@command(
    examples="""
hindbrain inject --task-title "Fix the lock timeout" --path src/jobs/lock.py
hindbrain inject --hat critic --session s-43 --format dex
hindbrain inject --persona ed --format chorus --budget 1000 --json
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
def inject(call: Call, **context: Unpack[Context]) -> None:
    """Print a block of notes for an agent's prompt.

    Chooses what bears on the task and the files, within a token budget, and records what was shown and why.
    The notes are framed as data: no memory can pass for an instruction.
    """
    with call.open() as hindbrain:
        injected = hindbrain.inject(**given(context))
    call.note(injected.notices)
    if not injected.text:
        call.note(["nothing is known that bears on this; the block is empty"])
    record = {
        "text": injected.text,
        "injection_id": injected.injection_id,
        "memory_ids": list(injected.memory_ids),
        "left_out": injected.left_out,
        **({"notices": list(injected.notices)} if injected.notices else {}),
    }
    call.tell(lambda: record, [safe(injected.text).rstrip("\n")])
