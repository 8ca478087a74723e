"""`recallwatch drift`: what moved between two windows, or along a series of them."""

from __future__ import annotations

from ..monitor.options import DRIFT
from . import options as o


@o.takes(DRIFT)
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    fail_on: o.FAIL_ON = "never",
    format: o.FORMAT = None,
    output: o.OUTPUT = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Report what changed between windows: retrieval, latency, traffic, labels or the telemetry itself, and where.

    Example: recallwatch drift sample_logs/recalls --labels sample_logs/labels.jsonl --reference 2026-11-01..2026-11-08 --current 2026-11-08..2026-11-11
    """
    from ..monitor.drift import drift

    o.answer(drift, o.one(logs), labels, options=options, format=format, output=output, fail_on=fail_on)
