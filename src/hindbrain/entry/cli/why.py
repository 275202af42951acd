"""How the walk from a memory back to its sentence, and on to its uses, is drawn."""

from collections.abc import Iterator

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.model import Injection, Link, Memory, Receipt, Version
from hindbrain.core.model.outcome import Outcome
from hindbrain.entry.cli import cards
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import block, bold, dim, line, many, moment, style
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import argument, command

if TYPE_CHECKING:
    from hindbrain.app.why import RuleWalk, Walk

_SHOWN = 5  # of each list; --json has all


@command(
    examples="""
hindbrain why mem-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain why mem-01k2x6d0q3v8r5w7y9z1b3d5f7 --json
hindbrain why sug-01k2x6d0q3v8r5w7y9z1b3d5f7
hindbrain why CLAUDE.md:12
"""
)
@argument("memory_id", metavar="ID")
def why(call: Call, memory_id: str) -> None:
    """Walk from a memory to the sentence that taught it.

    And on: how often it was said, what it replaced, how it changed, and each prompt that it was shown in. From a
    suggestion or a rule (its id, or the line that it stands in) the walk leads to the scar and to what agents did.
    """
    is_rule = memory_id.startswith("sug-") or ":" in memory_id
    with call.open() as hindbrain:
        if is_rule:
            rule = hindbrain.why_rule(memory_id)
            call.tell(lambda: _rule_record(rule), _rule_lines(rule))
            return
        walk = hindbrain.why(memory_id)
    call.tell(lambda: plain(walk), walk_lines(walk))


def walk_lines(walk: "Walk") -> Iterator[str]:
    memory = walk.memory
    yield f"{bold(line(memory.title))}  {dim(str(memory.state))}"
    yield f"  {dim(line(memory.id))}"
    yield from _taught(walk.receipt, memory)
    if len(walk.sayings) > 1:
        sessions = list(dict.fromkeys(taught.saying.session for taught in walk.sayings if taught.saying.session))
        named = f", in session {', '.join(sessions[:_SHOWN])}" if sessions else ""
        yield f"{_step('said')} {many(len(walk.sayings), 'time')}{line(named)}"
    for version in walk.versions[1:]:
        yield from _changed(version)
    yield from (f"{_step('tied to')} {told}" for told in cards.anchor_lines(walk.anchors[:_SHOWN]))
    for link in walk.links[:_SHOWN]:
        yield from _linked(link, memory)
    for review in walk.reviews:
        outcome = f"{review.decision} {moment(review.closed_at)}" if review.closed_at else "waits for a person"
        yield f"{_step('review')} {line(f'{review.kind}: {review.reason}')}  {dim(line(outcome))}"
    yield from _shown(walk)
    for word in walk.outcomes:
        if word.how == "person":
            yield f"{_step('a person')} says: {_came(word)}"


def _rule_record(walk: "RuleWalk") -> dict[str, Any]:
    from hindbrain.entry.cli import proposal

    rest = {name: plain(getattr(walk, name)) for name in ("decisions", "scar", "activities", "sources")}
    return {"suggestion": proposal.record(walk.suggestion), **rest}


def _rule_lines(walk: "RuleWalk") -> Iterator[str]:
    suggestion = walk.suggestion
    files = ", ".join(edit.path for edit in suggestion.edits)
    yield f"{bold(line(suggestion.text))}  {dim(str(suggestion.status))}"
    yield f"  {dim(line(f'{suggestion.id}  {suggestion.destination}  {files}'))}"
    yield f"{_step('because')} {line(suggestion.reason)}"
    for decision in walk.decisions:
        yield f"{_step(decision.action)} {line(f'by {decision.actor}')}  {dim(moment(decision.at))}"
    for activity in walk.activities[:_SHOWN]:
        told = f"{activity.deed} {activity.subject} {activity.result}"
        yield f"{_step('seen')} {line(told)}  {dim(line(f'session {activity.session}, {moment(activity.at)}'))}"
    for source in walk.sources[:_SHOWN]:
        yield f"{_step('derived from')} {line(source.title)}  {dim(line(source.id))}"
    if walk.scar is not None:
        yield f"{_step('scar')}"
        yield from (f"  {told}" for told in walk_lines(walk.scar))


def _taught(receipt: Receipt | None, memory: Memory) -> Iterator[str]:
    if receipt is None:
        yield f"{_step('taught by')} {line(cards.said_by(memory))}"
        return
    place = ", ".join(part for part in (_place(receipt), _occasion(receipt)) if part)
    yield f"{_step('taught by')} {line(cards.actor_name(memory.provenance.actor))}"
    yield from (style(quoted, italic=True) for quoted in block(f"“{receipt.text.strip()}”", indent="    "))
    if place:
        yield f"    {dim(line(place))}"
    if not receipt.supersedes:  # the links below say which, and why
        yield f"    {dim(f'{receipt.verdict}: {line(receipt.reason)}')}"


def _place(receipt: Receipt) -> str:
    if not receipt.origin:
        return ""
    return f"line {receipt.line} of {receipt.origin}" if receipt.line else receipt.origin


def _occasion(receipt: Receipt) -> str:
    parts = [f"session {receipt.session}"] if receipt.session else []
    parts += [f"task {receipt.task}"] if receipt.task else []
    parts.append(moment(receipt.said_at or receipt.at))
    return ", ".join(parts)


def _changed(version: Version) -> Iterator[str]:
    by = cards.actor_name(version.changed_by)
    yield f"{_step(version.change)} {line(f'by {by}')}  {dim(moment(version.since))}"


def _linked(link: Link, memory: Memory) -> Iterator[str]:
    """Seen from the memory that was asked about."""
    is_source = link.source == memory.id
    relation = link.relation if is_source else link.relation.inverse
    word = str(relation).replace("_", " ") if relation else f"{str(link.relation).replace('_', ' ')} (from there)"
    yield f"{_step(word)} {line(link.target if is_source else link.source)}"
    if link.reason:
        yield from (dim(part) for part in block(line(link.reason), indent="    "))


def _shown(walk: "Walk") -> Iterator[str]:
    injections = walk.injections
    if not injections:
        yield f"{_step('shown')} to no agent yet"
        return
    yield f"{_step('shown')} {many(len(injections), 'time')}"
    for injection in injections[-_SHOWN:]:
        to = injection.persona or injection.hat or "an agent"
        session = f", session {injection.session}" if injection.session else ""
        about = f", for “{injection.query}”" if injection.query else ""
        yield from block(line(f"{moment(injection.at)} to {to}{session}{about}"), indent="    ")
        yield from _came_of(injection, walk)


def _came_of(injection: Injection, walk: "Walk") -> Iterator[str]:
    """Why the memory was among those shown, and what came of it."""
    for shown in injection.shown:
        if shown.memory_id == walk.memory.id:
            yield from cards.score_lines(shown.score, indent="      ")
    for outcome in walk.outcomes:
        if outcome.injection_id == injection.id:
            yield f"      {_came(outcome)}"


def _came(outcome: Outcome) -> str:
    """What came of it: the effect, how it shows, and what was seen."""
    how = "" if outcome.how == "person" else f" ({outcome.how})"
    note = f": {outcome.note}" if outcome.note else ""
    return f"{outcome.effect}{how}{dim(line(note))}"


def _step(word: str) -> str:
    return style(f"  {line(word)}", fg="cyan")
