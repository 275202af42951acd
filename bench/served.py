"""The service as it is measured: its vectors were given, so that no model's time is counted with it.

`python -m bench.served HOME DATA` prints where it listens, and serves until it is told to end.
"""

import json
import socket
import sys
from array import array
from dataclasses import replace
from pathlib import Path

import uvicorn

from bench.peers.spread import Given
from bench.peers.subject import DIMENSIONS, Lookup
from hindbrain.app.tools import Tools
from hindbrain.entry import hub
from hindbrain.entry.http.app import build
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.guard import Address
from hindbrain.entry.mcp.lodged import guests
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools

_QUEUE = 512  # connections that may wait, as in `hindbrain serve`


def main(home: str, data: str) -> int:
    settings = Settings(home=home, store=f"{home}/hindbrain.db", embedder="off")
    embedder = Given(Lookup(_known(Path(data))))

    def opened(settings: Settings) -> Tools:
        return replace(open_tools(settings), embedder=embedder)

    desk = Desk(settings, opened=opened)
    # With its protocol named: without, asyncio leaves answers to be held back until they are acknowledged.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(_QUEUE)
        address = Address(host="127.0.0.1", port=listening.getsockname()[1])
        service = build(desk, address, more=hub.routes(), mounts=hub.mounts(), guests=guests())
        print(address.url, flush=True)
        server = uvicorn.Server(uvicorn.Config(service, log_config=None, access_log=False, http="h11", ws="none"))
        server.run(sockets=[listening])
    return 0


def _known(data: Path) -> dict[str, list[float]]:
    """The vector of every question; those of the memories are in the store."""
    questions = json.loads(data.read_text(encoding="utf-8"))
    numbers = array("f", data.with_suffix(".f32").read_bytes())
    rows = [numbers[at : at + DIMENSIONS].tolist() for at in range(0, len(numbers), DIMENSIONS)]
    return dict(zip(questions, rows, strict=True))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
