"""Variants of a retriever by quality and price: the front, the knee, prices that buy nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.files import write_whole
from ..base.registry import known
from ..base.version import TOOL
from ..document.figure import Figure
from ..document.model import Document
from ..document.picture import kind_of
from ..document.result import Result
from ..evaluation.walk import on_one_state
from ..monitor.settings import Settings
from ..scoring.plan import Plan, takes
from ..scoring.segments import columns_of
from ..stats import paired
from . import pareto_picture
from .arms import SCALE
from .cells import cells_of
from .options import PARETO, Price
from .pareto_axis import Axis, axis_of, metric_of
from .pareto_document import document_of


@dataclass(frozen=True)
class Pareto(Result):
    """Variants compared by quality and price.

    Args:
        y: the metric, e.g. recall@10.
        x: the price.
        by: the columns that distinguish variants.
        scale: of x, for the knee and the picture: log or linear.
        variants: one row a variant, the cheapest first: variant, x, y with intervals, is_front, is_knee, dominated_by, same_as,
            against (difference of y to that of ``reference`` on the queries of both, with interval).
        reference: the knee's name; where there is no knee the cheapest on the front.
        k_curve: one row a k of the shown variant: recall, precision, f, is_suggested.
        k_variant: whose curve it is; None = none was requested.
        beta: how many times recall counts precision in f.
        notes: what a reader should know.
        definition: every option in force.
    """

    y: str
    x: Axis
    by: tuple[str, ...]
    scale: str
    variants: list[dict[str, Any]]
    reference: str
    k_curve: list[dict[str, Any]]
    k_variant: str | None
    beta: float
    notes: list[str]
    definition: dict[str, Any]

    @property
    def front(self) -> list[dict[str, Any]]:
        """The variants that no other one beats, the cheapest first."""
        return [row for row in self.variants if row["is_front"]]

    @property
    def knee(self) -> dict[str, Any] | None:
        """The variant at the knee; None where there is no knee."""
        return next((row for row in self.variants if row["is_knee"]), None)

    @property
    def suggested_k(self) -> dict[str, Any] | None:
        """The row of k_curve with the highest f."""
        return next((row for row in self.k_curve if row["is_suggested"]), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch pareto -f json``, as Python values."""
        knee, at = self.knee, self.suggested_k
        return {
            "tool": dict(TOOL),
            "definition": self.definition,
            "y": self.y,
            "x": {"name": self.x.text, "unit": self.x.unit, "scale": self.scale},
            "by": list(self.by),
            "front": [row["variant"] for row in self.front],
            "knee": None if knee is None else knee["variant"],
            "knee_method": "kneedle",
            "reference": self.reference,
            "variants": self.variants,
            "k_curve": None if self.k_variant is None else {"variant": self.k_variant, "beta": self.beta, "rows": self.k_curve},
            "suggested_k": None if at is None else {"k": at["k"], "recall": at["recall"], "precision": at["precision"]},
            "notes": self.notes,
        }

    def save(self, path: str | Path) -> None:
        """Draw it: a file that ends in .svg, .png or .html, and appears whole or not at all.

        Raises:
            UsageError: another ending, a place that cannot be written.
        """
        target = Path(path)
        write_whole(target, pareto_picture.picture(self.to_dict(), kind_of(target.name, pareto_picture.KINDS, where="--picture")))

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The variants, and the curve by k."""
        return {"variants": self.variants, "k_curve": self.k_curve}

    def figures(self) -> list[Figure]:
        """The front and its knee; recall and precision by k if requested."""
        return pareto_picture.figures(self.to_dict())

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(PARETO)
@on_one_state
def pareto(logs: Any, labels: Any = None, *, price: Price, plan: Plan) -> Pareto:
    """Say which variants are worth their price.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None with a store = those it was last scored with.
        {options}

    Raises:
        UsageError: an unknown metric, price, scale or variant (exit 2).
        InputError: logs or labels out of contract; no variant that has both y and x (exit 3).
    """
    column, axis, scale = metric_of(price.y), axis_of(price.x, price.cache), price.scale
    curve_of = [f"{name}@{k}" for name in ("recall", "precision") for k in price.depths]
    columns = columns_of(price.by)
    if not columns:
        raise UsageError("no column that tells variants apart", where="--by", fix="For example --by variant")
    plan = plan.measuring((str(column), *curve_of), ("*".join(columns),))  # a variant = its values together

    with cells_of("recallwatch.pareto", logs, labels, plan) as engine:
        position = plan.cut.columns.index(column) + 1
        rows = _variants(engine, position, axis, scale)
        _refuse_nothing(engine, rows, axis, columns)
        notes = _notes(engine, rows, str(column), axis)
        reference = next((row for row in rows if row["is_knee"]), None) or next(row for row in rows if row["is_front"])
        _compare(engine, position, rows, reference)
        shown = _shown(rows, price.variant) if price.depths else None
        curve = _curve(engine, shown, price.beta) if shown is not None else []
        meaning = plan.definition.stated()
        name = None if shown is None else shown["variant"]
        clean = [{key: value for key, value in row.items() if key not in ("segment_no", "segment")} for row in rows]
        return Pareto(str(column), axis, columns, scale, clean, reference["variant"], curve, name, price.beta, notes, meaning)


def _variants(engine: Engine, position: int, axis: Axis, scale: str) -> list[dict[str, Any]]:
    """One row a variant; those it names (dominated_by, same_as) by their names."""
    names = dict.fromkeys(("x_kind", "x_name", "stage", "cache"), "varchar")
    chosen = (position, axis.kind, axis.name, axis.stage, axis.cache, scale == "log")
    engine.values("pareto_axes", {"y_position": "integer", **names, "is_log": "boolean"}, [chosen])
    for name in ("6_report/pareto_points.sql", "6_report/pareto.sql"):
        engine.file(name)
    rows = [{"variant": variant_name(row["segment"]), **row} for row in engine.rows("from pareto")]
    variants = {row["segment_no"]: row["variant"] for row in rows}
    return [{**row, **{key: variants.get(row[key]) for key in ("dominated_by", "same_as")}} for row in rows]


def variant_name(segment: Mapping[str, Any]) -> str:
    """A variant's name: its value; name=value pairs where several columns distinguish variants."""
    if len(segment) == 1:
        return str(next(iter(segment.values())))
    return ", ".join(f"{name}={value}" for name, value in segment.items())


def _refuse_nothing(engine: Engine, rows: list[dict[str, Any]], axis: Axis, by: tuple[str, ...]) -> None:
    if not rows:
        raise InputError(f"no event says its {', '.join(by)}", where="--by", fix="Log it, or name another column")
    if any(row["is_front"] for row in rows):
        return
    if axis.kind == "latency":
        stages = [row[0] for row in engine.run("select distinct stage from latency order by stage <> 'total', stage")]
        raise InputError(f"no variant has times of stage {axis.stage!r}", where=f"-x {axis.text}", fix=known(axis.stage, stages))
    raise InputError(
        f"no event logs its {axis.name}", where=f"-x {axis.text}", fix="Pass --map cost_usd=<path>, input_tokens=<path> …"
    )


def _notes(engine: Engine, rows: list[dict[str, Any]], y: str, axis: Axis) -> list[str]:
    notes = []
    (unnamed,) = engine.run(
        "select (select count(*) from variant_events) - (select count(*) from variant_events where segment_no in (select segment_no from pareto_points))"
    )
    if unnamed[0]:
        notes.append(f"{unnamed[0]} events name no variant: left out")
    left = [row["variant"] for row in rows if row["x"] is None or row["y"] is None]
    if left:
        notes.append(f"without {axis.text} or {y}, so on no front: {', '.join(left)}")
    if len(rows) == 1:
        notes.append("one variant: there is nothing to compare it with")
    query_counts = {row["n_queries"] for row in rows}
    if len(query_counts) > 1:
        notes.append(
            "the variants were not asked the same queries: compare y with care; the paired difference is on shared queries"
        )
    if any(row["truncated"] for row in rows):
        notes.append(f"{y} is deeper than some logged list")
    errors = [f"{row['variant']} {row['n_errors']}" for row in rows if row["n_errors"]]
    if errors:
        notes.append(f"recalls that ended in an error (y counts them as nothing found): {', '.join(errors)}")
    return notes


def _compare(engine: Engine, position: int, rows: list[dict[str, Any]], reference: dict[str, Any]) -> None:
    """Test each variant against the reference as `compare` does, on the queries of both; adds ``against``."""
    sums: dict[int, dict[str, tuple[int, int]]] = {}
    for segment, query, n, total in engine.run(
        f"""select segment_no, label_no, n, total::hugeint from quality_long
        where position = {position} and n > 0 and segment_no > 0"""
    ):
        sums.setdefault(segment, {})[str(query)] = (n, total)
    base = sums[reference["segment_no"]]
    for row in rows:
        own = sums.get(row["segment_no"], {})
        row["against"] = None
        if row is reference or not own.keys() & base.keys():
            continue
        test, _ = paired.paired_test(base, own, Settings().kappa, SCALE)
        difference = {"effect": test.effect, "ci_low": test.ci[0], "ci_high": test.ci[1], "p_value": test.p}
        row["against"] = difference | {"wins": test.wins, "losses": test.losses, "n_queries": test.n}


def _shown(rows: list[dict[str, Any]], wanted: str | None) -> dict[str, Any]:
    names = [row["variant"] for row in rows]
    if wanted is not None:
        if wanted not in names:
            raise UsageError(f"no variant {wanted!r}", where="--variant", fix=known(wanted, names))
        return rows[names.index(wanted)]
    knee = next((row for row in rows if row["is_knee"]), None)
    return knee or max((row for row in rows if row["is_front"]), key=lambda row: row["y"])


def _curve(engine: Engine, shown: Mapping[str, Any], beta: float) -> list[dict[str, Any]]:
    engine.values("k_curve_of", {"segment_no": "integer", "beta": "double"}, [(shown["segment_no"], float(beta))])
    engine.file("6_report/k_curve.sql")
    return engine.rows("from k_curve")
