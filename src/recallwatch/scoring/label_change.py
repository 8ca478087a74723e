"""What new labels did to the means, over the same events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.definition import Column as MetricColumn
from ..document.model import COUNT, DIFFERENCE, NAME, RATIO4, Section, heads


def relabelled(change: Mapping[str, Any]) -> Section:
    """The means under the old and the new labels, over the same events."""
    columns = heads(
        ("metric", NAME),
        ("old labels", RATIO4),
        ("new labels", RATIO4),
        ("difference", DIFFERENCE),
        ("old n", COUNT),
        ("new n", COUNT),
    )
    names = ("old_value", "new_value", "difference", "old_n", "new_n")
    table = [(str(MetricColumn(row["metric"], row["k"])), *(row[name] for name in names)) for row in change["metrics"]]
    note = (
        f"from label version {change['from'][:12]} to {change['to'][:12]}: the events are the same, the difference is the labels'"
    )
    return Section("Labels changed", columns, table, [note])
