"""How a class of values is made: the part of `dataclasses` that is used here, for processes that live 30 ms.

The standard library writes the methods of each class as text and compiles it, and loads `inspect` to do so; that
cost a short command more than its answer. Here all classes share their methods. Type checkers see the real
names, and `dataclasses.fields` and the like work on what is made here, for whoever wants them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing typing would cost more than this module
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import Any, TypeVar

    T = TypeVar("T")
    C = TypeVar("C", bound=type[Any])

_set = object.__setattr__  # the way round `frozen`, for those who make a value


def names_of(value: object) -> tuple[str, ...]:
    """The names of a value's fields, in order; none for anything that was not made here."""
    kind = type(value)
    return _slots(kind) if "__dataclass_fields__" in kind.__dict__ else ()


def filled(kind: type[T], values: Sequence[Any]) -> T:
    """A value whose fields are all of `values`, in their order: for rows, which are read by the hundred."""
    made = object.__new__(kind)
    for place, name in enumerate(_slots(kind)):
        _set(made, name, values[place])
    return made


class _Fresh:
    """A default that is made anew for every value."""

    __slots__ = ("made",)

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made


def _field(*, default_factory: Callable[[], Any]) -> Any:
    return _Fresh(default_factory)


def _dataclass(*, slots: bool, frozen: bool = False, kw_only: bool = False) -> Callable[[C], C]:
    if not slots:
        raise TypeError("values have slots and nothing else")
    return lambda cls: _slotted(cls, is_frozen=frozen, is_keyword_only=kw_only)


def _slotted(cls: C, *, is_frozen: bool, is_keyword_only: bool) -> C:
    """`cls` once more: slots can only be given to a class while it is made."""
    if cls.__bases__ != (object,):
        raise TypeError(f"{cls.__name__} inherits: values do not")
    names = tuple(cls.__annotations__)
    space = {name: found for name, found in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    defaults = {name: space.pop(name) for name in names if name in space}
    own = space.get("__init__")  # of a class of which so many are made that it is worth writing out
    space = (_FROZEN if is_frozen else _CHANGING) | space
    space |= {
        "__slots__": names,
        "__init__": own or (_by_name(names, defaults) if is_keyword_only else _by_place(names, defaults)),
        "__dataclass_fields__": _Fields(defaults, is_keyword_only=is_keyword_only),
    }
    made: Any = type(cls.__name__, cls.__bases__, space)
    return made  # type: ignore[no-any-return]


def _by_name(names: tuple[str, ...], defaults: Mapping[str, Any]) -> Callable[..., None]:
    plain, fresh = _sorted(defaults)
    size = len(names)

    def __init__(self: object, /, **given: Any) -> None:  # noqa: N807
        values = given if len(given) == size else plain | given
        for name, make in fresh.items():
            if name not in given:
                values[name] = make()
        try:
            for name, value in values.items():
                _set(self, name, value)
        except AttributeError:
            raise _misfit(self, values) from None
        if len(values) != size:
            raise _misfit(self, values)

    return __init__


def _by_place(names: tuple[str, ...], defaults: Mapping[str, Any]) -> Callable[..., None]:
    if tuple(defaults) != names[len(names) - len(defaults) :]:
        raise TypeError("a field without a default cannot follow one with a default")
    by_name = _by_name(names, defaults)
    ends = tuple(defaults.values())
    least, most = len(names) - len(ends), len(names)
    has_fresh = any(type(default) is _Fresh for default in ends)

    def __init__(self: object, /, *given: Any, **named: Any) -> None:  # noqa: N807
        count = len(given)
        if named or has_fresh or not least <= count <= most:
            placed = dict(zip(names, given, strict=False))
            if count > most or placed.keys() & named.keys():
                raise TypeError(f"{type(self).__name__} takes {most} values, each once")
            by_name(self, **placed, **named)
            return
        values = given if count == most else given + ends[count - least :]
        for place, name in enumerate(names):  # a zip that is strict takes as long as all the rest
            _set(self, name, values[place])

    return __init__


def _sorted(defaults: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Callable[[], Any]]]:
    """Defaults that every value may share, and those that each makes for itself."""
    fresh = {name: default.made for name, default in defaults.items() if type(default) is _Fresh}
    plain = {name: default for name, default in defaults.items() if name not in fresh}
    for name, default in plain.items():
        if type(default).__hash__ is None:
            raise ValueError(f"all values would share the default of {name}: use field(default_factory=…)")
    return plain, fresh


def _misfit(value: object, given: Mapping[str, Any]) -> TypeError:
    names = _slots(type(value))
    lacking = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    told = [f"lacks {', '.join(lacking)}"] if lacking else []
    told += [f"has no {', '.join(unknown)}"] if unknown else []
    return TypeError(f"{type(value).__name__} {' and '.join(told)}")


def _slots(kind: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = kind.__slots__
    return names


def _values(value: object) -> tuple[Any, ...]:
    return tuple([getattr(value, name) for name in _slots(type(value))])


def _replace(value: T, /, **changes: Any) -> T:
    kind = type(value)
    made = object.__new__(kind)
    for name in _slots(kind):
        _set(made, name, changes.pop(name) if name in changes else getattr(value, name))
    if changes:
        raise _misfit(value, dict(zip(_slots(kind), _values(value), strict=True)) | changes)
    return made


def _is_equal(value: object, other: object) -> bool:
    return _values(value) == _values(other) if type(value) is type(other) else NotImplemented


def _hashed(value: object) -> int:
    return hash(_values(value))


def _shown(value: object) -> str:
    kind = type(value)
    said = ", ".join(f"{name}={held!r}" for name, held in zip(names_of(value), _values(value), strict=True))
    return f"{kind.__qualname__}({said})"


def _refused(value: object, name: str, *_: object) -> None:
    raise AttributeError(f"{name} cannot change: {type(value).__name__} is frozen")


def _reduced(value: object) -> tuple[Any, ...]:
    """For copies and pickles: made anew, by the same door."""
    return _remade, (type(value), _values(value))


def _remade(kind: type[T], values: tuple[Any, ...]) -> T:
    return kind(**dict(zip(_slots(kind), values, strict=True)))


_CHANGING: dict[str, Any] = {
    "__eq__": _is_equal,
    "__hash__": None,
    "__repr__": _shown,
    "__reduce__": _reduced,
    "__replace__": _replace,
}
_FROZEN: dict[str, Any] = _CHANGING | {
    "__hash__": _hashed,
    "__setattr__": _refused,
    "__delattr__": _refused,
}


class _Fields:
    """What the functions of `dataclasses` look for; made, and paid for, when one of them looks."""

    def __init__(self, defaults: Mapping[str, Any], *, is_keyword_only: bool) -> None:
        self._defaults = defaults
        self._is_keyword_only = is_keyword_only

    def __get__(self, _: object, kind: type[Any]) -> Any:
        import dataclasses

        described = [(name, type_, self._described(name)) for name, type_ in kind.__annotations__.items()]
        twin: Any = dataclasses.make_dataclass(kind.__name__, described, kw_only=self._is_keyword_only)
        return twin.__dataclass_fields__

    def _described(self, name: str) -> Any:
        import dataclasses

        default = self._defaults.get(name, dataclasses.MISSING)
        if isinstance(default, _Fresh):
            return dataclasses.field(default_factory=default.made)
        return dataclasses.field(default=default)


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _field, _replace
