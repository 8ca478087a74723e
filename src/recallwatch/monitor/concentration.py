"""Which recalls hold a loss of quality: values of columns and attributes, and pairs of them (sql/5_drift/cells.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..base.metrics import is_lower_better
from ..base.verdicts import MOVED
from ..stats.closed_forms import one_sided

if TYPE_CHECKING:
    from .finding import Finding
    from .sides import Sides

Row = dict[str, Any]
LEVEL = 0.01  # of a wrong word in one search, over all values and pairs that were looked at
MOST, ELSEWHERE = 0.5, 1 / 3  # of the loss inside; a recall elsewhere loses at most this part of what one inside loses
WINDOWS = 3  # of the reference, the last ones: more would cost more and make the queries' means little surer
SHOWN = (
    *("segment", "share_of_change", "share_of_traffic", "before", "after", "other_before", "other_after"),
    *("n_queries", "p_value", "n_cells"),
)
GAIN = 0.1  # a pair holds the loss in so much less traffic than each of its values, else the simpler name stands


def concentration(findings: Sequence[Finding], sides: Sides) -> Row | None:
    """The value, or pair of values, whose recalls hold most of what the first metric that moved has lost; None = the loss is not concentrated."""
    moved = [f.measured for f in findings if f.family == "quality" and f.verdict in MOVED and f.verdict != "improved"]
    if not moved or not sides.refs:
        return None
    names = [str(column) for column in sides.state.columns]
    metric = next((test for test in moved if not test.segment), moved[0])
    rows = _measured(sides, names, names.index(metric.column), -1 if is_lower_better(metric.metric) else 1)
    best = _best([row for row in rows if _is_said(row, sides)])
    return {"metric": metric.column, **{name: best[name] for name in SHOWN}} if best else None


def _measured(sides: Sides, names: list[str], number: int, sign: int) -> list[Row]:
    """Rows of the view `cells`, with p after the guard."""
    sides = replace(sides, refs=sides.refs[-WINDOWS:])
    engine = sides.state.engine
    sides.state.lazy.ensure("cells", [*sides.before, *sides.after], names)
    sides.tell_engine()
    engine.run(
        f"""create or replace view cell_sides as
        select side, label_no, traits, n_{number} as n, s_{number} as s from held_cells inner join drift_sides using (day_no)"""
    )
    engine.options(opt_kappa=sides.settings.kappa, cell_sign=sign)
    engine.file("5_drift/cells.sql")
    rows = engine.rows("from cells", what="the search for values that hold the loss")
    for row in rows:
        row["segment"] = {trait["name"]: trait["shared"] for trait in row.pop("cell")}
        row["p"] = one_sided(-row["effect"], row["se"], max(row["df"], 1.0))
        row["p_value"] = min(1.0, row["p"] * row["n_cells"])
    return rows


def _is_said(row: Row, sides: Sides) -> bool:
    """Whether the loss is inside, and by more than chance."""
    settings = sides.settings
    if row["n_queries"] < settings.min_segment_queries or row["effective"] < settings.min_segment_effective:
        return False
    inside, outside = ((row[f"{name}after"] - row[f"{name}before"]) for name in ("", "other_"))
    return row["p_value"] <= LEVEL and (row["share_of_change"] or 0.0) >= MOST and abs(outside) <= ELSEWHERE * abs(inside)


def _best(rows: Sequence[Row]) -> Row | None:
    """The row whose share of the loss is most above its share of the traffic."""
    single = {item: row for row in rows if len(row["segment"]) == 1 for item in row["segment"].items()}

    def stands(row: Row) -> bool:
        halves = [single[item] for item in row["segment"].items() if item in single]
        return len(row["segment"]) == 1 or all(_excess(row) >= _excess(half) + GAIN and row["p"] <= half["p"] for half in halves)

    return max(filter(stands, rows), key=_excess, default=None)


def _excess(row: Row) -> float:
    return float(row["share_of_change"] - row["share_of_traffic"])
