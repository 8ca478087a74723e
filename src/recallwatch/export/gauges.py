"""Gauges through the OpenTelemetry Meter API: what metrics.prom holds, for whatever the host's SDK exports to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry import metrics

from ..evaluation.pipeline import evaluation_of
from ..evaluation.source import source_of
from ..report.dashboard_series import SERIES, samples
from ..report.night import Night
from ..scoring.plan import Plan, takes
from ..scoring.result import Evaluation
from .options import GAUGES


def set_gauges(found: Evaluation | Night | Mapping[str, Any], *, meter: metrics.Meter | None = None) -> int:
    """Set every gauge of :data:`recallwatch.report.dashboard_series.SERIES` once; returns the number of values set.

    Args:
        found: an evaluation, its JSON, or the result of a nightly run.
        meter: None = that of the global meter provider; without an SDK nothing happens.
    """
    night = found if isinstance(found, Night) else Night(found.to_dict() if isinstance(found, Evaluation) else found)
    chosen = meter or metrics.get_meter("recallwatch")
    gauges = {one.name: chosen.create_gauge(one.name, unit=one.unit, description=one.meaning) for one in SERIES.values()}
    n = 0
    for sample in samples(night):
        gauges[sample.series.name].set(sample.value, dict(sample.attributes))
        n += 1
    return n


@takes(GAUGES)
def send(logs: Any = None, labels: Any = None, *, store: Any = None, plan: Plan) -> int:
    """Evaluate, then set the gauges.

    Args:
        logs: as :func:`recallwatch.evaluate` takes them, or the folder of a store.
        labels: the same.
        store: folder of a store, in place of logs.
        {options}
    """
    source_of(logs, store)  # of one of both: nothing is added to a store here
    return set_gauges(evaluation_of(plan, logs, labels, store=store))
