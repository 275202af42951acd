"""How files of clients are written on a real disk."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindbrain.adapters.clients import LocalClients
from hindbrain.core.setup.record import Record
from hindbrain.core.setup.wires import Form, Wish
from hindbrain.errors import ConfigBroken, ConfigChanged, Unreadable


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalClients:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return LocalClients(str(tmp_path / "home"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_client_is_found_by_its_program_or_by_its_folder(clients: LocalClients, tmp_path: Path) -> None:
    assert clients.found() == {}
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "user" / ".config" / "opencode").mkdir(parents=True)

    assert set(clients.found()) == {"codex", "opencode"}


def test_folders_that_the_user_moved_are_found(
    clients: LocalClients, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    monkeypatch.setenv("CODEX_HOME", "/other")
    roots = clients.roots(str(tmp_path))
    assert (roots.claude, roots.claude_state, roots.codex) == ("/elsewhere", "/elsewhere/.claude.json", "/other")


def test_the_mode_stays_and_a_link_is_written_through(clients: LocalClients, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    real.chmod(0o600)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    clients.write(str(link), b'{"a": 1}', expected=b"{}")

    assert link.is_symlink() and real.read_bytes() == b'{"a": 1}' and mode(real) == 0o600
    assert [one.name for one in real.parent.iterdir()] == ["settings.json"]


def test_a_file_that_is_not_as_expected_is_left_alone(clients: LocalClients, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for expected in (b"{}", None):
        path.write_bytes(b"theirs")
        with pytest.raises(ConfigChanged):
            clients.write(str(path), b"ours", expected=expected)
    with pytest.raises(ConfigChanged):
        clients.remove(str(path), expected=b"{}")
    assert path.read_bytes() == b"theirs" and [one.name for one in tmp_path.iterdir()] == ["settings.json"]


def test_folders_that_were_made_go_with_the_file_unless_somebody_uses_them(
    clients: LocalClients, tmp_path: Path
) -> None:
    path = tmp_path / "a" / "b" / "c" / "file"
    made = clients.write(str(path), b"x", expected=None)
    assert list(made) == [str(tmp_path / "a"), str(tmp_path / "a" / "b"), str(tmp_path / "a" / "b" / "c")]
    (tmp_path / "a" / "theirs").write_text("stays")
    clients.remove(str(path), expected=b"x")
    clients.clear(made)

    assert [one.name for one in (tmp_path / "a").iterdir()] == ["theirs"]


def test_what_was_done_is_kept_where_nobody_else_can_read_it(clients: LocalClients, tmp_path: Path) -> None:
    wish = Wish(client="claude", path="/x", what="server", form=Form.ENTRY, at=("mcpServers", "hindbrain"))
    record = Record(path="/x", project="", before=b"\xff secret", after="00", folders=("/y",), wishes=(wish,))
    clients.note(record)
    clients.note(record)

    assert list(clients.records()) == [record]
    folder = tmp_path / "home" / "clients"
    assert mode(folder) == 0o700 and [mode(one) for one in folder.iterdir()] == [0o600]
    clients.drop("/x")
    assert list(clients.records()) == []


def test_a_record_that_cannot_be_read_is_named(clients: LocalClients, tmp_path: Path) -> None:
    clients.point(("/python", "/hook.py"))
    assert list(clients.records()) == []
    (tmp_path / "home" / "clients" / "x.json").write_text("{}")
    with pytest.raises(ConfigBroken, match=r"x\.json"):
        clients.records()


def test_what_cannot_be_read_is_told(clients: LocalClients, tmp_path: Path) -> None:
    assert clients.read(str(tmp_path / "nothing")) is None
    with pytest.raises(Unreadable):
        clients.read(str(tmp_path))


def test_the_spool_is_counted_as_it_lies(clients: LocalClients, tmp_path: Path) -> None:
    assert clients.spooled().waiting == 0
    spool = tmp_path / "home" / "spool"
    spool.mkdir(parents=True, mode=0o700)
    (spool / "current").write_bytes(b"1 claude 1700000002000 0 {}\n1 claude 1700000003000 0 {}\n")
    (spool / "drain-1").write_bytes(b"1 codex 1700000001000 0 {}\n")
    (spool / "bad").write_bytes(b"rubbish\n")
    (tmp_path / "home" / "hook-trouble").write_text("one\ntwo\nthree\nfour\n")
    found = clients.spooled()

    assert (found.waiting, found.bad) == (3, 1) and found.troubles == ("two", "three", "four")
    assert found.oldest == datetime.fromtimestamp(1_700_000_001, UTC)


EVENT = {"hook_event_name": "PostToolUse", "session_id": "trial-1"}


def test_a_trial_sees_what_arrives_in_a_home_of_its_own(clients: LocalClients, tmp_path: Path) -> None:
    keeps = 'mkdir -p "$HINDBRAIN_HOME/spool" && cat > "$HINDBRAIN_HOME/spool/current" || :'
    assert clients.tried(f"export PATH=/usr/bin:/bin; {keeps}", EVENT) == ""
    assert not (tmp_path / "home" / "spool").exists()


def test_a_trial_tells_what_happened_instead(clients: LocalClients) -> None:
    told = clients.tried("export PATH=/usr/bin:/bin; cat > /dev/null; echo out of order >&2; exit 3", EVENT)
    assert "with 3" in told and told.endswith("out of order")
