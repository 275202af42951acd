"""The OpenAPI document is true: what it allows is answered as it says, what it forbids is refused, nothing breaks."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from serving import Api, serving
from tier import IS_FULL, figure

from hindbrain.entry.http.table import Route, offered

EXAMPLES = figure(6, 200)
HARMLESS = {"GET /api/projects"}  # nothing about it can be wrong
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with serving(tmp_path_factory.mktemp("openapi") / "home") as running:
        running.add("Redis locks expire after 30 s")
        yield running


@pytest.fixture(scope="module")
def schema(api: Api) -> Any:
    return schemathesis.openapi.from_dict(api("GET /api/openapi.json").data)


def name_of(case: Any) -> str:
    return f"{case.method} {case.path}" if isinstance(case, Route) else str(case.value)


CASES = [
    (route, mode)
    for route in offered()
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or name_of(route) not in HARMLESS
]


# R20
@pytest.mark.parametrize(("route", "mode"), CASES, ids=name_of)
def test_no_request_breaks_a_route_and_every_answer_is_documented(
    api: Api, schema: Any, route: Route, mode: GenerationMode
) -> None:
    operation = schema[route.path][route.method]
    assert mode is GenerationMode.POSITIVE or _can_be_wrong(operation)
    known = api("GET /api/projects/app/memories").data

    @settings(  # few examples are the same ones every time; many are others, to find what nobody has thought of
        max_examples=EXAMPLES,
        derandomize=not IS_FULL,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(operation.as_strategy(generation_mode=mode))
    def calls(case: Any) -> None:
        if mode is GenerationMode.POSITIVE and known:  # else hardly any would be about something that is there
            case.path_parameters |= {
                name: value
                for name, value in (("project_id", "app"), ("memory_id", known[0]["id"]))
                if name in case.path_parameters
            }
        if route.path == "/api/events":
            case.query = {**(case.query or {}), "follow": "false"}
        for header in ("Idempotency-Key", "Authorization", "Host", "Origin", "Content-Type"):
            (case.headers or {}).pop(header, None)
        answer = case.call(
            base_url=f"http://127.0.0.1:{api.port}", headers={"Authorization": f"Bearer {api.token}"}, timeout=30
        )
        case.validate_response(answer, checks=CHECKS)

    calls()


def _can_be_wrong(operation: Any) -> bool:
    return bool(list(operation.iter_parameters()) or operation.body)
