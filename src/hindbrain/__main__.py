"""Where a process begins: the command line loads only once it is clear that one was called."""

import sys


def main() -> None:
    from hindbrain.entry.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
