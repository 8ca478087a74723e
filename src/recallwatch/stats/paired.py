"""Two variants on the same queries: McNemar, sign flips, cluster t; Welch where no query is shared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .closed_forms import Floats, Weighted, flips_exactly, p_of, t_quantile, weighted_mean

MAX_EXACT = 32  # non-zero differences; two halves of 2¹⁶ sums each
MAX_FLIPS, MIN_FLIPS, WORK = 999_999, 9_999, 30_000_000  # sign patterns drawn; so many signs in all
CHUNK = 4_000_000  # signs drawn at once, to bound memory
SEED = 20260101


@dataclass(frozen=True)
class PairedTest:
    """One metric of two arms.

    Args:
        a, b: weighted means; effect = b − a.
        n: queries in both arms (or in either, when unpaired).
        wins, ties, losses: queries on which b is better, equal, worse.
        p: of the named method; p_t: of the cluster t; p_flips: of sign flips.
        method: mcnemar, sign flips (exact), sign flips (drawn), welch, none.
        ci: 95 % interval of the effect by the cluster t.
        is_paired: whether it rests on queries that both arms have; else wins, ties and losses are 0.
    """

    a: float
    b: float
    effect: float
    n: int
    wins: int
    ties: int
    losses: int
    p: float | None
    p_t: float | None
    p_flips: float | None
    method: str
    ci: tuple[float | None, float | None] = (None, None)
    se: float | None = None
    df: float = math.inf
    is_paired: bool = True


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p that as many queries gain as lose; for values of 0 and 1.

    Source: McNemar 1947, doi 10.1007/BF02295996; exact binomial form
    Example:
        >>> f"{mcnemar(27, 1):.1e}"
        '2.2e-07'
    """
    n, few = gained + lost, min(gained, lost)
    tail = sum(math.comb(n, i) for i in range(few + 1))
    return float(min(1.0, 2 * tail / 2**n))


def flip_test(x: Floats) -> tuple[float, str]:
    """Two-sided p of Σ x under random signs, and how it was found; (c + 1) / (n + 1) where patterns are drawn.

    Source: Phipson & Smyth 2010, doi 10.2202/1544-6115.1585 (why the + 1)
    """
    x = x[x != 0]
    if len(x) <= MAX_EXACT:
        return flips_exactly(x), "sign flips (exact)"
    draws = max(MIN_FLIPS, min(MAX_FLIPS, WORK // len(x)))
    random, limit, hits, done = np.random.default_rng(SEED), abs(float(x.sum())) - 1e-12, 0, 0
    while done < draws:
        size = min(max(CHUNK // len(x), 1), draws - done)
        signs = random.integers(0, 2, (size, len(x)), dtype=np.int8)
        hits += int((np.abs((2.0 * signs - 1.0) @ x) >= limit).sum())
        done += size
    return (hits + 1) / (draws + 1), "sign flips (drawn)"


def paired_test(
    a: dict[str, tuple[int, int]], b: dict[str, tuple[int, int]], kappa: float, scale: int
) -> tuple[PairedTest, dict[str, float]]:
    """Compare two arms; also the difference of each shared query.

    Args:
        a: query -> (count, exact sum) of the first arm.
        b: the same of the second.
        kappa: as in the drift settings.
        scale: what the sums are multiples of.
    """
    shared = sorted(q for q in set(a) & set(b) if a[q][0] and b[q][0])
    if not shared:
        return _unpaired(a, b, scale), {}
    n, m = (np.array([arm[q][0] for q in shared], np.float64) for arm in (a, b))
    difference = [(b[q][1] * a[q][0] - a[q][1] * b[q][0]) / (a[q][0] * b[q][0] * scale) for q in shared]
    d = np.array([0.0 if abs(x) < 1e-9 else x for x in difference])
    first = np.array([a[q][1] / (a[q][0] * scale) for q in shared])
    w = weights_of(n, m, kappa)
    means = float(w @ first), float(w @ (first + d))
    counts: dict[str, Any] = {"n": len(d), "wins": int((d > 0).sum()), "ties": int((d == 0).sum()), "losses": int((d < 0).sum())}
    each = dict(zip(shared, d.tolist(), strict=True))
    if len(d) < 2 or not d.any():
        return PairedTest(
            *means, means[1] - means[0], **counts, p=1.0 if len(d) > 1 else None, p_t=None, p_flips=None, method="none"
        ), each
    mean = weighted_mean(d, w)
    se = math.sqrt(mean.variance)
    half = t_quantile(0.975, mean.df) * se
    p_t = p_of(mean.mean, se, mean.df)
    p_flips, method = flip_test(w * d)
    p = p_flips
    if _is_binary(first, d) and float(w.max() - w.min()) < 1e-12:
        p, method = mcnemar(counts["wins"], counts["losses"]), "mcnemar"
    return PairedTest(
        *means,
        mean.mean,
        **counts,
        p=p,
        p_t=p_t,
        p_flips=p_flips,
        method=method,
        ci=(mean.mean - half, mean.mean + half),
        se=se,
        df=mean.df,
    ), each


def weights_of(n: Floats, m: Floats, kappa: float) -> Floats:
    """Weights of queries with n and m recalls in two arms, Σ = 1: h / (h + κ), h = n m / (n + m)."""
    h = n * m / (n + m)
    w: Floats = h / (h + kappa)
    w /= w.sum()
    return w


def tipping_point(
    d: Floats, w: Floats, shifts: Floats, thetas: Floats, level: float, *, se: float = 0.0, df: float = math.inf
) -> float | None:
    """The least θ at which a significant mean difference no longer is one; None = at none.

    Args:
        d: difference of each query, shape (n_queries,); its weighted mean is significant.
        w: weights, Σ = 1.
        shifts: mean change of d if each unjudged document is relevant with probability θ, shape (n_thetas, n_queries).
        thetas: those θ, ascending from 0; between them the change is taken as linear.
        level: of the cluster t; where d itself has a larger p, that p.
        se: a standard error that the mean has at least.
        df: degrees of freedom that it has at most.
    """

    def p(mean: Weighted) -> float:
        return p_of(mean.mean, max(math.sqrt(mean.variance), se), min(mean.df, df))

    mean = weighted_mean(d, w)
    level = max(level, p(mean))
    for theta in np.linspace(0.0, 1.0, 101)[1:]:
        i = min(int(np.searchsorted(thetas, theta)), len(thetas) - 1)
        part = (theta - thetas[i - 1]) / (thetas[i] - thetas[i - 1])
        moved = weighted_mean(d + shifts[i - 1] + part * (shifts[i] - shifts[i - 1]), w)
        if moved.mean * mean.mean <= 0 or p(moved) > level * (1 + 1e-9):
            return float(theta)
    return None


def _is_binary(first: Floats, d: Floats) -> bool:
    return bool(np.isin(first, (0.0, 1.0)).all() and np.isin(first + d, (0.0, 1.0)).all())


def _unpaired(a: dict[str, tuple[int, int]], b: dict[str, tuple[int, int]], scale: int) -> PairedTest:
    """Welch's t on query means: the weaker test, for arms that share no query."""
    x, y = (np.array([s / (n * scale) for n, s in arm.values() if n]) for arm in (a, b))
    counts: dict[str, Any] = {"n": len(x) + len(y), "wins": 0, "ties": 0, "losses": 0, "is_paired": False}
    if len(x) < 2 or len(y) < 2:
        means = [float(v.mean()) if len(v) else math.nan for v in (x, y)]
        return PairedTest(means[0], means[1], means[1] - means[0], **counts, p=None, p_t=None, p_flips=None, method="none")
    vx, vy = float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y)
    effect, se = float(y.mean() - x.mean()), math.sqrt(vx + vy)
    df = (vx + vy) ** 2 / (vx**2 / (len(x) - 1) + vy**2 / (len(y) - 1)) if se else 1.0
    p, half = p_of(effect, se, df), t_quantile(0.975, df) * se
    return PairedTest(
        float(x.mean()),
        float(y.mean()),
        effect,
        **counts,
        p=p,
        p_t=p,
        p_flips=None,
        method="welch",
        ci=(effect - half, effect + half),
        se=se,
        df=df,
    )
