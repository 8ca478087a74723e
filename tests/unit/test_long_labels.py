"""A long label is looked up by hash; what is found is what the list form finds."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.scoring import readout


def world() -> tuple[pa.Table, pa.Table]:
    """Rankings of 1 to 300 ids with repeats and unknown ids; labels of 1 to 400 documents, some graded 0."""
    rng = random.Random(11)
    rows, labels = [], []
    for query in range(12):
        documents = rng.sample(range(600), [1, 5, 99, 100, 101, 400][query % 6])
        labels += [
            {"query_id": f"q{query}", "document_id": f"d{d}", "grade": float(rng.choice([0, 1, 1, 3]) or query % 2)}
            for d in documents
        ]
        for number in range(6):
            ids = [f"d{rng.randrange(600)}" if rng.random() > 0.05 else None for _ in range(rng.choice([1, 10, 300]))]
            rows.append({"event_id": f"e{query}-{number}", "query_id": f"q{query}", "ranked_ids": ids, "total_ms": 1.0})
    return pa.Table.from_pylist(rows), pa.Table.from_pylist(labels)


def measured(monkeypatch: pytest.MonkeyPatch, limit: int) -> dict[str, Any]:
    """An evaluation whose labels are long from ``limit`` documents on."""
    bind = readout.bind

    def bind_limit(engine: Engine, *rest: Any) -> None:
        bind(engine, *rest)
        engine.run(f"create or replace macro opt_long_label() as {limit}")

    with monkeypatch.context() as patch:
        patch.setattr(readout, "bind", bind_limit)
        return recallwatch.evaluate(*world(), per_query=True, k=(1, 10, 200)).to_dict()


def test_both_forms_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number is the same to the last digit, whether all labels are looked up by hash, some, or none."""
    every, some, none = (measured(monkeypatch, limit) for limit in (1, 100, 10**6))
    assert every == some == none
    assert any(0 < row["value"] < 1 for row in every["metrics"])
