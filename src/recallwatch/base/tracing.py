"""Our own spans and instruments, opentelemetry-api only: silent until somebody installs an SDK."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from opentelemetry import metrics, trace

DURATION = "recallwatch.step.duration"  # histogram, s: wall time of one step, attribute recallwatch.step
EVENTS = "recallwatch.events"  # counter, {event}: events read, attribute recallwatch.outcome
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)  # s
OUTCOMES = ("labelled_events", "unlabelled_events", "duplicate_events", "rejected_lines")


class Worker(Protocol):
    """What can say how far its running query is."""

    def progress(self) -> float:
        """Per cent done, 0..100; -1 = not known."""


class Watcher(Protocol):
    """Whoever wants to know which step is running: a progress bar."""

    def step(self, name: str, worker: Worker) -> None:
        """A step begins."""


class Steps:
    """A span for a command and one for each of its steps.

    Args:
        name: the command's span name, e.g. ``recallwatch.evaluate``.
        worker: the engine that does the work.
        watcher: notified when a step begins.
    """

    def __init__(self, name: str, worker: Worker, watcher: Watcher | None = None) -> None:
        self._worker, self._watcher = worker, watcher
        self._tracer = trace.get_tracer("recallwatch")
        meter = metrics.get_meter("recallwatch")
        self._duration = meter.create_histogram(
            DURATION, unit="s", description="wall time of one step", explicit_bucket_boundaries_advisory=BUCKETS
        )
        self._events = meter.create_counter(EVENTS, unit="{event}", description="events read, by outcome")
        self._name = name
        self._span = self._tracer.start_span(name)
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Run one step in a span of its own; an error marks it and ends the command's span."""
        if self._watcher is not None:
            self._watcher.step(step, self._worker)
        started = time.perf_counter()
        inside = trace.set_span_in_context(self._span)
        try:
            with self._tracer.start_as_current_span(f"{self._name}.{step}", context=inside, attributes={"recallwatch.step": step}):
                yield
        except BaseException as error:
            self._span.set_status(trace.StatusCode.ERROR, type(error).__name__)
            self._span.end()
            raise
        self.seconds[step] = time.perf_counter() - started
        self._duration.record(self.seconds[step], {"recallwatch.step": step})

    def done(self, counts: Mapping[str, Any]) -> None:
        """Counts of a finished command, as attributes of its span and as counters."""
        self._span.set_attributes(
            {f"recallwatch.{name}": value for name, value in counts.items() if isinstance(value, int | float)}
        )
        self._span.end()
        for outcome in OUTCOMES:
            self._events.add(int(counts.get(outcome, 0)), {"recallwatch.outcome": outcome.rsplit("_", 1)[0]})
