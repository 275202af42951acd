"""Many sessions that teach nothing: what memory tells them must not come back as something learned."""

import json
import subprocess
from pathlib import Path

from clients.agents import Claude
from clients.desk import Desk
from clients.script import Say, Script
from clients.stories import CURE, begin, punctual

AGENT = Claude()
SESSIONS = 50
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")


# S2
def test_fifty_sessions_that_were_told_much_and_learned_nothing_add_no_memory(desk: Desk) -> None:
    begin(desk, AGENT)
    desk.hindbrain("add", CURE, "--type", "fix")
    desk.listen(AGENT, *EVENTS)
    turns = [
        [Say("I read the port first."), AGENT.read(desk.project / "port.txt")],
        [AGENT.shell("wc -l port.txt")],
        [Say(f"One line. As I was told: {CURE}. So the port must change.")],
    ]
    session = punctual(desk, lambda: desk.run(AGENT, "Which port do the tests use?", Script(turns=turns)))
    desk.drained()
    assert session.told(CURE) == 0
    known = desk.memories.keys()
    events = desk.heard
    told = 0

    for number in range(SESSIONS):
        told += _replayed(desk, events, f"{events[0]['session_id'][:-4]}{number:04}")
    desk.drained()

    assert told >= SESSIONS - desk.trouble.count("too late")  # each was told something, unless the machine was busy
    assert desk.memories.keys() == known


def _replayed(desk: Desk, events: list[dict[str, str]], session: str) -> int:
    """Put a session that was recorded through the hooks as one of its own; how often it was answered."""
    recorded = Path(events[0]["transcript_path"])
    transcript = recorded.with_name(f"{session}.jsonl")
    transcript.write_text(recorded.read_text().replace(events[0]["session_id"], session))
    wired = json.loads((desk.home / ".claude" / "settings.json").read_text())["hooks"]
    answers = 0
    for event in events:
        payload = {**event, "session_id": session, "transcript_path": str(transcript)}
        for command in {hook["command"] for group in wired[event["hook_event_name"]] for hook in group["hooks"]}:
            done = subprocess.run(
                ["sh", "-c", command],
                input=json.dumps(payload).encode(),
                cwd=desk.project,
                env=desk.environment,
                capture_output=True,
                check=True,
            )
            answers += bool(done.stdout.strip())
    return answers
