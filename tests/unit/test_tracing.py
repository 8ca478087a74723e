"""Our own telemetry: silent without an SDK, seen with one."""

from pathlib import Path

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import recallwatch

SAMPLE = Path(__file__).parents[2] / "sample_logs"


def test_an_sdk_sees_spans_counts_and_durations() -> None:
    """A span for each step under one for the command, whose attributes are the counts; a histogram in seconds."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([reader]))
    recallwatch.evaluate(SAMPLE / "recalls", SAMPLE / "labels.jsonl", metrics="recall", k=10)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert {f"recallwatch.evaluate.{step}" for step in ("read", "judge", "score", "aggregate", "report")} <= set(spans)
    command = spans["recallwatch.evaluate"]
    assert command.attributes["recallwatch.events"] == 4242
    assert command.attributes["recallwatch.duplicate_events"] == 12
    assert all(
        span.parent is not None and span.parent.span_id == command.context.span_id
        for name, span in spans.items()
        if name != command.name
    )
    assert (
        command.end_time - command.start_time
        >= spans["recallwatch.evaluate.score"].end_time - spans["recallwatch.evaluate.score"].start_time
    )
    data = reader.get_metrics_data()
    found = {
        metric.name: metric for resource in data.resource_metrics for scope in resource.scope_metrics for metric in scope.metrics
    }
    assert found["recallwatch.step.duration"].unit == "s"
    assert {point.attributes["recallwatch.outcome"]: point.value for point in found["recallwatch.events"].data.data_points}[
        "labelled"
    ] == 3640
