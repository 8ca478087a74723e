"""`recallwatch emit`: results to OpenTelemetry, wherever the process's SDK sends them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from . import options as o

WHAT = Annotated[str, typer.Option("--what", metavar="gauges,evaluations", help="What is handed over.")]


@o.with_shared()
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    what: WHAT = "gauges",
    metric: o.METRIC = None,
    k: o.K = "1,3,5,10",
    by: o.BY = None,
    window: o.WINDOW = "all",
    timezone: o.TIMEZONE = "UTC",
    start: o.FROM = None,
    end: o.TO = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Send gauges of the newest window, or one event per recall, to the OpenTelemetry SDK of this process.

    Example: recallwatch emit sample_logs/recalls --labels sample_logs/labels.jsonl --what gauges --window day
    """
    from ..base.progress import Progress
    from ..base.registry import pick
    from ..export import EXPORTS

    chosen = [pick(EXPORTS, "export", name.strip()) for name in what.split(",")]
    given = {"start": start, "end": end, **reading, **definition}
    cut = {"k": k, "by": by or (), "window": window, "timezone": timezone}
    for entry in chosen:
        more = {**cut, "metrics": tuple(metric or ())} if entry.name == "gauges" else {"metrics": tuple(metric)} if metric else {}
        with Progress() as progress:
            n = entry.send(logs, labels, watcher=progress, **given, **more)
        sys.stderr.write(f"{n:,} {entry.name} handed to OpenTelemetry{_listener(entry.name)}\n")


def _listener(name: str) -> str:
    """A word where nobody listens: without an SDK the API drops everything."""
    from opentelemetry import _logs, metrics

    provider = metrics.get_meter_provider() if name == "gauges" else _logs.get_logger_provider()
    is_silent = type(provider).__module__.startswith("opentelemetry.metrics") or type(provider).__module__.startswith(
        "opentelemetry._logs"
    )
    return ", but no SDK listens: run it under opentelemetry-instrument" if is_silent else ""
