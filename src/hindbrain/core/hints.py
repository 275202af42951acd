"""How types are named for the checker without loading `typing`, which a short command would notice.

A checker sees the names of `typing`. At run time they stand for the little that annotations need of them; nothing
here looks at annotations. A named tuple is the real one, and costs what it costs.
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

    def __getattr__(name: str) -> object:
        if name != "NamedTuple":
            raise AttributeError(name)
        import typing

        return typing.NamedTuple
