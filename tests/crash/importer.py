"""Imports one file or folder with 256 MB of memory and 5 seconds of computing, and says what came of it.

python importer.py HOME DIALECT PATH
"""

import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import a_project, tools_of

from hindbrain.adapters import tree
from hindbrain.app.adopt import adopt
from hindbrain.dialects import dialect
from hindbrain.errors import HindbrainError


def main() -> None:
    home, name, path = sys.argv[1:]
    spoken = dialect(name)
    tools = tools_of(Path(home))
    a_project(tools.store, "one")
    resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    try:
        report = adopt(tree.load(path, wants=spoken.wants), dialect=spoken, project="prj-one", tools=tools)
    except HindbrainError as error:
        print("refused", error)
        return
    print("read", report.created, len(report.items))


if __name__ == "__main__":
    main()
