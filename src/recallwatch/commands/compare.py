"""`recallwatch compare`: two variants on the same queries."""

from __future__ import annotations

from typing import Annotated

import typer

from ..variants.options import COMPARE
from . import options as o

OTHER = Annotated[
    str | None, typer.Option("--other", metavar="LOG", help="A second log; or, where LOGS is a result's JSON, a second result.")
]
FORMAT = Annotated[
    str | None,
    o.form(
        "text", "jsonl", "json", "markdown", "html", more=" jsonl: the worksheet of unjudged documents that decide." + o.BY_NAME
    ),
]


@o.takes(COMPARE)
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    other: OTHER = None,
    fail_on: o.FAIL_ON = "never",
    format: FORMAT = None,
    output: o.OUTPUT = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Compare two variants by paired tests: which is better, on which queries, and is the difference more than chance.

    Example: recallwatch compare sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --a v1 --b v2
    """
    from ..labels.suggestions import SUGGESTION_OUTPUTS
    from ..variants.comparison import compare

    options = {**options, "other": other}
    o.answer(
        compare, o.one(logs), labels, options=options, format=format, output=output, fail_on=fail_on, outputs=SUGGESTION_OUTPUTS
    )
