"""How a statement is read before two are compared: which of its words carry meaning, and of what kind.

Reading is shallow on purpose. It knows numbers, paths, names, negation and filler; grammar it only guesses from the
words that stand next to each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import STOP, listed, pieces, stem

_READ = 20_000  # characters; longer texts are documents, and nothing is decided about their last pages


class Kind(StrEnum):
    """What a token is to a comparison."""

    WORD = "word"
    NUMBER = "number"
    PATH = "path"
    NAME = "name"  # an identifier, a tool, a proper noun
    LIGHT = "light"  # says nothing by itself: the, please, always
    NOT = "not"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word as it stands, and as it is compared."""

    raw: str
    word: str  # lower case, stemmed, short forms written out
    plain: str  # the same, only without a plural s
    kind: Kind
    after: str = ""  # punctuation that follows it

    @property
    def counts(self) -> bool:
        """Whether the token carries meaning."""
        return self.kind is not Kind.LIGHT and self.kind is not Kind.NOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement, read."""

    tokens: tuple[Token, ...]
    # What comparing asks of it with every other text, found once:
    content: tuple[str, ...]  # words with meaning, in order
    meant: tuple[str, ...]  # the same words, only without a plural s
    words: frozenset[str]  # of the content
    said: frozenset[str]  # words as they stand, and the stems of those with meaning: that of "one" is "on"
    negations: int

    def __hash__(self) -> int:
        """By what is at hand: equal claims have equal content, and to look at each token takes longer."""
        return hash(self.content)

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        """Compared forms of the tokens of one kind, in order."""
        return tuple(t.word for t in self.tokens if t.kind is kind)


def read(text: str) -> Claim:
    """Read the statement in `text`."""
    return _read(text[:_READ])


def claim_of(tokens: Sequence[Token]) -> Claim:
    meaning = [t for t in tokens if t.counts]
    nots = [t.word for t in tokens if t.kind is Kind.NOT]
    content = tuple([t.word for t in meaning])
    return Claim(
        tokens=tuple(tokens),
        content=content,
        meant=tuple([t.plain for t in meaning]),
        words=frozenset(content),
        said=frozenset([*content, *nots, *(t.raw.lower() for t in tokens)]),
        negations=len(nots),
    )


@lru_cache(maxsize=512)
def _read(text: str) -> Claim:
    tokens: list[Token] = []
    starts = True
    for chunk in text.replace("=", " = ").split():
        if chunk in _DASHES:
            tokens[-1:] = [replace(t, after=t.after + chunk) for t in tokens[-1:]]
            starts = starts or chunk != "="
            continue
        token = _token(chunk, starts=starts)
        if token is not None:
            tokens.append(token)
            starts = bool(token.after) and any(mark in token.after for mark in ".!?:")
    return claim_of(tokens)


_OPENING = "\"'`([{*_“‘<>-–—#"
_CLOSING = "\"'`)]}*_”’>,;:.!?…"
_DASHES = frozenset(listed("- – — -> → : = |"))
_NUMBER = r"[~<>=≈$€£^v-]*\d[\d_,]*(?:\.\d+)*(?:[+%]|[a-zA-Zµ]{1,4}|(?:/\w+))?"
_NUMBER_WORDS = dict(
    pair.split("=")
    for pair in listed(
        "zero=0 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 "
        "fifteen=15 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 ninety=90 hundred=100 thousand=1000 "
        "million=1000000 twice=2"
    )
)
_PATH = r"(?:[\w.@~*-]*/)+[\w.@*\[\]-]*|[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|md|json|ya?ml|toml|sh|sql|css|html)"
_NAMELIKE = r"[a-z0-9]+[A-Z]|[A-Z][a-z0-9]+[A-Z]|[A-Z]{2,}[a-z0-9]*\Z|\w_\w|\w\.\w|::|\w\(\)|[a-z]\d|\+\+"
_pattern = cache(re.compile)  # when a claim is first read: most captures compare nothing


def _token(chunk: str, *, starts: bool) -> Token | None:
    return _short_token(chunk, starts) if len(chunk) <= _SHORT else _made(chunk, starts=starts)


_SHORT = 40  # characters; longer ones are hardly met twice


@lru_cache(maxsize=4096)
def _short_token(chunk: str, starts: bool) -> Token | None:
    return _made(chunk, starts=starts)


def _made(chunk: str, *, starts: bool) -> Token | None:
    core = _opened(chunk)
    bare = core.rstrip(_CLOSING)
    if not bare:
        return None
    after = core[len(bare) :]
    quoted = "`" in after or "`" in chunk[: len(chunk) - len(core)]
    plain = _plain(bare)
    word = stem(plain) if plain.isascii() and plain.isalpha() else plain
    kind = Kind.NAME if quoted else _kind(bare, starts=starts)
    if plain == "no" and after.startswith(","):
        kind = Kind.LIGHT  # an answer, not a negation
    if quoted and _is_path(bare):
        kind = Kind.PATH
    return Token(raw=bare, word=word, plain=plain, kind=kind, after=after)


def _opened(chunk: str) -> str:
    """Without its opening marks; a minus before a number is a sign, not a dash, and stays."""
    core = chunk.lstrip(_OPENING)
    is_negative = core[:1].isdigit() and chunk[: len(chunk) - len(core)].endswith("-")
    return f"-{core}" if is_negative else core


def _kind(bare: str, *, starts: bool) -> Kind:
    low = bare.lower().replace("’", "'")
    if low in _negators() or low.endswith("n't"):
        return Kind.NOT
    if _is_number(bare, low):
        return Kind.NUMBER
    if _is_path(bare):
        return Kind.PATH
    return _kind_of_word(bare, low, is_capital=bare[0].isupper() and not starts)


def _kind_of_word(bare: str, low: str, *, is_capital: bool) -> Kind:
    is_tool = low in tools()
    if low in _light():
        return Kind.NAME if is_capital and (is_tool or len(bare) == 1) else Kind.LIGHT
    return Kind.NAME if is_capital or is_tool or _is_namelike(bare) else Kind.WORD


def _is_namelike(bare: str) -> bool:
    is_plain = bare.isalpha() and bare.islower()  # as most words are
    return not is_plain and _pattern(_NAMELIKE).search(bare[:80]) is not None


def _is_number(bare: str, low: str) -> bool:
    if bare.isalpha():
        return low in _NUMBER_WORDS
    return len(bare) <= 40 and _pattern(_NUMBER).fullmatch(bare) is not None


def _is_path(bare: str) -> bool:
    is_like_one = "/" in bare and len(bare) <= 300 and _pattern(_PATH).fullmatch(bare) is not None
    return is_like_one and not _is_ratio(bare.lower())


def _is_ratio(low: str) -> bool:
    """`requests/minute`, `and/or`: a slash between two plain words that are no folder."""
    left, _, right = low.partition("/")
    return right.isalpha() and left.isalpha() and left not in _FOLDERS


_FOLDERS = frozenset(
    listed("src lib test tests docs internal cmd pkg app apps packages scripts config core server client api bench")
)


@lru_cache(maxsize=16384)
def _plain(bare: str) -> str:
    low = _NUMBER_WORDS.get(bare.lower(), bare.lower())
    if low in ("c++", "c#", "f#") or (low.startswith("-") and low[1:].isdigit()):
        return low
    if not bare.isascii():
        return "_".join(pieces(bare)) or low
    whole = low if low.isalnum() else "_".join(re.findall("[a-z0-9]+", low.removesuffix("'s"))) or low
    return _singular(_aliases().get(whole, whole))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    is_plural = len(word) > 3 and word[-1] == "s" and word[-2] not in "siu0123456789"
    return word[:-1] if is_plural else word


@cache
def _aliases() -> dict[str, str]:
    pairs = listed(
        "postgresql postgres k8s kubernetes js javascript ts typescript py python golang go repo repository "
        "repos repositories config configuration configs configurations db database dbs databases env "
        "environment envs environments dir directory dirs directories deps dependencies dep dependency args "
        "arguments arg argument params parameters param parameter fn function fns functions docs "
        "documentation doc documentation auth authentication admin administrator prod production dev "
        "development msg message msgs messages ctx context impl implementation spec specification specs "
        "specifications max maximum min minimum sec second secs seconds mins minutes colour color behaviour "
        "behavior initialise initialize serialise serialize optimise optimize normalise normalize organise "
        "organize catalogue catalog cancelled canceled"
    )
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


@cache
def _negators() -> frozenset[str]:
    """Words that turn a statement round."""
    return frozenset(
        listed(
            "not no never none nobody nothing neither nor cannot without avoid avoids avoiding dont doesnt didnt "
            "isnt arent wasnt werent cant wont shouldnt mustnt couldnt wouldnt"
        )
    )


@cache
def _light() -> frozenset[str]:
    return STOP | frozenset(
        listed(
            "always please must should shall may might ensure sure make makes need needs really simply just also "
            "still now currently already instead longer note remember ever every we our us you they i let lets "
            "one ones there via per etc well actually basically generally usually often typically however "
            "therefore thus hence anymore again yet even i'm it's i've we're we've"
        )
    )


@cache
def tools() -> dict[str, str]:
    """Names that are values even in lower case, each with what it is a choice of."""
    choices = {
        "store": "redis memcached valkey postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb cassandra "
        "couchdb duckdb cockroachdb neo4j elasticsearch opensearch meilisearch s3 gcs r2 minio",
        "queue": "kafka rabbitmq nats sqs celery sidekiq rq dramatiq bullmq pulsar",
        "packages": "npm yarn pnpm pip uv poetry pipenv conda pdm hatch cargo maven gradle composer bundler brew apt",
        "runtime": "node deno bun cpython pypy jvm",
        "build": "webpack vite esbuild rollup parcel turbopack babel swc bazel cmake ninja make just meson ant",
        "test": "pytest unittest nose jest vitest mocha jasmine ava rspec minitest junit testng",
        "browser test": "cypress playwright puppeteer selenium testcafe",
        "lint": "ruff flake8 pylint eslint biome tslint golangci-lint clippy rubocop stylelint",
        "format": "black autopep8 yapf prettier gofmt rustfmt isort",
        "types": "mypy pyright pyre pytype",
        "containers": "docker podman containerd buildah",
        "orchestration": "kubernetes k8s nomad swarm ecs",
        "infrastructure": "terraform pulumi ansible puppet chef cloudformation",
        "proxy": "nginx caddy traefik apache haproxy envoy",
        "ui": "react vue angular svelte solid preact ember",
        "web framework": "nextjs nuxt remix astro express fastify koa hapi nest flask django fastapi starlette tornado "
        "aiohttp rails sinatra laravel symfony spring axum actix rocket gin echo fiber",
        "state": "redux zustand mobx xstate recoil jotai pinia vuex",
        "orm": "sqlalchemy prisma drizzle typeorm sequelize knex mongoose hibernate gorm sqlx diesel",
        "validation": "pydantic attrs marshmallow zod yup joi ajv valibot",
        "http client": "axios fetch requests httpx urllib3 got curl wget ky",
        "dates": "moment dayjs date-fns luxon arrow pendulum",
        "styles": "tailwind bootstrap sass scss less bulma",
        "language": "python javascript typescript golang rust java kotlin swift ruby php perl elixir scala haskell zig",
        "shell": "bash zsh fish powershell",
        "forge": "github gitlab bitbucket gitea",
        "ci": "jenkins circleci travis buildkite teamcity drone",
        "cloud": "aws gcp azure heroku vercel netlify fly render railway cloudflare digitalocean",
        "monitoring": "sentry datadog grafana prometheus jaeger zipkin newrelic honeycomb",
        "format of data": "json yaml toml xml csv protobuf avro msgpack parquet",
        "interface": "grpc graphql rest soap",
        "push": "websocket websockets sse polling",
        "credentials": "jwt oauth saml cookies",
        "hash": "argon2 bcrypt scrypt sha256 sha1 md5",
        "concurrency": "asyncio trio gevent threading multiprocessing",
        "driver": "apsw psycopg psycopg2 asyncpg",
        "indent": "tabs spaces",
    }
    return {name: choice for choice, names in choices.items() for name in names.split()}
