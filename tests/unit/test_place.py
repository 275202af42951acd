"""On a disk of the network, or in a folder that a program copies, no write-ahead log is kept, and a person is told."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from building import NOW, a_memory, a_project, keep
from hypothesis import given
from hypothesis import strategies as st

from hindbrain.adapters.sqlite import SqliteStore, place
from hindbrain.app.doctor import doctor
from hindbrain.ports import Where
from hindbrain.settings import Settings

Mounted = Callable[[str], None]
DISTANT = ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse.sshfs", "fuse.rclone", "ceph"]


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """Says that the test's folder lies on a disk of that kind: the kernel of a test has no such disk."""
    table = tmp_path.parent / f"{tmp_path.name}.mounts"
    monkeypatch.setattr(place, "_MOUNTS", str(table))

    def mount(kind: str) -> None:
        folder = str(tmp_path).replace(" ", "\\040")
        table.write_text(
            "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
            f"90 22 0:99 / {folder} rw,relatime shared:7 master:1 - {kind} host:/export rw\n"
        )

    return mount


@pytest.mark.parametrize("kind", DISTANT)
def test_a_distant_disk_gets_no_log_and_the_doctor_says_so(tmp_path: Path, mounted: Mounted, kind: str) -> None:  # R23
    mounted(kind)
    path = tmp_path / "home" / "hindbrain.db"
    for number in range(2):  # made, and opened again
        with closing(SqliteStore(path)) as store:
            a_project(store)
            keep(store, a_memory(f"lesson {number}", id=f"mem-{number}"))
            assert store._connection().pragma("journal_mode") == "delete"
            assert store.count(Where(project="prj-one")) == number + 1 and not store.damage()
            settings = Settings(home=str(path.parent), store=str(path))
            (told,) = [one for one in doctor(project="prj-one", store=store, settings=settings) if one.name == "place"]
            assert not told.is_ok and kind in told.what and "HINDBRAIN_HOME" in told.fix
            if number:
                assert store.erase("mem-0", at=NOW).found_in == ()
    assert not path.with_name("hindbrain.db-wal").exists()


def test_a_disk_of_this_machine_gets_its_log_also_after_it_lay_elsewhere(tmp_path: Path, mounted: Mounted) -> None:
    # R23
    path = tmp_path / "home" / "hindbrain.db"
    for kind, wanted in (("nfs4", "delete"), ("ext4", "wal"), ("overlay", "wal")):
        mounted(kind)
        with closing(SqliteStore(path)) as store:
            assert store._connection().pragma("journal_mode") == wanted
            assert bool(store.vitals()["unfit"]) is (wanted == "delete")


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Company", "Google Drive", "Nextcloud", "Mobile Documents"])
def test_a_folder_that_a_program_copies_gets_no_log(tmp_path: Path, name: str) -> None:  # R23
    with closing(SqliteStore(tmp_path / name / "home" / "hindbrain.db")) as store:
        assert store._connection().pragma("journal_mode") == "delete" and "copies" in store.vitals()["unfit"]


def test_a_folder_with_the_mark_of_such_a_program_is_known(tmp_path: Path) -> None:  # R23
    (tmp_path / ".stfolder").mkdir()
    assert "Syncthing" in place.unfit(str(tmp_path / "home" / "hindbrain.db"))


def test_the_nearest_disk_counts_and_blanks_in_names_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # R23
    table = tmp_path / "mounts"
    monkeypatch.setattr(place, "_MOUNTS", str(table))
    table.write_text(
        "1 0 0:1 / / rw - ext4 /dev/root rw\n"
        "2 1 0:2 / /srv rw - nfs4 host:/ rw\n"
        "3 2 0:3 / /srv/my\\040disk rw - xfs /dev/b rw\n"
        "4 1 0:4 / /srvother rw - ext4 /dev/c rw\n"
    )
    assert place.unfit("/srv/home/h.db") and place.unfit("/srv/h.db")
    assert not place.unfit("/srv/my disk/h.db") and not place.unfit("/srvother/h.db") and not place.unfit("/h.db")


@given(st.text(max_size=300))
def test_whatever_the_system_tells_it_is_a_place(text: str) -> None:  # R23
    with (
        NamedTemporaryFile("w", encoding="utf-8", errors="surrogatepass") as table,
        pytest.MonkeyPatch.context() as patch,
    ):
        table.write(text)
        table.flush()
        patch.setattr(place, "_MOUNTS", table.name)
        assert isinstance(place.unfit("/some/where/h.db"), str)
