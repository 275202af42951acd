"""What a tool call says, whichever client made it: its command, its files, its texts, and how it ended."""

from hindbrain.core.hooks.patch import Patch, patch
from hindbrain.core.hooks.table import EDITS, READS, SHELLS
from hindbrain.core.transcripts import jsonl
from hindbrain.core.transcripts.jsonl import Object
from hindbrain.core.value import dataclass

_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path")
_OLD, _NEW = ("old_string", "oldString"), ("new_string", "newString", "content", "new_source")
_PATCHES = ("command", "patchText", "patch", "input")
_SHELL_NAMES = frozenset({"bash", "dash", "sh", "zsh"})
_VIEWERS = frozenset({"bat", "cat", "head", "less", "more", "nl", "sed", "tail"})  # programs that show files
_LONGEST_VIEW = 2_000  # characters of a command that shows a file
_FAILED = "Exit code "  # how Claude Code begins what it says of a command that failed
_WRAPPER = ("<untrusted_context>\n", "\n</untrusted_context>")  # around what Gemini's tools give back
# What Gemini writes below a command's output, each at most once and in this order. An exit code only if it is not 0.
_TRAILER = ("Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What was asked of a tool."""

    is_shell: bool
    is_edit: bool
    is_read: bool
    command: str
    paths: tuple[str, ...]
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How it ended. Without an exit code nothing is assumed: many clients do not tell."""

    output: str = ""
    exit_code: int | None = None
    is_failure: bool = False
    is_interrupt: bool = False


def called(name: str, given: Object) -> Call:
    is_edit, is_shell = name in EDITS, name in SHELLS
    found = patch(jsonl.text(given, *_PATCHES)) if name in ("apply_patch", "patch") else Patch()
    command = _command(given) if is_shell else ""
    shown = _shown(command[:_LONGEST_VIEW])
    return Call(
        is_shell=is_shell,
        is_edit=is_edit,
        is_read=name in READS or bool(shown),
        command=command,
        paths=found.paths or shown or _paths(given),
        old=(found.old or _texts(given, _OLD)) if is_edit else "",
        new=(found.new or _texts(given, _NEW)) if is_edit else "",
    )


def failed(name: str, payload: Object) -> Ending:
    """By what Claude Code says of a tool that failed."""
    output, code = jsonl.text(payload, "error"), None
    if name in SHELLS and output.startswith(_FAILED):
        first, _, rest = output.removeprefix(_FAILED).partition("\n")
        code = _number(first)
        output = output if code is None else rest
    return Ending(output=output, exit_code=code, is_failure=True, is_interrupt=payload.get("is_interrupt") is True)


def ended(name: str, response: object, *, client: str) -> Ending:
    """By what a tool gave back."""
    given: Object = response if isinstance(response, dict) else {}
    output = _output(response)
    if client == "claude":
        # It comes here with 0 alone, but for codes that the client takes for an answer (`grep` found nothing).
        is_told = name in SHELLS and not {"backgroundTaskId", "returnCodeInterpretation"} & given.keys()
        is_interrupt = given.get("interrupted") is True
        code = 0 if is_told and not is_interrupt else None
        return Ending(output=output, exit_code=code, is_interrupt=is_interrupt)
    if client == "gemini":
        return _by_trailer(name, output, is_failure=bool(given.get("error")))
    code = _number(jsonl.mapping(given, "metadata").get("exit"))
    return Ending(output=output, exit_code=code, is_failure=bool(code) or given.get("isError") is True)


def _by_trailer(name: str, output: str, *, is_failure: bool) -> Ending:
    """Read from the end: what the command itself printed stands above, and may look like anything."""
    begin, end = _WRAPPER
    output = output.removeprefix(begin).removesuffix(end)
    if name not in SHELLS or not output.startswith("Output: "):
        return Ending(output=output, is_failure=is_failure)
    found: dict[str, str] = {}
    for label in _TRAILER:
        above, _, last = output.rpartition("\n")
        if last.startswith(label):
            found[label] = last.removeprefix(label)
            output = above
    is_failure = is_failure or "Signal: " in found
    code = _number(found.get("Exit Code: ", "" if is_failure else "0"))
    return Ending(output=output.removeprefix("Output: "), exit_code=code, is_failure=is_failure or bool(code))


def _command(arguments: Object) -> str:
    """A command line as a shell would read it, from a string or from a list of words."""
    given = arguments.get("command") or arguments.get("cmd")
    if isinstance(given, str):
        return given
    words = [word for word in given if isinstance(word, str)] if isinstance(given, list) else []
    is_script = len(words) == 3 and words[0].rpartition("/")[2] in _SHELL_NAMES and words[1].endswith("c")
    return words[2] if is_script else " ".join(words)


def _shown(command: str) -> tuple[str, ...]:
    """The files that a command line only shows: for a client without a tool for that, this is reading."""
    for mark in ("&&", "||", ";", "\n"):
        command = command.replace(mark, "|")
    return tuple(dict.fromkeys(path for part in command.split("|") for path in _viewed(part.split())))


def _viewed(words: list[str]) -> list[str]:
    bare = [word.strip("'\"") for word in words]
    program = bare[0].rpartition("/")[2] if bare else ""
    is_change = any(word.startswith(("-i", "--in-place")) for word in bare) and program == "sed"
    if program not in _VIEWERS or is_change or any(mark in word for word in words for mark in "<>`$"):
        return []
    named = [word for word in bare[1:] if word and not word.startswith(("-", "+")) and not word.isdecimal()]
    return named[1:] if program == "sed" else named  # first comes what it is to do


def _paths(given: Object) -> tuple[str, ...]:
    one = jsonl.text(given, *_PATHS)
    many = given.get("paths") or given.get("file_paths") or given.get("include")
    listed = [path for path in many if isinstance(path, str) and path] if isinstance(many, list) else []
    return (one,) if one else tuple(dict.fromkeys(listed))


def _texts(given: Object, names: tuple[str, ...]) -> str:
    """Of a tool that makes one edit, or several at once."""
    edits = given.get("edits")
    if not isinstance(edits, list):
        return jsonl.text(given, *names)
    return "\n".join(filter(None, (jsonl.text(edit, *names) for edit in edits if isinstance(edit, dict))))


def _output(response: object) -> str:
    if not isinstance(response, dict):
        return jsonl.strings(response)
    if "stdout" in response or "stderr" in response:
        return "\n".join(filter(None, (jsonl.text(response, "stdout"), jsonl.text(response, "stderr"))))
    for name in ("llmContent", "output", "content"):
        if response.get(name):
            return _said(response[name])
    file = jsonl.mapping(response, "file")
    return jsonl.text(file, "content") or jsonl.strings(response)


def _said(value: object) -> str:
    """Of pieces only the text: beside it stands of what kind each is."""
    pieces = value if isinstance(value, list) else [value]
    texts = (jsonl.text(piece, "text") if isinstance(piece, dict) else jsonl.strings(piece) for piece in pieces)
    return "\n".join(filter(None, texts))


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    digits = value.strip() if isinstance(value, str) else ""
    is_number = len(digits) <= 12 and digits.removeprefix("-").isdecimal() and digits.isascii()
    return int(digits) if is_number else None
