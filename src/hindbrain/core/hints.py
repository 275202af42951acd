"""How types are named for the checker without loading `typing`, which a short command would notice.

A checker sees the names of `typing`. At run time they stand for the little that annotations need of them; nothing
here looks at annotations. A named tuple is made by `collections`, as that of `typing` is.
"""

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from typing import Any as Any
    from typing import BinaryIO as BinaryIO
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TextIO as TextIO
    from typing import TypedDict as TypedDict
    from typing import TypeVar as TypeVar
    from typing import Unpack as Unpack
    from typing import cast as cast
else:
    Any = BinaryIO = NoReturn = Protocol = TextIO = object
    Unpack = tuple

    class TypedDict(dict):
        def __init_subclass__(cls, *, total: bool = True) -> None: ...

    def TypeVar(_name: str, *_kinds: type, **_rest: object) -> type:  # noqa: N802
        return object

    def cast(_kind: object, value: object) -> object:
        return value

    class _Tupled(type):
        def __new__(cls, name: str, _bases: tuple[type, ...], space: dict[str, object]) -> type:
            from collections import namedtuple

            names = tuple(type(name, (), dict(space)).__annotations__)
            made = namedtuple(name, names, defaults=[space[field] for field in names if field in space])
            for key in space.keys() - {*names, "__annotations__"}:
                setattr(made, key, space[key])
            return made

    NamedTuple = type.__new__(_Tupled, "NamedTuple", (), {})
