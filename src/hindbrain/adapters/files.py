"""What the files of a project say: which code base this is, and the texts that its owner wrote for agents.

A code base is known by its first remote and by its git folder, so worktrees and clones are one project and
two repositories in folders of the same name are two. Git's own files are read directly: starting git costs
more than everything else a hook does.
"""

from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 1_000_000  # a prompt or rule file larger than this is not one


class LocalFiles:
    def identities(self, path: Path, *, per_worktree: bool) -> tuple[str, ...]:
        """`remote:host/owner/name` and `folder:/path` of the git folder, or `folder:` of a folder without git.

        A remote that is a path on this machine stands for that repository's own git folder, so that a clone
        of a repository without a remote is the same project as the original.
        """
        top = _top(path)
        if top is None or per_worktree:
            return (f"folder:{(top or path).resolve()}",)
        common = _common_folder(top)
        remote = _first_remote(common)
        names = [_remote_identity(remote, common)] if remote else []
        return (*names, f"folder:{common}")

    def name(self, path: Path) -> str:
        top = _top(path)
        if top is None:
            return path.resolve().name or "root"
        common = _common_folder(top)
        remote = _first_remote(common)
        source = _remote_identity(remote, common) if remote else f"folder:{_checkout(common)}"
        return source.removesuffix("/.git").rpartition("/")[2].removesuffix(".git") or "root"

    def root(self, path: Path) -> Path:
        return _top(path) or path

    def text(self, path: Path, *, within: Path) -> str:
        try:
            real = path.resolve()
            if not real.is_relative_to(within.resolve()) or not real.is_file():
                return ""
            with real.open("rb") as file:
                return file.read(MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def texts(self, folder: Path, suffix: str, *, within: Path) -> tuple[tuple[str, str], ...]:
        if not folder.is_dir():
            return ()
        files = sorted(file for file in folder.iterdir() if file.suffix == suffix and file.is_file())
        texts = ((file.name, self.text(file, within=within)) for file in files)
        return tuple((name, text) for name, text in texts if text)


def _top(path: Path) -> Path | None:
    """The folder that holds `.git`, which is a folder, or in worktrees and submodules a file."""
    here = path.resolve()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)


def _common_folder(top: Path) -> Path:
    """The git folder that all worktrees share."""
    git = top / ".git"
    if git.is_file():
        pointer = git.read_text("utf-8", "replace").partition("gitdir:")[2].strip()
        git = top / pointer
    common = git / "commondir"
    if common.is_file():
        git = git / common.read_text("utf-8", "replace").strip()
    return git.resolve()


def _checkout(common: Path) -> Path:
    return common.parent if common.name == ".git" else common


def _first_remote(common: Path) -> str:
    config = common / "config"
    if not config.is_file():
        return ""
    return next(_remotes(config.read_text("utf-8", "replace")), "")


def _remotes(config: str) -> Iterator[str]:
    is_remote = False
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            is_remote = line.startswith("[remote ")
        elif is_remote and line.partition("=")[0].strip() == "url":
            yield line.partition("=")[2].strip().strip('"')


def _remote_identity(remote: str, common: Path) -> str:
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
        folder = (_checkout(common) / remote.removeprefix("file://")).resolve()
        inside = folder / ".git"
        return f"folder:{_common_folder(folder) if inside.exists() else folder}"
    return f"remote:{host.casefold()}/{place.strip('/').removesuffix('.git')}"
