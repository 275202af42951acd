"""What hooks leave is read once, whole, and in order; what was cut short spoils nothing else."""

import errno
import fcntl
import json
import os
import threading
from binascii import crc32
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW
from hooking import read_all
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindbrain.adapters import spool as spools
from hindbrain.adapters.spool import FileSpool
from hindbrain.errors import ReadOnly
from hindbrain.ports import Record, Spoiled

MS = int(NOW.timestamp() * 1000)


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path / "spool")


def line(payload: bytes, *, client: bytes = b"claude") -> bytes:
    return b"1 %b %d %08x %b\n" % (client, MS, crc32(payload), payload)


def left(folder: Path, raw: bytes) -> None:
    """As hooks of another process would have."""
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "current").open("ab") as file:
        file.write(raw)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payloads=st.lists(st.binary(max_size=200), min_size=1, max_size=6))
def test_whatever_was_left_comes_back_in_order(spool: FileSpool, payloads: list[bytes]) -> None:
    for payload in payloads:
        spool.append("claude", payload, at=NOW)
    (name,) = spool.claim()
    found = list(spool.records(name))
    assert [one.payload for one in found if isinstance(one, Record)] == [
        payload.replace(b"\r", b" ").replace(b"\n", b" ") for payload in payloads
    ]
    assert {(one.client, one.at) for one in found if isinstance(one, Record)} == {("claude", NOW)}
    assert spool.finish(name, at=found[-1].end) and not spool.claim()


# S15
def test_only_its_user_can_read_it(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b"{}", at=NOW)
    spool.set_aside("odd")
    folder = tmp_path / "spool"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_what_comes_after_a_claim_goes_into_another_file(spool: FileSpool) -> None:
    spool.append("claude", b"first", at=NOW)
    (first,) = spool.claim()
    spool.append("codex", b"second", at=NOW)
    names = spool.claim()
    assert names[0] == first and [list(read_all(spool, name)) for name in names] == [[b"first"], [b"second"]]


def test_reading_goes_on_behind_what_was_read(spool: FileSpool) -> None:
    for payload in (b"one", b"two", b"three"):
        spool.append("claude", payload, at=NOW)
    (name,) = spool.claim()
    first, second, third = spool.records(name)
    assert list(spool.records(name, after=first.end)) == [second, third]
    assert not spool.finish(name, at=second.end) and spool.claim() == [name]
    assert spool.finish(name, at=third.end)


# R8
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (line(b"whole") + line(b"cut short")[:-7], [b"whole", None]),
        (line(b"whole")[:-1], [b"whole"]),  # only its end is missing
        (line(b"flipped").replace(b"flipped", b"flopped") + line(b"whole"), [None, b"whole"]),
        (b"\n" + line(b"whole"), [None, b"whole"]),
        (b"nonsense\n\0\xff\n" + line(b"whole"), [None, None, b"whole"]),
        (line(b"old").replace(b"1 claude", b"2 claude", 1) + line(b"whole"), [None, b"whole"]),
    ],
    ids=["torn", "unended", "flipped", "empty", "nonsense", "another version"],
)
def test_a_line_that_is_none_costs_no_other(
    spool: FileSpool, tmp_path: Path, raw: bytes, expected: list[bytes | None]
) -> None:
    left(tmp_path / "spool", raw)
    (name,) = spool.claim()
    found = list(spool.records(name))
    assert [one.payload if isinstance(one, Record) else None for one in found] == expected
    assert spool.finish(name, at=found[-1].end)


# R8
def test_a_record_behind_one_that_was_cut_short_is_found_in_the_same_line(spool: FileSpool, tmp_path: Path) -> None:
    left(tmp_path / "spool", line(b'{"a": 1}')[:-5] + line(b'{"b": 2}'))
    (name,) = spool.claim()
    (found,) = spool.records(name)
    assert isinstance(found, Record) and found.payload == b'{"b": 2}' and found.lost.startswith(b"1 claude")


def test_a_line_that_somebody_may_still_be_writing_is_left_to_him(spool: FileSpool, tmp_path: Path) -> None:
    left(tmp_path / "spool", line(b"whole") + line(b"half")[:9])
    writer = os.open(tmp_path / "spool" / "current", os.O_WRONLY | os.O_APPEND)
    fcntl.flock(writer, fcntl.LOCK_SH)
    (name,) = spool.claim()
    (whole,) = spool.records(name)
    assert isinstance(whole, Record) and not spool.finish(name, at=whole.end)
    os.write(writer, line(b"half")[9:])
    os.close(writer)
    (half,) = spool.records(name, after=whole.end)
    assert isinstance(half, Record) and half.payload == b"half" and spool.finish(name, at=half.end)


def test_a_file_is_kept_while_somebody_may_still_write_to_it(spool: FileSpool, tmp_path: Path) -> None:
    left(tmp_path / "spool", line(b"whole"))
    writer = os.open(tmp_path / "spool" / "current", os.O_WRONLY | os.O_APPEND)
    fcntl.flock(writer, fcntl.LOCK_SH)
    (name,) = spool.claim()
    (whole,) = spool.records(name)
    assert not spool.finish(name, at=whole.end)
    os.close(writer)
    assert spool.finish(name, at=whole.end)


# R16
def test_a_clock_that_goes_back_does_not_change_the_order(spool: FileSpool, tmp_path: Path) -> None:
    future = tmp_path / "spool" / f"drain-{10**19:020d}-00000000"
    left(tmp_path / "spool", line(b"old"))
    (tmp_path / "spool" / "current").rename(future)
    spool.append("claude", b"new", at=NOW)
    assert [list(read_all(spool, name)) for name in spool.claim()] == [[b"old"], [b"new"]]


def test_a_spool_that_nobody_has_written_to_is_empty(spool: FileSpool) -> None:
    assert spool.claim() == []
    empty = {"path": "", "waiting_bytes": "0", "oldest": "", "bad_bytes": "0", "kept_bytes": "0"}
    assert {**spool.vitals(), "path": ""} == empty and not spool.kept() and not spool.replay()


def test_a_person_sees_how_much_waits_and_since_when(spool: FileSpool) -> None:
    spool.append("claude", b"{}", at=NOW)
    spool.claim()
    spool.append("claude", b"{}", at=NOW + timedelta(hours=1))
    told = spool.vitals()
    assert told["oldest"] == "2026-01-10T09:30:00.000Z" and int(told["waiting_bytes"]) > 60


def test_of_very_many_bad_lines_the_latest_are_kept(spool: FileSpool, tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    for number in range(7):
        spool.set_aside(f"{number} " + "x" * 1_000_000)
    kept = (tmp_path / "spool" / "bad").read_text().splitlines()
    assert kept[-1].startswith("6 ") and len(kept) < 7 and int(spool.vitals()["bad_bytes"]) < 5_000_000


# R21
def test_ten_megabytes_of_nonsense_are_read_in_one_go(spool: FileSpool, tmp_path: Path) -> None:
    left(tmp_path / "spool", b"1 claude 1 00000000 " * 500_000 + b"\n" + line(b"whole"))
    (name,) = spool.claim()
    assert list(read_all(spool, name)) == [None, b"whole"]


def test_a_spoiled_line_is_a_value(spool: FileSpool, tmp_path: Path) -> None:
    left(tmp_path / "spool", b"nonsense\n")
    (name,) = spool.claim()
    assert list(spool.records(name)) == [Spoiled(end=9, line=b"nonsense")]


@pytest.mark.parametrize("text", ["the launch code is seven", 'said "seven" — ⚙ twice', "two\nlines of it"])
def test_a_text_to_be_forgotten_is_found_however_it_is_written(spool: FileSpool, tmp_path: Path, text: str) -> None:
    spool.append("claude", b"{}", at=NOW)
    assert spool.forget([text]) == []
    spool.set_aside(f"torn {text}")
    spool.set_aside("another line")
    for number, written in enumerate((json.dumps({"a": text}), json.dumps({"a": text}, ensure_ascii=False))):
        spool.append("claude", written.encode(), at=NOW)
        (name,) = spool.claim()[number:]
        assert str(tmp_path / "spool" / name) in spool.forget([text])
    assert (tmp_path / "spool" / "bad").read_text() == "another line\n"


def test_threads_that_share_a_spool_lose_nothing_while_somebody_takes_it_up(spool: FileSpool, tmp_path: Path) -> None:
    """One handle for all of them: who is done must not unlock the file for who is not."""
    taker = FileSpool(tmp_path / "spool")
    threads = [
        threading.Thread(
            target=lambda name=name: [spool.append("claude", b"%d-%d" % (name, n), at=NOW) for n in range(40)]
        )
        for name in range(8)
    ]
    for thread in threads:
        thread.start()
    found: list[bytes] = []
    while not found or any(thread.is_alive() for thread in threads) or taker.vitals()["waiting_bytes"] != "0":
        for name in taker.claim():
            records = [record for record in taker.records(name) if isinstance(record, Record)]
            if taker.finish(name, at=records[-1].end if records else 0):
                found += [record.payload for record in records]
    assert sorted(found) == sorted(b"%d-%d" % (name, n) for name in range(8) for n in range(40))


def test_what_a_child_writes_does_not_unlock_what_its_parent_writes(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b"before", at=NOW)
    spool._locked()  # the parent is about to write
    child = os.fork()
    if child == 0:
        spool.append("claude", b"child", at=NOW)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with (tmp_path / "spool" / "current").open("rb") as taker, pytest.raises(BlockingIOError):
        fcntl.flock(taker, fcntl.LOCK_EX | fcntl.LOCK_NB)
    spool.append("claude", b"parent", at=NOW)
    other = FileSpool(tmp_path / "spool")
    (name,) = other.claim()
    assert read_all(other, name) == [b"before", b"child", b"parent"]


def test_a_file_that_was_taken_away_is_not_written_to_any_more(spool: FileSpool, tmp_path: Path) -> None:
    taker = FileSpool(tmp_path / "spool")
    for number in range(3):
        spool.append("claude", b"%d" % number, at=NOW)
        (name,) = taker.claim()
        assert read_all(taker, name) == [b"%d" % number]
        assert taker.finish(name, at=(tmp_path / "spool" / name).stat().st_size)


def test_nobody_waits_for_who_reads_what_was_taken_away(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b"before", at=NOW)
    taker = FileSpool(tmp_path / "spool")
    (name,) = taker.claim()
    with (tmp_path / "spool" / name).open("rb") as read:
        fcntl.flock(read, fcntl.LOCK_EX)  # as long as it likes
        spool.append("claude", b"after", at=NOW)
    assert read_all(taker, name) == [b"before"]
    assert (tmp_path / "spool" / "current").read_bytes().endswith(b" after\n")


def test_a_child_does_not_wait_for_a_thread_that_its_parent_had(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b"before", at=NOW)
    with spool._lock:  # a thread is about to write
        child = os.fork()
        if child == 0:
            spool.append("claude", b"child", at=NOW)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / "spool" / "current").read_bytes().count(b"\n") == 2


def test_what_was_taken_up_is_gone_also_for_who_still_has_it_open(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b'{"said": "a secret"}', at=NOW)
    handle = spool._handle
    assert handle is not None
    taker = FileSpool(tmp_path / "spool")
    (name,) = taker.claim()
    assert taker.finish(name, at=os.fstat(handle).st_size)
    assert os.fstat(handle).st_size == 0


def test_who_died_between_keeping_a_file_and_removing_it_has_kept_it(spool: FileSpool, tmp_path: Path) -> None:
    spool.append("claude", b'{"said": "kept"}', at=NOW)
    (name,) = spool.claim()
    path = tmp_path / "spool" / name
    size, whole = path.stat().st_size, path.read_bytes()
    assert spool.finish(name, at=size)
    path.touch(mode=0o600)
    assert spool.finish(name, at=size) and not path.exists()
    assert b"".join(spool._journal.lines()).split(b" ", 4)[4].strip() == b'{"said":"kept"}' and whole


def test_a_place_that_cannot_be_looked_at_leaves_no_lock(
    spool: FileSpool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.append("claude", b"before", at=NOW)

    def refusing(_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch, pytest.raises(ReadOnly):
        patch.setattr(spools, "_identity", refusing)
        spool.append("claude", b"never", at=NOW)
    with (tmp_path / "spool" / "current").open("rb") as taker:
        fcntl.flock(taker, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_what_is_left_in_a_new_home_is_found_after_a_power_cut(
    spool: FileSpool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is there once its name is, and the name of its folder; later ones need neither again."""
    synced: list[Path] = []
    monkeypatch.setattr(spools, "sync", lambda path: synced.append(Path(path)))
    for _ in range(3):
        spool.append("claude", b"said", at=NOW)
    assert synced == [tmp_path, tmp_path / "spool"]
