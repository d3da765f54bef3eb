"""What rows hold, as bits of one number: many rows hold the same, and it is weighed once."""

from collections.abc import Iterable, Mapping


class Marks:
    """A bit for each expression."""

    def __init__(self, expressions: Iterable[str]) -> None:
        self._bits = {name: 1 << at for at, name in enumerate(dict.fromkeys(expressions))}

    def of(self, *expressions: str) -> int:
        """Return the bits of expressions; one that has none counts for nothing."""
        marks = 0
        for expression in expressions:
            marks |= self._bits.get(expression, 0)
        return marks

    def weights(self, weights: Mapping[str, float]) -> "Weights":
        """Return what sets of bits weigh, told from what each expression does."""
        return Weights({self._bits[name]: weight for name, weight in weights.items()})


class Weights(dict[int, float]):
    """What sets of bits weigh. Each is worked out when it is first asked for."""

    def __init__(self, weights: Mapping[int, float]) -> None:
        super().__init__()
        self._each = weights

    def __missing__(self, marks: int) -> float:
        weight, rest = 0.0, marks
        while rest:
            lowest = rest & -rest
            weight += self._each.get(lowest, 0.0)
            rest ^= lowest
        self[marks] = weight
        return weight
