"""What an agent is told without asking, at which moment: little at a start, then what bears on what it is doing.

A ledger keeps each agent of a session from being told anything twice, unless it changed or went out of sight; a budget
bounds what it is told between two prompts. Both are read again under the gate, where the telling is recorded: two tools
that run at once are not told the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from hindbrain.app.admission import tidy
from hindbrain.app.projects import is_beads, relative
from hindbrain.app.sight import Listener, is_cut_off, last_prompt, sight
from hindbrain.app.telling import FRAME_TOKENS, cost, doubts, fitted, framed, record, recorded
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.holdout import is_held_out
from hindbrain.core.hooks.notice import Happening, Notice, Reply
from hindbrain.core.hooks.table import TOLD
from hindbrain.core.model import Event, Injection, Kind, Memory
from hindbrain.core.model.actor import Actor
from hindbrain.core.model.memory import TELLING
from hindbrain.core.model.outcome import Freshness
from hindbrain.core.model.score import Reason, Score
from hindbrain.core.recall import Ask, Candidate, Recalled, rank
from hindbrain.core.recall.budget import pack
from hindbrain.core.recall.frame import inert
from hindbrain.core.recall.render import (
    LEAST_LINE,
    Sections,
    render_beads,
    render_index,
    render_notes,
    render_reflexes,
)
from hindbrain.core.value import dataclass, field, replace
from hindbrain.errors import DiskFailed, DiskFull, HindbrainError, ReadOnly, SchemaNewer, StoreDamaged, StoreLocked
from hindbrain.ports import Reader, Transaction, Where

MAX_CHARACTERS = 9_000  # of one reply; clients cut at 10,000
_PATIENCE_S = 0.2  # an agent is not kept waiting for a record
_TOPIC = 4_000  # characters of a prompt that are compared; who pastes more does not mean all of it
_READ = 5 * _TOPIC  # characters that pass the door before that cut, so that none falls into a secret
_LONGEST = 800  # characters of one memory that nobody asked for
_INDEX_LIMIT = 40
_INDEX_TOKENS = 400
_MOST_REFLEXES = 400  # files; a few hundred is what they are meant for
_REFLEX_TOKENS = 2_000
_NEW_FILES = 40  # that are read while an agent waits
_START_TOKENS = 600
_PROMPT_SHARE = 0.6  # of a turn's budget: files and failures come after the prompt, and matter more
_FEW = 3  # memories about one file or failure
_SPARE = 50  # answers that the ledger may take away at most, before the limit counts
_POOL = 200  # memories of either order that a start chooses from
_FILE_TYPES = ("pitfall", "decision", "fix", "learned", "investigation")  # the last two are what Beads has
_FILE_KINDS = (Kind.ANTI_PATTERN, Kind.SCAR)
_STARTERS = tuple(kind for kind in Kind if kind not in (Kind.REFLEX, Kind.NOTE, Kind.ITERATION))  # no folder of files
_UNWRITABLE = (ReadOnly, StoreLocked, DiskFull)
_UNREADABLE = (StoreDamaged, SchemaNewer, DiskFailed)


def told(notice: Notice, *, project: str, root: str, tools: Tools) -> Reply:
    """The answer to a hook. Empty when there is nothing to say, and when the store cannot be read: `doctor` says why.
    Recording is best effort: an agent is told what is known even where the store cannot be written."""
    if notice.is_internal:
        return Reply()
    with contextlib.suppress(*_UNWRITABLE, *_UNREADABLE):
        if notice.happening in (Happening.STOP, Happening.AGENT_STOP):
            from hindbrain.app.hold import held

            return held(notice, project=project, root=root, tools=tools)
        # What nobody hears must not be taken for told.
        if tools.settings.inject_into_prompt and notice.happening in TOLD.get(notice.client, ()):
            return Reply(context=_context(_scene(notice, project=project, root=root, tools=tools)))
    return Reply()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Who is told, when, and where it works."""

    notice: Notice
    root: str
    tools: Tools
    listener: Listener
    now: datetime
    where: Where  # what may be shown
    is_beads: bool


def _scene(notice: Notice, *, project: str, root: str, tools: Tools) -> _Scene:
    session = tidy(notice.session)
    return _Scene(
        notice=notice,
        root=root,
        tools=tools,
        listener=Listener(project=project, session=session, agent=tidy(notice.agent)),
        now=tools.clock.now(),
        where=Where(
            project=project,
            voices=(Actor(persona=tidy(notice.agent_type)).voice,),
            min_trust=trust.INJECTED_FROM,
            kinds=TELLING,
            not_session=session,  # what it taught itself is not told back to it (F-17, X-19)
        ),
        is_beads=is_beads(root, tools.files),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Memories for one block, best first, more than it may hold."""

    moment: str
    items: Sequence[Recalled]
    limit: int
    budget: int  # tokens
    left_out: int = 0  # eligible beside `items`
    query: str = ""
    head: str = ""  # instead of the usual one
    form: str = "default"  # default, reflex, index or beads
    total: int = 0  # of all that is known, for Beads' heading
    cursors: Mapping[str, str] = field(default_factory=dict)  # what has been followed up to here
    events: Sequence[Event] = ()  # what is noted of those memories that are told


def _context(scene: _Scene) -> str:
    plans = _plans(scene)
    said = _said(scene, plans, reader=scene.tools.store)
    cursors = {name: value for plan in plans for name, value in plan.cursors.items()}
    if said or any(scene.tools.store.cursor(name) != value for name, value in cursors.items()):
        with contextlib.suppress(*_UNWRITABLE):
            # A power cut that loses the record takes the agent with it.
            said = scene.tools.store.write(
                lambda tx: _recorded(scene, plans, cursors=cursors, tx=tx), is_durable=False, patience_s=_PATIENCE_S
            )
    texts = [one.text for one in said if not one.injection.is_withheld]
    return "\n".join(filter(None, (_handed(scene), *texts, _how_to_record(scene))))


def _handed(scene: _Scene) -> str:
    """What another agent left for the one that begins."""
    if scene.notice.happening not in (Happening.SESSION_START, Happening.AGENT_START):
        return ""
    if not scene.tools.store.papers(scene.listener.project, sort="handoff"):
        return ""  # most projects, and then nothing is loaded for it
    from hindbrain.app.handoff import handoff_notes

    agent = tidy(scene.notice.agent_type) or scene.listener.agent
    is_next = scene.notice.happening is Happening.SESSION_START
    resumed = scene.notice.session if scene.notice.source == "resume" else ""
    return handoff_notes(scene.listener.project, agent=agent, is_next=is_next, resumed=resumed, tools=scene.tools)


def _recorded(scene: _Scene, plans: Sequence[_Plan], *, cursors: Mapping[str, str], tx: Transaction) -> list[_Said]:
    said = _said(scene, plans, reader=tx)
    changes = recorded([one.injection for one in said], tx=tx, growth=scene.tools.settings.growth)
    heard = {shown.memory_id for one in said if not one.injection.is_withheld for shown in one.injection.shown}
    events = [event for plan in plans for event in plan.events if event.memory_id in heard]
    tx.apply(replace(changes, cursors=cursors, events=(*changes.events, *events)))
    return said


def _how_to_record(scene: _Scene) -> str:
    """One line at the start of everything that has nothing in sight yet."""
    notice = scene.notice
    has_it = notice.source in ("resume", "fork") and not is_cut_off(notice.client, notice.source)
    if notice.happening is not Happening.SESSION_START or has_it:
        return ""
    if scene.is_beads:
        return 'Record what you learn for the next agent: `bd comment BEAD_ID "LEARNED: …"`.\n'
    return (
        "Record what you learn for the next agent (a pattern, pitfall, decision or fix) in a line of your answer: "
        "`MEMORY:pitfall:…`\n"
    )


def _plans(scene: _Scene) -> Sequence[_Plan]:
    match scene.notice.happening:
        case Happening.SESSION_START:
            return (_reflexes(scene), _index(scene), _start(scene))
        case Happening.PROMPT if scene.notice.is_person:
            return (_prompt(scene), *_news(scene))
        case Happening.BEFORE_TOOL if scene.notice.is_edit or scene.notice.is_read:
            return _file(scene)
        case Happening.AFTER_TOOL if not scene.notice.is_interrupt:
            return (*_failure(scene), *(_file(scene) if _is_late(scene.notice) else ()))
        case Happening.AGENT_START:
            return _errand(scene)
    return ()


def _reflexes(scene: _Scene) -> _Plan:
    """The master index of the reflex folder: every entry in one line, the longer the fewer there are (HB-001)."""
    if scene.tools.folders is not None:
        from hindbrain.app.reflex import Hurry, sync

        with contextlib.suppress(*_UNWRITABLE, HindbrainError):  # what a person approved before is told in any case
            hurry = Hurry(most=_NEW_FILES, patience_s=_PATIENCE_S)
            sync(scene.listener.project, scene.root, tools=scene.tools, hurry=hurry)
    found = scene.tools.store.select(replace(scene.where, kinds=(Kind.REFLEX,)), limit=_MOST_REFLEXES)
    filed = sorted((memory for memory in found if "path" in memory.body), key=lambda m: (str(m.body["path"]), m.id))
    items = [_given(memory, "always") for memory in filed]
    return _Plan(moment="session", items=items, limit=_MOST_REFLEXES, budget=_REFLEX_TOKENS, form="reflex")


def _index(scene: _Scene) -> _Plan:
    """Reflexes that have no file, and what a person pinned."""
    store = scene.tools.store
    reflexes = store.select(replace(scene.where, kinds=(Kind.REFLEX,)), limit=_MOST_REFLEXES)
    pinned = store.select(replace(scene.where, is_pinned=True), limit=_POOL)
    kept = (*(memory for memory in reflexes if "path" not in memory.body), *pinned)
    items = [_given(memory, "always") for memory in {m.id: m for m in kept}.values()]
    return _Plan(moment="session", items=items, limit=_INDEX_LIMIT, budget=_INDEX_TOKENS, form="index")


def _start(scene: _Scene) -> _Plan:
    """The few that matter most, without a question; in a Beads project its own list (BD-025)."""
    store, settings = scene.tools.store, scene.tools.settings
    limit = min(settings.session_limit, 5) if scene.is_beads else settings.session_limit
    strategy = "recent" if scene.is_beads else settings.strategy
    where = replace(scene.where, kinds=_STARTERS)
    pool = {m.id: m for order in ("confidence", "newest") for m in store.select(where, order=order, limit=_POOL)}
    ask = Ask(session=scene.listener.session, limit=limit + _SPARE, strategy=strategy, is_unasked=True)
    ranked = rank([Candidate(memory=memory) for memory in pool.values()], ask, now=scene.now)
    total = store.count(where)
    return _Plan(
        moment="session",
        items=_standing(ranked.items, scene),
        limit=limit,
        budget=_START_TOKENS,
        left_out=max(0, total - len(ranked.items)),
        form="beads" if scene.is_beads else "default",
        total=total,
    )


def _prompt(scene: _Scene) -> _Plan:
    settings = scene.tools.settings
    text = _topic(scene.notice.prompt)
    items, left_out = _bearing(scene, text, limit=settings.inject_limit) if text else ((), 0)
    return _Plan(
        moment="prompt",
        items=items,
        limit=settings.inject_limit,
        budget=int(settings.turn_budget * _PROMPT_SHARE),
        left_out=left_out,
        query=text,
    )


def _news(scene: _Scene) -> Sequence[_Plan]:
    """What others have learned since this session last heard of them (X-16)."""
    if not scene.listener.session:
        return ()
    from hindbrain.app.siblings import cursor_name, news

    project, session = scene.listener.project, scene.listener.session
    found = news(project, session, tools=scene.tools)
    items = [_given(memory, "news") for memory in found.memories if scene.where.admits(memory)]
    return (
        _Plan(
            moment="sibling",
            items=_standing(items, scene),
            limit=scene.tools.settings.inject_limit,
            budget=scene.tools.settings.turn_budget,
            head="## Learned by others while you work\n\n",
            cursors={cursor_name(project, session): found.cursor},
            events=found.events,
        ),
    )


def _file(scene: _Scene) -> Sequence[_Plan]:
    """That file's pitfalls, decisions and fixes, and whatever is in doubt about it."""
    root, here = scene.root, scene.notice.cwd
    paths = [path for path in (relative(given, root=root, here=here) for given in scene.notice.paths[:20]) if path]
    if not paths:
        return ()
    found, _ = _bearing(scene, "", paths=paths, limit=_FEW, is_near=True)
    doubted = doubts(found, scene.tools.store)
    items = [i for i in found if i.memory.type in _FILE_TYPES or i.memory.kind in _FILE_KINDS or i.id in doubted]
    head = f"## Known about {inert(paths[0])[:200]}\n\n"
    return (
        _Plan(
            moment="file",
            items=items,
            limit=_FEW,
            budget=scene.tools.settings.turn_budget,
            query=" ".join(paths),
            head=head,
        ),
    )


def _is_late(notice: Notice) -> bool:
    """Whether this is the first that can be said of files: the client is deaf before, or its shell has read them."""
    is_first = Happening.BEFORE_TOOL not in TOLD.get(notice.client, ()) or notice.is_shell
    return is_first and (notice.is_read or notice.is_edit) and not notice.is_failure


def _failure(scene: _Scene) -> Sequence[_Plan]:
    """What cured the same failure first of all, then what bears on what it says. Where the client does not tell how a
    command ended, as Codex does not, only a failure that is known can be recognised."""
    notice = scene.notice
    has_failed = notice.is_failure or bool(notice.exit_code)
    output = _topic(notice.output, is_end=True) if has_failed or _is_untold(notice) else ""
    if not output:
        return ()
    from hindbrain.core.shape.error_signature import error_signature_of

    signature = error_signature_of(notice.output) or ""
    said = _plain(signature) or output[-300:]
    cures = _cures(scene, signature)
    also, left_out = _bearing(scene, said, limit=_FEW) if has_failed else ([], 0)
    known = {item.id for item in cures}
    return (
        _Plan(
            moment="failure",
            items=[*cures, *(item for item in also if item.id not in known)],
            limit=_FEW,
            budget=scene.tools.settings.turn_budget,
            left_out=left_out,
            query=signature or said,
            head="## Known about this failure\n\n",
        ),
    )


def _is_untold(notice: Notice) -> bool:
    return notice.is_shell and notice.exit_code is None


def _cures(scene: _Scene, signature: str) -> list[Recalled]:
    """An exit code alone is no failure that one could know."""
    if not signature or signature.startswith("exit code "):
        return []
    found = sorted(scene.tools.store.cured(scene.listener.project, signature), key=lambda m: m.type != "fix")
    cures = [memory for memory in found if scene.where.admits(memory) and memory.body.get("prevention") != ""]
    return _standing([_given(memory, "cured") for memory in cures], scene)


def _errand(scene: _Scene) -> Sequence[_Plan]:
    """What bears on what a subagent is for: its task where the client tells it, else its type and the last prompt."""
    asked = scene.notice.prompt or last_prompt(scene.listener, scene.tools.store)
    text = _topic(" ".join((*_purpose(scene.notice.agent_type), asked)))
    if not text:
        return ()
    items, left_out = _bearing(scene, text, limit=_FEW)
    budget = scene.tools.settings.turn_budget
    return (_Plan(moment="prompt", items=items, limit=_FEW, budget=budget, left_out=left_out, query=text),)


def _purpose(agent_type: str) -> Iterable[str]:
    words = agent_type.replace("_", "-").replace(":", "-").split("-")
    return (word for word in words if word.casefold() not in _SAY_NOTHING)


_SAY_NOTHING = frozenset({"", "agent", "default", "general", "purpose", "subagent", "supervisor", "worker"})


def _bearing(
    scene: _Scene, text: str, *, limit: int, paths: Sequence[str] = (), is_near: bool = False
) -> tuple[list[Recalled], int]:
    """What bears on the text or the files, best first, and how much more there is. A model that is not running is not
    started: the agent waits."""
    from hindbrain.app.gather import gather

    tools = scene.tools
    ask = Ask(
        text=text,
        paths=tuple(paths),
        session=scene.listener.session,
        limit=limit + _SPARE,
        strategy="unified" if paths else tools.settings.strategy,  # the others look beyond the files
        is_unasked=True,
    )
    embedder = tools.embedder if tools.embedder and tools.embedder.is_warm else None
    gathered = gather(ask, scene.where, reader=tools.store, embedder=embedder)
    ranked = rank(gathered.candidates, ask, now=scene.now, terms=gathered.terms, spelled=gathered.spelled)
    return (list(ranked.items) if is_near else _standing(ranked.items, scene)), ranked.left_out


def _standing(items: Sequence[Recalled], scene: _Scene) -> list[Recalled]:
    """Without those that speak of what is not there any more: they are told on their own file only."""
    standings = scene.tools.store.standings([item.id for item in items])
    gone = {key for key, standing in standings.items() if standing.freshness is Freshness.GONE}
    return [item for item in items if item.id not in gone]


def _given(memory: Memory, why: str) -> Recalled:
    """A memory that no search brought."""
    return Recalled(memory=memory, score=Score((Reason(why, 1.0, 1.0),)))


def _topic(text: str, *, is_end: bool = False) -> str:
    from hindbrain.core.door import admit

    read = text[-_READ:] if is_end else text[:_READ]
    passed = " ".join(admit(read).text.split())
    return passed[-_TOPIC:] if is_end else passed[:_TOPIC]


def _plain(signature: str) -> str:
    """The words of a signature, without the places that were emptied."""
    import re

    return " ".join(re.sub(r"<\w{1,20}>", " ", signature).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    text: str
    injection: Injection


def _said(scene: _Scene, plans: Sequence[_Plan], *, reader: Reader) -> list[_Said]:
    """The plans' blocks, as far as they are new to the agent and fit into what is left of its turn."""
    if not any(plan.items for plan in plans):
        return []
    now = sight(scene.listener, scene.notice, reader=reader, now=scene.now, budget=scene.tools.settings.turn_budget)
    seen, left, room = dict(now.seen), now.left, MAX_CHARACTERS - _LAST_LINE
    said: list[_Said] = []
    for plan in plans:
        fresh = [i for i in plan.items if seen.get(i.id, 0) < i.memory.version and i.id not in now.withheld]
        budget = min(plan.budget, room // 4 - 1, plan.budget if plan.moment == "session" else left)
        one = _block(scene, plan, fresh=fresh, budget=budget)
        if one is None:
            continue
        said.append(one)
        seen |= {shown.memory_id: shown.version for shown in one.injection.shown}
        if not one.injection.is_withheld:
            left, room = left - one.injection.tokens, room - len(one.text) - 1
    return said


_LAST_LINE = 200  # characters of the line that says how to record


def _block(scene: _Scene, plan: _Plan, *, fresh: Sequence[Recalled], budget: int) -> _Said | None:
    price = _line_cost if plan.form == "reflex" else _cost
    chosen, over = pack(fresh[: plan.limit], cost=price, budget=budget - FRAME_TOKENS)
    left_out = plan.left_out + len(fresh[plan.limit :]) + over
    marks = doubts(chosen, scene.tools.store) if chosen else {}
    fence = scene.tools.chance.fence()
    block = fitted(
        chosen,
        left_out,
        written=lambda items, left: framed(_sections(scene, plan, items=items, left_out=left, marks=marks), fence),
        budget=budget,
    )
    if not block.items:
        return None
    key = scene.tools.chance.id("inj", scene.now)
    injection = record(
        block,
        id=key,
        at=scene.now,
        project=scene.listener.project,
        format="beads" if plan.form == "beads" else "default",
        strategy="recent" if plan.form == "beads" else scene.tools.settings.strategy,
        session=scene.listener.session,
        persona=tidy(scene.notice.agent_type),
        query=plan.query,
        moment=plan.moment,
        agent=scene.listener.agent,
        # What a person wants always in mind is no matter for a trial.
        is_withheld=plan.form not in ("index", "reflex") and is_held_out(key, scene.tools.settings.holdout),
    )
    return _Said(text=block.text, injection=injection)


def _sections(
    scene: _Scene, plan: _Plan, *, items: Sequence[Recalled], left_out: int, marks: Mapping[str, str]
) -> Sections:
    if plan.form == "reflex":
        return render_reflexes(items, left_out=left_out, room=4 * (_REFLEX_TOKENS - FRAME_TOKENS))
    if plan.form == "index":
        return render_index(items, left_out=left_out, longest=_LONGEST)
    if plan.form == "beads":
        return render_beads(items, total=plan.total, left_out=left_out, marks=marks)
    sections = render_notes(items, now=scene.now, left_out=left_out, marks=marks, longest=_LONGEST)
    return replace(sections, head=plan.head or sections.head)


def _line_cost(_: Recalled) -> int:
    return LEAST_LINE // 4


def _cost(item: Recalled) -> int:
    return min(cost(item), _LONGEST // 4 + 50)
