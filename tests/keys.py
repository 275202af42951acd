"""Keys as thirty-five vendors make them, drawn at random: none of them was ever one."""

import random
import string

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
URL = ALNUM + "-_"

# kind -> prefix, alphabet and length of the body, rest
SHAPES: dict[str, tuple[str, str, int, str]] = {
    "aws-access-key": ("AK" + "IA", UPPER, 16, ""),
    "github-token": ("gh" + "p_", ALNUM, 36, ""),
    "github-fine-grained": ("github" + "_pat_", ALNUM, 70, ""),
    "gitlab-token": ("gl" + "pat-", URL, 20, ""),
    "slack-bot": ("xo" + "xb-1234567890-0987654321-", ALNUM, 24, ""),
    "stripe-live": ("sk" + "_live_", ALNUM, 24, ""),
    "stripe-test": ("sk" + "_test_", ALNUM, 24, ""),
    "openai": ("sk" + "-proj-", URL, 60, ""),
    "anthropic": ("sk" + "-ant-api03-", URL, 90, "AA"),
    "google-api": ("AI" + "za", URL, 35, ""),
    "google-oauth": ("GOC" + "SPX-", URL, 28, ""),
    "npm": ("np" + "m_", ALNUM, 36, ""),
    "pypi": ("py" + "pi-AgEIcHlwaS5vcmc", URL, 80, ""),
    "huggingface": ("h" + "f_", string.ascii_letters, 34, ""),
    "digitalocean": ("do" + "p_v1_", HEX, 64, ""),
    "sendgrid": ("S" + "G.", URL, 22, "." + "q" * 0),
    "databricks": ("da" + "pi", HEX, 32, ""),
    "shopify": ("shp" + "at_", HEX, 32, ""),
    "twilio": ("S" + "K", HEX, 32, ""),
    "vault": ("hv" + "s.", ALNUM, 90, ""),
    "linear": ("lin" + "_api_", ALNUM, 40, ""),
    "notion": ("nt" + "n_12345678901", ALNUM, 35, ""),
    "doppler": ("dp" + ".pt.", ALNUM, 43, ""),
    "planetscale": ("pscale" + "_tkn_", ALNUM, 43, ""),
    "grafana": ("gl" + "sa_", ALNUM, 32, "_1a2b3c4d"),
    "docker": ("dckr" + "_pat_", URL, 27, ""),
    "rubygems": ("ruby" + "gems_", HEX, 48, ""),
    "postman": ("PM" + "AK-", HEX, 24, "-" + HEX * 2 + "01"),
    "sentry": ("sntr" + "yu_", HEX, 64, ""),
    "airtable": ("p" + "at", ALNUM, 14, "." + HEX * 4),
    "groq": ("gs" + "k_", ALNUM, 52, ""),
    "replicate": ("r8" + "_", ALNUM, 37, ""),
    "age": ("AGE-SECRET" + "-KEY-1", UPPER, 58, ""),
    "supabase": ("sb" + "p_", HEX, 40, ""),
    "an unknown vendor": ("acm" + "e_live_", ALNUM, 30, ""),
}


def made(kind: str, seed: int) -> str:
    prefix, alphabet, size, rest = SHAPES[kind]
    draw = random.Random(f"{kind}/{seed}")
    body = "".join(draw.choices(alphabet, k=size - 2)) + "7b" if alphabet is not UPPER else ""
    body = body or "".join(draw.choices(UPPER, k=size))
    if kind == "sendgrid":
        rest = "." + "".join(draw.choices(URL, k=43))
    return prefix + body + rest
