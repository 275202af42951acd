"""Whether something came from a source: who said it, in which session, and by which way it came in."""

from hindbrain.core.hints import NamedTuple
from hindbrain.core.model.actor import Actor, ActorType
from hindbrain.core.value import dataclass


class Trace(NamedTuple):
    """What is known of where one statement came from; "" where nothing is."""

    session: str = ""
    task: str = ""
    speakers: tuple[str, ...] = ()  # all names of the one who said it
    login: str = ""
    adapter: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Somebody or something that taught. Every field narrows; one that names nothing is no source."""

    session: str = ""
    task: str = ""
    agent: str = ""  # persona or instance; "human" for people
    login: str = ""  # "ada@build-3"; "ada@" on any machine; "@build-3" for a whole machine
    adapter: str = ""  # which reader brought it: a client, a dialect, cli
    origin: str = ""  # the file that was read, or its name; `*` stands for anything
    is_tainted: bool = False  # only what was said near text from elsewhere

    @property
    def is_named(self) -> bool:
        return bool(self.told)

    @property
    def told(self) -> str:
        """For a person, and for the reason of an archival."""
        names = ("session", "task", "agent", "login", "adapter", "origin")
        parts = [f"{name} {getattr(self, name)}" for name in names if getattr(self, name)]
        return ", ".join([*parts, *(["tainted"] if self.is_tainted else [])])

    def taught(self, trace: Trace) -> bool:
        """Whether all that is asked for is so. What is not known of a statement is not taken for granted."""
        return all(
            (
                self.session in ("", trace.session),
                self.task in ("", trace.task),
                not self.agent or self.agent in trace.speakers,
                not self.login or _is_account(trace.login, self.login),
                self.adapter in ("", trace.adapter),
                not self.origin or _is_file(trace.origin, self.origin),
            )
        )


def speakers(actor: Actor) -> tuple[str, ...]:
    """The names that an actor goes by."""
    if actor.type is ActorType.HUMAN:
        return ("human",)
    return tuple({name: None for name in (actor.persona, actor.instance, actor.voice) if name})


def _is_account(login: str, wanted: str) -> bool:
    user, _, machine = wanted.rpartition("@")
    known_user, _, known_machine = login.rpartition("@")
    return bool(login) and user in ("", known_user) and machine in ("", known_machine)


def _is_file(origin: str, wanted: str) -> bool:
    name = origin.replace("\\", "/").rpartition("/")[2]
    return bool(origin) and (_is_like(origin, wanted) or _is_like(name, wanted))


def _is_like(text: str, pattern: str) -> bool:
    """Whether `text` is `pattern`, where `*` stands for any characters: the leftmost place of each part will do."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    at = len(first)
    if not text.startswith(first) or len(text) < at + len(last) or not text.endswith(last):
        return False
    end = len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
