"""A pareto result as text: the table, the knee, what is paid for nothing, recall and precision by k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..base.errors import printable
from ..base.outputs import Written, as_json
from ..base.registry import index
from ..report.as_markdown import written
from ..report.sections import Section

if TYPE_CHECKING:
    from .pareto import Pareto

FRONT, KNEE = "●", "◆"
METHOD = "Kneedle (Satopää et al. 2011)"


def render(result: Pareto) -> str:
    """The whole text; no colours, so that a file and a terminal hold the same."""
    lines = [
        f"{result.y} (higher is better) against {result.x.text} ({result.x.unit}, lower is better), by {', '.join(result.by)}",
        "",
    ]
    lines += table(result)
    lines += [
        "",
        f"{FRONT} on the front: no variant is better in one and as good in the other   {KNEE} its knee",
        "",
        knee_line(result),
    ]
    lines += nothing_lines(result)
    if result.k_variant is not None:
        lines += ["", *k_lines(result)]
    lines += [f"note: {printable(note)}" for note in result.notes]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def markdown(result: Pareto) -> str:
    """The same as tables for a pull request."""
    rows = [cells(row) for row in result.variants]
    tables = [Section(f"{result.y} against {result.x.text}", header(result), rows, left=("variant",))]
    if result.k_variant is not None:
        ks = [
            (KNEE if r["is_suggested"] else "", str(r["k"]), *(ratio(r[name]) for name in ("recall", "precision", "f")))
            for r in result.k_curve
            if not r["truncated"]
        ]
        tables.append(Section(f"Recall and precision by k: {result.k_variant}", ("", "k", "recall", "precision", "F"), ks))
    below = [*nothing_lines(result), *(k_lines(result)[-1:] if result.k_variant is not None else []), *result.notes]
    return written(knee_line(result), tables, below)


def header(result: Pareto) -> tuple[str, ...]:
    """What the table's columns hold."""
    return ("", "variant", result.y, "95 % interval", result.x.text, "95 % interval", against(result), "95 % interval", "")


def table(result: Pareto) -> list[str]:
    """One line a variant, the cheapest first."""
    rows = [cells(row) for row in result.variants]
    head = header(result)
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    return [
        "  ".join(_placed(i, text, width) for i, (text, width) in enumerate(zip(line, widths, strict=True)))
        for line in [head, *rows]
    ]


def _placed(column: int, text: str, width: int) -> str:
    return text.ljust(width) if column in (0, 1, 8) else text.rjust(width)


def against(result: Pareto) -> str:
    """What the paired difference is to."""
    return "against knee" if result.knee is not None else "against cheapest"


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A variant's cells, in the table's order."""
    mark = KNEE if row["is_knee"] else FRONT if row["is_front"] else ""
    other = row["against"]
    told = f"dominated by {printable(row['dominated_by'])}" if row["dominated_by"] is not None else ""
    return (
        mark,
        printable(row["variant"]),
        ratio(row["y"]),
        interval(row["y_low"], row["y_high"], ratio),
        price(row["x"]),
        interval(row["x_low"], row["x_high"], price),
        "" if other is None else f"{other['effect']:+.4f}",
        "" if other is None else interval(other["ci_low"], other["ci_high"], "{:+.4f}".format),
        told,
    )


def ratio(value: float | None) -> str:
    """Four digits, or a dash."""
    return "-" if value is None else f"{value:.4f}"


def price(value: float | None) -> str:
    """Four significant digits, no exponent for what people meet."""
    return "-" if value is None else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def interval(low: float | None, high: float | None, shown: Any) -> str:
    """``low … high``; an open side is a dash."""
    return "" if low is None and high is None else f"{'-' if low is None else shown(low)} … {'-' if high is None else shown(high)}"


def knee_line(result: Pareto) -> str:
    """The knee with its two numbers, and how it was found."""
    knee = result.knee
    if knee is None:
        return f"no knee: nothing on the front lies above the straight line from the cheapest to the dearest, by {METHOD} with x on a {result.scale} scale"
    where = f"{result.y} {ratio(knee['y'])} at {price(knee['x'])} {result.x.unit}"
    if len(result.front) == 1:
        return f"knee: {printable(knee['variant'])}: {where}; it is both the best and the cheapest"
    return f"knee: {printable(knee['variant'])}: {where}, by {METHOD} with x on a {result.scale} scale"


def nothing_lines(result: Pareto) -> list[str]:
    """Variants that answer every query as well as a cheaper one: what is paid beyond it buys nothing."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in result.variants:
        if row["same_as"] is not None:
            groups.setdefault(row["same_as"], []).append(row)
    return [
        f"paid for nothing: the same {result.y} on all {rows[0]['n_queries']} queries as {printable(name)}: "
        + ", ".join(f"{printable(row['variant'])} (+{price(row['x_over_same'])})" for row in rows)
        + f" {result.x.unit}"
        for name, rows in groups.items()
    ]


def k_lines(result: Pareto) -> list[str]:
    """Recall against precision by k of one variant."""
    lines = [
        f"recall and precision by k: {printable(result.k_variant or '')}",
        f"{'':2}{'k':>5}{'recall':>9}{'precision':>11}{'F':>9}",
    ]
    lines += [
        f"{KNEE if row['is_suggested'] else '':2}{row['k']:>5}{ratio(row['recall']):>9}{ratio(row['precision']):>11}{ratio(row['f']):>9}"
        for row in result.k_curve
        if not row["truncated"]
    ]
    beyond = [row["k"] for row in result.k_curve if row["truncated"]]
    lines += [f"{'':2}{'from ' + str(beyond[0]):>5} on: deeper than the logged lists"] if beyond else []
    at = result.suggested_k
    if at is None:
        return [*lines, "no k to suggest: nothing is found at any"]
    name = "F" if result.beta == 1 else f"F, recall counting {result.beta:g} times precision"
    return [*lines, f"suggested k: {at['k']}: recall {ratio(at['recall'])}, precision {ratio(at['precision'])} (highest {name})"]


PARETO_OUTPUTS = index(
    Written("text", "tables for people", str),
    Written("json", "everything, full floats, stable key order", as_json),
    Written("markdown", "short tables for a pull request", markdown),
)
