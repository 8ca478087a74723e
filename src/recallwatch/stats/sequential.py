"""A change that no single night shows: evidence added up from night to night, with a promise of how rarely it errs.

Source: Shin, Ramdas & Rinaldo 2022, arXiv 2203.03532 (e-detectors: average run length to a false alarm >= the threshold); the increments
    are likelihood ratios of a normal mean, their mixture as in Robbins 1970 and Howard et al. 2021, doi 10.1214/20-AOS1991; scores
    are one-step-ahead and so independent: Brown, Durbin & Evans 1975, JRSS B 37, 149-192.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

SHIFTS = (0.75, 1.5, 3.0)  # standard deviations of a night that a change is looked for
LARGEST = 3.5  # one night alone, however odd, is no series


@dataclass
class Detector:
    """One statistic over nights, in one direction.

    Attributes:
        evidence: for each shift the sum, over every night a change may have begun in, of its likelihood ratio since; its mean is what is compared.
        since: nights since the change most likely began.
    """

    evidence: list[float] = field(default_factory=lambda: [0.0] * len(SHIFTS))
    since: int = 0
    _walk: float = 0.0

    def add(self, score: float) -> float:
        """One more night: its score, a standard normal where nothing changed, large where it is worse. Returns the evidence.

        Unchanged nights pass a threshold c no more often than once in c nights, on average.
        """
        x = min(score, LARGEST)
        self.evidence = [min((1 + e) * math.exp(s * x - s * s / 2), 1e30) for e, s in zip(self.evidence, SHIFTS, strict=True)]
        step = SHIFTS[0] * x - SHIFTS[0] ** 2 / 2
        self._walk, self.since = (self._walk + step, self.since + 1) if self._walk + step > 0 else (0.0, 0)
        return sum(self.evidence) / len(SHIFTS)

    def cap(self, limit: float) -> None:
        """Forget what is over a limit, so that a recovery shows soon."""
        self.evidence = [min(e, limit) for e in self.evidence]


def mean_of(nights: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean of the effects of nights, and its standard error; each night is (effect, standard error), all independent."""
    return sum(effect for effect, _ in nights) / len(nights), math.sqrt(sum(se * se for _, se in nights)) / len(nights)


def slope_of(nights: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Change of the effect from one night to the next by least squares, and its standard error; two nights or more.

    Example:
        >>> slope_of([(0.0, 0.1), (-0.2, 0.1), (-0.4, 0.1)])[0]
        -0.2
    """
    at = [i - (len(nights) - 1) / 2 for i in range(len(nights))]
    square = sum(x * x for x in at)
    slope = sum(x * effect for x, (effect, _) in zip(at, nights, strict=True)) / square
    return slope, math.sqrt(sum(x * x * se * se for x, (_, se) in zip(at, nights, strict=True))) / square
