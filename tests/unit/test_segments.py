"""`by`: each entry gives segments of its own, a product their cross product; adding slices up changes no number."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.store import ingest

BY = ("query_class", "tenant_id", "query_class*tenant_id")
PARTS = ("metrics", "latency", "cost")


def events(n: int = 400) -> list[dict[str, Any]]:
    """Recalls of three days; some without a class, some without a tenant."""
    rng = random.Random(5)
    return [
        {
            "event_id": f"e{number}",
            "timestamp": f"2026-03-0{1 + number % 3}T0{number % 10}:00:00Z",
            "query_id": f"q{number % 12}",
            "query_class": (None, "lookup", "it's", "multi")[number % 4],
            "tenant_id": rng.choice([None, "acme", "bolt"]),
            "ranked_ids": [f"d{rng.randint(0, 9)}" for _ in range(5)],
            "stage_ms": {"search": rng.lognormvariate(3, 1)},
            "total_ms": rng.lognormvariate(4, 1),
            "cost_usd": rng.choice([0.1, 1e-7]),
            "cache_hit": rng.choice([True, False]),
        }
        for number in range(n)
    ]


def labels() -> pa.Table:
    """One relevant document a query."""
    return pa.Table.from_pylist([{"query_id": f"q{number}", "document_id": f"d{number % 10}"} for number in range(12)])


@pytest.fixture(scope="module")
def log() -> pa.Table:
    """The events as a table."""
    return pa.Table.from_pylist(events())


def rows(result: Any, part: str, names: set[str]) -> list[dict[str, Any]]:
    """The rows of the segments of these columns, in their order."""
    return [row for row in result.to_dict()[part] if set(row["segment"]) == names]


@pytest.mark.parametrize("window", ["all", "day"])
def test_each_entry_gives_what_it_gives_alone(log: pa.Table, window: str) -> None:
    """A column's segments are those of grouping by it alone, to the last digit, exact percentiles and their intervals included."""
    asked: dict[str, Any] = {"window": window, "k": "1,5", "timezone": "Europe/Berlin"}
    together = recallwatch.evaluate(log, labels(), by=BY, **asked)
    for entry in BY:
        alone = recallwatch.evaluate(log, labels(), by=(entry,), **asked)
        for part in PARTS:
            for names in (set(), set(entry.split("*"))):
                assert rows(together, part, names) == rows(alone, part, names), (entry, part)
    assert {len(row["segment"]) for row in together.to_dict()["metrics"]} == {0, 1, 2}


def test_segments_of_one_column_cover_every_event(log: pa.Table) -> None:
    """The events of a column's segments add up to all events: a value nobody logged is a segment too."""
    result = recallwatch.evaluate(log, labels(), by=("query_class", "tenant_id"))
    (whole,) = rows(result, "cost", set())
    for name in ("query_class", "tenant_id"):
        found = rows(result, "cost", {name})
        assert sum(row["n"] for row in found) == whole["n"] == 400
        assert found[0]["segment"] == {name: None}
    assert not rows(result, "cost", {"query_class", "tenant_id"})


def test_a_store_has_the_same_segments(log: pa.Table, tmp_path: Path) -> None:
    """A store's daily sums add up to the same segments, on the night they are made and on the night they are read again."""
    import pyarrow.parquet as pq

    pq.write_table(log, tmp_path / "log.parquet")
    ingest([tmp_path / "log.parquet"], store=tmp_path / "store")
    for asked in ({"window": "day"}, {"window": "day"}, {}, {"window": "day", "missing": "zero"}):
        one = recallwatch.evaluate(tmp_path / "log.parquet", labels(), by=BY, **asked).to_dict()
        stored = recallwatch.evaluate(store=tmp_path / "store", labels=labels(), by=BY, **asked).to_dict()
        for part in PARTS:
            assert stored[part] == one[part], (asked, part)


@pytest.mark.parametrize("entry", ["query_class*", "*", "tenant_id*tenant_id", "query_class**tenant_id"])
def test_what_is_no_product_is_refused(log: pa.Table, entry: str) -> None:
    """A product names columns, each once; the message says how to write one."""
    with pytest.raises(
        UsageError, match=r"--by: not a column or a product of columns: .*Write query_class, or query_class\*tenant_id"
    ):
        recallwatch.evaluate(log, labels(), by=(entry,))


def test_a_product_given_twice_counts_once(log: pa.Table) -> None:
    """The order of a product's columns makes no second set of segments."""
    once = recallwatch.evaluate(log, labels(), by="tenant_id * query_class")
    twice = recallwatch.evaluate(log, labels(), by="tenant_id*query_class,query_class*tenant_id,tenant_id*query_class")
    assert once.to_dict()["metrics"] == twice.to_dict()["metrics"]


def test_drift_refuses_a_product(log: pa.Table) -> None:
    """Drift tests each column and searches pairs by itself."""
    with pytest.raises(UsageError, match=r"--by: a product of columns: 'query_class\*tenant_id'\. Pass --by query_class,tenant_id"):
        recallwatch.drift(log, labels(), by="query_class*tenant_id", window="day")
