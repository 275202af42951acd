"""How a person is shown what would be written into their agents' files, and how they say yes."""

import sys
from collections.abc import Callable, Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.setup.wires import CLIENTS
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.mcp import is_installed
from hindbrain.entry.cli.output import bold, dim, echo, line, many, safe, show, style, to_json
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import Misuse, command, option
from hindbrain.errors import Unconfirmed
from hindbrain.settings import load

if TYPE_CHECKING:
    from hindbrain.app.init import Change, Plan

    Planner = Callable[..., Plan]

_NEXT = {
    "codex": "Codex runs hooks only after you have trusted them: start codex, type /hooks.",
    "claude": "Claude Code reads its settings when a session starts: open a new one.",
    "gemini": "Gemini CLI reads its settings when it starts.",
    "opencode": "OpenCode loads plugins when it starts.",
}

_clients = option(
    "--client",
    "clients",
    multiple=True,
    type=OneOf("client", tuple(CLIENTS)),
    metavar="CLIENT",
    help=f"Only this one; repeatable. One of: {', '.join(CLIENTS)}.  [default: all that are found]",
)
_user = option("--user", is_flag=True, help="In your own files, for all projects.  [default]")
_project = option(
    "--project",
    "folder",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="In the files of one project: the one around DIR, or around the current folder.",
)
_dry_run = option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
_yes = option("--yes", is_flag=True, help="Write without asking.")


@command(
    examples="""
hindbrain init
hindbrain init --client claude --client codex --yes
hindbrain init --project --dry-run
"""
)
@_clients
@_user
@_project
@_dry_run
@_yes
def init(call: Call, clients: Sequence[str], user: bool, folder: str | None, dry_run: bool, yes: bool) -> None:
    """Wire your coding agents, after showing what changes.

    Finds Claude Code, Codex, Gemini CLI and OpenCode, and adds hooks, the MCP server and a skill to their files.
    Nothing else in these files is touched. `uninit` takes it out again, byte by byte.
    """
    from hindbrain.app.init import planned

    folder = _folder(folder, user)
    _run(call, planned, clients=clients, folder=folder, wants=_wants(dry_run, yes), leaves_word=True)


@command(
    examples="""
hindbrain uninit
hindbrain uninit --client gemini --yes
hindbrain uninit --project --dry-run
"""
)
@_clients
@_user
@_project
@_dry_run
@_yes
def uninit(call: Call, clients: Sequence[str], user: bool, folder: str | None, dry_run: bool, yes: bool) -> None:
    """Unwire your coding agents, and leave their files as they were.

    A file that you have changed since keeps your changes and loses only our entries. What was remembered stays.
    """
    from hindbrain.app.init import undone

    folder = _folder(folder, user)
    _run(call, undone, clients=clients, folder=folder, wants=_wants(dry_run, yes), leaves_word=False)


def _folder(folder: str | None, user: bool) -> str | None:
    if folder is not None and user:
        raise Misuse("Give only one of --user and --project.")
    return folder


def _wants(dry_run: bool, yes: bool) -> str:
    if dry_run and yes:
        raise Misuse("Give only one of --dry-run and --yes.")
    return "show" if dry_run else "write" if yes else "ask"


def _run(
    call: Call, plan_of: "Planner", *, clients: Sequence[str], folder: str | None, wants: str, leaves_word: bool
) -> None:
    from hindbrain.app.init import carry_out
    from hindbrain.wiring import clients_of, kit_of

    settings = load()
    files = clients_of(settings)
    kit = kit_of(settings, has_server=is_installed())
    plan = plan_of(clients, kit, folder=folder or ".", in_project=folder is not None, clients=files)
    seen = [change for change in plan.changes if change.is_seen]
    if not call.is_json:
        show(_shown(seen))
    is_agreed = _is_agreed(call, seen, wants=wants)
    if is_agreed:
        carry_out(plan, clients=files)
    if is_agreed and leaves_word:  # the plugin, which knows nothing of this installation, finds it by this
        files.point((kit.python, kit.hook))
    _tell(call, plan, seen=seen, is_written=is_agreed)
    if seen and not is_agreed and wants == "ask":
        raise Unconfirmed("nothing was written: nobody has said yes", fix="run it again with --yes")


def _is_agreed(call: Call, seen: "Sequence[Change]", *, wants: str) -> bool:
    if wants != "ask" or not seen:
        return wants != "show"
    if call.is_json or not sys.stdin.isatty():
        return False
    import click

    return click.confirm(f"Write {many(len(seen), 'file')}?", err=True)


def _tell(call: Call, plan: "Plan", *, seen: "Sequence[Change]", is_written: bool) -> None:
    if call.is_json:
        echo(to_json(_record(plan, seen, is_written=is_written)))
        return
    call.note(plan.notices)
    if not seen:
        show([dim("Nothing to change.")])
    elif is_written:
        show(_written(plan, seen))


def _record(plan: "Plan", seen: "Sequence[Change]", *, is_written: bool) -> dict[str, Any]:
    changes = [
        {
            "client": change.client,
            "path": change.path,
            "what": list(change.what),
            "action": "create" if change.before is None else "remove" if change.after is None else "edit",
            "diff": change.diff,
        }
        for change in seen
    ]
    return {
        "clients": list(plan.clients),
        "changes": changes,
        "is_written": is_written and bool(seen),
        "notices": list(plan.notices),
    }


def _shown(seen: "Sequence[Change]") -> Iterator[str]:
    for change in seen:
        yield bold(f"{CLIENTS.get(change.client, change.client)}: {', '.join(change.what)}")
        for one in safe(change.diff).splitlines():
            colour = {"+": "green", "-": "red", "@": "cyan"}.get(one[:1], "")
            yield style(one, fg=colour)
        yield ""


def _written(plan: "Plan", seen: "Sequence[Change]") -> Iterator[str]:
    for change in seen:
        verb = "removed" if change.after is None else "wrote"
        yield f"{verb} {line(change.path)}"
    is_in = any(change.record for change in seen)
    changed = {change.client for change in seen}
    for client in plan.clients if is_in else ():
        if client in changed:
            yield dim(_NEXT[client])
    yield dim("See whether all is well with: hindbrain doctor")
