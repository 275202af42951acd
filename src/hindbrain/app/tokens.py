"""How a caller of the service gets a secret of its own, what it may do with it, and how it loses it again."""

import hmac
from collections.abc import Sequence

from hindbrain.app.admission import admitted
from hindbrain.app.select import known
from hindbrain.app.tools import Tools
from hindbrain.core.digest import sha256
from hindbrain.core.model.token import Right, Token
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes, Reader, Transaction

_LONGEST = 64  # characters of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    token: Token
    secret: str  # told this once


def secret_of(tools: Tools) -> str:
    """256 bits."""
    return f"hb-{tools.chance.fence()}{tools.chance.fence()}"


def issue(name: str, rights: Sequence[str], *, project: str = "", tools: Tools) -> Issued:
    """A new caller. `project` is an id; empty: every project. Conflict when the name is taken."""
    called = admitted(name, name="the name").text.strip()
    if not called or len(called) > _LONGEST or not called.isprintable():
        raise BadValue(f"{name!r:.80} is no name for a token", fix=f"use up to {_LONGEST} letters that can be seen")
    wanted = tuple(right for right in Right if right in [known(one, tuple(Right), name="right") for one in rights])
    if not wanted:
        raise BadValue("a token without a right is of no use", fix=f"give some of: {', '.join(Right)}")
    secret = secret_of(tools)
    token = Token(
        name=called, digest=sha256(secret.encode()), rights=wanted, project=project, created_at=tools.clock.now()
    )

    def work(tx: Transaction) -> Issued:
        if any(one.name == called and one.revoked_at is None for one in tx.tokens()):
            raise Conflict(f"there is a token {called} already", fix=f"`hindbrain token revoke {called}` first")
        tx.apply(Changes(tokens=(token,)))
        return Issued(token=token, secret=secret)

    return tools.store.write(work)


def revoke(name: str, *, tools: Tools) -> Token:
    """From now on nobody gets in by it. BadValue when there is no such token."""
    now = tools.clock.now()

    def work(tx: Transaction) -> Token:
        for token in tx.tokens():
            if token.name == name and token.revoked_at is None:
                gone = replace(token, revoked_at=now)
                tx.apply(Changes(tokens=(gone,)))
                return gone
        raise BadValue(f"there is no token {name!r:.80}", fix="`hindbrain token list` names them")

    return tools.store.write(work)


def bearer(secret: str, *, store: Reader) -> Token | None:
    """Whose secret it is. All are compared, and each takes as long: time tells nobody how close a guess was."""
    digest = sha256(secret.encode("utf-8", "surrogateescape"))
    fitting = [token for token in store.tokens() if hmac.compare_digest(token.digest, digest)]
    return next((token for token in fitting if token.revoked_at is None), None)
