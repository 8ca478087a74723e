"""Trace formats: files to the relation `spans`, and recalls picked from all of them together."""

import functools
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted, quoted_paths
from . import lines, records
from .log_format import Format, Read
from .span_attributes import named_attributes, refuse_unnamed
from .span_tables import read_clickhouse, read_mlflow, read_phoenix

LOOKED_FOR = (
    "gen_ai.operation.name retrieval, search_memory or rerank; openinference.span.kind RETRIEVER or RERANKER; "
    "Langfuse, LangSmith, MLflow or DeepEval retriever spans; db.query.result events"
)
OTLP_KEYS = ("resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics")
_FIRST_KEY = re.compile(r'\s*\{\s*"([^"\\]*)"')


def objects(head: list[str]) -> list[dict[str, Any]]:
    """The JSON objects among the first records; of a broken one its first key."""
    return _objects(tuple(head))


@functools.lru_cache(maxsize=1)
def _objects(head: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every format looks at the same head."""
    values = list[dict[str, Any]]()
    for text in head:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            first = _FIRST_KEY.match(text)
            value = {first[1]: None} if first else None
        values += [value] if isinstance(value, dict) else _dicts(value)
    return values


def _is_jaeger(value: dict[str, Any]) -> bool:
    """A Jaeger trace, or the query API's {data: [trace]}."""
    return any("traceID" in trace and "spans" in trace for trace in [value, *_dicts(value.get("data"))])


def _is_langfuse(value: dict[str, Any]) -> bool:
    """A trace with observations, or an observation."""
    is_observation = {"traceId", "trace_id"} & set(value) and "type" in value and {"startTime", "start_time"} & set(value)
    return "observations" in value or bool(is_observation)


def _is_langsmith(value: dict[str, Any]) -> bool:
    """A run, or the client's batch of posts and patches."""
    batch = [run for key in ("post", "patch") for run in _dicts(value.get(key))]
    return "run_type" in value or any("dotted_order" in run for run in (value, *batch))


def _is_mlflow(value: dict[str, Any]) -> bool:
    """A trace with info and data.spans, or a row of search_traces()."""
    data = value.get("data")
    return ("info" in value and isinstance(data, dict) and "spans" in data) or is_mlflow_frame(list(value))


def is_mlflow_frame(columns: list[str]) -> bool:
    """The columns of search_traces()."""
    return {"spans", "trace_metadata", "tags"} <= set(columns)


def is_clickhouse(columns: list[str]) -> bool:
    """The exporter's own column names."""
    return {"TraceId", "SpanId", "SpanName", "Timestamp"} <= set(columns)


def _is_phoenix(columns: list[str]) -> bool:
    """Phoenix's dotted column names."""
    return bool({"context.trace_id", "attributes.openinference.span.kind"} & set(columns))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def lines_view(engine: Engine, files: list[Path]) -> None:
    """Create the view ``raw_lines`` (file, line, line_text, problem) over a stream of records; it can be read once."""
    engine.register("line_stream", records.reader(files))
    engine.register("line_sources", lines.sources(files))
    engine.file("1_normalise/lines.sql")


def _trace(name: str, meaning: str, fits: Callable[[dict[str, Any]], Any], *parquet: Any, before: tuple[str, ...] = ()) -> Format:
    """A form of traces in text, which a file has where any of its first records fits; ``parquet``: the same as columns."""

    def read(engine: Engine, files: list[Path], _mapped: Mapping[str, str]) -> Read:
        engine.file("1_normalise/spans_values.sql")
        lines_view(engine, files)
        for file in (*before, name):
            engine.file(f"1_normalise/spans_{file}.sql")
        return Read(f"{name}_spans", {}, is_spans=True)

    return Format(name, meaning, lambda head: any(map(fits, objects(head))), read, *parquet)


def pick_recalls(engine: Engine, relations: list[str], mapped: Mapping[str, str], *, must_be_there: bool) -> Read:
    """All spans of all files together -> ``spans`` -> recalls; a trace's spans may lie anywhere, in any order.

    Args:
        engine: holds the relations.
        relations: contract.spans of each format's files.
        mapped: ``--map``: paths from an attribute's name on; a span without a value there is read as it is.
        must_be_there: whether each path must lead some span to a value.

    Returns:
        Read: recalls and rejects as one relation; ``spans`` and ``repeated_spans`` count them.
    """
    engine.file("1_normalise/spans_values.sql")
    union = " union all by name ".join(f"select *, {_both_forms(engine, relation)} from {relation}" for relation in relations)
    engine.run(f"create or replace view all_spans as select * {named_attributes(mapped)} from ({union})")
    if must_be_there:
        refuse_unnamed(engine, f"({union})", mapped)
    for name in ("spans", "spans_documents", "spans_roles", "spans_events", "spans_stages", "recalls_from_spans"):
        engine.file(f"1_normalise/{name}.sql")
    path = engine.folder / "recalls-from-spans.parquet"
    engine.run(
        f"""copy (from span_recalls union all by name select source, source_line, reject_reason, excerpt, []::varchar[] as ranked_ids
        from all_spans where reject_reason is not null) to {quoted(str(path))} (format parquet)""",
        what="picking recalls from spans",
    )
    relation = f"read_parquet({quoted_paths(path)})"
    spans, repeated = engine.run(
        "select (select count(*) from spans), (select count(*) from all_spans where reject_reason is null)"
    )[0]
    columns = [name for name in engine.columns("contract.events") if name not in ("attributes", "source", "source_line", "flags")]
    filled = engine.run(
        f"select {', '.join(f'count({identifier(name)}) > 0' for name in columns)} from {relation} where reject_reason is null"
    )[0]
    attributes = engine.run(f"select distinct unnest(map_keys(attributes)) as key from {relation} order by key")
    used = {name: (name,) for name, there in zip(columns, filled, strict=True) if there}
    return Read(relation, used, tuple(row[0] for row in attributes), has_ids=True, spans=spans, repeated_spans=repeated - spans)


def _both_forms(engine: Engine, relation: str) -> str:
    """SQL of the form of a span's attributes that its format did not make; made only of the spans of which it is asked for."""
    return "attributes_told(told) as attributes" if "told" in engine.types(relation) else "told_of(attributes) as told"


TRACES = (
    _trace(
        "otlp",
        "OTLP trace requests in JSON or protobuf (collector file exporter, Tempo)",
        lambda value: any(key in value for key in OTLP_KEYS),
    ),
    _trace("jaeger", "Jaeger JSON (query API, UI)", _is_jaeger),
    _trace(
        "zipkin",
        "Zipkin JSON, version 2 (API, exporters)",
        lambda value: {"traceId", "id", "timestamp", "duration"} <= value.keys() and bool({"localEndpoint", "tags"} & value.keys()),
    ),
    _trace(
        "otel_sdk",
        "spans as an OpenTelemetry SDK prints them, or Phoenix's client.spans.get_spans()",
        lambda value: "start_time" in value and "span_id" in (value.get("context") or {}),
    ),
    _trace("mlflow", "MLflow traces, or search_traces() as Parquet or JSON", _is_mlflow, is_mlflow_frame, read_mlflow),
    _trace("langfuse", "Langfuse traces or observations", _is_langfuse),
    _trace("langsmith", "LangSmith runs", _is_langsmith),
    _trace("deepeval", "DeepEval traces", lambda value: {"baseSpans", "retrieverSpans"} & set(value)),
    _trace(
        "clickhouse",
        "spans in the columns of the ClickHouse exporter (Parquet, JSONEachRow) or otlp2parquet",
        lambda value: is_clickhouse(list(value)),
        is_clickhouse,
        read_clickhouse,
        before=("clickhouse_json",),
    ),
    Format("phoenix", "Phoenix span dataframe in Parquet", None, None, _is_phoenix, read_phoenix),
)
