"""Logs sampled at a rate: an event logged with probability p weighs 1 / p, against plain loops, on every path that evaluates."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import command_line
import numpy as np
import pytest
from scipy import stats

import recallwatch
from recallwatch.base.errors import InputError, UsageError

RATES = (None, 1.0, 0.5, 0.1)  # none: the event does not say, so it was logged for certain
QUERIES = 12


def log(seed: int = 3) -> list[dict[str, Any]]:
    """Recalls of twelve queries, whose rare ones are logged at a lower rate, find less and take longer."""
    r = np.random.default_rng(seed)
    rows = []
    for i in range(400):
        rate = RATES[int(r.choice(4, p=[0.2, 0.4, 0.3, 0.1]))]
        q = int(r.integers(QUERIES))
        row = {
            "event_id": f"e{i}",
            "timestamp": f"2026-03-{2 + i % 3:02d}T{i % 24:02d}:00:00Z",
            "query_id": f"q{q}",
            "ranked_ids": [f"d{q}-{j}" for j in r.permutation(8)[:5]],
            "total_ms": float(np.round(r.lognormal(3 if rate in (None, 1.0) else 4, 0.6), 3)),
            "cost_usd": 0.25,
        }
        rows.append(row if rate is None else {**row, "sampling_rate": rate})
    return rows


LABELS = [{"query_id": f"q{q}", "relevant": [f"d{q}-{j}" for j in range(3)]} for q in range(QUERIES)]


def weight(row: dict[str, Any]) -> float:
    return 1 / row.get("sampling_rate", 1.0)


def mean_and_interval(rows: list[dict[str, Any]]) -> tuple[float, float, float]:
    """Recall@3 over all traffic; the interval of a mean over queries that weigh as much as their recalls do."""
    n: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    for row in rows:
        relevant = [f"d{row['query_id'][1:]}-{j}" for j in range(3)]
        n[row["query_id"]] += weight(row)
        total[row["query_id"]] += weight(row) * len(set(row["ranked_ids"][:3]) & set(relevant)) / 3
    w = np.array(list(n.values())) / sum(n.values())
    means = np.array([total[q] / n[q] for q in n])
    mean, s2 = float(w @ means), float(((means - means.mean()) ** 2).sum()) / (len(means) - 1)
    variance = max(float(((w * (means - mean)) ** 2).sum()), s2 * float((w**2).sum()))
    half = float(stats.t.ppf(0.975, 1 / float((w**2).sum()) - 1)) * math.sqrt(variance)
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def quantile(rows: list[dict[str, Any]], q: float) -> float:
    """The least time at which the weight of the recalls up to it reaches q of all."""
    seen, whole = 0.0, sum(map(weight, rows))
    for row in sorted(rows, key=lambda one: one["total_ms"]):
        seen += weight(row)
        if seen >= q * whole * (1 - 1e-12):
            return float(row["total_ms"])
    raise AssertionError


OPTIONS: dict[str, Any] = {"by": "sampling_rate", "metrics": ("recall@3",), "threads": 1}


def test_all_traffic_is_that_of_plain_loops(tmp_path: Path) -> None:
    """Counts, cost, means, times; the command, a store and a list of dicts say the same."""
    rows = log()
    block = recallwatch.evaluate(rows, LABELS, **OPTIONS).to_dict()["all_traffic"]
    assert (block["n_logged"], block["n"]) == (400, pytest.approx(sum(map(weight, rows))))
    assert block["n_se"] == pytest.approx(math.sqrt(sum((1 - p) / p**2 for row in rows if (p := row.get("sampling_rate", 1.0)))))
    assert block["cost_usd"] == pytest.approx(0.25 * block["n"])
    assert block["rates"] == [
        {"sampling_rate": None if rate is None else str(rate), "n_logged": sum(row.get("sampling_rate") == rate for row in rows)}
        for rate in RATES
    ]
    (metric,) = block["metrics"]
    assert (metric["value"], metric["ci_low"], metric["ci_high"]) == pytest.approx(mean_and_interval(rows), abs=1e-9)
    (total,) = block["latency"]
    assert total["mean_ms"] == pytest.approx(sum(weight(row) * row["total_ms"] for row in rows) / block["n"])
    for name, q in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99)):
        assert total[name] == pytest.approx(quantile(rows, q), rel=0.005)
    plain = recallwatch.evaluate(rows, LABELS, metrics=("recall@3",), threads=1).to_dict()
    assert plain["metrics"][0]["value"] != pytest.approx(metric["value"], abs=0.001)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LABELS))
    paths = str(tmp_path / "log.jsonl"), "--labels", str(tmp_path / "labels.jsonl"), "--by", "sampling_rate", "-m", "recall@3"
    for more in ((), ("--store", str(tmp_path / "store"))):
        assert json.loads(command_line.run("evaluate", *paths, *more, "-f", "json").stdout)["all_traffic"] == block
    text = command_line.run("evaluate", *paths).stdout
    assert f"about {block['n']:,.0f} recalls (±" in text


def test_a_log_whose_rates_are_not_weighed_says_so() -> None:
    """Without --by sampling_rate a warning says that each recall counts once; a log without rates has neither."""
    warnings = recallwatch.evaluate(log(), LABELS, threads=1).to_dict()["warnings"]
    (one,) = [row for row in warnings if row["code"] == "sampled_log"]
    assert one["n"] == 400
    bare = [{name: value for name, value in row.items() if name != "sampling_rate"} for row in log()]
    result = recallwatch.evaluate(bare, LABELS, threads=1).to_dict()
    assert "all_traffic" not in result and all(row["code"] != "sampled_log" for row in result["warnings"])


@pytest.mark.parametrize("rate", [0, 1.5, -0.1, "often"])
def test_a_rate_that_is_no_probability_is_an_error(rate: float | str) -> None:
    """It names the rate and what is expected."""
    with pytest.raises(InputError, match=f"sampling rate {rate}"):
        recallwatch.evaluate([{**log()[0], "sampling_rate": rate}], LABELS, **OPTIONS)


def test_queries_that_were_not_asked_have_no_rate() -> None:
    """--missing zero and rates do not go together."""
    with pytest.raises(UsageError, match="have no sampling rate"):
        recallwatch.evaluate(log(), LABELS, missing="zero", **OPTIONS)
