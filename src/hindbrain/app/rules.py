"""Which rules stand, and what became of the failures that they were made for."""

from collections.abc import Sequence

from hindbrain.core.learning.effect import Effect, effect_of, survey
from hindbrain.core.model.activity import Deed
from hindbrain.core.model.suggestion import STANDING, Suggestion
from hindbrain.core.value import dataclass
from hindbrain.ports import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a person agreed to, and whether it helps."""

    suggestion: Suggestion
    signature: str  # of the failure it was made for; empty: none is known
    effect: Effect


def rules(project: str, *, store: Reader) -> Sequence[Rule]:
    """In the order in which they were applied."""
    standing = [one for one in store.suggestions(project, statuses=STANDING) if not one.removes]
    if not standing:
        return ()
    known = store.memories([one.scar_id for one in standing])
    seen = survey(store.activities(project, deeds=(Deed.COMMAND, Deed.GATE, Deed.EDIT)))
    found = []
    for one in sorted(standing, key=lambda one: one.applied_as):
        scar = known.get(one.scar_id)
        signature = (scar.error_signature if scar else "") or ""
        effect = effect_of(
            seen,
            signature=signature,
            since=one.decided_at or one.created_at,
            outcomes=store.outcomes(project, memory_id=one.scar_id) if scar else (),
        )
        found.append(Rule(suggestion=one, signature=signature, effect=effect))
    return found
