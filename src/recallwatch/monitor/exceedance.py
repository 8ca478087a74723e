"""Latency of two days: difference of the shares above the pooled quantile, clustered by query and by hour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.engine import quoted
from ..stats.closed_forms import Floats, Ints, cumulate, p_of, place_of, quantile_of
from .measurement import SMALLER, Measured, too_few
from .state import MAX_CLUSTERS, codes, ints

if TYPE_CHECKING:
    from .sides import Sides
    from .state import State

QUANTILES = (0.5, 0.95)
ABOVE = "value above the quantile", "values above the quantile"
WIDTH = math.log(1.01)  # of a bucket, as drift_bucket in sql/5_drift/macros.sql
BAND = 10  # buckets each side of the quantile: ±10 %, for its density
TINY = 1e-300
COMMON = 0.8
HOURS = 24


@dataclass(frozen=True)
class Threshold:
    """Where a stage's pooled quantile lies.

    Args:
        bucket: values above it exceed, values in it by half.
        logs: log quantile of the reference and of the current window.
        density: of the pooled distribution around it, per unit of log.
    """

    bucket: int
    logs: tuple[float, float]
    density: float


def measure(sides: Sides, stages: list[int], *, is_burst: bool) -> list[Measured]:
    """One test per stage and quantile; needs hours of day that both windows have."""
    state, settings = sides.state, sides.settings
    blocks = "runs" if is_burst else "hours"
    tests = {
        (stage, place): Measured(
            "latency", "latency", stage=state.values["stage"][stage], quantile=quantile, blocks=blocks, provisional=not is_burst
        )
        for stage in stages
        for place, quantile in enumerate(QUANTILES)
    }
    hours = _common_hours(sides)
    if is_burst or len(hours) < settings.min_hours:
        few = f"{len(hours)} hours of day in both windows, {settings.min_hours}"
        for test in tests.values():
            test.lack = (
                too_few(len(sides.before), settings.min_blocks, "in the reference", "run") if is_burst else f"{few} are needed"
            )
        return list(tests.values())
    sides.tell_engine()
    thresholds = _thresholds(state, stages, hours, state.lazy.hours_of_latency([*sides.before, *sides.after]))
    cells = _cells(sides, thresholds, hours) if thresholds else {}
    for (stage, place), test in tests.items():
        if stage in thresholds:
            rows = cells["stage"] == stage
            part = {name: column[rows] for name, column in cells.items()}
            _test(test, sides, thresholds[stage][place], part, len(hours))
        else:
            test.lack = "no values in the hours of both windows"
    return list(tests.values())


def _common_hours(sides: Sides) -> list[int]:
    first, then = (set(column.tolist()) for column in sides.column(sides.state.events, "hour_of_day"))
    return sorted(first & then)


def _thresholds(state: State, stages: list[int], hours: list[int], times: str) -> dict[int, list[Threshold]]:
    """Class-standardised quantiles of both windows and of the two pooled, over the common hours; ``times`` = the table by the hour."""
    table = state.engine.arrow(
        f"""select side, stage, query_class, bucket, sum(n)::bigint as n from {times} inner join drift_sides using (day_no)
        where extract(hour from to_timestamp(h * 3600) at time zone opt_timezone()) in ({", ".join(map(str, hours))})
        group by all order by all"""
    )
    is_after, stage = np.asarray(table["side"].to_numpy() == "current"), codes(table["stage"], state.values, "stage")
    query_class, bucket, n = codes(table["query_class"], state.values, "query_class"), ints(table["bucket"]), ints(table["n"])
    thresholds = {}
    for s in stages:
        rows = stage == s
        if not (rows & is_after).any() or not (rows & ~is_after).any():
            continue
        low, high = int(bucket[rows].min()), int(bucket[rows].max()) + 1
        sides = [rows & ~is_after, rows & is_after]
        weights = _class_standard([query_class[r] for r in sides], [n[r] for r in sides], len(state.values["query_class"]) + 1)
        cumulated = [cumulate(bucket[r], w[query_class[r]] * n[r], low, high) for r, w in zip(sides, weights, strict=True)]
        thresholds[s] = [_threshold(cumulated, low, q) for q in QUANTILES]
    return thresholds


def _class_standard(query_class: list[Ints], n: list[Ints], size: int) -> list[Floats]:
    """Weight of one value per class (last entry: no class), so that both windows have the same class shares.

    Where the classes of both windows hold less than COMMON of one of them, its values would be lost: they are compared as they are.
    """
    count = [np.bincount(c % size, k, size) for c, k in zip(query_class, n, strict=True)]
    both = (count[0] > 0) & (count[1] > 0)
    both &= all(c[both].sum() >= COMMON * c.sum() for c in count)
    share = np.where(both, count[0] / max(count[0].sum(), 1) + count[1] / max(count[1].sum(), 1), 0.0)
    if not both.any():
        return [np.full(size, 1 / max(c.sum(), 1)) for c in count]
    share = share / share.sum()
    return [np.where(both, share / np.maximum(c, 1), 0.0) for c in count]


def _threshold(cumulated: list[Floats], low: int, quantile: float) -> Threshold:
    pooled = (cumulated[0] + cumulated[1]) / 2
    place = place_of(pooled, quantile)
    first, last = max(place - BAND, 0), min(place + BAND, len(pooled) - 1)
    density = float(pooled[last] - pooled[first]) / max((last - first) * WIDTH, 1e-9)
    logs = tuple(quantile_of(c, low, quantile, WIDTH) for c in cumulated)
    return Threshold(low + place, (logs[0], logs[1]), density)


def _cells(sides: Sides, thresholds: dict[int, list[Threshold]], hours: list[int]) -> dict[str, Ints]:
    """The second pass over the events: counts and exceedances per query cluster, class, hour and stage."""
    state, engine = sides.state, sides.state.engine
    rows = [
        f"({quoted(state.values['stage'][s])}, {place}, {t.bucket})"
        for s, ts in thresholds.items()
        for place, t in enumerate(ts, 1)
    ]
    engine.run(f"create or replace table drift_thresholds as select * from (values {', '.join(rows)}) as t(stage, place, bucket)")
    sql = "select count(distinct query) > ? from state_queries inner join drift_sides using (day_no)"
    many = engine.run(sql, [MAX_CLUSTERS])[0][0]
    engine.run(f"create or replace macro opt_drift_clusters() as {MAX_CLUSTERS if many else 'null'}::bigint")
    state.lazy.make("exceed", sorted({*sides.before, *sides.after}), [*rows, str(many)])
    table = engine.arrow(
        f"""select side = 'current' as is_after, dense_rank() over (order by cluster) - 1 as cluster, query_class,
            extract(hour from to_timestamp(h * 3600) at time zone opt_timezone())::integer as hour, stage,
            sum(n)::bigint as n, sum(n_p50)::bigint as n_p50, sum(n_p95)::bigint as n_p95
        from state_exceed inner join drift_sides using (day_no) where hour in ({", ".join(map(str, hours))})
        group by side, cluster, query_class, hour, stage order by all"""
    )
    cells = {name: ints(table[name]) for name in ("cluster", "hour", "n", "n_p50", "n_p95")}
    cells["is_after"] = np.asarray(table["is_after"].to_numpy(), np.int64)
    cells["stage"] = codes(table["stage"], state.values, "stage")
    cells["query_class"] = codes(table["query_class"], state.values, "query_class")
    return cells


def _test(test: Measured, sides: Sides, at: Threshold, part: dict[str, Ints], n_hours: int) -> None:
    quantile, settings = test.quantile or 0.0, sides.settings
    over = part["n_p50" if quantile == QUANTILES[0] else "n_p95"] / 2  # counted in halves
    n = [int(part["n"][part["is_after"] == side].sum()) for side in (0, 1)]
    variance = _variance(part, over, n_hours, settings.lags, len(sides.state.values["query_class"]) + 1)
    test.reference, test.current = math.exp(at.logs[0]), math.exp(at.logs[1])
    test.effect = at.logs[1] - at.logs[0]
    se = math.sqrt(variance) / at.density if at.density > 0 else math.inf
    test.se, test.df = math.sqrt(se * se + 2 * settings.tau**2), float(n_hours - 1)
    test.p = p_of(test.effect, test.se, test.df)
    above = min(n) * (1 - quantile)
    if above + 1e-9 < settings.min_above:
        test.lack = too_few(above, settings.min_above, SMALLER, *ABOVE)


def _variance(part: dict[str, Ints], over: Floats, n_hours: int, lags: int, size: int) -> float:
    """Of the difference of exceedance shares: two-way clustered, V_query + V_hour − V_cell, never under the larger of the two.

    Source: Cameron, Gelbach & Miller 2011, doi 10.1198/jbes.2010.07136; Bartlett weights over hours
    """
    masks = [part["is_after"] == side for side in (0, 1)]
    code = part["query_class"] % size
    weights = _class_standard([code[rows] for rows in masks], [part["n"][rows] for rows in masks], size)
    influence = np.zeros(len(over))
    for sign, rows, w in zip((-1.0, 1.0), masks, weights, strict=True):
        count, above = (np.bincount(code[rows], x[rows], size) for x in (part["n"], over))
        share = above / np.maximum(count, TINY)
        influence[rows] = sign * w[code[rows]] * (over[rows] - part["n"][rows] * share[code[rows]])
    query = np.bincount(part["cluster"], influence)
    hour = np.bincount(part["hour"], influence, HOURS)
    _, cell = np.unique(part["cluster"] * HOURS + part["hour"], return_inverse=True)
    v_query, v_hour, v_cell = (float((x * x).sum()) for x in (query, hour, np.bincount(cell, influence)))
    correlated = v_hour + sum(2 * (1 - lag / (lags + 1)) * float((hour[lag:] * hour[:-lag]).sum()) for lag in range(1, lags + 1))
    v_hour = max(v_hour, correlated) * n_hours / max(n_hours - 1, 1)
    return max(v_query + v_hour - v_cell, v_query, v_hour)
