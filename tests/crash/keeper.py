"""A process that makes backups of a store, restores the newest, or rebuilds it, until it is done or killed.

python keeper.py STORE make|restore|mend COUNT
"""

import sys
from datetime import UTC, datetime

from hindbrain.adapters.sqlite.backups import SqliteBackups


def main() -> None:
    store, deed, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    backups = SqliteBackups(store)
    print("ready", flush=True)
    for _ in range(count):
        now = datetime.now(UTC)
        if deed == "make":
            print(backups.make(now, tell=lambda *_: None).name, flush=True)
        elif deed == "restore":
            newest = [one for one in backups.all() if one.sort == "made"][-1]
            print(backups.restore(newest.path, at=now), flush=True)
        else:
            print(backups.mend(now).aside, flush=True)


if __name__ == "__main__":
    main()
