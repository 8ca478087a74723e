"""Recallwatch: how good and how fast retrieval is, computed from the recall log.

Importing it loads neither duckdb, polars nor pyarrow; the first call does.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compare import Comparison, compare
    from .drift.result import Drift
    from .drift.run import drift
    from .harness import Case, RetrieverReport, evaluate_retriever
    from .lift import Lift, lift
    from .notebook import score
    from .pareto import Pareto, pareto
    from .pipeline import evaluate
    from .record import Recorder
    from .relabel import LabelsAdded, ingest_labels
    from .result import Evaluation
    from .stability import Stability, stability
    from .suggest import Suggestions, suggest_labels
    from .sweep import Sweep, sweep

__all__ = [
    "Case",
    "Comparison",
    "Drift",
    "Evaluation",
    "LabelsAdded",
    "Lift",
    "Pareto",
    "Recorder",
    "RetrieverReport",
    "Stability",
    "Suggestions",
    "Sweep",
    "compare",
    "drift",
    "evaluate",
    "evaluate_retriever",
    "ingest_labels",
    "lift",
    "pareto",
    "score",
    "stability",
    "suggest_labels",
    "sweep",
]
_HOMES = {
    "Case": "harness",
    "Comparison": "compare",
    "Drift": "drift.result",
    "Evaluation": "result",
    "LabelsAdded": "relabel",
    "Lift": "lift",
    "Pareto": "pareto",
    "Recorder": "record",
    "RetrieverReport": "harness",
    "Stability": "stability",
    "Suggestions": "suggest",
    "Sweep": "sweep",
    "compare": "compare",
    "drift": "drift.run",
    "evaluate": "pipeline",
    "evaluate_retriever": "harness",
    "ingest_labels": "relabel",
    "lift": "lift",
    "pareto": "pareto",
    "score": "notebook",
    "stability": "stability",
    "suggest_labels": "suggest",
    "sweep": "sweep",
}

try:
    __version__ = metadata.version("recallwatch")
except metadata.PackageNotFoundError:  # run from a source tree that nobody installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'recallwatch' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
