"""How a closed set of words is made: the part of `enum.StrEnum` that is used here, without loading `enum`.

A member is its word: it compares, sorts, hashes and prints as that text. Type checkers see the real class.
"""

TYPE_CHECKING = False  # checkers take it for True
if TYPE_CHECKING:
    from enum import StrEnum as StrEnum
else:

    class _Closed(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, object]) -> "_Closed":
            words = {key: word for key, word in space.items() if type(word) is str and not key.startswith("_")}
            made = super().__new__(cls, name, bases, {key: held for key, held in space.items() if key not in words})
            made._members = {word: str.__new__(made, word) for word in words.values()}
            for key, word in words.items():
                made._members[word].name = key
                setattr(made, key, made._members[word])
            return made

        def __call__(cls, word: object) -> "StrEnum":
            try:
                return cls._members[word]
            except (KeyError, TypeError):
                raise ValueError(f"{word!r} is not a valid {cls.__name__}") from None

        def __iter__(cls) -> object:
            return iter(cls._members.values())

        def __len__(cls) -> int:
            return len(cls._members)

        def __contains__(cls, word: object) -> bool:
            return isinstance(word, str) and word in cls._members

    class StrEnum(str, metaclass=_Closed):
        name: str

        @property
        def value(self) -> str:
            return str(self)

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __reduce__(self) -> tuple[type, tuple[str]]:
            return type(self), (self.value,)
