"""Where a process begins, and how little it does before and after its command."""

import gc
import os
import sys


def main() -> None:
    # A command lives for milliseconds and makes hardly any garbage: looking for it would cost a tenth of that.
    gc.set_threshold(100_000)
    from hindbrain.entry.cli import quick

    sys.excepthook = _last_word
    code = quick.run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # Everything is written and closed. Taking the interpreter apart piece by piece would cost as much as a query.
    os._exit(code)


def _last_word(_: object, error: BaseException, *__: object) -> None:
    """Python's own, not a catch-all: the process ends with 1 as it would have."""
    from hindbrain.entry.cli.errors import tell_bug

    tell_bug(error, is_json="--json" in sys.argv)


if __name__ == "__main__":
    main()
