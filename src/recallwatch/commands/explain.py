"""`recallwatch explain`: why one query gets what it gets."""

from __future__ import annotations

from typing import Annotated

import typer

from ..explanation.options import EXPLAIN
from . import options as o

QUERY = Annotated[
    str, typer.Argument(metavar="QUERY", help="A query id, a query text, an event id or a trace id.", show_default=False)
]


@o.takes(EXPLAIN)
def command(
    query: QUERY,
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    format: o.FORMAT = None,
    output: o.OUTPUT = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Explain what one query got: where each expected document stood, why it did not come, and what came instead.

    Example: recallwatch explain q07 sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..explanation.explain import explain

    o.answer(explain, query, logs, labels, options=options, format=format, output=output)
