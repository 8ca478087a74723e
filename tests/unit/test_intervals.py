"""Intervals and percentiles against slow copies written from docs/metrics.md, "Beside every mean", and scipy."""

from __future__ import annotations

import datetime as dt
import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import recallwatch
from recallwatch.base.definition import Definition, columns_of
from recallwatch.base.engine import Engine
from recallwatch.scoring import readout
from recallwatch.scoring.binding import Cut, bind

LABELS = pa.table({"query_id": [f"q{i}" for i in range(40)], "document_id": ["hit"] * 40})
START = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def test_t_quantile() -> None:
    """t_975 is scipy's quantile to 1e-9, for whole and fractional degrees of freedom from 2 on."""
    engine = Engine()
    try:
        bind(engine, Definition(), Cut(tuple(columns_of(("recall",), (1,)))))
        for df in [2, 2.5, 3, 4, 4.2, 5, 7.7, 10, 30, 99.5, 1000, 1e6]:
            got = engine.run(f"select t_975({df}::double)")[0][0]
            assert got == pytest.approx(stats.t.ppf(0.975, df), abs=1e-9)
    finally:
        engine.close()


def slow_interval(by_query: dict[str, list[float]], *, unit: str) -> tuple[float, float, float] | None:
    """Mean and interval clustered by query, as the page says it, step by step; None where there is no interval."""
    n = sum(len(values) for values in by_query.values())
    means = {query: sum(values) / len(values) for query, values in by_query.items()}
    weights = {query: 1 / len(by_query) if unit == "query" else len(values) / n for query, values in by_query.items()}
    mean = sum(weights[q] * means[q] for q in means)
    plain = sum(means.values()) / len(means)
    sum_w2 = sum(w**2 for w in weights.values())
    s2 = sum((m - plain) ** 2 for m in means.values()) / (len(means) - 1)
    variance = max(sum(weights[q] ** 2 * (means[q] - mean) ** 2 for q in means), s2 * sum_w2)
    if 1 / sum_w2 < 5 - 1e-9:
        return None
    half = stats.t.ppf(0.975, 1 / sum_w2 - 1) * math.sqrt(variance)
    return mean, max(0.0, mean - half), min(1.0, mean + half)


@pytest.mark.parametrize("unit", ["event", "query"])
@pytest.mark.parametrize(("n_queries", "n_events"), [(4, 50), (5, 5), (12, 60), (40, 300), (40, 41)])
def test_clustered_interval(unit: str, n_queries: int, n_events: int) -> None:
    """Value, interval and its absence equal the slow copy, at even and at lopsided traffic."""
    rng = random.Random(n_queries * 1000 + n_events)
    asked = [f"q{i}" for i in range(n_queries)]
    asked += [f"q{min(int(rng.expovariate(0.3)), n_queries - 1)}" for _ in range(n_events - n_queries)]
    ranked = [rng.sample(["hit", "b", "c", "d", "e"], rng.randint(0, 5)) for _ in asked]
    log = pa.table({"query_id": asked, "ranked_ids": pa.array(ranked, pa.list_(pa.string()))})
    row = recallwatch.evaluate(log, LABELS, metrics=("mrr",), unit=unit).to_dict()["metrics"][0]
    by_query: dict[str, list[float]] = {}
    for query, ids in zip(asked, ranked, strict=True):
        by_query.setdefault(query, []).append(1 / (ids.index("hit") + 1) if "hit" in ids else 0.0)
    expected = slow_interval(by_query, unit=unit)
    if expected is None:
        assert (row["ci_low"], row["ci_high"]) == (None, None)
    else:
        assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-9)


def timed_log(n: int, *, hours: int, seed: int, ties: bool = True) -> list[dict[str, Any]]:
    """Recalls over so many hours, with stages that some lack and a cache that some came from."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        hour = rng.randrange(hours)
        spread = 1 + hour % 3  # blocks differ, so that the interval is wider than the binomial
        ms = [round(x, 1) if ties else x for x in (rng.lognormvariate(3, 0.4 * spread), rng.lognormvariate(2, 1))]
        rows.append(
            {
                "query_id": f"q{number % 40}",
                "ranked_ids": ["hit"],
                "timestamp": START + dt.timedelta(hours=hour, minutes=rng.randrange(60)),
                "arm": rng.choice(["a", "b"]),
                "cache_hit": rng.choice([True, False, None]),
                "stage_ms": [("search", ms[0]), ("rerank", ms[1])][: rng.choice([0, 1, 2, 2])],
                "total_ms": rng.choice([None, sum(ms)]),
            }
        )
    return rows


SCHEMA = pa.schema(
    [
        ("query_id", pa.string()),
        ("ranked_ids", pa.list_(pa.string())),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("arm", pa.string()),
        ("cache_hit", pa.bool_()),
        ("stage_ms", pa.map_(pa.string(), pa.float64())),
        ("total_ms", pa.float64()),
    ]
)


def latency_of(rows: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    log = pa.Table.from_pylist(rows, SCHEMA)
    found: list[dict[str, Any]] = recallwatch.evaluate(log, LABELS, metrics=("recall@1",), **options).to_dict()["latency"]
    return found


def chosen(rows: list[dict[str, Any]], row: dict[str, Any]) -> list[dict[str, Any]]:
    """The events a latency row speaks of: window, segment, cache."""
    kept = [r for r in rows if row["segment"].get("arm") in (None, r["arm"])]
    if row["window"] is not None:
        kept = [r for r in kept if r["timestamp"].date().isoformat() == row["window"][:10]]
    if row["cache"] == "hit":
        return [r for r in kept if r["cache_hit"] is True]
    return [r for r in kept if r["cache_hit"] is not True] if row["cache"] == "miss" else kept


def values_of(rows: list[dict[str, Any]], stage: str) -> list[float]:
    """The stage's values, ascending."""
    values = [r["total_ms"] if stage == "total" else dict(r["stage_ms"]).get(stage) for r in rows]
    return sorted(value for value in values if value is not None)


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 21, 400])
@pytest.mark.parametrize(("option", "method"), [("nearest_rank", "inverted_cdf"), ("linear", "linear")])
def test_percentiles(n: int, option: str, method: Any) -> None:
    """p50, p95, p99 are type 1 (or type 7) of a plain sort, per window, segment, stage and cache."""
    rows = timed_log(n, hours=40, seed=n)
    found = latency_of(rows, by=("arm",), window="day", percentile=option)
    assert found
    for row in found:
        events = chosen(rows, row)
        values = values_of(events, row["stage"])
        assert row["n"] == len(values)
        assert row["max_ms"] == values[-1]
        assert row["mean_ms"] == pytest.approx(sum(values) / len(values), rel=1e-9)
        assert row["percentile"] == "exact"
        for name, q in (("p50_ms", 50), ("p95_ms", 95), ("p99_ms", 99)):
            assert row[name] == pytest.approx(np.percentile(values, q, method=method), rel=1e-12), (name, row)


def test_missing_stages_are_counted() -> None:
    """n_missing is the events without the stage's value; an event answered by the cache lacks no stage."""
    rows = timed_log(300, hours=30, seed=3)
    for row in latency_of(rows):
        events = chosen(rows, row)
        if row["stage"] != "total":
            events = [r for r in events if r["cache_hit"] is not True]
        expected = len(events) - len(values_of(events, row["stage"]))
        assert row["n_missing"] == (0 if row["cache"] == "hit" and row["stage"] != "total" else expected), row


def test_total_named_as_a_stage_is_the_total() -> None:
    """A log that keeps its total among the stages has a total all the same, once."""
    log = pa.table(
        {"query_id": ["q1"], "ranked_ids": [["hit"]], "stage_ms": pa.array([[("total", 5.0)]], pa.map_(pa.string(), pa.float64()))}
    )
    found = recallwatch.evaluate(log, LABELS, metrics=("recall@1",)).to_dict()["latency"]
    assert [(row["stage"], row["n"], row["p50_ms"]) for row in found] == [("total", 1, 5.0)]


def test_histogram_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit percentiles come from the histogram, off by less than 0.5 %, and the output says so."""
    bind = readout.bind

    def bind_small(engine: Engine, *rest: Any) -> None:
        bind(engine, *rest)
        engine.run("create or replace macro opt_exact_limit() as 1000")

    monkeypatch.setattr(readout, "bind", bind_small)
    rows = timed_log(5000, hours=60, seed=5, ties=False)
    found = {row["stage"]: row for row in latency_of(rows) if row["cache"] == "all"}
    assert {row["percentile"] for row in found.values()} == {"histogram"}
    for stage, row in found.items():
        values = values_of(rows, stage)
        for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99)):
            exact = values[math.ceil(share * len(values)) - 1]
            assert abs(row[name] - exact) / exact < 0.005


def test_long_groups_read_their_interval_from_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit, a week and more has its days as blocks; the interval is that of the values themselves but for the buckets' width."""
    bind = readout.bind

    def bind_small(engine: Engine, *rest: Any) -> None:
        bind(engine, *rest)
        engine.run("create or replace macro opt_exact_limit() as 1000")

    monkeypatch.setattr(readout, "bind", bind_small)
    rows = timed_log(6000, hours=240, seed=8, ties=False)
    found = {row["stage"]: row for row in latency_of(rows) if row["cache"] == "all"}
    for stage, row in found.items():
        basis, low, high = slow_p95_interval(rows, stage, by_days=True)
        assert (row["percentile"], row["basis"]) == ("histogram", basis)
        assert low is not None and high is not None
        assert (row["p95_ci_low_ms"], row["p95_ci_high_ms"]) == pytest.approx((low, high), rel=0.02)


def slow_p95_interval(events: list[dict[str, Any]], stage: str, *, by_days: bool = False) -> tuple[str, float | None, float | None]:
    """How the share above p95 varies between blocks of time, turned into ranks: basis, low and high."""
    values = values_of(events, stage)
    n = len(values)
    p95 = values[math.ceil(0.95 * n) - 1]
    hours: dict[dt.datetime, list[float]] = {}
    for event in events:
        for value in values_of([event], stage):
            hours.setdefault(event["timestamp"].replace(minute=0), []).append(value)
    days = {hour.date() for hour in hours}
    blocks: dict[Any, list[float]] = {}
    for hour, inside in hours.items():
        blocks.setdefault(hour.date() if by_days or len(hours) < 6 * len(days) else hour, []).extend(inside)
    share = sum(value > p95 for value in values) / n
    binomial = math.sqrt(0.95 * 0.05 / n)
    unit = "days" if by_days else "runs" if len(hours) < 6 * len(days) else "hours"
    count, basis = len(blocks), f"{len(blocks)} {unit}"
    if count < 3:
        half, basis = stats.norm.ppf(0.975) * binomial, "within this run only"
    else:
        spread = sum((sum(v > p95 for v in inside) - len(inside) * share) ** 2 for inside in blocks.values())
        half = stats.t.ppf(0.975, count - 1) * max(math.sqrt(spread * count / (count - 1)) / n, binomial)
    low, high = math.ceil(n * (0.95 - half)), math.ceil(n * (0.95 + half))
    return basis, values[low - 1] if low >= 1 else None, values[high - 1] if high <= n else None


@pytest.mark.parametrize(("n", "hours", "basis"), [(600, 2, "within"), (2000, 30, "hours"), (30, 12, "hours"), (900, 100, "hours")])
def test_p95_interval(n: int, hours: int, basis: str) -> None:
    """The interval of p95 comes from blocks of time, never narrower than the binomial; out of range is null."""
    rows = timed_log(n, hours=hours, seed=n + 1)
    for row in latency_of(rows):
        wanted, low, high = slow_p95_interval(chosen(rows, row), row["stage"])
        assert basis in wanted or row["cache"] != "all"
        assert row["basis"] == wanted
        for got, exact in ((row["p95_ci_low_ms"], low), (row["p95_ci_high_ms"], high)):
            assert (got is None) == (exact is None), row
            assert got is None or abs(got - exact) <= 0.01 * exact  # read from the histogram


def test_p95_interval_of_nightly_runs() -> None:
    """Where each day has an hour or two of traffic, the blocks are the runs."""
    rows = [
        {**r, "timestamp": START + dt.timedelta(days=i % 7, minutes=i % 90)} for i, r in enumerate(timed_log(700, hours=1, seed=9))
    ]
    row = next(r for r in latency_of(rows) if r["stage"] == "search" and r["cache"] == "all")
    wanted, low, high = slow_p95_interval(rows, "search")
    assert row["basis"] == wanted == "7 runs"
    assert (row["p95_ci_low_ms"], row["p95_ci_high_ms"]) == (pytest.approx(low, rel=0.01), pytest.approx(high, rel=0.01))


def test_a_log_without_times_of_day_has_an_interval_within_the_run() -> None:
    """No timestamps: no blocks, so the interval is the binomial one and says so."""
    log = pa.table({"query_id": ["q1"] * 500, "ranked_ids": [["hit"]] * 500, "total_ms": [float(i) for i in range(1, 501)]})
    row = recallwatch.evaluate(log, LABELS, metrics=("recall@1",)).to_dict()["latency"][0]
    assert row["basis"] == "within this run only"
    assert row["p95_ci_low_ms"] < row["p95_ms"] == 475 < row["p95_ci_high_ms"]
