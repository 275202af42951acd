"""What a model may ask of memory: which verb answers, and what of the answer it is given."""

from collections.abc import Iterator, Sequence
from threading import Lock

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from hindbrain.core.model import Memory, Reach, Receipt, State
from hindbrain.entry.mcp import answers, render
from hindbrain.entry.mcp.caller import Caller, Opener
from hindbrain.errors import HindbrainError, UnknownMemory
from hindbrain.facade import Handing, Hindbrain

_RULES = ("convention", "constraint")
_WARNINGS = ("pitfall", "fix")
_MOST_RULES = 50
_LONGEST_RULE = 1_000  # characters
_MOST_SESSIONS = 100  # whose reading is remembered
_READ_NEXT = "Call `read` with the ids that matter before you rely on them."
_NOTHING = "Nothing is known about that. Other words may find more."


class Refusal(ToolError):
    """What a person could act on, in words for a model."""

    def __init__(self, error: HindbrainError) -> None:
        super().__init__(f"{error.what}. {error.fix[:1].upper()}{error.fix[1:]}.")


class Verbs:
    """One memory, or many, behind one server. Every method is synchronous and may run in any thread."""

    def __init__(self, opener: Opener) -> None:
        self._open = opener
        self._given: dict[tuple[str, str], dict[str, None]] = {}  # project, session -> ids that were read there
        self._lock = Lock()

    def recall(
        self, who: Caller, query: str, *, paths: Sequence[str], types: Sequence[str], limit: int
    ) -> CallToolResult:
        hindbrain = self._open(who)
        found = hindbrain.recall(query, limit=limit, paths=paths, types=types)
        self._note_given(who, [one.id for one in found])
        standings = hindbrain.store.standings([one.id for one in found])
        hits = render.hits(found.memories, standings)
        then = _READ_NEXT if hits else _NOTHING
        if found.left_out:
            then += f" {found.left_out} more did not fit the limit."
        index = answers.Index(hits=hits, left_out=found.left_out, next_step=then)
        return result(index, render.block(map(render.hit_line, hits), then=then))

    def read(self, who: Caller, ids: Sequence[str]) -> CallToolResult:
        hindbrain = self._open(who)
        found: dict[str, Memory] = {}
        missing: list[str] = []
        for wanted in dict.fromkeys(ids):
            memory = visible(hindbrain, wanted)
            if memory is None:
                missing.append(render.shortened(wanted))
            else:
                found[memory.id] = memory
        self._note_given(who, list(found))
        standings = hindbrain.store.standings(list(found))
        notes = [render.note(memory, standings.get(memory.id)) for memory in found.values()]
        then = f"No memory to read has the id {', '.join(missing)}." if missing else ""
        lines = (line for one in notes for line in render.note_lines(one))
        return result(answers.Notes(notes=notes, missing=missing), render.block(lines, then=then))

    def remember(self, who: Caller, content: str, *, sort: str, task: str) -> CallToolResult:
        with self._lock:
            read = tuple(self._given.get((who.project, who.session), ()))
        told = self._open(who).remember(content, type=sort, session=who.session, task=task, origin="mcp", read=read)
        slips = [slip(receipt) for receipt in told.receipts]
        return result(answers.Kept(receipts=slips), "\n".join(map(_slip_line, slips)) or "Nothing was said.")

    def outcome(self, who: Caller, memory_id: str, *, effect: str, note: str) -> CallToolResult:
        hindbrain = self._open(who)
        if visible(hindbrain, memory_id) is None:
            raise unknown(memory_id)
        told = hindbrain.report(memory_id, effect, session=who.session, note=note)
        said = answers.Reported.model_validate(
            {"memory_id": told.memory.id, "effect": str(told.outcome.effect), "is_new": told.is_new}
        )
        return result(said, f"Noted: {told.memory.id} {said.effect}." if told.is_new else "That was known already.")

    def before_task(self, who: Caller, goal: str, *, kind: str, task: str) -> CallToolResult:
        told = self._open(who).before_task(goal, type=kind, session=who.session, task=task)
        self._note_given(who, [one.id for one in (*told.relevant, *told.avoid, *told.skills)])
        warnings = [one for one in told.relevant if one.memory.type in _WARNINGS]
        rest = [one for one in told.relevant if one not in warnings]
        briefing = answers.Briefing(
            patterns=[render.brief(one) for one in rest],
            avoid=[render.brief(one) for one in (*told.avoid, *warnings)],
            skills=[render.brief(one) for one in told.skills],
            next_step=_READ_NEXT if told.text else "Nothing is known that bears on it; `recall` may find more.",
        )
        return result(briefing, render.block(_briefing_lines(briefing), then=briefing.next_step))

    def handoff(self, who: Caller, agent: str, *, done: str, more: Handing) -> CallToolResult:
        paper = self._open(who).hand_over(agent, done, **more)
        left = answers.Handoff(id=paper.id, agent=paper.agent, to=paper.to)
        return result(left, f"Left as {paper.id} for {paper.to or 'whoever comes next'}.")

    def propose_rule(self, who: Caller, rule: str, *, why: str) -> CallToolResult:
        text = f"{rule.rstrip(' .')}. Why: {why}" if why else rule
        told = self._open(who).remember(text, type="convention", session=who.session, origin="mcp", is_proposal=True)
        kept = told.receipts[0]
        then = "It is no rule until a person agrees: they see it in `hindbrain review`."
        proposal = answers.Proposal(
            verdict=str(kept.verdict), reason=kept.reason, memory_id=kept.memory_id or "", next_step=then
        )
        return result(proposal, f"{kept.verdict}: {kept.reason}. {then}")

    def rules(self, who: Caller) -> str:
        hindbrain = self._open(who)
        found = [one for one in hindbrain.list(types=_RULES, limit=_MOST_RULES) if one.trust > 1]
        pinned = [one for one in hindbrain.list(limit=_MOST_RULES) if one.is_pinned and one not in found]
        agreed = [one.suggestion for one in hindbrain.rules()]
        lines = [f"- [{one.id}] agreed by a person: {render.shortened(one.text, most=_LONGEST_RULE)}" for one in agreed]
        lines += [f"- [{one.id}] {render.shortened(one.content, most=_LONGEST_RULE)}" for one in (*pinned, *found)]
        return render.block(lines) or "No conventions or constraints are known for this project yet."

    def memory(self, who: Caller, memory_id: str) -> str:
        hindbrain = self._open(who)
        memory = visible(hindbrain, memory_id)
        if memory is None:
            raise unknown(memory_id)
        self._note_given(who, [memory.id])
        standing = hindbrain.store.standings([memory.id]).get(memory.id)
        return render.block(render.note_lines(render.note(memory, standing)))

    def ids(self, who: Caller, beginning: str) -> Sequence[str]:
        """Ids that begin so, for completion."""
        return [one.id for one in self._open(who).list(limit=1_000) if one.id.startswith(beginning)][:100]

    def _note_given(self, who: Caller, ids: Sequence[str]) -> None:
        with self._lock:
            known = self._given.pop((who.project, who.session), {})
            self._given[who.project, who.session] = known | dict.fromkeys(ids)
            while len(self._given) > _MOST_SESSIONS:
                self._given.pop(next(iter(self._given)))


def visible(hindbrain: Hindbrain, memory_id: str) -> Memory | None:
    """A memory that an agent of this project may read. Nothing in quarantine, and nothing of another project."""
    try:
        memory = hindbrain.show(memory_id)
    except UnknownMemory:
        return None
    project = hindbrain.project
    is_ours = project is not None and memory.project == project.id
    if memory.state is State.QUARANTINED or not (is_ours or memory.reach is Reach.EVERYWHERE):
        return None
    return memory


def unknown(memory_id: str) -> UnknownMemory:
    return UnknownMemory(f"there is no memory {memory_id:.80} to read here", fix="`recall` gives ids")


def result(answer: BaseModel, text: str) -> CallToolResult:
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=list(content), structured_content=answer.model_dump(mode="json"))


def slip(receipt: Receipt) -> answers.Slip:
    return answers.Slip.model_validate(
        {
            "verdict": str(receipt.verdict),
            "reason": receipt.reason,
            "memory_id": receipt.memory_id or "",
            "receipt_id": receipt.id,
            "removed": list(receipt.removed),
        }
    )


def _slip_line(one: answers.Slip) -> str:
    taken = f" Taken out: {', '.join(one.removed)}." if one.removed else ""
    return f"{one.verdict} {one.memory_id}: {one.reason}.{taken}"


def _briefing_lines(one: answers.Briefing) -> Iterator[str]:
    for name, lines in (("patterns", one.patterns), ("avoid", one.avoid), ("skills", one.skills)):
        yield from (f"{name}:", *(f"- {line}" for line in lines)) if lines else ()
