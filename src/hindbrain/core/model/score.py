"""Why one memory comes before another, as data: the total is derived from its reasons."""

from hindbrain.core.value import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    name: str
    value: float
    weight: float
    note: str = ""  # which words, which path

    def __init__(self, name: str, value: float, weight: float, note: str = "") -> None:
        """Written out, as dozens are made for every question."""
        put = object.__setattr__
        put(self, "name", name)
        put(self, "value", value)
        put(self, "weight", weight)
        put(self, "note", note)

    @property
    def part(self) -> float:
        return self.value * self.weight

    def __str__(self) -> str:
        noted = f" ({self.note})" if self.note else ""
        return f"{self.name} {self.value:.2f}×{self.weight:.3g}{noted}"


@dataclass(frozen=True, slots=True)
class Score:
    reasons: tuple[Reason, ...]

    @property
    def total(self) -> float:
        return sum([reason.value * reason.weight for reason in self.reasons])  # their parts

    def __float__(self) -> float:
        return self.total

    def __str__(self) -> str:
        return f"{self.total:.3f} = " + " + ".join(str(reason) for reason in self.reasons)
