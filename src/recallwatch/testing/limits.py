"""Limits for a test suite: a retriever that falls below one fails the test, with the queries behind it."""

from __future__ import annotations

from dataclasses import replace

from ..base.errors import UsageError
from ..base.registry import known
from ..document.as_text import draw
from ..document.model import Document, Section
from ..document.numbers import plural, ratio4
from .harness import WORST, Case, RetrieverReport, behind, evaluate_retriever

__all__ = ["Case", "RetrieverReport", "assert_quality", "evaluate_retriever"]


def assert_quality(report: RetrieverReport, **limits: float) -> None:
    """Fail unless every metric reaches its limit.

    Args:
        report: of :func:`recallwatch.evaluate_retriever`.
        limits: lowest acceptable value by metric (precision, recall, f1, ndcg, mrr), ratio 0..1; reached = passed.

    Raises:
        AssertionError: names each failed limit and the queries behind it.
        UsageError: no limit, an unknown metric, a limit that is no ratio.

    Example:
        >>> report = evaluate_retriever(lambda query: ["acme"], [("where do I work?", ["acme"])], k=1)
        >>> assert_quality(report, precision=0.80, recall=0.70, ndcg=0.85, mrr=0.90)
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    _check(report, limits)
    failed = [section for metric, limit in limits.items() for section in _failure(report, metric, limit)]
    if failed:
        raise AssertionError(draw(Document(f"retrieval quality below its limits at k = {report.k}", failed)).rstrip())


def _check(report: RetrieverReport, limits: dict[str, float]) -> None:
    if not limits:
        raise UsageError("no limits", where="assert_quality", fix="For example assert_quality(report, recall=0.70)")
    for metric, limit in limits.items():
        if metric not in report.values:
            raise UsageError(f"unknown metric {metric!r}", where="assert_quality", fix=known(metric, report.values))
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
            raise UsageError(f"a limit is a ratio 0..1, saw {metric}={limit!r}", where="assert_quality")


def _failure(report: RetrieverReport, metric: str, limit: float) -> list[Section]:
    """One failed limit and the queries behind it; [] = reached. A metric without a value has not reached anything."""
    value = report.values[metric]
    if value is not None and value >= limit:
        return []
    if value is None:
        return [Section(f"{metric}: no query counts, limit {limit:g}", notes=["no query has a value of it"])]
    queries = report.worst(metric, len(report.queries))
    title = f"{metric} {ratio4(value)} < {limit:g}, behind it {len(queries)} of {plural(len(report.queries), 'query', 'queries')}"
    section = behind(title, queries[:WORST], metric, report.errors)
    return [replace(section, notes=[f"and {len(queries) - WORST} more"] if len(queries) > WORST else [])]
