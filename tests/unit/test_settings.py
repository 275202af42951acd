"""What a user can change, and what a mistake in it says."""

from pathlib import Path

import pytest

from hindbrain.errors import BadSettings
from hindbrain.settings import load, machine


def test_the_environment_says_where(tmp_path: Path) -> None:
    settings = load({"HINDBRAIN_HOME": str(tmp_path)})
    assert (settings.home, settings.store) == (str(tmp_path), str(tmp_path / "hindbrain.db"))
    elsewhere = load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_STORE": "/x/y.db", "HINDBRAIN_PROJECT": "p"})
    assert (elsewhere.store, elsewhere.project) == ("/x/y.db", "p")


def test_a_store_that_is_neither_file_nor_server_is_refused_without_repeating_its_password(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="neither a file nor") as caught:
        load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_STORE": "mysql://me:hush@host/db"})
    assert "hush" not in caught.value.what


@pytest.mark.parametrize(
    "slip", ["postgresql:", "postgresql:/me:hush@host/db", "postgres:me@host/db", "POSTGRESQL://h/d"]
)
def test_a_slip_in_an_address_does_not_become_a_file(tmp_path: Path, slip: str) -> None:
    with pytest.raises(BadSettings, match="neither a file nor") as caught:
        load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_STORE": slip})
    assert "hush" not in caught.value.what
    assert load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_STORE": "/a:b/c.db"}).store == "/a:b/c.db"


def test_a_server_is_named_as_it_stands(tmp_path: Path) -> None:
    address = "postgresql://me:hush@host/db?sslmode=require"
    assert load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_STORE": address}).store == address


def test_a_home_keeps_its_name(tmp_path: Path) -> None:
    first = machine(str(tmp_path / "a"))
    assert len(first) == 32 and machine(str(tmp_path / "a")) == first != machine(str(tmp_path / "b"))
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["machine"]
    assert (tmp_path / "a" / "machine").stat().st_mode & 0o777 == 0o600  # S15


def test_without_it_the_platform_says() -> None:
    assert "hindbrain" in str(load({"XDG_DATA_HOME": "/nonexistent/data"}).home)


# DX-114..DX-120 CH-128..CH-130
def test_the_file_overrules_defaults(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        "deduplication = false\ntoken_budget = 500\nlock_timeout_s = 5\n[confidence]\nexplicit = 0.9\n"
    )
    settings = load({"HINDBRAIN_HOME": str(tmp_path)})
    assert (settings.deduplication, settings.token_budget, settings.lock_timeout_s) == (False, 500, 5.0)
    assert settings.growth.explicit == 0.9 and settings.growth.imported == 0.7


def test_the_embedder_of_one_run_overrules_the_file(tmp_path: Path) -> None:
    assert load({"HINDBRAIN_HOME": str(tmp_path)}).embedder == "auto"
    (tmp_path / "config.toml").write_text('embedder = "off"')
    assert load({"HINDBRAIN_HOME": str(tmp_path)}).embedder == "off"
    assert load({"HINDBRAIN_HOME": str(tmp_path), "HINDBRAIN_EMBEDDER": "minilm"}).embedder == "minilm"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dedup = true", "no setting 'dedup'"),
        ("deduplication = 1", "must be bool"),
        ('home = "/x"', "no setting 'home'"),
        ("confidence = 3", "must be a table"),
        ("[confidence]\nexplicit = 'high'", "must be float"),
        ("not toml", "cannot be read"),
        ('enforce = "maybe"', "enforce cannot be 'maybe'"),
        ("holdout = 5", "holdout cannot be 5.0"),
    ],
)
def test_a_mistake_names_itself_and_its_fix(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(BadSettings, match=said) as caught:
        load({"HINDBRAIN_HOME": str(tmp_path)})
    assert caught.value.fix
