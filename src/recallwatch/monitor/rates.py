"""A share of the recalls in two windows, with hours as blocks and the binomial error as the floor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..stats.closed_forms import p_of, predicted
from .measurement import SMALLER, Measured, too_few

if TYPE_CHECKING:
    from ..stats.closed_forms import Floats, Ints
    from .settings import Settings
    from .sides import Both, Sides

SECONDS = 3600
MIN_BLOCKS = 3  # fewer hours say nothing of how hours differ: binomial only, named so


def rate_test(test: Measured, hits: Both, n: Both, hours: Both, sides: Sides) -> Measured:
    """Fill a test with the difference of two rates.

    Args:
        test: gets reference, current, effect, se, df, p.
        hits: cases per row, of the reference and of the current window.
        n: recalls per row, likewise.
        hours: hour of each row, likewise.
        sides: minimum, and the windows of the reference: with history, what their rates differ by anyway stands in where it is larger.
    """
    totals = [int(x.sum()) for x in n]
    if min(totals) < sides.settings.min_queries:
        test.lack = too_few(min(totals), sides.settings.min_queries, SMALLER, "recall")
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
    if sides.has_history:
        _between_windows(test, _rates_of(hits[0], n[0], hours[0], sides), totals[1])
    return test


def _rates_of(hits: Ints, n: Ints, hours: Ints, sides: Sides) -> Floats:
    """The rate of each reference window that has recalls."""
    starts = np.array([unit.start.timestamp() // SECONDS for unit in sides.refs])
    place = np.maximum(np.searchsorted(starts, hours, "right") - 1, 0)
    count, cases = (np.bincount(place, x, len(starts)) for x in (n, hits))
    return np.asarray(cases[count > 0] / count[count > 0], np.float64)


def _between_windows(test: Measured, past: Floats, n: int) -> None:
    """The prediction t of the rate's arcsine root, whose spread is the same for rare and frequent cases; it may only lower the certainty."""
    if len(past) < MIN_BLOCKS or test.current is None or test.p is None:
        return
    roots = np.arcsin(np.sqrt(past))
    effect, se, df = predicted(math.asin(math.sqrt(test.current)), roots.tolist(), 1 / math.sqrt(4 * n))
    p = p_of(effect, se, df)
    if p > test.p:
        spread = math.sqrt(float(past.var(ddof=1)) * (1 + 1 / len(past)))
        test.p, test.se, test.df, test.blocks = p, max(test.se or 0.0, spread), df, "days"


def is_large_rate(test: Measured, hits: Both, settings: Settings) -> bool:
    """One point, or a ratio of two with at least 20 cases: rare failures count in ratios."""
    if test.effect is None or test.reference is None or test.current is None:
        return False
    low, high = sorted((test.reference, test.current))
    is_doubled = high >= 2 * low and max(int(hits[0].sum()), int(hits[1].sum())) >= settings.min_above
    return abs(test.effect) >= settings.floor_rate or is_doubled
