"""Real trace files of many tools: per file its format, spans, recalls and rejects."""

from pathlib import Path

import pytest
from format_reading import found_in

import recallwatch
from recallwatch.base.errors import InputError

# file: format, spans, spans delivered again, recalls, rejects, first reject
FILES = {
    "agentevals/jaeger_k8s.json": ("jaeger", 73, 0, 0, 0, None),
    "agentevals/tempo_export_with_batches.json": ("otlp", 86, 0, 0, 0, None),
    "ai-trace-auditor/langfuse_export.json": ("langfuse", 3, 0, 0, 0, None),
    "ai-trace-auditor/otel_chat_trace.json": ("otlp", 3, 0, 0, 0, None),
    "ai-trace-auditor/otel_circular_delegation.json": ("otlp", 3, 0, 0, 0, None),
    "ai-trace-auditor/otel_multi_agent_trace.json": ("otlp", 4, 0, 0, 0, None),
    "deepeval/crewai_knowledge_retrieval.json": ("deepeval", 5, 0, 0, 0, None),
    "deepeval/langchain_async_retriever_python_schema.json": ("deepeval", 3, 0, 1, 0, None),
    "deepeval/langchain_retriever_langchain_schema.json": ("deepeval", 3, 0, 1, 0, None),
    "deepeval/langgraph_retriever_langchain_schema.json": ("deepeval", 5, 0, 1, 0, None),
    "deepeval/llama_index_async_rag_schema.json": ("deepeval", 12, 0, 0, 0, None),
    "deepeval/llama_index_async_router_schema.json": ("deepeval", 7, 0, 0, 0, None),
    "deepeval/span_types/retriever_full_attributes_schema.json": ("deepeval", 1, 0, 1, 0, None),
    "deepeval/span_types/retriever_minimal_schema.json": ("deepeval", 1, 0, 1, 0, None),
    "deepeval/span_types/retriever_span_schema.json": ("deepeval", 1, 0, 1, 0, None),
    "duckdb-otlp/logs_document.json": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "duckdb-otlp/logs_nulls.jsonl": ("otlp", 0, 0, 0, 3, "OTLP logs, not traces"),
    "duckdb-otlp/logs_simple.jsonl": ("otlp", 0, 0, 0, 3, "OTLP logs, not traces"),
    "duckdb-otlp/malformed.jsonl": ("otlp", 1, 0, 0, 3, "no resourceSpans"),
    "duckdb-otlp/multifile_malformed_traces.jsonl": ("otlp", 0, 0, 0, 1, "malformed JSON"),
    "duckdb-otlp/multifile_valid_traces.jsonl": ("otlp", 1, 0, 0, 0, None),
    "duckdb-otlp/single_trace.jsonl": ("otlp", 1, 0, 0, 0, None),
    "duckdb-otlp/traces_deep_nesting.jsonl": ("otlp", 1, 0, 0, 0, None),
    "duckdb-otlp/traces_large_attrs.jsonl": ("otlp", 1, 0, 0, 0, None),
    "duckdb-otlp/traces_nulls.jsonl": ("otlp", 3, 0, 0, 0, None),
    "duckdb-otlp/traces_simple.jsonl": ("otlp", 3, 0, 0, 0, None),
    "duckdb-otlp/ts_boundary_logs.jsonl": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "duckdb-otlp/ts_overflow_logs.jsonl": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "jaeger/otel_traces_01.json": ("otlp", 4, 0, 0, 0, None),
    "jaeger/otlp2jaeger-in.json": ("otlp", 1, 1, 0, 0, None),
    "jaeger/ui_01.json": ("jaeger", 4, 1, 0, 0, None),
    "langfuse/langgraph-python-2025-08-22.trace.json": ("langfuse", 9, 0, 0, 0, None),
    "langfuse/llamaindex-2025-06-05.trace.json": ("langfuse", 2, 0, 0, 0, None),
    "langfuse/vercel-aisdk-2025-11-17.trace.json": ("langfuse", 3, 0, 0, 0, None),
    "langfuse/vertex-ai-2025-08-01.trace.json": ("langfuse", 1, 0, 0, 0, None),
    "langsmith-sdk/langsmith_py_wrap_openai_.json": ("langsmith", 1, 0, 0, 0, None),
    "langsmith-sdk/langsmith_py_wrap_openai_stream.json": ("langsmith", 1, 0, 0, 0, None),
    "opentelemetry-proto/events.json": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "opentelemetry-proto/logs.json": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "opentelemetry-proto/trace.json": ("otlp", 1, 0, 0, 0, None),
    "otlp2parquet/invalid/log_invalid_severity.json": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "otlp2parquet/invalid/malformed.json": ("otlp", 0, 0, 0, 1, "the JSON ends inside a value"),
    "otlp2parquet/invalid/trace_invalid_base64.json": ("otlp", 0, 0, 0, 1, "span id is neither hex nor base64"),
    "otlp2parquet/invalid/trace_invalid_kind.json": ("otlp", 1, 0, 0, 0, None),
    "otlp2parquet/invalid/trace_mixed_encoding.json": ("otlp", 1, 0, 0, 0, None),
    "otlp2parquet/log.json": ("otlp", 0, 0, 0, 1, "OTLP logs, not traces"),
    "otlp2parquet/logs.jsonl": ("otlp", 0, 0, 0, 81, "OTLP logs, not traces"),
    "otlp2parquet/parquet/traces.parquet": ("clickhouse", 19, 0, 0, 0, None),
    "otlp2parquet/trace.json": ("otlp", 2, 0, 0, 0, None),
    "otlp2parquet/traces.jsonl": ("otlp", 19, 0, 0, 0, None),
    "promptflow/large-data-span-example.json": ("otel_sdk", 1, 0, 0, 0, None),
    "robotframework-trace-report/all_types_trace.json": ("otlp", 11, 0, 0, 0, None),
    "robotframework-trace-report/malformed_trace.json": ("otlp", 3, 0, 0, 3, "malformed JSON"),
    "robotframework-trace-report/otel-logs.jsonl": ("otlp", 0, 0, 0, 7, "OTLP logs, not traces"),
    "robotframework-trace-report/otel-traces.jsonl": ("otlp", 1066, 0, 0, 0, None),
    "robotframework-trace-report/simple_trace.json": ("otlp", 4, 0, 0, 0, None),
}
# files that are no trace: what is said instead
REFUSED = {
    "ai-trace-auditor/raw_api_log.jsonl": "no column 'ranked_ids'",
    "duckdb-otlp/empty.jsonl": "every file is empty",
    "duckdb-otlp/whitespace.jsonl": "every file is empty",
    "otlp2parquet/parquet/logs.parquet": "no column 'ranked_ids'",
    "otlp2parquet/parquet/metrics_histogram.parquet": "no column 'ranked_ids'",
    "production-rag-application/queries.jsonl": "no column 'ranked_ids'",
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_told_by_its_content_and_counted(shared_data: Path, name: str) -> None:
    """Every span and every bad record of a file is accounted for; none of them holds a retrieval span with ids."""
    found = found_in(shared_data / "telemetry" / name, empty_ok=True)
    reason = found.rejects[0]["reject_reason"] if found.rejects else None
    assert (
        *found.logs.formats,
        found.logs.spans,
        found.logs.repeated_spans,
        len(found.events),
        len(found.rejects),
        reason,
    ) == FILES[name]
    assert all(event["ranked_ids"] == [None] * len(event["texts"]) for event in found.events), (
        "texts without ids cannot be scored by id"
    )


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_trace_says_so(shared_data: Path, name: str) -> None:
    """What holds no recalls under known names is refused with the names that are there."""
    with pytest.raises(InputError, match=REFUSED[name]):
        found_in(shared_data / "telemetry" / name)


def test_every_file_stands_in_the_tables(shared_data: Path) -> None:
    """No real file is left untried."""
    folder = shared_data / "telemetry"
    there = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.*")
        if path.is_file() and path.name != "ORIGIN.md" and "pgmnemo" not in path.parts
    }
    assert there == set(FILES) | set(REFUSED)


def test_one_trace_in_two_encodings(shared_data: Path) -> None:
    """JSON lines with base64 ids and Parquet with hex ids give the same 19 spans, times to the microsecond."""
    folder = shared_data / "telemetry" / "otlp2parquet"
    names = (
        "trace_id",
        "span_id",
        "parent_span_id",
        "name",
        "start",
        "end",
        "duration_ms",
        "status",
        "error_type",
        "attributes",
        "events",
        "flags",
    )
    lines, table = (
        [
            {name: span[name] for name in names} | {"service": span["resource"]["service.name"]}
            for span in found_in(folder / name, empty_ok=True).spans
        ]
        for name in ("traces.jsonl", "parquet/traces.parquet")
    )
    assert lines == table
    assert len(lines) == 19


def test_traces_without_retrievals_are_refused_in_a_plain_sentence(shared_data: Path) -> None:
    """Spans, but no recalls: how many, and what was looked for; exit 3, never a number."""
    with pytest.raises(
        InputError, match=r"19 spans, 0 recalls: no retrieval spans with ids; looked for gen_ai\.operation\.name"
    ) as caught:
        recallwatch.evaluate(
            shared_data / "telemetry" / "otlp2parquet" / "traces.jsonl", shared_data / "longmemeval" / "labels.jsonl"
        )
    assert caught.value.exit_code == 3
