"""How a peer's server is started, filled and asked: chromadb's own, over the HTTP that its clients speak."""

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.meter import told
from bench.peers.environments import Absent, python_of
from bench.peers.known import KNOWN, Peer
from bench.peers.subject import ANSWERS

PEER: Peer = next(peer for peer in KNOWN if peer.name == "chromadb")
_COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"
_BATCH = 500  # memories in one call
_PATIENCE_S = 60.0


class Chroma:
    """A server that runs, and its one collection."""

    def __init__(self, address: str, pid: int) -> None:
        self.address, self.pid = address, pid
        self._place = ""

    def fill(self, texts: Sequence[str], vectors: Any) -> None:
        link = http.client.HTTPConnection(self.address, timeout=300)
        made = _asked(link, _COLLECTIONS, {"name": "bench"})
        self._place = f"{_COLLECTIONS}/{made['id']}"
        starts = range(0, len(texts), _BATCH)
        for start in told(list(starts), f"chromadb: {len(texts):,} memories, batches of {_BATCH}"):
            end = min(start + _BATCH, len(texts))
            ids = [str(number) for number in range(start, end)]
            batch = {"ids": ids, "documents": list(texts[start:end]), "embeddings": vectors[start:end].tolist()}
            _asked(link, f"{self._place}/add", batch)
        link.close()

    def question(self, vector: Sequence[float]) -> tuple[str, bytes]:
        """Path and body of a search for the ten best."""
        asked = {"query_embeddings": [list(vector)], "n_results": ANSWERS, "include": ["documents", "distances"]}
        return f"{self._place}/query", json.dumps(asked).encode()


@contextmanager
def running(folder: Path, *, is_installing: bool) -> Iterator[Chroma | Absent]:
    python = python_of(PEER, is_installing=is_installing)
    if isinstance(python, Absent):
        yield python
        return
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    words = [str(python.with_name("chroma")), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    known = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "ANONYMIZED_TELEMETRY": "False"}
    process = subprocess.Popen(words, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Chroma(f"127.0.0.1:{port}", process.pid) if _is_up(port, process) else Absent("its server did not start")
    finally:
        process.terminate()
        process.wait()


def _is_up(port: int, process: "subprocess.Popen[bytes]") -> bool:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        time.sleep(0.1)
    return False


def _asked(link: http.client.HTTPConnection, path: str, body: object) -> Any:
    link.request("POST", path, body=json.dumps(body), headers={"Content-Type": "application/json"})
    answer = link.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"chromadb answered {answer.status}: {text[:200]!r}")
    return json.loads(text or b"null")
