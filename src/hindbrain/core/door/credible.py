"""Whether a value is a secret, or only stands where one would stand.

Nothing here knows a vendor or a variable's name. Three questions: is it a stand-in (`xxxx`, `<token>`), is it a
reference to a value kept elsewhere (`${VAR}`, `os.environ[...]`), and does it look drawn at random?
"""

import re
from functools import cache, lru_cache


def words(listed: str) -> frozenset[str]:
    """A list of words, written as one line."""
    return frozenset(listed.split())


# The 180 commonest letter pairs make up 91% of the pairs in English and in code, and 27% of random letters.
_PAIRS = words(
    "ab ac ad ag ai al am an ap ar as at au av ba be bj bl bu ca ce ch ci ck cl co cr ct da de di do ds du ea ec ed "
    "ee ef el em en ep er es et ev ex fa ff fi fo fr fu ge gi gs ha he hi ho ib ic id ie if ig il im in io ip ir is "
    "it iv iz je ke la ld le lf li ll lo ls lt lu ly ma mb me mi mo mp na nc nd ne nf ng ni no ns nt nu ob oc od ol "
    "om on op or os ot ou ow pa pe pi pl po pp pr pt qu ra rc re rg ri rm rn ro rr rs rt ru ry sa sc se sh si so sp "
    "ss st su ta te th ti to tr ts tt tu ty ue ul um un up ur us ut va ve wa wh wi wr xc xt yp yt ze"
)


def is_stand_in(value: str) -> bool:
    """Masks and fillers: `xxxxx`, `****`, `...`, or very few characters over and over. Reads 4,096 characters."""
    value = value[:4096]
    return _mask().search(value) is not None or (len(value) >= 12 and len(set(value)) <= 3)


def is_placeholder(value: str) -> bool:
    """A stand-in, or words that tell the reader to put a value here."""
    return is_stand_in(value) or (_prompt().search(value) is not None and not is_random(value))


def is_request(value: str) -> bool:
    """Asks the reader for a value, however it is shaped: `ghp_your_token_here`."""
    return _request().search(value) is not None


def is_variable(value: str) -> bool:
    """Filled in later, by a shell or a template: `$TOKEN`, `{{ token }}`, `<token>`, `%TOKEN%`."""
    return _variable().match(value) is not None


def is_reference(value: str) -> bool:
    """Names a value instead of being one: a variable, a call, an attribute, a path or an address.

    A dotted or slashed value counts only while its parts read as names: base64 has slashes, tokens have dots.
    """
    if is_variable(value) or _code().match(value):
        return True
    return _path().match(value) is not None and not is_random(value)


def is_random(value: str) -> bool:
    """Whether some part of the first 256 characters looks drawn by a generator rather than written as words."""
    return _is_random(value[:256])


@lru_cache(maxsize=4096)
def _is_random(value: str) -> bool:
    if is_uuid(value) or _hex().fullmatch(value.replace("-", "")) or _groups().fullmatch(value):
        return True
    return any(_is_random_chunk(chunk) for chunk in re.split(r"[^A-Za-z0-9]+", value)) or _is_mixed(value)


def is_uuid(value: str) -> bool:
    return len(value) == 36 and _uuid().fullmatch(value) is not None


def is_strong(value: str) -> bool:
    """At least three of: lower case, upper case, digit, symbol. How people are told to build passwords."""
    value = value[:256]
    classes = (str.islower, str.isupper, str.isdigit, lambda c: c in "!@#$%^&*?~+=|:_-.,;/\\<>(){}[]'\"` ")
    return sum(any(map(test, value)) for test in classes) >= 3


def _is_random_chunk(chunk: str) -> bool:
    if len(chunk) < 8 or chunk.isdigit() or len(set(chunk)) < 5 or _term().fullmatch(chunk):
        return False
    pieces = re.findall(r"[A-Za-z]+|\d+", chunk)
    least = {1: 16, 2: 12, 3: 12}.get(len(pieces), 10)  # the more often letters and digits change, the surer
    if len(chunk) < least:
        return False
    return wordiness(chunk) < 0.6 if len(pieces) < 3 else not _is_words_with_numbers(pieces)


def _is_words_with_numbers(pieces: list[str]) -> bool:
    """`int32ToUint64`, `page2section3`: the letters still read as words."""
    letters = "".join(p for p in pieces if p.isalpha())
    longest = max((len(p) for p in pieces if p.isalpha()), default=0)
    return longest >= 4 and wordiness(letters) >= 0.7 and len(letters) >= 0.6 * sum(map(len, pieces))


def _is_mixed(value: str) -> bool:
    """Short pieces joined by symbols that no one would write as words: `aB3+/x9Q=`."""
    if len(value) < 20 or "/" in value[:2] or " " in value:
        return False
    letters = re.sub(r"[^A-Za-z]", "", value)
    return is_strong(value) and any(map(str.isdigit, value)) and len(letters) >= 8 and wordiness(letters) < 0.5


def wordiness(letters: str) -> float:
    """Share of common letter pairs, 0..1. Random letters reach about 0.27, English about 0.9."""
    low = letters.lower()
    pairs = [low[i : i + 2] for i in range(len(low) - 1)]
    pairs = [pair for pair in pairs if pair.isalpha()]
    return sum(pair in _PAIRS for pair in pairs) / len(pairs) if pairs else 0.0


@cache
def _term() -> re.Pattern[str]:
    """Words with digits that read as random but are names of things."""
    return re.compile(
        r"(?i)(?:sha|md|aes|rsa|hmac|pbkdf|argon|scrypt|ed|curve|secp|base|utf|utf-|iso|oauth|http|ipv|rs|hs|es|ps|x)"
        r"-?\d{1,5}(?:r1|k1)?|(?:sha|aes)\d*[_-]\w+|v\d+(?:[._-]\d+)*|[a-z]\d{1,2}[a-z]"
    )


@cache
def _mask() -> re.Pattern[str]:
    return re.compile(r"(?i)x{5,}|\*{3,}|\.{3}|…|•{3,}|_{5,}|-{6,}|#{4,}|\?{3,}|^x+$|(.)\1{15,}")


@cache
def _prompt() -> re.Pattern[str]:
    return re.compile(
        r"(?i)your|my[_-]|change|replace|insert|enter[_-]|example|sample|dummy|placeholder|redact|todo|fixme|fake|mask"
        r"|hidden|here$|goes|put[_-]|some[_-]|value$|^test$|foo|bar$|secret$|token$|password$|key$|string|none|null"
    )


@cache
def _request() -> re.Pattern[str]:
    return re.compile(
        r"(?i)your|insert|replace|placeholder|redact|change[_-]?me|enter[_-]|example|dummy|goes[_-]|[_-]here$|not[_-]set"
    )


@cache
def _variable() -> re.Pattern[str]:
    return re.compile(
        r"\$\{|\$\(|\$[A-Za-z_]\w*$|\$_?[A-Z][A-Z_]+\b|#\{|\{\{|\{[\w.$:-]*\}?$|<[^>]*>?$|<%|%\("
        r"|%[A-Za-z_]\w*%$|%[sdrv]$|@\w+@$|ENC\[|\[(?:secret|personal):"
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"""(?x)
          @?[\w.]+\s*\( | \w+\[ | \[ | !\w+$ | &\w+$ | \*[a-z_]\w*$ | [+,)] | \\?\$_ | ["'] | [a-z][a-z0-9+.-]*://
        | (?:process|os|sys|self|this|config|cfg|settings|env|environ|secrets|vars?|local|data|request|req|res|args|opts
            |options|params|props|ctx|context|input|module|system|import\.meta|github|inputs|steps|needs|values|user)[.\[!?]
        | ~?/ | \.{1,2}/ | [A-Za-z]:\\ | arn: | op:// | vault: | file: | env: | ssm: | kms:
        """
    )


@cache
def _path() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*){1,8}[();,]*$|[\w.-]+(?:/[\w.{}$-]+)+/?$")


@cache
def _hex() -> re.Pattern[str]:
    return re.compile(r"(?=.*[a-fA-F])[0-9a-fA-F]{20,}")


@cache
def _groups() -> re.Pattern[str]:
    """How licences are printed: blocks of capitals and digits."""
    return re.compile(r"(?=(?:[^0-9]*[0-9]){5})(?:[A-Z0-9]{4,8}-){2,7}[A-Z0-9]{4,12}")


@cache
def _uuid() -> re.Pattern[str]:
    return re.compile(r"[0-9A-Za-z]{8}-(?:[0-9A-Za-z]{4}-){3}[0-9A-Za-z]{12}")
