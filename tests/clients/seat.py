"""A person who sits before OpenCode and says one thing after the other, each when all is quiet.

Runs as a process of its own, and talks to the server that what people see there talks to.
"""

import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

_QUIET_S = 2.0  # after which nothing more is to come
_STEP_S = 0.2
_MODEL = {"providerID": "scripted", "modelID": "m1"}


def main(program: Sequence[str], prompts: Sequence[str]) -> None:
    with subprocess.Popen([*program, "serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = next(found[0] for line in server.stdout if (found := re.search(r"http://[\w.:]+", line)))
        session = f"{address}/session/{_asked(f'{address}/session', {})['id']}"
        for prompt in prompts:
            if prompt == "/compact":
                _asked(f"{session}/summarize", _MODEL)
            else:
                _asked(f"{session}/message", {"parts": [{"type": "text", "text": prompt}]})
            _wait(session)
        server.terminate()


def _wait(session: str) -> None:
    """Until nothing was said for a while."""
    count, since = 0, time.monotonic()
    while time.monotonic() - since < _QUIET_S:
        messages = _asked(f"{session}/message")
        is_busy = "completed" not in messages[-1]["info"]["time"]
        if is_busy or len(messages) != count:
            count, since = len(messages), time.monotonic()
        time.sleep(_STEP_S)


def _asked(url: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
