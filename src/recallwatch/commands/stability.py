"""`recallwatch stability`: variation between repeats, and the effect of a parameter beyond it."""

from __future__ import annotations

from typing import Annotated

from ..variants.options import STABILITY
from . import options as o

FORMAT = Annotated[str | None, o.form("text", "json", "markdown", "html", "toml", more=" toml: the bands alone." + o.BY_NAME)]


@o.takes(STABILITY)
def command(
    logs: o.LOGS_OR_STORE, labels: o.LABELS = None, format: FORMAT = None, output: o.OUTPUT = None, options: o.Options = o.GIVEN
) -> None:
    """Report how much the metrics vary between repeats, which queries flip, and what each parameter changes beyond that.

    Example: recallwatch stability sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --within ''
    """
    from ..variants.stability import STABILITY_OUTPUTS, stability

    o.answer(stability, logs, labels, options=options, format=format, output=output, outputs=STABILITY_OUTPUTS)
