"""How ours is used on a server when it is large: two schemas, filled by COPY as a dump would be read in.

The graph of each space is taken away before and built again afterwards, as anybody does who fills a table in bulk; not
where there are so many that this would take an hour, since no project is then large enough to be asked through it.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from bench.peers.spread import AT, MOST_IN_ONE, ONE, SPACE, Spread, memory_of
from bench.peers.subject import DIMENSIONS, Item, Lookup, Outside
from hindbrain.adapters.postgres import PostgresStore, words
from hindbrain.adapters.postgres.writer import COLUMNS, hashed, row
from hindbrain.core.model import Actor, Memory, Vector
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, canonical

PACKAGES = ("hindbrain", "psycopg")
SERVER = "server.json"  # beside the store's folder: where the server is that was started for it


def open_subject(folder: Path, *, lookup: Lookup) -> "OnServer":
    server = json.loads((folder.parent / SERVER).read_text(encoding="utf-8"))
    stores = [f"{server['url']}?options={quote(f'-csearch_path={name},public')}" for name in ("many", "one")]
    with psycopg.connect(server["url"], autocommit=True) as db:
        db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        for name in ("many", "one"):
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {name}".encode())
    return OnServer(stores, lookup=lookup, server=int(server["pid"]))


class OnServer(Spread):
    def __init__(self, stores: Sequence[str], *, lookup: Lookup, server: int) -> None:
        super().__init__(stores, make=_Schema, lookup=lookup, most=MOST_IN_ONE)
        self._server = server

    def outside(self) -> Outside:
        """Of all processes of the server, those that have ended included."""
        processes = [self._server, *_children(self._server)]
        spent = sum(map(_cpu_ms, processes)) + _ended_ms(self._server)
        return Outside(cpu_ms=spent, memory=sum(map(_own_bytes, processes)))

    def disk(self) -> int:
        """Of the store with many projects."""
        with psycopg.connect(self._stores[0]) as db:
            ((kept,),) = db.execute(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
            ).fetchall()
        return int(kept)


class _Schema:
    def __init__(self, url: str) -> None:
        self._store = PostgresStore(url)
        self._store.expect(SPACE)
        self._db: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(url)
        ((self._space,),) = self._db.execute("SELECT seq FROM space").fetchall()
        self._db.execute(f"DROP INDEX IF EXISTS idx_space_{self._space}".encode())
        self._db.execute("SET synchronous_commit = off")
        self._scopes: dict[str, int] = dict(self._db.execute("SELECT id, seq FROM project").fetchall())
        self._holders: Counter[str] = Counter()
        self._memories = self._size = 0
        ((self._last,),) = self._db.execute("SELECT coalesce(max(seq), 0) FROM memory").fetchall()
        self._db.commit()  # or to vacuum the other place would wait for this one, which may get nothing more

    def pour(self, memories: Sequence[Memory], vectors: Sequence[Vector]) -> None:
        for name in sorted({memory.project for memory in memories} - set(self._scopes)):
            self._store.adopt([f"name:{name}"], name=name, project_id=name, at=AT)
            ((self._scopes[name],),) = self._db.execute("SELECT seq FROM project WHERE id = %s", (name,)).fetchall()
        rows = [self._numbered(memory) for memory in memories]
        self._copy(f"memory ({', '.join(COLUMNS)})", (values for _, values in rows))
        self._copy(_VERSIONS, (_version(memory, values) for memory, values in zip(memories, rows, strict=True)))
        self._copy("posting (scope, term, memory, often, size)", (p for one in rows for p in _postings(*one)))
        self._copy(_EMBEDDINGS, (self._vector(v, values) for v, (_, values) in zip(vectors, rows, strict=True)))
        self._db.commit()

    def _numbered(self, memory: Memory) -> tuple[words.Found, tuple[Any, ...]]:
        found = _found(memory.content)
        self._last += 1
        self._memories += 1
        self._size += found.size
        self._holders.update(found.often.keys())
        return found, row(memory, number=self._last, scope=self._scopes[memory.project], found=found)

    def _vector(self, vector: Vector, values: tuple[Any, ...]) -> tuple[Any, ...]:
        code = str(list(memoryview(vector.code).cast("b")))
        seq, scope = values[0], values[3]
        return (self._space, scope, seq, 0, vector.start, vector.end, vector.digest, float(vector.scale), code)

    def _copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        with self._db.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy:
            for values in rows:
                copy.write_row(values)

    def settle(self) -> None:
        self._db.execute("CREATE TEMP TABLE held (term text, holders bigint) ON COMMIT DROP")
        self._copy("held", iter(self._holders.items()))
        self._db.execute(
            "INSERT INTO term SELECT * FROM held ON CONFLICT (term) DO UPDATE"
            " SET holders = term.holders + excluded.holders"
        )
        self._db.execute("UPDATE tally SET memories = memories + %s, size = size + %s", (self._memories, self._size))
        self._db.execute("SELECT setval('memory_number', %s)", (self._last,))
        self._db.execute("DELETE FROM embedding_due")
        if self._last <= MOST_IN_ONE + 1_000:
            self._db.execute("SET maintenance_work_mem = '1GB'")
            self._db.execute(
                f"CREATE INDEX idx_space_{self._space} ON embedding USING hnsw"
                f" ((code::halfvec({DIMENSIONS})) halfvec_cosine_ops) WHERE space = {self._space}".encode()
            )
        self._db.commit()
        self._db.autocommit = True
        self._db.execute("VACUUM ANALYZE")
        self._db.execute("CHECKPOINT")

    def close(self) -> None:
        self._db.close()
        self._store.close()


_VERSIONS = "memory_version (memory, version, project, reach, since, until, changed_by, change, row_hash, data)"
_EMBEDDINGS = "embedding (space, scope, memory, piece, start, stop, digest, scale, code)"


def _version(memory: Memory, numbered: tuple[words.Found, tuple[Any, ...]]) -> tuple[Any, ...]:
    values = numbered[1]
    by = canonical(actor_record(Actor()))
    data = values[-1]
    return (memory.id, 1, memory.project, str(memory.reach), stamp(AT), None, by, "added", hashed(data), data)


def _postings(found: words.Found, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    seq, scope = values[0], values[3]
    return ((scope, term, seq, often, found.size) for term, often in found.often.items())


@lru_cache(maxsize=200_000)
def _found(content: str) -> words.Found:
    """The terms of a text, which comes in many projects."""
    return words.found_by(memory_of(Item(number=0, text=content, project=ONE, vector=[])))


def _children(pid: int) -> list[int]:
    return [int(one) for one in _told(f"/proc/{pid}/task/{pid}/children").split()]


def _cpu_ms(pid: int) -> float:
    return int((_told(f"/proc/{pid}/schedstat") or "0").split()[0]) / 1e6


def _ended_ms(pid: int) -> float:
    """Of its children that are no more."""
    fields = _told(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return 1000 * sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")


def _own_bytes(pid: int) -> int:
    """Its share of what several hold in common included."""
    lines = _told(f"/proc/{pid}/smaps_rollup").splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _told(path: str) -> str:
    """Empty where there is no such process, or no longer."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
