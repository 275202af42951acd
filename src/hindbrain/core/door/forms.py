"""Which published formats carry a secret, whoever issued it.

Key blocks, signed tokens, credentials inside addresses, request headers, command lines, SQL and configuration
files each have one place where the secret stands. Only that place is replaced, so that the rest stays readable.

Every pattern opens with a literal anchor: the search for it runs at memory speed, and a text without the anchor
costs nothing more. Quantifiers are bounded or possessive, so that a hostile text is read a fixed number of times.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from hindbrain.core.door.credible import (
    is_placeholder,
    is_random,
    is_reference,
    is_stand_in,
    is_strong,
    is_variable,
    wordiness,
    words,
)
from hindbrain.core.door.span import Span
from hindbrain.core.hints import NamedTuple


def find(text: str, lowered: str) -> Iterator[Span]:
    """Secrets known by the form around them. `lowered` is `text` in lower case, character for character."""
    for form in _FORMS:
        if form.needs and form.needs not in lowered:
            continue
        subject = text if form.is_exact else lowered
        for anchor in form.anchors:
            if anchor in subject:
                yield from _matches(form, anchor, text=text, lowered=lowered)


class _Form(NamedTuple):
    kind: str
    anchors: tuple[str, ...]
    tail: str  # what follows the anchor; group "s" is the secret
    is_secret: Callable[[str], bool]
    is_exact: bool = False  # the case of letters matters
    near: tuple[str, ...] = ()  # one must occur within 200 characters
    needs: str = ""  # must occur somewhere, lower case; spares the search for common anchors
    is_whole: bool = False  # the anchor is part of the secret


def _matches(form: _Form, anchor: str, *, text: str, lowered: str) -> Iterator[Span]:
    for match in _compiled(anchor, form.tail).finditer(text if form.is_exact else lowered):
        start, end = match.start() if form.is_whole else match.start("s"), match.end("s")
        around = lowered[max(0, start - 200) : end + 200] if form.near else ""
        if form.is_secret(text[start:end]) and (not form.near or any(sign in around for sign in form.near)):
            yield Span(start, end, form.kind, 2)


@cache
def _compiled(anchor: str, tail: str) -> re.Pattern[str]:
    return re.compile(f"(?P<anchor>{re.escape(anchor)}){tail}" if "(?P=anchor)" in tail else re.escape(anchor) + tail)


def _any(_value: str) -> bool:
    return True


def _is_unmasked(value: str) -> bool:
    return not is_stand_in(value)


def _is_value(value: str) -> bool:
    return not is_placeholder(value) and not is_reference(value)


def _is_login(value: str) -> bool:
    """A password beside a user name: the words of a manual are not one."""
    return value.lower() not in _MANUAL and not is_stand_in(value) and not is_variable(value)


def _is_argument(value: str) -> bool:
    return _is_login(value) and _is_value(value)


def _is_mixed_login(value: str) -> bool:
    return _is_argument(value) and not value.isalpha()


def _is_header(value: str) -> bool:
    if is_stand_in(value) or is_reference(value):
        return False
    return is_random(value) or value[-1:] == "=" or (is_strong(value) and wordiness(value) < 0.6)


def _is_pair(value: str) -> bool:
    """`user:password`, as curl takes it."""
    user, _, password = value.partition(":")
    return bool(user) and len(password) >= 3 and _is_login(password.strip("'\""))


def _is_encoded(value: str) -> bool:
    return is_random(value) or value.endswith("=")


_MANUAL = words(
    "password passwd pass pwd passw user username token root admin postgres mysql mongo redis guest mypassword "
    "your_password yourpassword my_password dbpassword db_password userpassword p w pw x xx xxx pat key apikey "
    "api_key access_token none test host port string required"
)
_ARGUMENTS = r"[^|;&\n]{0,60}?(?<=[ \"'])"  # of one command, up to an option
_WORD = r"[^\s\"'$<>%-][^\s\"'&|;]{3,80}"
_BLOCK = (
    r"[ a-z0-9]{0,40}private key(?: block)?-{4,5}"
    r"(?:(?:[^-]|-(?!---)){0,20000}+-{4,5} ?end[ a-z0-9]{0,40}private key(?: block)?(?: ?-{4,5})?"
    r"|(?:(?:\\+[rn]|#\d+ [\d.]+ |[^a-z0-9+/\\#]){0,12}+[a-z0-9+/=]{16,}+){0,400}+)"
)
_FORMS: tuple[_Form, ...] = (
    _Form("private-key", ("-----begin", "---- begin"), rf"(?P<s>{_BLOCK})", _any, is_whole=True),
    _Form("putty-key", ("private-lines: ",), r"\d+(?P<s>(?:\s+[a-z0-9+/=]{20,}+){1,99})", _any),
    _Form(
        "base64-key", ("LS0tLS1CRUdJTi",), r"(?P<s>[A-Za-z0-9+/\s\\]{40,}+={0,2})", _any, is_exact=True, is_whole=True
    ),
    _Form(
        "private-key",
        ("MI", "MHcCAQEE", "MC4CAQAw"),
        r"(?P<s>(?:(?<=MI)(?:I[A-Za-z0-9+/]{3}IBA[AD]|G[A-Za-z0-9+/]AgE[AB])|(?<=[Ew]))"
        r"(?:[A-Za-z0-9+/=]{16,}+(?:\\[nr]|\s){0,20}+){2,200}+)",
        _any,
        is_exact=True,
        is_whole=True,
    ),
    _Form("docker-auth", ("eyJhdXRocyI6",), r"(?P<s>[A-Za-z0-9+/=]{16,}+)", _any, is_exact=True, is_whole=True),
    _Form(
        "jwt",
        ("eyJ", "ewog"),
        r"(?:(?<![\w-](?P=anchor))|(?<=\\[nrt](?P=anchor)))(?P<s>[\w-]{8,}+={0,2}\.[\w-]{8,}+={0,2}(?:\.[\w+/-]*+={0,2}){1,4})",
        _is_unmasked,
        is_exact=True,
        is_whole=True,
    ),
    _Form(
        "url-password",
        ("://",),
        r"[^\s/:'\"<>`,;(){}|]{0,100}:(?P<s>[^\s/'\"<>`]{1,200})@(?=[\w\[{$(*<%-])",
        _is_login,
        is_exact=True,
    ),
    _Form("url-token", ("://",), r"(?P<s>[A-Za-z0-9_-]{20,200})@(?=[\w.-]{3})", is_random, is_exact=True),
    _Form(
        "authorization",
        ("authorization",),
        r"['\"]?\]?\s{0,4}[:=,]{0,2}\s{0,4}[bf]?['\"`]?(?:[a-z]{3,9}-?[a-z]{0,6}[ =:]{1,3})?"
        r"(?P<s>[a-z0-9+/_.~=@:-]{12,}+)",
        _is_header,
    ),
    _Form("bearer-token", ("bearer",), r"[: ]{1,3}['\"]?(?P<s>[a-z0-9+/_.~-]{16,}+=*)", _is_header),
    _Form("basic-auth", ("basic ",), r"(?P<s>[a-z0-9+/]{10,}+={0,2})", _is_header),
    _Form(
        "command-password",
        (" -u ", " -u", "--user ", "--user=", "userpwd, "),
        r"\s{0,2}[\"']?(?P<s>[^\s:\"'$<>{}()\[\]/]{1,80}:['\"]?[^\s\"'<>{}]{3,120})",
        _is_pair,
        near=("curl", "wget", "http", "docker"),
        needs=":",
    ),
    _Form("command-password", ("mysql ", "mysqldump ", "mysqladmin "), rf"{_ARGUMENTS}-p(?P<s>{_WORD})", _is_argument),
    _Form(
        "command-password",
        ("sshpass ", "docker login ", "psexec"),
        rf"{_ARGUMENTS}-p[ =]?[\"']?(?P<s>{_WORD})",
        _is_argument,
    ),
    _Form(
        "bundle-password",
        ("bundle_",),
        r"[a-z0-9_]{3,60}__[a-z]{2,6}[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<s>[^\s\"':]{3,80}:[^\s\"';]{3,80})",
        _is_pair,
    ),
    _Form(
        "secure-string",
        ("convertto-securestring",),
        r"\s{1,4}(?:-\w{1,20}\s{1,4}){0,4}\\?[\"']?(?P<s>[^\s\"'$-][^\s\"'\\]{5,80})",
        _is_argument,
    ),
    _Form(
        "sql-password",
        ("identified ", "encrypted password ", "login password ", "user password ", "with password ", "password '"),
        r"\s{0,3}(?:with\s{1,3}[\w'\"]{1,60}\s{1,3})?(?:by|as)?\s{0,3}(?:password\s{1,3})?\\?['\"]?(?P<s>[^'\"\s]{4,128}?)['\"\\;]",
        _is_mixed_login,
        near=(" user ", " role ", " login ", "grant ", "alter ", "create ", "identified "),
    ),
    _Form(
        "netrc-password",
        ("login ",),
        r"\S{1,100}\s{1,20}password\s{1,20}(?P<s>[^\s\"'$<>{}]{3,100})",
        _is_login,
    ),
    _Form(
        "password",
        ("password ", "password("),
        r"\s{0,3}\(?\s{0,3}[\"'](?P<s>[^\"'\n$<>{}]{4,80})[\"']",
        _is_argument,
        near=("credentials {", "credentials{", "define "),
    ),
    _Form(
        "connection-password",
        ("password=", "pwd=", "password ="),
        r"\s{0,2}(?P<s>[^\s;\"'<>{}$#(,&]{3,100})",
        _is_value,
        near=("server=", "data source=", "user id=", "uid=", "catalog=", "provider=", "driver=", "database="),
        needs=";",
    ),
    _Form(
        "password-hash",
        ("$", "{SSHA", "pbkdf2:", "pbkdf2_", "scrypt:"),
        r"(?P<s>(?:(?<!\$)|(?<=\$)(?=2[abxy]?\$|[15678]\$|apr1\$|argon2|g?y\$|krb5|pbkdf2|md5\$|sha\d))[\w./+:,=}-]{0,30}(?:\$[^\s$:\"'<>]{1,60}){0,3}[$}:][./A-Za-z0-9+=$]{20,})",
        _is_unmasked,
        is_exact=True,
        is_whole=True,
    ),
    _Form(
        "docker-auth",
        ('auth"', "auth\\"),
        r"\\{0,3}\"?\s{0,3}:\s{0,3}\\{0,3}\"(?P<s>[A-Za-z0-9+/_=-]{12,}+)",
        _is_encoded,
        is_exact=True,
    ),
    _Form(
        "jwk", ('"d', '"k', '"p', '"q'), r"[pqi]?\\?\"\s{0,3}:\s{0,3}\\?\"(?P<s>[\w-]{20,}+)", is_random, needs="kty"
    ),
    _Form("sas-signature", ("sig=",), r"(?P<s>[a-z0-9%+/=]{30,}+)", _is_unmasked),
    _Form("unseal-key", ("unseal",), r"(?: key)?(?: \d{1,2})?[: ]{1,3}(?P<s>[a-z0-9+/]{43,46}=?)", is_random),
    _Form("webhook", ("/webhook",), r"s?/(?P<s>[\w@/-]{24,}+)", is_random),
    _Form(
        "xml-password",
        (">",),
        r"\s{0,4}(?P<s>[^<>\s]{4,400}+)\s{0,4}</[\w.:-]{0,40}?(?:password|passphrase|secret|token|api_?key|privatekey|accesskey)>",
        _is_mixed_login,
    ),
    _Form(
        "xml-password",
        ('value="',),
        r"(?P<s>[^\"\s]{4,400}+)\"",
        _is_login,
        near=('password" value', 'pwd" value', 'secret" value', 'token" value', 'apikey" value'),
    ),
)
