"""Who gets a secret, who loses it, and what becomes of a write that is sent again."""

import pytest
from building import FakeChance, FakeClock
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.replies import claim, settle
from hindbrain.app.tokens import bearer, issue, revoke
from hindbrain.app.tools import Tools
from hindbrain.core.value import replace
from hindbrain.entry.http.pages import Page
from hindbrain.errors import BadValue, Conflict
from hindbrain.settings import Settings


@pytest.fixture
def tools(clock: FakeClock, chance: FakeChance) -> Tools:
    settings = Settings(home="/h", store="/h/h.db")
    return Tools(store=DictStore(), clock=clock, chance=chance, files=LocalFiles(), settings=settings)


def test_a_secret_opens_as_long_as_it_is_not_revoked_and_is_kept_nowhere(tools: Tools) -> None:
    issued = issue("ci", ["write", "read"], project="prj-1", tools=tools)
    assert bearer(issued.secret, store=tools.store) == issued.token
    assert issued.secret not in repr(tools.store.tokens())
    for guess in ("", "hb-", issued.secret[:-1], issued.secret.upper(), "\udcff"):
        assert bearer(guess, store=tools.store) is None
    revoke("ci", tools=tools)
    assert bearer(issued.secret, store=tools.store) is None
    assert bearer(issue("ci", ["read"], tools=tools).secret, store=tools.store)


@pytest.mark.parametrize(
    ("name", "rights"), [("", ["read"]), ("x" * 65, ["read"]), ("a\nb", ["read"]), ("ci", []), ("ci", ["rule"])]
)
def test_a_token_without_a_name_or_with_odd_rights_is_refused(tools: Tools, name: str, rights: list[str]) -> None:
    with pytest.raises(BadValue):
        issue(name, rights, tools=tools)
    assert tools.store.tokens() == []


def test_a_write_is_made_once_and_answered_twice(tools: Tools, clock: FakeClock) -> None:
    mine, is_known = claim("k", "request", tools=tools)
    assert not is_known
    with pytest.raises(Conflict):
        claim("k", "request", tools=tools)
    settle(replace(mine, status=201, body="{}"), tools=tools)
    again, is_known = claim("k", "request", tools=tools)
    assert is_known and (again.status, again.body) == (201, "{}")
    with pytest.raises(BadValue):
        claim("k", "another", tools=tools)


def test_a_write_that_failed_or_died_is_made_anew(tools: Tools, clock: FakeClock) -> None:
    mine, _ = claim("k", "request", tools=tools)
    settle(mine, tools=tools)
    assert claim("k", "request", tools=tools)[1] is False
    clock.forward(minutes=2)
    assert claim("k", "request", tools=tools)[1] is False


@given(st.integers(0, 60), st.integers(1, 20))
def test_pages_show_every_row_once_in_order(count: int, limit: int) -> None:
    rows = [f"row-{number}" for number in range(count)]
    seen: list[str] = []
    cursor = ""
    while True:
        page, cursor = Page(limit=limit, cursor=cursor).cut(lambda most: rows[:most], id_of=str)
        assert len(page) <= limit
        seen += page
        if not cursor:
            break
    assert seen == rows
