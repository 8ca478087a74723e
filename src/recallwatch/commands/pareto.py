"""`recallwatch pareto`: which variants are worth their price."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

Y = Annotated[str, typer.Option("-y", metavar="METRIC@K", help="What a variant is worth: a metric at one cutoff k.")]
X = Annotated[
    str, typer.Option("-x", metavar="PRICE", help="What it costs: p50, p95, p99, mean or max of a stage (p95:total), cost, tokens.")
]
VARIANTS = Annotated[str, typer.Option("--by", help="Columns or attributes whose values are the variants.")]
SCALE = Annotated[str, typer.Option("--scale", help="Scale of the price, for the knee and the picture: log or linear.")]
CACHE = Annotated[str, typer.Option("--cache", help="Recalls whose times count: all, miss or hit.")]
CURVE = Annotated[bool, typer.Option("--k-curve", help="Recall and precision by k too, with a suggestion.")]
K = Annotated[str | None, typer.Option("--k", help="Cutoffs k of that curve, e.g. 1,3,10.")]
VARIANT = Annotated[str | None, typer.Option("--variant", help="Whose curve. Default: the knee's.")]
BETA = Annotated[float, typer.Option("--beta", help="Weight of recall against precision in the suggestion.")]
OUT = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="A picture too: .svg, .png or .html.")]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]


@o.with_shared()
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    by: VARIANTS = "variant",
    y: Y = "recall@10",
    x: X = "p95:total",
    scale: SCALE = "log",
    cache: CACHE = "all",
    k_curve: CURVE = False,
    k: K = None,
    variant: VARIANT = None,
    beta: BETA = 1.0,
    out: OUT = None,
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Compare variants by quality and cost: the Pareto front, its knee, and the dominated variants.

    Example: recallwatch pareto sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --k-curve
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..variants.pareto import pareto
    from ..variants.pareto_picture import kind_of

    entry = chosen(format)
    if out is not None:
        kind_of(out.name)
    with Progress() as progress:
        result = pareto(
            logs,
            labels,
            by=by,
            y=y,
            x=x,
            scale=scale,
            cache=cache,
            k_curve=k_curve or k is not None or variant is not None,
            k=k,
            variant=variant,
            beta=beta,
            **reading,
            watcher=progress,
            **definition,
        )
    if out is not None:
        result.save(out)
    deliver(result, entry, output)
