"""How the state of the store is told on the command line, and how it is kept in good order."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.setup.wires import CLIENTS
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.mcp import is_installed
from hindbrain.entry.cli.output import bold, dim, line, many, style, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import command, option

if TYPE_CHECKING:
    from hindbrain.app.doctor import Finding
    from hindbrain.app.maintain import Cleaned
    from hindbrain.app.stats import Stats
    from hindbrain.errors import StoreUnreachable


@command(
    examples="""
hindbrain stats
hindbrain stats --project api --json
"""
)
def stats(call: Call) -> None:
    """Count memories by state, type and category."""
    with call.open() as hindbrain:
        counted = hindbrain.stats()
        name = hindbrain.project_name
    call.tell(lambda: plain(counted), _stats_lines(counted, name))


@command(
    examples="""
hindbrain cleanup --dry-run
hindbrain cleanup --project api
"""
)
@option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
def cleanup(call: Call, dry_run: bool) -> None:
    """Let unused memories fade, archive those that faded away.

    Running it often takes no more than running it once. Pinned memories never fade; what is archived comes
    back with `hindbrain restore`.
    """
    with call.open() as hindbrain, closing(Bar("cleaning up")) as bar:
        cleaned = hindbrain.cleanup(is_dry_run=dry_run, tell=bar.tell)
    call.tell(lambda: plain(cleaned), _cleaned_lines(cleaned))


@command(
    examples="""
hindbrain doctor
hindbrain doctor --repair
hindbrain doctor --wire claude
"""
)
@option("--repair", is_flag=True, help="Build the word index anew, then check.")
@option(
    "--wire",
    type=OneOf("client", tuple(CLIENTS)),
    metavar="CLIENT",
    help=f"Send a test event through a client's command line. One of: {', '.join(CLIENTS)}.",
)
def doctor(call: Call, repair: bool, wire: str | None) -> int:
    """Check that everything is healthy, and say how to fix it.

    Looks at the store, the model and the worker, then at the coding agents' clients that are installed. Exits with 1
    when something is not well, with 98 when the server of the store is away: then it tells what waits on this machine.
    """
    from hindbrain.errors import StoreUnreachable

    try:
        findings, code = _examined(call, repair=repair, wire=wire or ""), 1
    except StoreUnreachable as error:
        findings, code = _away(error), error.exit_code
    is_ok = all(finding.is_ok for finding in findings)
    call.tell(lambda: {"is_ok": is_ok, "findings": plain(findings)}, findings_lines(findings))
    return 0 if is_ok else code


def _examined(call: Call, *, repair: bool, wire: str) -> "Sequence[Finding]":
    from hindbrain.wiring import clients_of, kit_of

    with call.open() as hindbrain:
        store = hindbrain.doctor(is_repairing=repair)
        kit = kit_of(hindbrain.settings, has_server=is_installed())
        return (*store, *hindbrain.wires(kit, clients=clients_of(hindbrain.settings), trial=wire))


def _away(error: "StoreUnreachable") -> "Sequence[Finding]":
    from hindbrain.app.wires import away
    from hindbrain.settings import load
    from hindbrain.wiring import clients_of, clock

    return away(error, clients=clients_of(load()), now=clock().now())


def findings_lines(findings: "Sequence[Finding]") -> Iterator[str]:
    widest = max((len(finding.name) for finding in findings), default=0)
    for finding in findings:
        mark = style("ok  ", fg="green") if finding.is_ok else style("FAIL", fg="red", bold=True)
        yield f"{mark}  {bold(f'{line(finding.name):<{widest}}')}  {line(finding.what)}"
        if finding.fix:
            word = style("next:", dim=True) if finding.is_ok else style("fix:", fg="green")
            yield f"{'':{widest + 6}}  {word} {line(finding.fix)}"
    bad = sum(not finding.is_ok for finding in findings)
    yield ""
    yield f"{many(bad, 'thing needs', plural='things need')} your attention." if bad else dim("Everything is healthy.")


def _stats_lines(counted: "Stats", name: str) -> Iterator[str]:
    yield bold(f"{many(counted.active, 'live memory', plural='live memories')} in {line(name)}")
    groups = {
        "by state": counted.by_state,
        "by type": counted.by_type,
        "by category": counted.by_category,
        "by kind": counted.by_kind,
        "receipts": counted.receipts,
        "by meaning, all projects": {"vectors": counted.vectors, "due": counted.due},
    }
    for title, counts in groups.items():
        if any(counts.values()):
            yield ""
            yield dim(title)
            yield from (f"  {line(word):<16}{count:>7,}" for word, count in counts.items() if count)
    if counted.open_reviews:
        yield ""
        yield f"{many(counted.open_reviews, 'review waits', plural='reviews wait')} for you: hindbrain review"


def _cleaned_lines(cleaned: "Cleaned") -> Iterator[str]:
    would = "would be " if cleaned.is_dry_run else ""
    faded, archived = len(cleaned.decayed), len(cleaned.archived)
    yield f"{many(faded, 'memory', plural='memories')} {would}decayed, {archived:,} {would}archived"
    if cleaned.decayed:
        rows = [[one.id, f"{one.before:.2f} to {one.after:.2f}", one.title] for one in cleaned.decayed]
        yield ""
        yield from table(["ID", "SURE", "TITLE"], rows, styles={0: dim})
    if cleaned.archived:
        yield ""
        yield from table(
            ["ID", "ARCHIVED", "TITLE"], [[one.id, one.reason, one.title] for one in cleaned.archived], styles={0: dim}
        )
    if cleaned.run:
        yield ""
        yield dim(f"`hindbrain maintenance undo {cleaned.run}` takes it back")
