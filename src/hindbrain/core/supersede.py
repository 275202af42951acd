"""When a new lesson replaces an old one, and when both stand.

Replacing by itself is reserved for what leaves little doubt: the new text says that it replaces the old, denies it in
its own words, or differs from it in one value that cannot have two. Anything less is for a person, or no conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise

from hindbrain.core.claim import Claim, Kind, Token, claim_of, read, tools
from hindbrain.core.closed import StrEnum
from hindbrain.core.same import in_order, is_directed, opposites, relations, wording
from hindbrain.core.shape.key import content_hash
from hindbrain.core.value import dataclass
from hindbrain.core.words import listed, stem


class Verdict(StrEnum):
    """What becomes of the old lesson."""

    UNRELATED = "unrelated"
    KEEP_BOTH = "keep_both"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and why."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A finding, and how sure it is."""

    verdict: Verdict
    reason: str
    score: float  # 0..1: how likely the new is an update or contradiction of the old


def decide(new: str, old: str) -> Finding:
    """What `new` means for `old`; which of the two is older matters."""
    return _decided(_paired(new, old), new=new, old=old)


def rule(new: str, old: str) -> Ruling:
    """The same, with a score. That is for measurements, and takes as long again."""
    pair = _paired(new, old)
    finding = _decided(pair, new=new, old=old)
    low, high = _BANDS.get(finding.verdict, (0.0, 0.6))
    score = low + (high - low) * _conflict(pair)
    return Ruling(verdict=finding.verdict, reason=finding.reason, score=score)


def _paired(new: str, old: str) -> _Pair:
    ours, theirs = read(new), read(old)
    here, there = ours.words, theirs.words
    return _Pair(
        new=ours,
        old=theirs,
        said=new[:_HEADLINE],
        was=old[:_HEADLINE],
        shared=here & there,
        only_new=here - there,
        only_old=there - here,
    )


def _decided(pair: _Pair, *, new: str, old: str) -> Finding:
    return _revised(pair, new=new, old=old) or _finding(pair)


_HEADLINE = 300  # characters; a change that matters is announced at the start
_ONE_CLAIM = 30  # words with meaning; a longer text says more than one thing, and must not fall with one of them
_LONGEST_SLOT = 3  # tokens
_BANDS = {Verdict.SUPERSEDES: (0.8, 1.0), Verdict.REVIEW: (0.6, 0.79)}  # of the score
_ALIKE = 0.6  # overlap from which two statements are about the same thing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    new: Claim
    old: Claim
    said: str  # the start of the new text as it was written
    was: str  # and of the old
    shared: frozenset[str]  # words with meaning that both have
    only_new: frozenset[str]
    only_old: frozenset[str]

    @property
    def overlap(self) -> float:
        """Jaccard of the words with meaning, 0..1."""
        return len(self.shared) / max(1, len(self.shared) + len(self.only_new) + len(self.only_old))


def _finding(pair: _Pair) -> Finding:
    if not pair.shared - _CHOOSING:
        return Finding(Verdict.UNRELATED, "no word with meaning in common")
    for judge in (_announced, _denied, _opposed, _exchanged, _refined):
        finding = judge(pair)
        if finding is not None:
            return finding
    if len(pair.shared) < 2 and pair.overlap < 0.25:
        return Finding(Verdict.UNRELATED, "hardly a word in common")
    return Finding(Verdict.KEEP_BOTH, "the same subject, and no sign that one excludes the other")


# What follows are the five judges, each below the words it knows. Word lists hold stems, as claims do.

_CHOOSING = frozenset(listed("us prefer adopt choos pick select standard"))
_PURPOSE = frozenset(["for", "as", "to", "when"])
_SCOPE = frozenset(listed("in on for at under from when if of during into before after about per over to"))
_KEPT = _PURPOSE | _SCOPE | frozenset(listed("with via by through is are be was were than up down off out"))


def _announced(pair: _Pair) -> Finding | None:
    """The new text says that something ended, and the old text stands for just that."""
    old = pair.old.words
    known = frozenset(word for gone, _ in _replacements(pair.was) for word in gone)
    for gone, come in _replacements(pair.said):
        if not gone <= old or (come and come <= old) or pair.old.negations or gone & known:
            continue
        rest = pair.shared - gone - come - _CHOOSING
        if not _endorses(pair, gone, rest=rest):
            continue
        if _other_purpose(pair, gone | come):
            return Finding(Verdict.REVIEW, "says what it replaces, for another purpose")
        if max(len(pair.new.content), len(pair.old.content)) > _ONE_CLAIM:
            return Finding(Verdict.REVIEW, f"replaces {' '.join(sorted(gone))}, among other things")
        return Finding(Verdict.SUPERSEDES, f"says that it replaces {' '.join(sorted(gone))}")
    return None


@lru_cache(maxsize=64)
def _replacements(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """(what goes, what comes) as words with meaning, for every announcement in `text`."""
    flat = " ".join(text.split())
    if not _change_words().search(flat):
        return ()
    found = []
    for pattern in _announcements():
        for match in pattern.finditer(flat):
            gone = frozenset(read(f"the {match['gone']}").content)
            come = frozenset(read(f"the {match.groupdict().get('come') or ''}").content)
            if gone:
                found.append((gone, come))
    return tuple(found)


@cache
def _change_words() -> re.Pattern[str]:
    return re.compile(
        r"instead|rather|in place|from|replac|supersed|deprecat|remov|drop|obsolete|retire|discontinu"
        r"|abandon|stopped|longer|not|over",
        re.IGNORECASE,
    )


@cache
def _announcements() -> tuple[re.Pattern[str], ...]:
    """Each finds `gone`, the name of what ends, and perhaps `come`, what takes its place."""
    end = r"(?=$|[,;()\n]|[.:](?:\s|$)|\s(?:for|in|on|when|because|since|as|to|with|and|which|that|by|from|anymore)\b)"
    some = r"[^,;()\n]{1,60}?"
    gone = rf"(?P<gone>{some}){end}"
    come = rf"(?P<come>{some}){end}"
    head = r"(?:^|[,.;:(]\s?|\b(?:the|our|that)\s)(?P<gone>[^\s,;()]{1,40}(?:\s[^\s,;()]{1,40}){0,2}?)\s"
    been = r"(?:is|are|was|were|has been|have been|got)\s(?:now\s|fully\s|since\s)?"
    moved = r"(?:mov|migrat|switch|chang|convert|port|upgrad|renam|bump)(?:ed|ing|e|es)?"
    turn = "when|if|after|once|unless|only|before|at|automatically|on|from|into|as|for|to|by|low"
    whole = rf"(?!\s(?:{turn}|in(?!\sfavou?r))\b)"  # "removed when empty" removes nothing for good
    start = r"(?:^|[.;:,]\s|\b(?:we|i|they|have|has|and|now)\s)"
    patterns = (
        rf"\b(?:instead of|rather than|in place of)\s(?:using\s)?{gone}",
        rf"\b{moved}\s(?:[^.;\n]{{0,40}}?\s)?from\s(?P<gone>{some})\sto\s{come}",
        rf"\breplac(?:ed|es|ing|e)\s(?P<gone>{some})\s(?:with|by)\s{come}",
        rf"{head}{been}(?:replaced|superseded)\s(?:by|with)\s{come}",
        rf"{head}{been}(?:deprecated|removed|dropped|obsolete|retired|discontinued)\b{whole}",
        rf"{start}(?:deprecated|dropped|removed|retired|abandoned|stopped using)\b{whole}\s{gone}",
        rf"\bno longer us(?:e|es|ed|ing)\s{gone}",
        rf"\b(?:uses?\s[^\s,]{{1,40}},?|(?:is|are)\s[^,.;]{{1,40}},)\snot\s{gone}",
        rf"\bprefer\s[^\s,]{{1,40}}\sover\s{gone}",
    )
    return tuple(re.compile(p, re.IGNORECASE) for p in patterns)


def _endorses(pair: _Pair, gone: frozenset[str], *, rest: frozenset[str]) -> bool:
    """Whether the old text recommends what is gone. A fact about it stays a fact."""
    kept = _kept(pair.old)
    at = next((i for i, token in enumerate(kept) if token.word in gone), 0)
    before = kept[at - 1].word if at else ""
    if before in _CHOOSING:
        return True
    if at == 0:
        return bool(rest) and len(pair.only_old - gone) <= 1
    return bool(rest) or 2 * len(gone) >= len(pair.old.words)


def _other_purpose(pair: _Pair, named: frozenset[str]) -> bool:
    """Both say what it is for, and it is not the same."""
    new, old = (_purpose(claim) - named for claim in (pair.new, pair.old))
    return bool(new) and bool(old) and not new & old


def _purpose(claim: Claim) -> frozenset[str]:
    words = [t.raw.lower() for t in claim.tokens]
    at = next((i for i, word in enumerate(words) if word in ("for", "in", "when")), len(words))
    return frozenset(t.word for t in claim.tokens[at:] if t.counts)


def _denied(pair: _Pair) -> Finding | None:
    """One side says not, the other does not."""
    if pair.new.negations % 2 == pair.old.negations % 2:
        return None
    if any(_is_denial(clause, pair.old) for clause in (pair.new, *_clauses(pair.new))):
        doubt = _doubt(pair)
        return Finding(Verdict.REVIEW, doubt) if doubt else Finding(Verdict.SUPERSEDES, "denies the same statement")
    if not pair.only_old and re.search(r"\b(?:no longer|any ?more)\b", pair.said, re.IGNORECASE):
        return Finding(Verdict.SUPERSEDES, "says that it no longer holds")
    near = pair.overlap >= _ALIKE or (not pair.only_old and len(pair.shared) > 1)
    if near and not _sets_apart(pair):
        return Finding(Verdict.REVIEW, "nearly the same statement, denied on one side")
    return None


def _doubt(pair: _Pair) -> str:
    """Why a denial in the same words may still not be one; empty when nothing speaks for that."""
    if _has(pair.new, "always", "never") and _has(pair.old, "always", "never"):
        return "always on one side, never on the other"
    if any(map(_denies_a_part, (pair.new, pair.old))):
        return "one side is without what the other has"
    if _persons(pair.new) != _persons(pair.old) or in_order(pair.new.content, pair.old.content) < 0.75:
        return "denies the same words, perhaps of someone else"
    return ""


def _is_denial(new: Claim, old: Claim) -> bool:
    return new.negations % 2 != old.negations % 2 and new.words == old.words


def _denies_a_part(claim: Claim) -> bool:
    """ "with no cache", "without a lock": it is not the statement that is denied."""
    words = [t.raw.lower() for t in claim.tokens]
    return "without" in words or ("with", "no") in pairwise(words)


def _persons(claim: Claim) -> frozenset[str]:
    return frozenset(t.raw.lower() for t in claim.tokens) & frozenset(["my", "our", "your", "his", "her", "their"])


def _has(claim: Claim, *words: str) -> bool:
    return any(token.raw.lower() in words for token in claim.tokens)


def _sets_apart(pair: _Pair) -> bool:
    """Each side has a value of its own, so the two speak of different things."""
    kinds = (Kind.NUMBER, Kind.PATH, Kind.NAME)
    ours = any(t.word in pair.only_new for t in pair.new.tokens if t.kind in kinds or _is_place(t))
    theirs = any(t.word in pair.only_old for t in pair.old.tokens if t.kind in kinds or _is_place(t))
    return ours and theirs


def _opposed(pair: _Pair) -> Finding | None:
    """Opposite words in statements that are otherwise alike, or the same names the other way round."""
    found = opposites(pair.new, pair.old)
    if found is not None:
        apart = (pair.only_new | pair.only_old) - {*found, *map(stem, found)}
        if len(apart) <= 1 and len(pair.shared) / max(1, len(pair.shared | apart)) >= _ALIKE:
            return Finding(Verdict.REVIEW, f"{found[0]} against {found[1]}")
    if not pair.only_new and not pair.only_old and in_order(_turning(pair.new), _turning(pair.old)) < 1.0:
        return Finding(Verdict.REVIEW, "the same words, the other way round")
    return None


def _turning(claim: Claim) -> tuple[str, ...]:
    """Words whose order is meaning: names always, all words where something goes from here to there."""
    return claim.content if is_directed(claim) else claim.of_kind(Kind.NAME)


# --- one value exchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """The one place where two statements differ, and what stands around it in both."""

    new: tuple[Token, ...]
    old: tuple[Token, ...]
    left: tuple[Token, ...]
    right: tuple[Token, ...]
    chosen: bool  # one of the two began with "use" or its like

    @property
    def after(self) -> str:
        return self.right[0].raw.lower() if self.right else ""


def _exchanged(pair: _Pair) -> Finding | None:
    slot = _slot(pair)
    if slot is None or not any(t.counts and t.word not in _CHOOSING for t in slot.left + slot.right):
        return None
    new, old = _sort(slot.new), _sort(slot.old)
    if new == old == "number":
        return _numbers(slot)
    if "place" in (new, old):
        return Finding(Verdict.KEEP_BOTH, "each speaks of another place")
    if new == old == "name":
        return _names(slot)
    return _words(slot)


def _slot(pair: _Pair) -> _Slot | None:
    """Cut off what both begin and end with; the middle is the slot, if it is short and all different."""
    (new, ours_chosen), (old, theirs_chosen) = map(_core, (pair.new, pair.old))
    start = _common_start(new, old)
    end = _common_start(new[start:][::-1], old[start:][::-1])
    ours, theirs = new[start : len(new) - end], old[start : len(old) - end]
    if not ours or not theirs or max(len(ours), len(theirs)) > _LONGEST_SLOT:
        return None
    if {t.word for t in ours} & {t.word for t in theirs} or any(t.kind is Kind.NOT for t in ours + theirs):
        return None
    chosen = ours_chosen or theirs_chosen
    return _Slot(new=ours, old=theirs, left=new[:start], right=new[len(new) - end :], chosen=chosen)


@lru_cache(maxsize=256)  # one claim is compared with several
def _core(claim: Claim) -> tuple[tuple[Token, ...], bool]:
    """What is compared place by place, and whether a leading "use" was cut off."""
    return _unchosen(_reasonless(_kept(claim)))


def _unchosen(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], bool]:
    """Without a leading "use", and whether there was one: `XState for state` means `use XState for state`."""
    chosen = bool(tokens) and tokens[0].word in _CHOOSING
    return (tokens[1:], True) if chosen else (tokens, False)


def _common_start(a: tuple[Token, ...], b: tuple[Token, ...]) -> int:
    differs = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x.word != y.word)
    return next(differs, min(len(a), len(b)))


def _kept(claim: Claim) -> tuple[Token, ...]:
    """Tokens with meaning, negation, and the small words that tell what a value is to its sentence."""
    return tuple(t for t in claim.tokens if t.counts or t.kind is Kind.NOT or t.raw.lower() in _SMALL)


_REASON = frozenset(["because", "since", "due", "so"])
_SMALL = _KEPT | _REASON


def _reasonless(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without the part that says why: reasons change more often than what they explain."""
    for i, token in enumerate(tokens):
        if i >= 3 and token.raw.lower() in _REASON:
            return tokens[:i]
    return tuple(t for t in tokens if t.raw.lower() not in _REASON)


def _sort(tokens: tuple[Token, ...]) -> str:
    if any(t.kind is Kind.PATH or _is_place(t) for t in tokens):
        return "place"
    counted = [t for t in tokens if t.counts]
    if counted and all(t.kind is Kind.NUMBER for t in tokens):
        return "number"
    values = all(t.kind in (Kind.NAME, Kind.NUMBER) for t in counted)
    return "name" if values and any(t.kind is Kind.NAME for t in counted) else "word"


_PLACES = frozenset(
    listed(
        "production development prod dev staging stage test testing local ci preview qa uat linux macos "
        "windows darwin android ios ubuntu debian alpine arm64 amd64 x86 chrome firefox safari frontend "
        "backend client server"
    )
)


def _is_place(token: Token) -> bool:
    return token.raw.lower() in _PLACES or token.raw.startswith("/")


_NUMBERED = frozenset(
    listed(
        "step phase issue task line bug ticket pr sprint week day stage level rule option case test example "
        "section chapter row column page question status code error exit http layer tier shard replica worker "
        "chunk part note item figure table story epic milestone iteration attempt round lesson commit job "
        "build"
    )
)


def _numbers(slot: _Slot) -> Finding:
    before = [t for t in slot.left if t.counts]
    if before and before[-1].plain in _NUMBERED:
        return Finding(Verdict.KEEP_BOTH, "the number tells two things apart")
    if [_unit(t) for t in slot.new] != [_unit(t) for t in slot.old]:
        return Finding(Verdict.REVIEW, "another number in another unit")
    if not slot.left and not slot.chosen:
        return Finding(Verdict.REVIEW, "the sentence begins with another number")
    if _is_predicate(slot):
        return Finding(Verdict.SUPERSEDES, f"the number is now {slot.new[0].raw}, not {slot.old[0].raw}")
    if any(t.raw.lower() in _LIMITS for t in slot.right):
        return Finding(Verdict.SUPERSEDES, f"the limit is now {slot.new[0].raw}, not {slot.old[0].raw}")
    if len(slot.left) == 1:
        return Finding(Verdict.KEEP_BOTH, "the number belongs to what the sentence is about")
    return Finding(Verdict.REVIEW, "another number in the same sentence")


def _unit(token: Token) -> str:
    return re.sub(r"[\d.,_]+", "#", token.raw) if token.raw[0].isdigit() or token.raw[-1:].isdigit() else "#"


_VERBS = _CHOOSING | frozenset(
    listed(
        "set run keep limit retri default take expect support target requir return listen wait cap allow "
        "expir last store hold cost need must should is are be ship pin bump upgrad rotat time cach poll "
        "refresh sleep batch"
    )
)
_QUANTITIES = frozenset(
    listed(
        "max maximum min minimum limit timeout retry size count threshold budget ttl interval delay quota "
        "depth length width height age rate version capacity concurrency"
    )
)


def _is_predicate(slot: _Slot) -> bool:
    """Whether the number is said about the subject, rather than naming it."""
    left = slot.left
    if slot.chosen or not slot.right or re.search(r"[a-z%]", _unit(slot.new[0])):
        return True
    said = any(t.word in _VERBS or t.raw.lower() in _KEPT or ":" in t.after or "=" in t.after for t in left)
    return said or (bool(left) and left[-1].plain in _QUANTITIES)


_MEANS = frozenset(["with", "via", "by", "through", "is", "are"])
_MADE = frozenset(
    listed("written implement built host deploi store run develop serv ship packag compil default set switch")
)


def _names(slot: _Slot) -> Finding:
    new, old = _choice(slot.new), _choice(slot.old)
    related = new == old if new and old else None  # None: at least one is unknown
    both = Finding(Verdict.KEEP_BOTH, "two names for two things")
    replaced = Finding(Verdict.SUPERSEDES, f"{slot.new[0].raw} in the place of {slot.old[0].raw}")
    asked = Finding(Verdict.REVIEW, f"{slot.new[0].raw} where {slot.old[0].raw} was named")
    role = _role(slot)
    if role == "purpose":
        return asked if related is False else replaced
    if role == "value":
        return replaced if related else asked if related is None else both
    return asked if related and role == "object" else both


def _choice(tokens: tuple[Token, ...]) -> str:
    return next((tools()[name] for t in tokens if (name := t.raw.lower().strip("@`")) in tools()), "")


def _role(slot: _Slot) -> str:
    """purpose: chosen for what both name; value, object: said of a subject; subject, scope: not said at all."""
    if not slot.left:
        return _head_role(slot)
    before, earlier = slot.left[-1], slot.left[-2].word if len(slot.left) > 1 else ""
    word = before.raw.lower()
    if before.word in _CHOOSING:
        return "purpose" if slot.after == "for" else "value"
    if word in _MEANS or before.after[:1] in (":", "="):
        return "value"
    if word in _SCOPE:
        return "value" if earlier in _MADE else "scope"
    return "object"


def _head_role(slot: _Slot) -> str:
    """At the head of a sentence stands its subject, unless it is chosen for something."""
    is_used = slot.after in ("is", "are") and len(slot.right) > 2 and slot.right[1].word == "us"
    is_tool_for = slot.after == "for" and bool(_choice(slot.new) or _choice(slot.old))
    if is_used or is_tool_for or (slot.chosen and slot.after in _PURPOSE):
        return "purpose"
    return "value" if slot.chosen else "subject"


_LIMITS = frozenset(["minimum", "maximum", "default", "limit"])
_UNIQUE = frozenset(listed("default primary main current only sole canonical preferred"))


def _words(slot: _Slot) -> Finding | None:
    before = slot.left[-1].raw.lower() if slot.left else ""
    if before in ("is", "are") and not slot.right:
        if any(t.raw.lower() in _UNIQUE for t in slot.left):
            return Finding(Verdict.SUPERSEDES, f"the {slot.left[0].raw} is now {slot.new[0].raw}")
        return Finding(Verdict.REVIEW, "the same subject is said to be something else") if _short(slot) else None
    if slot.chosen and not slot.left and any(t.raw.lower() in _PURPOSE for t in slot.right[:2]):
        return Finding(Verdict.REVIEW, "another choice for the same purpose")
    return None


def _short(slot: _Slot) -> bool:
    return len(slot.new) == len(slot.old) == 1


# --- more of the same


def _refined(pair: _Pair) -> Finding | None:
    """Everything the old says is in the new: each word as often, in its form, place and relation; polarity agrees."""
    if pair.only_old or pair.new.negations != pair.old.negations or len(pair.shared) < 2:
        return None
    if _heightens(pair.new) != _heightens(pair.old) or len(pair.only_new) > 4 + 3 * len(pair.shared):
        return None
    if Counter(relations(pair.old)) - Counter(relations(pair.new)):
        return None
    if in_order(pair.old.content, pair.new.content) < 1.0:
        return None
    if not pair.only_new:
        return Finding(Verdict.REFINES, "says the same")
    added = dict.fromkeys(token.raw for token in pair.new.tokens if token.word in pair.only_new)
    return Finding(Verdict.REFINES, f"adds {' '.join(list(added)[:5])}")


def _revised(pair: _Pair, *, new: str, old: str) -> Finding | None:
    """The same entry, gone over: the same heading, and most of a body that is too long to be alike by chance."""
    title, _, body = new.strip().partition("\n")
    if not body or content_hash(title) != content_hash(old.strip().partition("\n")[0]):
        return None
    is_entry = len(set(read(title).content)) >= _TITLE and min(len(pair.new.content), len(pair.old.content)) >= _ENTRY
    if not is_entry or wording(new, old) < _ALIKE:
        return None
    return Finding(Verdict.REFINES, f"the same entry, gone over: {' '.join(title.split())[:80]}")


_TITLE = 3  # words with meaning; "Merge: bd-7" heads many entries
_ENTRY = 20  # words with meaning


def _heightens(claim: Claim) -> bool:
    """Whether a "not" only makes way for more: *not just slow* is not *not slow*."""
    words = [(token.kind, token.raw.lower()) for token in claim.tokens]
    more = ("just", "only", "merely", "simply")
    return any(one[0] is Kind.NOT and other[1] in more for one, other in pairwise(words))


# --- how likely is a conflict at all


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    claim: Claim
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    is_negated: bool


def _conflict(pair: _Pair) -> float:
    """The strongest sign, over the clauses of the new, that it takes back something the old says, 0..1."""
    theirs = _parts(pair.old)
    return max((_clash(new, theirs) for new in _parts(pair.new)), default=0.0)


def _clash(new: _Clause, olds: tuple[_Clause, ...]) -> float:
    """Against the clause that is most alike: where the old says the very same, nothing is taken back."""
    alike, old = max(((_alike(new, old), old) for old in olds), key=lambda found: found[0], default=(0.0, new))
    if not alike:
        return 0.0
    sign = 0.1
    if new.is_negated != old.is_negated:
        sign = 1.0
    elif opposites(new.claim, old.claim) is not None:
        sign = 0.9
    elif new.numbers and old.numbers and not new.numbers & old.numbers:
        sign = 0.8
    return alike * sign


def _alike(a: _Clause, b: _Clause) -> float:
    """Shared words, names counted half as much again; fewer than three of them are no match yet, 0..1."""
    both = a.words & b.words
    if not both:
        return 0.0
    weight = len(both) + 0.5 * len(both & a.names)
    inside = min(1.0, weight / min(len(a.words), len(b.words)))
    across = min(1.0, weight / len(a.words | b.words))
    return (inside + across) / 2 * min(1.0, len(both) / 3)


def _clauses(claim: Claim) -> tuple[Claim, ...]:
    return tuple(part.claim for part in _parts(claim))


_TURNS = frozenset(listed("but which so because while although though"))


@lru_cache(maxsize=256)
def _parts(claim: Claim) -> tuple[_Clause, ...]:
    """A statement cut at its marks and turns; what holds no word with meaning is left out; at most 40."""
    cuts: list[list[Token]] = [[]]
    for token in claim.tokens:
        if token.raw.lower() in _TURNS:
            cuts.append([])
        cuts[-1].append(token)
        if any(mark in token.after for mark in ",;.!?—"):
            cuts.append([])
    parts = (claim_of(cut[:60]) for cut in cuts)
    return tuple(_clause(part) for part in parts if part.content)[:40]


def _clause(part: Claim) -> _Clause:
    return _Clause(
        claim=part,
        words=frozenset(part.content),
        numbers=frozenset(part.of_kind(Kind.NUMBER)),
        names=frozenset(part.of_kind(Kind.NAME)),
        is_negated=part.negations % 2 == 1,
    )
