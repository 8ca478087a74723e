"""`recallwatch check`: faults of logs and labels."""

from __future__ import annotations

import typer

from ..evaluation.options import CHECK
from . import options as o


@o.takes(CHECK)
def command(
    logs: o.LOGS, labels: o.LABELS = None, format: o.FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """Report what is wrong with logs and labels before any metric is computed; exit 3 where metrics would be meaningless.

    Example: recallwatch check sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..evaluation.check import check

    checked = o.answer(check, logs, labels, options=options, format=format, output=output)
    if checked.exit_code:
        raise typer.Exit(int(checked.exit_code))
