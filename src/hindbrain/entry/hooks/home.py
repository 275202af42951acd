"""Where a hook's home is: as `settings.load` finds it, without loading it. A test holds the two together."""

import sys


def home_of(environ: dict[bytes, bytes]) -> str:
    home = environ.get(b"HINDBRAIN_HOME") or _data_folder(environ)
    user = environ.get(b"HOME", b"")
    if home.startswith(b"~/") and user.rstrip(b"/"):
        home = user.rstrip(b"/") + home[1:]
    elif home.startswith(b"~"):
        import os  # nobody has set HOME, or it is another user's

        home = os.path.expanduser(home)
    return home.decode(sys.getfilesystemencoding(), "surrogateescape")


def _data_folder(environ: dict[bytes, bytes]) -> bytes:
    if sys.platform == "darwin":
        return b"~/Library/Application Support/hindbrain"
    return (environ.get(b"XDG_DATA_HOME") or b"~/.local/share").rstrip(b"/") + b"/hindbrain"
