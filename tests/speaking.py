"""What an agent said and did, as its client would have written it down."""

import json


def spoken(*said: str, commands: tuple[str, ...] = (), edited: bool = False, prompt: str = "do it") -> str:
    """A transcript of Claude Code."""
    records: list[dict[str, object]] = [{"type": "user", "message": {"role": "user", "content": prompt}}]
    for number, command in enumerate(commands):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
        records.append({"type": "assistant", "message": {"id": f"m{number}", "content": [call]}})
    if edited:
        call = {"type": "tool_use", "id": "e1", "name": "Edit", "input": {"file_path": "a.py"}}
        records.append({"type": "assistant", "message": {"id": "me", "content": [call]}})
    for number, text in enumerate(said):
        records.append(
            {"type": "assistant", "message": {"id": f"s{number}", "content": [{"type": "text", "text": text}]}}
        )
    return "\n".join(json.dumps(record) for record in records)
