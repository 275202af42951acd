"""What Hindbrain puts into each client's files, and how it knows its own again. The one table of clients' set-up.

Seconds for Claude Code and Codex, milliseconds for Gemini CLI. A session's end has a timeout of its own because the
clients' default is shorter than a disk may take. Nothing is asynchronous: such a hook is ended with its client.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from hindbrain.core.closed import StrEnum
from hindbrain.core.hints import Any
from hindbrain.core.hooks.table import REPORT
from hindbrain.core.setup import jsonc, tables
from hindbrain.core.value import dataclass

CLIENTS = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "OpenCode"}

_PATIENCE = 5  # seconds; a hook of ours has a deadline of its own, far below
_START = 30  # seconds that a server may take to start on a busy machine; clients' own limits are 5 to 10
_LAST_PATIENCE = 3  # seconds; Codex gives no more to the end of a session
_ALL = ""  # matcher: every tool, or an event that has no tools

_CLAUDE_EDITS = "Edit|MultiEdit|Write|NotebookEdit"
_EVENTS: dict[str, dict[str, str]] = {  # event -> which tools
    "claude": {
        "SessionStart": _ALL,
        "UserPromptSubmit": _ALL,
        "PreToolUse": f"{_CLAUDE_EDITS}|Read",
        "PostToolUse": f"Bash|{_CLAUDE_EDITS}|Read|Agent|Task",
        "PostToolUseFailure": _ALL,
        "SubagentStart": _ALL,
        "SubagentStop": _ALL,
        "Stop": _ALL,
        "PreCompact": _ALL,
        "PostCompact": _ALL,
        "SessionEnd": _ALL,
    },
    "codex": {
        "SessionStart": _ALL,
        "UserPromptSubmit": _ALL,
        "PreToolUse": "apply_patch|Edit|Write",
        "PostToolUse": _ALL,
        "SubagentStart": _ALL,
        "SubagentStop": _ALL,
        "Stop": _ALL,
        "PreCompact": _ALL,
        "PostCompact": _ALL,
        "SessionEnd": _ALL,
    },
    "gemini": {
        "SessionStart": _ALL,
        "BeforeAgent": _ALL,
        "BeforeTool": REPORT,  # it hears nothing before others, but a subagent that is done can be held
        "AfterTool": _ALL,
        "AfterAgent": _ALL,
        "PreCompress": _ALL,
        "SessionEnd": _ALL,
    },
}


class Form(StrEnum):
    HOOKS = "hooks"  # groups of hooks by event, in JSON
    ENTRY = "entry"  # one value in JSON
    TABLE = "table"  # one table in TOML
    FILE = "file"  # a file of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """Where the clients keep their files."""

    project: str  # the top folder of the code base
    claude: str
    claude_state: str  # the file in which Claude Code keeps servers that a user added
    codex: str
    gemini: str
    opencode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What the wires lead to."""

    python: str
    hook: str  # the program that clients run
    skill: str  # SKILL.md
    plugin: str  # OpenCode's, with the command in it
    has_server: bool  # whether there is an MCP server to name
    home: str = ""  # where the memory is; empty: where it is by default


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One thing that a file is to hold."""

    client: str
    path: str
    what: str  # hooks, server, skill, plugin
    form: Form
    at: tuple[str, ...] = ()
    content: Any = None


def command(client: str, kit: Kit) -> str:
    """In the shell's form, for Codex runs no other. Whatever happens, the client hears that all went well."""
    home = f"HINDBRAIN_HOME={shlex.quote(kit.home)} " if kit.home else ""  # a client may not have our environment
    return f"{home}{shlex.quote(kit.python)} -I -S {shlex.quote(kit.hook)} {client} || :"


def events(client: str) -> Sequence[str]:
    """The events that a client's configuration has to name; OpenCode's plugin names its own."""
    return tuple(_EVENTS.get(client, ()))


def wishes(client: str, kit: Kit, *, roots: Roots, in_project: bool, exists: Callable[[str], bool]) -> Sequence[Wish]:
    """All that a client's files are to hold, for the user or for one project."""
    made = {"claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode}[client]
    found = made(kit, roots, in_project=in_project, exists=exists)
    return tuple(wish for wish in found if kit.has_server or wish.what != "server")


def wired(text: str, wish: Wish) -> str:
    """The document with what the wish asks for; the same text when it is there already. NotJson when it is broken."""
    if wish.form is Form.FILE:
        return str(wish.content)
    if wish.form is Form.TABLE:
        return tables.put(tables.cut(text, wish.at), wish.at, content=wish.content)
    if wish.form is Form.ENTRY:
        return text if _found(text, wish.at) == wish.content else jsonc.put(text, wish.at, content=wish.content)
    for event, group in wish.content.items():
        text = _hooked(text, event, group=group)
    return text


def unwired(text: str, wish: Wish, *, before: str = "") -> str:
    """The document without what is ours. What is empty then goes, too, unless `before` had it."""
    if wish.form is Form.FILE:
        return ""
    if wish.form is Form.TABLE:
        return tables.cut(text, wish.at)
    if wish.form is Form.ENTRY:
        left = jsonc.cut(text, wish.at)
        return left if left == text else _pruned(left, wish.at[:-1], before=before)
    for event in _hooks(text):
        left = _unhooked(text, event)
        text = left if left == text else _pruned(left, ("hooks", event), before=before)
    return text


def own_hooks(text: str) -> Mapping[str, Sequence[tuple[int, int, Mapping[str, Any], Mapping[str, Any]]]]:
    """Our hooks by event: index of the group, index in the group, the group, the hook."""
    return {
        event: [
            (at, place, group, hook)
            for at, group in enumerate(groups)
            for place, hook in enumerate(_members(group))
            if is_own(hook)
        ]
        for event, groups in _hooks(text).items()
    }


def is_own(hook: object) -> bool:
    """Whether a hook is one of ours, of this installation or of an earlier one."""
    line = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(line, str) and _own().search(line) is not None


@cache
def _own() -> re.Pattern[str]:
    return re.compile(r"hindbrain[/\\]hook\.py['\"]? +\w+")


def _claude(kit: Kit, roots: Roots, *, in_project: bool, exists: Callable[[str], bool]) -> Sequence[Wish]:
    folder = f"{roots.project}/.claude" if in_project else roots.claude
    servers = f"{roots.project}/.mcp.json" if in_project else roots.claude_state
    server = {"type": "stdio", **_server(kit, in_project=in_project)}
    return (
        _hooks_wish("claude", f"{folder}/settings.json", kit=kit),
        Wish(client="claude", path=servers, what="server", form=Form.ENTRY, at=_SERVERS, content=server),
        _skill("claude", f"{folder}/skills", kit=kit),
    )


def _codex(kit: Kit, roots: Roots, *, in_project: bool, exists: Callable[[str], bool]) -> Sequence[Wish]:
    folder = f"{roots.project}/.codex" if in_project else roots.codex
    skills = f"{roots.project}/.agents/skills" if in_project else f"{roots.codex}/skills"
    return (
        _hooks_wish("codex", f"{folder}/hooks.json", kit=kit),
        Wish(
            client="codex",
            path=f"{folder}/config.toml",
            what="server",
            form=Form.TABLE,
            at=("mcp_servers", "hindbrain"),
            content={**_server(kit, in_project=in_project), "startup_timeout_sec": _START},
        ),
        _skill("codex", skills, kit=kit),
    )


def _gemini(kit: Kit, roots: Roots, *, in_project: bool, exists: Callable[[str], bool]) -> Sequence[Wish]:
    folder = f"{roots.project}/.gemini" if in_project else roots.gemini
    path = f"{folder}/settings.json"
    server = _server(kit, in_project=in_project)
    return (
        _hooks_wish("gemini", path, kit=kit),
        Wish(client="gemini", path=path, what="server", form=Form.ENTRY, at=_SERVERS, content=server),
        _skill("gemini", f"{folder}/skills", kit=kit),
    )


def _opencode(kit: Kit, roots: Roots, *, in_project: bool, exists: Callable[[str], bool]) -> Sequence[Wish]:
    folder = f"{roots.project}/.opencode" if in_project else roots.opencode
    config = f"{roots.project if in_project else roots.opencode}/opencode.json"
    server = _server(kit, in_project=in_project)
    words = [server["command"], *server["args"]]
    entry = {"type": "local", "command": words, "enabled": True, "timeout": _START * 1000}
    entry |= {"environment": server["env"]} if "env" in server else {}
    return (
        Wish(
            client="opencode",
            path=f"{folder}/plugins/hindbrain.js",
            what="plugin",
            form=Form.FILE,
            content=kit.plugin,
        ),
        Wish(
            client="opencode",
            path=f"{config}c" if exists(f"{config}c") else config,
            what="server",
            form=Form.ENTRY,
            at=("mcp", "hindbrain"),
            content=entry,
        ),
        _skill("opencode", f"{folder}/skills", kit=kit),
    )


_SERVERS = ("mcpServers", "hindbrain")


def _server(kit: Kit, *, in_project: bool) -> dict[str, Any]:
    """In a project's files, which others may share, without a path of this machine."""
    if in_project:
        return {"command": "hindbrain", "args": ["mcp"]}
    home = {"env": {"HINDBRAIN_HOME": kit.home}} if kit.home else {}
    # -P: a folder called hindbrain in somebody's project is not ours to run.
    return {"command": kit.python, "args": ["-P", "-m", "hindbrain", "mcp"], **home}


def _skill(client: str, folder: str, *, kit: Kit) -> Wish:
    path = f"{folder}/hindbrain/SKILL.md"
    return Wish(client=client, path=path, what="skill", form=Form.FILE, content=kit.skill)


def _hooks_wish(client: str, path: str, *, kit: Kit) -> Wish:
    line = command(client, kit)
    groups = {event: _group(client, event, tools=tools, line=line) for event, tools in _EVENTS[client].items()}
    return Wish(client=client, path=path, what="hooks", form=Form.HOOKS, content=groups)


def _group(client: str, event: str, *, tools: str, line: str) -> dict[str, Any]:
    patience = _LAST_PATIENCE if event == "SessionEnd" else _PATIENCE
    hook: dict[str, Any] = {"type": "command", "command": line, "timeout": patience}
    if client == "gemini":
        hook = {"name": "hindbrain", **hook, "timeout": patience * 1000}
    return {"matcher": tools, "hooks": [hook]} if tools else {"hooks": [hook]}


def _hooked(text: str, event: str, *, group: Mapping[str, Any]) -> str:
    groups = _hooks(text).get(event, [])
    own = [one for one in groups if any(map(is_own, _members(one)))]
    if own == [group]:
        return text
    text = _unhooked(text, event)
    return jsonc.put(text, ("hooks", event, len(_hooks(text).get(event, []))), content=group)


def _unhooked(text: str, event: str) -> str:
    """Without our hooks of that event; groups of ours alone go whole."""
    groups = _hooks(text).get(event, [])
    for at, group in reversed(list(enumerate(groups))):
        own = [place for place, hook in enumerate(_members(group)) if is_own(hook)]
        if own and len(own) == len(_members(group)):
            text = jsonc.cut(text, ("hooks", event, at))
            continue
        for place in reversed(own):
            text = jsonc.cut(text, ("hooks", event, at, "hooks", place))
    return text


def _hooks(text: str) -> Mapping[str, Sequence[Any]]:
    found = _found(text, ("hooks",))
    if not isinstance(found, dict):
        return {}
    return {event: groups for event, groups in found.items() if isinstance(groups, list)}


def _members(group: object) -> Sequence[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def _pruned(text: str, path: tuple[str, ...], *, before: str) -> str:
    while path and _found(text, path) in ({}, []) and _found(before, path) is None:
        text = jsonc.cut(text, path)
        path = path[:-1]
    return text


def _found(text: str, path: Sequence[str]) -> Any:
    """What stands at `path`; None when there is nothing."""
    there = jsonc.value(text)
    for key in path:
        there = there.get(key) if isinstance(there, dict) else None
    return there
