"""What a suggestion is: a rule that is proposed, the change of files that it means, and what a person made of it."""

from collections.abc import Mapping
from datetime import datetime

from hindbrain.core.closed import StrEnum
from hindbrain.core.value import dataclass, field


class Destination(StrEnum):
    """Where a rule may come to stand (HB-107..HB-112). There is no seventh place."""

    CLAUDE_MD = "claude_md"  # a line of CLAUDE.md, or of AGENTS.md where a project uses that
    SETTINGS_JSON = "settings_json"  # a permission or a variable in the client's settings
    MEMORY = "memory"  # a reflex: a file that every session is told of
    BRAIN_INBOX = "brain_inbox"  # a draft in the vault
    SKILL = "skill"
    CHANTIER_OUTIL = "chantier_outil"  # work on a tool


class Status(StrEnum):
    PENDING = "pending"
    APPLIED = "applied"
    MODIFIED = "modified"  # applied in a person's words
    REFUSED = "refused"
    UNDONE = "undone"  # applied once, and taken back
    REMOVED = "removed"  # applied once, and removed by a later suggestion


STANDING = (Status.APPLIED, Status.MODIFIED)  # those that are rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file as it is and as it would be; None where there is none."""

    folder: str  # nothing outside of it is touched
    path: str  # below it, with forward slashes
    before: bytes | None
    after: bytes | None
    made: int = 0  # folders above the file that had to be made for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    id: str
    project: str
    destination: Destination
    title: str  # what went wrong, or right
    text: str  # the rule, in one paragraph
    key: str  # of the lesson: what a person refused is not proposed again under another id
    created_at: datetime
    scar_id: str = ""  # the memory that it was made from
    status: Status = Status.PENDING
    importance: int = 5  # 0..10, of the scar
    reason: str = ""  # why this destination
    name: str = ""  # of the file or the skill, where the destination has one for each rule
    data: Mapping[str, object] = field(default_factory=dict)  # what a setting is set to, what a skill's steps are
    root: str = ""  # top of the code base whose files it speaks of
    edits: tuple[Edit, ...] = ()
    removes: str = ""  # id of the rule that it would remove; empty: it adds one
    made_by: str = "rules"  # or the model and the version of the prompt
    is_patched: bool = False
    decided_at: datetime | None = None
    decided_by: str = ""
    note: str = ""  # why it was decided so
    snoozed_until: datetime | None = None
    applied_as: int = 0  # number of the audit entry that made it a rule: the order of rules in a file

    @property
    def is_standing(self) -> bool:
        return self.status in STANDING
