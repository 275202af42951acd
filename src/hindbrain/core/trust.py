"""How far a memory may be trusted: a pure function of where it came from, never of how often it was used.

0 quarantined · 1 tainted (stored and recalled, not injected) · 2 an agent's own words · 3 corroborated ·
4 a person agreed. RELIABILITY §2.3.
"""

import re
from collections.abc import Sequence
from functools import cache

from hindbrain.core.model.actor import ActorType, Provenance, Source
from hindbrain.core.value import dataclass

QUARANTINED, TAINTED, AGENT, CORROBORATED, HUMAN = range(5)
INJECTED_FROM = AGENT  # the least trust that is put into a prompt unasked


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known about the moment a text was said, beside its provenance."""

    is_echo: bool = False  # the same words stand in something that the agent had read
    taints: tuple[str, ...] = ()  # tools that had brought foreign text into the session
    is_proposal: bool = False  # an agent wants it to hold for all who come after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    level: int
    reason: str


def judge(text: str, provenance: Provenance, *, circumstances: Circumstances) -> Trust:
    """The trust of a new memory, and why. A person's word is 4 whatever it says."""
    if provenance.actor.type is ActorType.HUMAN and provenance.source is Source.MANUAL:
        return Trust(level=HUMAN, reason="written by a person")
    if circumstances.is_echo:
        return Trust(level=QUARANTINED, reason="the same words stand in text that the agent had read")
    if command := risky_command(text):
        return Trust(level=QUARANTINED, reason=f"it tells the reader to run something: {command}")
    if circumstances.is_proposal:
        return Trust(level=QUARANTINED, reason="an agent proposes it as a rule, which only a person can make")
    if circumstances.taints:
        tools = ", ".join(circumstances.taints)
        return Trust(level=TAINTED, reason=f"the session had read foreign text ({tools})")
    if provenance.source is Source.IMPORTED:
        return Trust(level=AGENT, reason="imported on a person's order")
    return Trust(level=AGENT, reason="an agent's own words")


def corroborated(sayings: Sequence[tuple[str, str]]) -> bool:
    """Whether (session, speaker) pairs amount to independent witnesses: two sessions and two speakers.

    Copies within a session, or many sessions of one speaker, never corroborate (S3).
    """
    sessions = {session for session, _ in sayings if session}
    speakers = {speaker for _, speaker in sayings if speaker}
    return len(sessions) >= 2 and len(speakers) >= 2


def risky_command(text: str) -> str | None:
    """The part of `text` that would have its reader run, install, fetch, send or stop checking something.

    A triage, not a proof: what it misses is still only a note, what it finds waits for a person.
    """
    found = _risky().search(text)
    return found[0][:80] if found else None


@cache
def _risky() -> re.Pattern[str]:
    """Bounded on purpose: each alternative starts with a fixed word, so a 10 MB line is read once."""
    return re.compile(
        r"""
      (?P<download>\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}?(?:https?://|ftp://|\|\s*(?:ba|z|da)?sh\b))
    | (?P<pipe>\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b)
    | (?P<install>\b(?:pip3?|pipx|uv\s+pip|npm|pnpm|yarn|gem|cargo|brew|apt(?:-get)?|go)\s+
        (?:install|add|i|get)\s+(?!-e\b|\.|-r\b|--editable\b|--frozen|--locked)[\w@./:\[\]=<>~^-]{2,100})
    | (?P<unverified>--no-verify\b|\bverify\s*=\s*False\b|--insecure\b|--no-check-certificate\b
        |\bNODE_TLS_REJECT_UNAUTHORIZED\s*=\s*['"]?0|\bstrict-?ssl\s*[= ]\s*false|--trusted-host\b)
    | (?P<remote>\bgit\s+remote\s+(?:add|set-url)\b)
    | (?P<erase>\brm\s+-(?:rf|fr|r\s+-f|f\s+-r)\b|\bmkfs\b|\bdd\s+if=)
    | (?P<decode>\bbase64\s+(?:-d|--decode|-D)\b|\beval\s*["'$(`]|\bexec\s*\(\s*(?:base64|bytes|requests)\b)
    | (?P<send>\b(?:send|upload|post|exfiltrate|forward)\b[^\n]{0,80}?\bto\s+https?://)
        """,
        re.VERBOSE | re.IGNORECASE,
    )
