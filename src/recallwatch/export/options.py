"""The options of handing results to OpenTelemetry."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition
from ..base.options import Grouping, Limits, Measures, Period, Reading, Windows
from ..base.takes import Takes


@dataclass(frozen=True)
class Sent(Owned):
    """Content and destination of an event."""

    explain: bool = option(True, "Whether events say which relevant ids were missed.", check=o.yes_or_no)
    everything: bool = option(
        False, "Send all there is, also what an earlier call sent; else --from and --to must name the period.", check=o.yes_or_no
    )
    logger: object = option(None, "None = that of the global logger provider.", check=o.anything, is_live=True)


GAUGES = Takes("gauges", Measures, Grouping, Windows, Period, Reading, Limits, Definition)
EVENTS = Takes("evaluation_events", Measures, Sent, Period, Reading, Limits, Definition, metrics=("recall@10", "ndcg@10", "mrr"))
EMIT = Takes("emit", Measures, Grouping, Windows, Sent, Period, Reading, Limits, Definition)  # the flags of both
