"""How a hundred thousand memories get their next version: their texts are changed, and written by a few statements."""

from hindbrain.adapters.postgres.authors import SEAL
from hindbrain.adapters.postgres.codec import column
from hindbrain.adapters.postgres.wire import Db
from hindbrain.core.digest import hasten
from hindbrain.core.model import State
from hindbrain.core.model.filing import Filing, is_superseded, updated
from hindbrain.core.model.moment import stamp
from hindbrain.core.model.record import actor_record, canonical, fingerprint_of
from hindbrain.core.notation import write
from hindbrain.core.trust import QUARANTINED
from hindbrain.errors import Conflict, StoreDamaged
from hindbrain.ports import Changes

_READ = """
SELECT m.seq, m.id, m.trust, m.row_hash, m.data
FROM unnest(%s::text[], %s::int[]) AS g(id, version) JOIN memory m ON m.id = g.id AND m.version = g.version
ORDER BY m.seq
"""
# As JSON, because the driver takes longer to write a list of long texts than all else here together.
_CLOSE = """
UPDATE memory_version v SET until = n.since FROM json_to_recordset(%s::json) AS n(id text, version integer, since text)
WHERE v.memory = n.id AND v.version = n.version
"""
_FILE = f"""
WITH filed AS (
    UPDATE memory m SET state = n.state, version = m.version + 1, row_hash = n.row_hash, data = n.data
    FROM json_to_recordset(%s::json) AS n(seq bigint, state text, since text, row_hash text, data text)
    WHERE m.seq = n.seq RETURNING m.id, m.version, m.project, m.reach, n.since, m.row_hash, m.data
)
INSERT INTO memory_version SELECT id, version, project, reach, since, NULL, %s, %s, row_hash, data,
    {SEAL.format(by="%s::text", why="%s::text")} FROM filed
"""


def put(filing: Filing, changes: Changes, *, db: Db) -> set[int]:
    """Write the next version of all that `filing` names; their numbers. Conflict when one is at another version."""
    hasten()
    ids = [column(key) for key in filing.versions]
    found = db.execute(_READ, (ids, list(filing.versions.values()))).fetchall()
    if len(found) < len(ids):
        known = {key for _, key, *_ in found}
        lost = next(key for key in filing.versions if key not in known)
        raise Conflict(f"{lost} is not at version {filing.versions[lost]}", fix="read it again and repeat the change")
    rewritten, now = filing.rewriting, stamp(filing.at)
    closed: list[dict[str, object]] = []
    filed: list[dict[str, object]] = []
    for seq, key, trust, proof, old in found:
        if fingerprint_of(old) != proof:  # a new hash would fit what is damaged, and nobody would find it again
            raise StoreDamaged.of(f"memory {key}")
        try:
            text, since = rewritten(old), max(now, updated(old))
        except ValueError as error:
            raise StoreDamaged(f"memory {key} cannot be read: {error}", fix="run `hindbrain doctor`") from error
        hash_ = fingerprint_of(text)
        state = str(_state(filing, old, trust=trust))
        closed.append({"id": key, "version": filing.versions[key], "since": since})
        filed.append({"seq": seq, "state": state, "since": since, "row_hash": hash_, "data": text})
    db.execute(_CLOSE, (write(closed),))
    told = canonical(actor_record(changes.by)), changes.change
    db.execute(_FILE.encode(), (write(filed), *told, *told))
    return {seq for seq, *_ in found}


def _state(filing: Filing, text: str, *, trust: int) -> State:
    if filing.reason:
        return State.ARCHIVED
    if is_superseded(text):
        return State.SUPERSEDED
    return State.QUARANTINED if trust == QUARANTINED else State.LIVE
