"""Which browser the tests of the hub use, and how it comes here.

A Chromium that the machine has is used as it is. Else Playwright is asked for the one that it was made for, which lies
in a cache of the user's own; else, where this is Debian and the user may, the system's package is installed. What could
not be had leaves no trace but a word: the tests that need it are skipped, and say so.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_PATTERNS = (
    "chromium_headless_shell-*/*/chrome-headless-shell",
    "chromium_headless_shell-*/*/headless_shell",
    "chromium-*/*/chrome",
)
_DOWNLOAD_S, _PACKAGE_S = 300.0, 900.0  # for slow lines


def found() -> Path | None:
    """A Chromium that can be started. Installs nothing."""
    for name in _NAMES:
        if own := shutil.which(name):
            return Path(own)
    places = [place for pattern in _PATTERNS for place in sorted(_cache().glob(pattern), reverse=True)]
    return places[0] if places else None


def main() -> int:
    """Have a browser; 1 if there is none."""
    if there := found():
        print(f"browser: {there}")
        return 0
    steps: list[tuple[Sequence[str], float]] = [
        ((sys.executable, "-m", "playwright", "install", "chromium-headless-shell"), _DOWNLOAD_S)
    ]
    if shutil.which("apt-get") and os.geteuid() == 0:
        steps.append((("apt-get", "install", "--yes", "--no-install-recommends", "chromium"), _PACKAGE_S))
    for words, enough_s in steps:
        print(f"browser: {' '.join(words[-3:])}", flush=True)
        _tried(words, enough_s)
        if there := found():
            print(f"browser: {there}")
            return 0
    print("browser: there is no Chromium, and none could be installed: tests that need one are skipped")
    return 1


def _tried(words: Sequence[str], enough_s: float) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=enough_s, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"browser: {error}")
        return
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        print(f"browser: {(lines or ['it did not say why it failed'])[-1]}")


def _cache() -> Path:
    """Where Playwright puts its browsers."""
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    return Path(chosen) if chosen else Path.home() / ".cache" / "ms-playwright"


if __name__ == "__main__":
    sys.exit(main())
