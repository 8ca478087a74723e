"""Sensitivity: what one step of one parameter changes, all others equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..base.engine import Engine, quoted
from ..monitor.settings import Settings
from ..stats import paired
from ..stats.closed_forms import adjust
from .arms import SCALE

Sums = dict[str, tuple[int, int]]
TIMES = ("p50:total", "p95:total")


def sensitivity(engine: Engine, hidden: Iterable[str], chosen: Iterable[str] = ()) -> tuple[list[dict[str, Any]], list[str]]:
    """Change of each measure per step of each parameter.

    Metrics are paired by query, percentiles by repeat (the same repeat of both variants ran at the same time where a sweep is
    interleaved); repeats of other names: Welch's t. One test a measure and step; q_value is corrected for their number (Benjamini-Hochberg).

    Args:
        engine: with the relations of 6_report/stability.sql.
        hidden: names that the log is grouped by: no parameters.
        chosen: only these parameters; empty = all.

    Returns:
        Rows parameter, from, to, measure, unit, a, b, effect (b - a), ci_low, ci_high, p_value, q_value, n, n_contexts; and the
        parameters that are never the only difference.
    """
    engine.values("stability_names", {"name": "varchar"}, [(name,) for name in hidden])
    engine.file("6_report/stability_steps.sql")
    wanted = set(chosen)
    if wanted:
        engine.run(f"delete from stability_parameters where not list_contains({quoted(sorted(wanted))}, name)")
    steps: dict[tuple[str, Any, Any], list[dict[str, Any]]] = {}
    for step in engine.rows("from stability_steps"):
        steps.setdefault((step["name"], step["from_value"], step["to_value"]), []).append(step)
    values = _of_queries(engine) | _of_repeats(engine)
    rows = [
        {"parameter": name, "from": low, "to": high, **row, "n_contexts": len(contexts)}
        for (name, low, high), contexts in steps.items()
        for row in _tested(contexts, values)
    ]
    for row, adjusted in zip(rows, adjust([row["p_value"] for row in rows]), strict=True):
        row["q_value"] = adjusted
    names = [row[0] for row in engine.run("select distinct name from stability_parameters order by name")]
    separable = {name for name, _, _ in steps}
    return rows, [name for name in names if name not in separable]


def _of_queries(engine: Engine) -> dict[str, dict[int, Sums]]:
    """Measure -> cell -> query -> (count, exact sum)."""
    sums: dict[str, dict[int, Sums]] = {}
    for measure, cell, query, n, total in engine.run(
        """select c.metric || coalesce('@' || c.k, ''), r.cell_no, l.label_no, sum(l.n)::bigint, sum(l.total)::hugeint
        from quality_long as l inner join stability_runs as r using (segment_no) inner join metric_columns as c using (position)
        where l.n > 0 group by all order by min(position)"""
    ):
        sums.setdefault(measure, {}).setdefault(cell, {})[str(query)] = (n, total)
    return sums


def _of_repeats(engine: Engine) -> dict[str, dict[int, Sums]]:
    """Percentile -> cell -> repeat -> (1, exact value)."""
    values: dict[str, dict[int, Sums]] = {}
    for measure, cell, run, value in engine.run(
        f"""select measure, cell_no, run, in_wide_units(value) from stability_values
        where list_contains({quoted(list(TIMES))}, measure) and value is not null order by measure, cell_no, run"""
    ):
        values.setdefault(measure, {}).setdefault(cell, {})[run] = (1, value)
    return values


def _tested(contexts: list[dict[str, Any]], values: Mapping[str, Mapping[int, Sums]]) -> list[dict[str, Any]]:
    rows = []
    for measure, cells in values.items():
        is_time = measure in TIMES
        arms = [_arm(contexts, side, cells, apart=is_time) for side in ("from_cells", "to_cells")]
        if not all(arms):
            continue
        test, _ = paired.paired_test(arms[0], arms[1], Settings().kappa, SCALE)
        low, high = test.ci
        rows.append(
            {"measure": measure, "unit": "ms" if is_time else "ratio", "a": test.a, "b": test.b, "effect": test.effect,
             "ci_low": low, "ci_high": high, "p_value": test.p, "n": test.n, "n_better": test.losses if is_time else test.wins,
             "n_worse": test.wins if is_time else test.losses}
        )  # fmt: skip
    return rows


def _arm(contexts: list[dict[str, Any]], side: str, cells: Mapping[int, Sums], *, apart: bool) -> Sums:
    """One side of a step over all its contexts: summed by query; repeats of different contexts stay apart."""
    arm: Sums = {}
    for i, step in enumerate(contexts):
        for cell in step[side]:
            for key, (n, total) in cells.get(cell, {}).items():
                name = f"{i}/{key}" if apart else key
                before = arm.get(name, (0, 0))
                arm[name] = (before[0] + n, before[1] + total)
    return arm
