"""What the next agent is told: which memories, in which words, within which budget, and a record of it."""

import contextlib
from collections.abc import Sequence

from hindbrain.app.admission import tidy
from hindbrain.app.gather import gather, misspelled
from hindbrain.app.select import known
from hindbrain.app.telling import FRAME_TOKENS, Told, cost, doubts, fitted, framed, record, recorded
from hindbrain.app.tools import Tools
from hindbrain.core import trust
from hindbrain.core.model import Injection
from hindbrain.core.model.actor import Actor
from hindbrain.core.model.memory import TELLING
from hindbrain.core.recall import STRATEGIES, Ask, Recalled, rank
from hindbrain.core.recall.budget import pack
from hindbrain.core.recall.frame import fenced
from hindbrain.core.recall.render import ChorusFiles, render_beads, render_chorus, render_dex, render_notes
from hindbrain.core.recall.render.sections import more
from hindbrain.core.value import dataclass, replace
from hindbrain.core.words import estimate_tokens
from hindbrain.errors import DiskFull, ReadOnly, StoreLocked
from hindbrain.ports import Where

FORMATS = ("default", "dex", "chorus", "beads")
_PATIENCE_S = 2.0  # a prompt waits this long for its record, not longer
_STRATEGY = {"dex": "dex", "beads": "recent", "chorus": "recent"}  # each system's own, unless asked otherwise
_LIMIT = {"dex": 8, "beads": 5, "chorus": 1000}  # Chorus injects everything; the budget bounds it


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The moment before an agent starts: who it is, what it is to do, which files it will touch."""

    format: str = "default"
    strategy: str = ""
    session: str = ""
    task: str = ""
    task_title: str = ""
    task_description: str = ""
    paths: Sequence[str] = ()
    persona: str = ""
    hat: str = ""
    limit: int = 0  # 0: the format's own
    budget: int = 0  # tokens; 0: the setting
    root: str | None = None  # where Chorus' prompt and rule files are


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    text: str
    injection_id: str | None  # None: there was nothing to say
    memory_ids: tuple[str, ...]
    left_out: int
    notices: tuple[str, ...] = ()  # what a person should know about this answer
    shown: tuple[Recalled, ...] = ()  # best first
    kept_out: tuple[Recalled, ...] = ()  # found, but the gate says that they are too far off
    how: str = ""  # which sides were asked
    spelled: tuple[tuple[str, str], ...] = ()  # words of the task that nothing holds, and what is read instead
    repeats: tuple[tuple[str, str], ...] = ()  # left out because another says the same: its id, and the other's


def inject(occasion: Occasion, *, project: str, tools: Tools) -> Injected:
    """A block of notes for the occasion. What the same session taught is left out (F-17), as is everything
    superseded or not trusted; what did not fit is counted in one line. Recording it is best effort: an agent
    is told what is known even where the store cannot be written."""
    known(occasion.format, FORMATS, name="format")
    occasion = replace(
        occasion,
        session=tidy(occasion.session),
        task=tidy(occasion.task),
        persona=tidy(occasion.persona),
        hat=tidy(occasion.hat),
    )
    choice = _chosen(occasion, project, tools=tools) if tools.settings.inject_into_prompt else _NONE
    total = tools.store.count(_where(occasion, project)) if occasion.format == "beads" else 0
    told = fitted(
        choice.shown,
        choice.left_out,
        written=lambda items, left: _rendered(occasion, items, left_out=left, total=total, tools=tools),
        budget=(occasion.budget or tools.settings.token_budget) + _given_tokens(occasion, tools),
    )
    answer = replace(
        choice,
        text=told.text,
        memory_ids=tuple(item.id for item in told.items),
        shown=told.items,
        left_out=told.left_out,
    )
    if not told.items:
        return answer
    kept = _record(occasion, project, told=told, tools=tools)
    answer = replace(answer, injection_id=kept.id)
    with contextlib.suppress(ReadOnly, StoreLocked, DiskFull):
        tools.store.write(
            lambda tx: tx.apply(recorded([kept], tx=tx, growth=tools.settings.growth)), patience_s=_PATIENCE_S
        )
        return answer
    unrecorded = "the store cannot be written: this was not recorded"
    return replace(answer, injection_id=None, notices=(*answer.notices, unrecorded))


def _given_tokens(occasion: Occasion, tools: Tools) -> int:
    """What Chorus' prompt holds beside memories: the budget is for those."""
    if occasion.format != "chorus":
        return 0
    return estimate_tokens(_rendered(occasion, (), left_out=0, total=0, tools=tools))


def _where(occasion: Occasion, project: str) -> Where:
    voice = Actor(persona=occasion.persona).voice
    return Where(
        project=project,
        voices=(voice,),
        kinds=TELLING,
        min_trust=trust.INJECTED_FROM,
        not_session=occasion.session,
    )


_NONE = Injected(text="", injection_id=None, memory_ids=(), left_out=0)


def _chosen(occasion: Occasion, project: str, *, tools: Tools) -> Injected:
    """What is to be told, still without its text."""
    settings = tools.settings
    strategy = occasion.strategy or _STRATEGY.get(occasion.format, settings.strategy)
    ask = Ask(
        text=_topic(occasion) if strategy != "recent" else "",
        paths=tuple(occasion.paths) if strategy != "recent" else (),
        hat=occasion.hat,
        session=occasion.session,
        limit=_limit(occasion, settings.inject_limit),
        strategy=known(strategy, tuple(STRATEGIES), name="strategy"),
        is_unasked=True,
    )
    where = _where(occasion, project)
    gathered = gather(ask, where, reader=tools.store, embedder=tools.embedder)
    ranked = rank(gathered.candidates, ask, now=tools.clock.now(), terms=gathered.terms, spelled=gathered.spelled)
    budget = occasion.budget or settings.token_budget
    kept, over = pack(ranked.items, cost=cost, budget=budget - FRAME_TOKENS)
    return replace(
        _NONE,
        shown=kept,
        kept_out=ranked.far,
        left_out=ranked.left_out + over,
        how=gathered.how,
        notices=gathered.notices,
        spelled=misspelled(gathered, ask, items=ranked.items),
        repeats=ranked.repeats,
    )


def _limit(occasion: Occasion, usual: int) -> int:
    own = _LIMIT.get(occasion.format, usual)
    if occasion.format == "beads":  # its list has five lines, whoever asks (BD-025)
        return min(occasion.limit or own, own)
    return occasion.limit or own


def _topic(occasion: Occasion) -> str:
    return f"{occasion.task_title} {occasion.task_description}".strip()


def _rendered(occasion: Occasion, chosen: Sequence[Recalled], *, left_out: int, total: int, tools: Tools) -> str:
    fence = tools.chance.fence()
    if occasion.format == "chorus":
        return render_chorus(
            [item for item in chosen if item.memory.persona is None],
            [item for item in chosen if item.memory.persona is not None],
            persona=occasion.persona or Actor().voice,
            files=_chorus_files(occasion, tools),
            task_title=occasion.task_title,
            task_description=occasion.task_description,
            left_out=left_out,
            frame=lambda body: fenced(body, fence=fence),
        )
    if not chosen:
        return f"{more(left_out)}\n" if left_out else ""
    match occasion.format:
        case "dex":
            sections = render_dex(chosen, left_out=left_out)
        case "beads":
            marks = doubts(chosen, tools.store)
            sections = render_beads(chosen, total=total, left_out=left_out, marks=marks)
        case _:
            marks = doubts(chosen, tools.store)
            sections = render_notes(chosen, now=tools.clock.now(), left_out=left_out, marks=marks)
    return framed(sections, fence)


def _chorus_files(occasion: Occasion, tools: Tools) -> ChorusFiles:
    if occasion.root is None:
        return ChorusFiles()
    files, folder = tools.files, f"{occasion.root}/.chorus"
    agents = f"{folder}/agents"  # a persona's name may not lead out of it
    agent = f"{agents}/{occasion.persona or Actor().voice}"
    return ChorusFiles(
        prompt=files.text(f"{agent}/prompt.md", within=agents),
        shared_rules=files.texts(f"{folder}/rules", ".md", within=folder),
        agent_rules=files.text(f"{agent}/rules.md", within=agents),
    )


def _record(occasion: Occasion, project: str, *, told: Told, tools: Tools) -> Injection:
    now = tools.clock.now()
    return record(
        told,
        id=tools.chance.id("inj", now),
        at=now,
        project=project,
        format=occasion.format,
        strategy=occasion.strategy or _STRATEGY.get(occasion.format, tools.settings.strategy),
        session=occasion.session,
        task=occasion.task,
        persona=occasion.persona,
        hat=occasion.hat,
        query=_topic(occasion),
    )
