"""How many labels are enough: the numbers of a plain loop, and that so many queries do it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from command_line import run
from scipy import stats

from recallwatch.base.errors import UsageError
from recallwatch.labels.label_plan import plan_labels


def needed(spread: float, *, width: float | None = None, detect: float | None = None, power: float = 0.8) -> int:
    """The least n whose interval is so narrow, or whose test sees the difference, by trying each from a little under the normal answer on."""
    z = float(stats.norm.ppf(power))
    first = 2 * 1.9 / width if width is not None else (1.9 + z) / (detect or 1)
    for n in range(max(3, int((first * spread) ** 2)), 10**6):
        t = float(stats.t.ppf(0.975, n - 1))
        if width is not None and 2 * t * spread / n**0.5 <= width:
            return n
        if detect is not None and (t + z) * spread / n**0.5 <= detect:
            return n
    raise AssertionError


def test_queries_needed_are_those_of_a_plain_loop() -> None:
    """Overall and by class, for a width and for a difference; the present queries' width; a class that all hit is planned for the worst case."""
    r = np.random.default_rng(2)
    hit = r.random(90) < 0.6
    log = pa.Table.from_pylist([{"query_id": f"q{q}", "ranked_ids": ["m"], "query_class": "abc"[q % 3]} for q in range(90)])
    labels = pa.Table.from_pylist([{"query_id": f"q{q}", "document_id": "m" if hit[q] or q % 3 == 2 else "x"} for q in range(90)])
    values = np.array([float(hit[q] or q % 3 == 2) for q in range(90)])
    for target in ({"width": 0.1}, {"detect": 0.05, "power": 0.9}):
        rows = {row["segment"].get("query_class"): row for row in plan_labels(log, labels, metric="recall@1", **target).rows}
        for name, mine in ((None, values), ("a", values[0::3]), ("b", values[1::3])):
            spread = float(mine.std(ddof=1))
            assert rows[name]["spread"] == pytest.approx(spread) and not rows[name]["is_worst_case"]
            assert abs(rows[name]["n_needed"] - needed(spread, **target)) <= 1
            assert rows[name]["width"] == pytest.approx(2 * float(stats.t.ppf(0.975, len(mine) - 1)) * spread / len(mine) ** 0.5)
        assert rows["c"]["is_worst_case"] and abs(rows["c"]["n_needed"] - needed(0.5, **target)) <= 1
    n = needed(float(values.std(ddof=1)), width=0.1)
    widths = 2 * stats.t.ppf(0.975, n - 1) * r.choice(values, (500, n)).std(axis=1, ddof=1) / n**0.5
    assert float(np.mean(widths)) == pytest.approx(0.1, abs=0.005)
    for wrong in ({}, {"width": 0.1, "detect": 0.1}):
        with pytest.raises(UsageError, match="one of --width and --detect"):
            plan_labels(log, labels, **wrong)
    done = run("labels", "plan", "sample_logs/recalls", "--labels", "sample_logs/labels.jsonl", "--width", "0.1")
    assert done.returncode == 0 and "recall@10: an interval of width 0.1 needs" in done.stdout
