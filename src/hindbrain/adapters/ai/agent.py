"""How the user's own coding agent is run without a person: the only place that starts one.

No shell, nothing of the prompt on the command line, an empty folder to work in, hooks of ours switched off for it, and
the whole of its process group ended at the deadline.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping

from hindbrain.adapters.ai.http import MOST_BYTES, Unreached
from hindbrain.adapters.ai.plan import Plan
from hindbrain.adapters.ai.providers.speech import Ask, Reply, count
from hindbrain.core.hints import Any
from hindbrain.core.value import dataclass
from hindbrain.settings import environment

_TOLD = 300  # characters of what it complains about
_LOOK_S = 0.1  # between two looks at how much it has written


def run(ask: Ask, plan: Plan) -> Reply:
    """What the agent says. Unreached when it is not there, fails, or does not end in time."""
    agent = _AGENTS[plan.agent]
    words = [plan.command or plan.agent, *agent.words, *((agent.model_flag, plan.model) if plan.model else ())]
    said = _said(words, _written(ask), timeout_s=plan.timeout_s)
    try:
        return agent.read(said)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unreached(f"{plan.agent} answered in a form that is not known: {error}") from error


def _written(ask: Ask) -> str:
    return "\n\n".join([ask.order, ask.material, *(text for _, text in ask.turns)])


def _said(words: list[str], prompt: str, *, timeout_s: float) -> str:
    """Through files, not pipes: what the agent leaves running may hold a pipe open for ever."""
    file = tempfile.TemporaryFile
    with tempfile.TemporaryDirectory(prefix="hindbrain-agent-") as folder, file() as fed, file() as out, file() as err:
        fed.write(prompt.encode("utf-8", "replace"))
        fed.seek(0)
        try:
            child = subprocess.Popen(
                words,
                stdin=fed,
                stdout=out,
                stderr=err,
                cwd=folder,
                env={**environment(), "HINDBRAIN_HOOKS": "off"},
                start_new_session=True,
            )
        except OSError as error:
            raise Unreached(f"{words[0]} cannot be run: {error.strerror or error}") from error
        try:
            _wait(
                child, lambda: max(os.fstat(out.fileno()).st_size, os.fstat(err.fileno()).st_size), timeout_s=timeout_s
            )
        finally:
            _end(child)
        if child.returncode:
            raise Unreached(f"{words[0]} failed with {child.returncode}: {_read(err)[:_TOLD].strip()}")
        return _read(out)


def _wait(child: subprocess.Popen[bytes], size: Callable[[], int], *, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    is_running = True
    while is_running:
        try:
            child.wait(_LOOK_S)
            is_running = False
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                raise Unreached(f"{child.args[0]!s} did not end within {timeout_s:g}s") from None  # type: ignore[index]
        if size() > MOST_BYTES:
            raise Unreached(f"the answer is larger than {MOST_BYTES:,} bytes")


def _read(file: Any) -> str:
    file.seek(0)
    data: bytes = file.read(MOST_BYTES)
    return data.decode("utf-8", "replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    """Also what it has started: an agent that was cut off must not work on."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all of it has ended
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _claude(said: str) -> Reply:
    data = json.loads(said)
    if data.get("is_error"):
        raise ValueError(str(data.get("result") or data.get("subtype"))[:_TOLD])
    usage = data.get("usage") or {}
    cost = data.get("total_cost_usd")
    return Reply(
        text=_text(data["result"]),
        tokens_in=count(usage.get("input_tokens")),
        tokens_out=count(usage.get("output_tokens")),
        cost=float(cost) if isinstance(cost, int | float) else None,
    )


def _codex(said: str) -> Reply:
    """One event a line; the last message is the answer."""
    events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    items = [event["item"] for event in events if event.get("type") == "item.completed"]
    texts = [item["text"] for item in items if item.get("type") == "agent_message"]
    ends = [event.get("usage") or {} for event in events if event.get("type") == "turn.completed"]
    return Reply(
        text=_text(texts[-1]),
        tokens_in=count(ends[-1].get("input_tokens")) if ends else None,
        tokens_out=count(ends[-1].get("output_tokens")) if ends else None,
    )


def _gemini(said: str) -> Reply:
    data = json.loads(said[said.index("{") :])
    models = list(((data.get("stats") or {}).get("models") or {}).values())
    tokens = [model.get("tokens") or {} for model in models]
    return Reply(
        text=_text(data["response"]),
        tokens_in=sum(count(one.get("prompt")) or 0 for one in tokens) if tokens else None,
        tokens_out=sum(count(one.get("candidates")) or 0 for one in tokens) if tokens else None,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("the answer holds no text")
    return value


@dataclass(frozen=True, slots=True)
class _Agent:
    words: tuple[str, ...]
    model_flag: str
    read: Callable[[str], Reply]


_AGENTS: Mapping[str, _Agent] = {
    # It is to answer, not to work: without tools, whatever the material says and the user's settings allow.
    "claude": _Agent(
        ("-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--strict-mcp-config"), "--model", _claude
    ),
    "codex": _Agent(("exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"), "--model", _codex),
    "gemini": _Agent(
        ("--output-format", "json", "-p", "Do what stands on standard input; answer with text only."),
        "--model",
        _gemini,
    ),
}
