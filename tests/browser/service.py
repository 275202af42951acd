"""The service with its hub on a free port of this machine, over a store that has something to show."""

import http.client
import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from browser.filled import fill

from hindbrain.entry import hub
from hindbrain.entry.http.app import Service, build
from hindbrain.entry.http.desk import Desk
from hindbrain.entry.http.guard import Address
from hindbrain.facade import Hindbrain
from hindbrain.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    url: str
    folder: Path  # the project
    desk: Desk
    service: Service

    def hindbrain(self) -> Hindbrain:
        return self.desk.of_here()

    def login(self) -> str:
        return f"{self.url}/login?once={self.service.doorman.link()}"

    def cookie(self) -> str:
        session = self.service.doorman.enter(self.service.doorman.link())
        return f"{self.service.doorman.cookie}={session}"

    def call(
        self, path: str, *, cookie: str = "", form: Mapping[str, str] | None = None, origin: str | None = None
    ) -> Answer:
        """As a browser would: with the cookie, and with an Origin for a form."""
        headers = {"Cookie": cookie} if cookie else {}
        body = None
        if form is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
            body = urlencode(form)
        if (origin := self.url if origin is None and form is not None else origin) is not None:
            headers["Origin"] = origin
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        try:
            connection.request("GET" if form is None else "POST", path, body=body, headers=headers)
            got = connection.getresponse()
            named = {name.lower(): value for name, value in got.getheaders()}
            return Answer(status=got.status, headers=named, text=got.read().decode())
        finally:
            connection.close()


@contextmanager
def serving(place: Path, *, is_filled: bool = True) -> Iterator[Hub]:
    """Its home and its project lie below `place`."""
    folder, home = place / "app", place / "home"
    folder.mkdir()
    home.mkdir(mode=0o700)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        desk = Desk(Settings(home=str(home), store=str(home / "hindbrain.db"), embedder="off"))
    finally:
        os.chdir(before)
    try:
        if is_filled:
            fill(desk.of_here(), folder)
        with _listening(desk) as (url, service):
            yield Hub(url=url, folder=folder, desk=desk, service=service)
    finally:
        desk.close()


@contextmanager
def _listening(desk: Desk) -> Iterator[tuple[str, Service]]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = Address(host="127.0.0.1", port=listening.getsockname()[1])
        ending = threading.Event()
        listening.listen(64)
        service = build(desk, address, more=hub.routes(), mounts=hub.mounts(), is_ending=ending.is_set)
        server = uvicorn.Server(uvicorn.Config(service, log_config=None, ws="none", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield address.url, service
        finally:
            ending.set()
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()
