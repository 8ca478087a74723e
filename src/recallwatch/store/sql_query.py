"""One query over a store's recall.duckdb, and its rows as text, CSV or JSON."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ..base.engine import Engine, EngineError, quoted
from ..base.errors import InputError, UsageError
from ..base.registry import index
from ..document.as_csv import draw as csv_of
from ..document.model import FIGURE, TEXT, Column, Document, Section
from ..document.outputs import TEXT as AS_TEXT
from ..document.outputs import Output, json_text
from .layout import Store, open_store

PATIENCE = 30.0  # s for a query of somebody else


def ask(folder: Any, query: str) -> pa.Table:
    """The rows of one query.

    Raises:
        UsageError: the query cannot be run; there is no recall.duckdb, or its folder was moved.
    """
    with _opened(folder) as (engine, _):
        engine.use("recall")
        return engine.arrow(query, what="the query")


def look(folder: Any, query: str, *, rows: int, without_texts: bool = False) -> dict[str, Any]:
    """The first rows of one query that somebody else wrote, an agent say: it reads this store and nothing else.

    Args:
        folder: of the store.
        query: one select; show and describe too.
        rows: at most so many.
        without_texts: only `metrics` and `latency` can be seen, which hold no text and no id of a log.

    Returns:
        ``columns``, ``rows`` and ``has_more``.

    Raises:
        UsageError: as :func:`ask`; more than a query, a file outside of the store, too slow; a store that is not on this machine.
    """
    with _opened(folder) as (engine, store):
        if store.is_remote:
            raise UsageError(
                "queries of others run on a store of this machine only", where=str(folder), fix="Copy it, or use recallwatch sql"
            )
        if without_texts:
            for name in ("metrics", "latency"):
                engine.run(f"create table {name} as from recall.{name}")
            engine.run("detach recall")
            engine.lock_in()
        else:
            engine.use("recall")
            engine.lock_in(store.folder)
        columns, records = engine.look(query, rows + 1, seconds=PATIENCE, what="the query")
        return {
            "columns": columns,
            "rows": [[_tree(value) for value in row] for row in records[:rows]],
            "has_more": len(records) > rows,
        }


@contextmanager
def _opened(folder: Any) -> Iterator[tuple[Engine, Store]]:
    """An engine with the store's database as `recall`; what fails inside is about the query."""
    store = open_store(folder)
    if not store.database.exists():
        raise UsageError("no recall.duckdb there", where=str(store.folder), fix=f"Make it: recallwatch attach {folder}")
    with Engine() as engine:
        store.reach(engine)
        database = store.here(store.database, engine.folder)
        engine.run(f"attach {quoted(str(database))} as recall (read_only)", what="opening recall.duckdb")
        try:
            yield engine, store
        except EngineError as error:
            raise UsageError(error.what, where="the query", fix="`show tables` lists the views") from error
        except InputError as error:
            raise UsageError(error.what, where="the query", fix=f"If the store was moved: recallwatch attach {folder}") from error


@dataclass(frozen=True)
class Rows:
    """What a query returned, as a document for people."""

    table: pa.Table

    def document(self) -> Document:
        """Aligned columns; numbers to the right, floats to six digits."""
        columns = [Column(field.name, FIGURE if _is_number(field.type) else TEXT) for field in self.table.schema]
        cells = [[_cell(value) for value in column.to_pylist()] for column in self.table.columns]
        rows = list(zip(*cells, strict=True))
        none = Section("", notes=[f"no rows ({', '.join(self.table.column_names)})"])
        return Document("", [Section("", columns, rows) if rows else none])


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dt.datetime):
        return _plain(value).replace("T", " ")
    if value is None or isinstance(value, str | dt.date | dt.time | dt.timedelta):
        return "" if value is None else _plain(value)
    return json.dumps(_tree(value), ensure_ascii=False)


def _tree(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _tree(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tree(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, dt.datetime):
        return (value.astimezone(dt.UTC) if value.tzinfo else value).isoformat().replace("+00:00", "Z")
    return str(value)


def as_csv(table: pa.Table) -> str:
    """RFC 4180 with a header; lists and structs as JSON, null as nothing."""
    columns = [[value if isinstance(value, Decimal) else _tree(value) for value in column.to_pylist()] for column in table.columns]
    return csv_of(table.column_names, zip(*columns, strict=True))


def as_json(table: pa.Table) -> str:
    """A list of objects; columns of one name are told apart by a number, as DuckDB does it."""
    names: list[str] = []
    for name in table.column_names:
        others = {*names, *table.column_names}
        names.append(name if name not in names else next(f"{name}_{n}" for n in itertools.count(1) if f"{name}_{n}" not in others))
    columns = [[_tree(value) for value in column.to_pylist()] for column in table.columns]
    return json_text([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)], 1)


FORMS = index(
    AS_TEXT,
    Output("csv", "one row a line, with a header", lambda rows: as_csv(rows.table), ".csv"),
    Output("json", "a list of objects", lambda rows: as_json(rows.table), ".json"),
)
