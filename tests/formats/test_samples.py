"""Each trace format: the same recall, told by content, from any container, in the contract's columns and types."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import make_samples
import pytest
from format_reading import found_in

from recallwatch.base.engine import Engine
from recallwatch.read import FORMATS, read_logs

CASES = [(name, container) for name in make_samples.TEXT for container in ("lines", "array", "pretty", "pretty array")] + [
    (name, "parquet") for name in make_samples.TABLES
]
WITHOUT_IDS = ("deepeval",)


@pytest.mark.parametrize(("name", "container"), CASES)
def test_the_same_recall_from_every_tool(tmp_path: Path, name: str, container: str) -> None:
    """Ids, scores, texts, query, times, stages and tokens are the same whoever wrote them."""
    found = found_in(make_samples.write(tmp_path, name, container=container))
    assert dict(found.logs.formats) == {name: 1}
    assert (found.logs.spans, found.rejects) == (3, [])
    (event,) = found.events
    assert event["ranked_ids"] == ([None, None] if name in WITHOUT_IDS else ["d1", "d2"])
    assert event["scores"] == (None if name in WITHOUT_IDS else [0.75, 0.5])
    assert event["texts"] == ["one", "two"]
    assert event["query_text"] == "q"
    assert event["timestamp"] == dt.datetime(2026, 5, 28, 20, 26, 40, 10_000, tzinfo=dt.UTC)
    assert event["total_ms"] == 100.0
    assert event["stage_ms"] == {"generate": 700.0, "search": 100.0}
    assert (event["input_tokens"], event["output_tokens"]) == (30, 5)
    assert event["attributes"]["trace_total_ms"] == "900.0"
    assert (event["status"], event["flags"]) == ("ok", [])
    assert event["tenant_id"] == ("t1" if name in ("langfuse", "langsmith", "mlflow") else None)
    assert event["event_id"].endswith(f":{make_samples.SPAN}")


@pytest.mark.parametrize("name", [*make_samples.TEXT, *make_samples.TABLES])
def test_columns_and_types_are_the_contracts(tmp_path: Path, name: str) -> None:
    """Every column of contract.events, with its type; spans likewise; event_id is the key."""
    path = make_samples.write(tmp_path, name)
    engine = Engine(threads=1)
    try:
        for file in ("0_schema.sql", "0_options.sql", "1_normalise/values.sql"):
            engine.file(file)
        read_logs(engine, [str(path)])
        columns = engine.columns("normalised")
        assert {column: kind for column, kind in columns.items() if column not in ("reject_reason", "excerpt")} == engine.columns(
            "contract.events"
        )
        assert engine.columns("spans") == engine.columns("contract.spans")
        assert engine.run("select count(*) = count(distinct event_id) from normalised")[0][0]
    finally:
        engine.close()


@pytest.mark.parametrize("container", ["lines", "array", "pretty"])
@pytest.mark.parametrize("name", make_samples.FLAT)
def test_a_profile_that_comes_with_the_tool_is_detected(tmp_path: Path, name: str, container: str) -> None:
    """By its keys, in any container: the query and its ranked ids are read."""
    found = found_in(make_samples.write(tmp_path, name, container=container))
    assert (dict(found.logs.formats), found.rejects) == ({name: 1}, [])
    assert [(event["query_text"], event["ranked_ids"]) for event in found.events] == [("q", ["d1", "d2"])]


def test_every_format_has_a_sample() -> None:
    """A new format needs one in make_samples; `flat`, runs and tables have files of tests of their own."""
    samples = [*make_samples.TEXT, *make_samples.TABLES, *make_samples.FLAT]
    assert sorted(FORMATS) == sorted([*samples, "flat", "trec_run", "json_run", "csv", "database"])


def test_traces_of_zipkins_api(tmp_path: Path) -> None:
    """An array of traces, each an array of spans; an error is a tag."""
    spans = make_samples.zipkin()
    spans[1]["tags"]["error"] = "timeout"
    (tmp_path / "traces.json").write_text(json.dumps([spans, [{**spans[0], "traceId": "7" * 32}]]))
    found = found_in(tmp_path / "traces.json")
    assert (dict(found.logs.formats), found.logs.spans, found.rejects) == ({"zipkin": 1}, 4, [])
    assert [(event["ranked_ids"], event["status"], event["error_type"]) for event in found.events] == [
        (["d1", "d2"], "error", "timeout")
    ]


@pytest.mark.parametrize("key", ["batches", "resource_spans", "instrumentationLibrarySpans"])
def test_other_spellings_of_otlp(tmp_path: Path, key: str) -> None:
    """Tempo's export, snake_case keys and the legacy scope name give the same event."""
    text = json.dumps(make_samples.otlp())
    if key == "batches":
        text = text.replace('"resourceSpans"', '"batches"')
    elif key == "instrumentationLibrarySpans":
        text = text.replace('"scopeSpans"', f'"{key}"')
    else:
        for camel, snake in (
            ("resourceSpans", key),
            ("scopeSpans", "scope_spans"),
            ("traceId", "trace_id"),
            ("spanId", "span_id"),
            ("parentSpanId", "parent_span_id"),
            ("startTimeUnixNano", "start_time_unix_nano"),
            ("endTimeUnixNano", "end_time_unix_nano"),
            ("stringValue", "string_value"),
            ("intValue", "int_value"),
        ):
            text = text.replace(f'"{camel}"', f'"{snake}"')
    (tmp_path / "log.json").write_text(text)
    (event,) = found_in(tmp_path / "log.json").events
    assert (event["ranked_ids"], event["total_ms"], event["output_tokens"]) == (["d1", "d2"], 100.0, 5)


def test_traces_of_two_formats_beside_a_flat_log(tmp_path: Path) -> None:
    """Formats may stand in one folder; each file is told by its own content, and a trace split over two formats is one trace."""
    make_samples.write(tmp_path, "otlp").rename(tmp_path / "a.json")
    make_samples.write(tmp_path, "clickhouse").rename(tmp_path / "b.parquet")
    (tmp_path / "c.jsonl").write_text('{"query": "q2", "ranked_ids": ["x"]}\n')
    found = found_in(tmp_path)
    assert dict(found.logs.formats) == {"clickhouse": 1, "flat": 1, "otlp": 1}
    assert found.logs.repeated_spans == 3
    assert sorted(event["query_text"] for event in found.events) == ["q", "q2"]


def test_a_cut_document_is_a_reject_with_its_line(tmp_path: Path) -> None:
    """An array that ends early: what is whole counts, the rest is one reject at the line it starts at."""
    rows = [{"query": f"q{i}", "ranked_ids": [f"d{i}"]} for i in range(3)]
    text = json.dumps(rows, indent=1)
    (tmp_path / "log.json").write_text(text[: text.index("q2") + 2])
    found = found_in(tmp_path / "log.json")
    assert [event["query_text"] for event in found.events] == ["q0", "q1"]
    (reject,) = found.rejects
    assert reject["reject_reason"] == "the JSON ends inside a value"
    assert reject["source_line"] == 14
    assert [event["source_line"] for event in found.events] == [2, 8]


TRACE = "0af7651916cd43dd8448eb211c80319c"
RETRIEVAL = {
    "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "hello",
    "gen_ai.retrieval.documents": json.dumps([{"id": "a", "score": 0.5}, {"id": "b", "score": 0.4}]),
}  # fmt: skip
SEGMENT = {
    "trace_id": "1-0af76519-16cd43dd8448eb211c80319c", "id": "00f067aa0ba902b6", "name": "api", "start_time": 1793520000.0, "end_time": 1793520002.0,
    "subsegments": [
        {"id": "00f067aa0ba902b7", "name": "retrieve", "start_time": 1793520000.5, "end_time": 1793520001.5, "metadata": {"default": RETRIEVAL}},
    ],
}  # fmt: skip
TIMES = {"startTime": "2026-11-01T08:00:00.500Z", "endTime": "2026-11-01T08:00:01.500Z"}
CLOUDS: dict[str, Any] = {
    "X-Ray": SEGMENT,
    "X-Ray, batch-get-traces": {
        "Traces": [{"Id": SEGMENT["trace_id"], "Segments": [{"Id": "x", "Document": json.dumps(SEGMENT)}]}], "UnprocessedTraceIds": [],
    },
    "Cloud Trace 1": {"projectId": "p", "traceId": TRACE, "spans": [{"spanId": str(0x00F067AA0BA902B7), "name": "retrieve", **TIMES, "labels": RETRIEVAL}]},
    "Cloud Trace 2": {
        "name": f"projects/p/traces/{TRACE}/spans/00f067aa0ba902b7", "spanId": "00f067aa0ba902b7", "displayName": {"value": "retrieve"}, **TIMES,
        "attributes": {"attributeMap": {key: {"stringValue": {"value": value}} for key, value in RETRIEVAL.items()}},
    },
}  # fmt: skip


@pytest.mark.parametrize("form", ["lines", "pretty"])
@pytest.mark.parametrize("name", CLOUDS)
def test_traces_of_clouds(tmp_path: Path, name: str, form: str) -> None:
    """Spans that the exporters of OpenTelemetry wrote there: ids, times, the trace's id in hex."""
    (tmp_path / "trace").write_text(json.dumps(CLOUDS[name], indent=1 if form == "pretty" else None) + "\n")
    found = found_in(tmp_path / "trace")
    assert [(e["query_text"], e["ranked_ids"], e["total_ms"], e["trace_id"], e["span_id"]) for e in found.events] == [
        ("hello", ["a", "b"], 1000.0, TRACE, "00f067aa0ba902b7")
    ]
    assert found.rejects == []


def test_a_log_with_ids_of_x_ray(tmp_path: Path) -> None:
    """A recall is no segment, whatever its trace is called."""
    (tmp_path / "log").write_text(
        json.dumps({"trace_id": SEGMENT["trace_id"], "id": "x", "start_time": 1.0, "query": "q", "ranked_ids": ["a"]}) + "\n"
    )
    assert [e["ranked_ids"] for e in found_in(tmp_path / "log").events] == [["a"]]
