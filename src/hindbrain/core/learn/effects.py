"""Which commands change something, which only look, and which put things right by themselves."""

from hindbrain.core.learn.launch import Run
from hindbrain.core.words import listed

_LOOKING = frozenset(
    listed(
        "ls ll cat bat less more head tail grep egrep fgrep zgrep rg ag ack find fd tree stat file wc sort uniq cut "
        "tr awk "
        "jq yq diff cmp comm colordiff test [ [[ which whereis type command hash pwd echo printf true false : date env "
        "printenv whoami id uname hostname ps top pgrep pidof lsof netstat ss df du free sleep wait kill pkill "
        "killall cd "
        "pushd popd history man help clear xxd hexdump od strings nm objdump ldd sha256sum md5sum realpath readlink "
        "basename dirname seq yes time read exit return set unset ping curl wget host dig nslookup open xdg-open tee "
        "column nl rev fold expr let declare local export source . alias"
    )
)  # their exit status answers a question, or means nothing
_GIT_CHANGING = frozenset(listed("apply am submodule lfs cherry-pick"))
_INLINE = {"python": "-c", "python3": "-c", "node": "-e", "ruby": "-e", "perl": "-e", "deno": "eval", "php": "-r"}
_FIXING = frozenset(listed("--fix --write --fix-only --unsafe-fixes -w --autofix --apply --fix-type"))
_FORMATTERS = frozenset(listed("black isort prettier gofmt goimports rustfmt clang-format autopep8 yapf shfmt"))


def is_looking(run: Run) -> bool:
    """Whether it only looks: what it finds or does not find is no failure, and running it cures nothing."""
    program = run.program
    if program == "sed":
        return not any(word.startswith("-i") or word == "--in-place" for word in run.words)
    if program == "git":
        return not _GIT_CHANGING & set(run.words[1:2])
    if program in _INLINE and (_INLINE[program] in run.words[1:3] or run.stdin or run.words[1:] in ((), ("-",))):
        return True
    return program in _LOOKING or bool({"--version", "--help", "-h"} & set(run.words[1:2]))


def is_tidying(run: Run) -> bool:
    """A linter or formatter that repairs what it finds: whoever sees its complaint knows the cure already."""
    formats = bool({"format", "fmt"} & set(run.words[1:3]))
    return run.program in _FORMATTERS or formats or bool(_FIXING & set(run.words[1:]))
