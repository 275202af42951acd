"""A process that cleans up, prunes, merges or purges until it is killed, and says when it begins.

python caretaker.py HOME JOB
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import tools_of

from hindbrain.app import maintain
from hindbrain.app.purge import purge
from hindbrain.core.source import Source


def main() -> None:
    home, job = Path(sys.argv[1]), sys.argv[2]
    tools = tools_of(home)
    print("begun", flush=True)
    if job == "purge":
        purge(Source(agent="agent"), ["prj-one"], tools=tools)
    else:
        getattr(maintain, job)("prj-one", tools=tools)
    print("done", flush=True)


if __name__ == "__main__":
    main()
