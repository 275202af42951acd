"""What agents ask and tell: recall, notes for a prompt, what they said, and the receipts for it."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from hindbrain.core.model import Receipt
from hindbrain.entry.cli.records import found_record, injected_record
from hindbrain.entry.http import shapes
from hindbrain.entry.http.answers import Here, ProjectName, given, listed, moment, recorded, told
from hindbrain.entry.http.spans import spanned


def recall(visit: Here, asked: Annotated[shapes.Asked, Query()]) -> Response:
    """Memories that bear on a question, best first."""
    how: dict[str, Any] = asked.model_dump(include={"limit", "strategy", "persona", "hat"})
    how |= {"paths": asked.path, "as_of": moment(asked.as_of, name="as_of", is_end=True)}
    hindbrain = visit.hindbrain(asked.project)
    with spanned("search_memory", store=hindbrain.settings.store) as span:
        found = hindbrain.recall(asked.q, **how)
        span.count(len(found))
    record = found_record(found)
    for memory in () if asked.why else record["memories"]:
        del memory["reasons"]
    return recorded(record)


def inject(visit: Here, sent: shapes.Occasion, *, project: ProjectName = "") -> Response:
    """A block of notes for an agent's next prompt, recorded with its reasons."""
    hindbrain = visit.hindbrain(project)
    with spanned("search_memory", store=hindbrain.settings.store) as span:
        injected = hindbrain.inject(**given(sent))
        span.count(len(injected.memory_ids))
    return recorded(injected_record(injected))


def capture(visit: Here, sent: shapes.Said, *, project: ProjectName = "") -> Response:
    """Keep what an agent's words teach; a receipt for every line that looked like a signal."""
    about = given(sent)
    text = about.pop("text")
    hindbrain = visit.hindbrain(project)
    with spanned("upsert_memory", store=hindbrain.settings.store) as span:
        captured = hindbrain.capture(text, **about)
        span.count(sum(1 for receipt in captured.receipts if receipt.memory_id))
    return told(captured)


def receipts(request: Request, visit: Here, *, asked: Annotated[shapes.Lines, Query()]) -> Response:
    """What became of captured lines, newest first."""
    hindbrain = visit.hindbrain(asked.project)

    def rows(count: int) -> Sequence[Receipt]:
        return hindbrain.receipts(session=asked.session, verdict=asked.verdict, limit=count)

    found, cursor = asked.page.cut(rows, id_of=lambda receipt: receipt.id)
    return listed(request, found, cursor=cursor)
