"""How an Obsidian vault is read into the index, and who may write where in it.

A person's notes are never touched. Agents write new notes into inbox/; into permanent/ goes nothing but by a person's
explicit order, and every refusal is on record.
"""

from collections.abc import Mapping
from pathlib import Path

from hindbrain.app.admission import admitted
from hindbrain.app.shelf import Filed, Indexed, Shelf, cards, folders_of, index
from hindbrain.app.tools import Tools
from hindbrain.core import trust, vault
from hindbrain.core.model import Actor, ActorType, Event, Kind, Reach
from hindbrain.core.model.moment import stamp
from hindbrain.core.value import dataclass
from hindbrain.core.vault import Broken, Note
from hindbrain.errors import BadValue, Conflict
from hindbrain.ports import Changes

_MOST_NAMES = 1000  # files of one day with one title


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    notes: int
    broken: tuple[Broken, ...]
    heads: tuple[Bad, ...]  # notes whose head is missing or cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    folder: str
    by_folder: Mapping[str, int]
    is_there: bool
    project: str


def folder_of(tools: Tools) -> str:
    """BadValue when there is no vault."""
    if not tools.settings.vault:
        raise BadValue("there is no vault", fix='name its folder in config.toml: vault = "~/brain"')
    return str(Path(tools.settings.vault).expanduser())


def sync(tools: Tools, *, is_all: bool = False) -> Indexed:
    """Take in what changed in the vault."""
    return index(_shelf(tools), tools=tools, is_all=is_all)


def check(tools: Tools) -> Checked:
    """Read every note, and tell of links that lead nowhere and of heads that cannot be read."""
    folders, folder = folders_of(tools), folder_of(tools)
    files = folders.seen(folder, wants=lambda path: True)
    notes: dict[str, Note] = {}
    for path in filter(vault.wants, files):
        content = folders.content(folder, path)
        if content is not None:
            notes[path] = vault.read(path, _text(content))
    others = [path for path in files if path not in notes]
    heads = tuple(Bad(path=path, why=note.fault) for path, note in notes.items() if note.fault)
    return Checked(notes=len(notes), broken=tuple(vault.broken(notes, others)), heads=heads)


def status(tools: Tools) -> Status:
    """What the index has of the vault; nothing where there is none."""
    counts = {name: 0 for name in vault.FOLDERS}
    if not tools.settings.vault:
        return Status(folder="", by_folder=counts, is_there=False, project="")
    folder = folder_of(tools)
    known = tools.store.project_of([_identity(folder)])
    if known:
        for path in cards(_shelf(tools), tools=tools):
            counts[vault.folder_of(path)] += 1
    is_there = folders_of(tools).is_there(folder)
    return Status(folder=folder, by_folder=counts, is_there=is_there, project=known.id if known else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A note that is not there yet."""

    title: str
    text: str
    type: str = "note"
    source: str = ""  # what it was made from
    made_by: str = ""  # rules, or the model and the version of its prompt
    folder: str = vault.DRAFTS


def note(draft: Draft, *, by: Actor, tools: Tools) -> str:
    """Write a new note; its path. Anybody may write a draft; for permanent/ `by` must be a person who ordered it."""
    if draft.folder != vault.DRAFTS and not (draft.folder == vault.CONSOLIDATED and by.type is ActorType.HUMAN):
        _refuse(draft, by=by, tools=tools)
    path = filed(draft, tools=tools)
    sync(tools)
    return path


def filed(draft: Draft, *, tools: Tools) -> str:
    """The path of the new file. No file that is there is touched: a second one of that name gets a number."""
    folder, at = folder_of(tools), tools.clock.now()
    title = admitted(" ".join(draft.title.split()), name="the title").text.strip() or "Note"
    text = admitted(draft.text, name="the note").text
    is_draft = draft.folder == vault.DRAFTS
    head = {
        "type": draft.type,
        "status": "draft" if is_draft else "permanent",
        "created": stamp(at),
        **({"source": draft.source} if draft.source else {}),
        **({"made_by": draft.made_by} if draft.made_by else {}),
    }
    content = vault.written(title, text, head=head).encode()
    start = f"{draft.folder}/{at:%Y-%m-%d}-{vault.slug(title)}"
    for number in range(1, _MOST_NAMES):
        path = f"{start}.md" if number == 1 else f"{start}-{number}.md"
        if folders_of(tools).create(folder, path, content=content):
            return path
    raise Conflict(f"{folder} has {_MOST_NAMES} notes called {start}", fix="put some of them away")


def _refuse(draft: Draft, *, by: Actor, tools: Tools) -> None:
    data = {"folder": draft.folder, "title": draft.title[:200], "by": str(by.type), "persona": by.persona}
    project = tools.store.project_of([_identity(folder_of(tools))])
    event = Event(name="vault_write_refused", at=tools.clock.now(), project=project.id if project else "", data=data)
    tools.store.write(lambda tx: tx.apply(Changes(events=(event,), by=by)))
    raise Conflict(
        f"{draft.folder}/ is written by a person's order only",
        fix="leave a draft in inbox/; a person moves it, or says --permanent --yes",
    )


def _shelf(tools: Tools) -> Shelf:
    folder, at = folder_of(tools), tools.clock.now()
    identity = [_identity(folder)]
    known = tools.store.project_of(identity) or tools.store.adopt(
        identity, name="vault", project_id=tools.chance.id("prj", at), at=at
    )
    return Shelf(
        name="vault",
        folder=folder,
        project=known.id,
        kind=Kind.NOTE,
        wants=vault.wants,
        read=_filed,
        reach=Reach.EVERYWHERE,
    )


def _filed(path: str, content: bytes) -> Filed:
    """What lies in inbox/ is nobody's word yet: found when asked for, and told to nobody unasked."""
    found = vault.read(path, _text(content))
    is_draft = found.folder == vault.DRAFTS
    body: dict[str, object] = {
        "aliases": list(found.aliases),
        "links": list(dict.fromkeys(link.target for link in found.links if link.target)),
        **({"type": found.type} if found.type else {}),
        **({"status": found.status} if found.status else {}),
        **({"fault": found.fault} if found.fault else {}),
    }
    return Filed(
        title=found.title,
        text=found.text,
        source=f"brain-{found.folder}",
        tags=found.tags,
        body=body,
        is_human=not is_draft,
        trust=trust.TAINTED if is_draft else None,
    )


def _identity(folder: str) -> str:
    return f"vault:{Path(folder).resolve()}"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
