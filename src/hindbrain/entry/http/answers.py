"""What every route has in common: who visits, how a value becomes JSON, and which dates are understood."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from starlette.responses import JSONResponse

from hindbrain.core.model import Memory
from hindbrain.core.model.moment import end_of, read_stamp
from hindbrain.entry.cli.records import memory_record, plain
from hindbrain.entry.http.desk import Visit
from hindbrain.entry.http.pages import MOST, Page, next_link
from hindbrain.entry.http.problem import Refused


async def _visit(request: Request) -> Visit:  # not in a thread: there is nothing to wait for
    return Visit(caller=request.state.caller, desk=request.app.state.desk)


async def _page(
    limit: Annotated[int, Query(ge=1, le=MOST, description="Most rows of this page.")] = 50,
    cursor: Annotated[str, Query(max_length=200, description="From the Link header of the page before.")] = "",
) -> Page:
    return Page(limit=limit, cursor=cursor)


Here = Annotated[Visit, Depends(_visit)]
Paged = Annotated[Page, Depends(_page)]
ProjectName = Annotated[
    str, Query(alias="project", max_length=200, description="Id or name; else the token's, or the service's own.")
]


def told(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(plain(value), status_code=status, headers=dict(headers or {}))


def recorded(record: dict[str, Any]) -> JSONResponse:
    """An answer that is made of JSON values already."""
    return JSONResponse(record)


def listed(request: Request, rows: object, *, cursor: str) -> JSONResponse:
    return told(rows, headers=next_link(request.url, cursor))


def memory_told(memory: Memory, *, status: int = 200) -> JSONResponse:
    location = {"location": f"/api/memories/{memory.id}"} if status == 201 else {}
    return told(memory_record(memory), status=status, headers={"etag": etag(memory), **location})


def etag(memory: Memory) -> str:
    return f'"{memory.version}"'


def expected(memory: Memory, if_match: str | None) -> int | None:
    """The version that the caller has seen; None: any. 412 when it is not the present one."""
    if if_match is None or if_match.strip() == "*":
        return None
    if etag(memory) not in [one.strip() for one in if_match.split(",")]:
        raise changed()
    return memory.version


def changed() -> Refused:
    return Refused(412, "changed", "the memory has changed since you read it", fix="read it again, then repeat")


def moment(text: str | None, *, name: str, is_end: bool = False) -> datetime | None:
    """RFC 3339, or a day: its beginning or its end."""
    if not text:
        return None
    try:
        return (end_of if is_end else read_stamp)(text.strip())
    except (ValueError, OverflowError):
        raise Refused(400, "bad_value", f"{name} is no date", fix="write 2026-01-31 or 2026-01-31T09:30:00Z") from None


def given(sent: Any) -> dict[str, Any]:
    """What was said; what was left out is left out here, too."""
    return {name: value for name, value in sent.model_dump(exclude_unset=True).items() if value is not None}
