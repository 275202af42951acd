"""How the service is started by hand, and what it says when it is ready."""

import os
import webbrowser
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from hindbrain.core.address import is_server
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import replace
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, dim, line
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import command, option
from hindbrain.errors import ExtraMissing
from hindbrain.settings import load

PORT = 8787


@command(
    examples="""
hindbrain serve
hindbrain serve --port 0 --open
hindbrain serve --host 0.0.0.0 --name memory.example.org --tls-cert cert.pem --tls-key key.pem
"""
)
@option("--port", type=Whole(0, 65_535), default=PORT, metavar="P", help="Where to listen; 0: any free port.")
@option("--host", default="127.0.0.1", metavar="H", help="Address to listen on; other machines reach only others.")
@option("--name", "names", multiple=True, metavar="N", help="Another name by which callers reach it; repeatable.")
@option("--tls-cert", default="", metavar="FILE", help="Certificate; with --tls-key.")
@option("--tls-key", default="", metavar="FILE", help="Its key.")
@option("--insecure", is_flag=True, help="Listen beyond this machine without TLS.")
@option("--open", "is_opened", is_flag=True, help="Open the hub in a browser.")
def serve(call: Call, port: int, host: str, names: Sequence[str], **how: object) -> None:
    """Serve API, hub, MCP and worker over HTTP, until Ctrl-C.

    Every request needs the token that `hindbrain token` prints. The login link lets one browser in, once. Without
    --host only this machine can call.
    """
    try:
        from hindbrain.entry import hub
        from hindbrain.entry.http.serve import Running, Wish
        from hindbrain.entry.http.whereabouts import noted
        from hindbrain.entry.mcp.lodged import guests
        from hindbrain.entry.mcp.server import PATH
    except ModuleNotFoundError as error:
        raise ExtraMissing(f"the service needs {error.name}", fix="pip install 'hindbrain[serve]'") from error
    wish = Wish(
        host=host,
        port=port,
        names=tuple(names),
        certificate=str(how["tls_cert"] or ""),
        key=str(how["tls_key"] or ""),
        is_insecure=bool(how["insecure"]),
    )
    settings = load()
    settings = replace(
        settings,
        home=str(Path(settings.home).absolute()),
        store=settings.store if is_server(settings.store) else str(Path(settings.store).absolute()),
        project=call.project or settings.project,
        per_worktree=call.per_worktree or settings.per_worktree,
    )

    running = Running(settings, wish, say=_say, more=hub.routes(), mounts=hub.mounts(), guests=guests())
    address = running.address.url
    link = running.service.login()
    mcp = f"{address}{PATH}"
    told = {"address": address, "login": link, "mcp": mcp, "pid": os.getpid()}
    with noted(settings, address, door=running.service.doorman.door):
        call.tell(lambda: told, _lines(address, link, mcp=mcp))
        if how["is_opened"]:
            webbrowser.open(link)
        running.run()


def _lines(address: str, link: str, *, mcp: str) -> Sequence[str]:
    return (
        f"{bold('Hindbrain')} serves {bold(address)}",
        f"  log in   {link}  {dim('works once, for ten minutes; `hindbrain hub` prints another')}",
        f"  agents   {mcp}  {dim('MCP, with the token')}",
        f"  token    {dim('hindbrain token')}",
        f"  stop     {dim('Ctrl-C')}",
    )


def _say(told: str) -> None:
    click.echo(f"{stamp(datetime.now(UTC))} worker: {line(told)}", err=True)
