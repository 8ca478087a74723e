"""`recallwatch compare`: two variants on the same queries."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o
from .drift import FAIL_ON, FORMAT

ARM_A = Annotated[str | None, typer.Option("--a", help="Value of --by of the first variant.")]
ARM_B = Annotated[str | None, typer.Option("--b", help="Value of --by of the second variant.")]
COMPARE_BY = Annotated[str, typer.Option("--by", help="Column or attribute whose values are the variants.")]
OTHER = Annotated[str | None, typer.Option("--other", help="A second log; or, where LOGS is a result's JSON, a second result.")]
CORRECTION = Annotated[str, typer.Option("--correction", help="Over metrics and classes: bh or holm.")]
FORCE = Annotated[bool, typer.Option("--force", help="Compare results although their definitions differ.")]


@o.with_shared(without=("profile",))
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    by: COMPARE_BY = "variant",
    a: ARM_A = None,
    b: ARM_B = None,
    other: OTHER = None,
    metric: o.METRIC = None,
    correction: CORRECTION = "bh",
    force: FORCE = False,
    fail_on: FAIL_ON = "never",
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Compare two variants by paired tests: which is better, on which queries, and is the difference more than chance.

    Example: recallwatch compare sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --a v1 --b v2
    """
    from ..base.progress import Progress
    from ..base.verdicts import check_level, exit_code
    from ..document.outputs import chosen, deliver
    from ..variants.comparison import METRICS
    from ..variants.comparison import compare as run

    entry = chosen(format)
    check_level(fail_on)
    with Progress() as progress:
        result = run(
            logs[0] if len(logs) == 1 else logs,
            labels,
            by=by,
            a=a,
            b=b,
            other=other,
            metrics=tuple(metric or METRICS),
            correction=correction,
            force=force,
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(result, entry, output)
    raise typer.Exit(exit_code(result.verdict, fail_on))
