"""Where decisions are written down, and how the log is checked: in the store, with its end noted outside of it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from hindbrain.app.admission import tidy
from hindbrain.app.doctor import Finding
from hindbrain.app.tools import Tools
from hindbrain.core.address import is_server
from hindbrain.core.digest import sha256
from hindbrain.core.hints import NamedTuple
from hindbrain.core.learning.audit import Entry, Fault, Head, first_fault, read_head, seal
from hindbrain.core.model.suggestion import Suggestion
from hindbrain.core.value import dataclass
from hindbrain.errors import StoreDamaged
from hindbrain.ports import Reader, Transaction
from hindbrain.settings import Settings

_NAME = "audit.head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    entries: int
    fault: Fault | None
    anchored: int  # up to which entry the note outside of the store reaches


class Place(NamedTuple):
    """Where a decision is taken."""

    project: str
    tools: Tools


def entry(action: str, suggestion: Suggestion, *, by: str, tx: Transaction, tools: Tools, **detail: object) -> Entry:
    """The next entry of the log. What a person wrote stands in it as a digest: the log must outlive a forgetting."""
    said: dict[str, object] = {"destination": str(suggestion.destination), "text": digest(suggestion.text), **detail}
    where = Place(project=suggestion.project, tools=tools)
    return decision(action, suggestion.id, where=where, tx=tx, by=by, **said)


def decision(action: str, subject: str, *, where: Place, tx: Transaction, by: str = "", **detail: object) -> Entry:
    """The next entry of the log, about anything that a person decided. No text that may have to be forgotten."""
    head = tx.audit_head()
    if head is None:
        raise StoreDamaged("the end of the audit log cannot be read", fix="run `hindbrain audit verify`")
    draft = Entry(
        at=where.tools.clock.now(),
        project=where.project,
        actor=_decider(by, login=where.tools.login),
        action=action,
        subject=subject,
        detail=detail,
    )
    return seal(draft, head)


def _decider(by: str, *, login: str) -> str:
    """The name that was given, and the account it was given on: the one is said, the other is known."""
    return f"human {tidy(by)}".strip() + (f" ({login})" if login else "")


def digest(text: str | bytes | None) -> str:
    """Of a text or a file; "" of none."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return "" if raw is None else sha256(raw)


def files(suggestion: Suggestion) -> Mapping[str, object]:
    """Which files were changed, from which content to which."""
    return {
        "files": [
            {"path": edit.path, "before": digest(edit.before), "after": digest(edit.after)} for edit in suggestion.edits
        ]
    }


def anchor(tools: Tools, *, is_cut: bool = False) -> None:
    """Note the end of the log outside of the store. Under the store's gate: the note must never go back.

    A note that the log does not reach any more stays as it is, because it is what tells that something was lost; unless
    a person has just put back an older store, and knows it (`is_cut`).
    """
    if tools.pages is None:
        return
    pages = tools.pages

    def work(tx: Transaction) -> None:
        head = tx.audit_head()
        if head is not None and (is_cut or _holds(tx, _outside(tools))):
            pages.keep(str(head_path(tools.settings)), head.text.encode())

    tools.store.write(work, is_durable=False)


def audit(tools: Tools) -> Audited:
    """Follow the chain from its first entry to its last."""
    entries = tools.store.audits()
    heads, fault = _heads(tools)
    fault = first_fault(entries, heads=heads) or fault
    return Audited(entries=len(entries), fault=fault, anchored=heads[-1].seq if heads else 0)


def findings(tools: Tools) -> Iterator[Finding]:
    """For `doctor`: whether the log is as it was written, and what to do where it is not."""
    audited = audit(tools)
    if audited.fault is None:
        yield Finding(name="audit", is_ok=True, what=f"the log of decisions is whole: {audited.entries:,} entries")
        return
    reach = f"that reaches entry {audited.anchored}" if audited.anchored else "from before"
    yield Finding(
        name="audit",
        is_ok=False,
        what=f"the log of decisions is broken at entry {audited.fault.seq}: {audited.fault.what}",
        fix=(
            "compare `hindbrain audit list --limit 0` with what you remember deciding, and put back a backup "
            f"{reach} (`hindbrain backup --list`); if you know how it came, remove {head_path(tools.settings)}: the "
            "next decision notes the end anew"
        ),
    )


def _holds(reader: Reader, note: Head | None) -> bool:
    """Whether the log still has the entry that was noted. A note that cannot be read is no longer held."""
    if note is None or note == Head():
        return note is not None
    found = [one for one in reader.audits(after=note.seq - 1, limit=1) if one.seq == note.seq]
    return bool(found) and found[0].hash == note.hash


def _outside(tools: Tools) -> Head | None:
    """What was noted in the home; a head of nothing where no note is, None where it cannot be read."""
    path = head_path(tools.settings)
    raw = tools.pages.read(str(path.parent), path.name) if tools.pages else None
    return Head() if raw is None else read_head(raw.decode("utf-8", "replace"))


def _heads(tools: Tools) -> tuple[list[Head], Fault | None]:
    """What is known of the log from beside it and from outside; a fault when either cannot be read."""
    inside, outside = tools.store.audit_head(), _outside(tools)
    known = [head for head in (inside, outside) if head is not None]
    is_new_here = is_server(tools.settings.store)  # other homes write the same log
    if outside == Head() and not is_new_here and tools.store.audits(limit=1) and tools.pages:
        return known, Fault(seq=1, what=f"{head_path(tools.settings)}, which notes the end of the log, is missing")
    if len(known) < 2:
        return known, Fault(seq=1, what="what was noted of the end of the log cannot be read")
    return known, None


def head_path(settings: Settings) -> Path:
    """In the home; a store that lies elsewhere has it beside it. Of a server each home notes how far it has seen."""
    store, home = Path(settings.store), Path(settings.home)
    if is_server(settings.store):
        return home / f"{sha256(settings.store.encode())[:16]}.{_NAME}"
    return home / _NAME if store.resolve().parent == home.resolve() else store.with_name(f"{store.name}.{_NAME}")
