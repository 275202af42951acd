"""What the keys of each vendor look like: prefix, alphabet, length.

A row is (kind, prefixes, body). A body is made of parts: an alphabet letter with a count (`A36` exactly 36,
`A36+` at least, `A20-40` between), or a literal piece of a regular expression. Rows are reached through the
first two characters of a run of key characters, so a text without such runs costs nothing here.
"""

import re
from collections.abc import Iterator
from functools import cache

from hindbrain.core.door.credible import is_random, is_request, is_stand_in
from hindbrain.core.door.span import Span

_ALPHABETS = {
    "A": "A-Za-z0-9",
    "B": "A-Za-z0-9+/",
    "D": "0-9",
    "H": "0-9a-fA-F",
    "L": "a-z0-9",
    "U": "A-Z0-9",
    "W": r"A-Za-z0-9_\-",
    "X": r"A-Za-z0-9_\-.",
}
_UUID = "H8 - H4 - H4 - H4 - H12"

# Keys that open with a run of at least 16 letters, digits, "_" and "-".
_RUNS: tuple[tuple[str, str, str], ...] = (
    ("1password-key", "A3-", "U6 - (?:U11|U6-U5) - U5 - U5 - U5"),
    ("1password-token", "ops_eyJ", "W80+ =*"),
    ("adafruit-key", "aio_", "A28"),
    ("age-key", "AGE-SECRET-KEY-1", "U58"),
    ("airtable-token", "pat", r"A14 \. H64"),
    ("akamai-token", "akab-", "L16 - L16"),
    ("alibaba-key", "LTAI", "A12-26"),
    ("anthropic-key", "sk-ant-", "W20+"),
    ("anyscale-key", "esecret_", "A20+"),
    ("apify-token", "apify_api_", "A34+"),
    ("artifactory-key", "AKCp", "A60+"),
    ("artifactory-token", "cmVmdGtuOj", "A50+"),
    ("atlassian-token", "ATATT3 ATCTT3 ATSTT3", "W60+ (?:(?:=|%3[dD])H8)?"),
    ("aws-access-key", "AKIA ASIA ABIA ACCA AGPA AIDA AIPA ANPA ANVA APKA AROA", "U16"),
    ("aws-access-key", "A3T", "U17"),
    ("aws-bedrock-key", "ABSK", "B90+ =*"),
    ("aws-bedrock-key", "bedrock-api-key-", "B20+ =*"),
    ("baseten-key", "bt_", "A32+"),
    ("beamer-key", "b_", "W44"),
    ("bitbucket-token", "ATBB", "A32"),
    ("bitbucket-token", "BBDC-", "B40-50"),
    ("browserbase-key", "bb_live_ bb_test_", "W20+"),
    ("buildkite-token", "bkua_ bkat_ bkaj_ bkct_", "A32+"),
    ("cerebras-key", "csk-", "A40+"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", "A20+ _ H40"),
    ("clickup-token", "pk_", "D5-10 _ U32"),
    ("clojars-token", "CLOJARS_", "L60"),
    ("cloudflare-token", "cfut_ cfat_ cfk_", "A40+"),
    ("cloudflare-ca-key", "v1.0-", "H24 - H146"),
    ("cohere-key", "co_", "A38+"),
    ("contentful-token", "CFPAT-", "W43"),
    ("coveralls-token", "cvr_", "A30+"),
    ("crates-token", "cio", "A32"),
    ("databricks-token", "dapi dkea dose", "H32 (?:-D1)?"),
    ("datadog-key", "ddapp_ ddapi_", "A30+"),
    ("deno-token", "ddp_ ddo_", "A36"),
    ("dependency-track-key", "odt_", "A32"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "H64"),
    ("digitalocean-spaces-key", "DO00 DO80", "U16"),
    ("docker-token", "dckr_pat_ dckr_oat_", "W24+"),
    ("docker-swarm-token", "SWMTKN-1- SWMKEY-1-", "B20+ (?:-L25)?"),
    ("duffel-token", "duffel_live_ duffel_test_", "W40+"),
    ("e2b-key", "e2b_", "H40"),
    ("easypost-key", "EZAK EZTK", "A54"),
    ("elevenlabs-key", "sk_", "H48"),
    ("endor-key", "endr+", "A16"),
    ("facebook-token", "EAA", "A80+"),
    ("figma-token", "figd_ figo_ figu_ figor_ figoh_ figdr_", "W36+"),
    ("firecrawl-key", "fc-", "H32"),
    ("flexport-token", "shltm_", "W40"),
    ("flutterwave-key", "FLWSECK FLWPUBK", "(?:_TEST|_LIVE)? - A32 - X"),
    ("fly-token", "fo1_", "W43"),
    ("frameio-token", "fio-u-", "W64"),
    ("friendli-token", "flp_", "A46"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "A36+"),
    ("github-token", "github_pat_", "W50+"),
    ("gitlab-runner-token", "GR1348941", "W20"),
    ("gitlab-session", "_gitlab_session", "= H32"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glft- glptt- glimt- glagent- gloas- glsoat- glffct- glcbt- glwt-",
        "X20+",
    ),
    ("google-api-key", "AIza", "W35"),
    ("google-client-secret", "GOCSPX-", "W28"),
    ("gocardless-token", "live_ sandbox_", "W40"),
    ("grafana-token", "eyJrIjoi", "B40+ =*"),
    ("grafana-token", "glc_", "B32+ =*"),
    ("grafana-token", "glsa_", "A32 _ H8"),
    ("groq-key", "gsk_", "A52"),
    ("harness-token", "pat", r"\. W22 \. A24 \. A20"),
    ("heroku-key", "HRKU-", f"(?:W60|{_UUID})"),
    ("honeycomb-key", "hcaik_ hcbik_ hcamk_ hcxik_", "A50+"),
    ("hubspot-token", "pat-na1- pat-eu1- pat-ap1- pat-na2-", _UUID),
    ("huggingface-token", "hf_", "A34-40"),
    ("huggingface-token", "api_org_", "A34-40"),
    ("infracost-token", "ico-", "A32"),
    ("instagram-token", "IGQ", "W100+"),
    ("intercom-token", "dG9rO", "B50+ =*"),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", "H64"),
    ("jina-key", "jina_", "A60"),
    ("langfuse-key", "sk-lf- pk-lf-", _UUID),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", "H32 _ H10"),
    ("launchdarkly-key", "api- sdk- mob-", _UUID),
    ("linear-token", "lin_api_ lin_oauth_", "A40+"),
    ("llamacloud-key", "llx-", "W48"),
    ("lob-key", "live_ test_", "(?:pub_)? H31-35"),
    ("mailgun-key", "key-", "L32"),
    ("mandrill-key", "md-", "W22"),
    ("mollie-key", "live_ test_", "A30"),
    ("neon-key", "napi_", "L60+"),
    ("netlify-token", "nfp_ nfc_ nfo_ nfb_ nfu_", "A36+"),
    ("new-relic-key", "NRAK- NRII- NRIQ- NRRA- NRSP- NRJS- NRBR-", "W16+"),
    ("nats-seed", "SU SA SO SN SC", "U56"),
    ("nightfall-key", "NF-", "A32"),
    ("notion-token", "secret_", "A43"),
    ("notion-token", "ntn_", "D11 A32-35"),
    ("npm-token", "npm_", "A36"),
    ("nuget-key", "oy2", "L43"),
    ("nvidia-key", "nvapi-", "W64"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-", "W20+"),
    ("openrouter-key", "sk-or-v1-", "H64"),
    ("openai-key", "sk-", "A20 T3BlbkFJ A20"),
    ("openai-session", "sess-", "A40"),
    ("api-key", "sk-", "A32-96"),
    ("packagist-token", "packagist_", "[ou][ru]t_ H60+"),
    ("paddle-key", "pdl_live_ pdl_sdbx_", "(?:apikey_)? W20+"),
    ("perplexity-key", "pplx-", "A40+"),
    ("persona-key", "persona_", "(?:sandbox|production)_ W20+"),
    ("pinecone-key", "pcsk_", "W40+"),
    ("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "X32+"),
    ("postgresml-key", "pgml_", "A30+"),
    ("posthog-key", "phc_ phx_ phs_ phr_", "A40+"),
    ("postman-key", "PMAK-", "H24 - H34"),
    ("prefect-token", "pnu_ pnb_", "A36"),
    ("pubnub-key", "pub-c- sub-c- sec-c-", "[A-Za-z0-9-]{36,}"),
    ("pulumi-token", "pul-", "H40"),
    ("pypi-token", "pypi-", "W50+"),
    ("razorpay-key", "rzp_live_ rzp_test_", "A14+"),
    ("readme-key", "rdme_", "L60+"),
    ("recaptcha-key", "6Lc 6Ld 6Le 6Lf", "W37"),
    ("render-key", "rnd_", "A28+"),
    ("replicate-token", "r8_", "A37"),
    ("resend-key", "re_", "A8 _ A24"),
    ("rubygems-key", "rubygems_", "H48"),
    ("runpod-key", "rpa_", "A40+"),
    ("samsara-token", "samsara_api_", "A28+"),
    ("scalingo-token", "tk-us-", "W48"),
    ("sendinblue-key", "xkeysib- xsmtpsib-", "H64 - A16"),
    ("sentry-token", "sntrys_eyJ", "B40+ =* _ B40+"),
    ("sentry-token", "sntryu_ sntrya_ sntryi_", "H64"),
    ("shippo-token", "shippo_live_ shippo_test_", "H40"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpit_ shpua_", "H32"),
    ("slack-token", "xoxb- xoxa- xoxp- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd-", "X16+"),
    ("slack-token", "xapp-", "D1 - U8+ - D8+ - L16+"),
    ("snyk-token", "snyk_uat snyk_sat", r"\. X30+"),
    ("sonar-token", "squ_ sqp_ sqa_", "H40"),
    ("sourcegraph-token", "sgp_", "(?:H16_|local_)? H40"),
    ("sourcegraph-token", "slk_", "H64"),
    ("square-token", "sq0atp- sq0csp- sq0idp- sq0idb-", "W22+"),
    ("square-token", "EAAA", "W56+"),
    ("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_ pk_prod_", "A10+"),
    ("stripe-webhook-secret", "whsec_", "B24+ =*"),
    ("stytch-secret", "secret-live- secret-test-", "W30+ =*"),
    ("supabase-key", "sbp_", "(?:v0_)? H40"),
    ("supabase-key", "sb_secret_ sb_publishable_", "W20+"),
    ("tailscale-key", "tskey-", "[a-z]+- W12+"),
    ("tavily-key", "tvly-", "(?:dev-|prod-)? W28+"),
    ("tencent-key", "AKID", "A32"),
    ("thunderstore-token", "tss_", "A30+"),
    ("together-key", "tgp_v1_", "W40+"),
    ("trello-token", "ATTA", "H60+"),
    ("twilio-key", "SK AC", "H32"),
    ("twitch-stream-key", "live_", "D8-10 _ A30"),
    ("twitter-bearer", "AAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{30,}"),
    ("typeform-token", "tfp_", "W40+"),
    ("upstash-token", "AX AY AZ", "B40-60 =="),
    ("vercel-token", "vcp_ vck_ vci_ vca_ vcr_ vercel_blob_rw_", "A24+"),
    ("voyage-key", "pa-", "W40+"),
    ("wandb-key", "wandb_v1_", "W40+"),
    ("weights-key", "local-", "H40"),
    ("wundergraph-key", "cosmo_", "H32"),
    ("xai-key", "xai-", "A70+"),
    ("yandex-key", "AQVN YCAJ YCPK YCMB YCNP", "W20+"),
    ("zuplo-key", "zpka_", "A30+ _ H8"),
)

# Keys that are told by their length and their end.
_HEADLESS: tuple[tuple[str, str], ...] = (
    ("azure-devops-token", "A76 AZDO A4"),
    ("mailchimp-key", "A32 -us D1-2"),
    ("mailgun-key", "H32 - H8 - H8"),
    ("maxmind-key", "A6 _ A29 _mmk"),
    ("new-relic-key", "L36 NRAL"),
    ("truenas-key", "D1-2 - A64"),
)

# Keys with a "." or another separator near the front; found by looking for the anchor itself.
_ANCHORED: tuple[tuple[str, str, str], ...] = (
    ("amazon-oauth-secret", "amzn1.oa2-cs.v1.", "H64"),
    ("aws-mws-key", "amzn.mws.", "L8 - L4 - L4 - L4 - L12"),
    ("doppler-token", "dp.", r"(?:pt|st|ct|sa|scim|audit)\. (?:X2-40\.)? A40-44"),
    ("dropbox-token", "sl.", r"(?:u\.)? W120+"),
    ("dynatrace-token", "dt0", r"[a-z]\d\d\. U24 \. U64"),
    ("fly-token", "FlyV1 ", "fm[12][ar]?_ B60+ [=,A-Za-z0-9+/_-]*"),
    ("fly-token", "fm2_", "B80+ =*"),
    ("google-access-token", "ya29.", "W20+"),
    ("google-refresh-token", "1//0", "W38+"),
    ("mailersend-token", "mlsn.", "H64"),
    ("mapbox-token", "pk.eyJ", r"W20+ \. W20+"),
    ("mapbox-token", "sk.eyJ", r"W20+ \. W20+"),
    ("mapbox-token", "tk.eyJ", r"W20+ \. W20+"),
    ("openshift-token", "sha256~", "W43"),
    ("sendgrid-key", "SG.", r"W16-24 \. W16-64"),
    ("voiceflow-key", "VF.", r"(?:[A-Z]{2}\.)? H24 \. A16"),
    ("zoho-token", "1000.", r"H32 \. H32"),
    ("vault-token", "hvs.", "W24+"),
    ("vault-token", "hvb.", "W24+"),
    ("vault-token", "hvr.", "W24+"),
    ("vk-token", "vk1.a.", "W60+"),
    ("yandex-token", "t1.", r"W30+ (?:={0,2}\.W60-90)? =*"),
    ("braintree-token", "access_token$", r"(?:production|sandbox)\$ L16 \$ H32"),
    ("slack-webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/ [A-Za-z0-9/]{20,}"),
    ("discord-webhook", "discord.com/api/webhooks/", "D15-22 / W40+"),
    ("discord-webhook", "discordapp.com/api/webhooks/", "D15-22 / W40+"),
    ("teams-webhook", "office.com/webhook", r"[\w@/.-]{60,}"),
    ("teams-webhook", ".logic.azure.com", r"[\w/:.?&=%-]{0,400}sig= W20+"),
    ("zapier-webhook", "hooks.zapier.com/hooks/catch/", "[A-Za-z0-9/]{10,}"),
    ("azure-storage-key", "AccountKey=", "B40+ =*"),
    ("azure-shared-key", "SharedAccessKey=", "B40+ =*"),
    ("azure-shared-key", "SharedSecretValue=", "B40+ =*"),
    ("slack-token", "xoxe.xox", "[bp]-D1-W60+"),
)

# Keys whose telling part is in the middle: what must stand before the anchor, the anchor, what must follow it.
_INNER: tuple[tuple[str, str, str, str], ...] = (
    ("azure-client-secret", r"[\w~.\-]{3}\d", "Q~", r"[\w~.\-]{31,34}(?![\w~.\-])"),
    ("terraform-token", r"[A-Za-z0-9]{14}", ".atlasv1.", r"[\w=\-]{60,70}"),
    ("telegram-token", r"(?<!\d)\d{8,10}", ":AA", r"[\w\-]{32,34}(?![\w\-])"),
    ("firebase-key", r"AAAA[\w\-]{7}", ":APA91b", r"[\w\-]{130,}"),
    ("facebook-token", r"(?<!\d)\d{15,17}", "|", r"[\w\-]{27,40}(?![\w\-])"),
    ("vault-token", "(?<![A-Za-z0-9])", "s.", r"(?=[A-Za-z]{0,25}\d)[A-Za-z0-9]{24,26}(?![\w.])"),
    ("salesforce-token", r"00D\w{12,15}", "!AQ", r"[\w.]{60,}"),
    ("google-client-id", r"(?<![\w-])\d{6,20}-[a-z0-9]{20,40}", ".apps.googleusercontent.com", ""),
    ("plivo-key", r"MA[A-Z0-9]{18}", ":", r"[A-Za-z0-9]{40}(?![A-Za-z0-9])"),
)
_LONGEST_HEAD = 64  # characters


def in_run(text: str, start: int) -> Span | None:
    """The vendor key that begins at `start`, if one does."""
    for kind, prefix, body in _by_head().get(text[start : start + 2], ()):
        match = _shape(prefix, body).match(text, start) if text.startswith(prefix, start) else None
        if match and _is_real(match[0][len(prefix) :]):
            return Span(start, match.end(), kind, 3)
    match = _headless().match(text, start)
    if match and _is_real(match[0]):
        return Span(start, match.end(), (match.lastgroup or "").replace("_", "-"), 3)
    return None


def anchored(text: str) -> Iterator[Span]:
    """Vendor keys that do not open with a long run."""
    for kind, anchor, body in _ANCHORED:
        at = text.find(anchor)
        while at >= 0:
            match = _shape(anchor, body).match(text, at) if _is_start(text, at) else None
            if match and _is_real(match[0][len(anchor) :]):
                yield Span(at, match.end(), kind, 3)
            at = text.find(anchor, match.end() if match else at + len(anchor))
    for row in _INNER:
        if row[2] in text:
            yield from _around(text, row)


def _around(text: str, row: tuple[str, str, str, str]) -> Iterator[Span]:
    """Keys found from their middle, because the search for a literal is cheap."""
    kind, head, anchor, tail = row
    for match in _compiled(re.escape(anchor) + tail).finditer(text):
        before = _compiled(f"{head}\\Z").search(text, max(0, match.start() - _LONGEST_HEAD), match.start())
        if before and _is_real(match[0]):
            yield Span(before.start(), match.end(), kind, 3)


def _is_real(body: str) -> bool:
    """No mask, and no words such as `your-token`. Published samples (`…EXAMPLE`) count as real: better safe."""
    return not is_stand_in(body) and (not is_request(body) or "EXAMPLE" in body or is_random(body))


def _is_start(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum() or text[at - 2 : at] in ("\\n", "\\t", "\\r")


@cache
def _by_head() -> dict[str, list[tuple[str, str, str]]]:
    heads: dict[str, list[tuple[str, str, str]]] = {}
    for kind, prefixes, body in _RUNS:
        for prefix in prefixes.split():
            heads.setdefault(prefix[:2], []).append((kind, prefix, body))
    return heads


@cache
def _headless() -> re.Pattern[str]:
    """All shapes that no prefix gives away, as one pattern."""
    return re.compile("|".join(f"(?P<{kind.replace('-', '_')}>{_shape('', body).pattern})" for kind, body in _HEADLESS))


@cache
def _shape(prefix: str, body: str) -> re.Pattern[str]:
    parts = re.escape(prefix) + "".join(map(_part, body.split(" ")))
    last = re.fullmatch(r"([A-Z])[\d-]+", body.rsplit(" ", 1)[-1])
    stop = f"(?![{_ALPHABETS[last[1]]}])" if last else ""
    return re.compile(parts + stop)


def _part(part: str) -> str:
    """Spell out the alphabets of one part of a body."""

    def spelled(match: re.Match[str]) -> str:
        least, most = match[2], match[3] or match[2]
        bound = f"{{{least},}}" if match[4] else f"{{{least},{most}}}"
        return f"[{_ALPHABETS[match[1]]}]{bound}"

    return re.sub(r"(?<![A-Za-z\\\[])([ABDHLUWX])(\d+)(?:-(\d+))?(\+)?", spelled, part)


_compiled = cache(re.compile)
