"""How a text is really forgotten: every copy overwritten, then the files themselves searched for it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import apsw

from hindbrain.adapters.sqlite.schema import version
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.receipt import FORGOTTEN
from hindbrain.errors import UnknownMemory
from hindbrain.ports import Erasure

_TELLING = 12  # a shorter text ("use tabs") stands in other places by chance
_COPIES = (
    "DELETE FROM event WHERE instr(data ->> '$.content', :text)",
    "UPDATE injection SET query = :blank WHERE instr(query, :text)",
    "UPDATE receipt SET text = :blank, reason = :reason WHERE instr(text, :text)",
)
_TABLES = (
    "DELETE FROM saying WHERE memory = ?1",
    "DELETE FROM link WHERE source = ?1 OR target = ?1",
    "DELETE FROM injection_item WHERE memory = ?1",
    "DELETE FROM review WHERE memory = ?1 OR other = ?1",
    "DELETE FROM memory_version WHERE memory = ?1",
    "DELETE FROM event WHERE memory = ?1",
    "DELETE FROM memory WHERE id = ?1",
)


def erase(db: apsw.Connection, memory_id: str, *, path: Path, backups: Path, at: datetime) -> Erasure:
    """Remove the memory from the database, its log and its backups. The caller holds the gate.

    Receipts stay, without their text: they keep the same transcript from teaching it again.
    """
    found = db.execute("SELECT content_words FROM memory WHERE id = ?", (memory_id,)).fetchall()
    if not found:
        raise UnknownMemory(f"there is no memory {memory_id}", fix="`hindbrain list --all` shows their ids")
    texts = _texts(db, memory_id)
    removed = _remove(db, memory_id, texts=texts, at=at)
    cleaned = []
    for backup in sorted(backups.glob("*.db")) if backups.is_dir() else ():
        _clean_backup(backup, memory_id, texts=texts, at=at, current=version(db))
        cleaned.append(str(backup))
    files = [path, path.with_name(path.name + "-wal"), *(Path(name) for name in cleaned)]
    return Erasure(rows=removed, backups=tuple(cleaned), found_in=_found(_needles(texts, found[0][0]), files))


def _texts(db: apsw.Connection, memory_id: str) -> list[str]:
    """Every wording that this memory ever had."""
    found: set[str] = set()
    for (data,) in db.execute("SELECT data FROM memory_version WHERE memory = ?", (memory_id,)):
        record = json.loads(data)
        found |= {record["content"], record["title"].removesuffix("...")}
    return sorted(found)


def _needles(texts: Sequence[str], words: object) -> list[str]:
    """The texts as they may lie in a file: as such, in JSON, and as search words."""
    telling = {text for text in (*texts, str(words)) if len(text) >= _TELLING}
    return sorted(telling | {json.dumps(text)[1:-1] for text in telling})


def _remove(db: apsw.Connection, memory_id: str, *, texts: Sequence[str], at: datetime) -> int:
    count = 0
    reason = f"forgotten by a person on {stamp(at)}"
    query = "SELECT DISTINCT data ->> '$.chorus_hash' FROM memory_version WHERE memory = ?"
    hashes = [str(value) for (value,) in db.execute(query, (memory_id,))]
    with db:
        for statement in _TABLES:
            db.execute(statement, (memory_id,))
            count += db.changes()
        db.execute("UPDATE receipt SET text = ?, reason = ? WHERE memory = ?", (FORGOTTEN, reason, memory_id))
        for name in (memory_id, *hashes):  # sentences about it: which value stands in the place of which
            db.execute("UPDATE receipt SET reason = ? WHERE instr(reason, ?)", (FORGOTTEN, name))
            db.execute("DELETE FROM event WHERE instr(data, ?)", (name,))
            db.execute("UPDATE link SET reason = ? WHERE instr(reason, ?)", (FORGOTTEN, name))
        for text in (text for text in texts if len(text) >= _TELLING):
            for statement in _COPIES:
                db.execute(statement, {"text": text, "blank": FORGOTTEN, "reason": reason})
        db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return count


def _clean_backup(path: Path, memory_id: str, *, texts: Sequence[str], at: datetime, current: int) -> None:
    """Take the memory out of a backup; one with an older schema, whose tables we no longer know, is deleted."""
    db = apsw.Connection(str(path))
    try:
        is_known = version(db) == current
        if is_known:
            db.execute("PRAGMA secure_delete = ON")
            _remove(db, memory_id, texts=texts, at=at)
    finally:
        db.close()
    if not is_known:
        path.unlink()


def _found(needles: list[str], files: list[Path]) -> tuple[str, ...]:
    """Files that still hold one of the texts, searched byte by byte in a process of its own.

    Not in this one: closing a descriptor on a database drops the locks that this process holds on it.
    """
    request = json.dumps({"needles": needles, "files": [str(file) for file in files if file.exists()]})
    search = subprocess.run(
        [sys.executable, "-I", "-c", _SEARCH], input=request, capture_output=True, text=True, check=True
    )
    return tuple(json.loads(search.stdout))


_SEARCH = """
import json, sys
asked = json.load(sys.stdin)
found = []
for name in asked["files"]:
    with open(name, "rb") as file:
        data = file.read()
    if any(needle.encode("utf-8", "surrogatepass") in data for needle in asked["needles"]):
        found.append(name)
json.dump(found, sys.stdout)
"""
