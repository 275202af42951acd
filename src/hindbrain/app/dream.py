"""What the night does: scars that keep coming back become drafts for a person, old transcripts become short.

It writes drafts into inbox/, compact transcripts with their originals in the archive, and a report. Nothing else: no
mode of it touches permanent/ or the reflex folder (X-23).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from hindbrain.app import vault
from hindbrain.app.consult import consult, said, writer
from hindbrain.app.report import NIGHT, alone, reported
from hindbrain.app.shelf import folders_of
from hindbrain.app.tools import Tools
from hindbrain.core.learning.dream import LEAST_TIMES, OLD_DAYS, Alike, Cluster, clusters, compacted, draft
from hindbrain.core.learning.importance import BY_RULES
from hindbrain.core.model import Actor, ActorType, Kind, Memory
from hindbrain.core.model.call import NoModel
from hindbrain.core.model.moment import days_between
from hindbrain.core.recall.meaningful import meaningful
from hindbrain.core.same import wording
from hindbrain.core.value import dataclass
from hindbrain.errors import EmbedderMissing, TooLong, Unreadable
from hindbrain.ports import Changes, Embedder, Where

USE = "dream"
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["note"],
    "properties": {"note": {"type": "string", "minLength": 1}},
}
_BY = Actor(type=ActorType.AUTOMATE)
_MOST_TOLD = 20  # scars of a cluster that a model is told of, the latest
_TRANSCRIPTS = (".jsonl", ".log", ".txt")
_LEAST_BYTES = 1_000  # what is shorter is compact


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """Scars that say the same, often enough for a person to look at."""

    cluster: str
    times: int
    title: str
    scars: tuple[str, ...]  # ids
    draft: str = ""  # where it lies in the vault; "": nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    path: str
    before: int  # bytes
    after: int
    archive: str = ""  # where the original is; "": it was not touched


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    is_applied: bool
    recurring: tuple[Recurring, ...]  # those that nobody has been told of yet
    transcripts: tuple[Compacted, ...]
    passed_by: tuple[str, ...]  # transcripts that could not be made compact, with the reason
    report: str
    text: str


def dream(*, is_applied: bool, tools: Tools) -> Dreamt:
    """One night. Locked when another one is going on."""
    with alone(NIGHT, tools=tools):
        at = tools.clock.now()
        recurring = tuple(
            _told(cluster, is_applied=is_applied, tools=tools)
            for project in tools.store.projects()
            for cluster in _fresh(project.id, tools=tools)
        )
        transcripts, passed_by = _transcripts(at, is_applied=is_applied, tools=tools)
        if is_applied and any(one.draft for one in recurring):
            vault.sync(tools)
        sections = {
            "Scars that keep coming back": [_line(one) for one in recurring],
            "Transcripts made compact": [f"{o.path}: {o.before:,} bytes, now {o.after:,}" for o in transcripts],
            "Passed by": list(passed_by),
        }
        path, text = reported("dream", at, sections=sections, is_applied=is_applied, tools=tools)
    return Dreamt(
        is_applied=is_applied, recurring=recurring, transcripts=transcripts, passed_by=passed_by, report=path, text=text
    )


def _fresh(project: str, *, tools: Tools) -> list[Cluster]:
    """Clusters that are large enough, and of which no scar has been in a draft."""
    scars = tools.store.select(Where(project=project, kinds=(Kind.SCAR,), with_everywhere=False))
    told = tools.store.cursors(_cursor(""))
    found = clusters(scars, _alike(scars, tools.embedder))
    return [
        one for one in found if one.times >= LEAST_TIMES and not any(_cursor(scar.id) in told for scar in one.scars)
    ]


def _told(cluster: Cluster, *, is_applied: bool, tools: Tools) -> Recurring:
    """With a draft of its own, where there is a vault to put it; from then on nobody hears of this cluster again."""
    path = ""
    title = cluster.weightiest.title
    if is_applied and tools.settings.vault:
        words, made_by = _words(cluster, tools=tools)
        note = vault.Draft(
            title=f"Promote: {title}",
            text=draft(cluster, words),
            type="promotion",
            source=cluster.id,
            made_by=made_by,
        )
        path = vault.filed(note, tools=tools)
        marks = {_cursor(scar.id): cluster.id for scar in cluster.scars}
        tools.store.write(lambda tx: tx.apply(Changes(cursors=marks, by=_BY)))
    ids = tuple(scar.id for scar in cluster.scars)
    return Recurring(cluster=cluster.id, times=cluster.times, title=title, scars=ids, draft=path)


def _words(cluster: Cluster, *, tools: Tools) -> tuple[str, str]:
    """What a model makes of it, and who that was; nothing where none answers: the rules' draft says all there is."""
    told = [f"{scar.learned_at:%Y-%m-%d} {scar.title}: {scar.content[:_READ]}" for scar in cluster.scars[-_MOST_TOLD:]]
    answer = consult(USE, draft(cluster) + "\n\n" + "\n\n".join(told), tools=tools, schema=SCHEMA)
    return ("", BY_RULES) if isinstance(answer, NoModel) else (said(answer, "note"), writer(answer))


def _alike(scars: Sequence[Memory], embedder: Embedder | None) -> Alike:
    """By meaning where there is a model, else by wording."""
    if embedder is None or len(scars) < 2:
        return lambda one, other: wording(one.content, other.content)
    try:
        points = embedder.embed([meaningful(scar)[:_READ] for scar in scars])
    except EmbedderMissing:
        return lambda one, other: wording(one.content, other.content)
    place = {scar.id: point for scar, point in zip(scars, points, strict=True)}
    return lambda one, other: sum(a * b for a, b in zip(place[one.id], place[other.id], strict=True))


_READ = 1_000  # characters of a scar that are compared


def _transcripts(at: datetime, *, is_applied: bool, tools: Tools) -> tuple[tuple[Compacted, ...], tuple[str, ...]]:
    folder = str(Path(tools.settings.transcript_folder).expanduser()) if tools.settings.transcript_folder else ""
    if not folder:
        return (), ()
    found: list[Compacted] = []
    passed_by: list[str] = []
    for name, seen in folders_of(tools).seen(folder, wants=lambda path: path.endswith(_TRANSCRIPTS)).items():
        if days_between(seen.changed_at, at) < OLD_DAYS:
            continue
        try:
            found += _compact(folder, name, is_applied=is_applied, tools=tools)
        except (TooLong, Unreadable) as error:
            passed_by.append(f"{name}: {error.what}")
    return tuple(found), tuple(passed_by)


def _compact(folder: str, name: str, *, is_applied: bool, tools: Tools) -> list[Compacted]:
    folders = folders_of(tools)
    original = next(iter(folders.load(str(Path(folder) / name), wants=_any).values()))
    short = compacted(original.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if len(original) < _LEAST_BYTES or len(short) >= len(original):
        return []
    archive = str(Path(tools.settings.home) / "archive" / "transcripts")
    kept = folders.compact(folder, name, content=short, archive=archive) if is_applied else ""
    return [Compacted(path=name, before=len(original), after=len(short), archive=kept)]


_any: Callable[[str], bool] = bool


def _cursor(scar_id: str) -> str:
    return f"dream/told/{scar_id}"


def _line(one: Recurring) -> str:
    where = f"; draft: {one.draft}" if one.draft else ""
    return f"{one.times} times: {one.title} ({', '.join(one.scars)}){where}"
