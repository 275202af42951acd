"""How a memory, a receipt and a score look to a person; every command shows them alike."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.model import Actor, ActorType, Memory, Receipt, Score, State, Verdict, Version
from hindbrain.entry.cli.output import block, bold, coloured, dim, fit, hanging, line, many, moment, style, table

if TYPE_CHECKING:  # late: most commands recall nothing
    from hindbrain.app.inject import Injected
    from hindbrain.app.recall import Found
    from hindbrain.core.model.outcome import Anchor, Standing
    from hindbrain.core.recall import Recalled

VERDICTS = {
    Verdict.STORED: "green",
    Verdict.EVIDENCE: "cyan",
    Verdict.VERSION: "cyan",
    Verdict.SUPERSEDED: "yellow",
    Verdict.REVIEW: "magenta",
    Verdict.REJECTED: "red",
}
STATES = {
    State.LIVE: "green",
    State.QUARANTINED: "magenta",
    State.SUPERSEDED: "yellow",
    State.ARCHIVED: "bright_black",
}
FRESHNESS = {"fresh": "green", "suspect": "yellow", "gone": "red"}
_TRUST = (
    "0, in quarantine: no agent sees it",
    "1, tainted: said near text from elsewhere",
    "2, an agent said it",
    "3, several said it independently",
    "4, a person agreed",
)
_FRESHNESS = {
    "fresh": "fresh: as it was",
    "suspect": "suspect: it changed since",
    "gone": "gone: not there any more",
}
_LABEL = 12  # columns
_WORTH = 23
_TELLING = 1000.0  # weight from which a part is all that is told: the best of next to nothing, in a store of a few
_VERDICT = max(map(len, Verdict))


def memory_table(memories: Sequence[Memory]) -> Iterator[str]:
    """One row a memory; the state only where it says something."""
    is_mixed = any(memory.state is not State.LIVE for memory in memories)
    heads = ["ID", "TYPE", "SURE", *(["STATE"] if is_mixed else []), "TITLE"]
    rows = [[m.id, m.type, f"{m.confidence:.2f}", *([str(m.state)] if is_mixed else []), _title(m)] for m in memories]
    styles = {0: dim, 1: lambda cell: style(cell, fg="cyan")}
    if is_mixed:
        styles[3] = coloured({str(state): colour for state, colour in STATES.items()})
    return table(heads, rows, styles=styles)


def recalled_card(number: int, found: "Recalled", *, has_reasons: bool) -> Iterator[str]:
    memory = found.memory
    place = f"{number}. "
    indent = " " * len(place)
    score = f"{found.score.total:.2f}"
    title = fit(_title(memory), beside=len(place) + len(score) + 2)
    yield f"{dim(place)}{bold(title)}  {style(score, fg='green')}"
    yield f"{indent}{dim(_facts(memory))}"
    if found.gate is None and found.similarity is not None:
        from hindbrain.core.recall.strategies.doc05 import label  # late: only few ways of ranking have no gate

        yield f"{indent}{dim(f'similarity {found.similarity:.2f}: {label(found.similarity)}')}"
    if _says_more(memory):
        yield from block(memory.content, indent=indent)
    if has_reasons:
        yield from score_lines(found.score, indent=indent)
        if found.gate is not None:
            yield from part("gate", str(found.gate), indent=indent)


def unheard_card(found: "Recalled") -> Iterator[str]:
    """A memory that was found and not told, with what kept it out."""
    yield fit(_title(found.memory), beside=0)
    yield f"   {dim(_facts(found.memory))}"
    if found.gate is not None:
        yield from part("gate", str(found.gate), indent="   ")


def score_lines(score: Score, *, indent: str) -> Iterator[str]:
    """Every part of a score: what it is worth, and how that came about."""
    for reason in score.reasons:
        worth = f"{reason.part:+.3f}"
        if abs(reason.weight) < _TELLING:
            worth += f" = {reason.value:.2f} × {reason.weight:.3g}"
        head = f"{indent}{_named(reason.name)}{worth:<{_WORTH}}"
        if reason.note:
            yield from hanging(head, line(reason.note), columns=len(indent) + _LABEL + _WORTH + 1, indent=indent)
        else:
            yield head.rstrip()


def part(name: str, text: str, *, indent: str = "") -> Iterator[str]:
    """A line of a reckoning that adds nothing to the sum."""
    return hanging(f"{indent}{_named(name)}", line(text), columns=len(indent) + _LABEL + 1, indent=indent)


def _named(name: str) -> str:
    return f"{style(f'{line(name):<{_LABEL}}', fg='cyan')} "


def misspelled(found: "Found | Injected") -> Iterator[str]:
    for word, other in found.spelled:
        yield f"nothing holds '{word}'; searched for '{other}'"


def search_lines(found: "Found | Injected", shown: "Sequence[Recalled]") -> Iterator[str]:
    """How an answer was looked for, and what stood in its way. `shown` are the numbered cards above."""
    places = {one.id: f"number {number}" for number, one in enumerate(shown, start=1)}
    yield ""
    yield from part("searched", found.how)
    for sentence in misspelled(found):
        yield from part("spelled", sentence)
    for memory_id, other in found.repeats:
        yield from part("repeat", f"{memory_id} says the same as {places.get(other, other)}")


def memory_card(memory: Memory) -> Iterator[str]:
    """Everything a person wants to know about one memory."""
    yield bold(_title(memory))
    if _says_more(memory):
        yield from block(memory.content, indent="  ")
    yield ""
    for label, value in _fields(memory):
        if value:
            yield labelled(label, value)


def standing_lines(standing: "Standing | None") -> Iterator[str]:
    """How it has fared when it was shown, and whether the code still is as it says."""
    if standing is None:
        return
    if standing.helped or standing.hurt or standing.unknown:
        fared = f"helped {standing.helped}×, hurt {standing.hurt}×, unknown {standing.unknown}×"
        yield labelled("fared", fared)
    if standing.freshness:
        yield labelled("code", _FRESHNESS[standing.freshness])


def labelled(label: str, value: str) -> str:
    return f"  {dim(f'{label:<{_LABEL}}')}{line(value)}"


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    counters = memory.counters
    yield "id", memory.id
    yield "state", _state(memory)
    yield "is", f"{memory.kind}, {memory.type}, {memory.category}"
    yield "sure", f"{memory.confidence:.2f} of 1, importance {memory.importance} of 10"
    yield "trust", _TRUST[memory.trust] if 0 <= memory.trust < len(_TRUST) else str(memory.trust)
    yield "for", f"{memory.persona} alone" if memory.persona else f"everyone, {_reach(memory)}"
    yield "tags", ", ".join(memory.tags)
    yield "files", ", ".join(memory.file_refs)
    yield "error", memory.error_signature or ""
    yield "said by", said_by(memory)
    yield "learned", moment(memory.learned_at)
    yield "changed", f"{moment(memory.updated_at)}, version {memory.version}" if memory.version > 1 else ""
    yield (
        "counted",
        f"taught {counters.evidence}×, injected {counters.injected}×, recalled {counters.recalled}×,"
        f" cited {counters.cited}×, confirmed {counters.confirmed}×",
    )
    yield "key", memory.key
    yield from ((f"{name}", str(value)) for name, value in memory.body.items())


def said_by(memory: Memory) -> str:
    provenance = memory.provenance
    parts = [actor_name(provenance.actor)]
    parts += [f"session {provenance.session}"] if provenance.session else []
    parts += [f"task {provenance.task}"] if provenance.task else []
    parts += [f"{provenance.source} through {provenance.adapter}"] if provenance.adapter else [str(provenance.source)]
    return ", ".join(parts)


def actor_name(actor: Actor) -> str:
    hat = (f" as {actor.hat}" if actor.hat else "") + (f" ({actor.login})" if actor.login else "")
    if actor.type is ActorType.AGENT:
        return f"{actor.instance or actor.voice}{hat}"
    return f"{actor.persona or ('a person' if actor.type is ActorType.HUMAN else 'a rule')}{hat}"


def history_lines(versions: Sequence[Version]) -> Iterator[str]:
    """What a memory said, and since when; oldest first."""
    for version in versions:
        memory = version.memory
        head = f"version {memory.version}, {version.change} by {actor_name(version.changed_by)}"
        yield f"{bold(line(head))}  {dim(moment(version.since))}"
        yield from block(memory.content, indent="  ")


def anchor_lines(anchors: "Sequence[Anchor]") -> Iterator[str]:
    """Where in the code a memory is tied, and what became of that place."""
    for anchor in anchors:
        span = f":{anchor.start}" + (f"-{anchor.end}" if anchor.end > anchor.start else "") if anchor.start else ""
        name = f"  `{anchor.symbol}`" if anchor.symbol else ""
        word = style(f"{anchor.freshness:<7}", fg=FRESHNESS.get(anchor.freshness, ""))
        yield f"{word} {line(f'{anchor.path}{span}{name}')}" + (f"  {dim(line(anchor.note))}" if anchor.note else "")


def receipt_lines(receipt: Receipt) -> Iterator[str]:
    """What became of a line, and why."""
    indent = " " * (_VERDICT + 2)
    word = "known" if receipt.is_replay and receipt.verdict is Verdict.EVIDENCE else str(receipt.verdict)
    verdict = style(f"{word:<{_VERDICT}}", fg=VERDICTS[receipt.verdict], bold=True)
    yield f"{verdict}  {fit(line(receipt.text) or '(nothing left)', beside=len(indent))}"
    for reason in block(line(receipt.reason), indent=indent):
        yield dim(reason) if reason else reason
    if receipt.removed:
        yield f"{indent}{style('taken out:', fg='yellow')} {line(', '.join(receipt.removed))}"
    if receipt.memory_id:
        yield f"{indent}{dim(receipt.memory_id)}"


def receipts_summary(receipts: Sequence[Receipt]) -> str:
    """`5 lines looked like signals: 3 stored, 2 rejected`."""
    fresh = [receipt for receipt in receipts if not receipt.is_replay]
    counts = {verdict: sum(r.verdict is verdict for r in fresh) for verdict in Verdict}
    told = [style(f"{count} {verdict}", fg=VERDICTS[verdict]) for verdict, count in counts.items() if count]
    if len(fresh) < len(receipts):
        told.append(dim(f"{len(receipts) - len(fresh)} captured before"))
    parts = ", ".join(told)
    return f"{many(len(receipts), 'line')} looked like {'a signal' if len(receipts) == 1 else 'signals'}: {parts}"


def _title(memory: Memory) -> str:
    return line(memory.title) or line(memory.content) or "(no words)"


def _says_more(memory: Memory) -> bool:
    return line(memory.content) != _title(memory)


def _facts(memory: Memory) -> str:
    state = "" if memory.state is State.LIVE else f" · {memory.state}"
    return line(f"{memory.id} · {memory.type} · sure {memory.confidence:.2f} · {memory.learned_at:%Y-%m-%d}{state}")


def _state(memory: Memory) -> str:
    match memory.state:
        case State.SUPERSEDED:
            return f"superseded by {memory.superseded_by}"
        case State.ARCHIVED:
            return f"archived {moment(memory.archived_at)}: {memory.archive_reason or 'no reason given'}"
    return f"{memory.state}{', pinned' if memory.is_pinned else ''}"


def _reach(memory: Memory) -> str:
    return "in every project" if memory.reach == "everywhere" else "in this project"


def numbered(number: int, text: str) -> Iterator[str]:
    yield f"  {dim(f'line {number}:')} {line(text)}"
