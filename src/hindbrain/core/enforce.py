"""Whether an agent that worked may stop without having taught anything, and what it is asked for.

An agent has taught when it ran a real comment command or said a real signal; the words in its prose are neither. It may
also decline, with a reason: `LEARNED: none — …` or `MEMORY: none — …`.
"""

from hindbrain.core.closed import StrEnum
from hindbrain.core.hooks.table import EDITS
from hindbrain.core.signals import Refusal, Signal, find
from hindbrain.core.signals.guard import is_placeholder
from hindbrain.core.signals.signal import declined
from hindbrain.core.transcripts import Heard, Transcript, Voice, hear
from hindbrain.core.transcripts.utterance import OWN
from hindbrain.core.value import dataclass

MOST_HOLDS = 2  # of one agent

_EXEMPT = "worker-supervisor"


class Stance(StrEnum):
    """What an agent that taught nothing is met with."""

    OFF = "off"
    NUDGE = "nudge"
    BLOCK = "block"


class Ruling(StrEnum):
    PASS = "pass"  # nothing to ask for
    NUDGE = "nudge"  # one line, and no more
    HOLD = "hold"
    DECLINED = "declined"  # it may go: it says why there was nothing to learn
    WAIVED = "waived"  # it may go: it was held often enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What an agent did and said before it stopped."""

    has_worked: bool = False  # ran a command or changed a file
    has_edited: bool = False
    has_taught: bool = False
    declined: str = ""  # why it says that there was nothing to learn


def stance(setting: str, *, is_beads: bool, agent_type: str) -> Stance:
    """In a Beads project only supervisors are asked, all but one kind of them; elsewhere every agent is."""
    is_supervisor = "supervisor" in agent_type.casefold()
    if agent_type == _EXEMPT or (is_beads and not is_supervisor):
        return Stance.OFF
    if setting:
        return Stance(setting)
    return Stance.BLOCK if is_beads else Stance.NUDGE


def conduct(transcript: Transcript, *, last_words: str = "") -> Conduct:
    """`last_words` are those that the client may not have written into the transcript yet."""
    heard = hear(transcript)
    said = find(last_words)
    refusals = [item.refusal for item in heard if not isinstance(item, Heard) and item.utterance.voice in _OWN_VOICES]
    reasons = [_why(item) for item in (*refusals, *said) if isinstance(item, Refusal)]
    edits = any(utterance.tool.removeprefix(OWN) in EDITS for utterance in transcript.utterances)
    commands = any(utterance.voice is Voice.COMMAND for utterance in transcript.utterances)
    return Conduct(
        has_worked=edits or commands,
        has_edited=edits,
        # What repeats words that the agent had read, our own example for instance, is no lesson of its own.
        has_taught=any(isinstance(item, Heard) and not item.is_echo for item in heard)
        or any(isinstance(item, Signal) for item in said),
        declined=next(filter(None, reasons), ""),
    )


_OWN_VOICES = (Voice.AGENT, Voice.COMMAND)


def _why(refusal: Refusal) -> str:
    """The reason of one who declines; "" for other refusals, and where no reason is given."""
    if refusal.reason != "none_declared":
        return ""
    why = declined(refusal.text.partition(":")[2]) or ""
    return "" if why.casefold() == "reason" or is_placeholder(why) else why  # that would be our own request


def ruling(conduct: Conduct, stance: Stance, *, holds: int) -> Ruling:
    """`holds`: how often this agent was held before."""
    if stance is Stance.OFF or conduct.has_taught or not conduct.has_worked:
        return Ruling.PASS
    if conduct.declined:
        return Ruling.DECLINED
    if stance is Stance.NUDGE:
        return Ruling.NUDGE
    return Ruling.HOLD if holds < MOST_HOLDS else Ruling.WAIVED


def request(*, is_beads: bool) -> str:
    """Why an agent is held, and both ways to be let go (BD-042)."""
    if is_beads:
        return (
            "Work verification failed: no LEARNED comment.\n\n"
            "Before you finish, say what the next agent should know about this work:\n"
            '  bd comment {BEAD_ID} "LEARNED: [one technical insight from this task]"\n\n'
            "If there is nothing worth keeping, say why:\n"
            '  bd comment {BEAD_ID} "LEARNED: none — [reason]"'
        )
    return (
        "Not done yet: nothing was recorded for the next agent.\n\n"
        "Say in a line of your answer what was learned from this work "
        "(pattern, pitfall, decision or fix; one or two sentences):\n"
        "  MEMORY:pitfall:<what the next agent should know>\n\n"
        "If there is nothing worth keeping, say why:\n"
        "  MEMORY: none — <reason>"
    )


def reminder(*, is_beads: bool) -> str:
    """The same in short, for those who may go all the same."""
    lesson, none = ('bd comment {BEAD_ID} "LEARNED: …"', 'bd comment {BEAD_ID} "LEARNED: none — …"')
    if not is_beads:
        lesson, none = "MEMORY:pitfall:…", "MEMORY: none — …"
    return (
        "Did this work teach something that the next agent should know (a pattern, pitfall, decision or fix)? "
        f"Then record it, else say why not:\n  {lesson}\n  {none}"
    )
