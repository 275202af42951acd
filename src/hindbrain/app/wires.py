"""What shows that a client is wired and that its events arrive, and the command for each thing that is amiss."""

import json
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from hindbrain.app.doctor import Finding
from hindbrain.app.init import planned, plugged, said
from hindbrain.core.hints import Any
from hindbrain.core.model.job import JobState
from hindbrain.core.setup.wires import CLIENTS, Kit, command, events, own_hooks, wishes
from hindbrain.core.value import replace
from hindbrain.errors import HindbrainError, StoreUnreachable
from hindbrain.ports import Clients, Reader, Spooled

_LONG = timedelta(minutes=10)  # a worker empties the spool within seconds
_SHARED = 0o077  # permissions of anybody but the owner
_TRUST = "start codex, type /hooks, and trust those of hindbrain"
_TRIAL = "hindbrain-trial"  # session of an event that nobody meant


def wires(
    kit: Kit, *, folder: str, store: Reader, clients: Clients, now: datetime, trial: str = ""
) -> Sequence[Finding]:
    """All that was looked at. A client that this user has never used is not looked at. With `trial`, the name of a
    client, one event is sent through its command line into a home that is thrown away."""
    seen = store.cursors("client/")
    roots = clients.roots(folder)
    found = [client for client in CLIENTS if clients.exists(getattr(roots, client))]
    return (
        *(one for client in found for one in _client(client, kit, folder=folder, clients=clients, seen=seen)),
        *(_tried(trial, kit, clients=clients) if trial else ()),
        *_spool(clients.spooled(), now=now),
        *_jobs(store),
    )


def away(error: StoreUnreachable, *, clients: Clients, now: datetime) -> Sequence[Finding]:
    """What can be told while the server of the store is away: that it is, and what waits on this machine until then."""
    spooled = clients.spooled()
    records = "1 record waits" if spooled.waiting == 1 else f"{spooled.waiting:,} records wait"
    what = f"{records} on this machine, {spooled.size_bytes:,} bytes: taken up once the server is back"
    return (
        Finding(name="store", is_ok=False, what=error.what, fix=error.fix),
        Finding(name="spool", is_ok=True, what=what),
        *list(_spool(spooled, now=now))[1:],
    )


def _client(client: str, kit: Kit, *, folder: str, clients: Clients, seen: Mapping[str, str]) -> Iterator[Finding]:
    fix = f"hindbrain init --client {client}"
    try:
        wired = _places(client, kit, folder=folder, clients=clients)
        missing = _missing(client, kit, folder=folder, clients=clients) if wired else ()
    except HindbrainError as error:
        yield Finding(name=client, is_ok=False, what=error.what, fix=error.fix)
        return
    if plugin := plugged(client, clients=clients, roots=clients.roots(folder)):
        yield _plugin(client, plugin, state=_hook_state(clients.read(f"{clients.roots(folder).codex}/config.toml")))
        yield _last(client, seen.get(f"client/{client}", ""))
        return
    if not wired:
        yield Finding(name=client, is_ok=True, what=f"{CLIENTS[client]} is here, and not wired", fix=fix)
        return
    if len(wired) > 1:
        what = f"both {wired[0]} and {wired[1]} have hooks: everything is told twice"
        yield Finding(name=client, is_ok=False, what=what, fix=f"hindbrain uninit --project --client {client}")
    if missing:
        what = f"{missing[0]} does not hold what it should: hooks, server or skill are old or missing"
        yield Finding(name=client, is_ok=False, what=what, fix=fix)
    yield _command(client, kit, fix=fix, clients=clients)
    if client == "codex":
        yield from _trust(wired, clients=clients, config=f"{clients.roots(folder).codex}/config.toml")
    yield _last(client, seen.get(f"client/{client}", ""))


def _plugin(client: str, plugin: str, *, state: Mapping[str, Any]) -> Finding:
    """Which hooks a plugin has, only its own files say; that none of them is trusted, Codex' configuration does."""
    what = f"{CLIENTS[client]} has the plugin {plugin}"
    if client != "codex" or any(key.startswith(f"{plugin}:") for key in state):
        return Finding(name=client, is_ok=True, what=what)
    return Finding(name=client, is_ok=False, what=f"{what}, and none of its hooks is trusted", fix=_TRUST)


def _places(client: str, kit: Kit, *, folder: str, clients: Clients) -> Sequence[str]:
    """Files that hold hooks of ours, for the user and for the project; for OpenCode, its plugin."""
    roots = clients.roots(folder)
    found = []
    for in_project in (False, True):
        first = wishes(client, kit, roots=roots, in_project=in_project, exists=clients.exists)[0]
        text = (clients.read(first.path) or b"").decode("utf-8", "replace")
        is_wired = bool(text) if client == "opencode" else any(_own(text).values())
        found += [first.path] if is_wired and first.path not in found else []
    return found


def _own(text: str) -> Mapping[str, Sequence[tuple[int, int, Mapping[str, Any], Mapping[str, Any]]]]:
    return own_hooks(text) if said(text.encode()) else {}


def _missing(client: str, kit: Kit, *, folder: str, clients: Clients) -> Sequence[str]:
    """Files that `init` would change, by the scope that has most of them in order."""
    plans = [
        planned((client,), kit, folder=folder, in_project=in_project, clients=clients) for in_project in (False, True)
    ]
    return min(([change.path for change in plan.changes] for plan in plans), key=len)


def _command(client: str, kit: Kit, *, fix: str, clients: Clients) -> Finding:
    gone = [path for path in (kit.python, kit.hook) if not clients.exists(path)]
    if gone:
        what = f"its hooks run {gone[0]}, which is not there"
        return Finding(name=client, is_ok=False, what=what, fix=f"pip install --force-reinstall hindbrain; {fix}")
    count = len(events(client))
    what = f"{CLIENTS[client]} is wired: " + (f"{count} events" if count else "by its plugin")
    return Finding(name=client, is_ok=True, what=what)


def _trust(places: Sequence[str], *, clients: Clients, config: str) -> Iterator[Finding]:
    """Codex skips a hook that its user has not looked at, and says nothing."""
    state = _hook_state(clients.read(config))
    total, trusted = 0, 0
    for path in places:
        for event, hooks in _own((clients.read(path) or b"").decode("utf-8", "replace")).items():
            for at, place, group, hook in hooks:
                known = state.get(f"{path}:{_snake(event)}:{at}:{place}")
                total += 1
                trusted += isinstance(known, dict) and known.get("trusted_hash") == fingerprint(
                    event, hook, group=group
                )
    if trusted == total:
        yield Finding(name="codex", is_ok=True, what=f"all {total} hooks are trusted")
        return
    what = f"{total - trusted} of {total} hooks are not trusted yet: Codex skips them without a word"
    yield Finding(name="codex", is_ok=False, what=what, fix=_TRUST)


def _hook_state(content: bytes | None) -> Mapping[str, Any]:
    try:
        hooks = tomllib.loads((content or b"").decode()).get("hooks")
    except ValueError:
        return {}
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}


def _snake(event: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")


def fingerprint(event: str, hook: Mapping[str, Any], *, group: Mapping[str, Any]) -> str:
    """Of one hook, as Codex takes it: of its JSON with sorted keys and without blanks."""
    one = {"async": False, **hook}
    whole = {"event_name": _snake(event), "hooks": [one]}
    if "matcher" in group:
        whole["matcher"] = group["matcher"]
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _last(client: str, seen: str) -> Finding:
    if seen:
        at, _, happening = seen.partition(" ")
        return Finding(name=client, is_ok=True, what=f"last heard of at {at}: {happening.replace('_', ' ')}")
    what = "no event has come yet"
    return Finding(name=client, is_ok=True, what=what, fix=f"hindbrain doctor --wire {client}, or start a session")


def trial_event(client: str) -> Mapping[str, object]:
    """Of a kind that is kept and nothing more: nobody has to answer it, and no worker is started for it."""
    named = {"gemini": "AfterTool", "opencode": "tool.execute.after"}
    name = named.get(client, "PostToolUse")
    return {"hook_event_name": name, "session_id": _TRIAL, "cwd": "/", "tool_name": "Trial", "tool_input": {}}


def _tried(client: str, kit: Kit, *, clients: Clients) -> Iterator[Finding]:
    line = command(client, replace(kit, home=""))  # the home is that of the trial
    if problem := clients.tried(line, trial_event(client)):
        yield Finding(name=client, is_ok=False, what=f"a test event got lost: {problem}", fix="hindbrain doctor")
    else:
        yield Finding(name=client, is_ok=True, what="a test event came through its command line")


def _spool(spooled: Spooled, *, now: datetime) -> Iterator[Finding]:
    age = now - spooled.oldest if spooled.oldest else timedelta()
    what = f"{spooled.waiting:,} records wait, {spooled.size_bytes:,} bytes"
    if age > _LONG:
        what += f", the oldest for {age.total_seconds() / 60:,.0f} minutes"
    is_ok = age <= _LONG or not spooled.waiting
    yield Finding(name="spool", is_ok=is_ok, what=what, fix="" if is_ok else "hindbrain worker --detach")
    if spooled.bad:
        what = f"{spooled.bad:,} records could not be read and were set aside"
        yield Finding(name="spool", is_ok=False, what=what, fix="look at spool/bad in the home, then remove it")
    for trouble in spooled.troubles:
        yield Finding(name="hooks", is_ok=False, what=trouble, fix="mend it, then remove hook-trouble from the home")
    for path, mode in spooled.modes.items():
        if int(mode, 8) & _SHARED:
            what = f"{path} has mode {mode}: other users of this machine can open it"
            yield Finding(name="modes", is_ok=False, what=what, fix=f"chmod go-rwx {shlex.quote(path)}")


def _jobs(store: Reader) -> Iterator[Finding]:
    for job in store.jobs(states=(JobState.DEAD,), limit=3):
        what = f"{job.kind} was tried {job.tries} times and given up: {job.error}"
        yield Finding(name="jobs", is_ok=False, what=what, fix="hindbrain worker --status")
