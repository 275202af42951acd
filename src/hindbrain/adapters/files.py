"""What the files of a project say: which code base this is, and the texts that its owner wrote for agents.

A code base is known by its first remote and by its git folder, so worktrees and clones are one project and
two repositories in folders of the same name are two. Git's own files are read directly: starting git costs
more than everything else a hook does.
"""

import os
from collections.abc import Callable, Iterator
from os.path import basename, dirname, exists, isdir, isfile, join, realpath
from time import sleep

from hindbrain.core.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from hindbrain.adapters.git import LocalCode

MAX_BYTES = 1_000_000  # a prompt or rule file larger than this is not one
_LOOKS, _PAUSE_S = 10, 0.03  # at a file that somebody may still be writing, while a hook waits


class LocalFiles:
    def identities(self, path: str, *, per_worktree: bool) -> tuple[str, ...]:
        """`remote:host/owner/name` and `folder:/path` of the git folder, or `folder:` of a folder without git.

        A remote that is a path on this machine stands for that repository's own git folder, so that a clone
        of a repository without a remote is the same project as the original.
        """
        top = _top(path)
        if top is None or per_worktree:
            return (f"folder:{top or realpath(path)}",)
        common = _common_folder(top)
        remote = _first_remote(common)
        names = [_remote_identity(remote, common)] if remote else []
        return (*names, f"folder:{common}")

    def name(self, path: str) -> str:
        top = _top(path)
        if top is None:
            return basename(realpath(path)) or "root"
        common = _common_folder(top)
        remote = _first_remote(common)
        source = _remote_identity(remote, common) if remote else f"folder:{_checkout(common)}"
        return source.removesuffix("/.git").rpartition("/")[2].removesuffix(".git") or "root"

    def root(self, path: str) -> str:
        return _top(path) or os.fspath(path)

    def code(self) -> "LocalCode":
        from hindbrain.adapters.git import LocalCode  # late: a recall reads no code

        return LocalCode()

    def text(self, path: str, *, within: str) -> str:
        try:
            real = realpath(path)
            if not real.startswith(join(realpath(within), "")) or not isfile(real):
                return ""
            with open(real, "rb") as file:
                return file.read(MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def is_folder(self, path: str) -> bool:
        return isdir(path)

    def tail(self, path: str, *, most: int, until: Callable[[str], bool] = lambda _: True) -> str:
        for _ in range(_LOOKS):
            if until(text := self._tail(path, most)):
                return text
            sleep(_PAUSE_S)
        return self._tail(path, most)

    def _tail(self, path: str, most: int) -> str:
        if not isfile(path):  # a pipe would never end
            return ""
        try:
            with open(path, "rb") as file:
                start = max(0, file.seek(0, os.SEEK_END) - most)
                file.seek(start)
                read = file.read(most)
        except (OSError, ValueError):  # a path with a NUL in it is a ValueError
            return ""
        whole = read.partition(b"\n")[2] if start else read  # the first line has lost its beginning
        return whole.decode("utf-8", "replace")

    def mark(self, path: str) -> str:
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return ""
        return f"{found.st_size}:{found.st_mtime_ns}"

    def newest(self, folder: str, suffix: str) -> tuple[str, ...]:
        try:
            with os.scandir(folder) as entries:
                found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(suffix)]
        except (OSError, ValueError):
            return ()
        return tuple(path for _, path in sorted(found, reverse=True))

    def texts(self, folder: str, suffix: str, *, within: str) -> tuple[tuple[str, str], ...]:
        if not isdir(folder):
            return ()
        names = sorted(name for name in os.listdir(folder) if name.endswith(suffix) and name != suffix)
        texts = ((name, self.text(join(folder, name), within=within)) for name in names)
        return tuple((name, text) for name, text in texts if text)


def _top(path: str) -> str | None:
    """The folder that holds `.git`, which is a folder, or in worktrees and submodules a file."""
    here = realpath(path)
    while not exists(join(here, ".git")):
        if here == dirname(here):
            return None
        here = dirname(here)
    return here


def _common_folder(top: str) -> str:
    """The git folder that all worktrees share."""
    git = join(top, ".git")
    if isfile(git):
        git = join(top, _read(git).partition("gitdir:")[2].strip())
    common = join(git, "commondir")
    if isfile(common):
        git = join(git, _read(common).strip())
    return realpath(git)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _checkout(common: str) -> str:
    return dirname(common) if basename(common) == ".git" else common


def _first_remote(common: str) -> str:
    config = join(common, "config")
    return next(_remotes(_read(config)), "") if isfile(config) else ""


def _remotes(config: str) -> Iterator[str]:
    is_remote = False
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            is_remote = line.startswith("[remote ")
        elif is_remote and line.partition("=")[0].strip() == "url":
            yield line.partition("=")[2].strip().strip('"')


def _remote_identity(remote: str, common: str) -> str:
    """The same for `git@host:a/b.git`, `https://user:token@host/a/b` and `ssh://git@host:22/a/b/`."""
    if "://" not in remote and ":" in remote.partition("/")[0]:  # scp form: user@host:path
        host, _, place = remote.rpartition("@")[2].partition(":")
    elif "://" in remote and not remote.startswith("file://"):
        from urllib.parse import urlsplit  # most remotes have the form above and do not need it

        try:
            url = urlsplit(remote)
            host, place = url.hostname or "", url.path
        except ValueError:  # nothing that git could fetch from either
            return f"folder:{common}"
    else:
        folder = realpath(join(_checkout(common), remote.removeprefix("file://")))
        return f"folder:{_common_folder(folder) if exists(join(folder, '.git')) else folder}"
    return f"remote:{host.casefold()}/{place.strip('/').removesuffix('.git')}"
