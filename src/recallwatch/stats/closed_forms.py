"""The closed-form statistics of docs/drift.md: arrays in, numbers out; no relation, no unit, no decision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_FLIPS = 16  # non-zero differences: 65,536 sign patterns are enumerated in a millisecond
POWER_80 = 0.8416212335729143  # normal quantile .80


def t_two_sided(t: float, df: float) -> float:
    """P(|T| >= |t|) for Student's t; df >= 1, inf = normal."""
    from scipy.special import ndtr, stdtr  # type: ignore[import-untyped]

    return float(2 * (ndtr(-abs(t)) if math.isinf(df) else stdtr(df, -abs(t))))


def t_quantile(p: float, df: float) -> float:
    """The p quantile of Student's t; inf = normal."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(p) if math.isinf(df) else stdtrit(df, p))


def z_of(p: float) -> float:
    """The standard normal quantile of p, finite also at 0 and 1."""
    from scipy.special import ndtri

    return float(ndtri(min(max(p, 1e-15), 1 - 1e-15)))


def chi2_tail(x: float, df: float) -> float:
    """P(X >= x) for chi-square."""
    from scipy.special import chdtrc

    return float(chdtrc(df, max(x, 0.0)))


def p_of(effect: float, se: float, df: float) -> float:
    """Two-sided p of effect / se; no spread at all: 1 where nothing moved, 0 where it did."""
    if not se > 0:
        return 1.0 if effect == 0 else 0.0
    return t_two_sided(effect / se, df)


def one_sided(effect: float, se: float, df: float) -> float:
    """P of an effect as large as this one upwards; no spread at all: 1 where nothing rose, 0 where it did."""
    two = p_of(effect, se, df)
    return two / 2 if effect > 0 else 1 - two / 2 if se > 0 else 1.0


def predicted(now: float, past: Sequence[float], least: float = 0.0, known: float = 0.0) -> tuple[float, float, float]:
    """A new value among some earlier ones of its kind: its distance from their mean, that distance's standard error, degrees of freedom.

    Args:
        now: the new value.
        past: two or more earlier ones.
        least: smallest standard deviation that is believed of them.
        known: degrees of freedom that ``least`` adds where it is used: it is no estimate of these few.
    """
    values = np.asarray(past, np.float64)
    deviation = float(values.std(ddof=1))
    df = len(values) - 1 + (known if deviation < least else 0.0)
    return now - float(values.mean()), max(deviation, least) * math.sqrt(1 + 1 / len(values)), float(df)


def detectable(se: float, df: float, level: float) -> float:
    """Smallest effect that a test at this level sees four times in five, in the effect's unit."""
    return (t_quantile(1 - level / 2, df) + POWER_80) * se


def adjust(p: list[float | None]) -> list[float | None]:
    """Benjamini-Hochberg q-values; None (not tested) stays None and is not counted.

    Source: Benjamini & Hochberg 1995, doi 10.1111/j.2517-6161.1995.tb02031.x
    """
    order = sorted((value, i) for i, value in enumerate(p) if value is not None)
    q: list[float | None] = [None] * len(p)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        value, i = order[rank - 1]
        smallest = min(smallest, value * len(order) / rank)
        q[i] = smallest
    return q


def holm(p: list[float | None]) -> list[float | None]:
    """Holm's adjusted p-values: family-wise error, any dependence.

    Source: Holm 1979, Scand. J. Statist. 6, 65-70
    """
    order = sorted((value, i) for i, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    largest = 0.0
    for rank, (value, i) in enumerate(order):
        largest = max(largest, min(1.0, value * (len(order) - rank)))
        adjusted[i] = largest
    return adjusted


@dataclass(frozen=True)
class Weighted:
    """A weighted mean of per-query differences.

    Args:
        mean: Σ w d.
        variance: of the mean, robust to unequal query variances.
        df: Satterthwaite's.
        effective: 1 / Σ w², how many equally weighted queries that is.
    """

    mean: float
    variance: float
    df: float
    effective: float


def weighted_mean(d: Floats, w: Floats) -> Weighted:
    """Mean of d with weights w (any positive scale), shape (n_queries,) each.

    V = Σ c (d − D)², c = w² / (1 − 2 w + Σ w²): unbiased where the d have equal variance. V = d′Ad gives
    df = (tr A)² / tr(A²) in closed form, O(n).

    Source: Bell & McCaffrey 2002, Survey Methodology 28, 169-181 (CR2 and its degrees of freedom)
    """
    w = w / w.sum()
    size = float((w * w).sum())
    mean = float((w * d).sum())
    lever = np.maximum(1 - 2 * w + size, 1e-12)
    c = w * w / lever
    k, cc, wc = float(c.sum()), float((c * c).sum()), float((w * c).sum())
    trace = float((c * (1 - 2 * w + size)).sum())
    trace2 = (
        cc
        + 2 * wc**2
        + k * k * size * size
        - 4 * float((c * c * w).sum())
        + 2 * k * float((c * w * w).sum())
        + 2 * cc * size
        - 4 * k * size * wc
    )
    df = trace * trace / trace2 if trace2 > 0 else 1.0
    return Weighted(mean, float((c * (d - mean) ** 2).sum()), max(df, 1.0), 1 / size)


def flips(x: Floats) -> float:
    """Two-sided p of Σ x under every pattern of signs; x: non-zero weighted differences, at most 16.

    For 0/1 values and equal weights this is McNemar's exact test.

    Source: Fisher 1935, The Design of Experiments, §21
    """
    sums: Floats = np.zeros(1)
    for value in x:
        sums = np.concatenate([sums + value, sums - value])
    return float((np.abs(sums) >= abs(float(x.sum())) - 1e-12).mean())


def log_quantiles(
    bucket: Ints, weight: Floats, n: int, probabilities: tuple[float, ...], width: float
) -> list[tuple[float, float]]:
    """Natural logs of quantiles of a log-bucket histogram, interpolated inside the bucket, and their sampling variances.

    Args:
        bucket: floor(log(ms) / width), shape (n_entries,), in any order, repeats allowed.
        weight: weight of each entry, > 0.
        n: how many values they are.
        probabilities: 0..1.
        width: log of the histogram's gamma.
    """
    low = int(bucket.min())
    cumulated = cumulate(bucket, weight / weight.sum(), low, int(bucket.max()) + 1)
    return [(quantile_of(cumulated, low, p, width), quantile_variance(cumulated, p, n, width)) for p in probabilities]


def quantile_variance(cumulated: Floats, p: float, n: int, width: float, band: int = 10) -> float:
    """Variance of the log of a quantile of n independent values, p (1 − p) / (n f²); f = their density within ``band`` buckets of it.

    Source: Woodruff 1952, doi 10.1080/01621459.1952.10483443
    """
    place = place_of(cumulated, p)
    low, high = max(place - band, 0) - 1, min(place + band, len(cumulated) - 1)
    share = float(cumulated[high]) - (float(cumulated[low]) if low >= 0 else 0.0)
    density = max(share, 1 / n) / ((high - low) * width)
    return p * (1 - p) / (n * density**2)


def cumulate(bucket: Ints, weight: Floats, low: int, high: int) -> Floats:
    """Cumulated weights of the buckets low .. high − 1."""
    return np.cumsum(np.bincount(bucket - low, weight, high - low))


def place_of(cumulated: Floats, p: float) -> int:
    """First bucket at which the cumulated weight reaches p."""
    return min(int(np.searchsorted(cumulated, p - 1e-12)), len(cumulated) - 1)


def quantile_of(cumulated: Floats, low: int, p: float, width: float) -> float:
    """Log of one mid-distribution quantile, from :func:`cumulate`: between the middles of buckets that hold values.

    Where many values are equal (whole milliseconds) it moves with their shares; other quantiles jump from one value to the next.

    Source: Ma, Genton & Parzen 2011, doi 10.1007/s10463-008-0216-9
    """
    step = np.diff(cumulated, prepend=0.0)
    filled = np.nonzero(step > 0)[0]
    middle = cumulated[filled] - step[filled] / 2
    return (low + 0.5 + float(np.interp(p, middle, filled))) * width


def satterthwaite(terms: Floats) -> float:
    """Degrees of freedom of a sum of independent squares, at least 2."""
    square = float((terms * terms).sum())
    return max(2.0, float(terms.sum()) ** 2 / square) if square > 0 else 2.0


def weighted_median(values: Ints, weight: Ints) -> int:
    """The smallest value that at least half of the weight does not exceed; 0 where there is none."""
    if not weight.any():
        return 0
    order = np.argsort(values, kind="stable")
    return int(values[order][np.searchsorted(2 * np.cumsum(weight[order]), weight.sum())])


def summed(index: Any, values: Any, size: int) -> Ints:
    """Exact integer sums by index, shape (size,)."""
    out = np.zeros(size, np.int64)
    np.add.at(out, index, values)
    return out


def flips_exactly(x: Floats) -> float:
    """The same as :func:`flips` for up to 40 differences: all sums of one half against all sums of the other, sorted."""
    limit = abs(float(x.sum())) - 1e-12
    left, right = (np.zeros(1), np.zeros(1))
    for value in x[: len(x) // 2]:
        left = np.concatenate([left + value, left - value])
    for value in x[len(x) // 2 :]:
        right = np.concatenate([right + value, right - value])
    right.sort()
    above = len(right) - np.searchsorted(right, limit - left, side="left")
    below = np.searchsorted(right, -limit - left, side="right")
    if limit <= 0:
        return 1.0
    return float((above + below).sum() / (len(left) * len(right)))


def among(numbers: Ints, some: Iterable[int]) -> NDArray[np.bool_]:
    """Which of the numbers (small, none negative, as those of days) are among some; ten times faster than np.isin."""
    wanted = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    wanted[[n for n in some if n < len(wanted)]] = True
    return wanted[numbers]
