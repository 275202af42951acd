"""How a question to a model and its answer look on each of the four wires that clients speak."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from clients.script import Call, Part, Request, Say, texts

Json = dict[str, Any]


class Wire(Protocol):
    """One way of asking a model."""

    def read(self, path: str, body: Json) -> Request: ...

    def whole(self, body: Json, parts: Sequence[Part]) -> Json:
        """The answer in one piece."""
        ...

    def stream(self, body: Json, parts: Sequence[Part]) -> Iterator[tuple[str, Json | str]]:
        """The answer as events: a name, which may be empty, and data."""
        ...


def wire_of(path: str) -> Wire | None:
    """Which wire a path belongs to; None: it is no question to a model."""
    bare = path.partition("?")[0]
    if bare.endswith("/v1/messages"):
        return Messages()
    if bare.endswith("/responses"):
        return Responses()
    if bare.endswith("/chat/completions"):
        return Chat()
    return Gemini() if bare.endswith(("GenerateContent", ":generateContent")) else None


def is_stream(path: str, body: Mapping[str, Any]) -> bool:
    return bool(body.get("stream")) or "streamGenerateContent" in path


class Messages:
    """Anthropic's, which Claude Code speaks."""

    def read(self, path: str, body: Json) -> Request:
        messages = body.get("messages") or []
        said = [(m["role"] == "assistant", m.get("content")) for m in messages]
        request = _request(path, body, said, body.get("system"))
        # A summary is asked for with the tools at hand, and with the order to use none.
        is_summary = any(text.startswith("CRITICAL: Respond with TEXT ONLY") for text in request.told[-3:])
        return replace(request, has_tools=False) if is_summary else request

    def whole(self, body: Json, parts: Sequence[Part]) -> Json:
        calls = any(isinstance(part, Call) for part in parts)
        return {
            "id": _id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [self._block(part) for part in parts],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }

    def stream(self, body: Json, parts: Sequence[Part]) -> Iterator[tuple[str, Json | str]]:
        whole = self.whole(body, parts)
        yield self._event("message_start", message={**whole, "content": [], "stop_reason": None})
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield self._event("content_block_start", index=index, content_block=start)
            yield self._event("content_block_delta", index=index, delta=delta)
            yield self._event("content_block_stop", index=index)
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield self._event("message_delta", delta=end, usage=whole["usage"])
        yield self._event("message_stop")

    def _block(self, part: Part) -> Json:
        if isinstance(part, Say):
            return {"type": "text", "text": part.text}
        return {"type": "tool_use", "id": _id("toolu_"), "name": part.tool, "input": dict(part.arguments)}

    def _event(self, name: str, **data: object) -> tuple[str, Json]:
        return name, {"type": name, **data}


class Responses:
    """OpenAI's newer one, which Codex speaks."""

    def read(self, path: str, body: Json) -> Request:
        own = {"function_call", "custom_tool_call", "reasoning"}
        items = [(i.get("role") == "assistant" or i.get("type") in own, i) for i in body.get("input") or []]
        return _request(path, body, items, body.get("instructions"))

    def whole(self, body: Json, parts: Sequence[Part]) -> Json:
        return {
            "id": _id("resp_"),
            "object": "response",
            "created_at": 0,
            "model": body.get("model"),
            "status": "completed",
            "output": [self._item(part) for part in parts],
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 10,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 20,
            },
        }

    def stream(self, body: Json, parts: Sequence[Part]) -> Iterator[tuple[str, Json | str]]:
        whole = self.whole(body, parts)
        yield self._event("response.created", response={**whole, "status": "in_progress", "output": [], "usage": None})
        for index, item in enumerate(whole["output"]):
            yield self._event("response.output_item.added", output_index=index, item={**item, "status": "in_progress"})
            for part in item.get("content", ()):
                where = {"item_id": item["id"], "output_index": index, "content_index": 0}
                yield self._event("response.output_text.delta", **where, delta=part["text"])
            yield self._event("response.output_item.done", output_index=index, item=item)
        yield self._event("response.completed", response=whole)

    def _item(self, part: Part) -> Json:
        if isinstance(part, Say):
            content = [{"type": "output_text", "text": part.text, "annotations": []}]
            return {
                "type": "message",
                "id": _id("msg_"),
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        item = {"id": _id("fc_"), "call_id": _id("call_"), "status": "completed", "name": part.tool}
        if isinstance(part.arguments, str):
            return {**item, "type": "custom_tool_call", "input": part.arguments}
        called = {**item, "type": "function_call", "arguments": json.dumps(part.arguments)}
        return {**called, "namespace": part.namespace} if part.namespace else called

    def _event(self, name: str, **data: object) -> tuple[str, Json]:
        return name, {"type": name, **data}


class Chat:
    """OpenAI's older one, which OpenCode speaks here."""

    def read(self, path: str, body: Json) -> Request:
        return _request(path, body, [(m["role"] == "assistant", m.get("content")) for m in body.get("messages") or []])

    def whole(self, body: Json, parts: Sequence[Part]) -> Json:
        text, calls = self._parts(parts)
        message = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        return {**self._head(body, "chat.completion"), "choices": [choice], "usage": usage}

    def stream(self, body: Json, parts: Sequence[Part]) -> Iterator[tuple[str, Json | str]]:
        text, calls = self._parts(parts)
        head = self._head(body, "chat.completion.chunk")
        deltas: list[Json] = [{"role": "assistant", "content": text}]
        deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls)]
        for delta in deltas:
            yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
        yield (
            "",
            {**head, "choices": [end], "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}},
        )
        yield "", "[DONE]"

    def _head(self, body: Json, kind: str) -> Json:
        return {"id": _id("chatcmpl-"), "object": kind, "created": 0, "model": body.get("model")}

    def _parts(self, parts: Sequence[Part]) -> tuple[str, list[Json]]:
        text = "".join(part.text for part in parts if isinstance(part, Say))
        calls = [part for part in parts if isinstance(part, Call)]
        return text, [
            {
                "id": _id("call_"),
                "type": "function",
                "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
            }
            for call in calls
        ]


class Gemini:
    """Google's, which Gemini CLI speaks."""

    def read(self, path: str, body: Json) -> Request:
        items = [(i.get("role") == "model", i.get("parts")) for i in body.get("contents") or []]
        return _request(path, body, items, body.get("systemInstruction"))

    def whole(self, body: Json, parts: Sequence[Part]) -> Json:
        said = [
            {"text": part.text}
            if isinstance(part, Say)
            else {"functionCall": {"name": part.tool, "args": dict(part.arguments), "id": _id("")}}
            for part in parts
        ]
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        content = {"role": "model", "parts": said}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    def stream(self, body: Json, parts: Sequence[Part]) -> Iterator[tuple[str, Json | str]]:
        yield "", self.whole(body, parts)


def _request(path: str, body: Json, items: Sequence[tuple[bool, object]], system: object = None) -> Request:
    """Read a conversation given as (whether the model said it, what was said), told in one piece or in many."""
    told = list(texts(system))
    opening: list[str] = []
    turns, was_own = 0, False
    for is_own, content in items:
        if is_own and not was_own:
            turns += 1
        was_own = is_own
        if not is_own:
            told += texts(content)
            opening += texts(content) if not turns else ()
    return Request(
        path=path,
        body=body,
        told=tuple(told),
        opening="\n".join(opening),
        turns=turns,
        has_tools=bool(body.get("tools")),
    )


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:22]
