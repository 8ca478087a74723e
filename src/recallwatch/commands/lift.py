"""`recallwatch lift`: what the reranker adds to its candidates."""

from __future__ import annotations

from ..variants.options import LIFT
from . import options as o


@o.takes(LIFT)
def command(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: o.FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """Compare the list before reranking with the final list, and show where relevant documents are lost.

    Example: recallwatch lift sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..variants.lift import lift

    o.answer(lift, logs, labels, options=options, format=format, output=output)
