"""Rows of an answer as JSON has them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import pyarrow as pa


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """Arrow rows as plain values: times ISO 8601 UTC, segments as objects."""
    return [{name: _plain(name, value) for name, value in row.items()} for row in table.to_pylist()]


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return iso(value)
    if name in ("segment", "values", "kinds"):
        return dict(value or {})
    return value


@overload
def iso(at: dt.datetime) -> str: ...
@overload
def iso(at: None) -> None: ...
def iso(at: dt.datetime | None) -> str | None:
    """ISO 8601 in UTC with Z."""
    return None if at is None else at.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
