"""Feed one reader of ours with bytes that learn from it which branches there are.

    fuzzing.py {signals,front,import,hook,query} FOLDER OPTIONS...

Runs until an option of libFuzzer says that it is enough (`-runs=`, `-max_total_time=`), or until an input raises what
no reader may raise, takes longer than `-timeout=` or more than 256 MB; that input is left in FOLDER. Needs `atheris`.
"""

import contextlib
import json
import resource
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import atheris

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]
AT = datetime(2026, 1, 10, tzinfo=UTC)
MOST_BYTES = 256 << 20  # that an input may take beside what the process has
PATHS = {
    "beads": (".beads/memory/knowledge.jsonl",),
    "chorus": (".chorus/learnings.md", ".chorus/agents/ed/learnings.md"),
    "claude": ("MEMORY.md", "topic.md"),
    "dex": ("export.json", "dex.db"),
    "loki": (
        *(".loki/memory/semantic/patterns.json", ".loki/memory/semantic/anti-patterns.json"),
        *(".loki/memory/episodic/2026-01-06/task-001.json", ".loki/memory/skills/a.md", ".loki/memory/index.json"),
        *(".loki/memory/handoffs/a.json", ".loki/memory/ledgers/a.json", ".loki/CONTINUITY.md"),
    ),
    "mem0": ("mem0.json",),
    "server-memory": ("memory.jsonl",),
    "rules": ("AGENTS.md", "CLAUDE.md"),
    "cursor": (".cursor/rules/a.mdc", ".cursorrules"),
}

with atheris.instrument_imports(include=["hindbrain"]):
    from building import FakeChance, FakeClock, a_memory, a_project, keep

    from hindbrain.adapters.dictionary import DictStore
    from hindbrain.adapters.files import LocalFiles
    from hindbrain.adapters.sqlite import SqliteStore
    from hindbrain.app.adopt import adopt
    from hindbrain.app.portable import import_
    from hindbrain.app.tools import Tools
    from hindbrain.core import vault
    from hindbrain.core.door import admit
    from hindbrain.core.hooks.clients import CLIENTS, notice
    from hindbrain.core.signals import find, find_in_command
    from hindbrain.core.words import query_terms
    from hindbrain.dialects import dialect
    from hindbrain.entry.hooks import event
    from hindbrain.errors import HindbrainError
    from hindbrain.ports import Where
    from hindbrain.settings import Settings


def signals(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    find(text)
    find_in_command(text)
    admit(text)


def front(data: bytes) -> None:
    vault.read("inbox/a.md", data.decode("utf-8", "replace"))
    vault.read("permanent/a.md", "---\n" + data.decode("utf-8", "replace"))


def files(data: bytes) -> None:
    rest = data[1:]
    number = (data[0] if data else 0) % (len(PATHS) + 1)
    if number == len(PATHS):
        with contextlib.suppress(HindbrainError):
            import_(rest.decode("utf-8", "surrogateescape"), is_own=None, project="prj-one", tools=_tools())
        return
    name = list(PATHS)[number]
    for path in PATHS[name]:
        with contextlib.suppress(HindbrainError):
            adopt({path: rest}, dialect=dialect(name), project="prj-one", tools=_tools())


def hook(data: bytes) -> None:
    client = CLIENTS[(data[0] if data else 0) % len(CLIENTS)]
    event.read(data[1:], client=client)
    with contextlib.suppress(ValueError):
        told = json.loads(data[1:])
        if isinstance(told, dict):
            notice(client, told, at=AT)


def query(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    STORE.matches(query_terms(text), Where(project="prj-one"), limit=10)


def _tools() -> Tools:
    store = DictStore()
    a_project(store)
    home = Settings(home="/nowhere", store="/nowhere/hindbrain.db")
    return Tools(store=store, clock=FakeClock(), chance=FakeChance(), files=LocalFiles(), settings=home)


def _store(folder: Path) -> SqliteStore:
    store = SqliteStore(folder / "hindbrain.db")
    a_project(store)
    keep(store, *(a_memory(f"lesson {n} of the lock: renew it", id=f"mem-{n:02}") for n in range(20)))
    return store


SEEDS = {
    "signals": (
        b"MEMORY:fix:renew the lock\n<chorus>LEARNING_LOCAL:x</chorus>\n```\nMEMORY:a\n```\n> q",
        b'bd comment B-1 "LEARNED: x" && bd comments add B-2 $(cat <<EOF\nINVESTIGATION: y\nEOF\n)',
        b"export API_KEY=ghp_0123456789abcdefghijklmnopqrstuvwxyz postgres://u:pw@h/db -----BEGIN RSA PRIVATE KEY-----",
    ),
    "front": (b"tags: [a, b]\ntitle: 'x'\n---\n# A\n[[b#c|d]] ![[e]] `[[f]]`\n```\n[[g]]\n```\n",),
    "import": (
        b'\0{"key":"a","type":"learned","content":"renew the lock","tags":["x"],"timestamp":"2026-01-10T08:00:00Z"}\n',
        b"\1# Project Learnings\n\n## General\n\n- Renew the lock\n  Source: ch-1 (2026-01-10, ed-001)\n",
        b"\2# Memory\n- [a](topic.md) - b\n\n## c\n- d\n",
        b'\3{"version":"1.0","memories":[{"id":"a","type":"fix","content":"x","confidence":0.5}]}',
        b'\4[{"id":"sem-001","pattern":"x","conditions":["y"],"correct_approach":"z","links":[{"to":"b"}]}]',
        b'\5{"results":[{"id":"a","memory":"x","metadata":{}}]}',
        b'\6{"type":"entity","name":"a","entityType":"b","observations":["x"]}\n{"type":"relation","from":"a","to":"b"}',
        b"\7# Rules\n- Always run tests\n",
        b"\x08---\ndescription: x\nglobs: *.py\n---\n- y\n",
        b'\x09{"version":"1.0","memories":[{"id":"mem-01","type":"fix","content":"x"}]}',
    ),
    "hook": (
        b'\0{"session_id":"s","cwd":"/","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"a":1}}',
        b'\1{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"input":"x"}}',
        b'\2{"session_id":"s","hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"file_path":"a"}}',
        b'\3{"event":"tool.execute.after","payload":{"tool":"bash","sessionID":"s","args":{"command":"ls"}}}',
    ),
    "query": (b'why does the lock expire? src/a.py NEAR(a b) "x" OR * ^ : -',),
}
TARGETS: dict[str, Callable[[bytes], None]] = {
    "signals": signals,
    "front": front,
    "import": files,
    "hook": hook,
    "query": query,
}


if __name__ == "__main__":
    target, folder, *options = sys.argv[1:]
    STORE = _store(Path(folder))
    # libFuzzer's own limit also counts what the process that started this one once had.
    given = [sys.argv[0], f"-artifact_prefix={folder}/", "-rss_limit_mb=0", "-max_len=4096", *options]
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_BYTES,) * 2)
    seeds = Path(folder) / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(SEEDS[target]):
        (seeds / str(number)).write_bytes(seed)
    atheris.Setup([*given, str(seeds)], TARGETS[target])
    atheris.Fuzz()
