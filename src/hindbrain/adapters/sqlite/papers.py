"""How what agents leave in writing is laid down in rows."""

from collections.abc import Callable, Sequence

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.paper import Paper, Sort
from hindbrain.core.notation import read


def put(papers: Sequence[Paper], db: apsw.Connection) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO paper VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(paper.project, str(paper.sort), paper.id, paper.agent, paper.to, stamp(paper.at)),
                *(rows.to_json(dict(paper.data)), rows.maybe_stamp(paper.taken_at)),
            )
            for paper in papers
        ],
    )


def found(ask: Callable[..., list[Any]], project: str, *, sort: str, agent: str, to: str | None) -> Sequence[Paper]:
    """What `Reader.papers` promises; `ask` runs a query."""
    wanted = [("sort", sort or None), ("agent", agent or None), ("receiver", to)]
    narrowed = [(column, value) for column, value in wanted if value is not None]
    told = ask(
        "SELECT project, sort, id, agent, receiver, at, data, taken_at FROM paper WHERE project = ?"
        f"{''.join(f' AND {column} = ?' for column, _ in narrowed)} ORDER BY at, sort, id",
        *(project, *(str(value) for _, value in narrowed)),
    )
    return [_paper(row) for row in told]


def _paper(row: Sequence[Any]) -> Paper:
    project, sort, key, agent, receiver, at, data, taken_at = row
    return Paper(
        id=key,
        project=project,
        sort=Sort(sort),
        agent=agent,
        at=read_stamp(at),
        to=receiver,
        data=read(data),
        taken_at=rows.read_moment(taken_at),
    )
