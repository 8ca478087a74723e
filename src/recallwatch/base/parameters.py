"""Numbers that are part of a metric, as p of ``rbp(p=0.8)``."""

from dataclasses import dataclass

from .errors import UsageError


@dataclass(frozen=True)
class Parameter:
    """A number that is part of a metric, as p of ``rbp(p=0.8)``; its macro gets it after k.

    Args:
        name: as written in the parentheses.
        default: where it is left out; None = then it says nothing, and is no part of the metric's name.
        low, high: smallest and largest value allowed.
        meaning: one line for people.
    """

    name: str
    default: float | None
    low: float
    high: float
    meaning: str

    def read(self, text: str, where: str) -> float:
        """The value of a text.

        Raises:
            UsageError: no number, or out of range.
        """
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self.low <= value <= self.high:
            what = f"{self.name} must be a number from {self.low:g} to {self.high:g}, saw {text.strip()!r}"
            raise UsageError(what, where=where, fix=f"For example {self.name}={self.default or self.low:g} ({self.meaning})")
        return value


REL = Parameter("rel", None, -1e6, 1e6, "the smallest grade that is relevant")
PATIENCE = Parameter("p", 0.8, 0.01, 0.99, "the probability of going on to the next rank")
