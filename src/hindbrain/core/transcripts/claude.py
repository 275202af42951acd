"""Who speaks in a Claude Code transcript.

One record per line. Clients write a message in several records and may write one twice, so a record counts once
per uuid, and a text once per message. Unknown record types are other people's business.
"""

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object, Record
from hindbrain.core.transcripts.utterance import OWN, Skipped, Transcript, Utterance, Voice
from hindbrain.core.value import replace

_SHELLS = frozenset({"Bash", "Shell"})
_SYSTEM = frozenset({"system", "summary", "queue-operation"})
_RESULT = "_tool_result"  # how the results of tools on the server's side are called: web_search_tool_result
_SERVER_TOOLS = {"web_search": "WebSearch", "web_fetch": "WebFetch"}


def read(source: str) -> Transcript:
    reader = _Reader()
    for record in jsonl.records(source):
        if isinstance(record, Skipped):
            reader.skipped.append(record)
        else:
            reader.take(record)
    return Transcript(utterances=tuple(reader.utterances), skipped=tuple(reader.skipped))


class _Reader:
    def __init__(self) -> None:
        self.utterances: list[Utterance] = []
        self.skipped: list[Skipped] = []
        self._tools: dict[str, str] = {}  # id of a tool call -> name of the tool
        self._seen: set[str] = set()
        self._spoken: dict[str, list[int]] = {}  # id of a message -> its texts among the utterances

    def take(self, record: Record) -> None:
        fields = record.fields
        kind = jsonl.text(fields, "type", "role")
        base = Utterance(
            voice=Voice.OTHER,
            text="",
            line=record.line,
            at=jsonl.moment(fields.get("timestamp")),
            session=jsonl.text(fields, "sessionId", "session_id"),
            instance=jsonl.text(fields, "agentId"),
            cwd=jsonl.text(fields, "cwd"),
            ref=jsonl.text(fields, "uuid"),
        )
        if kind in ("assistant", "user"):
            self._take_message(fields, base, is_agent=kind == "assistant")
        elif kind in _SYSTEM:
            said = jsonl.text(fields, "content", "summary")
            self._add(replace(base, text=said, tool="system"))
        elif kind == "attachment":
            said = jsonl.strings(fields.get("attachment"))
            self._add(replace(base, text=said, tool="attachment"))

    def _take_message(self, fields: Object, base: Utterance, *, is_agent: bool) -> None:
        message = jsonl.mapping(fields, "message") if "message" in fields else fields
        items = self._items(message.get("content"), line=base.line)
        if not items or (base.ref and base.ref in self._seen):
            return
        self._seen.add(base.ref)
        is_voice = is_agent and not _is_synthetic(fields)
        for item in items:
            if is_voice:
                self._take_agent_item(item, base, message=jsonl.text(message, "id") or base.ref)
            else:
                self._take_other_item(item, base, is_meta=is_agent or _is_added(fields))

    def _items(self, content: object, *, line: int) -> list[Object]:
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        listed = content if isinstance(content, list) else []
        items: list[Object] = [item for item in listed if isinstance(item, dict)]
        if listed is not content or len(items) < len(listed):
            self.skipped.append(Skipped(line=line, reason="wrong_shape"))
        return items

    def _take_agent_item(self, item: Object, base: Utterance, *, message: str) -> None:
        kind = jsonl.text(item, "type")
        if kind == "text":
            self._speak(replace(base, voice=Voice.AGENT, text=jsonl.text(item, "text")), message)
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            self._take_call(item, base)
        elif kind.endswith(_RESULT):
            name = kind.removesuffix(_RESULT)
            tool = _SERVER_TOOLS.get(name, f"{name}__" if name == "mcp" else name)
            self._add(replace(base, text=jsonl.strings(item.get("content")), tool=tool))
        else:
            thought = jsonl.text(item, "thinking", "text")
            self._add(replace(base, text=thought, tool=f"{OWN}thinking"))

    def _take_call(self, item: Object, base: Utterance) -> None:
        call, name = jsonl.text(item, "id"), jsonl.text(item, "name")
        if call and call in self._tools:
            return
        self._tools[call] = name
        command = jsonl.text(jsonl.mapping(item, "input"), "command")
        if name in _SHELLS and command:
            self._add(replace(base, voice=Voice.COMMAND, text=command, tool=name, ref=call))
        else:
            said = jsonl.strings(item.get("input"))
            self._add(replace(base, text=said, tool=OWN + name, ref=call))

    def _take_other_item(self, item: Object, base: Utterance, *, is_meta: bool) -> None:
        if item.get("type") == "tool_result":
            call = jsonl.text(item, "tool_use_id")
            tool = self._tools.get(call) or "tool"
            self._add(replace(base, text=jsonl.strings(item.get("content")), tool=tool, ref=call))
        else:
            said = jsonl.text(item, "text")
            self._add(replace(base, text=said, tool="system" if is_meta else ""))

    def _speak(self, said: Utterance, message: str) -> None:
        """Add a text, or let it replace the beginning of itself that the same message had before."""
        texts = self._spoken.setdefault(message, []) if message else []
        for index in texts[-20:]:  # a message that was split into more has no duplicates that late
            earlier = self.utterances[index].text
            if earlier.startswith(said.text):
                return
            if said.text.startswith(earlier):
                self.utterances[index] = said
                return
        if said.text:
            texts.append(len(self.utterances))
            self.utterances.append(said)

    def _add(self, utterance: Utterance) -> None:
        if utterance.text or _is_result(utterance):
            self.utterances.append(utterance)


def _is_synthetic(fields: Object) -> bool:
    """Whether the client wrote an assistant record on its own account: an error message, most often."""
    model = jsonl.mapping(fields, "message").get("model")
    return fields.get("isApiErrorMessage") is True or model == "<synthetic>"


def _is_added(fields: Object) -> bool:
    """Whether the client wrote a user record on its own account."""
    return any(fields.get(flag) is True for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))


def _is_result(utterance: Utterance) -> bool:
    """An empty result still says which tool was used."""
    return bool(utterance.tool) and not utterance.tool.startswith((OWN, "system", "attachment"))
