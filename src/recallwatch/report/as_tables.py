"""metrics and latency of a run as tables: CSV and Parquet with the same columns and rows as the JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..document.as_csv import draw
from .night import Night

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("metrics", "latency")
TEXT = ("metric", "stage", "cache", "percentile", "basis")
WHOLE = ("k", "n", "n_queries", "n_missing", "relevant_found", "exact_found")


def csv_files(night: Night) -> dict[str, bytes]:
    """RFC 4180 with a header; floats in full, the segment as JSON, absent = nothing."""
    return {f"{name}.csv": _csv(night.evaluation[name]) for name in TABLES if night.evaluation[name]}


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    header = list(rows[0])
    return draw(header, [cells(header, row) for row in rows]).encode("utf-8", "backslashreplace")


def cells(header: Sequence[str], row: Mapping[str, Any]) -> list[Any]:
    """A row's values in the order of a header; a segment by the order of its names."""
    values = [row.get(name) for name in header]
    return [dict(sorted(value.items())) if isinstance(value, Mapping) else value for value in values]


def parquet_files(night: Night) -> dict[str, bytes]:
    """The same with types: window timestamptz, segment a map."""
    return {f"{name}.parquet": _parquet(night.evaluation[name]) for name in TABLES if night.evaluation[name]}


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, _kind(name)) for name in rows[0]])
    values = [{name: _value(name, value) for name, value in row.items()} for row in rows]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(values, schema=schema), sink, compression="zstd")
    return bytes(sink.getvalue())


def _kind(name: str) -> pa.DataType:
    import pyarrow as pa

    kinds = {"window": pa.timestamp("us", "UTC"), "segment": pa.map_(pa.string(), pa.string()), "truncated": pa.bool_()}
    return kinds.get(name) or (pa.string() if name in TEXT else pa.int64() if name in WHOLE else pa.float64())


def _value(name: str, value: Any) -> Any:
    if name == "window" and value is not None:
        import datetime as dt

        return dt.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return list(value.items()) if name == "segment" else value
