"""Why a window moved: likely causes, best first, each with what the log shows for it. Numbers come from the findings and sql/5_drift/causes.sql.

A cause is named only where what was measured leaves no other of this list; else the row says ``unknown``. Nothing is run again: the log is the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..base.verdicts import MOVED
from . import causes_of_lists as lists
from . import causes_of_service as service
from .cause_evidence import Evidence, Row, cause

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides


def name_causes(findings: Sequence[Finding], sides: Sides, funnel: Sequence[Row], cell: Row | None) -> list[Row]:
    """Likely causes of what moved, best first; ``unknown`` where nothing of the list fits; empty where nothing moved for the worse."""
    moved = [finding for finding in findings if finding.verdict in MOVED and finding.verdict != "improved"]
    if not moved:
        return []
    engine = sides.state.engine
    overlap = next((f.measured for f in findings if f.measured.test == "overlap"), None)
    documents: Row = {}
    shown: Row = {}
    traits: list[Row] = []
    if overlap is not None and overlap.current is not None:
        engine.file("5_drift/causes.sql")
        documents, shown = (engine.rows(f"from {name}")[0] for name in ("cause_documents", "cause_lists"))
        traits = engine.rows("from cause_traits limit 3")
    evidence = Evidence(moved, findings, documents, shown, traits, funnel, cell)
    for rule in RULES:
        if (row := rule(evidence)) is not None:
            evidence.named[row["cause"]] = row
    return list(evidence.named.values()) or [cause("unknown", "No cause that recallwatch looks for fits this change.", ())]


RULES: tuple[Callable[[Evidence], Row | None], ...] = (  # in the order in which a person would look; each may ask what was named before it
    service.errors, lists.renamed, lists.cut, lists.stage_loses, lists.gone, lists.short, lists.cached, lists.order, lists.segment, lists.other_answers,
    service.unit, service.stages, service.slow, service.labels, service.traffic, service.broken_records,
)  # fmt: skip
