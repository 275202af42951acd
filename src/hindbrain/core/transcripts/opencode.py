"""Who speaks in an OpenCode session, as our plugin there tells it: a JSON list `[who, text]` in every line.

The client keeps no file that others may read, so its plugin notes what goes by. `who` is `agent`, `command` for what
the agent ran in a shell, `user`, or the tool that returned the text.
"""

import json
from collections.abc import Iterable

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.utterance import Skipped, Transcript, Utterance, Voice

AGENT, COMMAND, USER = "agent", "command", "user"
_VOICES = {AGENT: Voice.AGENT, COMMAND: Voice.COMMAND}


def read(source: str) -> Transcript:
    utterances: list[Utterance] = []
    skipped: list[Skipped] = []
    for line, value in jsonl.values(source):
        match value:
            case [str() as who, str() as text]:
                tool = "" if who in (AGENT, COMMAND, USER) else who
                utterances.append(Utterance(voice=_VOICES.get(who, Voice.OTHER), text=text, line=line, tool=tool))
            case jsonl.Malformed():
                skipped.append(jsonl.unreadable(line, value))
            case _:
                skipped.append(Skipped(line=line, reason="wrong_shape"))
    return Transcript(utterances=tuple(utterances), skipped=tuple(skipped))


def written(said: Iterable[tuple[str, str]]) -> str:
    """The lines that `read` reads."""
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in said)
