"""`recallwatch lift`: what the reranker adds to its candidates."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o

FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]


@o.with_shared()
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    metric: o.METRIC = None,
    k: o.K = "1,3,5,10",
    by: o.BY = None,
    start: o.FROM = None,
    end: o.TO = None,
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Compare the list before reranking with the final list, and show where relevant documents are lost.

    Example: recallwatch lift sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..variants.lift import lift

    entry = chosen(format)
    with Progress() as progress:
        result = lift(
            logs,
            labels,
            metrics=tuple(metric or ()),
            k=k,
            by=by or (),
            start=start,
            end=end,
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(result, entry, output)
