"""`recallwatch report`: the page people look at, of a store or of logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..nightly.options import REPORT
from . import options as o

TARGET = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")]
FORMAT = Annotated[str, o.form("html", "json", "markdown", "junit")]


@o.takes(REPORT)
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    output: TARGET = Path("report.html"),
    format: FORMAT = "html",
    options: o.Options = o.GIVEN,
) -> None:
    """Write one page that needs no network: what changed, since when, by how much, in which queries.

    Example: recallwatch report sample_logs/recalls --labels sample_logs/labels.jsonl -o report.html
    """
    from ..base.progress import tell
    from ..document.outputs import emit
    from ..nightly.steps import page_of

    emit(page_of(logs, labels or [], format, options), output)
    tell(str(output))
