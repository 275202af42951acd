"""Promises memories until it is killed, and says of each that it was promised only once it was.

python promiser.py HOME NAME
"""

import sys
import time
from itertools import count

import hindbrain
from hindbrain.settings import Settings


def main() -> None:
    home, name = sys.argv[1:]
    settings = Settings(home=home, store=f"{home}/hindbrain.db", embedder="off")
    with hindbrain.open(project="app", settings=settings) as memory:
        for number in count():
            promised = memory.add_later(f"Part{number} of writer{name} needs grammar{name}x{number} first")
            print(promised.id, flush=True)
            time.sleep(0.005)  # the worker is to keep up


if __name__ == "__main__":
    main()
