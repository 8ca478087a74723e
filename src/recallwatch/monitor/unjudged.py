"""Which verdicts on quality documents without a label could turn: the same question that `compare` asks of two variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.verdicts import MOVED
from ..scoring.unjudged import Difference, flips, is_looked_at, unjudged_of
from . import quality

if TYPE_CHECKING:
    from ..base.definition import Definition
    from .finding import Finding
    from .sides import Sides

LEVEL = 0.05  # of a change that nights together show
Estimate = tuple[float, float]  # a mean and its standard error
SIDES = ("the reference", "the current window")
FIX = "judge some of them (recallwatch suggest-labels)"


def doubt(
    findings: Sequence[Finding], sides: Sides, definition: Definition, sizes: Mapping[Any, Estimate] = MappingProxyType({})
) -> None:
    """What unjudged documents could do to each certain change of quality: ``extra["unjudged"]``, as the JSON has it.

    A verdict that they could turn, as `compare` asks, is insufficient where the labels were taken from the side that is ahead: it showed
    nearly all that they call relevant, and they say what else it showed (or name their pool). Other labels may be complete: the verdict
    stands, and says at which share of relevant documents it would change.

    Args:
        findings: of one window.
        sides: what they compare.
        definition: what the numbers mean.
        sizes: of changes that nights together show: the mean change and its standard error, by the key of the test.
    """
    columns = {str(column): column for column in sides.state.columns if is_looked_at(column.metric)}
    of_quality = [f for f in findings if f.family == "quality" and f.measured.column in columns]
    asked = [finding for finding in of_quality if finding.measured.key in sizes or _is_certain(finding)]
    if not asked or definition.unjudged == "irrelevant":
        return
    engine = sides.state.engine
    sides.state.lazy.ensure("lists", [*sides.before, *sides.after])
    sides.tell_engine()
    engine.file("5_drift/window_lists.sql")
    wanted = [columns[name] for name in dict.fromkeys(finding.measured.column for finding in asked)]
    documents = unjudged_of(engine, SIDES, wanted, definition, FIX)
    are_pooled = documents.counts["rho"] is not None or engine.run("select count(pool) > 0 from labels")[0][0]
    for finding in asked:
        _doubt(finding, documents.of(_difference(finding, sides, sizes)), documents.counts["rho"], are_pooled=are_pooled)


def _is_certain(finding: Finding) -> bool:
    """Whether something moved, or a gate on the interval could say so."""
    low, high = finding.ci
    return finding.verdict in MOVED or (not finding.measured.lack and low is not None and high is not None and low * high > 0)


def _difference(finding: Finding, sides: Sides, sizes: Mapping[Any, Estimate]) -> Difference:
    """What a finding rests on: the queries of its window, or, of nights together, as much from each of them as from their mean."""
    test, pairs = finding.measured, quality.paired_of(sides, finding.measured)
    names = [str(label) for label in pairs.label.tolist()]
    if test.key not in sizes:
        return Difference(test.column, names, pairs.d, pairs.w, finding.extra["level"], test.se or 0.0, test.df)
    mean, se = sizes[test.key]
    return Difference(test.column, names, np.full(len(names), mean), pairs.w, LEVEL, se)


def _doubt(finding: Finding, at: Mapping[str, Any], rho: float | None, *, are_pooled: bool) -> None:
    test = finding.measured
    n = at["n_unjudged_a"], at["n_unjudged_b"]
    if not any(n):
        return
    verdict, why = (at["verdict"], at["why"]) if are_pooled and at["is_from_winner"] else ("", "")
    stated = {"n_unjudged_reference": n[0], "n_unjudged_current": n[1], "rho": rho, "tipping_point": at["tipping_point"]}
    text = why or flips(at["tipping_point"], n[0 if at["is_b"] else 1], SIDES[0 if at["is_b"] else 1], rho)
    if before := finding.extra.get("unjudged", {}).get("unjudged"):  # of this window alone
        finding.reason = finding.reason.replace(f"; {before}", "")
    finding.extra["unjudged"] = {**stated, "is_settled": verdict != "insufficient", "unjudged": text}
    if finding.verdict in MOVED and verdict:
        finding.verdict, finding.reason = verdict, f"{why}; {finding.reason}"
        test.lack = why if verdict == "insufficient" else ""
    elif finding.verdict in MOVED and text:
        finding.reason += f"; {text}"
