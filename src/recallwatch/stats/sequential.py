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
YEAR = 365  # nights that an onset is looked for in
LARGEST = 3.5  # one night alone, however odd, is no series


@dataclass
class Detector:
    """One statistic over nights, in one direction.

    Attributes:
        evidence: for each shift the sum, over every night a change may have begun in, of its likelihood ratio since; its mean is what is compared.
        scores: of the last year's nights, the newest last.
    """

    evidence: list[float] = field(default_factory=lambda: [0.0] * len(SHIFTS))
    scores: list[float] = field(default_factory=list)

    def add(self, score: float) -> float:
        """One more night: its score, a standard normal where nothing changed, large where it is worse. Returns the evidence.

        Unchanged nights pass a threshold c no more often than once in c nights, on average.
        """
        x = min(score, LARGEST)
        self.evidence = [min((1 + e) * math.exp(s * x - s * s / 2), 1e30) for e, s in zip(self.evidence, SHIFTS, strict=True)]
        self.scores = [*self.scores[1 - YEAR :], x]
        return sum(self.evidence) / len(SHIFTS)

    @property
    def since(self) -> int:
        """Nights since the change most likely began: those that are the least like unchanged ones, as a step or as a slope; 0 = none has."""
        best, since, step, slope = 0.0, 0, 0.0, 0.0
        for n, score in enumerate(reversed(self.scores), 1):  # one night more, before the others: a slope's nights weigh 1 … n
            slope += step + score
            step += score
            if (likely := max(step / math.sqrt(n), slope / math.sqrt(n * (n + 1) * (2 * n + 1) / 6))) > best:
                best, since = likely, n
        return since

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
