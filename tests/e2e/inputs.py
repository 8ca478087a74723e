"""Small logs and labels, written as files the way a service would leave them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import recallwatch

GOOD = [
    {"event_id": "e1", "query_id": "q1", "ranked_ids": ["a", "b"], "total_ms": 5.0},
    {"event_id": "e2", "query_id": "q2", "ranked_ids": ["b", "a"], "total_ms": 7.0},
]
LABELS = [{"query_id": "q1", "document_id": "a"}, {"query_id": "q2", "document_id": "a"}]


def jsonl(path: Path, rows: list[Any], *, end: str = "\n") -> Path:
    """Rows as JSON lines; a row that is text is written as it is."""
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + end
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def parquet(path: Path, rows: list[dict[str, Any]], **types: pa.DataType) -> Path:
    """Rows as Parquet, with the types given, else those pyarrow sees."""
    plain = [{name: value for name, value in row.items() if name not in types} for row in rows]
    table = pa.Table.from_pylist(plain)
    for name, kind in types.items():
        table = table.append_column(name, pa.array([row.get(name) for row in rows], kind))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def evaluated(logs: Any, labels: Any, **options: Any) -> dict[str, Any]:
    """The JSON of three metrics at k 1 and 2: few, because planning the others takes most of a small run."""
    asked = {"k": "1,2", "metrics": ("recall", "mrr", "ndcg"), **options}
    result: dict[str, Any] = recallwatch.evaluate(logs, labels, **asked).to_dict()
    return result


def value(result: dict[str, Any], metric: str = "recall", k: int | None = 2) -> float:
    """One metric over everything."""
    found: float = next(
        row["value"] for row in result["metrics"] if row["metric"] == metric and row["k"] == k and not row["segment"]
    )
    return found


def warned(result: dict[str, Any], code: str) -> int:
    """How many of a warning; 0 = no such warning."""
    return sum(row["n"] for row in result["warnings"] if row["code"] == code)
