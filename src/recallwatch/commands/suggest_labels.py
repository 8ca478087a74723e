"""`recallwatch suggest-labels`: what to label next, and how far it gets the coverage."""

from __future__ import annotations

from typing import Annotated

from ..labels.options import SUGGEST
from . import options as o

FORMAT = Annotated[str | None, o.form("text", "jsonl", "json", "markdown", "html", more=" jsonl: the worksheet." + o.BY_NAME)]


@o.takes(SUGGEST)
def command(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """List which queries and documents to label next; -o labels.todo.jsonl writes a worksheet for `recallwatch ingest-labels`.

    Example: recallwatch suggest-labels sample_logs/recalls --labels sample_logs/labels.jsonl -n 10
    """
    from ..labels.suggestions import SUGGESTION_OUTPUTS, suggest_labels

    o.answer(suggest_labels, logs, labels, options=options, format=format, output=output, outputs=SUGGESTION_OUTPUTS)
