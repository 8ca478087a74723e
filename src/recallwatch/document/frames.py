"""Rows of a result as a Polars frame of plain columns: it displays, sorts, and is written as CSV, Parquet or Excel as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .outputs import json_text

if TYPE_CHECKING:
    import polars as pl

NONE = "(none)"
SPREAD = ("segment", "values")  # objects whose names are columns of their own


def frame(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """The rows, one column a value.

    The entries of ``segment`` and ``values`` are columns under their own names (``segment.NAME`` where a column is called so
    already), null where a row has none, "(none)" for a segment without a logged value; lists of values are texts ("m1, m2"), other lists and objects JSON.

    Args:
        rows: as JSON has them.
        kinds: name -> Polars type, for columns that may hold nothing but nulls.
    """
    import polars as pl

    given = list(rows)
    own = dict.fromkeys(name for row in given for name in row)
    columns: dict[str, list[Any]] = {}
    for name in own:
        if name not in SPREAD:
            columns[name] = [_cell(row.get(name)) for row in given]
            continue
        parts = [dict(row.get(name) or {}) for row in given]
        if name == "segment":  # a value that was not logged is no row over all values
            parts = [{key: NONE if value is None else value for key, value in part.items()} for part in parts]
        for key in dict.fromkeys(key for part in parts for key in part):
            columns[f"{name}.{key}" if key in own else key] = [part.get(key) for part in parts]
    kinds = kinds or {}
    if not given:
        return pl.DataFrame(schema=kinds)
    return pl.DataFrame([pl.Series(name, values, kinds.get(name), strict=False) for name, values in columns.items()])


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(isinstance(v, Mapping | list) for v in value)):
        return json_text(value, None).rstrip("\n")
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
