"""How a person is told something at once: by a command of their own, which gets the sentence as its last word."""

import shlex
import subprocess

from hindbrain.errors import BadSettings

_PATIENCE_S = 20


def notify(command: str, text: str) -> None:
    """BadSettings when the command cannot be run, fails, or takes too long. No shell reads the sentence."""
    try:
        words = shlex.split(command)
        subprocess.run([*words, text], check=True, timeout=_PATIENCE_S, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise BadSettings(f"notify_command fails: {error}", fix="correct it in config.toml, or remove it") from error
