"""Which stage loses relevant documents that it did not lose before: the loss funnel of both sides of a window whose quality moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.verdicts import MOVED
from ..scoring.funnel import FUNNEL_K, read

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides


def stage_losses(findings: Sequence[Finding], sides: Sides) -> list[dict[str, Any]]:
    """Rows of the loss funnel, ``reference`` and ``current``; empty where no quality moved, or no list before the final one is logged."""
    if not any(finding.family == "quality" and finding.verdict in MOVED for finding in findings) or not sides.refs:
        return []
    engine, lazy = sides.state.engine, sides.state.lazy
    if "candidates" not in lazy.measured:
        lazy.measured["candidates"] = bool(
            engine.run("select exists (select 1 from recalls where candidate_ids is not null)")[0][0]
        )
    if not lazy.measured["candidates"]:
        return []
    engine.options(funnel_k=FUNNEL_K)
    lazy.ensure("funnel", [*sides.before, *sides.after])
    sides.tell_engine()
    engine.file("5_drift/funnel.sql")
    return read(engine)
