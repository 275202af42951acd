"""What a store full of lessons is made of: texts that vary as real ones do, the same for the same seed.

A search costs as much as its words are common, so the words matter: few that many lessons share, and a long tail
that hardly two share. Here a lesson has about 19 search terms, and each other lesson holds 0.9 of them; in the first
30 words of 918 real lessons and 5,311 real issues it was 22 terms, and 0.6 to 1.2 of them.
"""

import random
from collections.abc import Iterator
from itertools import accumulate

from hindbrain.core.words import STOP

FEWEST, MOST = 20, 40  # words of one lesson

_VERBS = (
    *("add", "avoid", "batch", "build", "cache", "call", "check", "close", "commit", "copy", "debounce", "decode"),
    *("defer", "delete", "deploy", "drop", "encode", "escape", "fetch", "flush", "freeze", "guard", "import", "inject"),
    *("insert", "load", "lock", "log", "merge", "migrate", "mock", "open", "pin", "poll", "queue", "raise", "read"),
    *("rebase", "release", "reload", "rename", "render", "replay", "reset", "resolve", "restart", "retry", "return"),
    *("rotate", "run", "send", "set", "skip", "sort", "split", "store", "stream", "sync", "trim", "unlock", "update"),
    *("validate", "wait", "wrap", "write"),
)
_NOUNS = (
    *("test", "error", "file", "cache", "user", "request", "query", "table", "index", "token", "session", "config"),
    *("build", "client", "server", "timeout", "lock", "migration", "schema", "path", "response", "queue", "worker"),
    *("branch", "commit", "fixture", "handler", "module", "package", "pipeline", "retry", "route", "state", "stream"),
    *("thread", "type", "version", "webhook", "column", "connection", "container", "cookie", "cursor", "daemon"),
    *("event", "flag", "header", "hook", "image", "job", "key", "label", "ledger", "limit", "log", "loop", "mutex"),
    *("network", "node", "order", "page", "parser", "payload", "plugin", "pool", "port", "process", "proxy", "release"),
    *("replica", "report", "role", "row", "rule", "sandbox", "scheduler", "script", "secret", "shard", "shell"),
    *("signal", "snapshot", "socket", "span", "symlink", "template", "tenant", "transaction", "upload", "variable"),
    *("view", "volume", "widget", "window", "zone"),
)
_CLAUSES = (
    "{verb} {name} before the {word} is {word}",
    "{class} will {verb} the {word} when it is not {word} and the {word} has more than {number}",
    "the {word} of the {word} takes {number} because of {path}",
    "do not {verb} a {word} {word} if there is a {word} in the {word}",
    "in {path} the {word} has to {verb} as soon as its {word} is below {number}",
    "{name} can {verb} the {word} only after you {verb} it",
    "to {verb} the {word} you {verb} {name} from {path}",
    "it was the {word} {word} that did this, with {error} on each {word}",
    "after {error} we {verb} the {word}, then the {word} is {word} again",
    "only {class} should {verb} what the {word} and the {word} have",
    "there is no {word} for {word} {word}, so {verb} the {word} by {name}",
    "we had to {verb} the {word} twice, as {path} does not {verb} until the {word} is up",
    "most of the {word} is for the {word} {word}, and some for the {word}",
    "if you {verb} the {word} too soon, the {word} will {verb} it off",
)
_AREAS = ("src", "app", "lib", "core", "tests", "packages", "services", "tools")
_ENDINGS = ("py", "ts", "go", "rs", "tsx", "sql", "yaml")
_UNITS = ("ms", "s", "MB", "rows", "retries", "%")
_ERRORS = ("Error", "Timeout", "Exception", "Failure", "Refused")
_FIRSTS = (
    *("amber", "apple", "arc", "ash", "aster", "atlas", "basalt", "beacon", "birch", "black", "blue", "bold", "brass"),
    *("bright", "cedar", "chalk", "cinder", "clear", "cobalt", "copper", "coral", "crane", "delta", "drift", "dusk"),
    *("echo", "ember", "falcon", "fern", "field", "flint", "frost", "glass", "gold", "granite", "green", "grey"),
    *("harbor", "hazel", "heron", "hill", "hollow", "iron", "ivory", "jade", "juniper", "kestrel", "lake", "lark"),
    *(
        "laurel",
        "lime",
        "lunar",
        "maple",
        "marble",
        "marsh",
        "meadow",
        "mist",
        "moss",
        "north",
        "oak",
        "ocean",
        "olive",
    ),
    *("onyx", "opal", "orchid", "otter", "pearl", "pine", "plum", "prism", "quartz", "quick", "quiet", "rain", "raven"),
    *("red", "reed", "ridge", "river", "robin", "rose", "ruby", "rust", "saffron", "sage", "salt", "sand", "shade"),
    *("silver", "slate", "snow", "solar", "south", "spruce", "steel", "stone", "storm", "summer", "swift", "tall"),
    *("teal", "thistle", "thorn", "tidal", "timber", "topaz", "umber", "vale", "velvet", "violet", "walnut", "west"),
    *("white", "wild", "willow", "winter", "wren", "yarrow", "zephyr"),
)
_SECONDS = (
    *("anchor", "arrow", "bank", "barn", "base", "bay", "bell", "bench", "bird", "board", "boat", "book", "bow", "box"),
    *(
        "bridge",
        "brook",
        "brush",
        "camp",
        "cart",
        "castle",
        "chart",
        "clip",
        "clock",
        "cloud",
        "coat",
        "crest",
        "crown",
    ),
    *("cup", "dale", "deck", "desk", "dock", "door", "drum", "fall", "farm", "fence", "flame", "fleet", "flow", "ford"),
    *("forge", "fork", "frame", "gate", "glow", "grove", "guard", "guild", "hall", "hat", "haven", "hive", "horn"),
    *("house", "inn", "kite", "ladder", "lamp", "land", "lane", "leaf", "lens", "line", "link", "loft", "mark", "mast"),
    *(
        "mill",
        "mint",
        "mirror",
        "nest",
        "nook",
        "pad",
        "park",
        "pass",
        "peak",
        "pier",
        "pillar",
        "pilot",
        "pod",
        "point",
    ),
    *("post", "press", "quay", "raft", "rail", "reef", "ring", "road", "roof", "root", "sail", "scale", "seal", "seed"),
    *(
        "shelf",
        "ship",
        "shore",
        "side",
        "smith",
        "spark",
        "spire",
        "spring",
        "stack",
        "star",
        "step",
        "stitch",
        "switch",
    ),
    *("thread", "tide", "tool", "tower", "track", "trail", "tree", "vault", "walk", "wall", "ware", "watch", "wave"),
    *("way", "well", "wheel", "wind", "wing", "wire", "wood", "works", "yard"),
)
_FLATTEN = 50  # in Mandelbrot's form of Zipf's law: without stop words the head is flatter than that of prose


def lessons(count: int, *, seed: int) -> Iterator[str]:
    """`count` lessons; a longer run with the same seed begins with the same ones."""
    writer = _Writer(seed)
    for _ in range(count):
        yield writer.lesson()


def questions(count: int, *, seed: int) -> Iterator[str]:
    """What agents ask: a handful of words out of lessons, in their order. Equal seeds ask about equal lessons."""
    rng = random.Random(seed)
    for lesson in lessons(count, seed=seed):
        words = [word for word in (part.strip(".,;:") for part in lesson.split()) if word.lower() not in STOP]
        picked = sorted(rng.sample(range(len(words)), min(rng.randint(4, 8), len(words))))
        yield " ".join(words[place] for place in picked)


class _Writer:
    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words = [*_NOUNS, *_coined()]
        self._weights = list(accumulate(1 / (rank + _FLATTEN) for rank in range(len(self._words))))

    def lesson(self) -> str:
        wanted = self._rng.randint(FEWEST, MOST - 10)
        text = ""
        while len(text.split()) < wanted:
            clause = self._clause()
            text = f"{text}. {clause}" if text else clause
        return " ".join(text.split()[:MOST])

    def _clause(self) -> str:
        parts = self._rng.choice(_CLAUSES).split(" ")
        clause = " ".join(self._filled(part) for part in parts)
        return clause[0].upper() + clause[1:]

    def _filled(self, part: str) -> str:
        if not part.startswith("{"):
            return part
        slot, _, rest = part[1:].partition("}")
        return self._slot(slot) + rest

    def _slot(self, slot: str) -> str:
        rng = self._rng
        match slot:
            case "verb":
                return rng.choice(_VERBS)
            case "name":
                return f"{rng.choice(_VERBS)}_{self._word()}"
            case "class":
                return self._word().title() + self._word().title()
            case "path":
                return f"{rng.choice(_AREAS)}/{self._word()}/{self._word()}.{rng.choice(_ENDINGS)}"
            case "number":
                return f"{rng.choice((2, 3, 5, 8, 10, 16, 30, 64, 100, 250, 500, 1024))} {rng.choice(_UNITS)}"
            case "error":
                return self._word().title() + rng.choice(_ERRORS)
            case _:
                return self._word()

    def _word(self) -> str:
        return self._rng.choices(self._words, cum_weights=self._weights)[0]


def _coined() -> list[str]:
    """Names such as products, tables and services have, in one order whatever the seed of the texts."""
    made = [first + second for first in _FIRSTS for second in _SECONDS]
    random.Random(0).shuffle(made)
    return made
