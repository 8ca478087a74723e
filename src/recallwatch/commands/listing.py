"""`recallwatch list`: formats, metrics and the like, from the registries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

KINDS = ("metrics", "formats", "drift-tests", "outputs", "run-outputs", "gate-presets", "protocols", "label-adapters")


def command(what: Annotated[str, typer.Argument(metavar="|".join(KINDS))]) -> None:
    """List metrics, log formats, drift tests, outputs (of evaluate, of run), gate presets, benchmark protocols or label adapters.

    Example: recallwatch list metrics
    """
    from ..base.errors import UsageError
    from ..base.metrics import METRICS
    from ..base.registry import known
    from ..document.model import NAME, TEXT, Column, Document, Section
    from ..document.outputs import show
    from ..labels.adapters import ADAPTERS
    from ..monitor import DRIFT_TESTS
    from ..nightly.gates import PRESETS
    from ..protocol.files import shipped
    from ..read import FORMATS
    from ..report import OUTPUTS
    from ..report.files import FILES

    tables: dict[str, Mapping[str, Any]] = {
        "metrics": METRICS,
        "formats": FORMATS,
        "drift-tests": DRIFT_TESTS,
        "outputs": OUTPUTS,
        "run-outputs": FILES,
        "gate-presets": PRESETS,
        "protocols": shipped(),
        "label-adapters": ADAPTERS,
    }
    if what not in tables:
        raise UsageError(f"unknown list {what!r}", fix=known(what, tables))
    rows = [(name, entry.meaning) for name, entry in tables[what].items()]
    show(Document("", [Section("", [Column("name", NAME), Column("meaning", TEXT)], rows)]))
