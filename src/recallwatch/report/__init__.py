"""OUTPUTS: what a result can be written as. One file and one line each; all agree with the JSON cell for cell."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ..base.registry import index
from ..scoring.result import Evaluation


@dataclass(frozen=True)
class Output:
    """An output format.

    Args:
        name: as in ``-f``.
        meaning: one line for people.
        module: file in report/ whose ``render`` writes it.
    """

    name: str
    meaning: str
    module: str

    @property
    def write(self) -> Callable[[Evaluation], str]:
        """The function that turns a result into text; its module is loaded on first use."""
        return import_module(f".{self.module}", __name__).render  # type: ignore[no-any-return]  # every module of report/ has it


OUTPUTS = index(
    Output("text", "tables for people", "as_text"),
    Output("json", "everything, full floats, stable key order", "as_json"),
    Output("csv", "metrics, latency and cost, one row a cell", "as_csv"),
    Output("markdown", "short tables for a pull request", "as_markdown"),
    Output("prometheus", "gauges of the newest window in Prometheus' text format", "as_prometheus"),
)
