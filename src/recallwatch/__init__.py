"""Recallwatch: retrieval quality and latency, measured from the recall log.

Importing it loads neither duckdb, polars nor pyarrow; the first call does. Editors and type checkers read __init__.pyi.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading typing is most of what a command needs before it meets signals
if TYPE_CHECKING:
    from typing import Any

# module -> the public names that live in it
_HOMES = {
    "base.errors": ("InputError", "RecallwatchError", "UsageError"),
    "base.version": ("__version__",),
    "evaluation.lists": ("score",),
    "evaluation.pipeline": ("evaluate",),
    "explanation.explain": ("Explanation", "explain"),
    "labels.anchoring": ("re_anchor",),
    "labels.ingestion": ("LabelsAdded", "ingest_labels"),
    "labels.judge": ("check_judge",),
    "labels.label_plan": ("plan_labels",),
    "labels.suggestions": ("Suggestions", "suggest_labels"),
    "monitor.drift": ("drift",),
    "monitor.result": ("Drift",),
    "record": ("Recorder",),
    "scoring.result": ("Evaluation",),
    "testing.harness": ("Case", "RetrieverReport", "evaluate_retriever"),
    "variants.comparison": ("Comparison", "compare"),
    "variants.lift": ("Lift", "lift"),
    "variants.pareto": ("Pareto", "pareto"),
    "variants.stability": ("Stability", "stability"),
    "variants.sweep": ("Sweep", "sweep"),
}
__all__ = [
    "Case", "Comparison", "Drift", "Evaluation", "Explanation", "InputError", "LabelsAdded", "Lift", "Pareto", "RecallwatchError",
    "Recorder", "RetrieverReport", "Stability", "Suggestions", "Sweep", "UsageError", "__version__", "check_judge", "compare",
    "drift", "evaluate", "evaluate_retriever", "explain", "ingest_labels", "lift", "pareto", "plan_labels", "re_anchor", "score",
    "stability", "suggest_labels", "sweep",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'recallwatch' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    """The public names alone."""
    return __all__
