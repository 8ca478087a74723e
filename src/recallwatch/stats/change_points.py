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
MAX_CORRELATION = 0.95
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
    """Student's t with pooled variance; no spread at all: any difference is certain.

    Windows that resemble their neighbours say less than as many independent ones: by (1 + r) / (1 − r), r their correlation with the
    window before, on both sides of the split, plus what its estimate from so few windows lacks.
    """
    n, m = len(a), len(b)
    difference = float(b.mean() - a.mean())
    if abs(difference) < 1e-12:
        return 1.0
    sides = [x - x.mean() for x in (a, b)]
    sums = sum(float((x * x).sum()) for x in sides)
    if not sums:
        return 0.0
    r = sum(float((x[1:] * x[:-1]).sum()) for x in sides) / sums
    r = min(max(r + (1 + 3 * max(r, 0.0)) * 2 / (n + m), 0.0), MAX_CORRELATION)
    factor = (1 + r) / (1 - r)
    df = max((n + m - 2) / factor, 1.0)
    return p_of(difference, math.sqrt(sums / (n + m - 2) * factor * (1 / n + 1 / m)), df)
