"""What may enter the memory store, and what stands in the place of what may not.

Every text passes here before it is written, before it goes to a model and when it comes back. The order matters:
characters first, because an unseen one can split a key; then secrets, because a password may look like an address;
then personal data. A replacement names the kind and nothing else, and is itself never replaced.
"""

from collections.abc import Sequence

from hindbrain.core.door.disarm import disarm, scan
from hindbrain.core.hints import TYPE_CHECKING
from hindbrain.core.value import dataclass, replace

if TYPE_CHECKING:
    from hindbrain.core.door.span import Span

__all__ = ["Finding", "Passed", "admit", "disarm", "has_secret"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was taken out: what it was, never what it said."""

    kind: str  # "aws-access-key", "password", "email", "bidi"
    family: str  # "secret" | "personal" | "character"
    start: int  # where its replacement stands in Passed.text; for a character, where it stood


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A text that may be stored, and what it lost on the way."""

    text: str
    findings: tuple[Finding, ...]  # in the order of the text

    @property
    def is_changed(self) -> bool:
        """Whether anything was taken out. Line ends made uniform do not count."""
        return bool(self.findings)


def admit(text: str) -> Passed:
    """`text` without hidden characters, secrets and personal data; admitting the result changes nothing more."""
    clean, removed = scan(text)
    passed = Passed(
        text=clean,
        findings=tuple(Finding(kind=r.kind.replace("_", "-"), family="character", start=r.start) for r in removed),
    )
    # A replacement can bring two pieces of another secret into view. Each round leaves less text outside the marks;
    # real texts settle in one round.
    for _ in range(_MOST_ROUNDS):
        following = _without(_without(passed, "secret"), "personal")
        if following is passed:
            break
        passed = following
    return replace(passed, findings=tuple(sorted(passed.findings, key=lambda f: f.start)))


def has_secret(text: str) -> bool:
    """Whether `text` holds a secret that `admit` would take out."""
    from hindbrain.core.door import secrets

    return bool(secrets.find(disarm(text)))


_MOST_ROUNDS = 8


def _without(passed: Passed, family: str) -> Passed:
    """`passed` with one family of spans replaced; the same value if there is none."""
    from hindbrain.core.door import personal, secrets

    spans = secrets.find(passed.text) if family == "secret" else personal.find(passed.text)
    if not spans:
        return passed
    pieces: list[str] = []
    found: list[Finding] = []
    at = length = 0
    for span in spans:
        mark = f"[{family}:{span.kind}]"
        pieces += (passed.text[at : span.start], mark)
        length += span.start - at
        found.append(Finding(kind=span.kind, family=family, start=length))
        length += len(mark)
        at = span.end
    pieces.append(passed.text[at:])
    moved = [_moved(finding, spans, found=found) for finding in passed.findings]
    return Passed(text="".join(pieces), findings=(*moved, *found))


def _moved(finding: Finding, spans: "Sequence[Span]", *, found: Sequence[Finding]) -> Finding:
    """`finding` where it stands once `spans` were replaced, each by the mark of the same place in `found`."""
    from bisect import bisect_right

    last = bisect_right(spans, finding.start, key=lambda span: span.start) - 1
    if last < 0:
        return finding
    mark = found[last]
    beyond = finding.start - spans[last].end
    if beyond < 0:
        return replace(finding, start=mark.start)
    return replace(finding, start=mark.start + len(f"[{mark.family}:{mark.kind}]") + beyond)
