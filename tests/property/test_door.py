import string

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hindbrain.core.door import admit, disarm, has_secret

# Everything Python can hold in a string, lone surrogates and NUL included, and pieces that the door looks for.
PIECES = st.sampled_from(
    [
        "password", "=", ": ", '"', "'", "token ", "secret-", "api_key", "://", "a:b@", "\\\n", "%3D", "%41",
        "[secret:", "[secret:x]", "[personal:email]", "]", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
        "eyJ", ".",
        "gh" + "p_", "AK" + "IA", "a1B2c3D4" * 5, "alice@acme.dev", "4111 1111 1111 1111", "/home/", "alice/",
        "$2b$10$", "\u200b", "\u200d", "\ufe0f", "👩", "💻", "⚙", "\x1b[31m", "\x1b]0;", "\x9b", "\r\n", "\r", "\x00",
        "İ", "cGFzc3dvcmQ9",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(), max_size=200),
    st.lists(st.one_of(PIECES, st.text(st.characters(), max_size=12)), max_size=14).map("".join),
)
HIDDEN = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0xE0000, 0xE0080)]


@settings(max_examples=400)
@given(TEXTS)
@example('password="[secret:a]b1!cdefg"')
@example("token [secret:x]a1B2c3D4a1B2c3D4a1B2c3D4")
def test_admitting_twice_is_admitting_once(text: str) -> None:
    once = admit(text)

    again = admit(once.text)
    assert again.text == once.text
    assert again.findings == ()


@settings(max_examples=300)
@given(TEXTS)
def test_what_was_admitted_holds_no_secret_and_can_be_stored(text: str) -> None:
    passed = admit(text)

    assert not has_secret(passed.text)
    assert not set(map(ord, passed.text)) & set(HIDDEN)
    assert "\r" not in passed.text
    passed.text.encode("utf-8")


@given(TEXTS)
def test_each_finding_points_at_its_replacement(text: str) -> None:
    passed = admit(text)

    starts = [f.start for f in passed.findings]
    assert starts == sorted(starts)
    for finding in passed.findings:
        assert 0 <= finding.start <= len(passed.text)
        if finding.family != "character":
            assert passed.text.startswith(f"[{finding.family}:{finding.kind}]", finding.start)


@given(TEXTS)
def test_disarming_only_removes(text: str) -> None:
    clean = disarm(text)
    rest = iter(text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n"))

    assert all(character in rest for character in clean)
    assert disarm(clean) == clean


@given(st.text(string.ascii_lowercase + " .,\n", max_size=400))
def test_plain_lower_case_prose_passes_untouched(text: str) -> None:
    passed = admit(text)

    assert passed.text == text
    assert not passed.is_changed


KEY = st.text(string.ascii_letters + string.digits, min_size=36, max_size=36).filter(
    lambda body: len(set(body)) > 12 and "xxxxx" not in body.lower()
)


@given(TEXTS.map(disarm), KEY, TEXTS.map(disarm))
def test_a_key_between_any_two_texts_is_taken_out(before: str, key: str, after: str) -> None:
    token = "gh" + "p_" + key

    passed = admit(f"{before} {token} {after}")

    assert not any(
        token[i : i + 8] in passed.text for i in range(len(token) - 7) if token[i : i + 8] not in before + after
    )
