"""A real service on a free port of this machine, and a caller that can say anything in its headers."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hindbrain.entry import hub
from hindbrain.entry.http import owner
from hindbrain.entry.http.serve import Running, Wish
from hindbrain.entry.mcp import lodged
from hindbrain.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def data(self) -> Any:
        return json.loads(self.text)


class Api:
    """Calls the service as its owner, unless told otherwise."""

    def __init__(self, running: Running, settings: Settings) -> None:
        self.running, self.settings = running, settings
        self.port = running.address.port
        self.token = owner.token(settings)

    def __call__(
        self,
        line: str,
        body: object = None,
        *,
        status: int = 0,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """`GET /api/…`; it must answer with `status`, if one is given."""
        method, path = line.split(" ", 1)
        wanted = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {token or self.token}"}
        sent = json.dumps(body).encode() if body is not None else None
        if sent is not None:
            wanted["Content-Type"] = "application/json"
        answer = self.raw(method, path, sent=sent, headers=wanted | dict(headers or {}))
        assert not status or answer.status == status, answer
        return answer

    def raw(self, method: str, path: str, *, sent: bytes | None = None, headers: Mapping[str, str]) -> Answer:
        """Exactly these headers, and no others."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if sent is not None and "Content-Length" not in headers:
                connection.putheader("Content-Length", str(len(sent)))
            connection.endheaders(sent)
            got = connection.getresponse()
            lower = {name.lower(): value for name, value in got.getheaders()}
            return Answer(status=got.status, headers=lower, text=got.read().decode())
        finally:
            connection.close()

    def add(self, content: str, *, project: str = "app", **more: object) -> Any:
        """Write a memory down; its record."""
        body = {"title": content[:60], "content": content, "type": "pitfall", **more}
        return self(f"POST /api/projects/{project}/memories", body, status=201).data


@contextmanager
def serving(
    home: Path, *, project: str = "app", has_worker: bool = False, store: str = "", **wish: Any
) -> Iterator[Api]:
    settings = Settings(home=str(home), store=store or str(home / "hindbrain.db"), project=project, embedder="off")
    wanted = Wish(has_worker=has_worker, **wish)
    running = Running(
        settings, wanted, say=lambda _: None, more=hub.routes(), mounts=hub.mounts(), guests=lodged.guests()
    )
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        api = Api(running, settings)
        for name in ("app", "other"):
            api("POST /api/projects", {"name": name}, status=201)
        yield api
    finally:
        running.stop()
        thread.join(30)
        assert not thread.is_alive()
