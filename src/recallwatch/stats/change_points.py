"""Change points of a series by E-divisive: where would two halves differ most, and is that more than chance?

Source: Matteson & James 2014, arXiv 1306.4933 (the statistic, α = 1); the test is Student's t on both sides of the split, as
    in Apache Otava, because permutations give other points on every run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .closed_forms import Floats, p_of

MIN_WINDOWS = 3  # windows on each side
LEVEL = 1e-4  # strict, because the best of many splits is tested


@dataclass(frozen=True)
class Point:
    """A change.

    Args:
        place: index of the first window after it.
        before, after: means of the segments on both sides.
        p: of the difference of the two.
    """

    place: int
    before: float
    after: float
    p: float


def find(values: Floats) -> list[Point]:
    """Change points of a series, in order; shape (n_windows,), finite."""
    places = _split(values, 0, len(values))
    edges = [0, *places, len(values)]
    points = []
    for i, place in enumerate(places, 1):
        a, b = values[edges[i - 1] : place], values[place : edges[i + 1]]
        points.append(Point(place, float(a.mean()), float(b.mean()), _p(a, b)))
    return points


def _split(values: Floats, start: int, end: int) -> list[int]:
    """Split where the energy distance is largest, while the split is certain; then each side."""
    part = values[start:end]
    if len(part) < 2 * MIN_WINDOWS:
        return []
    place = max(range(MIN_WINDOWS, len(part) - MIN_WINDOWS + 1), key=lambda i: (energy(part, i), -i))
    if _p(part[:place], part[place:]) > LEVEL:
        return []
    return [*_split(values, start, start + place), start + place, *_split(values, start + place, end)]


def energy(part: Floats, place: int) -> float:
    """n m / (n + m) · (2 E|X − Y| − E|X − X′| − E|Y − Y′|) for the split at ``place``."""
    a, b = part[:place], part[place:]
    n, m = len(a), len(b)
    between = float(np.abs(a[:, None] - b[None, :]).mean())
    within = sum(float(np.abs(x[:, None] - x[None, :]).sum()) / max(len(x) * (len(x) - 1), 1) for x in (a, b))
    return n * m / (n + m) * (2 * between - within)


def _p(a: Floats, b: Floats) -> float:
    """Student's t with pooled variance; no spread at all: any difference is certain."""
    n, m = len(a), len(b)
    square = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / (n + m - 2)
    difference = float(b.mean() - a.mean())
    if abs(difference) < 1e-12:
        return 1.0
    return p_of(difference, math.sqrt(square * (1 / n + 1 / m)), float(n + m - 2))
