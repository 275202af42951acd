"""How a command ended that its client's hook does not say of: by then the transcript does."""

from hindbrain.core.hooks.notice import Happening, Notice
from hindbrain.core.value import replace
from hindbrain.ports import ProjectFiles

_NEAR = 1_000_000  # bytes of a transcript's end; what has just happened stands among its last lines


def with_ending(notice: Notice, *, files: ProjectFiles) -> Notice:
    """The notice with the exit code, or as it is where nobody knows. Only Codex leaves it out, and writes it down
    before it calls the hook."""
    is_open = notice.happening is Happening.AFTER_TOOL and notice.is_shell and notice.exit_code is None
    if notice.client != "codex" or not is_open or not notice.ref or not notice.transcript:
        return notice
    from hindbrain.core.transcripts.codex import exit_code  # most notices need none of it

    code = exit_code(files.tail(notice.transcript, most=_NEAR), notice.ref)
    return notice if code is None else replace(notice, exit_code=code, is_failure=code != 0)
