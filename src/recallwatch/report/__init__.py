"""OUTPUTS: what an evaluation can be written as. One line each; all agree with the JSON cell for cell."""

from importlib import import_module
from typing import Any

from ..base.registry import index
from ..document.outputs import HTML, JSON, MARKDOWN, TEXT, Output


def _later(module: str) -> Any:
    """The ``render`` of a module of report/, loaded on first use."""
    return lambda result: import_module(f".{module}", __name__).render(result)


OUTPUTS = index(
    TEXT,
    JSON,
    Output("csv", "metrics, latency and cost, one row a cell", _later("as_csv"), ".csv"),
    MARKDOWN,
    HTML,
    Output("prometheus", "gauges of the newest window in Prometheus' text format", _later("as_prometheus"), ".prom"),
)
