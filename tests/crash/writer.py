"""A process that captures until it is done or killed, and prints each memory's id once it is promised.

python writer.py STORE NAME COUNT
"""

import sys
import time

import hindbrain


def main() -> None:
    store, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with hindbrain.open(store, project="load") as memory:
        print("ready", flush=True)
        started = last = time.monotonic()
        waits = []
        for number in range(count):
            text = f"MEMORY:pattern:Worker {name} learned lesson{name}x{number} about module{number}"
            captured = memory.capture(text, session=f"session-{name}-{number // 40}", persona=f"w{name}")
            print(captured.receipts[0].memory_id, flush=True)  # the promise: only after capture returned
            now = time.monotonic()
            waits.append(now - last)
            last = now
        print("done", last - started, *waits, flush=True)


if __name__ == "__main__":
    main()
