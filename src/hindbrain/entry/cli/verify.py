"""How a person sees whether the code still says what the memories say about it."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model.outcome import Freshness
from hindbrain.entry.cli import cards
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, dim, fit, line, many, style
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, command, option

if TYPE_CHECKING:
    from hindbrain.app.verify import Checked, Verified


@command(
    examples="""
hindbrain verify
hindbrain verify --path src/jobs/lock.py --json
hindbrain verify --confirm mem-01k2x6d0q3v8r5w7y9z1b3d5f7
"""
)
@option("--all", "is_all", is_flag=True, help="Look anew, also where no file changed.")
@option("--path", "paths", multiple=True, metavar="P", help="Only memories tied to this file; repeatable.")
@option("--confirm", metavar="ID", help="Say that this memory still holds: it is tied to the code as it is now.")
def verify(call: Call, is_all: bool, paths: Sequence[str], confirm: str | None) -> None:
    """Compare memories with the code that they speak of.

    A memory that names a file is tied to what the file holds: all of it, the lines, or the function or class that is
    named. What changed since is listed as suspect, what is not there any more as gone. Exits with 0 in either case.
    """
    if confirm is not None and (is_all or paths):
        raise Misuse("--confirm takes one memory, and neither --all nor --path.")
    with call.open() as hindbrain, closing(Bar("verifying")) as bar:
        if confirm is not None:
            checked = hindbrain.confirm(confirm)
            call.tell(lambda: plain(checked), _confirmed_lines(checked))
            return
        verified = hindbrain.verify(paths=paths, is_all=is_all, tell=bar.tell)
    if not verified.has_code:
        call.note(["the code of this project is not here: nothing was looked at"])
    call.tell(lambda: _record(verified), _lines(verified))


def _record(verified: "Verified") -> dict[str, object]:
    kinds = (Freshness.FRESH, Freshness.SUSPECT, Freshness.GONE)
    counts = {str(kind): len(verified.of(kind)) for kind in kinds}
    return {"head": verified.head, **counts, "untied": verified.untied, "memories": plain(verified.checked)}


def _lines(verified: "Verified") -> Iterator[str]:
    for kind in (Freshness.GONE, Freshness.SUSPECT):
        found = verified.of(kind)
        if found:
            yield style(f"{kind}", fg=cards.FRESHNESS[kind], bold=True)
        for one in found:
            yield from _card(one)
        if found:
            yield ""
    tied = many(len(verified.checked), "memory", plural="memories")
    new = sum(not one.was for one in verified.checked)
    parts = [f"{len(verified.of(kind)):,} {kind}" for kind in (Freshness.FRESH, Freshness.SUSPECT, Freshness.GONE)]
    yield f"{tied} tied to code: {', '.join(parts)}" + (f" ({new:,} tied just now)" if new else "")
    if verified.untied:
        yield dim(f"{many(verified.untied, 'memory', plural='memories')} named no file that is here")
    if verified.of(Freshness.SUSPECT) or verified.of(Freshness.GONE):
        yield dim("Still true? hindbrain verify --confirm ID    Not any more? hindbrain edit ID, hindbrain delete ID")


def _card(checked: "Checked") -> Iterator[str]:
    yield f"  {bold(fit(line(checked.title) or '(no words)', beside=2))}"
    yield f"    {dim(line(checked.memory_id))}"
    yield from (f"    {note}" for note in cards.anchor_lines(checked.anchors))


def _confirmed_lines(checked: "Checked") -> Iterator[str]:
    yield f"Confirmed {bold(line(checked.title))}"
    yield f"  {dim(line(checked.memory_id))}"
    yield from (f"  {note}" for note in cards.anchor_lines(checked.anchors))
