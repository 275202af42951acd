"""Which parts of a text are about a person: addresses, numbers that name one, and the user in a home path.

What a checksum can prove is proved. What names a role, a machine or a sample stays, because a lesson needs it:
`git@host`, noreply and sample addresses (example.com, .test, .local), package scopes, versions, times and ids.
Of a home path only the user's name goes; the rest of the path is what the lesson is about.
"""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.door.credible import words
from hindbrain.core.door.span import Span, settle


def find(text: str) -> list[Span]:
    """Personal data in `text`, in order, disjoint."""
    return settle(text, _all(text))


def _all(text: str) -> Iterator[Span]:
    if "@" in text:
        yield from _emails(text)
    if "/" in text or "\\" in text:
        yield from _users(text)
    for window in _windows(text):
        yield from _cards(text, window)
        yield from _accounts(text, window)
        yield from _phones(text, window)
        yield from _national(text, window)


def _emails(text: str) -> Iterator[Span]:
    """A domain is looked for after each "@", then the name before it: a long word without one is never read twice."""
    for domain in _domain().finditer(text):
        local = _local().search(text, max(0, domain.start() - 64), domain.start())
        if local and _is_person(local, domain):
            yield Span(local.start(), domain.end(), "email", 2)


def _is_person(local: re.Match[str], domain: re.Match[str]) -> bool:
    text = local.string
    name, host = local[0].lower(), domain[1].lower()
    before = text[local.start() - 1 : local.start()]
    after = text[domain.end() : domain.end() + 2].strip()
    is_login = before in ("/", ":") or (after[:1] == ":" and len(after) == 2)  # ssh://git@host/, deploy@host:path
    if is_login and text[max(0, local.start() - 7) : local.start()].lower() != "mailto:":
        return False
    if name in _ROLES or "noreply" in name or "no-reply" in name:
        return False
    suffix = host.rsplit(".", 1)[-1]
    return not _sample().search(host) and suffix not in _SUFFIXES


# Mailboxes of machines and of nobody in particular.
_ROLES = words("git hg svn root noreply mailer-daemon postmaster user username you your name me email")
# The end of a file name or of a reserved domain: `icon@2x.png`, `user@host.local`, `pkg@1.2.beta`.
_SUFFIXES = words(
    "test example invalid localhost local internal lan cluster png jpg jpeg gif svg webp ico css scss js mjs cjs ts "
    "tsx jsx json md py rb go rs java kt swift vue html htm xml yml yaml toml lock sh txt service timer socket tgz "
    "zip gz beta alpha rc next canary latest"
)


def _users(text: str) -> Iterator[Span]:
    for homes in ("/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"):
        if homes not in text:
            continue
        for match in _home(homes).finditer(text):
            if match["u"].lower() not in _ACCOUNTS:
                yield Span(match.start("u"), match.end("u"), "user", 2)


# Accounts of images, runners and manuals.
_ACCOUNTS = words(
    "user username users name you me your-name yourname your-user youruser runner runneradmin ubuntu ec2-user debian "
    "vagrant node app admin root vscode codespace circleci travis jovyan pi dev developer default public shared all "
    "guest git jenkins www www-data deploy linuxbrew gitpod coder nobody postgres"
)


def _windows(text: str) -> list[tuple[int, int]]:
    """Where numbers are long enough to name someone, with room for the letters around them."""
    windows: list[tuple[int, int]] = []
    for match in _digits().finditer(text):
        if match.end() - match.start() > _LONGEST_ROW:
            continue
        start, end = max(0, match.start() - 48), match.end() + 48
        if windows and start <= windows[-1][1]:
            start = windows.pop()[0]
        windows.append((start, end))
    return windows


_LONGEST_ROW = 4096  # characters; beyond it is data, not someone's number


def _cards(text: str, window: tuple[int, int]) -> Iterator[Span]:
    for match in _card().finditer(text, *window):
        digits = re.sub(r"\D", "", match[0])
        if _is_card(digits) and _luhn(digits):
            yield Span(match.start(), match.end(), "card", 2)


def _is_card(digits: str) -> bool:
    """Length and first digit of the networks that issue cards; a row of one digit is none."""
    sizes = {"2": (16,), "3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "6": (16, 19)}
    return len(digits) in sizes[digits[0]] and len(set(digits)) > 1


def _luhn(digits: str) -> bool:
    odd = sum(map(int, digits[-1::-2]))
    even = sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return (odd + even) % 10 == 0


def _accounts(text: str, window: tuple[int, int]) -> Iterator[Span]:
    for match in _iban().finditer(text, *window):
        compact = match[0].replace(" ", "")
        if 15 <= len(compact) <= 34 and int(_as_number(compact[4:] + compact[:4])) % 97 == 1:
            yield Span(match.start(), match.end(), "iban", 2)


def _as_number(letters: str) -> str:
    return "".join(str(int(c, 36)) for c in letters)


def _phones(text: str, window: tuple[int, int]) -> Iterator[Span]:
    for match in _phone().finditer(text, *window):
        if 8 <= sum(map(str.isdigit, match[0])) <= 15:
            yield Span(match.start(), match.end(), "phone", 2)


def _national(text: str, window: tuple[int, int]) -> Iterator[Span]:
    for match in _ssn().finditer(text, *window):
        yield Span(match.start(), match.end(), "national-id", 2)
    for match in _labelled_id().finditer(text, *window):
        yield Span(match.start("n"), match.end("n"), "national-id", 2)


@cache
def _domain() -> re.Pattern[str]:
    return re.compile(r"@((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\.){1,5}[A-Za-z]{2,18}(?![\w-]))")


@cache
def _local() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,62}\Z")


@cache
def _sample() -> re.Pattern[str]:
    """Domains of documentation and of services, not of people."""
    return re.compile(
        r"(?:^|\.)(?:example|sample|domain|yourdomain|company|yourcompany)\.|noreply|(?:^|\.)sentry\.io$|gserviceaccount"
    )


@cache
def _home(homes: str) -> re.Pattern[str]:
    """The name between the folder of all homes, at the root, and the next separator."""
    name = r"(?P<u>[A-Za-z0-9_][\w.-]{0,31}(?:@[\w.-]{1,60})?)(?=[\\/\s\"'`:;,)\]]|$)"
    return re.compile(rf"{re.escape(homes)}(?<![\w.~}})\]-]{re.escape(homes)}){name}")


@cache
def _digits() -> re.Pattern[str]:
    """Seven digits with nothing but separators between them; fewer name nobody."""
    return re.compile(r"[0-9](?:[ .()/-]{0,2}[0-9]){6,}+")


@cache
def _card() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.,+/=-])[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,4}(?:[ -]?[0-9]{3})?(?![\w-])"
        r"|(?<![\w.-])3[0-9]{3}[ -]?[0-9]{6}[ -]?[0-9]{4,5}(?![\w-])"
    )


@cache
def _iban() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")


@cache
def _phone() -> re.Pattern[str]:
    """International with a plus, North American with separators, or any number after a word for phone."""
    return re.compile(
        r"(?<![\w+.-])\+[0-9]{1,3}[ .-]?\(?[0-9]{1,4}\)?(?:[ .-]?[0-9]{2,4}){2,4}(?![\w-])"
        r"|(?<![\w.+-])(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}-)[2-9][0-9]{2}-[0-9]{4}(?![\w-])"
        r"|(?<=\b[Tt]el[:.]) ?[0-9][0-9 .()/-]{6,18}[0-9]|(?<=\b[Pp]hone:) ?[0-9][0-9 .()/-]{6,18}[0-9]"
    )


@cache
def _ssn() -> re.Pattern[str]:
    """US social security: the areas 000, 666 and 900-999, group 00 and serial 0000 were never issued."""
    return re.compile(r"(?<![\w-])(?!000|666|9[0-9]{2})[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")


@cache
def _labelled_id() -> re.Pattern[str]:
    """A number of any country, if the text says what it is."""
    return re.compile(
        r"(?i:\b(?:ssn|social security(?: number)?|national insurance(?: number)?|nino|passport(?: number| no\.?)?"
        r"|tax id|steuer-?id|codice fiscale|dni|nif|nie|aadhaar|cpf|bsn|personnummer)\b)[ :#=]{1,3}"
        r"(?P<n>[A-Z]{0,3}[ -]?[0-9][0-9 .-]{4,16}[0-9](?: ?[A-Z]{1,2})?)(?![\w-])"
    )
