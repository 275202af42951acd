"""What is remembered of a hook that could not do its work: a few lines that `hindbrain doctor` shows."""

import posix

NAME = "hook-trouble"
_MOST, _KEPT = 16_384, 4_096  # bytes; of a longer file only its end stays
_LONGEST = 500  # characters of a line


def note(home: str, line: str) -> None:
    """As well as it can: where not even this can be written, nothing can be done."""
    kept = " ".join(line[:_LONGEST].split()).encode("utf-8", "replace") + b"\n"
    try:
        handle = posix.open(f"{home}/{NAME}", posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
        try:
            size = posix.fstat(handle).st_size
            if size > _MOST:
                kept = posix.pread(handle, _KEPT, size - _KEPT).partition(b"\n")[2] + kept
                posix.ftruncate(handle, 0)
            posix.write(handle, kept)
        finally:
            posix.close(handle)
    except OSError:
        return
