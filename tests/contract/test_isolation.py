"""Whoever asks, and in whatever words: no row beyond what they may see, and the same on every store."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from building import NOW, a_memory, a_project, a_vector
from tier import a_seed, figure, reached

from hindbrain.adapters.dictionary import DictStore
from hindbrain.core.model import Kind, Memory, Provenance, Reach, Space, State
from hindbrain.core.words import query_terms
from hindbrain.ports import Changes, Store, Where

PROJECTS = ("one", "two", "three", "four")
PERSONAS = (None, "ed", "ann", "bob")
WORDS = ("lock", "cache", "pool", "retry", "token", "index", "queue", "schema", "worker", "spool", "gate", "deploy")
FLAT = Space(provider="test", model="flat", version="1", dimension=3)


def filled(store: Store, chance: random.Random) -> list[Memory]:
    """The same memories for the same chance, wherever they are put."""
    memories = []
    for name in PROJECTS:
        a_project(store, name)
    for number in range(160):
        project, persona = chance.choice(PROJECTS), chance.choice(PERSONAS)
        told = " ".join(chance.choices(WORDS, k=4))
        memory = a_memory(
            f"Number {number:03d} of {project}: the {told}",
            id=f"mem-{number:03d}",
            project=f"prj-{project}",
            persona=persona,
            kind=chance.choice([Kind.LESSON, Kind.FACT, Kind.EPISODE]),
            reach=Reach.EVERYWHERE if chance.random() < 0.1 else Reach.PROJECT,
            trust=chance.randint(0, 4),
            confidence=chance.choice([0.2, 0.5, 0.9]),
            at=NOW - timedelta(days=chance.randint(0, 60)),
            provenance=Provenance(session=f"s{chance.randint(0, 5)}"),
        )
        if chance.random() < 0.1:
            memory = _archived(memory)
        memories.append(memory)
    vectors = tuple(a_vector(one, _point(chance), space=FLAT) for one in memories if one.state is State.LIVE)
    store.expect(FLAT)
    store.write(lambda tx: tx.apply(Changes(memories=tuple(memories), vectors=vectors)))
    return memories


def _archived(memory: Memory) -> Memory:
    return replace(memory, archived_at=NOW, archive_reason="deleted")


def _point(chance: random.Random) -> tuple[float, float, float]:
    x, y, z = (chance.uniform(-1, 1) for _ in range(3))
    size = (x * x + y * y + z * z) ** 0.5 or 1.0
    return x / size, y / size, z / size


def a_question(chance: random.Random) -> tuple[Where, str, tuple[float, float, float]]:
    some = chance.sample(PERSONAS[1:], chance.randint(0, 3))
    where = Where(
        project=f"prj-{chance.choice((*PROJECTS, 'nobody'))}",
        with_everywhere=chance.random() < 0.5,
        voices=None if chance.random() < 0.4 else tuple(some),
        states=chance.choice([frozenset({State.LIVE}), frozenset({State.ARCHIVED}), frozenset(State)]),
        kinds=chance.choice([(), (Kind.FACT,), (Kind.LESSON, Kind.EPISODE)]),
        min_trust=chance.choice([0, 0, 2, 4]),
        min_confidence=chance.choice([None, None, 0.5]),
        after=chance.choice([None, None, NOW - timedelta(days=30)]),
        before=chance.choice([None, None, NOW - timedelta(days=10)]),
        not_session=chance.choice(["", "", "s1"]),
        containing=chance.choice(["", "", "", chance.choice(WORDS)]),
    )
    odd = chance.choice(["", "' OR 1=1 --", 'project:"prj-two"', "scope : p2live", "NEAR(lock cache)", "*", "p1live"])
    return where, f"{' '.join(chance.choices(WORDS, k=2))} {odd}", _point(chance)


def test_no_question_is_answered_with_a_row_beyond_its_scope(empty: Callable[[str], Store]) -> None:  # S11
    seed = a_seed()
    store, plain = empty("asked"), DictStore()
    memories = {memory.id: memory for memory in filled(store, random.Random(seed))}
    filled(plain, random.Random(seed))
    chance = random.Random(seed + 1)
    count, answered = figure(150, 10_000), 0
    for _ in range(count):
        where, text, point = a_question(chance)
        wanted = [memory.id for memory in memories.values() if where.admits(memory)]
        words = query_terms(text)
        listed = [memory.id for memory in store.select(where)]
        found = [hit.memory.id for hit in store.search(words, where, limit=10)]
        near = [one.memory_id for one in store.nearest(point, FLAT, where=where, limit=10)]
        assert sorted(listed) == sorted(wanted) and store.count(where) == len(wanted), where
        assert set(found) <= set(wanted) and set(near) <= set(wanted), where
        assert found == [hit.memory.id for hit in plain.search(words, where, limit=10)], (where, text)
        assert listed == [memory.id for memory in plain.select(where)]
        answered += bool(found) + bool(near)
    assert answered > count / 4
    reached(
        "S11", f"{store.vitals()['engine']}: {count:,} questions, 0 rows out of scope, as the plain store", seed=seed
    )
