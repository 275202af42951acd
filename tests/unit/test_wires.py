"""What stands in the clients' files, and what `doctor` makes of it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from building import NOW
from setting_up import KIT, NOTHING_SPOOLED, ROOTS, MemoryClients

from hindbrain.adapters.dictionary import DictStore
from hindbrain.app.doctor import Finding
from hindbrain.app.init import carry_out, planned, undone
from hindbrain.app.wires import fingerprint, trial_event, wires
from hindbrain.core.hooks.table import EVENTS
from hindbrain.core.model.job import Job, JobState
from hindbrain.core.setup import jsonc
from hindbrain.core.setup.wires import CLIENTS, Wish, command, events, unwired, wired, wishes
from hindbrain.core.value import replace
from hindbrain.entry.hooks import event as hook_event
from hindbrain.errors import ConfigBroken, ConfigChanged
from hindbrain.ports import Changes

HOOKED = ("claude", "codex", "gemini")
CODEX_HOOKS = "/home/.codex/hooks.json"


def of(client: str, *, in_project: bool = False, exists: Sequence[str] = ()) -> Mapping[str, Wish]:
    found = wishes(client, KIT, roots=ROOTS, in_project=in_project, exists=lambda path: path in exists)
    return {wish.what: wish for wish in found}


def hooks_of(client: str) -> list[tuple[str, dict[str, Any]]]:
    return [(event, hook) for event, group in of(client)["hooks"].content.items() for hook in group["hooks"]]


@pytest.mark.parametrize("client", HOOKED)
def test_every_hook_has_a_timeout_and_is_waited_for(client: str) -> None:
    unit = 1000 if client == "gemini" else 1
    for event, hook in hooks_of(client):
        assert hook["timeout"] == (3 if event == "SessionEnd" else 5) * unit
        assert "async" not in hook and "args" not in hook


def test_the_command_is_one_line_of_shell_that_always_ends_well() -> None:
    assert command("codex", KIT) == "'/opt/my env/bin/python' -I -S /opt/lib/hindbrain/hook.py codex || :"
    moved = replace(KIT, home="/srv/it's mine")
    assert command("codex", moved).startswith("HINDBRAIN_HOME='/srv/it'\"'\"'s mine' '/opt/my env")


# BD-064: PostToolUse, SubagentStop and SessionStart are wired
def test_the_events_are_those_that_the_client_has() -> None:
    assert {"SessionStart", "PostToolUse", "PostToolUseFailure", "SubagentStop", "Stop"} <= set(events("claude"))
    assert set(events("claude")) - set(events("codex")) == {"PostToolUseFailure"}
    assert "BeforeAgent" in events("gemini") and not events("opencode")
    assert of("gemini")["hooks"].content["BeforeTool"]["matcher"] == "complete_task"


@pytest.mark.parametrize(
    ("client", "path"),
    [
        ("claude", "/repo/.claude/settings.json /repo/.mcp.json /repo/.claude/skills/hindbrain/SKILL.md"),
        ("codex", "/repo/.codex/hooks.json /repo/.codex/config.toml /repo/.agents/skills/hindbrain/SKILL.md"),
        ("gemini", "/repo/.gemini/settings.json /repo/.gemini/settings.json /repo/.gemini/skills/hindbrain/SKILL.md"),
        (
            "opencode",
            "/repo/.opencode/plugins/hindbrain.js /repo/opencode.json /repo/.opencode/skills/hindbrain/SKILL.md",
        ),
    ],
)
def test_a_project_has_its_own_files_and_its_server_names_no_path_of_this_machine(client: str, path: str) -> None:
    found = of(client, in_project=True)
    assert [wish.path for wish in found.values()] == path.split()
    assert KIT.python not in json.dumps(found["server"].content)


def test_a_server_may_take_its_time_to_start_and_a_folder_of_its_name_is_not_run() -> None:
    assert of("codex")["server"].content["startup_timeout_sec"] == 30
    assert of("opencode")["server"].content["timeout"] == 30_000
    for client in ("claude", "codex", "gemini"):
        content = of(client)["server"].content
        assert [content["command"], *content["args"]] == [KIT.python, "-P", "-m", "hindbrain", "mcp"]
        assert "required" not in content and "trust" not in content  # a person's choices


def test_no_server_is_named_where_there_is_none() -> None:
    clients = MemoryClients()
    kit = replace(KIT, has_server=False)
    plan = planned(tuple(CLIENTS), kit, folder="/", in_project=False, clients=clients)

    assert not any("server" in change.what for change in plan.changes)
    assert any("hindbrain[mcp]" in notice for notice in plan.notices)


def test_a_configuration_with_comments_is_preferred_where_there_is_one() -> None:
    assert of("opencode", exists=["/home/.config/opencode/opencode.jsonc"])["server"].path.endswith(".jsonc")


def test_a_hook_of_an_earlier_installation_is_replaced_and_others_in_its_group_stay() -> None:
    old = "/old/python -I -S /old/hindbrain/hook.py claude || :"
    groups = [{"hooks": [{"type": "command", "command": old}, {"type": "command", "command": "theirs"}]}]
    made = jsonc.value(wired(json.dumps({"hooks": {"Stop": groups}}), of("claude")["hooks"]))

    assert made["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "theirs"}]}
    assert len(made["hooks"]["Stop"]) == 2 and old not in json.dumps(made)


def test_ours_are_found_without_a_record_too() -> None:
    text = wired("", of("claude")["hooks"])
    clients = MemoryClients({"/home/.claude/settings.json": text.encode(), "/home/.gemini/settings.json": b"{}"})
    carry_out(undone((), KIT, folder="/", in_project=False, clients=clients), clients=clients)

    assert {path: jsonc.value(content.decode()) for path, content in clients.files.items()} == {
        "/home/.claude/settings.json": {},
        "/home/.gemini/settings.json": {},
    }
    assert unwired(text, of("claude")["hooks"]).strip() == "{}"


@pytest.mark.parametrize(
    ("client", "path", "content"),
    [
        ("claude", "/home/.claude/settings.json", b'{"hooks": {'),
        ("claude", "/home/.claude/settings.json", b'{"hooks": []}'),
        ("claude", "/home/.claude/settings.json", b'{"hooks": {"Stop": {}}}'),
        ("claude", "/home/.claude/settings.json", b"[]"),
        ("claude", "/home/.claude/settings.json", b'{"a": "\xff"}'),
        ("codex", "/home/.codex/config.toml", b"model = "),
        ("codex", "/home/.codex/config.toml", b"mcp_servers = { other = { command = 'x' } }"),
    ],
)
def test_a_configuration_that_cannot_be_changed_is_refused_whole(client: str, path: str, content: bytes) -> None:
    clients = MemoryClients({path: content})
    with pytest.raises(ConfigBroken) as refused:
        planned((client,), KIT, folder="/", in_project=False, clients=clients)

    assert path in refused.value.what and "--client" in refused.value.fix
    assert clients.files == {path: content}


def test_a_file_that_changed_after_it_was_shown_is_left_alone() -> None:
    path = "/home/.claude/settings.json"
    clients = MemoryClients({path: b"{}"})
    plan = planned(("claude",), KIT, folder="/", in_project=False, clients=clients)
    clients.files[path] = b'{"model": "x"}'

    with pytest.raises(ConfigChanged):
        carry_out(plan, clients=clients)
    assert clients.files[path] == b'{"model": "x"}'


def test_a_skill_that_a_person_rewrote_is_theirs() -> None:
    clients = MemoryClients()
    carry_out(planned(("claude",), KIT, folder="/", in_project=False, clients=clients), clients=clients)
    path = "/home/.claude/skills/hindbrain/SKILL.md"
    clients.files[path] = b"my own words"
    carry_out(undone((), KIT, folder="/", in_project=False, clients=clients), clients=clients)

    assert clients.files == {path: b"my own words"} and not clients.kept


@pytest.mark.parametrize(
    ("client", "path", "content"),
    [
        ("claude", "/home/.claude/settings.json", b'{"enabledPlugins": {"hindbrain@team": true}}'),
        ("codex", "/home/.codex/config.toml", b'[plugins."hindbrain@team"]\nenabled = true\n'),
    ],
)
def test_where_the_plugin_is_on_nothing_is_added(client: str, path: str, content: bytes) -> None:
    plan = planned((client,), KIT, folder="/", in_project=False, clients=MemoryClients({path: content}))
    assert plan.changes == () and "hindbrain@team" in plan.notices[0]


def test_the_diff_shows_each_line_and_a_missing_line_end() -> None:
    clients = MemoryClients({"/home/.claude.json": b'{"mcpServers": {}}'})
    plan = planned(("claude",), KIT, folder="/", in_project=False, clients=clients)
    shown = {change.path: change.diff for change in plan.changes}

    assert shown["/home/.claude.json"].startswith("--- /home/.claude.json\n+++ /home/.claude.json\n@@ -1 +1,")
    assert '-{"mcpServers": {}}\n\\ No newline at end of file\n' in shown["/home/.claude.json"]
    assert shown["/home/.claude/settings.json"].startswith("--- /dev/null\n")


def healthy(*found: str) -> MemoryClients:
    clients = MemoryClients({KIT.python: b"", KIT.hook: b""}, found=found)
    carry_out(planned(found, KIT, folder="/", in_project=False, clients=clients), clients=clients)
    return clients


def looked_at(clients: MemoryClients, *, store: DictStore | None = None, trial: str = "") -> list[Finding]:
    store = store or DictStore()
    return list(wires(KIT, folder="/", store=store, clients=clients, now=NOW, trial=trial))


def bad(findings: Sequence[Finding]) -> list[str]:
    assert all(finding.fix for finding in findings if not finding.is_ok)
    return [finding.what for finding in findings if not finding.is_ok]


def test_a_client_that_nobody_uses_is_no_finding() -> None:
    assert {finding.name for finding in looked_at(MemoryClients())} == {"spool"}


def test_a_client_that_is_not_wired_is_well_and_told_how_to_be() -> None:
    first = looked_at(MemoryClients(found=["gemini"]))[0]
    assert first.is_ok and first.fix == "hindbrain init --client gemini"


@pytest.mark.parametrize("client", ["claude", "gemini", "opencode"])
def test_a_wired_client_is_well(client: str) -> None:
    findings = looked_at(healthy(client))
    assert bad(findings) == [] and any("is wired" in finding.what for finding in findings)


def test_what_was_taken_out_by_hand_is_missed() -> None:
    clients = healthy("claude")
    path = "/home/.claude/settings.json"
    clients.files[path] = jsonc.cut(clients.files[path].decode(), ("hooks", "Stop")).encode()
    assert len(bad(looked_at(clients))) == 1 and path in bad(looked_at(clients))[0]


def test_hooks_of_the_user_and_of_the_project_are_too_many() -> None:
    clients = healthy("gemini")
    carry_out(planned(("gemini",), KIT, folder="/", in_project=True, clients=clients), clients=clients)
    (what,) = bad(looked_at(clients))
    assert "told twice" in what


def test_a_hook_program_that_is_gone_is_missed() -> None:
    clients = healthy("claude")
    del clients.files[KIT.hook]
    assert KIT.hook in bad(looked_at(clients))[0]


def test_a_broken_configuration_is_one_finding() -> None:
    clients = healthy("claude")
    clients.files["/home/.claude/skills/hindbrain/SKILL.md"] = b"\xff"
    assert len(bad(looked_at(clients))) == 1


# Recorded from Codex 0.166.0: the hash it gives to such a hook, of a session's start and with a matcher
RECORDED = {
    "session_start": "sha256:43dfa0d49be0f8bf2733f9828d1fa649d377c79bd7f4472595d80bf780accedd",
    "pre_tool_use": "sha256:0a660c62155d32171b94916f9b6e4876bd145c6d4b62909fe31de6315d900e8e",
}


def test_the_fingerprint_of_a_hook_is_the_one_that_codex_takes() -> None:
    hook = {"type": "command", "command": "true || :", "timeout": 5}
    assert fingerprint("SessionStart", hook, group={"hooks": [hook]}) == RECORDED["session_start"]
    group = {"matcher": "apply_patch|Edit", "hooks": [hook]}
    assert fingerprint("PreToolUse", hook, group=group) == RECORDED["pre_tool_use"]


def test_codex_hooks_that_nobody_trusted_are_a_finding_and_trusted_ones_are_not() -> None:
    clients = healthy("codex")
    assert any("10 of 10 hooks are not trusted" in what for what in bad(looked_at(clients)))

    snake = {event: "".join(f"_{c.lower()}" if c.isupper() else c for c in event)[1:] for event in events("codex")}
    groups = jsonc.value(clients.files[CODEX_HOOKS].decode())["hooks"]
    lines = [
        f'[hooks.state."{CODEX_HOOKS}:{snake[event]}:0:0"]\n'
        f'trusted_hash = "{fingerprint(event, groups[event][0]["hooks"][0], group=groups[event][0])}"\n'
        for event in events("codex")
    ]
    clients.files["/home/.codex/config.toml"] += "".join(lines).encode()
    assert bad(looked_at(clients)) == []

    clients.files[CODEX_HOOKS] = clients.files[CODEX_HOOKS].replace(b'"timeout": 3', b'"timeout": 2')
    assert any("1 of 10 hooks are not trusted" in what for what in bad(looked_at(clients)))


def test_the_last_event_of_a_client_is_told() -> None:
    store = DictStore()
    store.write(lambda to: to.apply(Changes(cursors={"client/claude": "2026-11-16T04:00:00.000Z before_tool"})))
    told = [finding.what for finding in looked_at(healthy("claude"), store=store)]
    assert "last heard of at 2026-11-16T04:00:00.000Z: before tool" in told


@pytest.mark.parametrize(
    ("spool", "words"),
    [
        ({"waiting": 3, "oldest": NOW - timedelta(hours=1)}, "the oldest for 60 minutes"),
        ({"bad": 2}, "2 records could not be read"),
        ({"troubles": ("claude too late while reading",)}, "too late"),
        ({"modes": {"/h/spool": "755"}}, "/h/spool has mode 755"),
    ],
)
def test_what_hooks_left_behind_is_looked_into(spool: dict[str, Any], words: str) -> None:
    clients = MemoryClients()
    clients.spool = replace(NOTHING_SPOOLED, **spool)
    assert any(words in what for what in bad(looked_at(clients)))


def test_a_spool_that_is_being_read_is_well() -> None:
    clients = MemoryClients()
    clients.spool = replace(NOTHING_SPOOLED, waiting=5, oldest=NOW - timedelta(seconds=9), modes={"/h": "700"})
    assert bad(looked_at(clients)) == []


def test_work_that_was_given_up_is_told_with_its_error() -> None:
    store = DictStore()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    job = Job(id="job-1", kind="extract", key="k", project="p", payload={}, created_at=at, due_at=at)
    job = replace(job, state=JobState.DEAD, tries=5, error="no such session")
    store.write(lambda to: to.apply(Changes(jobs=(job,))))
    assert bad(looked_at(MemoryClients(), store=store)) == ["extract was tried 5 times and given up: no such session"]


@pytest.mark.parametrize("trial", ["", "nothing arrived"])
def test_a_trial_goes_through_the_installed_command_line(trial: str) -> None:
    clients = healthy("claude")
    clients.trial = trial
    findings = looked_at(clients, trial="claude")
    assert clients.tries == [command("claude", KIT)] and bool(bad(findings)) == bool(trial)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_event_of_a_trial_is_kept_and_wakes_nobody(client: str) -> None:
    heard = hook_event.read(json.dumps(trial_event(client)).encode(), client=client)
    assert heard is not None and heard.asks == hook_event.NEVER and not heard.is_synced


@pytest.mark.parametrize("client", HOOKED)
def test_what_is_wired_is_what_the_hook_program_understands(client: str) -> None:
    assert set(events(client)) <= set(EVENTS[client])
