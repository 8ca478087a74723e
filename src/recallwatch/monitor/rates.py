"""A share of the recalls in two windows, with hours as blocks and the binomial error as the floor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..stats.closed_forms import p_of
from .measurement import Measured

if TYPE_CHECKING:
    from .settings import Settings
    from .sides import Both

MIN_BLOCKS = 3  # fewer hours say nothing of how hours differ: binomial only, named so


def rate_test(test: Measured, hits: Both, n: Both, hours: Both, settings: Settings) -> Measured:
    """Fill a test with the difference of two rates.

    Args:
        test: gets reference, current, effect, se, df, p.
        hits: cases per row, of the reference and of the current window.
        n: recalls per row, likewise.
        hours: hour of each row, likewise.
        settings: floors.
    """
    totals = [int(x.sum()) for x in n]
    if min(totals) < settings.min_queries:
        test.lack = f"{min(totals)} recalls in the smaller window, {settings.min_queries} are needed"
        if not min(totals):
            return test
    rates = [float(x.sum()) / t for x, t in zip(hits, totals, strict=True)]
    spread, blocks = 0.0, []
    for x, k, t, rate, hour in zip(hits, n, totals, rates, hours, strict=True):
        _, place = np.unique(hour, return_inverse=True)
        excess = (np.bincount(place, x) - rate * np.bincount(place, k)) / t
        spread += float((excess**2).sum())
        blocks.append(len(excess))
    pool = (float(hits[0].sum() + hits[1].sum()) + 1) / (sum(totals) + 2)
    binomial = pool * (1 - pool) * (1 / totals[0] + 1 / totals[1])
    is_blocked = min(blocks) >= MIN_BLOCKS
    variance = max(spread * min(blocks) / (min(blocks) - 1), binomial) if is_blocked else binomial
    test.df = float(min(blocks) - 1) if is_blocked else math.inf
    test.blocks, test.provisional = "hours" if is_blocked else "runs", not is_blocked
    test.reference, test.current, test.effect, test.se = rates[0], rates[1], rates[1] - rates[0], math.sqrt(variance)
    test.p = p_of(test.effect, test.se, test.df)
    return test


def is_large_rate(test: Measured, hits: Both, settings: Settings) -> bool:
    """One point, or a ratio of two with at least 20 cases: rare failures count in ratios."""
    if test.effect is None or test.reference is None or test.current is None:
        return False
    low, high = sorted((test.reference, test.current))
    is_doubled = high >= 2 * low and max(int(hits[0].sum()), int(hits[1].sum())) >= settings.min_above
    return abs(test.effect) >= settings.floor_rate or is_doubled
