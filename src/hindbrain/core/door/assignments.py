"""Which names promise that a secret follows, and how the value after such a name is told apart from prose.

A name is read from its last words: `db_password` and `DB_PASSWORD_PROD` promise one, `password_length` does not.
The stricter the doubt about the name, the more the value itself must look like a secret.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import cache, lru_cache

from hindbrain.core.door.credible import is_placeholder, is_random, is_reference, is_request, is_stand_in, is_strong, is_uuid, wordiness
from hindbrain.core.door.span import Span


class _Promise(IntEnum):
    NONE = 0
    KEY = 1  # some key; most keys are not secret
    SECRET = 2  # drawn by a machine: a token, a secret, an API key
    PASSWORD = 3  # made up by a person: may be short, may be a word


def find(text: str, lowered: str) -> Iterator[Span]:
    """Values assigned to a name that promises a secret: code, YAML, JSON, .env, flags, query strings, sentences."""
    has_flags = " -" in text or text.startswith("-")
    for stem in _STEMS:
        if stem not in lowered:
            continue
        for match in _assignment(stem).finditer(lowered):
            span = _value_after(text, match)
            if span:
                yield span
        for match in _flag(stem).finditer(lowered) if has_flags else ():
            span = _value_after(text, match, is_flag=True)
            if span:
                yield span


def before_run(text: str, start: int, end: int) -> Span | None:
    """The run `text[start:end]` as a secret, if the words right before it say so: `vendor SECRET 8f3a…`."""
    before = text[max(0, start - 24) : start]
    words = before.rstrip(_BLANKS)
    if words.endswith((" is", " was")):
        words = words.rsplit(" ", 1)[0]
    if not 0 < len(before) - len(words) <= 10 or not words.lower().endswith(_TOLD):
        return None
    value = text[start:end]
    return None if is_stand_in(value) or not _is_drawn(value) else Span(start, end, _kind(words[-12:]), 1)


def inside_run(text: str, start: int, end: int) -> Span | None:
    """A secret glued to the word that names it: `vendor-secret-5f4dcc3b…`, `vendorKEY-ab12…`."""
    for glue in _glue().finditer(text, start, min(end, start + 200)):
        value = text[glue.end() : end]
        if len(value) >= 16 and not is_stand_in(value) and _is_drawn(value):
            return Span(glue.end(), end, _kind(glue[1]), 1)
    return None


_BLANKS = " \t\n:=.#-\"'`)]>/"
_TOLD = ("secret", "token", "key", "private", "access", "password", "passwd", "pwd", "credential", "credentials", "apikey", "auth")
_STEMS = (
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "private", "salt", "login", "pasw", "psw", "licen", "cookie"),
    *("session", "webhook", "signature", "api", "clientid", "client_id", "client-id", "accessid", "access_id", "app_id", "_pat", "-pat", "dsn"),
    *("senha", "contrase", "passwort", "kennwort", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "비번", "암호"),
)
_SEPARATOR = (
    r"(?:\\{0,3}[\"'`]|\]|\)|>|&quot;){0,3}+[ \t]{0,12}+"
    r"(?::\s{0,2}(?:optional\[)?(?:str|string|bytes|text|varchar)\]?\s{0,2}=|={1,3}>?|:{1,4}=?|!={1,2}|[?+]=|:=|->|<-|,|\b(?:for|of) [\w@.\-]{1,40} ?[:=]|\bis\b|\bwas\b|%3d|%3a"
    r"|\{\s{0,40}(?:type\s{0,8}=\s{0,8}\w+\s{1,40})?default\s{0,8}=|\bor\b|\|\||\?\?)"
)


@cache
def _assignment(stem: str) -> re.Pattern[str]:
    """A name that contains `stem`, and what stands between it and its value. Runs over lower-cased text."""
    return re.compile(rf"{stem}[\w.\-$]{{0,48}}+{_SEPARATOR}[ \t]{{0,12}}+(?:\n[ \t]{{0,24}}+(?=[\"'`]))?(?!\w{{1,48}}=\w)")


@cache
def _flag(stem: str) -> re.Pattern[str]:
    """An option of a command line and the blank before its value."""
    return re.compile(rf"{stem}[\w\-]{{0,24}}+[ \t]{{1,3}}+(?=[^\s\-])")


def _value_after(text: str, match: re.Match[str], *, is_flag: bool = False) -> Span | None:
    start = match.start()
    while start > 0 and match.start() - start < 48 and (text[start - 1].isalnum() or text[start - 1] in "_-.$"):
        start -= 1
    name = _name().match(text, start, match.end())
    promise = _promise(name[0]) if name else _Promise.NONE
    if not name or (is_flag and not name[0].startswith("-")):
        return None
    value = _value().match(text, match.end()) if promise else None
    if not value:
        return None
    quoted, bare = value["quoted"], value["bare"]
    raw = quoted if quoted is not None else bare
    group = "quoted" if quoted is not None else "bare"
    said = match[0].rstrip()[-1:]
    if said == "," and (quoted is None or text[start - 1 : start] not in "\"'#" or "\n" in match[0]):
        return None
    is_said = said in "s,"
    trimmed = raw if group == "quoted" else _trim(raw)
    if is_stand_in(raw) or not _is_secret(trimmed, promise=promise, is_quoted=group == "quoted" or _is_setting(name[0], match[0]), is_said=is_said):
        return None
    at = value.start(group)
    return Span(at, at + len(trimmed), _kind(name[0]), 1)


def _is_setting(name: str, assignment: str) -> bool:
    """`DB_PASS=value`, as in a .env file: what follows is a literal even without quotes."""
    return name.isupper() and assignment.endswith("=")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"[\w.\-$]+")


@cache
def _value() -> re.Pattern[str]:
    """A quoted string up to its own quote, or what runs on without blanks."""
    return re.compile(
        r"(?:[bfru@$]{0,2}(?P<q>\\{0,3}[\"'`]|&quot;)(?P<quoted>(?:(?!(?P=q))[^\n]){1,800}+)(?P=q))"
        r"|[\"'`]?(?P<bare>[^\s\"'`<>]{1,800}+)"
    )


def _trim(value: str) -> str:
    """Leave the punctuation of the sentence or the code around a bare value."""
    value = re.split(r"&(?:\w+=|amp;|quot;)|\\[nrt\"']|%26|;\s*$|,(?=\w+[:=])|/(?=\w+:)", value, maxsplit=1)[0]
    return value.rstrip(".,;:)]}\\")


@lru_cache(maxsize=4096)
def _is_secret(value: str, *, promise: _Promise, is_quoted: bool, is_said: bool) -> bool:
    if len(value) < 4 or value.lower() in _PLAIN or is_reference(value) or is_stand_in(value):
        return False
    if promise is _Promise.PASSWORD and " " not in value:
        return not is_request(value) and not _MANUAL.fullmatch(value) and _is_password(value, is_quoted=is_quoted, is_said=is_said)
    if is_placeholder(value):
        return False
    if promise is _Promise.PASSWORD:
        return _is_password(value, is_quoted=is_quoted, is_said=is_said)
    if len(value) < 8 or " " in value:
        return False
    if promise is _Promise.SECRET and value.isdigit():
        return len(value) >= 20
    if promise is _Promise.SECRET:
        return is_random(value) or (not is_said and (_is_odd(value) if is_quoted else _is_scrambled(value)))
    return _is_drawn(value) and not is_said and not is_uuid(value)


def _is_password(value: str, *, is_quoted: bool, is_said: bool) -> bool:
    if is_quoted:
        return len(value) >= 5 and value.count(" ") <= 2 and not (is_said and value.isalpha() and len(value) < 7)
    return len(value) >= 6 and _is_odd(value)


def _is_odd(value: str) -> bool:
    """No word, no identifier, no number: letters with digits, or with symbols that names do not have."""
    has_letter = any(map(str.isalpha, value))
    has_digit = any(map(str.isdigit, value))
    has_symbol = any(c in "!@#$%^&*?~+=" for c in value)
    return has_letter and (has_digit or has_symbol) and (is_strong(value) or has_symbol or is_random(value) or len(value) >= 8)


def _is_scrambled(value: str) -> bool:
    """Short, but with all of lower case, upper case and digits, and not readable."""
    tests = (str.islower, str.isupper, str.isdigit)
    return all(any(map(test, value)) for test in tests) and wordiness(value) < 0.6


def _is_drawn(value: str) -> bool:
    """Random and long enough to be a key, with the digits that keys have."""
    if not is_random(value) or len(value) < 15:
        return False
    return any(map(str.isdigit, value)) or len(value) >= 20


def _kind(name: str) -> str:
    low = name.lower()
    for sign, kind in (("pass", "password"), ("pw", "password"), ("token", "token"), ("secret", "secret"), ("key", "api-key")):
        if sign in low:
            return kind
    return "credential"


@lru_cache(maxsize=4096)
def _promise(name: str) -> _Promise:
    """What the last words of `name` say, once numbers and stages (`_PROD`, `_2`) are set aside."""
    words = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+", name)]
    while len(words) > 1 and words[-1] in _STAGES:
        words.pop()
    if not words:
        return _Promise.NONE
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    joined = before + last
    if _PASSWORD.search(last) or joined in ("passphrase", "passcode", "passkey"):
        return _Promise.PASSWORD
    if last in _SECRETS or joined in _QUALIFIED:
        return _Promise.SECRET
    if last in ("login", "api") or last.endswith("api") or joined in _HALVES:
        return _Promise.KEY
    if last in ("key", "keys"):
        return _Promise.NONE if not before or before in _OPEN_KEYS else _Promise.KEY
    return _Promise.SECRET if last.endswith(("secret", "token", "apikey", "secretkey", "accesskey")) else _Promise.NONE


_PASSWORD = re.compile(
    r"passw(?:or|rd|d)|passwo|^pass$|^pa?s+wo?r?d$|^passes$|^pwd$|^pw$|^psw$|^pswd$|passwd|pwd$|passphrase|passcode|^senha|contrase|kennwort|пароль"
    r"|密码|密碼|口令|パスワード|비밀번호|비번|암호"
)
# What tests and tutorials write where a password goes.
_MANUAL = re.compile(
    r"(?i)(?:(?:my|new|old|test|valid|invalid|wrong|correct|incorrect|user|db|admin|some|plain|hashed|the|a|secret|secure"
    r"|super|strong|same|current)[_-]?){1,3}(?:password|passwd|pass|pwd)"
)
_SECRETS = frozenset(
    "secret secrets token tokens apikey apikeys accesskey secretkey privatekey authkey credential credentials creds "
    "cred auth authorization authentication salt signature webhook pat dsn license licence".split()
)
_QUALIFIED = frozenset(
    q + "key"
    for q in "api secret access private auth encryption encrypt signing master account service shared license deploy "
    "session storage cipher crypto hmac aes jwt preshared admin root client consumer app application io write read "
    "ingest server subscription integration user".split()
) | {"sonarlogin", "sessioncookie", "authcookie", "sessionid", "connectionstring", "secretid"}
_HALVES = frozenset(("clientid", "accessid", "consumerid", "appid"))  # of a pair whose other half is the secret
_OPEN_KEYS = frozenset(
    "public primary foreign sort partition cache row hot cmd ctrl alt shift enter tab arrow map dict object json yaml "
    "config idempotency dedupe dedup unique composite natural surrogate hash index group lookup redis s object "
    "query route item sequence storage react list translation i18n message event registry the a any each this that "
    "same pub site publishable candidate file path cluster key".split()
)
_STAGES = frozenset(
    "prod production dev development test testing staging stage local qa default old new value val data str string "
    "text b64 base64 env var live sandbox id1 primary secondary backup main main raw hash".split()
)
_PLAIN = frozenset(
    "string str text password passwd secret token required optional true false null none nil undefined boolean number "
    "integer varchar hidden input type name email username user admin root default enabled disabled bearer basic "
    "process return const function await async self this that with from your missing invalid empty blank unset".split()
)


@cache
def _glue() -> re.Pattern[str]:
    return re.compile(r"(?i)(secret|token|key|private|access|apikey|password)[_-]?(?=[A-Za-z0-9])")

