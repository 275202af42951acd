"""What lies in a home after a day's work: for its owner alone, and without a secret in a single byte."""

import json
import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from calling import SRC, Cli
from hooking import called, ran, transcript
from keys import SHAPES, made
from tier import reached

from hindbrain.adapters.sqlite import SqliteStore, schema
from hindbrain.entry.http import owner
from hindbrain.settings import Settings

HOOK = SRC / "hindbrain" / "hook.py"
EACH = 6  # keys of every kind


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    made_cli = Cli(tmp_path, monkeypatch)
    old = os.umask(0o022)  # the usual one, which lets everybody read
    made_cli("add", "Run make test before you push")
    (made_cli.home / "config.toml").write_text('embedder = "off"\n')
    (made_cli.home / "config.toml").chmod(0o600)
    (made_cli.home / "worker-start").write_bytes(b"." * 20)  # tried in vain just now: the hooks start none
    (made_cli.home / "worker-start").chmod(0o600)
    os.umask(old)
    return made_cli


def heard(cli: Cli, payload: bytes) -> None:
    command = [sys.executable, "-I", "-S", str(HOOK), "claude"]
    subprocess.run(command, input=payload, capture_output=True, check=True, umask=0o022)


def days_work(cli: Cli, *, secrets: list[str]) -> None:
    """Through every way in: a capture, an addition, what agents did and said, another system's file, an edit."""
    for number, secret in enumerate(secrets):
        where = f"s{number // 40}"
        cli(
            "capture",
            "-",
            "--session",
            where,
            stdin=f"MEMORY:fix:Step {number} failed as {secret} had expired; renew it",
        )
    cli("add", f"The service needs {secrets[0]} in its header")
    said = transcript(cli.folder / "said.jsonl", *(f"MEMORY:fix:The key {one} is old" for one in secrets[:20]))
    heard(cli, ran(f"curl -H 'Authorization: Bearer {secrets[1]}' https://api.example.com", cwd=str(cli.folder)))
    heard(cli, ran("make deploy", failing=f"401: key {secrets[2]} rejected", cwd=str(cli.folder)))
    heard(cli, called("UserPromptSubmit", prompt=f"use {secrets[3]} please", cwd=str(cli.folder)))
    heard(cli, called("Stop", cwd=str(cli.folder), transcript_path=str(said)))
    heard(cli, b"no JSON at all " + secrets[4].encode())
    lines = [{"key": f"k{n}", "content": f"A quirk with {one}", "ts": n} for n, one in enumerate(secrets[5:9])]
    foreign = cli.folder / "knowledge.jsonl"
    foreign.write_text("".join(json.dumps(line) + "\n" for line in lines))
    cli("import", "beads", str(foreign))
    for file in (said, foreign):
        file.unlink()
    for _ in range(2):
        assert cli.child("worker", "--once").code == 0
    cli("export", "--output", str(cli.home / "export.json"))
    owner.token(Settings(home=str(cli.home), store=str(cli.home / "hindbrain.db")))
    with closing(SqliteStore(cli.home / "hindbrain.db")) as store:
        schema.back_up(store._connection(), store.backups, before=999)


def test_no_byte_of_a_secret_lies_in_any_file(cli: Cli) -> None:  # S4
    secrets = [made(kind, seed) for kind in SHAPES for seed in range(EACH)]
    assert len(secrets) >= 200 and len(SHAPES) >= 30
    days_work(cli, secrets=secrets)
    files = [path for path in cli.home.rglob("*") if path.is_file()]
    assert {"hindbrain.db", "hindbrain.db-wal", "export.json", "before-0999.db", "bad"} <= {path.name for path in files}
    held = {(path.name, n) for path in files for n, one in enumerate(secrets) if one.encode() in path.read_bytes()}
    assert not held
    assert len(cli.json("list", "--all", "--limit", "500")["memories"]) > 100, "the lessons themselves came in"
    reached("S4", f"{len(secrets)} keys of {len(SHAPES)} kinds by six ways in: 0 in {len(files)} files of the home")


def test_every_file_is_for_its_owner_alone(cli: Cli) -> None:  # S15
    old = os.umask(0o022)
    try:
        days_work(cli, secrets=[made("npm", seed) for seed in range(9)])
    finally:
        os.umask(old)
    (cli.home / "export.json").unlink()  # a person said where it goes, and to whom
    modes = {
        str(path.relative_to(cli.home)): stat.S_IMODE(path.stat().st_mode)
        for path in cli.home.rglob("*")
        if not path.is_socket()
    }
    assert stat.S_IMODE(cli.home.stat().st_mode) == 0o700 and len(modes) > 8
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    reached("S15", f"{len(modes)} files and folders of a home: none that anybody else may open")
