"""EXPORTS: exports to OpenTelemetry, one file and one line each; opentelemetry-api only, the host's SDK decides the destination."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..base.registry import index
from ..base.takes import Takes
from .options import EVENTS, GAUGES


@dataclass(frozen=True)
class Export:
    """One thing that can be handed over.

    Args:
        name: the name users type.
        meaning: one line for people.
        module: file in export/ whose ``send`` does it.
        takes: the options of that.
    """

    name: str
    meaning: str
    module: str
    takes: Takes

    @property
    def send(self) -> Callable[..., int]:
        """``send(logs, labels, *, store, …)`` -> the number sent; its module is loaded on first use."""
        return import_module(f".{self.module}", __name__).send  # type: ignore[no-any-return]  # every module of export/ has it


EXPORTS = index(
    Export("gauges", "gauges of the newest window through the Meter API (recallwatch.metric.value, …)", "gauges", GAUGES),
    Export("evaluations", "a gen_ai.evaluation.result event a recall and metric, in the recall's own trace", "evaluations", EVENTS),
)


def set_gauges(found: Any, *, meter: Any = None) -> int:
    """See :func:`recallwatch.export.gauges.set_gauges`."""
    from .gauges import set_gauges as work

    return work(found, meter=meter)


@EVENTS.named
def evaluation_events(logs: Any = None, labels: Any = None, *, store: Any = None, **options: Any) -> int:
    """See :func:`recallwatch.export.evaluations.evaluation_events`.

    Options, beside ``logs``, ``labels`` and ``store``:
        {options}
    """
    from .evaluations import evaluation_events as work

    return work(logs, labels, store=store, **options)
