"""How much a client can be told at once, and what is left out when it is too much."""

MOST = 9_500  # UTF-16 units; two clients put away what is longer than about 10,000, and show its beginning
_CUT = "(The rest did not fit in here.)"


def fitted(text: str, most: int = MOST) -> str:
    """`text`, or its first lines, a line that says so, and its last line where that closes a fence.

    Units that are no characters are exchanged: some clients refuse a whole answer for one of them.
    """
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if _size(text) <= most:
        return text
    head, _, last = text.rpartition("\n")
    end = f"\n{_CUT}\n{last}" if last.startswith("</") else f"\n{_CUT}"
    room = most - _size(end)
    if room <= 0:  # a last line as long as that is no fence of ours
        end, room = f"\n{_CUT}", most - len(_CUT) - 1
    kept = _head(head if last.startswith("</") else text, room)
    whole, _, _ = kept.rpartition("\n")
    return (whole or kept) + end


def _head(text: str, room: int) -> str:
    """As many characters as fit."""
    kept = text[:room]
    while (over := _size(kept) - room) > 0:
        kept = kept[: -((over + 1) // 2)]
    return kept


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
