"""`recallwatch stability`: what varies between repeats, and what a parameter changes beyond that."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o

REPEATS = Annotated[str, typer.Option("--by", help="Column or attribute whose values are the repeats.")]
WITHIN = Annotated[str | None, typer.Option("--within", help="What is repeated: columns or attributes; '' = all is one. [variant]")]
PARAMETER = Annotated[
    list[str] | None, typer.Option("--parameter", help="An attribute whose steps are looked at; repeat for more. Default: all.")
]
VARIANT = Annotated[str | None, typer.Option("--variant", help="Whose bands are proposed. Default: pooled over all.")]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json, markdown or toml (the bands alone).")]


@o.with_shared()
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    by: REPEATS = "run_id",
    within: WITHIN = None,
    metric: o.METRIC = None,
    parameter: PARAMETER = None,
    variant: VARIANT = None,
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Report how much the metrics vary between repeats, which queries flip, and what each parameter changes beyond that.

    Example: recallwatch stability sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --within ''
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..variants.stability import STABILITY_OUTPUTS, stability

    entry = chosen(format, STABILITY_OUTPUTS)
    with Progress() as progress:
        result = stability(
            logs,
            labels,
            by=by,
            within=within,
            parameters=tuple(parameter or ()),
            variant=variant,
            metrics=tuple(metric or ()),
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(result, entry, output)
