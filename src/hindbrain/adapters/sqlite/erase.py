"""How a text is really forgotten: every copy overwritten, then the files themselves searched for it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import apsw

from hindbrain.adapters.sqlite.engine import teach, transaction
from hindbrain.adapters.sqlite.schema import last, refuse_strangers, shipped, version
from hindbrain.core.hints import NamedTuple
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.receipt import FORGOTTEN
from hindbrain.errors import StoreDamaged, UnknownMemory
from hindbrain.ports import Erasure

_PIECE, _PIECES = 64, 8  # characters of a piece, and pieces of a text, by which it is sought
_TELLING = 12  # a shorter text ("use tabs") stands in other places by chance
_TELLING_CODE = 32  # so many different numbers of a vector stand nowhere else by chance
_COPIES = (
    "DELETE FROM event WHERE instr(data ->> '$.content', :text)",
    "UPDATE injection SET query = :blank WHERE instr(query, :text)",
    "UPDATE receipt SET text = :blank, reason = :reason WHERE instr(text, :text)",
)
# Agents' doings are kept cut to a length, so a piece of the text is sought in them, not the whole; in JSON, the piece
# as it is written there. A job that carried the text has nothing left to do.
_TRACES = (
    "UPDATE activity SET subject = :blank WHERE instr(subject, :piece)",
    "UPDATE activity SET detail = :blank WHERE instr(detail, :piece)",
    "UPDATE activity SET data = '{}' WHERE instr(data, :json)",
    "UPDATE outcome SET note = :blank WHERE instr(note, :piece)",
    "UPDATE anchor SET note = :blank WHERE instr(note, :piece)",
    "UPDATE job SET payload = '{}', state = 'done', error = :blank WHERE instr(payload, :json)",
    "UPDATE job SET error = :blank WHERE instr(error, :piece)",
    "UPDATE paper SET data = '{}' WHERE instr(data, :json)",
    "UPDATE cursor SET value = :blank WHERE instr(value, :piece)",
    # What was proposed in these words, and files that held them. What is a rule by now is the person's: their file
    # stays as it is, but it cannot be undone from here any more.
    "UPDATE suggestion SET data = json_set(data, '$.title', :blank, '$.text', :blank, '$.note', '',"
    " '$.data', json('{}')) WHERE instr(data, :json)",
    "DELETE FROM suggestion_edit WHERE instr(CAST(before AS TEXT), :piece) OR instr(CAST(after AS TEXT), :piece)",
    "UPDATE workstream SET title = :blank WHERE instr(title, :piece)",
    "UPDATE workstream SET data = '{}' WHERE instr(data, :json)",
    "DELETE FROM reply WHERE instr(body, :json)",
)
_TABLES = (
    "DELETE FROM saying WHERE memory = ?1",
    "DELETE FROM link WHERE source = ?1 OR target = ?1",
    "DELETE FROM injection_item WHERE memory = ?1",
    "DELETE FROM outcome WHERE memory = ?1",
    "DELETE FROM anchor WHERE memory = ?1",
    "DELETE FROM review WHERE memory = ?1 OR other = ?1",
    "DELETE FROM suggestion_edit WHERE suggestion IN (SELECT id FROM suggestion WHERE scar = ?1)",
    "DELETE FROM suggestion WHERE scar = ?1",
    "DELETE FROM memory_version WHERE memory = ?1",
    "DELETE FROM event WHERE memory = ?1",
    "DELETE FROM vector WHERE (scope, memory) IN"
    " (SELECT c.scope, c.memory FROM memory m JOIN memory_scope c ON c.memory = m.seq WHERE m.id = ?1)"
    " AND space IN (SELECT seq FROM space)",
    "DELETE FROM memory WHERE id = ?1",
)


class _Lost(NamedTuple):
    """What nobody is to read any more."""

    memory_id: str
    texts: Sequence[str]


def erase(db: apsw.Connection, memory_ids: Sequence[str], *, path: Path, backups: Path, at: datetime) -> Erasure:
    """Remove memories from the database, its log and its backups. The caller holds the gate.

    Receipts stay, without their text: they keep the same transcript from teaching it again.
    """
    words = [_words(db, memory_id) for memory_id in memory_ids]
    lost, codes = _lost(db, memory_ids), _codes(db, memory_ids)
    copies = [copy for copy in sorted(backups.glob("*.db")) if not _is_foreign(copy)] if backups.is_dir() else []
    broken = [copy for copy in copies if not _is_cleaned(copy, lost, at=at, current=version(db))]
    removed = _remove(db, lost, at=at)
    files = [path, path.with_name(path.name + "-wal"), *(copy for copy in copies if copy not in broken)]
    remaining = _found(_needles(lost, words), codes, files=files)
    return Erasure(
        rows=removed,
        backups=tuple(str(copy) for copy in copies if copy not in broken),
        found_in=(*remaining, *(f"{copy} (it cannot be read; delete it)" for copy in broken)),
    )


def _words(db: apsw.Connection, memory_id: str) -> str:
    for (words,) in db.execute("SELECT content_words FROM memory WHERE id = ?", (memory_id,)):
        return str(words)
    raise UnknownMemory(f"there is no memory {memory_id}", fix="`hindbrain list --all` shows their ids")


def cleaned(folder: Path, memory_ids: Sequence[str], *, at: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take memories out of the copies in a folder: those that were cleaned, and those that still hold a text."""
    done, remaining = [], []
    for copy in sorted(folder.glob("*.db")):
        if _is_foreign(copy):
            continue
        lost = _lost_in(copy, memory_ids)
        if lost is None or not _is_cleaned(copy, lost, at=at, current=last(shipped())):
            remaining.append(f"{copy} (it cannot be read; delete it)")
        else:
            done.append(str(copy))
            remaining += _found(_needles(lost, ()), [], files=[copy])
    return tuple(done), tuple(remaining)


def _lost_in(path: Path, memory_ids: Sequence[str]) -> list[_Lost] | None:
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return _lost(db, memory_ids)
        finally:
            db.close()
    except apsw.Error:
        return None


def _lost(db: apsw.Connection, memory_ids: Sequence[str]) -> list[_Lost]:
    return [_Lost(memory_id, _texts(db, memory_id)) for memory_id in memory_ids]


def _texts(db: apsw.Connection, memory_id: str) -> list[str]:
    """Every wording that this memory ever had."""
    found: set[str] = set()
    for (data,) in db.execute("SELECT data FROM memory_version WHERE memory = ?", (memory_id,)):
        record = json.loads(data)
        found |= {record["content"], record["title"].removesuffix("...")}
    return sorted(found)


def _codes(db: apsw.Connection, memory_ids: Sequence[str]) -> list[str]:
    """The beginnings of their vectors, in hex: much of a text can be guessed from its vector.

    Without those that another memory has as well: different words can mean the same.
    """
    gone = "(SELECT seq FROM memory WHERE id IN (SELECT value FROM json_each(?1)))"
    query = f"SELECT code FROM vector WHERE memory IN {gone} EXCEPT SELECT code FROM vector WHERE memory NOT IN {gone}"
    codes = [bytes(code) for (code,) in db.execute(query, (json.dumps(list(memory_ids)),))]
    return [code[:_PIECE].hex() for code in codes if len(set(code[:_PIECE])) >= _TELLING_CODE]


def _needles(lost: Sequence[_Lost], words: Sequence[str]) -> list[str]:
    """The texts as they may lie in a file: as such, in JSON, and as search words."""
    telling = {text for text in (*(text for one in lost for text in one.texts), *words) if len(text) >= _TELLING}
    pieces = {piece for text in telling for piece in _pieces(text)}
    return sorted(pieces | {json.dumps(piece)[1:-1] for piece in pieces})


def _pieces(text: str) -> Iterator[str]:
    """A long text lies in a file on several pages, so it is sought by pieces from all over it."""
    step = max(_PIECE, len(text) // _PIECES)
    yield from (text[at : at + _PIECE] for at in range(0, max(1, len(text) - _PIECE + 1), step))


def _remove(db: apsw.Connection, lost: Sequence[_Lost], *, at: datetime) -> int:
    with transaction(db):
        count = sum(_remove_one(db, one, reason=f"forgotten by a person on {stamp(at)}") for one in lost)
        db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return count


def _remove_one(db: apsw.Connection, lost: _Lost, *, reason: str) -> int:
    count = 0
    query = "SELECT DISTINCT data ->> '$.chorus_hash' FROM memory_version WHERE memory = ?"
    hashes = [str(value) for (value,) in db.execute(query, (lost.memory_id,))]
    for statement in _TABLES:
        db.execute(statement, (lost.memory_id,))
        count += db.changes()
    db.execute("UPDATE receipt SET text = ?, reason = ? WHERE memory = ?", (FORGOTTEN, reason, lost.memory_id))
    for name in (lost.memory_id, *hashes):  # sentences about it: which value stands in the place of which
        db.execute("UPDATE receipt SET reason = ? WHERE instr(reason, ?)", (FORGOTTEN, name))
        db.execute("DELETE FROM event WHERE instr(data, ?)", (name,))
        db.execute("UPDATE link SET reason = ? WHERE instr(reason, ?)", (FORGOTTEN, name))
    for text in (text for text in lost.texts if len(text) >= _TELLING):
        for statement in _COPIES:
            db.execute(statement, {"text": text, "blank": FORGOTTEN, "reason": reason})
        _blank_traces(db, text)
    for text in lost.texts:  # however short: a text that is nothing but this one is a copy
        db.execute("DELETE FROM event WHERE data ->> '$.content' = ?", (text,))
    return count


def _blank_traces(db: apsw.Connection, text: str) -> None:
    for piece in _pieces(text):
        escaped = json.dumps(piece, ensure_ascii=False)[1:-1]
        for statement in _TRACES:
            db.execute(statement, {"piece": piece, "json": escaped, "blank": FORGOTTEN})


def _is_foreign(path: Path) -> bool:
    """Whether another program made it: then it is not ours to clean, and surely not to delete."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            refuse_strangers(db, str(path))
        finally:
            db.close()
    except StoreDamaged:
        return True
    except apsw.Error:
        return False
    return False


def _is_cleaned(path: Path, lost: Sequence[_Lost], *, at: datetime, current: int) -> bool:
    """Take the memories out of a backup; one with an older schema, whose tables we no longer know, is deleted."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            is_known = version(db) == current
            if is_known:
                db.pragma("secure_delete", 1)
                teach(db)
                _remove(db, lost, at=at)
        finally:
            db.close()
    except apsw.Error:
        return False
    if not is_known:
        path.unlink()
    return True


def _found(needles: list[str], codes: list[str], *, files: list[Path]) -> tuple[str, ...]:
    """Files that still hold one of the texts or vectors, searched byte by byte in a process of its own.

    Not in this one: closing a descriptor on a database drops the locks that this process holds on it.
    """
    request = json.dumps({"needles": needles, "codes": codes, "files": [str(file) for file in files if file.exists()]})
    search = subprocess.run(
        [sys.executable, "-I", "-c", _SEARCH], input=request, capture_output=True, text=True, check=True
    )
    return tuple(json.loads(search.stdout))


_SEARCH = """
import json, sys
asked = json.load(sys.stdin)
sought = [needle.encode("utf-8", "surrogatepass") for needle in asked["needles"]]
sought += [bytes.fromhex(code) for code in asked["codes"]]
found = []
for name in asked["files"]:
    with open(name, "rb") as file:
        data = file.read()
    if any(needle in data for needle in sought):
        found.append(name)
json.dump(found, sys.stdout)
"""
