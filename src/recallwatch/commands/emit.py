"""`recallwatch emit`: results to OpenTelemetry, wherever the process's SDK sends them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..export.options import EMIT
from . import options as o

WHAT = Annotated[str, typer.Option("--what", metavar="gauges,evaluations", help="What is handed over.")]


@o.takes(EMIT)
def command(logs: o.LOGS_OR_STORE, labels: o.LABELS = None, what: WHAT = "gauges", options: o.Options = o.GIVEN) -> None:
    """Send gauges of the newest window, or one event per recall, to the OpenTelemetry SDK of this process.

    Example: recallwatch emit sample_logs/recalls --labels sample_logs/labels.jsonl --what gauges --window day
    """
    from ..base.registry import pick
    from ..export import EXPORTS

    exports = [pick(EXPORTS, "export", name.strip()) for name in what.split(",")]
    exports.sort(key=lambda export: export.name)  # evaluations first: they may be refused, and then nothing is sent
    for export in exports:
        own = {name: value for name, value in options.items() if name in export.takes.options or len(exports) == 1}
        n = o.watched(export.send, logs, labels, **own)
        sys.stderr.write(f"{n:,} {export.name} handed to OpenTelemetry{_listener(export.name)}\n")


def _listener(name: str) -> str:
    """A word where nobody listens: without an SDK the API drops everything."""
    from opentelemetry import _logs, metrics

    provider = metrics.get_meter_provider() if name == "gauges" else _logs.get_logger_provider()
    is_silent = type(provider).__module__.startswith(("opentelemetry.metrics", "opentelemetry._logs"))
    return ", but no SDK listens: run it under opentelemetry-instrument" if is_silent else ""
