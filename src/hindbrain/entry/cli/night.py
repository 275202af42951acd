"""How the nightly and the monthly pass are run by hand, and what they found is told."""

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import block, dim, line
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import command, option


@command(
    examples="""
hindbrain dream
hindbrain dream --apply
"""
)
@option("--apply", "is_applied", is_flag=True, help="Do it; without this, only tell.")
def dream(call: Call, is_applied: bool) -> None:
    """Draft what keeps recurring, make old transcripts compact.

    Scars that were met three times become a draft in the vault's inbox/, one for each; transcripts older than 14 days
    in `transcript_folder` are shortened, their originals packed into the archive. Nothing ever goes into permanent/ or
    into the reflex folder. Every pass leaves a report.
    """
    with call.open() as hindbrain:
        done = hindbrain.dream(is_applied=is_applied)
    call.tell(lambda: plain(done), [*block(done.text.rstrip()), "", dim(line(done.report))])


@command(
    examples="""
hindbrain hygiene
hindbrain hygiene --apply
"""
)
@option("--apply", "is_applied", is_flag=True, help="Leave the findings as a draft in inbox/, too.")
def hygiene(call: Call, is_applied: bool) -> None:
    """Tell what is amiss in the reflex folder and the vault.

    Dead links, copies, names without a prefix, files that the index does not name, and files that nobody needed in 180
    days. Nothing is mended: the files are yours. Every pass leaves a report.
    """
    with call.open() as hindbrain:
        done = hindbrain.hygiene(is_applied=is_applied)
    call.tell(lambda: plain(done), [*block(done.text.rstrip()), "", dim(line(done.report))])
