"""Where a write-ahead log must not lie: on a disk that other machines write too, or in a folder that a program copies.

Processes that use such a log share memory, and those of another machine do not take part; a program that copies files
one by one brings back a log that does not belong to its database. There the engine keeps a plain journal.
"""

import os
import re

_MOUNTS = "/proc/self/mountinfo"
_DISTANT = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "virtiofs",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "ncpfs",
        "coda",
        "vboxsf",
        "vmhgfs",
        "prl_fs",
        "beegfs",
        "gpfs",
        "ocfs2",
        "gfs2",
        "davfs",
        "fuse",
    ]
)
_COPIED = {  # folders by the names that their programs give them
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "icloud drive": "iCloud",
    "mobile documents": "iCloud",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pcloud drive": "pCloud",
    "syncthing": "Syncthing",
}
_MARKS = {".stfolder": "Syncthing", ".dropbox.cache": "Dropbox"}  # what they leave in them, whatever the name


def unfit(path: str) -> str:
    """Why the place is none for such a log; "" when it is one, or when the system does not tell."""
    real = os.path.realpath(path)
    kind = _kind(os.path.dirname(real))
    if kind in _DISTANT or kind.startswith("fuse."):
        return f"it lies on a disk of the kind {kind}, which other machines may write too"
    copier = _copier(os.path.dirname(real))
    return f"it lies in a folder that {copier} copies" if copier else ""


def _kind(folder: str) -> str:
    """Of the disk that is mounted nearest above the folder."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        top = _plain(fields[4]) if len(fields) > 4 else ""
        if _is_below(folder, top) and len(top) >= len(best):  # of two on one place the later one counts
            best, kind = top, after.split(" ")[0]
    return kind


def _plain(escaped: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), escaped)


def _is_below(folder: str, top: str) -> bool:
    return bool(top) and (top == "/" or folder == top or folder.startswith(f"{top}/"))


def _copier(folder: str) -> str:
    while True:
        head, name = os.path.split(folder)
        if known := _COPIED.get(name.partition(" - ")[0].lower()):
            return known
        for mark, program in _MARKS.items():
            if os.path.exists(os.path.join(folder, mark)):
                return program
        if head == folder:
            return ""
        folder = head
