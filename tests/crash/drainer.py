"""A worker without a model that takes up what hooks left until it is killed, and says when it begins and ends a round.

python drainer.py HOME
"""

import fcntl
import sys
import time
from pathlib import Path

from hindbrain.adapters.lease import Lease
from hindbrain.entry.worker import caught_up
from hindbrain.settings import Settings
from hindbrain.wiring import open_tools


def main() -> None:
    home = Path(sys.argv[1])
    settings = Settings(home=str(home), store=str(home / "hindbrain.db"), embedder="off")
    with Lease(home / "worker.lock").hold(), (home / "witness").open("w") as witness:
        try:
            fcntl.flock(witness, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("there are two workers")
        tools = open_tools(settings)
        print("ready", flush=True)
        while True:
            drained, ran = caught_up(tools)
            print(drained.records, ran.done, flush=True)
            time.sleep(0.01)


if __name__ == "__main__":
    main()
