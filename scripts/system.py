"""Which programs of the system the tests run, and when they are installed: by root, with apt, if they are missing.

Nothing is done for anybody else: the tests that need one say so when they are skipped.
"""

import os
import shutil
import subprocess
import sys

PROGRAMS = {"tmux": "tmux", "strace": "strace"}  # program -> package of Debian
ENOUGH_S = 300.0


def missing() -> list[str]:
    """Packages whose program is not there."""
    return [package for program, package in PROGRAMS.items() if shutil.which(program) is None]


def main() -> int:
    wanted = missing()
    if not wanted:
        return 0
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"tests that need {', '.join(wanted)} will be skipped: install it to run them")
        return 0
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    words = ["apt-get", "install", "--yes", "--no-install-recommends", *wanted]
    done = subprocess.run(words, capture_output=True, env=environment, timeout=ENOUGH_S, check=False)
    if done.returncode:
        print(f"tests that need {', '.join(wanted)} will be skipped: apt-get could not install it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
