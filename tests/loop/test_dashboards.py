"""What a dashboard is fed: the textfile, the gauges and the evaluation events say what the JSON says, under names their readers take."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client.parser import text_string_to_metric_families

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.export import EXPORTS, evaluation_events, set_gauges
from recallwatch.report import OUTPUTS, as_prometheus
from recallwatch.report.dashboard_series import SERIES, samples, seconds
from recallwatch.report.files import FILES
from recallwatch.report.night import Night

NASTY = 'quote " backslash \\ line\nfeed { } = , é 漢'
START = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def event(n: int, query: str, ids: list[str], **more: Any) -> dict[str, Any]:
    """A recall of its own hour, six a day."""
    at = START + dt.timedelta(hours=4 * n)
    return {
        "event_id": f"e{n}", "timestamp": at.isoformat(), "query_id": query, "ranked_ids": ids, "tenant_id": NASTY, "status": "ok",
        "trace_id": f"{n + 1:032x}", "span_id": f"{n + 1:016x}", "stage_ms": {"search": 10.5 + n}, "total_ms": 20.1 + n, **more,
    }  # fmt: skip


EVENTS = [event(n, f"q{n % 6}", ["a", "x"] if n < 7 else ["x", "a"], query_class=None if n % 2 else "fact") for n in range(12)]
LABELS = pa.Table.from_pylist([{"query_id": f"q{n}", "document_id": d} for n in range(6) for d in ("a", "b")])


@pytest.fixture(scope="module")
def night() -> Night:
    """Two days, sliced by tenant and class, with a gate and a verdict."""
    result = recallwatch.evaluate(
        pa.Table.from_pylist(EVENTS), LABELS, k="1,2", metrics=["recall", "mrr"], by="tenant_id,query_class", window="day"
    )
    gates = [{"name": 'recall@1[tenant="x"]', "verdict": "fail", "limit": ">= 0.9", "seen": "0.5", "reason": "below"}]
    return Night(result.to_dict(), gates=gates)


def families(text: str) -> dict[str, Any]:
    """The textfile as the official client library reads it."""
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_the_official_parser_reads_what_the_json_says(night: Night) -> None:
    """Every metric of the newest day, under its k and slice, has the JSON's value, whatever characters the slice holds."""
    found = families(as_prometheus.text_of(night))["recallwatch_metric_value_ratio"]
    assert found.type == "gauge" and found.documentation == SERIES["recallwatch.metric.value"].meaning
    read = {}
    for one in found.samples:
        slices = {k.removeprefix("recallwatch_segment_"): v for k, v in one.labels.items() if "_segment_" in k}
        read[(one.labels["recallwatch_metric_name"], one.labels["recallwatch_metric_k"], str(slices))] = one.value
    wanted = {}
    for row in night.evaluation["metrics"]:
        if row["window"] == "2026-11-02T00:00:00Z" and row["value"] is not None:
            slices = {k: "(none)" if v is None else v for k, v in row["segment"].items()}
            wanted[(row["metric"], "all" if row["k"] is None else str(row["k"]), str(slices))] = row["value"]
    assert read == wanted and any(NASTY.encode("unicode_escape").decode()[:8] in key[2] for key in read)


def test_the_file_keeps_the_format(night: Night) -> None:
    """HELP, TYPE, samples, each series once and together; every name legal; no sample twice; the last line ends."""
    (data,) = FILES["prometheus"].write(night).values()
    text = data.decode()
    assert text.endswith("\n") and all(math.isfinite(one.value) for family in families(text).values() for one in family.samples)
    order = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert order == [one.prometheus for one in SERIES.values() if one.prometheus in order] and len(set(order)) == len(order)
    keys = [(one.name, tuple(sorted(one.labels.items()))) for family in families(text).values() for one in family.samples]
    assert len(keys) == len(set(keys)) > 40
    assert families(text)["recallwatch_gate"].samples[1].labels["recallwatch_gate_name"] == 'recall@1[tenant="x"]'


def test_labels_that_become_one_name_stay_apart() -> None:
    """`a.b` and `a-b` are both a_b in Prometheus: the second gets a number."""
    assert as_prometheus.label_names({"a.b": "1", "a-b": "2", "a b": "3"}) == {"a_b": "1", "a_b_2": "2", "a_b_3": "3"}


def test_times_are_in_the_base_unit() -> None:
    """ms become s by moving the point, to the last digit."""
    assert [seconds(ms) for ms in (30.1, 0.1, 1234.5678, 0.0, None)] == [0.0301, 0.0001, 1.2345678, 0.0, None]


def test_without_windows_everything_is_the_window() -> None:
    """An evaluation without windows shows its only rows; `evaluate -f prometheus` writes the same text."""
    result = recallwatch.evaluate(pa.Table.from_pylist(EVENTS), LABELS, k=1, metrics="recall")
    (sample,) = families(OUTPUTS["prometheus"].write(result))["recallwatch_metric_value_ratio"].samples
    assert sample.value == result.metrics["value"][0].as_py()
    assert "recallwatch_window_start_seconds" not in OUTPUTS["prometheus"].write(result)


def test_verdicts_are_states(night: Night) -> None:
    """Of the verdicts one has 1 and the others 0, so that a panel can show which."""
    found = families(as_prometheus.text_of(night))["recallwatch_verdict"].samples
    assert {one.labels["recallwatch_verdict"]: one.value for one in found} == {
        "fail": 1, "warn": 0, "insufficient": 0, "improved": 0, "ok": 0,
    }  # fmt: skip


def test_gauges_through_the_meter_api(night: Night) -> None:
    """The SDK's reader sees every sample of the textfile, with unit, description and attributes."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    n = set_gauges(night, meter=provider.get_meter("recallwatch"))
    (resource,) = reader.get_metrics_data().resource_metrics  # type: ignore[union-attr]  # something was set
    seen = {metric.name: metric for scope in resource.scope_metrics for metric in scope.metrics}
    points = {
        (name, tuple(sorted((point.attributes or {}).items()))): point.value
        for name, metric in seen.items()
        for point in metric.data.data_points
    }
    assert points == {(one.series.name, tuple(sorted(one.attributes.items()))): one.value for one in samples(night)}
    assert len(points) == n
    assert (seen["recallwatch.metric.value"].unit, seen["recallwatch.latency.value"].unit) == ("1", "s")
    provider.shutdown()


def test_without_an_sdk_nothing_happens(night: Night) -> None:
    """The API alone drops what it is told, and nobody minds."""
    assert set_gauges(night) > 0


# gen_ai.evaluation.result --------------------------------------------------------------------------------------------------


@pytest.fixture
def sent() -> Iterator[tuple[Any, InMemoryLogRecordExporter]]:
    """A logger and what it exported."""
    exporter = InMemoryLogRecordExporter()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    yield provider.get_logger("recallwatch"), exporter
    provider.shutdown()


def records(exporter: InMemoryLogRecordExporter) -> list[Any]:
    """The exported records."""
    return [one.log_record for one in exporter.get_finished_logs()]


def test_an_event_a_recall_and_metric(sent: tuple[Any, InMemoryLogRecordExporter]) -> None:
    """Name, attributes and the recall's own trace and span, by the convention; the caller's own span is not the parent."""
    logger, exporter = sent
    logs = [event(0, "q0", ["a", "x"], trace_id=TRACE.upper(), span_id=SPAN, query_class="fact"), event(1, "nobody", ["a"])]
    with TracerProvider(shutdown_on_exit=False).get_tracer("t").start_as_current_span("evaluating"):
        n = evaluation_events(pa.Table.from_pylist(logs), LABELS, metrics=["recall@2", "mrr"], everything=True, logger=logger)
    recall, mrr = records(exporter)
    assert n == 2
    assert {recall.event_name, mrr.event_name} == {"gen_ai.evaluation.result"}
    assert (f"{recall.trace_id:032x}", f"{recall.span_id:016x}") == (TRACE, SPAN)
    assert dict(recall.attributes) == {
        "gen_ai.evaluation.name": "recall@2", "gen_ai.evaluation.score.value": 0.5, "gen_ai.evaluation.score.label": "partial",
        "gen_ai.evaluation.explanation": "missed b", "recallwatch.event_id": "e0", "recallwatch.query_id": "q0",
        "recallwatch.query_class": "fact", "tenant.id": NASTY,
    }  # fmt: skip
    assert (mrr.attributes["gen_ai.evaluation.score.value"], mrr.attributes["gen_ai.evaluation.score.label"]) == (1.0, "full")
    assert "gen_ai.evaluation.explanation" not in mrr.attributes


def test_ids_a_trace_does_not_have(sent: tuple[Any, InMemoryLogRecordExporter]) -> None:
    """An id of another shape, of zeros only or none at all gives an event without a parent, never a made-up one."""
    logger, exporter = sent
    shapes = [{"trace_id": "abc"}, {"span_id": "0" * 16}, {"trace_id": None, "span_id": None}]
    logs = pa.Table.from_pylist([event(n, "q0", [], **more) for n, more in enumerate(shapes)])
    assert evaluation_events(logs, LABELS, metrics=["recall@2"], everything=True, logger=logger, explain=False) == 3
    assert {(one.trace_id, one.span_id) for one in records(exporter)} == {(0, 0)}
    assert {one.attributes["gen_ai.evaluation.score.label"] for one in records(exporter)} == {"none"}
    assert not any("gen_ai.evaluation.explanation" in one.attributes for one in records(exporter))


def test_events_are_the_values_of_the_mean(sent: tuple[Any, InMemoryLogRecordExporter]) -> None:
    """Their mean is the evaluation's, by the same options; what is in no mean is no event; a failed recall says so."""
    logger, exporter = sent
    logs = pa.Table.from_pylist([*EVENTS, event(20, "q1", ["a"], status="error"), event(21, "none right", ["a"])])
    labels = pa.concat_tables([LABELS, pa.table({"query_id": ["none right"], "document_id": pa.nulls(1, pa.string())})])
    n = evaluation_events(logs, labels, metrics=["ndcg@2"], everything=True, logger=logger)
    row = recallwatch.evaluate(logs, labels, metrics="ndcg@2").metrics.to_pylist()[0]
    values = [one.attributes["gen_ai.evaluation.score.value"] for one in records(exporter)]
    assert n == row["n"] == 13 and sum(values) / n == pytest.approx(row["value"], abs=1e-12)
    assert "the recall failed" in {one.attributes.get("gen_ai.evaluation.explanation") for one in records(exporter)}


def test_a_store_and_a_period(sent: tuple[Any, InMemoryLogRecordExporter], tmp_path: Path) -> None:
    """Events of a store's period: what a nightly job sends once; without both ends nothing is sent."""
    from recallwatch.store import ingest

    logger, exporter = sent
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in EVENTS))
    ingest(path, store=tmp_path / "store")
    for half in ({}, {"start": "2026-11-02"}, {"end": "2026-11-03"}):
        with pytest.raises(UsageError, match="evaluations: without --from and --to the next call sends the same events again"):
            evaluation_events(store=tmp_path / "store", labels=LABELS, metrics=["mrr"], logger=logger, **half)
    day = {"start": "2026-11-02", "end": "2026-11-03"}
    n = evaluation_events(store=tmp_path / "store", labels=LABELS, metrics=["mrr"], logger=logger, **day)
    assert n == 6 == len(records(exporter))
    assert {one.attributes["recallwatch.event_id"] for one in records(exporter)} == {f"e{i}" for i in range(6, 12)}


def test_every_export_has_a_name_and_a_function() -> None:
    """Each entry of the registry can be loaded, and says what it hands over; an unknown metric is refused before reading."""
    assert all(callable(entry.send) and entry.meaning for entry in EXPORTS.values())
    with pytest.raises(UsageError, match="recal"):
        evaluation_events("no such file", metrics=["recal"])
    assert trace.INVALID_SPAN_ID == 0


def test_a_run_writes_the_file_whole(tmp_path: Path, night: Night) -> None:
    """The file of a run is renamed into place: nothing else lies beside it."""
    from recallwatch.base.files import write_whole

    for name, data in FILES["prometheus"].write(dataclasses.replace(night, gates=())).items():
        write_whole(tmp_path / name, data)
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.prom"]
