"""What is sent and what comes back, as the OpenAPI document tells it. Answers may grow fields; these stay."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hindbrain.core.model import TYPES, Kind
from hindbrain.core.model.job import JobState
from hindbrain.core.model.outcome import Effect
from hindbrain.entry.http.pages import MOST, Page

Decision = Literal["release", "refuse", "supersede", "keep"]

MOST_TEXT = 4_000_000  # characters; the body's cap comes first for most


def _writable(value: dict[str, Any]) -> dict[str, Any]:
    """Half a character in the depth of free data could not be written down."""
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return value


def _one_of(words: Sequence[str]) -> Any:
    def known(value: str) -> str:
        if value not in words:
            raise ValueError(f"use one of: {', '.join(words)}")
        return value

    return known


Type = Annotated[str, AfterValidator(_one_of(TYPES)), Field(json_schema_extra={"enum": list(TYPES)})]
KindName = Annotated[str, AfterValidator(_one_of(tuple(Kind))), Field(json_schema_extra={"enum": [*map(str, Kind)]})]
EffectName = Annotated[
    str, AfterValidator(_one_of(tuple(Effect))), Field(json_schema_extra={"enum": [*map(str, Effect)]})
]
JobStateName = Annotated[
    str, AfterValidator(_one_of(tuple(JobState))), Field(json_schema_extra={"enum": [*map(str, JobState)]})
]
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Word = Annotated[str, Field(max_length=400)]
Words = Annotated[list[Annotated[str, Field(max_length=4096)]], Field(max_length=200)]
ProjectName = Annotated[str, Field(max_length=200, description="Id or name; else the token's own, or the service's.")]
Free = Annotated[dict[str, Any], AfterValidator(_writable)]


class Sent(BaseModel):
    """What is misspelled is refused: a field that is silently dropped costs hours."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Paging(Sent):
    limit: Annotated[int, Field(ge=1, le=MOST, description="Most rows of this page.")] = 50
    cursor: Annotated[str, Field(max_length=200, description="From the Link header of the page before.")] = ""

    @property
    def page(self) -> Page:
        return Page(limit=self.limit, cursor=self.cursor)


class Listing(Paging):
    type: Type | None = None
    min_confidence: Annotated[float | None, Field(ge=0, le=1)] = None
    all: bool = Field(default=False, description="Archived and superseded ones too.")


class Search(Paging):
    q: Annotated[str, Field(min_length=1, max_length=4000, description="Stands in title or content as it is.")]
    after_date: Annotated[str | None, Field(max_length=40, description="A day, or RFC 3339.")] = None
    before_date: Annotated[str | None, Field(max_length=40)] = None
    exclude_session: Word = ""


class Asked(Sent):
    q: Annotated[str, Field(max_length=20_000, description="What to look for, in any words.")]
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    project: ProjectName = ""
    why: bool = Field(default=False, description="Say how each score was reached.")
    strategy: Word = ""
    path: Words = Field(default=[], description="A file being worked on; repeatable.")
    persona: Word = ""
    hat: Word = ""
    as_of: Annotated[str | None, Field(max_length=40)] = None


class Lines(Paging):
    project: ProjectName = ""
    session: Word = ""
    verdict: Word = ""


class Past(Sent):
    project: ProjectName = ""
    q: Annotated[str, Field(max_length=4000)] = ""
    outcome: Word = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class NewProject(Sent):
    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^/\x00-\x1f]+$")]


class NewMemory(Sent):
    title: Annotated[str, Field(min_length=1, max_length=400)]
    content: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    type: Type
    kind: KindName = "lesson"
    category: Word = ""
    tags: Words = []
    file_refs: Words = []
    persona: Word = ""
    hat: Word = ""
    session: Word = ""
    task: Word = ""
    importance: Annotated[int, Field(ge=0, le=10)] = 5
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None
    body: Free = {}
    everywhere: bool = Field(default=False, description="For every project; needs the right to decide.")
    pinned: bool = Field(default=False, description="Always in mind; needs the right to decide.")
    learned_at: datetime | None = None


class EditedMemory(Sent):
    """What is absent stays."""

    content: Annotated[str | None, Field(min_length=1, max_length=MOST_TEXT)] = None
    title: Annotated[str | None, Field(max_length=400)] = None
    type: Type | None = None
    category: Word | None = None
    tags: Words | None = None
    file_refs: Words | None = None
    importance: Annotated[int | None, Field(ge=0, le=10)] = None
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None
    pinned: bool | None = Field(default=None, description="Needs the right to decide.")
    everywhere: bool | None = Field(default=None, description="Needs the right to decide.")


class Said(Sent):
    text: Text
    format: Literal["text", "claude", "codex", "gemini", "chorus"] = "text"
    session: Word = ""
    task: Word = ""
    persona: Word = ""
    hat: Word = ""
    instance: Word = ""
    origin: Word = ""


class Occasion(Sent):
    format: Literal["default", "dex", "chorus", "beads"] = "default"
    strategy: Word = ""
    session: Word = ""
    task: Word = ""
    task_title: Annotated[str, Field(max_length=10_000)] = ""
    task_description: Annotated[str, Field(max_length=100_000)] = ""
    paths: Words = []
    persona: Word = ""
    hat: Word = ""
    limit: Annotated[int, Field(ge=0, le=100)] = 0
    budget: Annotated[int, Field(ge=0, le=100_000)] = 0


class NewVerdict(Sent):
    effect: EffectName
    note: Annotated[str, Field(max_length=10_000)] = ""
    by: Word = ""


class NewLink(Sent):
    relation: Word
    target: Word = Field(description="Id of the other memory.")
    reason: Annotated[str, Field(max_length=2_000)] = ""


class Merged(Sent):
    other: Word = Field(description="Id of the memory that is hidden behind this one.")
    content: Annotated[str, Field(max_length=MOST_TEXT)] = Field(default="", description="Empty: what it says now.")


class Parted(Sent):
    parts: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]], Field(min_length=2, max_length=20)
    ]


class Decided(Sent):
    decision: Decision
    by: Word = ""


class Retried(Sent):
    ids: Annotated[list[Word], Field(max_length=1000)] = Field(default=[], description="Empty: all that were given up.")


class Applied(Sent):
    is_rebasing: bool = Field(default=False, description="Make the diff anew where the file has changed.")
    by: Word = ""


class Patched(Sent):
    text: Text = ""
    destination: Word = ""
    by: Word = ""


class RefusedSuggestion(Sent):
    reason: Annotated[str, Field(max_length=2_000)] = ""
    by: Word = ""


class Snoozed(Sent):
    until: datetime
    by: Word = ""


class Undone(Sent):
    is_merging: bool = False
    by: Word = ""


class NewHandoff(Sent):
    agent: Word
    done: Text
    to: Word = Field(default="", description="Empty: whoever comes next.")
    needs: Words = []
    issues: Words = []
    artifacts: Words = []
    patterns: Words = []
    git: Annotated[str, Field(max_length=10_000)] = ""


class Told(BaseModel):
    model_config = ConfigDict(extra="allow")


class Problem(Told):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable; for programs.")
    what: str
    fix: str = Field(description="The step that helps.")


class Project(Told):
    id: str
    name: str


class Counters(Told):
    evidence: int
    injected: int
    recalled: int
    cited: int
    confirmed: int


class Memory(Told):
    id: str
    project: str
    content: str
    title: str
    kind: str
    type: str
    category: str
    state: str
    reach: str
    persona: str | None
    tags: list[str]
    file_refs: list[str]
    body: dict[str, Any]
    trust: int
    confidence: float
    importance: int
    is_pinned: bool
    version: int
    counters: Counters
    provenance: dict[str, Any]
    superseded_by: str | None
    archive_reason: str
    learned_at: str
    created_at: str
    updated_at: str
    last_used_at: str | None
    verified_at: str | None
    archived_at: str | None


class Reason(Told):
    name: str
    value: float
    weight: float
    note: str


class Recalled(Memory):
    score: float
    similarity: float | None
    reasons: list[Reason] | None = Field(default=None, description="With `why`.")


class Found(Told):
    memories: list[Recalled]
    how: str
    left_out: int
    notices: list[str] = []


class Shown(Told):
    memory_id: str
    score: float
    reasons: list[Reason]


class Injected(Told):
    text: str
    injection_id: str | None
    memory_ids: list[str]
    shown: list[Shown]
    kept_out: list[Shown]
    how: str
    left_out: int


class Receipt(Told):
    id: str
    verdict: str
    memory_id: str | None
    text: str
    reason: str
    supersedes: list[str]
    at: str
    session: str
    replayed: bool


class Captured(Told):
    receipts: list[Receipt]


class Version(Told):
    change: str
    since: str
    until: str | None
    memory: Memory


class Link(Told):
    source: str
    target: str
    relation: str
    at: str
    reason: str


class Heard(Told):
    outcome: dict[str, Any]
    memory: Memory
    review_id: str


class Review(Told):
    id: str
    project: str
    kind: str
    memory_id: str
    other_id: str | None
    reason: str
    opened_at: str
    closed_at: str | None
    decision: str
    decided_by: str


class Job(Told):
    id: str
    kind: str
    project: str
    state: str
    tries: int
    error: str


class Cleaned(Told):
    status: str
    decayed: list[dict[str, Any]]
    archived: list[dict[str, Any]]


class Finding(Told):
    name: str
    is_ok: bool
    what: str
    fix: str


class Health(Told):
    status: Literal["ok", "trouble"]
    version: str
    findings: list[Finding]


class Thing(Told):
    """An object whose fields follow the verb that answers."""
