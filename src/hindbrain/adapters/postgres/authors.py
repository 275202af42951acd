"""How damage of who made a version, and why, is found and mended: by a seal that is written with it and never again."""

from collections.abc import Iterator

from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.model.record import actor_of, actor_record, canonical, from_record
from hindbrain.core.notation import read
from hindbrain.ports import Whole

SEAL = 'hashtextextended(({by} || chr(10) || {why}) COLLATE "C", 0)'  # of two texts
_FITS = SEAL.format(by="changed_by", why="change")
_BROKEN = f"FROM memory_version WHERE seal <> {_FITS}"  # one from before there were seals has none
_PUT = "UPDATE memory_version SET changed_by = %s, change = %s WHERE memory = %s AND version = %s"
_EXACT = f"{_PUT} AND seal = {SEAL.format(by='%s::text', why='%s::text')}"
_SEALED = f"UPDATE memory_version SET seal = {_FITS} WHERE memory = %s AND version = %s"

Place = tuple[str, int]  # memory and version


def count(db: Db) -> int:
    ((found,),) = db.execute(f"SELECT count(*) {_BROKEN}".encode()).fetchall()
    return int(found)


def broken(db: Db) -> list[Place]:
    return db.execute(f"SELECT memory, version {_BROKEN} ORDER BY memory, version".encode()).fetchall()


def restore(db: Db, source: Whole) -> Iterator[Place]:
    """Put back what a backup has just as it was sealed; which."""
    for memory, version in broken(db):
        for one in source.history(memory):
            told = canonical(actor_record(one.changed_by)), one.change
            if one.memory.version == version and db.execute(_EXACT.encode(), (*told, memory, version, *told)).rowcount:
                yield memory, version


def settle(db: Db) -> Iterator[tuple[Place, bool]]:
    """Keep what is still damaged as it reads. Who cannot be read any more is taken to be who taught what the version
    says; whether that was necessary."""
    for place in broken(db):
        sql = "SELECT changed_by, change, data FROM memory_version WHERE memory = %s AND version = %s"
        ((by, why, data),) = db.execute(sql, place).fetchall()
        is_lost = not _reads(by)
        if is_lost:
            teacher = canonical(actor_record(from_record(read(data)).provenance.actor))
            db.execute(_PUT, (teacher, why, *place))
        db.execute(_SEALED.encode(), place)
        yield place, is_lost


def _reads(by: str) -> bool:
    try:
        actor_of(read(by))
    except (ValueError, KeyError, TypeError):
        return False
    return True
