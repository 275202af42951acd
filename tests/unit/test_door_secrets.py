"""Every key is assembled at run time, so that no scanner takes this file for a leak."""

import base64
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from keys import ALNUM, HEX, SHAPES, made

from hindbrain.core.door import admit, has_secret

VECTORS = Path(__file__).resolve().parents[2].parent / "shared" / "evals" / "data" / "secrets" / "vectors.jsonl.gz"

needs_vectors = pytest.mark.skipif(not VECTORS.exists(), reason="the shared test vectors are not here")


def drawn(size: int, seed: str) -> str:
    draw = random.Random(seed)
    return "".join(draw.choices(ALNUM, k=size - 3)) + "x7Q"


def survivors(secret: str, text: str) -> list[str]:
    """Runs of eight characters of the secret that can still be read; the marks may name the vendor."""
    text = re.sub(r"\[secret:[a-z0-9-]+\]", "[]", text)
    return [secret[i : i + 8] for i in range(len(secret) - 7) if secret[i : i + 8] in text]


WRITTEN: dict[str, Callable[[str], str]] = {
    "a sentence": lambda s: f"The deploy failed because {s} had expired; rotate it.",
    "a shell export": lambda s: f"export SERVICE_KEY={s}\nmake deploy",
    "JSON": lambda s: json.dumps({"name": "ci", "token": s, "retries": 3}),
    "YAML": lambda s: f"env:\n  API_TOKEN: {s}\n  REGION: eu",
    "a header": lambda s: f'curl -H "Authorization: Bearer {s}" https://api.example.com/v1',
    "a query": lambda s: f"GET /v1/items?limit=5&access_token={s}&page=2",
    "a log line": lambda s: f"2024-05-01 12:00:00 WARN auth: key '{s}' rejected",
    "escaped newlines": lambda s: f'{{"env": "A=1\\nTOKEN={s}\\nB=2"}}',
    "colours": lambda s: f"token: \x1b[31m{s}\x1b[0m done",
}


# S4
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("kind", SHAPES)
def test_no_eight_characters_of_a_key_survive(kind: str, written: str) -> None:
    secret = made(kind, 1)

    passed = admit(WRITTEN[written](secret))

    assert "[secret:" in passed.text
    assert survivors(secret, passed.text) == []


DISGUISED: dict[str, Callable[[str], str]] = {
    "a broken line": lambda s: f"export TOKEN={s[:20]}\\\n    {s[20:]}\n",
    "zero-width characters": lambda s: "token " + "\u200b".join((s[:9], s[9:17], s[17:])),
    "a tag character": lambda s: f"{s[:12]}\U000e0041{s[12:]}",
    "two literals": lambda s: f'key = "{s[:18]}" + "{s[18:]}"',
    "percent signs": lambda s: f"https://x.example.com/?q={quote('token=' + s, safe='')}",
}


# an unseen character must not split a key
# S4
@pytest.mark.parametrize("disguise", DISGUISED)
@pytest.mark.parametrize("kind", ["github-token", "stripe-live", "google-api", "gitlab-token", "digitalocean", "npm"])
def test_a_disguised_key_is_found(kind: str, disguise: str) -> None:
    secret = made(kind, 2)

    passed = admit(DISGUISED[disguise](secret))

    assert survivors(secret, passed.text) == []


@pytest.mark.parametrize("plain", ["password=", "api_key: ", "export SECRET_TOKEN="])
def test_base64_that_says_key_equals_secret_goes_as_a_whole(plain: str) -> None:
    hidden = base64.b64encode((plain + drawn(24, plain)).encode()).decode()

    passed = admit(f"kubectl create secret generic x --from-literal=conf={hidden} -n prod")

    assert survivors(hidden, passed.text) == []
    assert passed.text.startswith("kubectl create secret") and passed.text.endswith("-n prod")


def key_block(label: str, newline: str) -> str:
    dashes = "-" * 5
    body = newline.join(drawn(64, f"{label}{i}") for i in range(6))
    return f"{dashes}BEGIN {label}{dashes}{newline}{body}{newline}{dashes}END {label}{dashes}"


@pytest.mark.parametrize("newline", ["\n", "\\n", "\\r\\n", "\n    "])
@pytest.mark.parametrize("label", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_key_block_goes_from_begin_to_end(label: str, newline: str) -> None:
    block = key_block(label, newline)

    passed = admit(f"the file held\n{block}\nand nothing else")

    assert passed.text == "the file held\n[secret:private-key]\nand nothing else"


def test_a_key_block_cut_short_goes_as_far_as_it_reaches() -> None:
    block = key_block("RSA PRIVATE KEY", "\n")[:200]

    assert survivors(block[40:], admit(f"log: {block}").text) == []


P = "hunter2" + "Xy!9"
ASSIGNED = [
    f'password = "{P}"',
    f"password: {P}",
    f"DB_PASSWORD={P}",
    f"db.password => '{P}'",
    f'const password = "{P}";',
    f'self.passwd: str = "{P}"',
    f'String dbPassword = "{P}";',
    f'{{"user": "bob", "password": "{P}"}}',
    f"<password>{P}</password>",
    f"--password {P} --host db",
    f"--password={P}",
    f"mysql -u root -p{P} shop",
    f"sshpass -p {P} ssh host",
    f"curl -u deploy:{P} https://ci.example.com",
    f"postgres://app:{P}@db.internal:5432/shop",
    f"redis://:{P}@cache:6379/0",
    f"Server=db;Database=shop;User Id=app;Password={P};",
    f"machine api.example.com login bob password {P}",
    f"CREATE USER app IDENTIFIED BY '{P}';",
    f"ALTER ROLE app WITH PASSWORD '{P}';",
    f'password = os.environ.get("PW") or "{P}"',
    f"The admin password is {P}.",
    f"user: bob, pw: {P}",
    f"Passwort: {P}",
    f"密码: {P}",
    f'if password == "{P}":',
    f'variable "db_password" {{\n  default = "{P}"\n}}',
    f"ConvertTo-SecureString '{P}' -AsPlainText",
]


#
@pytest.mark.parametrize("text", ASSIGNED)
def test_a_password_is_taken_out_wherever_it_is_written(text: str) -> None:
    passed = admit(text)

    assert P not in passed.text
    assert survivors(P, passed.text) == []
    assert passed.findings[0].family == "secret"


TOKEN = drawn(32, "token")
SET = [
    f"ACME_API_KEY={TOKEN}",
    f'acme_secret: "{TOKEN}"',
    f"acmeAccessKey = '{TOKEN}'",
    f"client_secret={TOKEN}&grant_type=x",
    f"X-Auth-Token: {TOKEN}",
    f"acme SECRET {TOKEN}",
    f"acme-token-{TOKEN}",
    f"AccountKey={TOKEN * 2}==;EndpointSuffix=core",
    f"aws_secret_access_key = {TOKEN}+/abcDE9",
    f"Authorization: Basic {base64.b64encode(('bob:' + TOKEN).encode()).decode()}",
    f'"auth": "{base64.b64encode(("bob:" + TOKEN).encode()).decode()}"',
    f"https://bob:{TOKEN}@git.example.com/x.git",
    "https://hooks." + f"slack.com/services/T12345678/B12345678/{TOKEN[:24]}",
    f"env('ACME_KEY_SECRET', '{TOKEN}')",
]


@pytest.mark.parametrize("text", SET)
def test_a_token_is_taken_out_wherever_it_is_set(text: str) -> None:
    assert survivors(TOKEN[:24], admit(text).text) == []
    assert has_secret(text)


def test_a_signed_token_goes_with_its_signature() -> None:
    parts = [base64.urlsafe_b64encode(p).decode().rstrip("=") for p in (b'{"alg":"HS256"}', b'{"sub":"bob","iat":1}')]
    token = ".".join((*parts, drawn(43, "jwt")))

    assert admit(f"Cookie: s={token}; path=/").text == "Cookie: s=[secret:jwt]; path=/"


def test_the_rest_of_the_line_stays_readable() -> None:
    key = made("stripe-live", 3)

    assert admit(f"export STRIPE_KEY={key} # rotate").text == "export STRIPE_KEY=[secret:stripe-key] # rotate"


def test_a_finding_names_the_kind_and_never_the_secret() -> None:
    secret = made("github-token", 4)

    passed = admit(f"use {secret} now")

    (finding,) = passed.findings
    assert (finding.kind, finding.family, finding.start) == ("github-token", "secret", 4)
    assert passed.text[finding.start :].startswith("[secret:github-token]")
    assert secret not in repr(passed)


def test_a_key_in_the_brackets_of_a_mark_is_no_mark() -> None:
    key = "".join(random.Random(9).choices(HEX, k=32))

    assert survivors(key, admit(f"api_key=[secret:{key}]").text) == []


HARMLESS = [
    "password = os.environ['DB_PASSWORD']",
    "password: ${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD make",
    'password = getpass("Password: ")',
    "token = request.headers.get('X-Token')",
    "api_key: <your-api-key>",
    'API_KEY="your-api-key-here"',
    "api_key = 'changeme'",
    "ghp_" + "x" * 36,
    "sk-...",
    "token: ****",
    "secret: {{ vault_secret }}",
    "SECRET_KEY: !vault",
    "max_tokens: 4096",
    "the token count went from 1200 to 900",
    "primary_key = 'user_id'",
    "key: value",
    'license = "Apache-2.0"',
    '"license": "BSD-3-Clause",',
    "for key, value in items.items():",
    "password_length = 12",
    "def login(user: str, password: str) -> Token:",
    "hash the password with argon2id before storing it",
    "The password must be at least 8 characters long.",
    "commit 3b335d612137949d2f21fcc6c8c8164db7603227 broke it",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-kJQd5ZH4Rg8pN9m7mS3vTnXqO1vWb2c8dYyQzLwF0aHsUeRgTjIxKpBnCvMl==",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "postgres://user:password@localhost:5432/db",
    "postgres://$USER:$PASS@localhost/db",
    "set `secretKeyRef.name` to db-credentials",
    "the `accessibilityYesOptionId` field",
    "/run/secrets/db_password is mounted by compose",
    "import { createHash } from 'crypto'",
    "see https://example.com/docs/authentication#bearer-tokens for details",
    "use the AuthenticationResultProvider class with getElementsByClassName",
    "[secret:github-token] was rotated",
    "2024-05-01T12:00:00.000Z INFO request 8f3c done in 12ms",
]


# S4: over-redaction is a fault too
@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert admit(text).text == text
    assert not has_secret(text)


def test_a_key_at_the_end_of_a_long_line_is_found() -> None:
    secret = made("github-token", 5)
    line = "password=password://a:b token eyJ.eyJ. -----BEGIN " * 4000

    assert survivors(secret, admit(line + secret).text) == []


def vectors() -> Iterator[dict[str, object]]:
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# S4
@needs_vectors
def test_the_keys_of_five_scanners_are_found_with_few_false_alarms() -> None:
    hits = {0: 0, 1: 0}
    total = {0: 0, 1: 0}
    for row in vectors():
        if not str(row["source"]).startswith("benign"):
            label = int(str(row["label"]))
            hits[label] += has_secret(str(row["text"]))
            total[label] += 1

    assert hits[1] / total[1] >= 0.88
    assert hits[1] / (hits[1] + hits[0]) >= 0.92


# S4
@needs_vectors
def test_of_two_thousand_real_lessons_almost_none_is_altered() -> None:
    texts = [str(row["text"]) for row in vectors() if str(row["source"]).startswith("benign")]

    altered = [text for text in texts if any(f.family != "character" for f in admit(text).findings)]

    assert len(altered) / len(texts) <= 0.002
