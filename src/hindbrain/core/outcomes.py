"""What came of showing a memory, read from what the agent did next: cautiously, by rules that a person can check.

For each memory of an injection the first rule that holds decides. Only what the same agent did after it was shown
counts; when in doubt, the answer is unknown.

| how          | when                                                                            | effect           |
|--------------|---------------------------------------------------------------------------------|------------------|
| contradicted | the agent says in one sentence, with its id or title, that it is wrong or old   | hurt             |
| contradicted | the agent ran, with success, what the memory says never to run                  | unknown          |
| recurred     | the failure that the memory is about happened (again)                           | hurt if its      |
|              |                                                                                 | advice was taken |
|              |                                                                                 | before, else     |
|              |                                                                                 | unknown          |
| gate         | shown because something failed, and that passed later                           | helped if cited  |
|              |                                                                                 | or followed      |
|              |                                                                                 | before, else     |
|              |                                                                                 | unknown          |
| avoided      | the failure that it is about did not happen, though a command that it names     | helped           |
|              | was run, and passed                                                             |                  |
| cited        | an answer names its id, has all words of its title in one sentence, or quotes   | helped           |
|              | eight words of it in a row; and no prompt said so                               |                  |
| followed     | a command that it advises was run, which this agent had not run before          | helped if it     |
|              |                                                                                 | passed, else     |
|              |                                                                                 | unknown          |
| followed     | a file that it names was read or edited, which was not touched before           | unknown          |
| unseen       | none of these                                                                   | unknown          |

A file at hand is why a memory is shown before an edit; there, touching it says nothing. A memory that was held out is
judged by facts alone (recurred, gate, avoided, unseen), and always as unknown: it cannot have helped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from hindbrain.core.model.activity import Activity, Deed, Result
from hindbrain.core.model.injection import Injection
from hindbrain.core.model.memory import Memory
from hindbrain.core.model.outcome import Effect
from hindbrain.core.shape import matches_path
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed, query_terms, terms

FAILURE, FILE = "failure", "file"  # moments at which it matters why a memory was shown

_READ = 100_000  # characters of one answer or memory
_RUN = 8  # words in a row that make a quotation
_LEAST_TITLE = 4  # words; a shorter title is said by chance
_LONGEST_SENTENCE = 2_000  # characters
_LONGEST_LINE = 20_000  # characters of a command line
_NOTED = 200  # characters of what was seen
_RAN = (Deed.COMMAND, Deed.GATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    memory_id: str
    effect: Effect
    how: str
    note: str = ""  # what was seen


def judged(
    injection: Injection, memories: Mapping[str, Memory], *, activities: Sequence[Activity]
) -> tuple[Judgement, ...]:
    """One judgement for each memory that was shown, or held out, and is still there. `activities` are the session's."""
    scene = _Scene.of(injection, activities)
    ids = tuple(shown.memory_id for shown in injection.shown)
    known = [memories[key] for key in dict.fromkeys(ids) if key in memories]
    return tuple(_Case(memory=memory, ids=ids, scene=scene).judgement() for memory in known)


def trigger(injection: Injection, activities: Sequence[Activity]) -> Activity | None:
    """What failed, where that is why the memories were shown: the agent's last failure until then, as a gate where it
    is known as one."""
    if injection.moment != FAILURE:
        return None
    before = [one for one in activities if one.at <= injection.at and one.agent == injection.agent]
    failed = [one for one in before if one.deed in _RAN and one.result is Result.FAILED]
    if not failed:
        return None
    last = failed[-1]
    same = (one for one in failed if last.ref and one.ref == last.ref and one.deed is Deed.GATE)
    return next(same, last)


def passed_again(failed: Activity, activities: Sequence[Activity]) -> int | None:
    """Where in `activities` that which failed first passes: the same gate, or the same command or more of it."""
    for at, one in enumerate(activities):
        if one.result is Result.PASSED and one.deed is failed.deed and _covers(one, failed):
            return at
    return None


def _covers(passed: Activity, failed: Activity) -> bool:
    """Flags do not count; what is narrowed to a part of what failed does not cover it."""
    if passed.subject == failed.subject:
        return True
    if passed.deed is not Deed.COMMAND:
        return False
    wanted = _bare(failed.subject)
    return any(words == other[: len(words)] for words in _bare(passed.subject) for other in wanted)


def _bare(line: str) -> list[tuple[str, ...]]:
    """The commands of a line that could fail for a reason, without flags and redirections."""
    found = [
        tuple(word for word in words if word[0] != "-" and ">" not in word)
        for words in _lines(line[:_LONGEST_LINE])
        if words and words[0] not in _ASIDE
    ]
    return [words for words in found if words]


_ASIDE = frozenset(listed("cd echo export set source . true tail head cat grep tee wc sort ls pwd"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """One agent's doings before and after an injection."""

    before: tuple[Activity, ...]
    after: tuple[Activity, ...]
    failed: Activity | None
    moment: str
    is_withheld: bool

    @staticmethod
    def of(injection: Injection, activities: Sequence[Activity]) -> _Scene:
        own = [one for one in activities if one.agent == injection.agent]
        return _Scene(
            before=tuple(one for one in own if one.at <= injection.at),
            after=tuple(one for one in own if one.at > injection.at),
            failed=trigger(injection, activities),
            moment=injection.moment,
            is_withheld=injection.is_withheld,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One memory in one scene. Each rule is a method that gives its judgement, or None."""

    memory: Memory
    ids: tuple[str, ...]  # of all memories that were shown
    scene: _Scene

    def judgement(self) -> Judgement:
        rules = [self._recurred, self._gate, self._avoided]
        if not self.scene.is_withheld:
            rules = [self._denied, self._defied, *rules, self._cited, self._followed]
        found = next((judgement for rule in rules if (judgement := rule()) is not None), None)
        return found or self._says(Effect.UNKNOWN, "unseen")

    def _says(self, effect: Effect, how: str, *, note: str = "") -> Judgement:
        certain = Effect.UNKNOWN if self.scene.is_withheld else effect
        return Judgement(memory_id=self.memory.id, effect=certain, how=how, note=note)

    def _denied(self) -> Judgement | None:
        for sentence in _sentences(self.scene.after, Deed.RESPONSE):
            if self._names(sentence) and _denies(sentence, but=self.memory):
                return self._says(Effect.HURT, "contradicted", note=sentence.text[:_NOTED])
        return None

    def _defied(self) -> Judgement | None:
        for forbidden in _forbidden(self.memory, by=_STRONG):
            ran = _first_run(forbidden, self.scene.after)
            if ran is not None and self.scene.after[ran].result is Result.PASSED:
                return self._says(Effect.UNKNOWN, "contradicted", note=f"the agent ran {' '.join(forbidden)}")
        return None

    def _recurred(self) -> Judgement | None:
        at = self._failure()
        if at is None:
            return None
        effect = Effect.HURT if self._advice_until(at) else Effect.UNKNOWN
        return self._says(effect, "recurred", note=self.memory.error_signature or "")

    def _gate(self) -> Judgement | None:
        if self.scene.failed is None:
            return None
        at = passed_again(self.scene.failed, self.scene.after)
        if at is None:
            return None
        is_used = self._advice_until(at) or self._citation(self.scene.after[:at])
        return self._says(
            Effect.HELPED if is_used else Effect.UNKNOWN, "gate", note=f"{self.scene.failed.subject} passed"
        )

    def _avoided(self) -> Judgement | None:
        if self.scene.failed is not None or not self.memory.error_signature:
            return None
        for command in _commands(self.memory):
            if any(_runs(command, one, is_whole=len(command) < 2) for one in _passed(self.scene.after)):
                return self._says(Effect.HELPED, "avoided", note=f"{' '.join(command)} passed")
        return None

    def _cited(self) -> Judgement | None:
        quoted = self._citation(self.scene.after)
        return self._says(Effect.HELPED, "cited", note=quoted) if quoted else None

    def _followed(self) -> Judgement | None:
        if (at := self._advised_run(self.scene.after)) is not None:
            ran = self.scene.after[at]
            return self._says(
                Effect.HELPED if ran.result is Result.PASSED else Effect.UNKNOWN, "followed", note=ran.subject[:_NOTED]
            )
        touched = self._touched(self.scene.after)
        return self._says(Effect.UNKNOWN, "followed", note=touched) if touched else None

    def _failure(self) -> int | None:
        """Where in `after` the failure that the memory is about happens."""
        signature = self.memory.error_signature
        return next((at for at, one in enumerate(self.scene.after) if signature and one.signature == signature), None)

    def _advice_until(self, at: int) -> str:
        """What of its advice was taken before that."""
        acts = self.scene.after[:at]
        ran = self._advised_run(acts)
        return self._touched(acts) if ran is None else acts[ran].subject

    def _advised_run(self, acts: Sequence[Activity]) -> int | None:
        """Where a command that the memory advises is first run, one with more than a name, and new to the agent."""
        forbidden = tuple(_forbidden(self.memory, by=_STRONG + _WEAK))
        for command in _commands(self.memory):
            if len(command) < 2 or command in forbidden or _first_run(command, self.scene.before) is not None:
                continue
            if (at := _first_run(command, acts)) is not None:
                return at
        return None

    def _touched(self, acts: Sequence[Activity]) -> str:
        if self.scene.moment == FILE:
            return ""
        old = {one.subject for one in self.scene.before if one.deed in (Deed.READ, Deed.EDIT)}
        new = (one.subject for one in acts if one.deed in (Deed.READ, Deed.EDIT) and one.subject not in old)
        named = (path for path in new if any(_is_file(ref, path) for ref in self.memory.file_refs))
        return next(named, "")

    def _citation(self, acts: Sequence[Activity]) -> str:
        """The sentence that names the memory, or says the same words; "" when none does, or a prompt said so."""
        said = tuple(_sentences(self.scene.before + tuple(acts), Deed.PROMPT))
        for sentence in _sentences(acts, Deed.RESPONSE):
            if self._names(sentence):
                return sentence.text[:_NOTED]
            if self._speaks(sentence) and not any(map(self._speaks, said)):
                return sentence.text[:_NOTED]
        return ""

    def _names(self, sentence: _Sentence) -> bool:
        """By its id, or so much of it as belongs to no other that was shown; or by its whole title."""
        for found in sentence.ids:
            if [key for key in self.ids if key.startswith(found)] == [self.memory.id]:
                return True
        title = _titled(self.memory.title)
        return bool(title) and title in sentence.plain

    def _speaks(self, sentence: _Sentence) -> bool:
        title, runs = _words_of(self.memory)
        return (len(title) >= _LEAST_TITLE and title <= sentence.words) or not runs.isdisjoint(sentence.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    plain: str
    ids: tuple[str, ...]  # of memories, or their beginnings
    words: frozenset[str]  # as the index has them
    runs: frozenset[tuple[str, ...]]  # of words in a row


def command_line(activity: Activity) -> str:
    """What was run; a gate is named for what it checks, and keeps its command beside that."""
    if activity.deed is Deed.GATE:
        return str(activity.data.get("command", ""))
    return activity.subject if activity.deed is Deed.COMMAND else ""


def _sentences(activities: Sequence[Activity], deed: Deed) -> Iterator[_Sentence]:
    for one in activities:
        if one.deed is deed:
            yield from _read((one.detail or one.subject)[:_READ])


@lru_cache(maxsize=1024)  # each answer is held against every memory that was shown
def _read(text: str) -> tuple[_Sentence, ...]:
    parts = (part.strip()[:_LONGEST_SENTENCE] for part in _ends().split(text))
    return tuple(_sentence(part) for part in parts if part)


def _sentence(text: str) -> _Sentence:
    plain = _plain(text)
    ids = tuple(_ids().findall(text))
    return _Sentence(text=text, plain=plain, ids=ids, words=frozenset(terms(text)), runs=_shingles(plain))


@lru_cache(maxsize=64)
def _titled(title: str) -> str:
    """A title that names its memory; "" for one that is too short to."""
    plain = _plain(title)
    return plain if len(plain.split()) >= _LEAST_TITLE else ""


@lru_cache(maxsize=64)
def _said(title: str, content: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    return frozenset(query_terms(title)), _shingles(_plain(content))


def _words_of(memory: Memory) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """The telling words of its title, and what would be a quotation from it."""
    return _said(memory.title, memory.content[:_READ])


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(r"(?<=[.!?;])\s|\n")


@cache
def _ids() -> re.Pattern[str]:
    return re.compile(r"\bmem-[0-9a-z]{8,40}")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[\w'./-]+")


def _plain(text: str) -> str:
    """Words alone, so that marks and emphasis around them do not hide a quotation."""
    return " ".join(word.strip("'./-").lower() for word in _word().findall(text))


def _shingles(plain: str) -> frozenset[tuple[str, ...]]:
    words = plain.split()
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


_DENIALS = (
    *("wrong", "outdated", "out of date", "obsolete", "incorrect", "mistaken", "misleading", "not true", "untrue"),
    *("no longer true", "no longer valid", "no longer correct", "no longer holds", "no longer applies"),
    *("no longer works", "no longer exists", "no longer the case"),
)


def _denies(sentence: _Sentence, *, but: Memory) -> bool:
    """Whether it says that something is wrong. Words that the memory itself has may be quoted from it."""
    said, own = sentence.plain, _plain(f"{but.title} {but.content[:_READ]}")
    return any(
        word in said and word not in own and not _is_negated(said[: said.index(word)].split()[-3:]) for word in _DENIALS
    )


def _is_negated(words: Sequence[str]) -> bool:
    """`not`, `isn't`, `nothing`, `whether` shortly before: it does not say that it is so."""
    return any(word in ("not", "nothing", "never", "whether", "if", "no") or word.endswith("n't") for word in words)


@cache
def _quoted() -> re.Pattern[str]:
    return re.compile(r"`([^`\n]{2,200})`")


@cache
def _warnings() -> re.Pattern[str]:
    """A quoted command behind words that forbid it, in the same sentence."""
    return re.compile(
        r"\b(never|do not|don't|must not|avoid|instead of|rather than)\b[^.`\n]{0,60}`([^`\n]{2,200})`", re.I
    )


_STRONG = ("never", "do not", "don't", "must not")
_WEAK = ("avoid", "instead of", "rather than")


def _commands(memory: Memory) -> tuple[tuple[str, ...], ...]:
    """Command lines that the memory names in backticks, as words; a path alone is none."""
    found = (tuple(match.split()) for match in _quoted().findall(memory.content[:_READ]))
    return tuple(dict.fromkeys(words for words in found if words and _is_command(words)))


def _is_command(words: Sequence[str]) -> bool:
    first = words[0]
    return (len(words) > 1 or "." not in first) and (first[0].isalnum() or first.startswith(("./", "$")))


def _forbidden(memory: Memory, *, by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Those that it warns of, in such words."""
    for word, command in dict.fromkeys(_warnings().findall(memory.content[:_READ])):
        if word.lower() in by and (words := tuple(command.split())):
            yield words


def _passed(activities: Sequence[Activity]) -> Iterator[Activity]:
    return (one for one in activities if one.deed in _RAN and one.result is Result.PASSED)


def _first_run(command: tuple[str, ...], activities: Sequence[Activity]) -> int | None:
    return next((at for at, one in enumerate(activities) if _runs(command, one, is_whole=False)), None)


def _runs(command: tuple[str, ...], activity: Activity, *, is_whole: bool) -> bool:
    """Whether one of the commands of the line begins with `command`, or is all of it."""
    for words in _lines(command_line(activity)[:_LONGEST_LINE]):
        if words[: len(command)] == command and (not is_whole or len(words) == len(command)):
            return True
    return False


@lru_cache(maxsize=4096)
def _lines(text: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a line, each as words."""
    return tuple(dict.fromkeys(tuple(step.split()) for step in _steps().split(text)))


@cache
def _steps() -> re.Pattern[str]:
    return re.compile(r"&&|\|\||[;|\n]")


def _is_file(ref: str, path: str) -> bool:
    """The very file: a folder around it says too little."""
    return ref.rpartition("/")[2] == path.replace("\\", "/").rpartition("/")[2] and matches_path(ref, path)
