"""How the engine is run on the command line, and how what it proposes, and what became of it, is listed."""

from collections.abc import Iterator, Sequence

from hindbrain.core.hints import TYPE_CHECKING, Any
from hindbrain.core.learning.effect import Verdict
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.entry.cli import proposal
from hindbrain.entry.cli.bar import Bar
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import bold, coloured, dim, line, many, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.values import Whole
from hindbrain.entry.cli.verb import command, option

if TYPE_CHECKING:
    from hindbrain.app.reflect import Learned
    from hindbrain.app.rules import Rule

_VERDICTS = {Verdict.WORKS: "green", Verdict.IDLE: "yellow", Verdict.HURT: "red", Verdict.OPEN: "bright_black"}


@command(
    examples="""
hindbrain learn
hindbrain learn --limit 3 --json
"""
)
@option("--limit", type=Whole(1, 1000), metavar="N", help="Most suggestions to make.  [default: all]")
def learn(call: Call, limit: int | None) -> None:
    """Propose rules for what went wrong; nothing is applied.

    First what agents put right since the last run becomes scars. Then each learnable scar without a suggestion gets
    one, the most important first: a destination, a text, and a diff against the real file. A rule that has no effect,
    or hurt, is proposed for removal.
    """
    bar = Bar("Looking at scars")
    with call.open(is_new=True) as hindbrain:
        learned = hindbrain.learn(limit=limit or 0, tell=bar.tell)
    bar.close()
    call.tell(lambda: _learned(learned), _learned_lines(learned))


@command(
    examples="""
hindbrain feed
hindbrain feed --json
"""
)
@option("--all", "with_snoozed", is_flag=True, help="Also those that are snoozed.")
def feed(call: Call, with_snoozed: bool) -> None:
    """List what is proposed, each with its diff.

    Nothing changes a file before you say `hindbrain apply ID`.
    """
    with call.open() as hindbrain:
        found = [(one, hindbrain.is_outdated(one)) for one in hindbrain.feed(with_snoozed=with_snoozed)]
    call.tell(
        lambda: {"suggestions": [proposal.record(one, is_stale=stale) for one, stale in found]}, _feed_lines(found)
    )


@command(
    examples="""
hindbrain rules
hindbrain rules --json
"""
)
def rules(call: Call) -> None:
    """List the rules, and whether each of them helps.

    The failure that a rule was made for is looked for in the sessions before it and after it. `hindbrain learn`
    proposes to remove a rule that has no effect, or that hurt.
    """
    with call.open() as hindbrain:
        found = hindbrain.rules()
    call.tell(lambda: {"rules": [_rule(one) for one in found]}, _rule_lines(found))


def _learned(learned: "Learned") -> dict[str, Any]:
    return {
        "scars": plain(learned.scars),
        "suggestions": [proposal.record(one) for one in learned.suggestions],
        "passed_by": [{"scar_id": scar, "reason": reason} for scar, reason in learned.passed_by],
    }


def _learned_lines(learned: "Learned") -> Iterator[str]:
    if learned.scars:
        yield f"{many(len(learned.scars), 'scar')} engraved from what agents did."
    for scar, reason in learned.passed_by:
        yield dim(f"passed by {line(scar)}: {line(reason)}")
    if not learned.suggestions:
        yield "Nothing new to propose."
        return
    yield f"{many(len(learned.suggestions), 'suggestion')}; `hindbrain feed` shows the diffs."
    rows = [[one.id, str(one.destination), one.title] for one in learned.suggestions]
    yield from table(["ID", "DESTINATION", "ABOUT"], rows, styles={0: dim})


def _feed_lines(found: Sequence[tuple[Suggestion, bool]]) -> Iterator[str]:
    if not found:
        yield "Nothing waits for you."
        return
    for one, stale in found:
        yield from proposal.lines(one, is_stale=stale)
        yield f"  hindbrain apply|patch|refuse|snooze {line(one.id)}"
        yield ""
    yield dim(many(len(found), "suggestion"))


def _rule(rule: "Rule") -> dict[str, Any]:
    return {**proposal.record(rule.suggestion), "signature": rule.signature, "effect": plain(rule.effect)}


def _rule_lines(found: "Sequence[Rule]") -> Iterator[str]:
    if not found:
        yield "No rules yet."
        return
    rows = [
        [
            rule.suggestion.id,
            str(rule.effect.verdict),
            f"{rule.effect.before}/{rule.effect.before_of} → {rule.effect.after}/{rule.effect.after_of}",
            rule.suggestion.edits[0].path if rule.suggestion.edits else "",
            rule.suggestion.text,
        ]
        for rule in found
    ]
    styles = {0: dim, 1: coloured({str(verdict): colour for verdict, colour in _VERDICTS.items()})}
    yield from table(["ID", "EFFECT", "SESSIONS", "FILE", "RULE"], rows, styles=styles)
    yield ""
    yield f"{bold(many(len(found), 'rule'))}  {dim('sessions: with the failure, of all, before and after the rule')}"
