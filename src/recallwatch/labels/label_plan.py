"""`plan_labels`: how many labelled queries a width or a difference needs, and what the present ones can see."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..base.rows import rows
from ..document.model import COUNT, NAME, RATIO, Column, Document, Section
from ..document.numbers import plural, ratio
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring.plan import Plan, takes
from ..scoring.readout import map_scores
from ..stats.closed_forms import t_quantile
from .options import PLAN, Target

CLASS = "query_class"


@dataclass(frozen=True)
class LabelPlan(Result):
    """How many labels are enough.

    Args:
        metric: what is planned for.
        target: width or detect, and power.
        rows: over everything, then a class each (sql/6_report/label_plan.sql).
    """

    metric: str
    target: dict[str, float | None]
    rows: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch labels plan -f json``."""
        return self.stated("metric", "target", "rows")

    def document(self) -> Document:
        """Queries needed, and what the present ones can see."""
        whole, width = self.rows[0], self.target["width"]
        aim = (
            f"an interval of width {width:g}"
            if width is not None
            else f"a difference of {self.target['detect']:g} with power {self.target['power']:g}"
        )
        more = max(0, whole["n_needed"] - whole["n_queries"])
        headline = f"{self.metric}: {aim} needs {plural(whole['n_needed'], 'labelled query', 'labelled queries')}, {more:,} more than there are"
        columns = [
            Column("class", NAME),
            *(Column(name, COUNT) for name in ("labelled", "needed", "more")),
            *(Column(name, RATIO) for name in ("spread", "width now", "with 20 more", "sees a difference of")),
        ]
        table = [
            (
                row["segment"].get(CLASS, "(all)") or "(none)",
                *(row["n_queries"], row["n_needed"], max(0, row["n_needed"] - row["n_queries"])),
                *(row[name] for name in ("spread", "width", "width_20_more", "detectable")),
            )
            for row in self.rows
        ]
        notes = ["queries drawn by suggest-labels --sample; a difference is between two variants or windows on the same queries"]
        if worst := [row for row in self.rows if row["is_worst_case"]]:
            notes.append(f"{plural(len(worst), 'row')} without a spread to go by: the worst case, {ratio(worst[0]['spread'])}")
        return Document(headline, [Section("Labelled queries", columns, table, notes)])


@takes(PLAN)
@on_one_state
def plan_labels(logs: Any = None, labels: Any = None, *, store: Any = None, target: Target, plan: Plan) -> LabelPlan:
    """Say how many labelled queries a metric needs, overall and in each class.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry or the store was last scored with.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option, neither or both of width and detect.
        InputError: logs or labels out of contract.

    Example:
        >>> logs = [{"query_id": f"q{n}", "ranked_ids": ["m"]} for n in range(10)]
        >>> labels = [{"query_id": f"q{n}", "relevant": ["m" if n % 2 else "x"]} for n in range(10)]
        >>> plan_labels(logs, labels, width=0.2).rows[0]["n_needed"]
        110
    """
    target.check()
    plan = plan.measuring((target.metric,), (CLASS,))

    with recalls_of("recallwatch.plan_labels", source_of(logs, store), labels, plan, must_have_labels=True) as (engine, _, events):
        map_scores(engine, plan, events)
        engine.options(opt_width=target.width, opt_detect=target.detect, opt_power_z=t_quantile(target.power, math.inf))
        engine.file("6_report/label_plan.sql")
        aim = {"width": target.width, "detect": target.detect, "power": target.power}
        return LabelPlan(str(plan.cut.columns[0]), aim, rows(engine.arrow("from label_plan")))
