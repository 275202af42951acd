"""Start our service and, once it listens, become a client beside it: both in the one place that the client can reach.

beside.py PORT PROGRAM WORDS...
"""

import contextlib
import os
import socket
import subprocess
import sys
import time

ENOUGH_S = 60.0


def main(port: int, words: list[str]) -> None:
    serve = [sys.executable, "-m", "hindbrain", "serve", "--port", str(port)]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(serve, **quiet)  # ends with the group that it belongs to
    end = time.monotonic() + ENOUGH_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            os.execv(words[0], words)
        time.sleep(0.05)
    sys.exit("the service does not listen")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
