"""Setting up and taking it back: for every configuration that a person may have, nothing of theirs is lost."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from setting_up import KIT, MemoryClients

from hindbrain.app.init import Plan, carry_out, planned, undone
from hindbrain.core.setup import jsonc, tables
from hindbrain.core.setup.wires import CLIENTS, is_own, wired, wishes
from hindbrain.core.value import replace
from hindbrain.errors import ConfigBroken

HOOKS = {
    "claude": "/home/.claude/settings.json",
    "codex": "/home/.codex/hooks.json",
    "gemini": "/home/.gemini/settings.json",
}

_texts = st.text(max_size=6)
_hook = st.fixed_dictionaries({"type": st.just("command"), "command": _texts}, optional={"timeout": st.integers(1, 60)})
_group = st.fixed_dictionaries({"hooks": st.lists(_hook, max_size=2)}, optional={"matcher": _texts})
_hooks = st.dictionaries(
    st.sampled_from(["SessionStart", "Stop", "PreToolUse", "AfterTool", "Mine"]), st.lists(_group, max_size=2)
)
_values = st.one_of(st.none(), st.booleans(), st.integers(), _texts, st.lists(_texts, max_size=2))
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "model": _texts,
        "hooks": _hooks,
        "mcpServers": st.dictionaries(st.sampled_from(["mem", "files"]), st.fixed_dictionaries({"command": _texts})),
        "env": st.dictionaries(_texts, _texts, max_size=2),
        "other": _values,
    },
)


@st.composite
def configurations(draw: st.DrawFn) -> bytes:
    """As people write them: with comments or without, in every indentation, with every line end."""
    text = json.dumps(draw(CONFIGS), indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = f"// mine, {{ }}\n{text}\n/* the end */"
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))).encode()


def init(clients: MemoryClients, *names: str, in_project: bool = False) -> Plan:
    plan = planned(names, KIT, folder="/repo", in_project=in_project, clients=clients)
    carry_out(plan, clients=clients)
    return plan


def uninit(clients: MemoryClients, *names: str, in_project: bool = False) -> None:
    carry_out(undone(names, KIT, folder="/repo", in_project=in_project, clients=clients), clients=clients)


def value(content: bytes) -> Any:
    return jsonc.value(content.decode())


def without_ours(config: Any) -> Any:
    """What is left of a parsed configuration when our hooks and our server are not looked at."""
    left = {name: one for name, one in config.items() if name not in ("hooks", "mcpServers")}
    hooks = {
        event: [group for group in groups if not any(map(is_own, group["hooks"]))]
        for event, groups in config.get("hooks", {}).items()
    }
    servers = {name: one for name, one in config.get("mcpServers", {}).items() if name != "hindbrain"}
    return left, {event: groups for event, groups in hooks.items() if groups}, servers


@pytest.mark.parametrize("client", HOOKS)
@given(content=configurations())
def test_init_then_uninit_leaves_every_byte_as_it_was(client: str, content: bytes) -> None:
    clients = MemoryClients({HOOKS[client]: content})
    init(clients, client)
    assert clients.files[HOOKS[client]] != content

    uninit(clients)
    assert clients.files == {HOOKS[client]: content} and not clients.kept


# BD-064: existing settings are kept, and there is one entry each however often it is run
@pytest.mark.parametrize("client", HOOKS)
@given(content=configurations())
def test_the_new_configuration_is_the_old_one_and_ours(client: str, content: bytes) -> None:
    clients = MemoryClients({HOOKS[client]: content})
    init(clients, client)
    made = value(clients.files[HOOKS[client]])

    assert without_ours(made) == without_ours(value(content))
    wish = wishes(client, KIT, roots=clients.roots(""), in_project=False, exists=clients.exists)[0]
    for event, group in wish.content.items():
        assert made["hooks"][event].count(group) == 1
        assert sum(any(map(is_own, one["hooks"])) for one in made["hooks"][event]) == 1

    before = dict(clients.files)
    assert init(clients, client).changes == () and clients.files == before


@pytest.mark.parametrize("client", HOOKS)
@given(content=configurations(), new=_values)
def test_what_a_person_changed_in_between_stays(client: str, content: bytes, new: Any) -> None:
    clients = MemoryClients({HOOKS[client]: content})
    path = HOOKS[client]
    init(clients, client)
    theirs = jsonc.put(clients.files[path].decode(), ("added",), content=new)
    assume(theirs.encode() != clients.files[path])
    clients.files[path] = theirs.encode()
    uninit(clients)

    left = value(clients.files[path])
    assert left.pop("added", ...) == new
    assert left == value(content)
    assert (b"// mine" in clients.files[path]) == (b"// mine" in content)


@given(content=configurations(), new=_values)
def test_setting_up_again_after_a_change_still_restores_what_the_person_has_now(content: bytes, new: Any) -> None:
    path = HOOKS["gemini"]
    clients = MemoryClients({path: content})
    init(clients, "gemini")
    clients.files[path] = jsonc.put(clients.files[path].decode(), ("added",), content=new).encode()
    stale = replace(KIT, python="/elsewhere/python")
    carry_out(planned(("gemini",), stale, folder="/", in_project=False, clients=clients), clients=clients)
    assert b"/opt/my env" not in clients.files[path]

    uninit(clients)
    assert value(clients.files[path]) == {**value(content), "added": new}


TOMLS = st.lists(
    st.sampled_from(
        [
            'model = "gpt" # mine',
            "# a comment\n",
            "[mcp_servers.other]\ncommand = 'x'\n",
            "[hooks.state]\n",
            '[projects."/a b"]\ntrust_level = "trusted"\n',
            "[[tools]]\nname = 'a'\n[[tools]]\nname = 'b'",
            "",
        ]
    ),
    unique=True,
    max_size=5,
).map(lambda parts: "\n".join(sorted(parts, key=lambda part: "[" in part)))


@given(text=TOMLS, newline=st.sampled_from(["\n", "\r\n"]), end=st.sampled_from(["", "\n"]))
def test_a_table_is_added_and_taken_out_without_touching_the_rest(text: str, newline: str, end: str) -> None:
    text = (text + end).replace("\n", newline)
    clients = MemoryClients({"/home/.codex/config.toml": text.encode()})
    init(clients, "codex")
    made = clients.files["/home/.codex/config.toml"].decode()

    servers = tomllib.loads(made)["mcp_servers"]
    words = {"command": KIT.python, "args": ["-P", "-m", "hindbrain", "mcp"]}
    assert servers.pop("hindbrain") == {**words, "startup_timeout_sec": 30}
    assert made.startswith(text)
    assert tomllib.loads(tables.cut(made, ("mcp_servers", "hindbrain"))) == tomllib.loads(text)
    uninit(clients)
    assert clients.files == {"/home/.codex/config.toml": text.encode()}


@given(st.binary(max_size=30), st.sampled_from(sorted(CLIENTS)))
def test_any_bytes_are_a_configuration_or_refused_and_left_alone(content: bytes, client: str) -> None:
    clients = MemoryClients(dict.fromkeys((*HOOKS.values(), "/home/.codex/config.toml"), content))
    before = dict(clients.files)
    try:
        init(clients, client)
    except ConfigBroken as error:
        assert error.fix and clients.files == before
    else:
        uninit(clients, client)
        assert clients.files == before


@given(configurations())
def test_wiring_twice_is_wiring_once(content: bytes) -> None:
    clients = MemoryClients()
    for wish in wishes("gemini", KIT, roots=clients.roots(""), in_project=True, exists=clients.exists)[:2]:
        once = wired(content.decode(), wish)
        assert wired(once, wish) == once
