"""Laws of export and import: nothing is lost, nothing is done twice, and no text can break either."""

import json
from datetime import timedelta

from building import NOW, FakeChance, FakeClock, a_memory, keep
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading import everything

from hindbrain.adapters.dictionary import DictStore
from hindbrain.adapters.files import LocalFiles
from hindbrain.app.portable import export, import_
from hindbrain.app.tools import Tools
from hindbrain.core.door import admit
from hindbrain.core.model import TYPES, Actor, Counters, Memory, Provenance, Source
from hindbrain.errors import BadJson, BadValue, TooLong
from hindbrain.settings import Settings

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh() -> Tools:
    store = DictStore()
    store.adopt(["name:one"], name="one", project_id="prj-one", at=NOW)
    options = Settings(home="home", store="home/hindbrain.db")
    return Tools(store=store, clock=FakeClock(), chance=FakeChance(), files=LocalFiles(), settings=options)


def clean(text: str) -> str:
    return admit(text).text


texts = st.text(max_size=60).map(clean)
contents = st.text(min_size=1, max_size=200).map(clean).filter(str.strip)
ids = st.text(ALPHABET, min_size=26, max_size=26).map("mem-".__add__)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    at = NOW - timedelta(milliseconds=draw(st.integers(0, 10**11)))
    return a_memory(
        draw(contents),
        id=draw(ids),
        at=at,
        type=draw(st.sampled_from(TYPES)),
        title=draw(texts.filter(str.strip)),
        confidence=draw(st.floats(0, 1)),
        tags=tuple(draw(st.lists(texts, max_size=3))),
        file_refs=tuple(draw(st.lists(texts, max_size=3))),
        counters=Counters(injected=draw(st.integers(0, 10**6))),
        provenance=Provenance(actor=Actor(hat=draw(texts)), source=draw(st.sampled_from(list(Source)))),
    )


projects = st.lists(memories(), max_size=5, unique_by=lambda memory: memory.id)


def export_of(tools: Tools) -> str:
    return export("prj-one", name="one", store=tools.store, clock=tools.clock)


# DX-016, DX-148, DX-151..DX-163, R18
@given(projects)
def test_export_import_export_gives_the_same_bytes(known: list[Memory]) -> None:
    here, there = fresh(), fresh()
    keep(here.store, *known)

    told = export_of(here)
    imported = import_(told, is_own=None, project="prj-one", tools=there)

    assert imported.created == len(known)
    assert export_of(there) == told


# R18
@given(projects, st.sampled_from([None, True, False]))
def test_a_second_import_changes_nothing(known: list[Memory], is_own: bool | None) -> None:
    here, there = fresh(), fresh()
    keep(here.store, *known)
    told = export_of(here)
    import_(told, is_own=is_own, project="prj-one", tools=there)
    before = everything(there.store)

    again = import_(told, is_own=is_own, project="prj-one", tools=there)

    assert (again.created, again.updated, again.merged) == (0, 0, 0)
    assert again.unchanged == len(known)
    assert everything(there.store) == before


#
@given(projects)
def test_no_stranger_is_believed_more_than_the_cap(known: list[Memory]) -> None:
    here, there = fresh(), fresh()
    keep(here.store, *known)

    import_(export_of(here), is_own=False, project="prj-one", tools=there)

    for memory in everything(there.store)["memories"]:  # type: ignore[attr-defined]
        assert memory.confidence <= there.settings.growth.imported
        assert memory.trust <= 2
        assert memory.provenance.source is Source.IMPORTED


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("id", "type", "title", "content", "confidence", "tags", "file_refs", "created_by_hat", "source", "use_count")
sound = {"type": "fix", "title": "A title", "content": "Some content"}
entries = st.dictionaries(st.sampled_from(FIELDS), values, max_size=3).map(lambda odd: {**sound, **odd}) | values
outers = st.fixed_dictionaries(
    {"version": st.just(1) | values, "memories": st.lists(entries, max_size=3) | values},
    optional={"project": values, "exported_at": st.just("2024-01-15T10:30:00Z") | st.text(max_size=30) | values},
)
files = outers.map(json.dumps) | st.text(max_size=80) | st.binary(max_size=80).map(lambda raw: raw.decode("latin-1"))


# R20
@settings(max_examples=300)
@given(files, st.sampled_from([None, True, False]))
@example('{"version": 1, "memories": [{"type": "fix", "title": "\\ud800", "content": "\\ud800x"}]}', None)
@example('{"version": 1, "exported_at": "9999-12-31T23:59:59-23:59", "memories": []}', None)
@example('{"version": 1, "memories": [{"type": "fix", "title": "t", "content": "c", "confidence": 1e400}]}', None)
def test_any_file_is_taken_whole_or_refused_with_a_reason(text: str, is_own: bool | None) -> None:
    tools = fresh()
    before = everything(tools.store)

    try:
        imported = import_(text, is_own=is_own, project="prj-one", tools=tools)
    except (BadJson, BadValue, TooLong) as error:
        assert error.what and error.fix
        assert everything(tools.store) == before
    else:
        told = everything(tools.store)
        assert len(told["memories"]) == imported.created  # type: ignore[arg-type]
        json.dumps(export_of(tools)).encode("utf-8")
