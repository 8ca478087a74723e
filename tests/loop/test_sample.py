"""A sample with known inclusion probabilities: how it is drawn, and the estimate over all traffic, against plain loops and by repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.labels.ingestion import ingest_labels
from recallwatch.labels.suggestions import WORKSHEET, suggest_labels


def world(n: int = 120, seed: int = 4) -> tuple[list[dict[str, Any]], dict[str, float], dict[str, int]]:
    """Recalls of n queries whose popular ones are easier; each query's precision@2 and its recalls."""
    r = np.random.default_rng(seed)
    counts = {f"q{q:03}": int(1 + 200 / (q + 1)) for q in range(n)}
    values = {name: float(r.random() < 0.9 - 0.6 * place / n) / 2 + 0.5 for place, name in enumerate(counts)}
    ids = {name: ["a", "b"] for name in counts}
    log = [
        {"query_id": name, "ranked_ids": ids[name], "query_class": "odd" if int(name[1:]) % 2 else "even"}
        for name, k in counts.items()
        for _ in range(k)
    ]
    return log, values, counts


def labels_of(values: dict[str, float], probabilities: dict[str, float]) -> pa.Table:
    """Labels by which the query has its value, of the sampled queries."""
    rows = [(q, d, p, 1.0 if d == "a" or values[q] == 1 else 0.0) for q, p in probabilities.items() for d in "ab"]
    return pa.table(
        dict(zip(("query_id", "document_id", "inclusion_probability", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    )


def test_the_estimate_is_that_of_a_plain_loop() -> None:
    """Hájek's ratio with linearised variance and t; nothing is said of a sample where no label has a probability."""
    log, values, counts = world()
    probabilities = {q: min(1.0, 40 * n / sum(counts.values())) for q, n in counts.items()}
    chosen = {q: p for i, (q, p) in enumerate(probabilities.items()) if i % 3 == 0}
    (row,) = recallwatch.evaluate(pa.Table.from_pylist(log), labels_of(values, chosen), metrics=("precision@2",)).to_dict()[
        "sample"
    ]
    a = np.array([counts[q] / p for q, p in chosen.items()])
    m, pi = (np.array([one[q] for q in chosen]) for one in (values, chosen))
    a /= a.sum()
    mean, size = float(a @ m), len(chosen)
    half = float(stats.t.ppf(0.975, size - 1)) * (size / (size - 1) * float(((1 - pi) * (a * (m - mean)) ** 2).sum())) ** 0.5
    assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx(
        (mean, max(0, mean - half), min(1, mean + half)), abs=1e-9
    )
    assert row["n_queries"] == size
    plain = labels_of(values, chosen).drop(["inclusion_probability"])
    assert "sample" not in recallwatch.evaluate(pa.Table.from_pylist(log), plain, metrics=("precision@2",)).to_dict()


def test_a_sample_is_drawn_with_these_probabilities(tmp_path: Path) -> None:
    """Over many seeds each query comes as often as its probability says; a larger sample holds the smaller one; head queries are certain."""
    log, values, counts = world()
    table = pa.Table.from_pylist(log)
    small, large = (suggest_labels(table, sample=size, similar=1.0).tasks for size in (20, 50))
    assert {t["query_id"] for t in small} <= {t["query_id"] for t in large} and (len(small), len(large)) == (20, 50)
    probability = {t["query_id"]: t["inclusion_probability"] for t in large}
    assert probability["q000"] == 1.0 and all(0 < p <= 1 for p in probability.values())
    uncertain = {q: p for q, p in probability.items() if p < 1}
    share = {round(p / counts[q], 9) for q, p in uncertain.items()}
    assert len(share) == 1  # proportional to traffic
    by_class = suggest_labels(table, sample=20, by="query_class", similar=1.0).tasks
    assert {t["query_class"] for t in by_class} == {"odd", "even"}
    equal = suggest_labels(table, sample=30, of="queries", similar=1.0).tasks
    assert {t["inclusion_probability"] for t in equal} == {30 / len(counts)}
    with pytest.raises(UsageError, match="--by: only a sample has it"):
        suggest_labels(table, by="query_class")
    path = tmp_path / "todo.jsonl"
    lines = [json.loads(line) for line in WORKSHEET.write(suggest_labels(table, sample=20, similar=1.0)).splitlines()]
    path.write_text(
        "".join(json.dumps({**line, "relevant": ["a", "b"] if values[line["query_id"]] == 1 else ["a"]}) + "\n" for line in lines)
    )
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log))
    recallwatch.evaluate(tmp_path / "log.jsonl", store=tmp_path / "store")
    ingest_labels(path, store=tmp_path / "store", others="not-relevant")
    result = recallwatch.evaluate(store=tmp_path / "store", metrics=("precision@2",))
    truth = sum(values[q] * n for q, n in counts.items()) / sum(counts.values())
    (row,) = result.to_dict()["sample"]
    assert row["n_queries"] == 20 and row["ci_low"] <= truth <= row["ci_high"] and "All traffic, estimated" in str(result)
    again = [
        json.loads(line) for line in WORKSHEET.write(suggest_labels(store=tmp_path / "store", sample=30, similar=1.0)).splitlines()
    ]
    assert sum(line["relevant"] is not None for line in again) == 20  # labelled before: filled in, with the new probability
