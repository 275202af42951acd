"""Who speaks in a Codex rollout, or in what `codex exec --json` prints.

A rollout holds most texts twice: as `response_item` and as `event_msg`. The latter is read only where it stands
alone.
"""

from collections.abc import Sequence

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object, Record
from hindbrain.core.transcripts.utterance import OWN, Skipped, Transcript, Utterance, Voice
from hindbrain.core.value import replace

_SHELL_TOOLS = frozenset(
    {"shell", "shell_command", "exec_command", "local_shell", "container.exec", "exec", "bash", "unified_exec"}
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_ITEMS = frozenset({"message", "reasoning", "web_search_call"}) | _CALLS


def read(source: str) -> Transcript:
    reader = _Reader()
    for record in jsonl.records(source):
        if isinstance(record, Skipped):
            reader.skipped.append(record)
        else:
            reader.take(record)
    said = {utterance.text for utterance in reader.utterances if utterance.voice is Voice.AGENT}
    alone = [utterance for utterance in reader.events if utterance.text not in said]
    utterances = sorted((*reader.utterances, *alone), key=lambda utterance: utterance.line)
    return Transcript(utterances=tuple(utterances), skipped=tuple(reader.skipped))


def exit_code(source: str, call: str) -> int | None:
    """How the command of that call ended, by the newest record of it; None where none says."""
    for line in reversed(source.split("\n")):
        if call in line and '"exit_code"' in line:
            value = jsonl.parsed(line)
            item = jsonl.mapping(jsonl.mapping(value, "payload"), "item") if isinstance(value, dict) else {}
            code = item.get("exit_code")
            if item.get("id") == call and type(code) is int:
                return code
    return None


class _Reader:
    def __init__(self) -> None:
        self.utterances: list[Utterance] = []
        self.skipped: list[Skipped] = []
        self.events: list[Utterance] = []  # what the agent said, as the client was told
        self._tools: dict[str, str] = {}  # id of a call -> name of the tool
        self._said: set[str] = set()  # ids of messages and calls that were read
        self._session = ""
        self._cwd = ""
        self._instance = ""

    def take(self, record: Record) -> None:
        fields = record.fields
        kind = jsonl.text(fields, "type")
        payload = fields.get("payload")
        base = self._base(record)
        if kind == "session_meta":
            self._start(jsonl.mapping(fields, "payload"))
        elif kind == "turn_context":
            self._cwd = jsonl.text(jsonl.mapping(fields, "payload"), "cwd") or self._cwd
        elif kind == "compacted":
            said = jsonl.text(jsonl.mapping(fields, "payload"), "message")
            self._add(replace(base, text=said, tool="system"))
        elif kind == "thread.started":
            self._session = jsonl.text(fields, "thread_id")
        elif kind == "item.completed":
            self._take_printed(jsonl.mapping(fields, "item"), base)
        elif kind in ("event_msg", "response_item"):
            self._take_payload(payload, base, is_event=kind == "event_msg")
        elif kind in _ITEMS or kind.endswith("_output"):
            self._take_item(fields, base)  # rollouts of old had no envelope

    def _take_event(self, event: Object, base: Utterance) -> None:
        said = jsonl.text(event, "message")
        if jsonl.text(event, "type") == "agent_message" and said:
            self.events.append(replace(base, voice=Voice.AGENT, text=said))

    def _base(self, record: Record) -> Utterance:
        return Utterance(
            voice=Voice.OTHER,
            text="",
            line=record.line,
            at=jsonl.moment(record.fields.get("timestamp")),
            session=self._session,
            instance=self._instance,
            cwd=self._cwd,
        )

    def _start(self, meta: Object) -> None:
        if self._session:
            return  # a fork repeats the beginning of the session it came from
        self._session = jsonl.text(meta, "id", "session_id")
        self._cwd = jsonl.text(meta, "cwd")
        self._instance = jsonl.text(meta, "agent_nickname")

    def _take_payload(self, payload: object, base: Utterance, *, is_event: bool) -> None:
        if isinstance(payload, dict):
            (self._take_event if is_event else self._take_item)(payload, base)
        else:
            self.skipped.append(Skipped(line=base.line, reason="wrong_shape"))

    def _take_item(self, item: Object, base: Utterance) -> None:
        kind = jsonl.text(item, "type")
        identity = jsonl.text(item, "call_id", "id")
        base = replace(base, ref=identity)
        if kind == "message":
            self._take_message(item, base)
        elif kind in _CALLS:
            self._take_call(item, base)
        elif kind.endswith("_output"):
            tool = self._tools.get(identity) or "tool"
            self._add(replace(base, text=jsonl.strings(item.get("output")), tool=tool))
        elif kind == "web_search_call":
            self._add(replace(base, text=jsonl.strings(item.get("action")), tool="web_search"))
        elif kind == "reasoning":
            thought = jsonl.strings([item.get("summary"), item.get("content")])
            self._add(replace(base, text=thought, tool=f"{OWN}thinking"))

    def _take_message(self, item: Object, base: Utterance) -> None:
        role, content = jsonl.text(item, "role"), item.get("content")
        if not isinstance(content, str | list):
            self.skipped.append(Skipped(line=base.line, reason="wrong_shape"))
            return
        if base.ref and base.ref in self._said:
            return
        self._said.add(base.ref)
        said = content if isinstance(content, str) else _joined(content)
        if role == "assistant":
            self._add(replace(base, voice=Voice.AGENT, text=said))
        else:
            self._add(replace(base, text=said, tool="" if role == "user" else "system"))

    def _take_call(self, item: Object, base: Utterance) -> None:
        if base.ref and base.ref in self._tools:
            return
        name = jsonl.text(item, "name") or "local_shell"
        space = jsonl.text(item, "namespace")
        full_name = f"{space}__{name}" if space else name
        self._tools[base.ref] = full_name
        arguments = _arguments(item)
        command = _command(arguments) if full_name in _SHELL_TOOLS else ""
        if command:
            self._add(replace(base, voice=Voice.COMMAND, text=command, tool=full_name))
        else:
            self._add(replace(base, text=jsonl.strings(arguments), tool=OWN + full_name))

    def _take_printed(self, item: Object, base: Utterance) -> None:
        kind = jsonl.text(item, "type", "item_type")
        base = replace(base, ref=jsonl.text(item, "id"))
        if kind in ("agent_message", "assistant_message"):
            self._add(replace(base, voice=Voice.AGENT, text=jsonl.text(item, "text")))
        elif kind == "command_execution":
            command = _command({"command": item.get("command")})
            self._add(replace(base, voice=Voice.COMMAND, text=command, tool="shell"))
            output = jsonl.text(item, "aggregated_output")
            self._add(replace(base, text=output, tool="shell"))
        elif kind == "mcp_tool_call":
            tool = f"mcp__{jsonl.text(item, 'server')}__{jsonl.text(item, 'tool')}"
            self._add(replace(base, text=jsonl.strings(item.get("result")), tool=tool))
        elif kind == "web_search":
            self._add(replace(base, text=jsonl.text(item, "query"), tool=kind))
        elif kind == "reasoning":
            self._add(replace(base, text=jsonl.text(item, "text"), tool=f"{OWN}thinking"))

    def _add(self, utterance: Utterance) -> None:
        is_result = utterance.voice is Voice.OTHER and utterance.tool and not utterance.tool.startswith(OWN)
        if utterance.text or is_result:
            self.utterances.append(utterance)


def _joined(content: Sequence[object]) -> str:
    parts = (item for item in content if isinstance(item, dict))
    return "\n".join(filter(None, (jsonl.text(part, "text") for part in parts)))


def _arguments(item: Object) -> object:
    """The arguments of a call, which are JSON in a string, a plain string, or an action."""
    for name in ("arguments", "input"):
        raw = item.get(name)
        if isinstance(raw, str):
            value = jsonl.parsed(raw)
            return value if isinstance(value, dict) else {"command": raw}
        if isinstance(raw, dict):
            return raw
    return item.get("action")


def _command(arguments: object) -> str:
    """A command line as a shell would read it, from a string or from a list of words."""
    if not isinstance(arguments, dict):
        return ""
    raw = arguments.get("command") or arguments.get("cmd")
    if isinstance(raw, str):
        return raw
    words = [word for word in raw if isinstance(word, str)] if isinstance(raw, list) else []
    is_script = len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].endswith("c")
    return words[2] if is_script else " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
