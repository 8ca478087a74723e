"""Logs and labels as data: every kind of table that the README names gives the same numbers; anything else is refused in our words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch import InputError, UsageError

LOGS = pa.table(
    {
        "timestamp": [f"2026-11-{day:02}T{hour:02}:00:00Z" for day in (1, 2) for hour in range(10)],
        "query_id": ["q1", "q2"] * 10,
        "ranked_ids": [["a", "b"], ["c", "d"]] * 10,
        "variant": ["x"] * 10 + ["y"] * 10,
    }
)
LABELS = pa.table({"query_id": ["q1", "q2"], "document_id": ["a", "d"]})
OPTIONS: dict[str, Any] = {"metrics": ["recall", "mrr"], "k": [1]}

KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "arrow table": lambda table: table,
    "arrow record batch": lambda table: table.to_batches()[0],
    "arrow data set": ds.dataset,
    "arrow scanner": lambda table: ds.dataset(table).scanner(),
    "record batch reader": lambda table: table.to_reader(max_chunksize=3),
    "polars frame": pl.from_arrow,
    "polars lazy frame": lambda table: pl.DataFrame(pl.from_arrow(table)).lazy(),
    "duckdb relation": lambda table: duckdb.connect().from_arrow(table),
}


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    """How a table becomes one of the kinds."""
    return KINDS[request.param]


def test_evaluate(made: Callable[[pa.Table], Any]) -> None:
    """Logs and labels of any kind of table give the values of Arrow tables."""
    found = recallwatch.evaluate(made(LOGS), made(LABELS), **OPTIONS)
    assert {(row["metric"], row["value"]) for row in found.to_dict()["metrics"]} == {("recall", 0.5), ("mrr", 0.75)}
    assert found.to_dict()["metrics"] == recallwatch.evaluate(LOGS, LABELS, **OPTIONS).to_dict()["metrics"]


def test_drift_and_compare(made: Callable[[pa.Table], Any]) -> None:
    """What reads its logs or labels more than once takes a stream all the same."""
    windows: dict[str, Any] = {"reference": "2026-11-01..2026-11-02", "current": "2026-11-02..2026-11-03"}
    assert recallwatch.drift(made(LOGS), made(LABELS), **windows).to_dict() == recallwatch.drift(LOGS, LABELS, **windows).to_dict()
    by: dict[str, Any] = {"by": "variant", "a": "x", "b": "y"}
    assert recallwatch.compare(made(LOGS), made(LABELS), **by).to_dict() == recallwatch.compare(LOGS, LABELS, **by).to_dict()
    two = recallwatch.compare(made(LOGS), made(LABELS), other=made(LOGS))
    assert two.similarity is not None and two.similarity["n_same_list"] == 2


def test_files_of_a_relation(tmp_path: Path) -> None:
    """A relation over a file stands on the caller's connection, the default one or another; labels may be a file beside it."""
    pq.write_table(LOGS, tmp_path / "x.parquet")
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"query_id": "q1", "relevant": ["a"]}\n{"query_id": "q2", "relevant": ["d"]}\n')
    for connection in (duckdb, duckdb.connect()):
        logs = connection.sql(f"from '{tmp_path}/x.parquet'")
        assert recallwatch.evaluate(logs, labels, **OPTIONS).to_dict()["metrics"][0]["value"] == 0.5


@pytest.mark.parametrize(
    "given", [5, object(), {"query_id": ["q1"]}, [], [LOGS], {"a.jsonl"}, pl.Series(["q1"]), pa.array(["q1"]), duckdb.connect()]
)
@pytest.mark.parametrize("where", ["logs", "labels"])
def test_refused(given: Any, where: str) -> None:
    """What holds no table is named by its type, with what is taken."""
    with pytest.raises(
        UsageError,
        match=rf"^{where}: expected paths or a table, saw {type(given).__name__}.*Give paths, a list of dicts, an Arrow table",
    ):
        recallwatch.evaluate(**{"logs": LOGS, "labels": LABELS, where: given}, **OPTIONS)


def test_closed_relation() -> None:
    """A relation that cannot be read any more is an error of the input, with what its own engine says."""
    connection = duckdb.connect()
    logs = connection.sql("select 'q1' as query_id, ['a'] as ranked_ids")
    connection.close()
    with pytest.raises(InputError, match=r"^logs: the DuckDBPyRelation cannot be read \("):
        recallwatch.evaluate(logs, LABELS, **OPTIONS)


def test_score_of_relations() -> None:
    """A relation of one column is a list of ids, in its order; of several it is none."""
    connection = duckdb.connect()
    ranked = connection.sql("select unnest(['b', 'a']) as id")
    assert recallwatch.score(ranked, connection.sql("select 'a' as id"), k=2, metrics=["recall", "mrr"]) == {
        "recall@2": 1.0,
        "mrr": 0.5,
    }
    with pytest.raises(UsageError, match="expected ids, best first, saw something without an order"):
        recallwatch.score(connection.sql("select 'a' as id, 1 as grade"), ["a"])
