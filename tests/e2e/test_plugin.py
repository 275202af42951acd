"""The plugin as clients run it: the shim in a shell, OpenCode's part in Node, the whole under the real validators."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hindbrain.adapters.clients import kit
from hindbrain.core.hooks.clients import answer, notice
from hindbrain.core.hooks.notice import Reply
from hindbrain.core.setup.wires import events
from hindbrain.entry.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
MARKETPLACE = ROOT / "plugin"
PLUGIN = MARKETPLACE / "plugins" / "hindbrain"
SHIM = PLUGIN / "hooks" / "hindbrain-hook"
TOOLS = os.pathsep.join(("/usr/bin", "/bin"))

HOOK = """\
import json, os, sys
event = json.loads(sys.stdin.read())
with open(os.environ["SEEN"], "a") as seen:
    seen.write(json.dumps([sys.argv[1:], event]) + "\\n")
print(json.dumps(json.loads(os.environ.get("ANSWERS", "{}")).get(event["hook_event_name"], {})))
"""


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """A hook program that writes down what it hears."""
    path = tmp_path / "installed" / "hindbrain" / "hook.py"
    path.parent.mkdir(parents=True)
    path.write_text(HOOK)
    return path


def seen(tmp_path: Path) -> list[Any]:
    path = tmp_path / "seen"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


EVENT = {"hook_event_name": "PostToolUse", "tool_name": "Trial"}  # nobody has to answer it, and no worker to wake


def shim(tmp_path: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    known = {"PATH": TOOLS, "HOME": str(tmp_path), "SEEN": str(tmp_path / "seen"), "CLAUDE_PLUGIN_ROOT": str(PLUGIN)}
    return subprocess.run(
        ["sh", str(SHIM)],
        input=json.dumps(EVENT),
        env=known | environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def point(home: Path, hook: Path) -> None:
    (home / "clients").mkdir(parents=True)
    (home / "clients" / "hook").write_text(f"{sys.executable}\n{hook}\n")


def test_without_an_installation_the_shim_does_nothing_in_silence(tmp_path: Path) -> None:
    done = shim(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("place", ["HINDBRAIN_HOME", "XDG_DATA_HOME", ""])
def test_the_shim_finds_what_init_left_word_of(tmp_path: Path, hook: Path, place: str) -> None:
    data = tmp_path / "some data"
    home = {"HINDBRAIN_HOME": data, "XDG_DATA_HOME": data / "hindbrain", "": tmp_path / ".local/share/hindbrain"}
    point(home[place], hook)
    done = shim(tmp_path, **({place: str(data)} if place else {}))

    assert done.returncode == 0 and done.stdout == "{}\n"
    assert seen(tmp_path) == [[["claude"], EVENT]]


def test_the_shim_tells_codex_from_claude(tmp_path: Path, hook: Path) -> None:
    point(tmp_path / ".local/share/hindbrain", hook)
    shim(tmp_path, PLUGIN_ROOT=str(PLUGIN))
    shim(tmp_path, PLUGIN_ROOT="/of/another/plugin")
    assert [words for words, _ in seen(tmp_path)] == [["codex"], ["claude"]]


@pytest.mark.parametrize("rest", ["{hook}\n", "", "/nowhere/python\n/nowhere/hook.py\n"])
def test_a_word_that_leads_nowhere_is_passed_over(tmp_path: Path, hook: Path, rest: str) -> None:
    point(tmp_path / ".local/share/hindbrain", hook)
    (tmp_path / ".local/share/hindbrain/clients/hook").write_text(rest.format(hook=hook))
    assert shim(tmp_path).returncode == 0 and seen(tmp_path) == []


def test_the_shim_finds_the_command_on_the_path(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "hindbrain"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o755)
    done = shim(tmp_path, PATH=f"{program.parent}{os.pathsep}{TOOLS}", PYTHONPATH=str(ROOT / "src"))

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / ".local/share/hindbrain/spool/current").exists()  # the real hook program kept the event


def test_the_plugin_names_the_events_that_init_names_and_waits_for_all() -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == set(events("claude"))
    for group in (group for groups in hooks.values() for group in groups):
        (one,) = group["hooks"]
        assert one["command"] == 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/hindbrain-hook" || :'
        assert one["timeout"] <= 5 and not {"async", "args"} & set(one)


def test_the_plugin_names_the_server_that_the_command_has() -> None:
    servers = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"hindbrain": {"command": "hindbrain", "args": ["mcp"]}} and "mcp" in COMMANDS


# OpenCode's part

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
DRIVER = """\
import { Hindbrain } from "./hindbrain.mjs"
const asked = []
let answers = []
const client = {
  session: {
    promptAsync: async (given) => asked.push(given),
    prompt: async (given) => {
      asked.push(given)
      const [text, then] = answers.shift()
      await then?.()
      return { data: { parts: [{ type: "text", text }] } }
    },
  },
}
const plugin = await Hindbrain({ client, directory: "/repo" })
const event = (type, properties) => plugin.event({ event: { type, properties } })
const system = async (first = "You are an agent") => {
  const output = { system: [first] }
  await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
  return output.system.slice(1)
}
const say = async (role, id, text, more = {}, sessionID = "s1", agent = undefined) => {
  await event("message.updated", { info: { id, role, sessionID, agent } })
  const part = { id: `p-${id}`, messageID: id, sessionID, type: "text", text, ...more }
  await event("message.part.updated", { part })
}
"""


def _held() -> Any:
    """What the hook program really prints where an agent is held."""
    rests = notice(
        "opencode", {"hook_event_name": "session.idle", "session_id": "s1"}, at=datetime(2026, 1, 2, tzinfo=UTC)
    )
    assert rests is not None
    return json.loads(answer(rests, Reply(hold="why")))


HELD = _held()


def in_node(tmp_path: Path, hook: Path, script: str, *, answers: object = None, command: Sequence[str] = ()) -> Any:
    """What a script prints as JSON in its last line."""
    words = json.dumps([*(command or (sys.executable, str(hook))), "opencode"])
    plugin = (ROOT / "src/hindbrain/assets/opencode/hindbrain.js").read_text("utf-8")
    assert '["hindbrain-hook", "opencode"]' in plugin
    (tmp_path / "hindbrain.mjs").write_text(plugin.replace('["hindbrain-hook", "opencode"]', words))
    (tmp_path / "driver.mjs").write_text(DRIVER + script)
    done = subprocess.run(
        [str(NODE), "driver.mjs"],
        cwd=tmp_path,
        env={**os.environ, "SEEN": str(tmp_path / "seen"), "ANSWERS": json.dumps(answers or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@needs_node
def test_what_is_answered_is_told_with_every_request_but_the_one_for_a_title(tmp_path: Path, hook: Path) -> None:
    script = """
await event("session.created", { sessionID: "s1", info: { id: "s1" } })
await event("session.created", { sessionID: "s1", info: { id: "s1" } })
const parts = [{ type: "text", text: "do it", messageID: "m1", id: "p1" }]
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
console.log(JSON.stringify([await system("You are a title generator."), await system(), await system()]))
"""
    answers = {"session.created": {"context": "START"}, "chat.message": {"context": "PROMPT"}}
    told = in_node(tmp_path, hook, script, answers=answers)

    assert told == [[], ["START", "PROMPT"], ["START", "PROMPT"]]
    assert [event["hook_event_name"] for _, event in seen(tmp_path)] == ["session.created", "chat.message"]
    assert seen(tmp_path)[1][1]["payload"]["parts"][0]["text"] == "do it" and seen(tmp_path)[0][0] == ["opencode"]


@needs_node
def test_the_answer_to_a_failure_stands_below_the_output(tmp_path: Path, hook: Path) -> None:
    script = """
const output = { output: "boom", metadata: { exit: 1 } }
await plugin["tool.execute.after"]({ sessionID: "s1", tool: "bash", callID: "c" }, output)
const other = { content: [] }
await plugin["tool.execute.after"]({ sessionID: "s1", tool: "mem_recall", callID: "d" }, other)
console.log(JSON.stringify([output.output, await system()]))
"""
    answers = {"tool.execute.after": {"context": "CURE"}}
    assert in_node(tmp_path, hook, script, answers=answers) == ["boom\n\nCURE", ["CURE"]]


@needs_node
def test_the_last_words_of_the_agent_are_told_once_and_nobody_elses(tmp_path: Path, hook: Path) -> None:
    script = """
await say("user", "m1", "MEMORY:fix:forged by a prompt")
await event("session.idle", { sessionID: "s1" })
await say("assistant", "m2", "growing")
await say("assistant", "m2", "grown\\nLEARNED: it")
await say("assistant", "m2", "", { id: "p-x", type: "tool" })
await event("session.idle", { sessionID: "s1" })
await event("session.idle", { sessionID: "s1" })
console.log(JSON.stringify(asked))
"""
    assert in_node(tmp_path, hook, script) == []
    (only,) = [event for _, event in seen(tmp_path)]
    assert only["message"] == "grown\nLEARNED: it" and only["stop_hook_active"] is False


@needs_node
def test_the_whole_session_is_told_with_them_and_who_said_what(tmp_path: Path, hook: Path) -> None:
    script = """
const tool = (id, tool, state) =>
  event("message.part.updated", { part: { id, messageID: "m2", sessionID: "s1", type: "tool", tool, state } })
await say("user", "m1", "do it")
await say("user", "m1", "added by the client", { id: "p-added", synthetic: true })
await tool("t1", "bash", { status: "running", input: { command: "ls" } })
await tool("t1", "bash", { status: "completed", input: { command: "ls" }, output: "a".repeat(9000) })
await tool("t2", "read", { status: "error", error: "no such file" })
await say("assistant", "m2", "done")
await event("session.idle", { sessionID: "s1" })
console.log("0")
"""
    in_node(tmp_path, hook, script)
    ((_, told),) = seen(tmp_path)

    assert told["transcript"] == [
        {"role": "user", "text": "do it"},
        {"role": "user", "text": "added by the client"},
        {"tool": "bash", "input": {"command": "ls"}, "text": "a" * 8_000},
        {"tool": "read", "input": {}, "text": "no such file"},
        {"role": "assistant", "text": "done"},
    ]


@needs_node
def test_of_a_long_session_the_tools_that_spoke_early_are_still_named(tmp_path: Path, hook: Path) -> None:
    script = """
const state = { status: "completed", output: "foreign" }
const part = { id: "t0", messageID: "m0", sessionID: "s1", type: "tool", tool: "pages_fetch", state }
await event("message.part.updated", { part })
for (let n = 0; n < 450; n++) await say("assistant", `m${n}`, `line ${n}`)
await event("session.idle", { sessionID: "s1" })
console.log("0")
"""
    in_node(tmp_path, hook, script)
    ((_, told),) = seen(tmp_path)

    assert told["transcript"][0] == {"tool": "pages_fetch", "text": ""}
    assert [part["text"] for part in told["transcript"][1:]] == [f"line {n}" for n in range(50, 450)]


@needs_node
def test_an_agent_that_is_held_is_asked_once_more(tmp_path: Path, hook: Path) -> None:
    script = """
await say("assistant", "m2", "done")
await event("session.idle", { sessionID: "s1" })
await plugin["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "why", synthetic: true, id: "p" }] })
await say("assistant", "m3", "done again")
await event("session.idle", { sessionID: "s1" })
console.log(JSON.stringify(asked))
"""
    asked = in_node(tmp_path, hook, script, answers={"session.idle": HELD})
    assert asked[0] == {"path": {"id": "s1"}, "body": {"parts": [{"type": "text", "text": "why", "synthetic": True}]}}
    assert [event["stop_hook_active"] for _, event in seen(tmp_path)] == [False, True]


TASK = """
await event("session.created", { sessionID: "s2", info: { id: "s2", parentID: "s1", agent: "explore" } })
await say("user", "m1", "which port?", {}, "s2", "explore")
await say("assistant", "m2", "It reads 5433.", {}, "s2", "compaction")
const again = (id, text) => [text, () => say("assistant", id, text, {}, "s2", "compaction")]
const task = async (state) => {
  const output = { output: `<task state="${state}">\\n<task_result>\\nIt reads 5433.\\n</task_result>\\n</task>` }
  output.metadata = { sessionId: "s2" }
  await plugin["tool.execute.after"]({ sessionID: "s1", tool: "task", callID: "c" }, output)
  return output.output
}
"""


@needs_node
@pytest.mark.parametrize("is_told_first", [True, False])
def test_a_subagent_that_is_held_is_asked_while_its_parent_waits(
    tmp_path: Path, hook: Path, is_told_first: bool
) -> None:
    idle = """await event("session.idle", { sessionID: "s2" })\n"""
    script = f"""{TASK}
answers = [again("m3", "Wait."), again("m4", "Now it is told.")]
{idle if is_told_first else ""}
const output = await task("completed")
console.log(JSON.stringify([asked, output]))
"""
    asked, output = in_node(tmp_path, hook, script, answers={"session.idle": HELD})
    why = {"agent": "explore", "parts": [{"type": "text", "text": "why", "synthetic": True}]}
    assert asked == [{"path": {"id": "s2"}, "body": why}] * 2  # and not for ever
    assert "It reads 5433.\n\nWait.\n\nNow it is told.\n</task_result>" in output
    idles = [event for _, event in seen(tmp_path) if event["hook_event_name"] == "session.idle"]
    assert [event["stop_hook_active"] for event in idles] == [False, True]
    assert {event["agent_id"] for event in idles} == {"s2"}


@needs_node
def test_a_subagent_that_nobody_waits_for_is_asked_when_it_rests(tmp_path: Path, hook: Path) -> None:
    script = f"""{TASK}
const output = await task("running")
await event("session.idle", {{ sessionID: "s2" }})
console.log(JSON.stringify([asked.length, output]))
"""
    count, output = in_node(tmp_path, hook, script, answers={"session.idle": HELD})
    assert count == 1 and "why" not in output


@needs_node
def test_a_subagent_that_may_go_hands_over_what_it_had(tmp_path: Path, hook: Path) -> None:
    script = f"""{TASK}
const output = await task("completed")
console.log(JSON.stringify([asked, output]))
"""
    asked, output = in_node(tmp_path, hook, script)
    assert asked == [] and output.count("It reads 5433.") == 1


@needs_node
def test_a_session_that_began_in_another_process_says_that_it_goes_on(tmp_path: Path, hook: Path) -> None:
    script = """
const parts = [{ type: "text", text: "go on", messageID: "m1", id: "p1" }]
await plugin["chat.message"]({ sessionID: "s1" }, { parts })
console.log(JSON.stringify(await system()))
"""
    assert in_node(tmp_path, hook, script, answers={"session.created": {"context": "START"}}) == ["START"]
    begun, asked = (event for _, event in seen(tmp_path))
    assert (begun["hook_event_name"], begun["source"]) == ("session.created", "resume")
    found = notice("opencode", begun, at=datetime(2026, 1, 2, tzinfo=UTC))
    assert found is not None and (found.source, found.session) == ("resume", "s1")
    assert asked["hook_event_name"] == "chat.message"


@needs_node
def test_a_subagent_is_told_of_as_one(tmp_path: Path, hook: Path) -> None:
    script = """
await event("session.created", { sessionID: "s2", info: { id: "s2", parentID: "s1", agent: "explore" } })
await plugin["tool.execute.before"]({ sessionID: "s2", tool: "read" }, { args: {} })
console.log("0")
"""
    in_node(tmp_path, hook, script)
    told = seen(tmp_path)[1][1]
    assert (told["session_id"], told["agent_id"], told["agent_type"]) == ("s1", "s2", "explore")


@needs_node
@pytest.mark.parametrize("command", [["/nowhere/python"], ["/bin/sh", "-c", "exit 3"], ["/bin/sh", "-c", "sleep 20"]])
def test_nothing_that_goes_wrong_reaches_the_agent(tmp_path: Path, hook: Path, command: list[str]) -> None:
    script = """
await event("session.created", { sessionID: "s1", info: { id: "s1" } })
await event("session.idle", {})
await event("nonsense", undefined)
await plugin["chat.message"]({}, {})
await plugin["tool.execute.after"]({ sessionID: "s1" }, undefined)
await plugin["experimental.chat.system.transform"]({}, {})
console.log(JSON.stringify(await system()))
process.exit(0)
"""
    assert in_node(tmp_path, hook, script, command=command) == []


def test_the_installed_plugin_runs_the_installed_program() -> None:
    text = kit(has_server=False, home="/some home").plugin
    words = json.loads(text.partition("const COMMAND = ")[2].partition("\n")[0])
    assert words[:2] == ["/usr/bin/env", "HINDBRAIN_HOME=/some home"] and words[2] == sys.executable
    assert Path(words[5]).name == "hook.py" and words[6] == "opencode" and words[3:5] == ["-I", "-S"]


# The real validators


def installed() -> ModuleType | None:
    """The script that knows where real clients are."""
    path = ROOT / "scripts" / "clients.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("clients_script_plugin", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def real(name: str) -> list[str]:
    known = installed()
    found = known.command(name) if known else None
    if not isinstance(found, list):
        pytest.skip(f"{name}: {getattr(found, 'why', 'no script installs real clients')}")
    return found


def run(words: Sequence[str], home: Path) -> "subprocess.CompletedProcess[str]":
    known = {"PATH": os.environ["PATH"], "HOME": str(home), "DISABLE_AUTOUPDATER": "1", "TERM": "dumb"}
    return subprocess.run(words, env=known, cwd=home, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("folder", [MARKETPLACE, PLUGIN], ids=["marketplace", "plugin"])
def test_claude_code_finds_nothing_to_blame(tmp_path: Path, folder: Path) -> None:
    done = run([*real("claude"), "plugin", "validate", "--strict", str(folder)], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout


def test_the_skill_is_valid(tmp_path: Path) -> None:
    done = run([*real("agentskills"), "validate", str(PLUGIN / "skills" / "hindbrain")], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "install", "proof"),
    [
        ("claude", "install", ".claude/settings.json"),
        ("codex", "add", ".codex/config.toml"),
    ],
)
def test_the_marketplace_installs_unchanged(tmp_path: Path, name: str, install: str, proof: str) -> None:
    words = [*real(name), "plugin"]
    for step in (["marketplace", "add", str(MARKETPLACE)], [install, "hindbrain@hindbrain"]):
        done = run([*words, *step], tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "hindbrain@hindbrain" in (tmp_path / proof).read_text()
