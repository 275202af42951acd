"""Files that were damaged: whatever is left whole is read, whatever is not is told, and nobody is taken down by it."""

import json
import random
from pathlib import Path

from building import NOW
from tier import a_seed, figure, reached

from hindbrain.adapters.spool import FileSpool
from hindbrain.core.model.foreign import Fate
from hindbrain.dialects import dialect
from hindbrain.ports import Record, Spoiled

COUNT = 30


def damaged(whole: bytes, chance: random.Random) -> tuple[bytes, range]:
    """A flipped bit, a sector of noise or an end that is missing; and which bytes are concerned."""
    at = chance.randrange(len(whole))
    match chance.randrange(3):
        case 0:
            flipped = whole[at] ^ (1 << chance.randrange(8))
            return whole[:at] + bytes([flipped]) + whole[at + 1 :], range(at, at + 1)
        case 1:
            start = at // 512 * 512
            noise = chance.randbytes(min(512, len(whole) - start))
            return whole[:start] + noise + whole[start + len(noise) :], range(start, start + len(noise))
        case _:
            return whole[:at], range(at, len(whole))


def spared(lines: list[bytes], hit: range) -> list[bytes]:
    """Those that the damage does not touch, nor the line break before or behind them."""
    found, start = [], 0
    for line in lines:
        end = start + len(line)
        if hit.stop <= start - 1 or hit.start >= end:
            found.append(line)
        start = end
    return found


def test_a_damaged_spool_gives_every_record_that_is_whole_and_tells_of_the_rest(tmp_path: Path) -> None:  # R8
    seed = a_seed()
    chance = random.Random(seed)
    spool = FileSpool(tmp_path)
    payloads = [json.dumps({"n": n, "text": "x" * chance.randrange(200)}).encode() for n in range(COUNT)]
    for payload in payloads:
        spool.append("claude", payload, at=NOW)
    whole = (tmp_path / "current").read_bytes()
    lines = whole.splitlines(keepends=True)
    rounds = figure(250, 1_000)
    name = "drain-00000000000000000001-00000000"
    for _ in range(rounds):
        broken, hit = damaged(whole, chance)
        (tmp_path / name).write_bytes(broken)
        found = list(spool.records(name))
        read = [one.payload for one in found if isinstance(one, Record)]
        assert set(read) <= set(payloads) and len(read) == len(set(read)), "nothing is made up"
        assert {line.split(b" ", 4)[4][:-1] for line in spared(lines, hit)} <= set(read)
        told = any(isinstance(one, Spoiled) or one.lost for one in found)
        assert told or len(read) == len(payloads) or len(broken) < len(whole)
    reached("R8", f"{rounds:,} damages of a spool: every whole record read, 0 made up", seed=seed)


def test_a_damaged_file_of_lines_gives_every_line_that_is_whole_and_names_the_others(tmp_path: Path) -> None:  # R8
    seed = a_seed()
    chance = random.Random(seed)
    lines = [
        json.dumps(
            {"key": f"k{n}", "type": "learned", "content": f"A quirk q{n:03d} of part {n * 7919}", "ts": n}
        ).encode()
        + b"\n"
        for n in range(COUNT)
    ]
    whole = b"".join(lines)
    rounds = figure(250, 1_000)
    for _ in range(rounds):
        broken, hit = damaged(whole, chance)
        reading = dialect("beads").read({"knowledge.jsonl": broken})
        told = {one.content for one in reading.told}
        assert {json.loads(line)["content"] for line in spared(lines, hit)} <= told
        assert all(item.reason and item.where for item in reading.items if item.fate is Fate.REJECTED)
    reached("R8", f"{rounds:,} damages of a file of JSON lines: every whole line read, the others named", seed=seed)
