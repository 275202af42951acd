"""What is different about running Claude Code, Codex, Gemini CLI and OpenCode, and what is the same for a test."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from clients.script import Call, Part, Request, Say, Turn

Records = list[dict[str, Any]]


class Agent(Protocol):
    """One client: how it is started on a scripted model, and how its tools are called."""

    name: str

    def words(self, prompts: Sequence[str], *, is_again: bool, port: int) -> list[str]:
        """What to start it with, after its program. `is_again`: its last session goes on."""
        ...

    def environment(self, port: int) -> Mapping[str, str]: ...

    def settle(self, home: Path) -> None:
        """Write what it must find in a home before anything else is there."""
        ...

    def talk(self, process: "subprocess.Popen[str]", prompts: Sequence[str]) -> tuple[str, str]:
        """Say what there is to say until it ends; what it printed."""
        ...

    def shell(self, command: str) -> Call: ...

    def read(self, path: Path) -> Call: ...

    def write(self, path: Path, content: str) -> Call: ...

    def task(self, prompt: str) -> list[Turn]:
        """Give a subagent something to do, and wait for it."""
        ...

    def report(self, text: str) -> Part:
        """How a subagent says that it is done."""
        ...

    def page(self) -> Call:
        """Ask the server of web pages, where `serve_pages` has wired it."""
        ...

    def serve_pages(self, home: Path, words: Sequence[str]) -> None: ...

    def memory(self, tool: str, **arguments: Any) -> Call:
        """Call a tool of our own server, where `hindbrain init` has wired it."""
        ...


@dataclass(frozen=True, slots=True)
class Claude:
    name: str = "claude"

    def words(self, prompts: Sequence[str], *, is_again: bool, port: int) -> list[str]:
        tools = "Bash,Read,Write,Edit,Agent,Skill,ToolSearch,mcp__pages__fetch,mcp__hindbrain"
        forms = (
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            "--include-hook-events",
        )
        return ["-p", *forms, "--allowedTools", tools, *(["--continue"] if is_again else [])]

    def environment(self, port: int) -> Mapping[str, str]:
        return {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def settle(self, home: Path) -> None:
        (home / ".claude").mkdir(parents=True)

    def talk(self, process: "subprocess.Popen[str]", prompts: Sequence[str]) -> tuple[str, str]:
        """The next prompt is said when the last has had its result, as at a keyboard."""
        assert process.stdin and process.stdout
        heard: list[str] = []
        for prompt in prompts:
            message = {"type": "user", "message": {"role": "user", "content": prompt}}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            heard += _until(process.stdout, lambda record: record.get("type") == "result")
        out, err = process.communicate()
        return "".join(heard) + out, err

    def shell(self, command: str) -> Call:
        return Call("Bash", {"command": command, "description": "work"})

    def read(self, path: Path) -> Call:
        return Call("Read", {"file_path": str(path)})

    def write(self, path: Path, content: str) -> Call:
        return Call("Write", {"file_path": str(path), "content": content})

    def task(self, prompt: str, kind: str = "general-purpose") -> list[Turn]:
        what = {"description": "a task", "prompt": prompt, "subagent_type": kind, "run_in_background": False}
        return [[Call("Agent", what)]]

    def report(self, text: str) -> Part:
        return Say(text)

    def page(self) -> Call:
        return Call("mcp__pages__fetch", {"url": "https://example.org/"})

    def serve_pages(self, home: Path, words: Sequence[str]) -> None:
        entry = {"command": words[0], "args": list(words[1:]), "alwaysLoad": True}
        _merge(home / ".claude.json", {"mcpServers": {"pages": entry}})

    def memory(self, tool: str, **arguments: Any) -> Call:
        return Call(f"mcp__hindbrain__{tool}", arguments)


@dataclass(frozen=True, slots=True)
class Codex:
    name: str = "codex"

    def words(self, prompts: Sequence[str], *, is_again: bool, port: int) -> list[str]:
        url = json.dumps(f"http://127.0.0.1:{port}/v1")
        provider = f'{{name="scripted", base_url={url}, env_key="SCRIPTED_KEY", wire_api="responses"}}'
        options = ("-c", f"model_providers.scripted={provider}", "--skip-git-repo-check", "--json")
        again = ["resume", "--last"] if is_again else []
        return ["exec", *again, *options, "--dangerously-bypass-hook-trust", *prompts]

    def environment(self, port: int) -> Mapping[str, str]:
        return {"SCRIPTED_KEY": "none"}

    def settle(self, home: Path) -> None:
        folder = home / ".codex"
        folder.mkdir(parents=True)
        lines = (
            'model = "gpt-5.5"',  # one it knows, else it has no tool for patches
            'model_provider = "scripted"',
            'approval_policy = "never"',
            'sandbox_mode = "danger-full-access"',
            "[features]",
            "plugins = false",  # it would look for news of them on the network
            "[analytics]",
            "enabled = false",  # it would try to send them before it ends, for five seconds
        )
        (folder / "config.toml").write_text("\n".join(lines) + "\n")

    def talk(self, process: "subprocess.Popen[str]", prompts: Sequence[str]) -> tuple[str, str]:
        return process.communicate()

    def shell(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    def read(self, path: Path) -> Call:
        return self.shell(f"cat {path}")

    def write(self, path: Path, content: str) -> Call:
        lines = "".join(f"+{line}\n" for line in content.splitlines())
        return Call("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch")

    def task(self, prompt: str) -> list[Turn]:
        def wait(request: Request) -> Sequence[Part]:
            """It was only started, and has a name."""
            names = re.findall(r'"agent_id":"([0-9a-f-]{36})"', request.text)
            return [Call("wait_agent", {"targets": names[-1:], "timeout_ms": 60_000}, namespace="multi_agent_v1")]

        return [[Call("spawn_agent", {"message": prompt}, namespace="multi_agent_v1")], wait]

    def report(self, text: str) -> Part:
        return Say(text)

    def page(self) -> Call:
        return Call("fetch", {"url": "https://example.org/"}, namespace="mcp__pages")

    def serve_pages(self, home: Path, words: Sequence[str]) -> None:
        config = home / ".codex" / "config.toml"
        entry = f"command = {json.dumps(words[0])}\nargs = {json.dumps(words[1:])}\nrequired = true\n"
        config.write_text(f"{config.read_text()}\n[mcp_servers.pages]\n{entry}")

    def memory(self, tool: str, **arguments: Any) -> Call:
        return Call(tool, arguments, namespace="mcp__hindbrain")


@dataclass(frozen=True, slots=True)
class Gemini:
    name: str = "gemini"

    def words(self, prompts: Sequence[str], *, is_again: bool, port: int) -> list[str]:
        again = ["--resume", "latest"] if is_again else []
        return ["-p", *prompts, "--yolo", "-m", "gemini-2.5-pro", "--output-format", "json", *again]

    def environment(self, port: int) -> Mapping[str, str]:
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_BROWSER": "1",
        }

    def settle(self, home: Path) -> None:
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        }
        _merge(home / ".gemini" / "settings.json", settings)

    def talk(self, process: "subprocess.Popen[str]", prompts: Sequence[str]) -> tuple[str, str]:
        return process.communicate()

    def shell(self, command: str) -> Call:
        return Call("run_shell_command", {"command": command, "description": "work"})

    def read(self, path: Path) -> Call:
        return Call("read_file", {"file_path": str(path)})

    def write(self, path: Path, content: str) -> Call:
        return Call("write_file", {"file_path": str(path), "content": content})

    def task(self, prompt: str) -> list[Turn]:
        return [[Call("invoke_agent", {"agent_name": "generalist", "prompt": prompt})]]

    def report(self, text: str) -> Part:
        return Call("complete_task", {"result": {"response": text}})

    def page(self) -> Call:
        return Call("mcp_pages_fetch", {"url": "https://example.org/"})

    def serve_pages(self, home: Path, words: Sequence[str]) -> None:
        entry = {"command": words[0], "args": list(words[1:]), "trust": True}
        _merge(home / ".gemini" / "settings.json", {"mcpServers": {"pages": entry}})

    def memory(self, tool: str, **arguments: Any) -> Call:
        return Call(f"mcp_hindbrain_{tool}", arguments)


@dataclass(frozen=True, slots=True)
class OpenCode:
    name: str = "opencode"

    def words(self, prompts: Sequence[str], *, is_again: bool, port: int) -> list[str]:
        return ["run", "--format", "json", *(["--continue"] if is_again else []), *prompts]

    def environment(self, port: int) -> Mapping[str, str]:
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 8_000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
            "models": {"m1": model},
        }
        config = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/m1",
            "small_model": "scripted/m1",
            "provider": {"scripted": provider},
            "permission": {"bash": "allow", "edit": "allow"},
        }
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def settle(self, home: Path) -> None:
        """As it is after the first start of all, which installs what plugins need, and without a network waits for it
        for over a minute."""
        folder = home / ".config" / "opencode"
        (folder / "node_modules").mkdir(parents=True)
        needed = {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}
        (folder / "package.json").write_text(json.dumps(needed))
        (folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": needed}}))

    def talk(self, process: "subprocess.Popen[str]", prompts: Sequence[str]) -> tuple[str, str]:
        return process.communicate()

    def shell(self, command: str) -> Call:
        return Call("bash", {"command": command, "description": "work"})

    def read(self, path: Path) -> Call:
        return Call("read", {"filePath": str(path)})

    def write(self, path: Path, content: str) -> Call:
        return Call("write", {"filePath": str(path), "content": content})

    def task(self, prompt: str) -> list[Turn]:
        return [[Call("task", {"description": "a task", "prompt": prompt, "subagent_type": "general"})]]

    def report(self, text: str) -> Part:
        return Say(text)

    def page(self) -> Call:
        return Call("pages_fetch", {"url": "https://example.org/"})

    def serve_pages(self, home: Path, words: Sequence[str]) -> None:
        entry = {"type": "local", "command": list(words), "enabled": True}
        _merge(home / ".config" / "opencode" / "opencode.json", {"mcp": {"pages": entry}})

    def memory(self, tool: str, **arguments: Any) -> Call:
        return Call(f"hindbrain_{tool}", arguments)


def _until(lines: IO[str], is_last: Callable[[dict[str, Any]], bool]) -> list[str]:
    heard: list[str] = []
    for line in lines:
        heard.append(line)
        if line.startswith("{") and is_last(json.loads(line)):
            break
    return heard


def _merge(path: Path, more: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    held: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for name, value in more.items():
        held[name] = {**held.get(name, {}), **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(held, indent=2))


def records(out: str) -> Records:
    """The lines of a stream that are JSON."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")]


def path_with(*folders: str) -> str:
    """A search path with the usual places after `folders`."""
    return os.pathsep.join([*folders, "/usr/local/bin", "/usr/bin", "/bin"])
