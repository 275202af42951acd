"""Where a hook process begins: `python -I -S hook.py CLIENT || :`, with the client's JSON on standard input.

Python compiles the file it is started with every time, so there is next to nothing in this one.
"""

import sys

if __name__ == "__main__":
    # -I and -S leave the standard library alone: no folder of the user's, nothing that was installed, can get in.
    sys.path.append(__file__.removesuffix("/hindbrain/hook.py"))
    from hindbrain.entry.hooks.run import main

    main(sys.argv[1:])
