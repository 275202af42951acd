"""Who is calling: the owner, a named token, or a browser that was let in once by a link."""

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from hindbrain.core.model import Memory, Reach
from hindbrain.core.model.token import Right, Token
from hindbrain.core.value import dataclass

_LINK_S = 600.0  # for how long a login link works
_SESSION_S = 12 * 3600.0  # for how long a browser that was let in stays so
_MOST_SESSIONS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    name: str
    rights: frozenset[Right]
    project: str = ""  # its id; empty: every project
    is_owner: bool = False
    is_browser: bool = False  # known by a cookie, which a browser also sends for others

    def may(self, right: Right) -> bool:
        return right in self.rights

    def sees(self, memory: Memory) -> bool:
        return self.owns(memory.project) or memory.reach is Reach.EVERYWHERE

    def owns(self, project: str) -> bool:
        return not self.project or self.project == project


_OWNER = Caller(name="owner", rights=frozenset(Right), is_owner=True)
_BROWSER = Caller(name="owner", rights=frozenset(Right), is_owner=True, is_browser=True)


class Doorman:
    """Knows every caller. `owner` gives the owner's secret as it is now, `bearer` the named token of a secret."""

    def __init__(self, owner: Callable[[], str], bearer: Callable[[str], Token | None], *, cookie: str) -> None:
        self._owner, self._named = owner, bearer
        self.cookie = cookie  # its name: two services on one host must not take each other's
        self._links: dict[str, float] = {}
        self._sessions: dict[str, float] = {}
        self.door = secrets.token_hex(16)  # what signed links are for: another service does not take them
        self._spent: dict[str, float] = {}  # signed links that were used, and until when they would be good
        self._lock = threading.Lock()

    def at_once(self, authorization: str, cookies: str) -> Caller | None:
        """The owner, by its secret or by a session. Waits for nobody."""
        if authorization:
            secret = _secret(authorization)
            return _OWNER if hmac.compare_digest(_bytes(secret), self._owner().encode()) and secret else None
        return _BROWSER if self._is_session(_cookie(cookies, self.cookie)) else None

    def named(self, authorization: str) -> Caller | None:
        """The bearer of a named token. Asks the store: not for an event loop."""
        secret = _secret(authorization)
        token = self._named(secret) if secret else None
        return Caller(name=token.name, rights=frozenset(token.rights), project=token.project) if token else None

    def link(self) -> str:
        """A code that lets one browser in, once."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._links[code] = time.monotonic() + _LINK_S
        return code

    def enter(self, code: str) -> str | None:
        """A session for the code of a link; None when it was used, is too old, or never was one."""
        with self._lock:
            if not (self._is_known(code) or self._is_signed(code)):
                return None
            session = secrets.token_urlsafe(32)
            for oldest in list(self._sessions)[: max(0, len(self._sessions) - _MOST_SESSIONS + 1)]:
                del self._sessions[oldest]
            self._sessions[session] = time.monotonic() + _SESSION_S
            return session

    def _is_known(self, code: str) -> bool:
        found = next((one for one in self._links if hmac.compare_digest(one.encode(), _bytes(code))), None)
        return found is not None and self._links.pop(found) >= time.monotonic()

    def _is_signed(self, code: str) -> bool:
        """By somebody who has the owner's secret, a moment ago, and never used before."""
        body, _, seal = code.rpartition(".")
        if not hmac.compare_digest(_bytes(seal), _seal(self._owner(), self.door, body=body).encode()):
            return False
        now, until = time.time(), float(body.partition(".")[0])
        self._spent = {one: end for one, end in self._spent.items() if end > now}
        if not now < until <= now + _LINK_S + 1 or body in self._spent:
            return False
        self._spent[body] = until
        return True

    def leave(self, cookies: str) -> None:
        with self._lock:
            self._sessions.pop(_cookie(cookies, self.cookie), None)

    def _is_session(self, wanted: str) -> bool:
        with self._lock:
            now = time.monotonic()
            return any(
                hmac.compare_digest(one.encode(), _bytes(wanted)) and until > now
                for one, until in self._sessions.items()
            )


def signed(owner: str, door: str) -> str:
    """A code that lets one browser in, once, made without asking the service: by its owner's secret, for its door."""
    body = f"{int(time.time() + _LINK_S)}.{secrets.token_urlsafe(16)}"
    return f"{body}.{_seal(owner, door, body=body)}"


def _seal(owner: str, door: str, *, body: str) -> str:
    return hmac.new(owner.encode(), _bytes(f"login\0{door}\0{body}"), sha256).hexdigest()


def _secret(authorization: str) -> str:
    scheme, _, secret = authorization.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _cookie(header: str, name: str) -> str:
    try:
        found: Mapping[str, object] = SimpleCookie(header)
    except CookieError:
        return ""
    return str(getattr(found.get(name), "value", ""))
