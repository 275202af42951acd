"""Where a process begins: the command line loads only once it is clear that one was called."""

import sys


def main() -> None:
    from hindbrain.entry.cli.errors import tell_bug
    from hindbrain.entry.cli.main import run

    # Python's own last word, not a catch-all: the process ends with 1 as it would have.
    sys.excepthook = lambda kind, error, trace: tell_bug(error, is_json="--json" in sys.argv)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
