"""What becomes of an agent that wants to stop: it may, it is reminded, or it is held until it has taught something."""

from __future__ import annotations

from hindbrain.app.admission import tidy
from hindbrain.app.projects import is_beads
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.enforce import Conduct, Ruling, Stance, conduct, reminder, request, ruling, stance
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.hooks.table import HELD, TOLD
from hindbrain.core.model import Event, Receipt, Verdict
from hindbrain.core.model.activity import Deed
from hindbrain.core.transcripts import FORMATS, read
from hindbrain.core.transcripts.jsonl import is_told
from hindbrain.core.transcripts.opencode import written
from hindbrain.core.value import dataclass
from hindbrain.ports import Changes, Transaction

_PATIENCE_S = 0.2
_MOST_BYTES = 8_000_000  # of a transcript, from its end
_NEAR = 1_000_000  # characters at its end, among which the last words stand
_LONGEST_WHY = 300  # characters
_EVENTS = {
    Ruling.NUDGE: "learning_asked_for",
    Ruling.HOLD: "learning_asked_for",
    Ruling.DECLINED: "learning_declined",
    Ruling.WAIVED: "learning_waived",
}


def held(notice: Notice, *, project: str, root: str, tools: Tools) -> Reply:
    """Where anything is missing that the decision needs, the agent may go: no transcript, or no way to remember how
    often it was held (BD-046). StoreLocked, ReadOnly or DiskFull for the latter."""
    beads = is_beads(root, tools.files)
    attitude = stance(tools.settings.enforce, is_beads=beads, agent_type=notice.agent_type)
    stop = _Stop(
        notice=notice,
        project=project,
        session=tidy(notice.session),
        agent=tidy(notice.agent),
        is_beads=beads,
        attitude=attitude,
        tools=tools,
    )
    if stop.is_free():
        return Reply()
    seen = stop.conduct()
    if seen is None:
        return Reply()
    return stop.answered(seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    notice: Notice
    project: str
    session: str
    agent: str
    is_beads: bool
    attitude: Stance
    tools: Tools

    def is_free(self) -> bool:
        """What can be told without reading a transcript."""
        notice = self.notice
        is_fork = notice.happening is Happening.AGENT_STOP and not notice.agent_type  # of the client's own making
        is_deaf = notice.happening not in (TOLD if self.attitude is Stance.NUDGE else HELD).get(notice.client, ())
        if self.attitude is Stance.OFF or is_fork or is_deaf or not self.session or notice.client not in FORMATS:
            return True
        return bool(self.tools.store.cursor(self._settled)) or self._has_taught()

    def conduct(self) -> Conduct | None:
        """None: it cannot be known, or it is none of our business."""
        is_main = self.notice.happening is Happening.STOP
        if is_main and not self._has_edited():  # a person who only asked something is left alone
            return None
        path = self.notice.transcript if is_main else self.notice.agent_transcript
        transcript = read(self._told(path) if path else written(self.notice.said), self.notice.client)
        return conduct(transcript, last_words=self.notice.message) if transcript.utterances else None

    def _told(self, path: str) -> str:
        """With the agent's last words, which a client may still be writing when it calls its hook; all that it did
        stands before them."""
        last = self.notice.message
        return self.tools.files.tail(path, most=_MOST_BYTES, until=lambda text: is_told(text[-_NEAR:], last))

    def answered(self, seen: Conduct) -> Reply:
        def work(tx: Transaction) -> Ruling:
            holds = int(tx.cursor(self._holds) or 0)
            decided = Ruling.PASS if tx.cursor(self._settled) else ruling(seen, self.attitude, holds=holds)
            if decided is not Ruling.PASS:
                tx.apply(Changes(cursors=self._cursors(decided, holds=holds), events=(self._event(decided, seen),)))
            return decided

        # Remembered first: who cannot count must not hold.
        match self.tools.store.write(work, is_durable=False, patience_s=_PATIENCE_S):
            case Ruling.HOLD:
                return Reply(hold=request(is_beads=self.is_beads))
            case Ruling.NUDGE:
                return Reply(context=reminder(is_beads=self.is_beads))
        return Reply()

    @property
    def _holds(self) -> str:
        return f"held/{self.session}/{self.agent}"

    @property
    def _settled(self) -> str:
        return f"settled/{self.session}/{self.agent}"

    def _cursors(self, decided: Ruling, *, holds: int) -> dict[str, str]:
        return {self._holds: str(holds + 1)} if decided is Ruling.HOLD else {self._settled: str(decided)}

    def _event(self, decided: Ruling, seen: Conduct) -> Event:
        why = admit(seen.declined[:_LONGEST_WHY]).text
        data = {"session": self.session, "agent": self.agent, "agent_type": tidy(self.notice.agent_type)}
        data |= {"how": str(decided)} | ({"reason": why} if decided is Ruling.DECLINED else {})
        return Event(name=_EVENTS[decided], at=self.tools.clock.now(), project=self.project, data=data)

    def _has_edited(self) -> bool:
        edits = self.tools.store.activities(self.project, session=self.session, deeds=(Deed.EDIT,))
        return any(not edit.agent for edit in edits)

    def _has_taught(self) -> bool:
        receipts = self.tools.store.receipts(self.project, session=self.session)
        return any(one.verdict is not Verdict.REJECTED and self._is_ours(one) for one in receipts)

    def _is_ours(self, receipt: Receipt) -> bool:
        """The main agent answers for all; a subagent for what stands in its own transcript, or bears its name."""
        if not self.agent or self.agent in receipt.origin:
            return True
        memory = self.tools.store.memory(receipt.memory_id) if receipt.memory_id else None
        return memory is not None and memory.provenance.actor.instance == self.agent
