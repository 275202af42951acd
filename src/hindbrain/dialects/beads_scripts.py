"""What stands in the places of Beads' scripts: a few lines that hand everything on to Hindbrain."""

from collections.abc import Mapping

RECALL = ".beads/memory/recall.sh"
HOOKS = tuple(f".claude/hooks/{name}.sh" for name in ("memory-capture", "validate-completion", "session-start"))
_MARK = b"written by Hindbrain"  # what does not hold it is somebody else's, and stays

_RECALL = """#!/bin/sh
# written by Hindbrain: searches the knowledge beside this file
exec hindbrain beads recall --folder "$(dirname "$0")/../.." -- "$@"
"""

_HOOK = """#!/bin/sh
# written by Hindbrain: hands the event on, and never gets in the way of an agent
for home in "${HINDBRAIN_HOME-}" "${XDG_DATA_HOME:-$HOME/.local/share}/hindbrain" \\
    "$HOME/Library/Application Support/hindbrain"; do
    if [ -n "$home" ] && [ -r "$home/clients/hook" ]; then
        { IFS= read -r python && IFS= read -r hook; } <"$home/clients/hook"
        [ -x "$python" ] && [ -r "$hook" ] && exec "$python" -I -S "$hook" claude
    fi
done
exit 0
"""


def scripts(present: Mapping[str, bytes], *, has_hooks: bool) -> dict[str, bytes]:
    """By path; none in a place where somebody else's script stands."""
    wanted = {RECALL: _RECALL.encode()} | (dict.fromkeys(HOOKS, _HOOK.encode()) if has_hooks else {})
    return {path: text for path, text in wanted.items() if _MARK in present.get(path, _MARK)}
