"""How callers of the service, and what they were answered, are laid down in rows."""

from collections.abc import Callable, Sequence

import apsw

from hindbrain.adapters.sqlite import rows
from hindbrain.core.hints import Any
from hindbrain.core.model.moment import read_stamp, stamp
from hindbrain.core.model.token import KEPT, Reply, Right, Token
from hindbrain.core.notation import read


def put_tokens(tokens: Sequence[Token], db: apsw.Connection) -> None:
    for token in tokens:
        db.execute(
            "INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(token.name, token.digest, " ".join(map(str, token.rights)), token.project),
                *(stamp(token.created_at), rows.maybe_stamp(token.revoked_at)),
            ),
        )


def put_replies(replies: Sequence[Reply], db: apsw.Connection) -> None:
    for reply in replies:
        db.execute("DELETE FROM reply WHERE at < ?", (stamp(reply.at - KEPT),))
        db.execute(
            "INSERT OR REPLACE INTO reply VALUES (?, ?, ?, ?, ?, ?)",
            (reply.key, reply.request, stamp(reply.at), reply.status, rows.to_json(dict(reply.headers)), reply.body),
        )


def tokens(ask: Callable[..., list[Any]]) -> Sequence[Token]:
    """What `Reader.tokens` promises; `ask` runs a query."""
    return [
        Token(
            name=name,
            digest=digest,
            rights=tuple(map(Right, rights.split())),
            project=project,
            created_at=read_stamp(created),
            revoked_at=rows.read_moment(revoked),
        )
        for name, digest, rights, project, created, revoked in ask("SELECT * FROM token ORDER BY name")
    ]


def reply(ask: Callable[..., list[Any]], key: str) -> Reply | None:
    """What `Reader.reply` promises."""
    for request, at, status, headers, body in ask(
        "SELECT request, at, status, headers, body FROM reply WHERE key = ?", key
    ):
        return Reply(key=key, request=request, at=read_stamp(at), status=status, headers=read(headers), body=body)
    return None
