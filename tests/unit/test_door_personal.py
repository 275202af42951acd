import pytest

from hindbrain.core.door import admit

#
FOUND = {
    "mail to alice.b+x@corp-mail.io now": "mail to [personal:email] now",
    "Signed-off-by: Bob <bob@acme.dev>": "Signed-off-by: Bob <[personal:email]>",
    "[write](mailto:carol@acme.dev)": "[write](mailto:[personal:email])",
    "jane.doe@acme.com: restart it": "[personal:email]: restart it",
    "said by jane.doe@acme.com:": "said by [personal:email]:",
    "card 4111 1111 1111 1111 declined": "card [personal:card] declined",
    "card 5555-5555-5555-4444 declined": "card [personal:card] declined",
    "amex 378282246310005": "amex [personal:card]",
    "pay to DE89 3704 0044 0532 0130 00 today": "pay to [personal:iban] today",
    "pay to GB82WEST12345698765432": "pay to [personal:iban]",
    "SSN 219-09-9999 on file": "SSN [personal:national-id] on file",
    "passport: C01X00T47": "passport: C01X00T47",
    "national insurance number: QQ 12 34 56 78 C": "national insurance number: [personal:national-id]",
    "call +49 30 901820 or": "call [personal:phone] or",
    "call +1 (555) 010-9999": "call [personal:phone]",
    "call (212) 555-0143 today": "call [personal:phone] today",
    "call 212-555-0143": "call [personal:phone]",
    "tel: 030 / 901 820 11": "tel:[personal:phone]",
    "see /home/alice/src/app.py": "see /home/[personal:user]/src/app.py",
    "see /Users/alice.b/src": "see /Users/[personal:user]/src",
    r"see C:\Users\alice\src": r"see C:\Users\[personal:user]\src",
    r'"C:\\Users\\alice\\src"': r'"C:\\Users\\[personal:user]\\src"',
    "cd /home/alice": "cd /home/[personal:user]",
}


@pytest.mark.parametrize("text", FOUND)
def test_what_names_a_person_is_replaced_and_the_rest_stays(text: str) -> None:
    assert admit(text).text == FOUND[text]


KEPT = [
    "git clone git@github.com:org/repo.git",
    "ssh://git@host.example.org/org/repo",
    "scp build@ci.acme.dev:/srv/x .",
    "user@example.com and a@b.test and root@db.local",
    "12345+bob@users.noreply.github.com",
    "noreply@acme.dev, no-reply@acme.dev",
    "@pytest.fixture and @app.route",
    "npm i @types/node@18.1.0 @scope/pkg@latest",
    "icon@2x.png",
    "v1.2.3, 10.0.0.1, 192.168.100.200:8080",
    "2024-05-01T12:00:00Z and 1714564800000",
    "build 20240501123456 took 1234567 ms",
    "id 4111111111111112 fails the check digit",
    "order 1234-5678-9012-3456",
    "DE00 3704 0044 0532 0130 00",
    "000-12-3456 and 666-12-3456 and 912-12-3456 were never issued",
    "range 100-200-3000",
    "/home/runner/jobs/x and /home/user/x and /Users/you/x",
    "views/home/index.html and src/Users/list.ts",
    "/home and /Users and ~/src",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "port 5432-5433, lines 120-140",
    "commit 3b335d612137949d2f21fcc6c8c8164db7603227",
    "phone numbers are stored in E.164",
    "[personal:email] asked",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_names_nobody_stays(text: str) -> None:
    assert admit(text).text == text


def test_a_secret_that_looks_like_an_address_counts_as_a_secret() -> None:
    passed = admit("password: " + "alice9" + "@corp-mail.io")

    assert passed.text == "password: [secret:password]"


def test_both_families_are_listed_in_the_order_of_the_text() -> None:
    key = "gh" + "p_" + "a1B2" * 9

    passed = admit(f"ask alice@acme.dev about {key} or bob@acme.dev")

    assert passed.text == "ask [personal:email] about [secret:github-token] or [personal:email]"
    assert [f.family for f in passed.findings] == ["personal", "secret", "personal"]
    assert all(passed.text[f.start] == "[" for f in passed.findings)
