"""What the hub never does: run what is stored, act for another site's page, or hide a letter."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser.poisoned import PAGES, PAYLOADS, poison
from browser.service import Hub, serving


class Seen(HTMLParser):
    """The tags of a page, and what in them could run."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "script" and named.get("src") not in ("/hub/static/htmx.min.js", "/hub/static/hub.js"):
            self.bad.append(f"script {named}")
        if tag in ("iframe", "object", "embed", "base", "style", "template", "math", "video", "img"):
            self.bad.append(tag)
        self.bad += [f"{tag} {name}={value}" for name, value in attrs if _runs(name, value or "")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _runs(name: str, value: str) -> bool:
    is_address = name in ("href", "src", "action", "formaction", "hx-get", "content", "data")
    return (
        name.startswith(("on", "hx-on"))
        or name == "style"
        or (is_address and bool(re.match(r"\s*(javascript|data|vbscript):|//", value, re.I)))
    )


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with serving(tmp_path, is_filled=False) as one:
        yield one


def test_nothing_that_is_stored_runs_in_any_view(hub: Hub) -> None:  # S6
    assert len(PAYLOADS) == 100
    cookie = hub.cookie()
    looked = 0
    for name in poison(hub, PAYLOADS):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        assert answer.status == 200, (name, answer.text[-600:])
        seen = Seen()
        seen.feed(answer.text)
        assert not seen.bad, (name, seen.bad[:3])
        looked += "pwned" in "".join(seen.text) or "evil.example" in "".join(seen.text)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
    assert looked > 200  # it was shown, as text


def test_what_is_said_in_an_address_comes_back_as_text(hub: Hub) -> None:  # S6
    cookie = hub.cookie()
    bad = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    addresses = ("feed?done=", "memories?q=", "memories?kind=", "timeline?session=", "graph?kind=", "feed?project=", "")
    for name in addresses:
        answer = hub.call(f"/hub/{name}{bad}", cookie=cookie)
        seen = Seen()
        seen.feed(answer.text)
        assert answer.status in (200, 400, 404) and not seen.bad


def test_every_hidden_letter_is_shown(hub: Hub) -> None:  # S8
    hidden = "\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\u2800\ufe0f\u061c"
    hidden += "\U000e0041\U000e0101\x1b\x07\u2028"
    cookie = hub.cookie()
    for name in poison(hub, [f"see{letter}me" for letter in hidden]):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        shown = Seen()
        shown.feed(re.sub(r"<textarea[^>]*>.*?</textarea>", "", answer.text, flags=re.S))
        assert not set(hidden) & set("".join(shown.text)), name
        if "/mem-" in name:
            assert f"U+{ord(hidden[int(name[-4:])]):04X}" in "".join(shown.text)


def test_a_change_needs_the_cookie_our_origin_and_the_pages_token(hub: Hub) -> None:  # S5
    hindbrain = hub.hindbrain()
    kept = hindbrain.add("Stay as you are", type="pitfall").memory_id
    path, cookie = f"/hub/memories/{kept}/delete", hub.cookie()
    token = re.findall(r'name="token" value="([0-9a-f]{64})"', hub.call(f"/hub/memories/{kept}", cookie=cookie).text)[0]
    form = {"token": token, "version": "1"}
    assert hub.call(path, form=form).status == 401
    assert hub.call(path, cookie=hub.cookie(), form=form).status == 403  # another session's token
    assert hub.call(path, cookie=cookie, form={"version": "1"}).status == 403
    assert hub.call(path, cookie=cookie, form=form, origin="http://evil.example").status == 403
    assert hub.call(path, cookie=cookie, form=form, origin="null").status == 403
    assert hub.call(path, cookie=cookie).status == 405
    assert str(hindbrain.show(kept or "").state) == "live"
    assert hub.call(path, cookie=cookie, form=form).status == 303
    assert str(hindbrain.show(kept or "").state) == "archived"


# S5
def test_no_page_is_for_strangers_and_each_goes_with_its_headers(hub: Hub) -> None:
    assert hub.call("/", cookie=hub.cookie()).headers["location"] == "/hub/feed"
    for path in ("/", "/hub", "/hub/feed", "/hub/static/hub.css", "/hub/nothing"):
        assert hub.call(path).status == 401
    cookie = hub.cookie()
    for name in (*PAGES, "nothing", "memories/mem-none", "feed/none", "static/none"):
        answer = hub.call(f"/hub/{name}", cookie=cookie)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'"), name
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_scripts_of_the_hub_never_set_html() -> None:  # S6
    import hindbrain.entry.hub as package

    text = (Path(package.__file__).parent / "static" / "hub.js").read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", text)
