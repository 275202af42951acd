"""How the MCP server is started: by a client, over its pipes, or by hand, on a port of this machine."""

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import echo
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import Misuse, command, option
from hindbrain.errors import ExtraMissing
from hindbrain.settings import client_session, load

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from hindbrain.entry.mcp.caller import Caller
    from hindbrain.facade import Hindbrain

_HOST = "127.0.0.1"
_PORT = 8848
_PROJECTS = 16  # that are kept open


@command(
    name="mcp",
    examples="""
hindbrain mcp
hindbrain mcp --http --port 8848
""",
)
@option("--http", is_flag=True, help="Answer on a port of this machine instead of on standard input and output.")
@option("--port", type=Whole(1, 65_535), metavar="P", help=f"Which port.  [default: {_PORT}]")
def mcp(call: Call, http: bool, port: int | None) -> None:
    """Let a coding agent ask memory by itself, over MCP.

    Clients start it themselves once `hindbrain init` has wired them. Over HTTP it answers at /mcp, whoever shows the
    token that it names on standard error; the header `Hindbrain-Project` says for which project.
    """
    if port is not None and not http:
        raise Misuse("--port needs --http.")
    server = _server(call)
    if http:
        _serve(server, port or _PORT)
    else:
        server.run("stdio")


def is_installed() -> bool:
    """Whether a client that is told to start it would find a server."""
    from importlib.util import find_spec

    return find_spec("mcp") is not None


def _server(call: Call) -> "MCPServer[object]":
    try:
        from hindbrain.entry.mcp.server import build
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("hindbrain"):
            raise
        raise ExtraMissing(
            f"the MCP server is not installed: there is no {error.name}", fix="pip install 'hindbrain[mcp]'"
        ) from error

    @lru_cache(maxsize=_PROJECTS)
    def opened(project: str) -> "Hindbrain":
        return Call(project=project, per_worktree=call.per_worktree).open(is_new=True, is_brief=False)

    def opener(caller: "Caller") -> "Hindbrain":
        return opened(caller.project or call.project)

    # A client that names no session has one for each process that it starts.
    return build(opener, session=client_session() or f"mcp-{secrets.token_hex(8)}")


def _serve(server: "MCPServer[object]", port: int) -> None:
    import uvicorn

    from hindbrain.entry.http.owner import token as owners
    from hindbrain.entry.mcp.server import PATH, Guarded, app

    token = owners(load())
    echo(f"http://{_HOST}:{port}{PATH}  Authorization: Bearer {token}", err=True)
    uvicorn.run(Guarded(app(server), token=token), host=_HOST, port=port, log_level="warning")
