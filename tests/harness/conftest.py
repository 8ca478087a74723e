"""The fixture under test."""

from recallwatch.pytest_plugin import recall_quality

__all__ = ["recall_quality"]
