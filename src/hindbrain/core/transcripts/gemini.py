"""Who speaks in a Gemini CLI chat: one JSON document, or one record per line that later lines amend.

In the line form a message that is written again replaces its earlier version, `$set` carries a new state and
`$rewindTo` takes back a message with all that follow it: what a user took back does not teach.
"""

from collections.abc import Iterator

from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Malformed, Object, Record
from hindbrain.core.transcripts.utterance import OWN, Skipped, Transcript, Utterance, Voice
from hindbrain.core.value import replace

_AGENTS = frozenset({"gemini", "model", "assistant"})
_NOTICES = frozenset({"info", "error", "warning", "system"})
_REPORT = "complete_task"  # with which a subagent hands over what it has to say
_SHELL_TOOLS = frozenset({"run_shell_command", "shell", "bash"})


def read(source: str) -> Transcript:
    chat = _Chat()
    for line, value in _values(source):
        chat.take(value, line=line)
    utterances = [said for record in chat.messages.values() for said in _said(record, session=chat.session)]
    return Transcript(utterances=tuple(utterances), skipped=tuple(chat.skipped))


def _values(source: str) -> Iterator[tuple[int, object]]:
    head = source.removeprefix("\ufeff").lstrip().partition("\n")[0].strip()
    if isinstance(jsonl.parsed(head), Malformed) and len(head) < 200:  # a document spread over lines
        whole = jsonl.parsed(source.removeprefix("\ufeff"))
        if head in ("{", "[") or not isinstance(whole, Malformed):
            yield 1, whole
            return
    yield from jsonl.values(source)


class _Chat:
    def __init__(self) -> None:
        self.messages: dict[str, Record] = {}  # in the order in which they first appeared
        self.skipped: list[Skipped] = []
        self.session = ""

    def take(self, value: object, *, line: int) -> None:
        if isinstance(value, list):
            self._take_all(value, line=line)
        elif isinstance(value, dict):
            self._take_object(value, line=line)
        else:
            self.skipped.append(jsonl.unreadable(line, value))

    def _take_object(self, fields: Object, *, line: int) -> None:
        changes = jsonl.mapping(fields, "$set") or fields
        self.session = self.session or jsonl.text(changes, "sessionId", "session_id")
        if "$rewindTo" in fields:
            self._rewind(jsonl.text(fields, "$rewindTo"))
        messages = changes.get("messages", changes.get("history"))
        if isinstance(messages, list):
            self._take_all(messages, line=line)
        elif messages is not None:
            self.skipped.append(Skipped(line=line, reason="wrong_shape"))
        elif jsonl.text(fields, "type", "role"):
            self._take_message(fields, line=line)

    def _take_all(self, values: list[object], *, line: int) -> None:
        messages = [value for value in values if isinstance(value, dict)]
        if len(messages) < len(values):
            self.skipped.append(Skipped(line=line, reason="wrong_shape"))
        for message in messages:
            self._take_message(message, line=line)

    def _take_message(self, message: Object, *, line: int) -> None:
        key = jsonl.text(message, "id") or f"\n{len(self.messages)}"  # no id holds a line break
        self.messages[key] = Record(line, message)

    def _rewind(self, identity: str) -> None:
        keys = list(self.messages)
        if identity in self.messages:
            for key in keys[keys.index(identity) :]:
                del self.messages[key]


def _said(record: Record, *, session: str) -> Iterator[Utterance]:
    message = record.fields
    kind = jsonl.text(message, "type", "role")
    if kind not in _AGENTS | _NOTICES | {"user", "human", "function"}:
        return
    base = Utterance(
        voice=Voice.AGENT if kind in _AGENTS else Voice.OTHER,
        text="",
        line=record.line,
        at=jsonl.moment(message.get("timestamp")),
        session=session or jsonl.text(message, "sessionId"),
        tool="system" if kind in _NOTICES else "",
        ref=jsonl.text(message, "id"),
    )
    if thoughts := jsonl.strings(message.get("thoughts")):
        yield replace(base, voice=Voice.OTHER, text=thoughts, tool=f"{OWN}thinking")
    for part in _parts(message):
        yield from _in_part(part, base)
    calls = message.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield from _call(call, base)


def _parts(message: Object) -> Iterator[Object]:
    content = next((message[name] for name in ("content", "parts", "message") if name in message), None)
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield {"text": part}
        elif isinstance(part, dict):
            yield part


def _in_part(part: Object, base: Utterance) -> Iterator[Utterance]:
    said = jsonl.text(part, "text")
    if said and part.get("thought"):
        yield replace(base, voice=Voice.OTHER, text=said, tool=f"{OWN}thinking")
    elif said:
        yield replace(base, text=said)
    if call := jsonl.mapping(part, "functionCall"):
        yield from _call(call, base)
    if answer := jsonl.mapping(part, "functionResponse"):
        yield _result(answer, base, returned=answer.get("response"))


def _call(call: Object, base: Utterance) -> Iterator[Utterance]:
    name = jsonl.text(call, "name")
    command = jsonl.text(jsonl.mapping(call, "args"), "command")
    made = replace(base, ref=jsonl.text(call, "id"), at=jsonl.moment(call.get("timestamp")) or base.at)
    if name in _SHELL_TOOLS and command and base.voice is Voice.AGENT:
        yield replace(made, voice=Voice.COMMAND, text=command, tool=name)
    elif name == _REPORT and base.voice is Voice.AGENT:
        yield replace(made, text=jsonl.strings(call.get("args")))
    else:
        yield replace(made, voice=Voice.OTHER, text=jsonl.strings(call.get("args")), tool=OWN + name)
    if call.get("result") is not None:
        yield _result(call, made, returned=call.get("result"))


def _result(call: Object, base: Utterance, *, returned: object) -> Utterance:
    name, ref = jsonl.text(call, "name") or "tool", jsonl.text(call, "id")
    return replace(base, voice=Voice.OTHER, text=jsonl.strings(returned), tool=name, ref=ref)
