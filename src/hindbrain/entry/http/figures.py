"""What is counted about requests, and how Prometheus reads it."""

import threading
import time
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


class Figures:
    """By route, not by path: what callers ask for must not become a label."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, str, int], int] = {}
        self._times: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def note(self, method: str, route: str, *, status: int, seconds: float) -> None:
        with self._lock:
            key = (method, route, status)
            self._requests[key] = self._requests.get(key, 0) + 1
            counts = self._times.setdefault(route, [0] * (len(_BUCKETS) + 1))
            counts[next((n for n, most in enumerate(_BUCKETS) if seconds <= most), len(_BUCKETS))] += 1
            self._sums[route] = self._sums.get(route, 0.0) + seconds

    def text(self, gauges: Mapping[str, Mapping[str, int]]) -> str:
        lines: list[str] = []
        for name, values in gauges.items():
            lines.append(f"# TYPE {name} gauge")
            lines += [f"{name}{{{labels}}} {value}" for labels, value in sorted(values.items())]
        with self._lock:
            lines += self._counted() + self._timed()
        return "\n".join(lines) + "\n"

    def _counted(self) -> list[str]:
        name = "hindbrain_http_requests_total"
        return [f"# TYPE {name} counter"] + [
            f'{name}{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(self._requests.items())
        ]

    def _timed(self) -> list[str]:
        name = "hindbrain_http_request_seconds"
        lines = [f"# TYPE {name} histogram"]
        for route, counts in sorted(self._times.items()):
            for n, most in enumerate((*map(str, _BUCKETS), "+Inf")):
                lines.append(f'{name}_bucket{{route="{route}",le="{most}"}} {sum(counts[: n + 1])}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._sums[route]:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {sum(counts)}')
        return lines


class Counted:
    """Times every request that got past the guard."""

    def __init__(self, app: ASGIApp, *, figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, seen = time.monotonic(), {"status": 500}

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            seconds = time.monotonic() - started
            self._figures.note(scope["method"], route, status=seen["status"], seconds=seconds)
