"""Which names promise that a secret follows.

A name is read from its last words: `db_password` and `DB_PASSWORD_PROD` promise one, `password_length` does not.
"""

import re
from enum import IntEnum
from functools import cache, lru_cache

from hindbrain.core.door.credible import words


class Promise(IntEnum):
    """How much a name says about the value that follows; the less, the more the value must show by itself."""

    NONE = 0
    KEY = 1  # some key; most keys are not secret
    SECRET = 2  # drawn by a machine: a token, a secret, an API key
    PASSWORD = 3  # made up by a person: may be short, may be a word


@lru_cache(maxsize=4096)
def promise(name: str) -> Promise:
    """What the last words of `name` say, once numbers and stages (`_PROD`, `_2`) are set aside."""
    parts = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+", name)]
    while len(parts) > 1 and parts[-1] in _STAGES:
        parts.pop()
    before, last = ["", "", *parts][-2:]
    if _password().search(last) or before + last in ("passphrase", "passcode", "passkey"):
        return Promise.PASSWORD
    if last in _SECRETS or before + last in _QUALIFIED or last.endswith(("secret", "token", "apikey")):
        return Promise.SECRET
    return Promise.KEY if _is_some_key(before, last) else Promise.NONE


def _is_some_key(before: str, last: str) -> bool:
    if last in ("key", "keys"):
        return before not in _OPEN_KEYS
    return last in ("login", "license", "licence") or last.endswith("api") or before + last in _HALVES


def kind(name: str) -> str:
    """What to call the secret that `name` promises."""
    low = name.lower()
    return next((told for sign, told in _KINDS if sign in low), "credential")


# Parts of names worth a closer look, in lower case.
STEMS = (
    *("pass", "pasw", "psw", "pw", "secret", "token", "key", "api", "auth", "cred", "private", "salt", "login", "dsn"),
    *("licen", "cookie", "session", "webhook", "signature", "_pat", "-pat", "clientid", "client_id", "client-id"),
    *("accessid", "access_id", "app_id", "senha", "contrase", "kennwort", "пароль", "密码", "密碼", "口令"),
    *("パスワード", "비밀번호", "비번", "암호"),
)

_KINDS = (("pass", "password"), ("pw", "password"), ("token", "token"), ("secret", "secret"), ("key", "api-key"))
_SECRETS = words(
    "secret secrets token tokens apikey apikeys accesskey secretkey privatekey authkey credential credentials creds "
    "cred auth authorization authentication salt signature webhook pat dsn"
)
_QUALIFIED = words(
    "apikey secretkey accesskey privatekey authkey encryptionkey encryptkey signingkey masterkey accountkey servicekey "
    "sharedkey licensekey deploykey sessionkey storagekey cipherkey cryptokey hmackey aeskey jwtkey presharedkey "
    "adminkey rootkey clientkey consumerkey appkey applicationkey iokey writekey readkey ingestkey serverkey "
    "subscriptionkey integrationkey userkey sessioncookie authcookie sessionid connectionstring secretid"
)
_HALVES = words("clientid accessid consumerid appid")  # of a pair whose other half is the secret
_OPEN_KEYS = words(
    "public primary foreign sort partition cache row hot cmd ctrl alt shift enter tab arrow map dict object json yaml "
    "config idempotency dedupe dedup unique composite natural surrogate hash index group lookup redis s query route "
    "item sequence react list translation message event registry the a any each this that same pub site publishable "
    "candidate file path cluster key"
) | {""}
_STAGES = words(
    "prod production dev development test testing staging stage local qa default old new value val data str string "
    "text b64 base env var live sandbox primary secondary backup main raw hash"
)


@cache
def _password() -> re.Pattern[str]:
    """Words for a password, with the usual ways to shorten and misspell it."""
    return re.compile(
        r"passw(?:or|rd|d)|^pass(?:es)?$|^pa?s+wo?r?d$|^pwd?$|^pswd?$|pwd$|passphrase|passcode|^senha|contrase|kennwort"
        r"|пароль|密码|密碼|口令|パスワード|비밀번호|비번|암호"
    )
