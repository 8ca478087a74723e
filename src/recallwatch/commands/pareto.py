"""`recallwatch pareto`: which variants are worth their price."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..variants.options import PARETO
from . import options as o

PICTURE = Annotated[Path | None, typer.Option("--picture", metavar="FILE", help="A picture too: .svg, .png or .html.")]


@o.takes(PARETO)
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    picture: PICTURE = None,
    format: o.FORMAT = None,
    output: o.OUTPUT = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Compare variants by quality and cost: the Pareto front, its knee, and the dominated variants.

    Example: recallwatch pareto sample_logs/recalls --labels sample_logs/labels.jsonl --by index_version --k-curve
    """
    from ..document.picture import kind_of
    from ..variants.pareto import pareto
    from ..variants.pareto_picture import KINDS

    if picture is not None:
        kind_of(picture.name, KINDS, where="--picture")
    result = o.answer(pareto, logs, labels, options=options, format=format, output=output)
    if picture is not None:
        result.save(picture)
