"""`recallwatch drift`: what moved between two windows, or along a series of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

REFERENCE = Annotated[
    str | None, typer.Option("--reference", metavar="A..B", help="Reference window, A <= t < B; a bare date is its midnight.")
]
CURRENT = Annotated[str | None, typer.Option("--current", metavar="C..D", help="Current window.")]
WINDOW = Annotated[str | None, typer.Option("--window", help="day or week: the newest window against the accepted ones before it.")]
SERIES = Annotated[bool, typer.Option("--series", help="A verdict for every window, with states and change points.")]
INCOMPLETE = Annotated[bool, typer.Option("--incomplete", help="Judge the newest window although it is incomplete.")]
ACCEPTED = Annotated[
    Path | None, typer.Option("--accepted", help="Folder that `recallwatch accept` wrote to. Default: a store's own.")
]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]
FAIL_ON = Annotated[
    str, typer.Option("--fail-on", help="Exit with 4 at this verdict or a worse one: fail, warn, insufficient or never.")
]


@o.with_shared(without=("profile",))
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    reference: REFERENCE = None,
    current: CURRENT = None,
    window: WINDOW = None,
    series: SERIES = False,
    by: o.BY = None,
    timezone: o.TIMEZONE = "UTC",
    accepted: ACCEPTED = None,
    incomplete: INCOMPLETE = False,
    fail_on: FAIL_ON = "never",
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Report what changed between windows: retrieval, latency, traffic, labels or the telemetry itself, and where.

    Example: recallwatch drift sample_logs/recalls --labels sample_logs/labels.jsonl --reference 2026-11-01..2026-11-08 --current 2026-11-08..2026-11-11
    """
    from ..base.progress import Progress
    from ..base.verdicts import check_level, exit_code
    from ..document.outputs import chosen, deliver
    from ..monitor.accepted import read
    from ..monitor.drift import drift

    entry = chosen(format)
    check_level(fail_on)
    with Progress() as progress:
        result = drift(
            logs[0] if len(logs) == 1 else logs,
            labels,
            reference=reference,
            current=current,
            window=window,
            series=series,
            by=by or (),
            timezone=timezone,
            accepted=read(accepted) if accepted else None,
            incomplete=incomplete,
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(result, entry, output)
    raise typer.Exit(exit_code(result.verdict, fail_on))
