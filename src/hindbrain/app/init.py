"""When and how a client's file is changed: shown first, as it was afterwards if wanted, nobody else's words lost."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby

from hindbrain.core.setup import jsonc
from hindbrain.core.setup.record import Record
from hindbrain.core.setup.wires import CLIENTS, Form, Kit, Roots, Wish, unwired, wired, wishes
from hindbrain.core.value import dataclass, replace
from hindbrain.errors import ConfigBroken
from hindbrain.ports import Clients


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file, as it is and as it is to be."""

    path: str
    client: str
    what: tuple[str, ...]  # hooks, server, skill, plugin
    before: bytes | None  # None: there is no such file
    after: bytes | None  # None: there will be none
    record: Record | None  # to be kept; None: there is nothing of ours in it any more
    folders: tuple[str, ...] = ()  # to be removed if they are empty in the end

    @property
    def is_seen(self) -> bool:
        """Whether the file itself changes, or only what we know of it."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """In the unified form."""
        names = ("/dev/null" if self.before is None else self.path, "/dev/null" if self.after is None else self.path)
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), *names, n=3)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be done; nothing has been."""

    clients: tuple[str, ...]
    changes: tuple[Change, ...]
    notices: tuple[str, ...] = ()


def planned(chosen: Sequence[str], kit: Kit, *, folder: str, in_project: bool, clients: Clients) -> Plan:
    """What has to be written so that the chosen clients, or all that are found, remember: for the user, or for the
    project around `folder`."""
    names = tuple(client for client in CLIENTS if client in (chosen or clients.found()))
    roots = clients.roots(folder)
    records = {record.path: record for record in clients.records()}
    changes: list[Change] = []
    notices: list[str] = []
    for client in names:
        wanted = wishes(client, kit, roots=roots, in_project=in_project, exists=clients.exists)
        if plugin := plugged(client, clients=clients, roots=roots):
            notices.append(f"{CLIENTS[client]} has the plugin {plugin}, which brings hooks and skill: nothing to add")
            continue
        for path, group in groupby(wanted, key=lambda wish: wish.path):
            scope = roots.project if in_project else ""
            change = _change(path, tuple(group), scope=scope, record=records.get(path), clients=clients)
            changes += [change] if change else []
    if not names:
        notices.append("no client was found: name one with --client")
    elif not kit.has_server:
        notices.append("the MCP server is not installed: pip install 'hindbrain[mcp]', then `hindbrain init` again")
    return Plan(clients=names, changes=tuple(changes), notices=tuple(notices))


def undone(chosen: Sequence[str], kit: Kit, *, folder: str, in_project: bool, clients: Clients) -> Plan:
    """What has to be written so that nothing of ours is left in the files of the chosen clients, or of all."""
    names = tuple(client for client in CLIENTS if not chosen or client in chosen)
    roots = clients.roots(folder)
    scope = roots.project if in_project else ""
    records = {one.path: one for one in clients.records() if one.project == scope and one.clients & set(names)}
    for path, wanted in _known(names, kit, roots=roots, in_project=in_project, clients=clients):
        records.setdefault(path, _unknown(path, wanted, scope=scope))
    changes = [_restored(record, clients=clients) for record in records.values()]
    return Plan(clients=names, changes=tuple(change for change in changes if change))


def carry_out(plan: Plan, *, clients: Clients) -> None:
    """Write all of it. A file that is not any more as the plan says stops it; what was written by then stays, and is
    known: the same command goes on from there, and `uninit` finds it."""
    for change in plan.changes:
        if change.record:
            clients.note(change.record)
        if change.after is None and change.before is not None:
            clients.remove(change.path, expected=change.before)
        elif change.after is not None and change.after != change.before:
            made = clients.write(change.path, change.after, expected=change.before)
            if change.record and made:
                clients.note(replace(change.record, folders=(*made, *change.record.folders)))
        if not change.record:
            clients.drop(change.path)
    clients.clear([folder for change in plan.changes for folder in change.folders])


def _change(path: str, wanted: Sequence[Wish], *, scope: str, record: Record | None, clients: Clients) -> Change | None:
    current = clients.read(path)
    text = made = _decoded(path, current)
    for wish in wanted:
        made = _edited(made, wish)
    if made == text and current is not None:
        return None
    before = _base(current, wanted, record=record, path=path)
    after = made.encode()
    kept = Record(
        path=path,
        project=scope,
        before=before,
        after=_hash(after),
        folders=record.folders if record else (),
        wishes=tuple(replace(wish, content=None) for wish in wanted),
    )
    what = tuple(wish.what for wish in wanted)
    return Change(path=path, client=wanted[0].client, what=what, before=current, after=after, record=kept)


def _base(current: bytes | None, wanted: Sequence[Wish], *, record: Record | None, path: str) -> bytes | None:
    """What the file would be without us: as it was, if only we have written it since; else without our entries."""
    if current is None or (record and _hash(current) == record.after):
        return record.before if record and current is not None else None
    if all(wish.form is Form.FILE for wish in wanted):
        return current
    return _stripped(current, wanted, before=record.before if record else b"", path=path)


def _restored(record: Record, *, clients: Clients) -> Change | None:
    current = clients.read(record.path)
    after = current if current in (None, record.before) else _without_us(current or b"", record)
    if after == current and not record.after:
        return None  # nothing of ours, and no record to drop
    return Change(
        path=record.path,
        client=next((wish.client for wish in record.wishes), ""),
        what=tuple(wish.what for wish in record.wishes),
        before=current,
        after=after,
        record=None,
        folders=record.folders,
    )


def _without_us(current: bytes, record: Record) -> bytes | None:
    if _hash(current) == record.after:
        return record.before
    if all(wish.form is Form.FILE for wish in record.wishes):
        return current  # a person has made it theirs
    left = _stripped(current, record.wishes, before=record.before or b"", path=record.path)
    was_made_by_us = record.before is None and bool(record.after)
    return None if was_made_by_us and left.strip() in (b"", b"{}") else left


def _stripped(current: bytes, wanted: Sequence[Wish], *, before: bytes | None, path: str) -> bytes:
    text, old = _decoded(path, current), _decoded(path, before)
    for wish in wanted:
        try:
            text = unwired(text, wish, before=old)
        except jsonc.NotJson as error:
            raise _broken(path, str(error)) from error
        if wish.form is Form.TABLE and _table(text, wish, path=path) is not None:
            raise _broken(path, f"{'.'.join(wish.at)} is written in a way that only a person can take out")
    return text.encode()


def _known(
    names: Sequence[str], kit: Kit, *, roots: Roots, in_project: bool, clients: Clients
) -> Iterator[tuple[str, Sequence[Wish]]]:
    """Files in which there may be something of ours that no record tells of: a home may have moved."""
    whole = replace(kit, has_server=True)
    for client in names:
        wanted = wishes(client, whole, roots=roots, in_project=in_project, exists=clients.exists)
        for path, group in groupby(wanted, key=lambda wish: wish.path):
            found = tuple(group)
            content = clients.read(path) or b""
            is_own = (
                content == str(found[0].content).encode() if found[0].form is Form.FILE else b"hindbrain" in content
            )
            if is_own:
                yield path, found


def _unknown(path: str, wanted: Sequence[Wish], *, scope: str) -> Record:
    """For a file that is whole our own, its hash; for others none, so that our entries are taken out one by one."""
    own = wanted[0].content.encode() if wanted[0].form is Form.FILE else None
    return Record(
        path=path,
        project=scope,
        before=None,
        after=_hash(own) if own is not None else "",
        folders=(path.rpartition("/")[0],) if wanted[0].what == "skill" else (),
        wishes=tuple(wanted),
    )


def _edited(text: str, wish: Wish) -> str:
    if wish.form is not Form.TABLE:
        try:
            return wired(text, wish)
        except jsonc.NotJson as error:
            raise _broken(wish.path, str(error)) from error
    if _table(text, wish, path=wish.path) == wish.content:
        return text
    made = wired(text, wish)
    if _table(made, wish, path=wish.path) != wish.content:
        raise _broken(wish.path, f"{'.'.join(wish.at)} is written in a way that only a person can change")
    return made


def _table(text: str, wish: Wish, *, path: str) -> object:
    try:
        there: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(path, str(error)) from error
    for key in wish.at:
        there = there.get(key) if isinstance(there, Mapping) else None
    return there


def plugged(client: str, *, clients: Clients, roots: Roots) -> str:
    """The name of our plugin, where it is switched on: both would tell everything twice."""
    if client == "claude":
        settings = said(clients.read(f"{roots.claude}/settings.json"))
        enabled = settings.get("enabledPlugins")
        found: Sequence[str] = [name for name in enabled if enabled[name] is True] if isinstance(enabled, dict) else ()
    elif client == "codex":
        found = _codex_plugins(clients.read(f"{roots.codex}/config.toml"))
    else:
        found = ()
    return next((name for name in found if name.startswith("hindbrain@")), "")


def said(content: bytes | None) -> Mapping[str, object]:
    """What a configuration says; nothing where it cannot be read, which is told where it matters."""
    try:
        value = jsonc.value((content or b"").decode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _codex_plugins(content: bytes | None) -> Sequence[str]:
    try:
        plugins = tomllib.loads((content or b"").decode()).get("plugins")
    except ValueError:
        return ()
    if not isinstance(plugins, dict):
        return ()
    return tuple(name for name, one in plugins.items() if isinstance(one, dict) and one.get("enabled") is not False)


def _decoded(path: str, content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        raise _broken(path, f"it is not UTF-8: {error.reason}") from error


def _broken(path: str, why: str) -> ConfigBroken:
    fix = "correct the file, or name the other clients with --client"
    return ConfigBroken(f"{path} cannot be changed: {why}", fix=fix)


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
