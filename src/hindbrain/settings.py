"""Everything a user can change: read once from the environment and `config.toml`, then passed in."""

import os
import sys
from collections.abc import Mapping

from hindbrain.core.address import is_server
from hindbrain.core.growth import Growth
from hindbrain.core.hints import Any, TypeVar
from hindbrain.core.value import dataclass, field, names_of, replace
from hindbrain.errors import BadSettings

_T = TypeVar("_T", "Settings", Growth)

ENVIRONMENT = {
    "HINDBRAIN_HOME": "folder of the store and of config.toml",
    "HINDBRAIN_STORE": "database instead of hindbrain.db in the home: a path, or postgresql://user@host/database",
    "HINDBRAIN_PROJECT": "project to use instead of the one in the current folder",
    "HINDBRAIN_EMBEDDER": "model that compares meanings: auto, minilm, off; stronger than config.toml",
    "HINDBRAIN_HOOKS": "off: hooks keep and say nothing",
    "NO_COLOR": "any value: no colours",
}

_LONGEST_SOCKET = 100  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    home: str  # folder of the store, backups and config.toml
    store: str  # path of the database file, or the address of a PostgreSQL database
    project: str = ""  # name, id or path; empty: the current folder's
    per_worktree: bool = False  # every git worktree is a project of its own
    deduplication: bool = True  # the same text is kept once (CH-128)
    track_superseded: bool = True  # newer statements replace older ones (CH-129)
    inject_into_prompt: bool = True  # learnings go into prompts (CH-130)
    session_cap: int = 0  # learnings of one session that are believed without a person; 0: no limit
    embedder: str = "auto"  # model that compares meanings: auto (routing.yaml's, else minilm), minilm, off
    ai_daily_budget: float = 5.0  # most that models may cost in a day (UTC), in the money of routing.yaml; 0: no limit
    ai_daily_calls: int = 0  # most calls of models in a day (UTC); 0: no limit
    strategy: str = "unified"  # how recall ranks: unified, dex, loki, doc05, recent
    inject_limit: int = 8  # most memories in one injection
    token_budget: int = 2000  # most tokens in one injection
    session_limit: int = 5  # most memories that a new session is told, beside those that are always in mind
    turn_budget: int = 1000  # most tokens that an agent is told unasked between two prompts, its session's start apart
    holdout: float = 0.0  # share of unasked injections that is kept back, to measure what showing is worth; 0..1
    enforce: str = ""  # an agent that worked and taught nothing: off, nudge, block; empty: block in Beads, else nudge
    reflex_folder: str = ""  # folder of the reflexes, memory/*.md; empty: `memory` in the project
    vault: str = ""  # folder of the Obsidian vault; empty: none is indexed, and drafts of rules go to `brain/inbox`
    lock_timeout_s: float = 30.0  # how long to wait for another process's write
    worker_deadline_s: float = 0.3  # how long a command waits for the worker before it goes by words
    worker_idle_s: float = 1800.0  # a worker that nobody asked for so long ends; 0: never
    transcript_folder: str = ""  # folder of transcripts that `dream` makes compact after 14 days; empty: none
    notify_command: str = ""  # run with a sentence as its last word when something waits for you; empty: none
    backups_daily: int = 7  # days whose latest backup is kept
    backups_weekly: int = 4  # weeks whose latest backup is kept
    alert_above: int = 10  # proposed skills that may wait before you are told
    growth: Growth = field(default_factory=Growth)  # the constants of confidence (DX-114..120)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment, then `config.toml` in the home. BadSettings names the bad line."""
    environ = os.environ if environ is None else environ
    home = os.path.expanduser(environ.get("HINDBRAIN_HOME") or default_home(environ))
    wanted = environ.get("HINDBRAIN_STORE", "")
    store = named(wanted) if wanted else os.path.join(home, "hindbrain.db")
    settings = Settings(home=home, store=store, project=environ.get("HINDBRAIN_PROJECT", ""))
    settings = _with_file(settings, os.path.join(home, "config.toml"))
    # Of one run, so it overrules what stands for all of them.
    return replace(settings, embedder=environ.get("HINDBRAIN_EMBEDDER") or settings.embedder)


def named(store: str) -> str:
    """The place that somebody means by `store`. BadSettings where it is neither a file nor one of our servers."""
    if is_server(store):
        return store
    scheme, mark, _ = store.partition(":")
    # A slash that is missing would make a file of that name, and an empty store, in every folder.
    if mark and ("://" in store or scheme.lower() in ("postgresql", "postgres")):
        what = f"HINDBRAIN_STORE={scheme}:… is neither a file nor a PostgreSQL database"
        raise BadSettings(what, fix="give a path, or postgresql://user@host/database")
    return os.path.expanduser(store)


def default_home(environ: Mapping[str, str] | None = None) -> str:
    """The home of whoever has set no other."""
    return os.path.expanduser(_data_folder(os.environ if environ is None else environ))


def anew(settings: Settings) -> Settings:
    """The settings of the same home and store as they are now, wherever the process stands."""
    places = {"HINDBRAIN_HOME": settings.home, "HINDBRAIN_STORE": settings.store}
    return load({**os.environ, **places})


def machine(home: str) -> str:
    """By what a store that several machines share knows this home. Made when it is first asked for."""
    path = os.path.join(home, "machine")
    if not os.path.exists(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        name = os.urandom(16).hex()
        handle = os.open(f"{path}.{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(name)
        try:
            os.link(f"{path}.{name}", path)  # whole, or not at all where another process was faster
        except FileExistsError:
            pass
        finally:
            os.remove(f"{path}.{name}")
    with open(path, encoding="ascii") as file:
        return file.read()


def login() -> str:
    """Whose account this is, and on which machine: `ada@build-3`."""
    import pwd

    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as somebody who has no name
        user = str(os.getuid())
    return f"{user}@{os.uname().nodename}"


def environment() -> Mapping[str, str]:
    """For a process that is started as this one was."""
    return os.environ


def worker_socket(home: str, environ: Mapping[str, str] | None = None) -> str:
    """Where the worker of `home` is reached. A kernel takes little more than 100 bytes of such a path: a home that
    lies deeper has its socket in a folder of the user's own, under a name that every process finds again."""
    place = os.path.join(os.path.realpath(home), "worker.sock")
    if _fits(place):
        return place
    import tempfile  # few homes lie so deep
    from hashlib import sha256

    environ = os.environ if environ is None else environ
    name = f"{sha256(os.fsencode(place)).hexdigest()[:16]}.sock"
    roots = (environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")
    places = [os.path.join(root, f"hindbrain-{os.getuid()}", name) for root in roots if root]
    return next(filter(_fits, places), place)


def _fits(place: str) -> bool:
    return len(os.fsencode(place)) <= _LONGEST_SOCKET


def client_folders(environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Where the coding agents' clients keep the user's files, by client; of Claude Code also its `state` file."""
    environ = os.environ if environ is None else environ
    home = os.path.expanduser("~")
    claude = environ.get("CLAUDE_CONFIG_DIR") or ""
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return {
        "claude": claude or os.path.join(home, ".claude"),
        "claude_state": os.path.join(claude or home, ".claude.json"),
        "codex": environ.get("CODEX_HOME") or os.path.join(home, ".codex"),
        "gemini": os.path.join(home, ".gemini"),
        "opencode": os.path.join(config, "opencode"),
    }


def client_session(environ: Mapping[str, str] | None = None) -> str:
    """The session of the client that started this process, where it says so; Claude Code does."""
    return (os.environ if environ is None else environ).get("CLAUDE_CODE_SESSION_ID", "")


def colour(environ: Mapping[str, str] | None = None) -> bool | None:
    """False: no colours, anywhere. None: where there is a terminal. An empty NO_COLOR counts as none."""
    return False if (os.environ if environ is None else environ).get("NO_COLOR") else None


def is_completing() -> bool:
    """Whether a shell asks how a command line could go on, by the variable that click's scripts set."""
    return "_HINDBRAIN_COMPLETE" in os.environ


def _data_folder(environ: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return "~/Library/Application Support/hindbrain"
    if sys.platform == "win32":
        return os.path.join(environ.get("LOCALAPPDATA", "~/AppData/Local"), "hindbrain")
    return os.path.join(environ.get("XDG_DATA_HOME") or "~/.local/share", "hindbrain")


def _with_file(settings: Settings, path: str) -> Settings:
    if not os.path.exists(path):
        return settings
    import tomllib  # most users have no such file

    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"{path} cannot be read: {error}", fix="correct the file, or move it away") from error
    growth = _typed(Growth(), table.pop("confidence", {}), where=f"{path} [confidence]", fixed=())
    changed = _typed(settings, table, where=path, fixed=("home", "store", "growth"))
    _refuse_odd(changed, where=path)
    return replace(changed, growth=growth)


def _refuse_odd(settings: Settings, *, where: str) -> None:
    """Values of the right type that mean nothing."""
    if settings.enforce not in ("", "off", "nudge", "block"):
        raise BadSettings(f"{where}: enforce cannot be {settings.enforce!r}", fix="use off, nudge or block")
    if not 0 <= settings.holdout <= 1:
        raise BadSettings(f"{where}: holdout cannot be {settings.holdout}", fix="use a share between 0 and 1")


def _typed(default: _T, table: Any, *, where: str, fixed: tuple[str, ...]) -> _T:
    if not isinstance(table, dict):
        raise BadSettings(f"{where} must be a table", fix="see docs/reference/settings.md")
    known = {name: getattr(default, name) for name in names_of(default) if name not in fixed}
    for name, value in table.items():
        if name not in known:
            names = ", ".join(sorted(known))
            raise BadSettings(f"{where}: there is no setting {name!r}", fix=f"use one of: {names}")
        wanted = type(known[name])
        if wanted is float and type(value) is int:
            table[name] = value = float(value)
        if type(value) is not wanted:
            raise BadSettings(
                f"{where}: {name} must be {wanted.__name__}, not {value!r}",
                fix="see docs/reference/settings.md",
            )
    return replace(default, **table)
