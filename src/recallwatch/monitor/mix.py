"""Mix: did the traffic change? Query classes, tenants, cache hits, and the effect of that alone on the mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..stats.closed_forms import Ints, among, chi2_tail, one_sided, p_of, predicted, satterthwaite, summed
from .measurement import BOTH, SMALLER, Measured, too_few
from .rates import rate_test

if TYPE_CHECKING:
    from .sides import Sides

MIN_SHARE = 1e-6  # keeps a class that one window lacks finite
MIN_SHARES = 3
SHOWN = 5


def measure(sides: Sides) -> list[Measured]:
    """Class and tenant shares, the mix's effect on the first metric, the cache-hit share."""
    events = sides.state.events
    tests = [
        _psi(sides, name, test)
        for name, test in (("query_class", "class_mix"), ("tenant_id", "tenant_mix"))
        if len(np.unique(np.concatenate(sides.column(events, name)))) > 1
    ]
    if sides.state.labels:
        tests.append(_effect(sides))
    if events["n_cache_known"].any():
        hits, known, hours = (sides.column(events, name) for name in ("n_hits", "n_cache_known", "hour"))
        tests.append(rate_test(Measured("cache_hits", "cache_hit_share"), hits, known, hours, sides))
    return tests


def _psi(sides: Sides, name: str, test_name: str) -> Measured:
    """PSI less its sampling bias deff (C − 1)(1/n + 1/m); the guard is χ² on C − 1 degrees of freedom."""
    state, settings = sides.state, sides.settings
    values = [*state.values[name], None]  # null is a category, the last one
    size = len(values)
    test = Measured(test_name, f"{name}_psi", blocks="recalls")
    code, n = sides.column(state.events, name), sides.column(state.events, "n")
    counts = [summed(c % size, k, size) for c, k in zip(code, n, strict=True)]
    totals = [float(c.sum()) for c in counts]
    if min(totals) < settings.min_queries:
        test.lack = too_few(min(totals), settings.min_queries, SMALLER, "recall")
        return test
    a, b = (np.maximum(c / t, MIN_SHARE) for c, t in zip(counts, totals, strict=True))
    parts = (b - a) * np.log(b / a)
    seen = int(((counts[0] > 0) | (counts[1] > 0)).sum())
    noise = settings.deff * (1 / totals[0] + 1 / totals[1])
    test.effect = float(parts.sum()) - (seen - 1) * noise
    test.reference, test.current = 0.0, test.effect
    test.p = chi2_tail(test.effect / noise, max(seen - 1, 1))
    if sides.has_history and float(parts.sum()) > 0:
        test.p = max(test.p, _usual_psi(float(parts.sum()), counts[0], _counts_each(sides, name, size)))
    order = sorted(range(size), key=lambda i: (-parts[i], i))[:SHOWN]
    shares = [c / t for c, t in zip(counts, totals, strict=True)]
    for i in order:
        if parts[i] > 0:
            test.where.append(
                {
                    "kind": "segment",
                    "segment": {name: values[i]},
                    "reference": float(shares[0][i]),
                    "current": float(shares[1][i]),
                }
            )
    for i in range(size):
        if counts[0][i] == 0 and counts[1][i] > 0:
            test.notes.append(f"{name} {values[i] or 'null'} is unseen in the reference")
    return test


def _counts_each(sides: Sides, name: str, size: int) -> Ints:
    """Recalls of each reference window and value, shape (n_windows, size)."""
    events = sides.state.events
    unit = {day: no for no, one in enumerate(sides.refs) for day in one.numbers}
    keep = among(events["day_no"], unit)
    cell = np.array([unit[day] for day in events["day_no"][keep].tolist()], np.int64) * size + events[name][keep] % size
    return summed(cell, events["n"][keep], len(sides.refs) * size).reshape(-1, size)


def _usual_psi(psi: float, pooled: Ints, each: Ints) -> float:
    """P of a PSI as large as this one among those of single reference windows against the others.

    Each is a sum of squares of shares' changes, whose cube root is all but normal (Wilson & Hilferty 1931); a logarithm would spread the
    small ones so far that a PSI of .3 among ones of .005 passed for usual.
    """
    each = each[each.sum(axis=1) > 0]
    rest = np.maximum(pooled - each, 0)
    a, b = (np.maximum(x / np.maximum(x.sum(axis=1, keepdims=True), 1), MIN_SHARE) for x in (rest, each))
    past = ((b - a) * np.log(b / a)).sum(axis=1)
    if len(past) < MIN_SHARES or not past.any():
        return 0.0
    return one_sided(*predicted(math.cbrt(psi), np.cbrt(past).tolist()))


def _effect(sides: Sides) -> Measured:
    """Change of the mean if every query had the same mean as before and only its share of the traffic changed: Σ (p_c − p_r) ȳ."""
    state, settings = sides.state, sides.settings
    column = state.columns[0]
    test = Measured("mix_effect", column.metric, column.k, blocks="queries")
    (nr, sr), (nc, sc) = (state.sums(str(column), d) for d in sides.days)
    both = (nr > 0) & (nc > 0)
    if int(both.sum()) < settings.min_queries:
        test.lack = sides.all_failed or too_few(int(both.sum()), settings.min_queries, BOTH, "labelled query", "labelled queries")
        return test
    p, q = nr[both] / nr[both].sum(), nc[both] / nc[both].sum()
    y = 0.5 * (sr[both] / (nr[both] * 1e12) + sc[both] / (nc[both] * 1e12))
    terms = (q - p) * (y - float((0.5 * (p + q) * y).sum()))
    test.effect = float(terms.sum())
    test.reference, test.current = float((p * y).sum()), float((q * y).sum())
    test.se, test.df = math.sqrt(float((terms**2).sum())), satterthwaite(terms**2)
    if sides.has_history:
        each = state.sums_each(str(column), [unit.numbers for unit in sides.refs])[0][:, both]
        usual = [float((row / row.sum() @ y) - (p @ y)) for row in each if row.any()]
        if len(usual) >= MIN_SHARES and (spread := float(np.std(usual, ddof=1))) > test.se:
            test.se, test.df = spread, float(len(usual) - 1)
    test.p = p_of(test.effect, test.se, test.df)
    return test
