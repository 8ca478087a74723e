"""Our own spans and instruments, opentelemetry-api only: silent until somebody installs an SDK."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from opentelemetry import metrics, trace

DURATION = "recallwatch.step.duration"  # histogram, s: wall time of one step, attribute recallwatch.step
EVENTS = "recallwatch.events"  # counter, {event}: events read, attribute recallwatch.outcome
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)  # s


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
        watcher: told when a step begins.
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
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Run one step in a span of its own; an error marks the span."""
        if self._watcher is not None:
            self._watcher.step(step, self._worker)
        started = time.perf_counter()
        with self._tracer.start_as_current_span(f"{self._name}.{step}", attributes={"recallwatch.step": step}):
            yield
        self.seconds[step] = time.perf_counter() - started
        self._duration.record(self.seconds[step], {"recallwatch.step": step})

    def done(self, counts: Mapping[str, Any]) -> None:
        """Counts of a finished command, as attributes of a closing span and as counters."""
        numbers = {f"recallwatch.{name}": value for name, value in counts.items() if isinstance(value, int | float)}
        with self._tracer.start_as_current_span(self._name, attributes=numbers):
            pass
        for outcome in ("labelled_events", "unlabelled_events", "duplicate_events", "rejected_lines"):
            self._events.add(
                int(counts.get(outcome, 0)), {"recallwatch.outcome": outcome.removesuffix("_events").removesuffix("_lines")}
            )
