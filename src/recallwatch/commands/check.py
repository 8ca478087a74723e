"""`recallwatch check`: what is wrong with the logs and the labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..base.errors import ExitCode
from . import options as o

FORMAT = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]
POOL = Annotated[int | None, typer.Option("--pool-size", min=1, help="Documents a search chooses from, for the chance level.")]

CORPUS = Annotated[str | None, typer.Option("--corpus", help="File of the ids there are: one a line, JSON lines or Parquet.")]


@o.with_shared(without=("on_bad_line", "compat"))
def command(
    logs: o.LOGS,
    labels: o.LABELS = None,
    k: o.K = "1,3,5,10",
    pool_size: POOL = None,
    corpus: CORPUS = None,
    format: FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Report what is wrong with logs and labels before any metric is computed; exit 3 where metrics would be meaningless.

    Example: recallwatch check sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..document.outputs import chosen, deliver
    from ..evaluation.check import check

    entry = chosen(format)
    found = check(
        logs,
        labels,
        k=k,
        pool_size=pool_size,
        corpus=corpus,
        **reading,
        **definition,
    )
    deliver(found, entry, output)
    if found.exit_code is not ExitCode.FINE:
        raise typer.Exit(int(found.exit_code))
