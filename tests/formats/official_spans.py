"""Traces written by the official libraries, with times set by hand so that every duration is known."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openinference.instrumentation import OITracer, TraceConfig
from opentelemetry import trace
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

START_NS = 1_780_000_000_000_000_000  # 2026-05-28T20:26:40Z
MS = 1_000_000  # ns


class Recorder:
    """Writes spans through the OpenTelemetry SDK and its OTLP JSON file exporter.

    Args:
        path: the file to write, one request a line.
    """

    def __init__(self, path: Path) -> None:
        self.provider = TracerProvider(
            resource=Resource({"service.name": "memory", "service.version": "1.4.0"}), shutdown_on_exit=False
        )
        self.provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
        self.tracer: Any = self.provider.get_tracer("test")
        self.openinference = OITracer(self.tracer, TraceConfig())

    def span(
        self,
        name: str,
        start_ms: float,
        end_ms: float,
        attributes: Mapping[str, Any],
        *,
        parent: Any = None,
        error: str | None = None,
        events: tuple[tuple[str, Mapping[str, Any]], ...] = (),
    ) -> Any:
        """Start and end one span; times in ms after START_NS."""
        context = trace.set_span_in_context(parent) if parent is not None else None
        span = self.tracer.start_span(
            name, context=context, start_time=START_NS + round(start_ms * MS), attributes=dict(attributes)
        )
        for event, values in events:
            span.add_event(event, values)
        if error:
            span.set_status(trace.Status(trace.StatusCode.ERROR, error))
        span.end(end_time=START_NS + round(end_ms * MS))
        return span

    def close(self) -> None:
        """Flush the file."""
        self.provider.shutdown()


def event_id(span: Any) -> str:
    """How the reader names the event of a span."""
    context = span.get_span_context()
    return f"{context.trace_id:032x}:{context.span_id:016x}"
