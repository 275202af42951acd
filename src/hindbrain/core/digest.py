"""By what SHA-256 is computed: Python's own code, because `hashlib` loads all of OpenSSL first.

The digits are the same. Loading OpenSSL takes a short command longer than everything it ever hashes; whoever hashes a
hundred thousand texts saves most of that time by it.
"""

TYPE_CHECKING = False  # checkers take it for True, and know only the public module
if TYPE_CHECKING:
    from hashlib import sha256 as _sha256
else:
    try:
        from _sha2 import sha256 as _sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256 as _sha256
        except ImportError:  # a Python that was built without them
            from hashlib import sha256 as _sha256


def sha256(data: bytes) -> str:
    """64 hex digits."""
    return _sha256(data).hexdigest()


def raw_sha256(data: bytes) -> bytes:
    """The same as 32 bytes."""
    return _sha256(data).digest()


def hasten() -> None:
    """From now on let OpenSSL hash in this process: for who hashes very much."""
    global _sha256
    from hashlib import sha256 as by_openssl

    _sha256 = by_openssl


class Running:
    """A SHA-256 over many parts, as they come. Where one ends counts."""

    def __init__(self) -> None:
        self._hash = _sha256()
        self.count = 0

    def add(self, part: bytes) -> None:
        self._hash.update(b"%d:%b" % (len(part), part))
        self.count += 1

    @property
    def hex(self) -> str:
        return self._hash.hexdigest()
