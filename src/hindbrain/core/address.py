"""What the name of a store may give away: a server's address is shown without its password."""


def is_server(store: str) -> bool:
    """Whether `store` names a server, and not a file."""
    return store.startswith(("postgresql://", "postgres://"))


def shown(store: str) -> str:
    """`store` for people, logs and messages."""
    scheme, mark, rest = store.partition("://")
    if not mark:
        return store
    login, at, place = rest.rpartition("@")  # whatever stands before the last one may belong to the password
    user, has_password, _ = login.partition(":")
    where, has_query, query = place.partition("?")
    said = "&".join(_masked(part) for part in query.split("&"))
    return f"{scheme}://{user}{':***' if has_password else ''}{at}{where}{has_query}{said}"


def _masked(part: str) -> str:
    name, mark, _ = part.partition("=")
    return f"{name}=***" if mark and "password" in name.lower() else part
