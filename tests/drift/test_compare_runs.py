"""Times of two variants: one run against another shows the machine as well; several runs, or the same minutes, show the variant."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from recallwatch import compare

START = dt.datetime(2026, 3, 2, 2, tzinfo=dt.UTC)


def run(variant, at, *, machine=1.0, seed=0, queries=60, every=1.0):
    """One replay of all queries, a query each so many seconds."""
    r = np.random.default_rng(seed)
    base = 20 * np.exp(np.random.default_rng(7).normal(0, 0.5, queries))
    ms = base * machine * np.exp(r.normal(0, 0.1, queries))
    return [
        {
            "query_id": f"q{i:02d}",
            "timestamp": at + dt.timedelta(seconds=every * i),
            "variant": variant,
            "ranked_ids": [f"d{i}"],
            "total_ms": float(ms[i]),
            "relevant": [f"d{i}"],
        }
        for i in range(queries)
    ]


def time_row(result, **segment):
    return next(row for row in result.metrics if row["metric"] == "total_ms" and row["segment"] == segment)


def test_one_run_an_arm_carries_no_verdict_of_times():
    """b ran on a slower night: every query is slower, and still nobody knows what b has to do with it."""
    log = run("a", START) + run("b", START + dt.timedelta(days=1), machine=1.5, seed=1)
    row = time_row(compare(log, by="variant", a="a", b="b"))
    assert row["verdict"] == "insufficient"
    assert row["reason"] == "times of 1 run of a and 1 run of b, 3 of each are needed: between two runs the machine may differ"


def test_a_run_right_after_the_other_is_one_run_too():
    """The minute in which one ends and the other begins makes no third run of them; one minute of both is told as that."""
    log = run("a", START) + run("b", START + dt.timedelta(seconds=61), machine=1.5, seed=1)
    assert time_row(compare(log, by="variant", a="a", b="b"))["verdict"] == "insufficient"
    log = run("a", START, every=0.5) + run("b", START, every=0.5, machine=1.5, seed=1)
    row = time_row(compare(log, by="variant", a="a", b="b"))
    assert row["verdict"] == "insufficient"
    assert row["reason"] == "times of 1 minute in which both answered, 3 such minutes or 3 runs of each are needed"


@pytest.mark.parametrize(("slower", "verdict"), [(1.0, "insufficient"), (2.0, "fail")])
def test_runs_as_different_as_their_machines_are_no_difference(slower, verdict):
    """Four nights each, the machine up to 30 % faster or slower a night: only a difference beyond that is one."""
    log = []
    for night, (variant, machine) in enumerate(
        zip("abababab", (1.0, 1.25, 1.2, 0.9, 0.85, 1.3, 1.1, 1.15), strict=True)
    ):  # b alone: 0.9 to 1.3
        factor = machine * (slower if variant == "b" else 1.0)
        log += run(variant, START + dt.timedelta(days=night), machine=factor, seed=night)
    row = time_row(compare(log, by="variant", a="a", b="b"))
    assert row["verdict"] == verdict
    assert ("would have gone unseen" in row["reason"]) == (verdict == "insufficient")  # half as slow again is no "no difference"
    assert row["method"] == "welch on runs"
    assert row["ci_high"] - row["ci_low"] > 0.2


def test_arms_of_the_same_minutes_are_compared_by_query():
    """Both answer side by side, so the machine is the same: 15 % are seen, in one log and in two."""
    a, b = run("a", START, every=6.0), run("b", START, every=6.0, machine=1.15, seed=1)
    for result in (compare(a + b, by="variant", a="a", b="b"), compare(a, other=b, a="a", b="b")):
        assert time_row(result)["verdict"] == "fail"
        assert time_row(result)["method"].startswith("sign flips")


def test_without_times_of_day_nobody_knows_of_runs():
    """Such logs are compared by query, as before."""
    log = [
        {name: value for name, value in row.items() if name != "timestamp"}
        for row in run("a", START) + run("b", START, machine=1.5, seed=1)
    ]
    assert time_row(compare(log, by="variant", a="a", b="b"))["verdict"] == "fail"


def test_measured_nights_of_the_same_code_do_not_differ(shared_data):
    """Cranfield: a night against a night of the same code is not called slower or faster; three slow nights against three others are."""
    folder = shared_data / "cranfield_runs"
    log = pq.read_table(folder / "nightly.parquet")
    day = pc.subtract(pc.day(log["ts"]), 4)

    def nights(*wanted):
        return log.filter(pc.is_in(day, pa.array(wanted, pa.int64())))

    result = compare(nights(3), folder / "labels.jsonl", other=nights(5), a="a", b="b", metrics=["recall@10"])
    assert {row["verdict"] for row in result.metrics if row["family"] == "latency"} == {"insufficient"}
    result = compare(nights(1, 2, 3), folder / "labels.jsonl", other=nights(10, 11, 12), a="a", b="b", metrics=["recall@10"])
    assert time_row(result)["verdict"] == "fail"
