"""How a code base is read: which of its files may be, and how git is asked without being able to do harm.

Contents come from the disk, and blob names are computed here: where git compares files on the disk, it runs the
filters that a repository names. It is asked only for names, in commits and in its index, with everything switched
off by which a repository's own configuration could start a program, and without the variables by which a caller
could point it elsewhere.
"""

import os
import re
import stat
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

from hindbrain.core.anchors import Source
from hindbrain.settings import environment

MAX_BYTES = 2_000_000  # a source file larger than this was made by a program
_MOST_FILES = 200_000
_WALKED = 5_000  # files of a folder without git
_PATIENCE_S = 10.0  # for one answer of git
_HOPS = 5  # renames of one file that are followed
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})  # without git nobody says so

_HARMLESS = (
    *("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.sshCommand=false", "-c", "protocol.allow=never", "-c", "core.untrackedCache=false"),
    *("-c", "diff.renameLimit=1000", "-c", "core.attributesFile="),
    *("-c", "submodule.recurse=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false"),
)


class LocalCode:
    def read(self, root: str, path: str) -> Source | None:
        raw = _bytes(root, path)
        if raw is None or b"\0" in raw:
            return None
        return Source(path=path, blob=_blob(raw), text=raw.decode("utf-8", "replace"))

    def was(self, root: str, blob: str) -> str | None:
        if not _is_name(blob):
            return None
        raw = _git(root, "cat-file", "blob", blob)
        return None if raw is None or b"\0" in raw else raw.decode("utf-8", "replace")

    def tracked(self, root: str) -> tuple[str, ...]:
        known = _git(root, "ls-files", "-z", "--cached", "--recurse-submodules")
        if known is None:
            return tuple(sorted(filter(_is_sayable, _walk(root))))
        new = _git(root, "ls-files", "-z", "--others", "--exclude-standard") or b""
        return tuple(sorted(set(filter(_is_sayable, _split(known + new)[:_MOST_FILES]))))

    def head(self, root: str) -> str:
        found = (_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or b"").decode("ascii", "replace")
        return found.strip() if _is_name(found.strip()) else ""

    def renamed(self, root: str, path: str) -> str | None:
        seen = {path}
        for _ in range(_HOPS):
            there = _renamed_once(root, path)
            if there is None or there in seen or not _is_sayable(there):
                return None
            if _bytes(root, there) is not None:
                return there
            seen.add(there)
            path = there
        return None


def _bytes(root: str, path: str) -> bytes | None:
    """The content of a plain file that really lies within `root`, and not in git's own folder."""
    try:
        real = _inside(root, path)
        if real is None:
            return None
        # Neither a link that was put there meanwhile nor a pipe that nobody writes to may hold us up.
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            is_plain = stat.S_ISREG(os.fstat(handle).st_mode)
            raw = file.read(MAX_BYTES + 1) if is_plain else b""
            return raw if is_plain and len(raw) <= MAX_BYTES else None
    except (OSError, ValueError, RuntimeError):  # the last: links that lead to each other, before Python 3.13
        return None


def _inside(root: str, path: str) -> Path | None:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..", ".git") for part in parts):
        return None
    top = Path(root).resolve()
    real = top.joinpath(*parts).resolve()
    return real if real.is_relative_to(top) and ".git" not in real.relative_to(top).parts else None


def _blob(raw: bytes) -> str:
    from hashlib import sha1  # late: a recall reads no code

    return sha1(b"blob %d\0%b" % (len(raw), raw), usedforsecurity=False).hexdigest()


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text) is not None


def _is_sayable(path: str) -> bool:
    """Whether a name can be stored and shown: none with line breaks, signs that turn text around, or broken bytes."""
    return path.isprintable()


def _split(answer: bytes) -> list[str]:
    return [os.fsdecode(name) for name in answer.split(b"\0") if name]


def _renamed_once(root: str, path: str) -> str | None:
    """In what is staged, else in the commit that took the file away."""
    staged = _git(root, "diff-index", "--cached", "-M", "-z", "--name-status", "--no-ext-diff", "HEAD", "--")
    there = _target(staged, path)
    if there:
        return there
    commit = _git(root, "log", "-1", "--format=%H", "--diff-filter=D", "--no-renames", "--no-ext-diff", "--", path)
    name = (commit or b"").decode("ascii", "replace").strip()
    if not _is_name(name):
        return None
    shown = _git(root, "diff-tree", "-r", "-M", "-z", "--name-status", "--no-commit-id", "--no-ext-diff", name, "--")
    return _target(shown, path)


def _target(answer: bytes | None, path: str) -> str | None:
    """Of `R100 from to` for each renamed file, and `M name` for any other."""
    words = iter(_split(answer or b""))
    for word in words:
        source = next(words, "")
        if word[0] in "RC":
            target = next(words, "")
            if word[0] == "R" and source == path:
                return target
    return None


def _walk(root: str) -> Iterator[str]:
    """Files of a folder without git, as far as a person would have put them there."""
    left = _WALKED
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        inside = relpath(folder, root)
        for name in sorted(names)[:left]:
            yield name if inside == "." else f"{inside}/{name}"
        left -= len(names)
        if left <= 0:
            return


def _git(root: str, *words: str) -> bytes | None:
    """What git answers; None when it is not there, refuses, fails or takes too long."""
    import subprocess  # late: only who looks at code needs it

    command = ("git", *_HARMLESS, "-C", root, *words)
    try:
        done = subprocess.run(
            command,
            env=_environment(root),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _environment(root: str) -> dict[str, str]:
    """Where programs and the user's settings are; nothing that git reads to find another repository."""
    kept = {name: value for name, value in environment().items() if not name.startswith("GIT_")}
    fixed = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CEILING_DIRECTORIES": str(Path(root).resolve().parent),  # a folder within another repository is not it
        "LC_ALL": "C",
    }
    return kept | fixed
