"""Files made to hurt whoever reads them are refused, or read with little memory in little time."""

import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

IMPORTER = Path(__file__).with_name("importer.py")


def imported(tmp_path: Path, dialect: str, source: Path) -> str:
    """What an importer with 256 MB and 5 seconds said; it must have come to its end."""
    call = [sys.executable, str(IMPORTER), str(tmp_path / "home"), dialect, str(source)]
    ended = subprocess.run(call, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2_000:]
    return ended.stdout


def _zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../knowledge.jsonl", b"0" * (64 << 20))
    return out.getvalue()


def _yaml_bomb() -> bytes:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    return ("---\n" + "\n".join(lines) + "\n---\nA rule that is said below the head\n").encode()


HOSTILE: dict[str, tuple[str, str, Callable[[], bytes]]] = {  # S9
    "a zip bomb": ("beads", "knowledge.jsonl", _zipped),
    "a gzip bomb": ("beads", "knowledge.jsonl", lambda: gzip.compress(b"0" * (64 << 20))),
    "a yaml bomb": ("claude", "rule.md", _yaml_bomb),
    "deep JSON": ("beads", "knowledge.jsonl", lambda: b"[" * 1_000_000 + b"\n" + b'{"a":' * 500_000),
    "deep JSON in one file": ("mem0", "mem0.json", lambda: b'{"results":' * 200_000 + b"1"),
    "a deep graph": ("server-memory", "memory.json", lambda: b'{"type":"entity","observations":' + b"[" * 500_000),
    "deep front matter": ("claude", "rule.md", lambda: b"---\na: " + b"[" * 500_000 + b"\n---\nbody text\n"),
    "deep quotes": ("rules", "AGENTS.md", lambda: b"> " * 500_000 + b"- a rule\n" + b"- " * 200_000),
    "a million keys": (
        "beads",
        "knowledge.jsonl",
        lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(1_000_000)) + b"}\n",
    ),
    "a million keys in a head": (
        "claude",
        "rule.md",
        lambda: b"---\n" + b"".join(b"k%d: 1\n" % n for n in range(1_000_000)) + b"---\nbody text\n",
    ),
    "one endless line": ("chorus", "learnings.md", lambda: b"## Testing\n- " + b"a " * 5_000_000),
    "very many short lines": ("beads", "knowledge.jsonl", lambda: b"{}\n" * 200_000),
    "numbers without an end": ("beads", "knowledge.jsonl", lambda: b'{"content":"x y","ts":' + b"9" * 1_000_000 + b"}"),
    "a false database": ("dex", "dex.db", lambda: b"SQLite format 3\x00" + b"\xff" * 1_000_000),
    "deep loki": ("loki", ".loki/memory/semantic/patterns.json", lambda: b'{"patterns":' + b"[" * 500_000),
    "no text at all": ("chorus", "learnings.md", lambda: bytes(range(256)) * 40_000),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_or_read_within_its_bounds(tmp_path: Path, what: str) -> None:  # S9
    dialect, name, made = HOSTILE[what]
    source = tmp_path / "in" / name
    source.parent.mkdir(parents=True)
    source.write_bytes(made())

    said = imported(tmp_path, dialect, source)

    assert said.startswith(("refused", "read"))
    outside = {path for path in tmp_path.rglob("*") if path.is_file()} - set(_below(tmp_path / "home"))
    assert outside == {source}, "nothing is written anywhere else"


def test_a_link_that_leads_out_is_refused_and_a_circle_ends(tmp_path: Path) -> None:  # S9
    folder = tmp_path / "in"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "round").symlink_to(folder)
    (folder / "knowledge.jsonl").write_text(json.dumps({"content": "A quirk of the cache", "ts": 1}) + "\n")
    assert imported(tmp_path, "beads", folder) == "read 1 1\n"

    (tmp_path / "secret.jsonl").write_text("{}")
    (folder / "knowledge.archive.jsonl").symlink_to(tmp_path / "secret.jsonl")
    assert imported(tmp_path, "beads", folder).startswith("refused")


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
