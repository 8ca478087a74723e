"""A pytest fixture: name the module in ``pytest_plugins`` of a conftest.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from .testing import assert_quality
from .testing.harness import RETRIEVER, RetrieverReport, evaluate_retriever


@pytest.fixture
def recall_quality(tmp_path: Path) -> Callable[..., RetrieverReport]:
    """``recall_quality(retrieve, cases, k, recall=.70, …)``: evaluate, hold to the limits, return the report.

    The recording stays in the test's ``tmp_path / "recalls"``. Other options go to ``recallwatch.evaluate_retriever``.
    """

    @RETRIEVER.named
    def check(
        retrieve: Callable[..., Any],
        cases: Iterable[Any],
        k: int = 10,
        *,
        precision: float | None = None,
        recall: float | None = None,
        f1: float | None = None,
        ndcg: float | None = None,
        mrr: float | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> RetrieverReport:
        __tracebackhide__ = True
        each = {"precision": precision, "recall": recall, "f1": f1, "ndcg": ndcg, "mrr": mrr}
        limits = {name: limit for name, limit in each.items() if limit is not None}
        report = evaluate_retriever(retrieve, cases, k, record_to=tmp_path / "recalls", timeout=timeout, **options)
        if limits:
            assert_quality(report, **limits)
        return report

    return check
