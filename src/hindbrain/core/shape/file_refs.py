"""Which files a text names, and whether such a name means a given path."""

from __future__ import annotations

import re
from functools import cache

from hindbrain.core.words import listed

_MOST = 20
_READ = 1 << 18  # characters
_LONGEST = 300  # characters of one reference; longer is data, not a path
_LONGEST_PATH = 4096

# Endings that make a file of a word without a slash. Endings that attributes also have (map, text, lock) are not here.
_ENDINGS = frozenset(
    listed(
        "py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro go rs java kt kts scala clj cljs ex "
        "exs erl hs cs csproj sln cpp cc cxx hpp hh c h m mm swift rb erb php pl pm lua r jl dart zig nim "
        "proto graphql gql tf tfvars hcl nix gradle sh bash zsh fish ps1 bat json jsonl json5 jsonc yaml yml "
        "toml ini cfg conf xml html htm css scss sass less md mdx rst txt adoc csv tsv parquet sql sqlite db "
        "svg png jpg jpeg gif ico pdf wasm snap diff patch log plist xib storyboard j2 jinja tmpl tpl ejs hbs "
        "prisma mk cmake dockerfile"
    )
)
_BARE_FILES = frozenset(
    listed(
        "makefile dockerfile procfile gemfile rakefile jenkinsfile vagrantfile justfile brewfile go.mod "
        "go.sum yarn.lock cargo.lock poetry.lock uv.lock composer.lock gemfile.lock flake.lock pdm.lock .env "
        ".gitignore .gitattributes .dockerignore .editorconfig .npmrc .nvmrc .eslintrc .prettierrc .babelrc "
        ".bashrc .zshrc .envrc"
    )
)
# Names that end like a file and are not one: products, sites, and a function everybody logs with.
_NOT_FILES = frozenset(
    listed(
        "node.js next.js vue.js react.js express.js three.js d3.js nuxt.js ember.js backbone.js chart.js "
        "p5.js socket.js alpine.js nest.js require.js moment.js discord.js console.log math.log docs.rs "
        "crates.rs"
    )
)
_FOLDERS = frozenset(
    listed(
        "src lib libs test tests spec specs internal cmd pkg app apps packages docs doc scripts bin config "
        "configs core server client web api components pages hooks utils modules services models views "
        "controllers routes handlers migrations fixtures examples bench benchmarks tools dist build target "
        "vendor node_modules assets static public templates include e2e unit integration entry adapters "
        "frontend backend infra deploy ops ci data crates sources resources"
    )
)
_IDIOMS = frozenset(
    listed(
        "client/server server/client frontend/backend backend/frontend ci/cd build/deploy build/test test/build "
        "unit/integration build/run test/deploy"
    )
)
_ROOTS = frozenset(listed("home usr etc tmp var opt users root srv mnt proc dev private volumes workspace work run"))
_SITE_ENDINGS = frozenset(listed("com org net io dev ai app co edu gov uk de fr"))


def file_refs_of(text: str) -> tuple[str, ...]:
    """Paths and file names in `text`, in order, each once, at most 20; line numbers are dropped."""
    text = text[:_READ]
    found: dict[str, None] = {}
    for token in _tokens().finditer(text):
        if len(token[0]) > _LONGEST or not _may_name_a_file(token[0]):
            continue
        called = text[token.end() : token.end() + 1] == "("
        ref = _as_ref(token[0], called=called)
        if ref:
            found[ref] = None
        if len(found) == _MOST:
            break
    return tuple(found)


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(r"[^\s\"'`<>|,;(){}=“”‘’→…]+")


def _may_name_a_file(token: str) -> bool:
    return "." in token or "/" in token or "\\" in token or token.endswith("file")


def _as_ref(token: str, *, called: bool) -> str | None:
    if "://" in token or token.startswith(("www.", "mailto:")) or re.match(r"@[^/]|[\w.+-]+@[\w-]+\.", token):
        return None
    ref = _normal(_unwrapped(token))
    name = ref.rsplit("/", 1)[-1]
    if not any(c.isalpha() for c in ref) and not ref.startswith("**/"):
        return None
    if "/" in ref:
        return ref if _is_path(ref, backslashed="\\" in token) else None
    return ref if not called and _is_file_name(name) else None


def _unwrapped(token: str) -> str:
    """Without the marks of the sentence around it: emphasis, brackets, closing punctuation."""
    token = token.rstrip(".,:;!?")
    if token.startswith("[") and token.endswith("]"):
        token = token[1:-1]
    while len(token) > 2 and token[0] == token[-1] and token[0] in "*_":
        token = token[1:-1]
    if token.startswith("**") and not token.startswith("**/"):
        token = token.lstrip("*")
    if token.endswith("**") and not token.endswith("/**"):
        token = token.rstrip("*")
    return token.rstrip(".,:;!?")


def _normal(path: str) -> str:
    """One spelling: forward slashes, no leading `./`, no line or anchor after the name."""
    path = path.replace("\\", "/").split("#", 1)[0]
    colon = path.find(":", 2)  # the colon of a drive letter comes earlier
    if colon > 0:
        path = path[:colon]
    while path.startswith("./"):
        path = path[2:]
    return re.sub("//+", "/", path)


def _is_path(ref: str, *, backslashed: bool) -> bool:
    segments = [s for s in ref.split("/") if s]
    if not segments or _is_site(segments[0]):
        return False
    if backslashed:
        return _ending(segments[-1]) in _ENDINGS or re.match("[A-Za-z]:/", ref) is not None
    if _has_ending(segments[-1]):
        return True
    if ref.startswith("/"):
        return len(segments) > 1 and segments[0].lower() in _ROOTS
    return _is_marked(ref, segments) or _is_named(ref, segments)


def _is_marked(ref: str, segments: list[str]) -> bool:
    """A spelling that only paths have."""
    if ref.startswith(("../", "~/", "@/")) or "**" in ref:
        return True
    return any(s.startswith(".") and len(s) > 2 for s in segments)


def _is_named(ref: str, segments: list[str]) -> bool:
    """Folders by their names: what cannot be `and/or` or `requests/minute`."""
    if (
        ref.lower() in _IDIOMS
        or segments[0].isdigit()
        or not all(re.fullmatch(r"[\w.@\[\]*?+-]+", s) for s in segments)
    ):
        return False
    if ref.endswith("/"):
        return len(ref) > 2
    if "*" in ref or any(s.lower() in _FOLDERS for s in segments[:-1]):
        return True
    return len(segments) > 1 and any("_" in s.strip("_") for s in segments)


def _is_file_name(name: str) -> bool:
    low = name.lower()
    if low in _BARE_FILES:
        return True
    stem, _, ending = low.rpartition(".")
    if ending not in _ENDINGS or low in _NOT_FILES or not stem.strip("."):
        return bool(re.fullmatch(r"\*\.\w+", low)) and ending in _ENDINGS
    return len(stem) + len(ending) > 2 and not _is_site(stem)


def _has_ending(name: str) -> bool:
    ending = _ending(name)
    return ending.isalnum() and len(ending) <= 12 and not ending[0].isdigit()


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""


def _is_site(segment: str) -> bool:
    return "." in segment.lstrip(".") and _ending(segment) in _SITE_ENDINGS


def matches_path(ref: str, path: str) -> bool:
    """Whether `ref` speaks of `path`, or of something in it, or of a folder around it.

    `*` and `?` stay within one folder, `**` spans folders. A name without a folder means that file anywhere; a relative
    reference may be the end of an absolute path. What is empty matches nothing.
    """
    if len(ref) > _LONGEST_PATH or len(path) > _LONGEST_PATH:
        return False
    a, b = _normal(ref.strip()), _normal(path.strip())
    if not a.strip("/") or not b.strip("/"):
        return False
    return _covers(a, b) or _covers(b, a)


def _covers(wide: str, narrow: str) -> bool:
    """Whether the pattern `wide` matches `narrow` or a folder above it."""
    pattern, segments = wide.strip("/").split("/"), narrow.strip("/").split("/")
    if len(pattern) == 1 and not wide.startswith("/"):
        if _fits(pattern[0], segments[-1]) and pattern[0] != "**":
            return True
    elif _is_absolute(narrow) and not _is_absolute(wide):
        pattern = ["**", *pattern]
    if _is_absolute(wide) and not _is_absolute(narrow):
        return False
    return _spans(pattern, segments)


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"


def _spans(pattern: list[str], segments: list[str]) -> bool:
    """Two-pointer match with one way back, the last `**`: never worse than the product of the lengths."""
    p = s = 0
    retry: tuple[int, int] | None = None
    while p < len(pattern):
        if pattern[p] == "**":
            retry = (p + 1, s)
            p += 1
        elif s < len(segments) and _fits(pattern[p], segments[s]):
            p, s = p + 1, s + 1
        elif retry is not None and retry[1] < len(segments):
            retry = (retry[0], retry[1] + 1)
            p, s = retry
        else:
            return False
    return True  # what is left of the segments lies below


def _fits(pattern: str, name: str) -> bool:
    """`*` and `?` within one folder, by the same method."""
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    p = n = 0
    retry: tuple[int, int] | None = None
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            retry = (p + 1, n)
            p += 1
        elif p < len(pattern) and pattern[p] in ("?", name[n]):
            p, n = p + 1, n + 1
        elif retry is not None:
            retry = (retry[0], retry[1] + 1)
            p, n = retry
        else:
            return False
    return not pattern[p:].strip("*")
