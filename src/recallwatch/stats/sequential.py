"""A change that no single night shows: evidence added up from night to night, with a promise of how rarely it errs.

Source: Shin, Ramdas & Rinaldo 2022, arXiv 2203.03532 (e-detectors: average run length to a false alarm >= the threshold); the increments
    are likelihood ratios of a normal mean, their mixture as in Robbins 1970 and Howard et al. 2021, doi 10.1214/20-AOS1991; scores
    are one-step-ahead and so independent: Brown, Durbin & Evans 1975, JRSS B 37, 149-192.
"""

from __future__ import annotations

import math
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
