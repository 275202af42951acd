"""What a hook does about an event, decided on its bytes: to read it as JSON would cost more than all the rest.

What is read here only says how much care an event needs. Whoever takes it from the spool reads it properly.
"""

from hindbrain.core.hooks.table import EDITS, EVENTS, HELD, READS, REPORT, SHELLS, TOLD

NEVER, IF_CHEAP, ALWAYS = 0, 1, 2  # whether to ask: nobody, a worker that is there, and else to answer in this process

_ENDS = frozenset({"agent_stop", "stop", "session_end", "before_compact"})
_SIGNALS = (b"LEARNED:", b"INVESTIGATION:", b"MEMORY:", b"LEARNING_")
_WORD = 200  # bytes in which a name ends
_SPACE = b" \t\r\n"


class Heard:
    """What there is to do, beside keeping it."""

    __slots__ = ("asks", "is_synced")

    def __init__(self, *, asks: int, is_synced: bool) -> None:
        self.asks = asks
        self.is_synced = is_synced  # it may teach something, or nothing comes after it


def read(payload: bytes, *, client: str) -> Heard | None:
    """None for an event that concerns nobody. What cannot be read is kept, and asks nothing."""
    name = word(payload, b"hook_event_name")
    happening = EVENTS[client].get(name, "")
    if name and not happening:
        return None
    if client == "gemini" and happening == "before_tool" and word(payload, b"tool_name") == REPORT:
        happening = "agent_stop"
    is_synced = happening in _ENDS or any(signal in payload for signal in _SIGNALS)
    is_heard = happening in TOLD[client] or happening in HELD[client]
    asks = _asks(payload, client=client, happening=happening) if is_heard else NEVER
    return Heard(asks=asks, is_synced=is_synced)


def word(payload: bytes, key: bytes) -> str:
    """The text that stands first under that key; empty when there is none."""
    value = _value(payload, key)
    return value[1:].partition(b'"')[0].decode("utf-8", "replace") if value.startswith(b'"') else ""


def _asks(payload: bytes, *, client: str, happening: str) -> int:
    if happening not in ("before_tool", "after_tool"):
        return ALWAYS
    tool = word(payload, b"tool" if client == "opencode" else b"tool_name")
    is_file = tool in EDITS or tool in READS
    if happening == "before_tool":
        return ALWAYS if is_file else NEVER
    if _fails(payload, client=client):
        return ALWAYS
    # Codex does not say how a command ended, Gemini hears nothing before a file is touched: the worker may know more.
    open_to = {"codex": tool in SHELLS, "gemini": is_file}
    return IF_CHEAP if open_to.get(client) else NEVER


def _fails(payload: bytes, *, client: str) -> bool:
    if client == "claude":
        return word(payload, b"hook_event_name") == "PostToolUseFailure"
    if client == "gemini":
        return b"Exit Code: " in payload or _value(payload, b"error").startswith(b"{")
    code = _value(payload, b"exit")[:1]
    return (client == "opencode" and code not in b"0") or _value(payload, b"isError").startswith(b"true")


def _value(payload: bytes, key: bytes) -> bytes:
    """The beginning of what stands under the key: inside a text its quotes would be escaped."""
    at = payload.find(b'"%b"' % key)
    if at < 0:
        return b""
    rest = payload[at + len(key) + 2 : at + len(key) + 2 + _WORD].lstrip(_SPACE)
    return rest[1:].lstrip(_SPACE) if rest.startswith(b":") else b""
