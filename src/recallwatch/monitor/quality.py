"""Quality, paired by query: did queries that are in both windows get other answers?"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import UsageError
from ..base.metrics import is_lower_better
from ..base.registry import known
from ..document.numbers import ratio, share
from ..stats.closed_forms import MAX_FLIPS, Floats, Ints, flips, p_of, weighted_mean
from .measurement import BOTH, Measured, too_few
from .state import SCALE

if TYPE_CHECKING:
    from ..base.definition import Column
    from .settings import Settings
    from .sides import Sides

Sums = tuple[Ints, Ints]  # count and exact sum in 1e-12 per label number
MIN_TENANTS = 5  # clusters that show how much clusters differ
DUST = 1e-9  # sums are rounded at 1e-12 a value: what is smaller is no change


@dataclass(frozen=True)
class Paired:
    """The queries of both windows.

    Args:
        label: label numbers, shape (m,).
        d: mean of the current window less that of the reference; exactly 0 where nothing changed.
        w: weights, Σ w = 1.
        before, after: the two means.
    """

    label: Ints
    d: Floats
    w: Floats
    before: Floats
    after: Floats


def measure(sides: Sides) -> list[Measured]:
    """Every tested metric over everything, then inside each class and tenant.

    Raises:
        UsageError: a column of ``segments`` that the log has no values of.
    """
    state = sides.state
    tests = [measure_metric(sides, c) for c in state.columns]
    tests += [_by_traffic(sides, test) for test in tests if not test.lack]
    for name in sides.settings.segments:
        if name not in state.values:
            raise UsageError(f"no segment {name!r}", where="drift.segments", fix=known(name, state.quality.segments))
        values = state.values[name]
        if len(values) < 2:  # one value is everything
            continue
        for code in range(len(values)):
            tests += [measure_metric(sides, c, segment=(name, code)) for c in state.columns]
    return [test for test in tests if test.test != "quality_segment" or not test.extra.get("is_absent")]


def measure_metric(sides: Sides, column: Column, *, segment: tuple[str, int] | None = None) -> Measured:
    """One metric, one segment: weighted mean of the per-query differences, its error, its p."""
    state, settings = sides.state, sides.settings
    named = {segment[0]: state.values[segment[0]][segment[1]]} if segment else {}
    test = Measured("quality_segment" if segment else "quality", column.metric, column.k, segment=named, blocks="queries")
    before, after = (state.sums(str(column), days, segment) for days in sides.days)
    pairs = pair(before, after, settings.kappa)
    moved = pairs.d != 0
    test.extra.update(queries=len(moved), is_absent=not before[0].any() and not after[0].any(), kinds=kinds_of(sides, pairs.label))
    if why := sides.all_failed or sides.other_lists(column.k):
        test.lack = why
        return test
    if len(moved) < 2:
        test.lack = lack_of(len(moved), 0.0, before, after, minima_of(settings, test))
        return test
    mean = weighted_mean(pairs.d, pairs.w)
    test.reference, test.current = float((pairs.w * pairs.before).sum()), float((pairs.w * pairs.after).sum())
    test.effect, test.df, test.se = mean.mean, mean.df, math.sqrt(mean.variance)
    test.lack = lack_of(len(moved), mean.effective, before, after, minima_of(settings, test))
    test.p = flips((pairs.w * pairs.d)[moved]) if moved.sum() <= MAX_FLIPS else p_of(test.effect, test.se, test.df)
    _between_windows(test, sides, column, before, segment)
    if not segment and not sides.has_spread:
        _between_tenants(test, sides, pairs)
    n = [side[0][pairs.label] for side in (before, after)]
    traffic = n[0] / n[0].sum() + n[1] / n[1].sum()
    sign = -1 if is_lower_better(column.metric) else 1
    test.extra.update(
        worse=int((sign * pairs.d < 0).sum()),
        better=int((sign * pairs.d > 0).sum()),
        traffic=float((traffic * pairs.d).sum() / traffic.sum()),
    )
    return test


def paired_of(sides: Sides, test: Measured) -> Paired:
    """The queries of both windows that a test of quality rests on."""
    state = sides.state
    segment = next(((key, state.values[key].index(value)) for key, value in test.segment.items()), None)
    before, after = (state.sums(test.column, days, segment) for days in sides.days)
    if test.test == "quality_traffic":
        return by_traffic(before, after)
    return pair(before, after, sides.settings.kappa)


def kinds_of(sides: Sides, label: Ints) -> dict[str, int]:
    """Kind -> number of these queries whose label is of it; empty where all are of humans."""
    kinds = Counter(sides.state.labels[int(one)]["kind"] for one in label)
    return {} if set(kinds) <= {"human"} else dict(kinds)


def _by_traffic(sides: Sides, paired: Measured) -> Measured:
    """The same differences, weighted by traffic: Σ p d, p the mean share of the recalls on both sides. What consumers met.

    Were every query as likely to change as any other, its variance would be σ² Σ p², σ² the spread of d between queries, with as many
    degrees of freedom as queries that weigh alike would have; what windows differ by anyway stands in where it is larger.
    """
    before, after = (sides.state.sums(paired.column, days) for days in sides.days)
    pairs, own = pair(before, after, sides.settings.kappa), by_traffic(before, after)
    extra = {"column": paired.column, "kinds": paired.extra["kinds"]}
    test = Measured("quality_traffic", f"{paired.metric}_by_traffic", paired.k, blocks="queries", extra=extra)
    mean = float((pairs.w * pairs.d).sum())
    spread = float((pairs.w * (pairs.d - mean) ** 2).sum())
    test.reference, test.current = float((own.w * own.before).sum()), float((own.w * own.after).sum())
    leaning = float((own.w**2).sum())
    test.effect, test.df, test.se = (
        float((own.w * own.d).sum()),
        max(min(paired.df, 1 / leaning - 1), 1.0),
        math.sqrt(spread * leaning),
    )
    test.p = p_of(test.effect, test.se, test.df)
    if sides.has_spread:
        usual = traffic_shifts(before, sides.state.sums_each(paired.column, [unit.numbers for unit in sides.refs]))
        n = len(usual)
        _widen(test, float((usual**2).sum()) / (n - 1) * (1 + 1 / n), n - 1)
    most = int(np.abs(own.w * own.d).argmax())
    if abs(own.w[most] * own.d[most]) > abs(test.effect) / 2:
        label = sides.state.labels[int(own.label[most])]
        change = f"{ratio(float(own.before[most]))} → {ratio(float(own.after[most]))}"
        test.notes.append(f"query {label['query_id'] or label['query_text']}, {share(float(own.w[most]))} of the recalls: {change}")
    return test


def by_traffic(before: Sums, after: Sums) -> Paired:
    """The queries of both windows, weighted by the mean of their shares of the recalls on both sides."""
    (nr, sr), (nc, sc) = before, after
    label = np.nonzero((nr > 0) & (nc > 0))[0]
    first, then, d, _ = _pairs(nr[label], sr[label], nc[label], sc[label], 1.0)
    return Paired(label, d, (nr[label] / nr[label].sum() + nc[label] / nc[label].sum()) / 2, first, then)


def traffic_shifts(before: Sums, each: Sums) -> Floats:
    """Σ p d of several windows against one, as :func:`by_traffic` has it; sums of shape (n_windows, n_labels), one number a window."""
    (nr, sr), (n, s) = before, each
    both = (nr > 0) & (n > 0)
    total_r, total = (np.maximum(np.where(both, x, 0).sum(axis=1, keepdims=True), 1) for x in (nr, n))
    d = np.where(both, s / np.where(both, n, 1) - sr / np.where(nr > 0, nr, 1), 0.0) / SCALE
    return np.asarray(((nr / total_r + n / total) / 2 * d).sum(axis=1), np.float64)


def minima_of(settings: Settings, test: Measured) -> tuple[int, float]:
    """How many queries, and how many equally weighted ones, a test needs."""
    if test.segment:
        return settings.min_segment_queries, settings.min_segment_effective
    return settings.min_queries, settings.min_effective


def pair(before: Sums, after: Sums, kappa: float) -> Paired:
    """Per-query differences of the means of exact sums, and weights h / (h + κ), h = n₁ n₂ / (n₁ + n₂)."""
    (nr, sr), (nc, sc) = before, after
    label = np.nonzero((nr > 0) & (nc > 0))[0]
    first, then, d, w = _pairs(nr[label], sr[label], nc[label], sc[label], kappa)
    return Paired(label, d, w / w.sum() if len(w) else w, first, then)


def _pairs(nr: Ints, sr: Ints, nc: Ints, sc: Ints, kappa: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Means of both sides, their difference, weight; any shape, counts > 0."""
    first, then = sr / (nr * SCALE), sc / (nc * SCALE)
    d = then - first
    d[np.abs(d) < DUST] = 0.0
    h = nr * (nc / (nr + nc))
    return first, then, d, h / (h + kappa)


def shifts(pooled: Sums, each: Sums, kappa: float) -> tuple[Floats, Ints]:
    """Every window against all the others together: the weighted mean difference Σ w d of the queries in both.

    Args:
        pooled: sums of all windows, shape (n_labels,) each.
        each: sums of each of them, shape (n_windows, n_labels).
        kappa: events per query at which a query's weight is half of its largest.

    Returns:
        The shifts and how many queries each rests on, shape (n_windows,).
    """
    nc, sc = each
    nr, sr = pooled[0] - nc, pooled[1] - sc
    both = (nr > 0) & (nc > 0)
    _, _, d, w = _pairs(np.where(both, nr, 1), np.where(both, sr, 0), np.where(both, nc, 1), np.where(both, sc, 0), kappa)
    w = np.where(both, w, 0.0)
    total = w.sum(axis=1)
    return (w * d).sum(axis=1) / np.where(total > 0, total, 1.0), both.sum(axis=1)


def lack_of(m: int, effective: float, before: Sums, after: Sums, minimum: tuple[int, float]) -> str:
    """Why these queries cannot carry a verdict; empty where they can."""
    for name, side in (("reference", before), ("current window", after)):
        if not side[0].any():
            return f"the {name} has no scorable labelled recall"
    if m < minimum[0]:
        return too_few(m, minimum[0], BOTH, "labelled query", "labelled queries")
    if effective < minimum[1]:
        return f"traffic leans on so few queries that they weigh like {effective:.1f}, {minimum[1]:g} are needed"
    return ""


def _between_windows(test: Measured, sides: Sides, column: Column, before: Sums, segment: tuple[str, int] | None) -> None:
    """What windows of the reference differ by anyway stands in for the error where it is larger."""
    if not sides.has_spread or not test.se or test.effect is None:
        return
    each = sides.state.sums_each(str(column), [unit.numbers for unit in sides.refs], segment)
    effects, queries = shifts(before, each, sides.settings.kappa)
    effects = effects[queries > 1]
    if len(effects) >= sides.settings.min_blocks:
        _widen(test, float(np.var(effects, ddof=1)), len(effects) - 1)


def _between_tenants(test: Measured, sides: Sides, pairs: Paired) -> None:
    """Without windows that show how much windows differ: tenants are clusters, for what changes the documents of one changes all its queries.

    A query that several tenants ask is a cluster of its own.
    """
    tenants = sides.tenants[pairs.label]
    if len(np.unique(tenants[tenants >= 0])) < MIN_TENANTS:
        return
    _, cluster = np.unique(np.where(tenants >= 0, tenants, -1 - pairs.label), return_inverse=True)
    weight = np.asarray(np.bincount(cluster, pairs.w), np.float64)
    mean = weighted_mean(np.bincount(cluster, pairs.w * pairs.d) / weight, weight)
    _widen(test, mean.variance, mean.df, "tenants")


def _widen(test: Measured, variance: float, df: float, blocks: str = "days") -> None:
    """Give a test the variance of an effect between blocks, where it is larger than its own."""
    if test.effect is not None and variance > (test.se or 0.0) ** 2:
        test.se, test.df, test.blocks = math.sqrt(variance), min(test.df, df), blocks
        test.p = p_of(test.effect, test.se, test.df)
