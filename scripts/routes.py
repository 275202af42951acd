"""Writes the table of routes in docs/api.md anew from the service's own table; `--check` only tells whether it is."""

import sys
from pathlib import Path

from hindbrain.entry.http.table import ROUTES, Route

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/api.md"
BEGIN, END = "<!-- routes: begin -->", "<!-- routes: end -->"


def table() -> str:
    lines = ["| route | right | answers | what it does |", "|---|---|---|---|"]
    return "\n".join(lines + [_row(route) for route in ROUTES])


def _row(route: Route) -> str:
    does = (route.run.__doc__ or "").strip().splitlines()[0]
    return f"| `{route.method} {route.path}` | {route.right} | {route.status} {_kind(route)} | {does} |"


def _kind(route: Route) -> str:
    if route.media != "application/json":
        return route.media
    name = str(getattr(route.answer, "__name__", "")) if not hasattr(route.answer, "__args__") else ""
    return name or (f"list of {route.answer.__args__[0].__name__}" if route.answer else "")


def written(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    page = ROOT / PAGE
    text = page.read_text("utf-8")
    fresh = written(text)
    if "--check" in arguments:
        if fresh != text:
            print(f"{PAGE} is stale: run scripts/routes.py")
        return int(fresh != text)
    page.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
