"""A pytest fixture: name the module in ``pytest_plugins`` of a conftest.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from .testing import assert_quality
from .testing.harness import METRICS, RetrieverReport, evaluate_retriever


@pytest.fixture
def recall_quality(tmp_path: Path) -> Callable[..., RetrieverReport]:
    """``recall_quality(retrieve, cases, k, recall=.70, …)``: evaluate, hold to the limits, return the report.

    The recording stays in the test's ``tmp_path / "recalls"``. Other options go to ``recallwatch.evaluate_retriever``.
    """

    def check(retrieve: Callable[..., Any], cases: Iterable[Any], k: int = 10, **given: Any) -> RetrieverReport:
        __tracebackhide__ = True
        limits = {name: given.pop(name) for name in METRICS if name in given}
        report = evaluate_retriever(retrieve, cases, k, record_to=tmp_path / "recalls", **given)
        if limits:
            assert_quality(report, **limits)
        return report

    return check
