"""Trace formats in Parquet: their columns, whatever types they have, to the typed relation their SQL reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted, quoted_paths
from .log_format import Read

EMPTY = "map([]::varchar[], []::varchar[])"  # SQL of a map without entries


def _relation(files: list[Path]) -> str:
    return f"read_parquet({quoted_paths(files)}, union_by_name = true, filename = 'rw_file', file_row_number = true)"


def _columns(engine: Engine, files: list[Path]) -> dict[str, Any]:
    """Name -> type, and the macros that read their values."""
    engine.file("1_normalise/spans_values.sql")
    with engine.reading(str(files[0])):
        return engine.types(_relation(files))


def _value(columns: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """SQL of the first of these columns that is there, as text (binary as hex)."""
    for name in names:
        if name in columns:
            return f"lower(hex({identifier(name)}))" if columns[name].id == "blob" else f"{identifier(name)}::varchar"
    return "null::varchar"


def _as_map(sql: str, kind: Any) -> str:
    if kind.id == "map":
        return f"{sql}::map(varchar, varchar)"
    text = sql if kind.id in ("varchar", "json") else f"to_json({sql})"
    return f"attributes_of_json({text}::varchar)"


def _map(columns: Mapping[str, Any], name: str) -> str:
    return f"coalesce({_as_map(identifier(name), columns[name])}, {EMPTY})" if name in columns else EMPTY


def _ns(columns: Mapping[str, Any], name: str) -> str:
    kind = str(columns[name])
    if kind in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS"):  # without and with a zone, as pyarrow, Polars and ClickHouse write nanoseconds
        return f"epoch_ns({identifier(name)})"
    return f"epoch_us({_moment(columns, name)}) * 1000"


def read_clickhouse(engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
    """Parquet in the ClickHouse exporter's columns; attributes may be a map or JSON, ids text or binary."""
    columns = _columns(engine, files)
    texts = {
        "trace_id": "TraceId",
        "span_id": "SpanId",
        "parent_span_id": "ParentSpanId",
        "name": "SpanName",
        "status_code": "StatusCode",
        "status_message": "StatusMessage",
        "duration_ns": "Duration",
    }
    select = [f"{_value(columns, (name,))} as {column}" for column, name in texts.items()]
    names = next((identifier(n) for n in ("EventsName", "Events.Name") if n in columns), None)
    map_column = next((n for n in ("EventsAttributes", "Events.Attributes") if n in columns), None)
    named = f"if(ServiceName is null, {EMPTY}, map(['service.name'], [ServiceName::varchar]))"
    service = named if "ServiceName" in columns else EMPTY
    each = (
        f"list_transform({identifier(map_column)}, lambda rw_x: {_as_map('rw_x', columns[map_column].child)})"
        if map_column
        else "null::map(varchar, varchar)[]"
    )
    engine.run(
        f"""create or replace view raw_clickhouse as select {", ".join(select)}, {_ns(columns, "Timestamp")} as start_ns,
        {_map(columns, "SpanAttributes")} as attributes, map_concat({service}, {_map(columns, "ResourceAttributes")}) as resource,
        {f"{names}::varchar[]" if names else "null::varchar[]"} as event_names, {each} as event_attributes,
        rw_file as file, file_row_number + 1 as line, null::varchar as line_text, null::varchar as problem from {_relation(files)}"""
    )
    engine.file("1_normalise/spans_clickhouse.sql")
    return Read("clickhouse_spans", {}, is_spans=True)


def read_mlflow(engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
    """Parquet of MLflow's search_traces(): a row is a trace, read as the JSON of that row."""
    columns = _columns(engine, files)
    fields = ", ".join(
        f"{identifier(name)} := {identifier(name)}" for name in columns if name in ("trace", "spans", "tags", "trace_metadata")
    )
    engine.run(
        f"""create or replace view raw_lines as
        select rw_file as file, file_row_number + 1 as line, to_json(struct_pack({fields}))::varchar as line_text, null::varchar as problem
        from {_relation(files)}"""
    )
    engine.file("1_normalise/spans_mlflow.sql")
    return Read("mlflow_spans", {}, is_spans=True)


def read_phoenix(engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
    """Parquet of a Phoenix span dataframe: every ``attributes.*`` column is an attribute, lists and structs as JSON."""
    columns = _columns(engine, files)
    nested = ("list", "array", "struct", "map", "union")
    pairs = [
        f"{{'key': {quoted(name.removeprefix('attributes.'))}, 'value': {f'to_json({identifier(name)})' if kind.id in nested else identifier(name)}::varchar}}"
        for name, kind in columns.items()
        if name.startswith("attributes.")
    ]
    texts = {
        "trace_id": ("context.trace_id", "trace_id"),
        "span_id": ("context.span_id", "span_id", "__index_level_0__"),
        "parent_span_id": ("parent_id", "parent_span_id"),
        "name": ("name",),
        "span_kind": ("span_kind",),
        "status_code": ("status_code",),
        "status_message": ("status_message",),
    }
    select = [f"{_value(columns, names)} as {column}" for column, names in texts.items()]
    times = [f"{_moment(columns, name)} as {name.replace('time', 'at')}" for name in ("start_time", "end_time")]
    engine.run(
        f"""create or replace view raw_phoenix as select {", ".join([*select, *times])}, rw_file as file, file_row_number + 1 as line,
        map_from_entries(list_filter([{", ".join(pairs)}]::struct(key varchar, value varchar)[], lambda rw_e: rw_e.value is not null)) as attributes
        from {_relation(files)}"""
    )
    engine.file("1_normalise/spans_phoenix.sql")
    return Read("phoenix_spans", {}, is_spans=True)


def _moment(columns: Mapping[str, Any], name: str) -> str:
    if name not in columns:
        return "null::timestamptz"
    column = identifier(name)
    return f"{column}::timestamptz" if str(columns[name]).startswith("TIMESTAMP") else f"as_moment({column}::varchar)"
