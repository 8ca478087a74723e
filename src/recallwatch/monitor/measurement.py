"""What a drift test hands on: an effect with its uncertainty, before anybody decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..document.numbers import plural

SMALLER, BOTH = "in the smaller window", "in both windows"


@dataclass
class Measured:
    """One comparison of two windows.

    Args:
        test: its name in DRIFT_TESTS, which holds unit, direction, floor and family.
        metric, k, stage, quantile, segment: what was compared; segment {} = everything.
        reference, current: the two values, in the unit of the metric (ms for times).
        effect: current against reference, in the test's unit; None = cannot be computed.
        se, df: of the effect; df inf = normal.
        p: two-sided; None = not tested.
        lack: why there is too little data to say anything; empty = enough.
        is_large: whether a floor of its own kind is reached; None = |effect| against the entry's floor.
        blocks: what is treated as independent: hours, runs or days.
        provisional: whether an assumption stands in for history.
        notes: sentences for the reason.
        where: what carries the effect, largest first.
        extra: numbers the reason needs.
    """

    test: str
    metric: str
    k: int | None = None
    stage: str | None = None
    quantile: float | None = None
    segment: dict[str, str | None] = field(default_factory=dict)
    reference: float | None = None
    current: float | None = None
    effect: float | None = None
    se: float | None = None
    df: float = float("inf")
    p: float | None = None
    lack: str = ""
    is_large: bool | None = None
    blocks: str | None = None
    provisional: bool = False
    notes: list[str] = field(default_factory=list)
    where: list[dict[str, Any]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def column(self) -> str:
        """Name of the metric at its depth, as in the state."""
        return str(self.extra.get("column") or (f"{self.metric}@{self.k}" if self.k is not None else self.metric))

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes it the same comparison in another pair of windows."""
        return (self.test, self.metric, self.k, self.stage, self.quantile, tuple(sorted(self.segment.items())))


def too_few(n: float, minimum: int, where: str, one: str, many: str = "") -> str:
    """A sentence for ``lack``: ``3 recalls in the smaller window, 20 are needed``."""
    return f"{plural(round(n), one, many)} {where}, {minimum} are needed"
