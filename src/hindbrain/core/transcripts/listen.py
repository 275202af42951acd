"""What a session taught: which voice said each signal, and what had been read by then that could have put it there."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hindbrain.core.signals import Refusal, Signal, find, find_in_command, refuse
from hindbrain.core.signals.echo import Echoes
from hindbrain.core.transcripts.utterance import OWN, Transcript, Utterance, Voice
from hindbrain.core.value import dataclass, replace

MAX_PER_TURN = 50  # a turn may be hours of work; a flood is more than that
_OWN_REASONS = frozenset({"injected", "example"})  # say more than "not the agent", and concern our own text
_FOREIGN = frozenset({"webfetch", "websearch", "web_fetch", "web_search", "google_web_search"})
_OURS = ("mcp__hindbrain__", "mcp__plugin_hindbrain_hindbrain__", "mcp_hindbrain_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A signal with who said it."""

    signal: Signal
    utterance: Utterance
    is_echo: bool  # the same words stand in what the agent had read
    taints: tuple[str, ...]  # tools that had brought foreign text into the session by then


@dataclass(frozen=True, slots=True, kw_only=True)
class Unheard:
    refusal: Refusal
    utterance: Utterance


def hear(transcript: Transcript) -> tuple[Heard | Unheard, ...]:
    """Every signal and everything that looked like one, in the order of the transcript."""
    results: list[Heard | Unheard] = []
    said_at: list[int] = []  # for each result, the index of its utterance
    taints: dict[str, None] = {}
    has_turns = any(utterance.voice is Voice.OTHER for utterance in transcript.utterances)
    in_turn = 0
    for index, utterance in enumerate(transcript.utterances):
        if utterance.voice is Voice.OTHER and not utterance.tool:
            in_turn = 0
        for item in _found(utterance):
            result, in_turn = _judged(item, utterance, taints=tuple(taints), in_turn=in_turn if has_turns else 0)
            results.append(result)
            said_at.append(index)
        if taint := _taint(utterance):
            taints[taint] = None
    echoes = _echoes(transcript.utterances, results, said_at=said_at)
    return tuple(
        replace(result, is_echo=True) if index in echoes and isinstance(result, Heard) else result
        for index, result in enumerate(results)
    )


def _judged(
    item: Signal | Refusal, utterance: Utterance, *, taints: tuple[str, ...], in_turn: int
) -> tuple[Heard | Unheard, int]:
    if isinstance(item, Refusal):
        return Unheard(refusal=item, utterance=utterance), in_turn
    if in_turn >= MAX_PER_TURN:
        detail = f"A turn may teach {MAX_PER_TURN} things and this came after them; say fewer and better ones."
        refusal = refuse(item.text, line=item.line, reason="too_many", detail=detail)
        return Unheard(refusal=refusal, utterance=utterance), in_turn
    return Heard(signal=item, utterance=utterance, is_echo=False, taints=taints), in_turn + 1


def _found(utterance: Utterance) -> Iterator[Signal | Refusal]:
    if utterance.voice is Voice.AGENT:
        yield from find(utterance.text)
    elif utterance.voice is Voice.COMMAND:
        yield from find_in_command(utterance.text)
    else:
        for item in find(utterance.text):
            is_ours = isinstance(item, Refusal) and item.reason in _OWN_REASONS
            yield item if is_ours else refuse(item.text, line=item.line, reason="not_agent")


def _taint(utterance: Utterance) -> str:
    if utterance.voice is Voice.COMMAND:
        return taint_of(command=utterance.text)
    return taint_of(tool=utterance.tool)


def taint_of(*, tool: str = "", command: str = "") -> str:
    """The tool, when it brought text that nobody in the project wrote; else nothing."""
    download = _download().search(command) if command else None
    if download:
        return download[1]
    is_foreign = tool.casefold() in _FOREIGN or tool.startswith(("mcp__", "mcp_"))
    return tool if is_foreign and not tool.startswith(_OURS) else ""


def _echoes(utterances: Sequence[Utterance], results: Sequence[Heard | Unheard], *, said_at: Sequence[int]) -> set[int]:
    """Indices of the results whose words stand in what the agent had read by then.

    Only by then: a file, a tracker or a summary that shows the words afterwards has them from the agent.
    """
    signals = [(index, result.signal.text) for index, result in enumerate(results) if isinstance(result, Heard)]
    if not signals:
        return set()
    echoes = Echoes([text for _, text in signals])
    found: set[int] = set()
    for at, utterance in enumerate(utterances):
        if utterance.voice is not Voice.OTHER or utterance.tool.startswith(OWN):
            continue
        repeated = (signals[number][0] for number in echoes.heard_in(utterance.text))
        found |= {index for index in repeated if said_at[index] > at}
    return found


@cache
def _download() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(curl|wget)[ \t][^\n|;&]{0,500}?https?://(?!localhost|127\.|\[::1\])", re.IGNORECASE)
