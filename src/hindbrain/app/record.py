"""How something that an agent did gets into the activity log by hand: checked, through the door, learned from.

Dex' `RecordHatTransition`, `RecordQualityGate` and `RecordCompletion` are this verb with the deeds `hat`, `gate` and
`completion` (DX-059 to DX-061). Its report of all gates at once becomes a line for each gate (F-32).
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from hindbrain.app.admission import admitted_body, tidy
from hindbrain.app.compose import MAX_CHARACTERS
from hindbrain.app.extract import extract
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.learn.gates import gates_in
from hindbrain.core.model import Receipt
from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.shape.error_signature import error_signature_of
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import BadValue
from hindbrain.ports import Changes

_TEACHING = (Deed.HAT, Deed.GATE, Deed.COMPLETION)  # what the extraction points wait for


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    deed: str
    session: str
    subject: str = ""
    result: str = ""
    detail: str = ""
    task: str = ""
    hat: str = ""
    agent: str = ""
    agent_type: str = ""
    client: str = ""
    ref: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    activities: tuple[Activity, ...]
    receipts: tuple[Receipt, ...]  # of what was learned from them


def record(noted: Noted, *, project: str, tools: Tools) -> Recorded:
    """Keep it, then let the extraction points see it. BadValue before anything is written."""
    _check(noted)
    now = tools.clock.now()
    activities = tuple(_lines(noted, project=project, now=now, tools=tools))
    tools.store.write(lambda tx: tx.apply(Changes(activities=activities)))
    is_teaching = any(one.deed in _TEACHING for one in activities)
    receipts = extract(project, activities[0].session, tools=tools) if is_teaching else ()
    return Recorded(activities=activities, receipts=receipts)


def _check(noted: Noted) -> None:
    if noted.deed not in tuple(Deed):
        raise BadValue(f"there is no deed {noted.deed!r}", fix=f"use one of: {', '.join(Deed)}")
    if noted.result not in tuple(Result):
        raise BadValue(f"there is no result {noted.result!r}", fix="use passed or failed, or leave it out")
    if not noted.session.strip():
        raise BadValue("it belongs to no session", fix="name the session in which it was done")
    if noted.deed == Deed.HAT and "->" not in noted.subject.replace("→", "->") and "to_hat" not in noted.data:
        raise BadValue(f"{noted.subject!r} is no change of hats", fix="write it as explorer->planner")
    if noted.deed == Deed.GATE and not noted.subject.strip() and not gates_in(noted.data):
        raise BadValue("the gate has no name", fix="name it: tests, lint, types, format or build")


def _lines(noted: Noted, *, project: str, now: datetime, tools: Tools) -> Iterator[Activity]:
    detail = admit(noted.detail[:MAX_CHARACTERS]).text
    blank = Activity(
        id=tools.chance.id("act", now),
        at=now,
        project=project,
        session=tidy(noted.session),
        deed=Deed(noted.deed),
        subject=tidy(noted.subject),
        result=Result(noted.result),
        detail=detail,
        signature=_signature(noted.result, detail),
        client=tidy(noted.client),
        agent=tidy(noted.agent),
        agent_type=tidy(noted.agent_type),
        hat=tidy(noted.hat),
        task=tidy(noted.task),
        ref=tidy(noted.ref),
        data=admitted_body(noted.data),
    )
    gates = gates_in(noted.data) if blank.deed is Deed.GATE and not blank.subject else ()
    if not gates:
        yield blank
    for gate in gates:
        said = admit(gate.detail[:MAX_CHARACTERS]).text
        yield replace(
            blank,
            id=tools.chance.id("act", now),
            subject=gate.name,
            result=gate.result,
            detail=said,
            signature=_signature(gate.result, said),
            data={},
        )


def _signature(result: str, detail: str) -> str:
    return (error_signature_of(detail) or "") if result == Result.FAILED else ""
