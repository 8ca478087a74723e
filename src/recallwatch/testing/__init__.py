"""A retriever in a test suite: put to cases, scored by the same SQL as a log, checked against limits."""

from .harness import Case, RetrieverReport, evaluate_retriever
from .limits import assert_quality

__all__ = ["Case", "RetrieverReport", "assert_quality", "evaluate_retriever"]
