"""What a pareto result says to people: the knee, the table, what is paid for nothing, recall and precision by k."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..document.model import COUNT, DIFFERENCE, NAME, RATIO4, TEXT, Column, Document, Section, Unit, between, heads
from ..document.numbers import ratio4, signed, significant

FRONT, KNEE = "●", "◆"
METHOD = "Kneedle (Satopää et al. 2011)"


price = partial(significant, digits=4)


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of a pareto result, from its JSON."""
    x = result["x"]
    about = f"{result['y']} (higher is better) against {x['name']} ({x['unit']}, lower is better), by {', '.join(result['by'])}"
    sections = [_variants(result), *([_cutoffs(result)] if result["k_curve"] else [])]
    return Document(knee_line(result), sections, [*_paid_for_nothing(result), *result["notes"]], lead=[about])


def _variants(result: Mapping[str, Any]) -> Section:
    against = "against knee" if result["knee"] is not None else "against cheapest"
    columns = heads(
        ("", NAME),
        ("variant", NAME),
        (result["y"], RATIO4),
        ("95 % interval", between(ratio4)),
        (f"{result['x']['name']}, {result['x']['unit']}", Unit(price)),
        ("95 % interval", between(price)),
        (against, DIFFERENCE),
        ("95 % interval", between(signed)),
        ("", TEXT),
    )
    legend = f"{FRONT} on the front: no variant is better in one and as good in the other   {KNEE} its knee"
    rows = [_row(row) for row in result["variants"]]
    return Section(f"{result['y']} against {result['x']['name']}", columns, rows, [legend])


def _row(row: Mapping[str, Any]) -> tuple[Any, ...]:
    other = row["against"]
    return (
        KNEE if row["is_knee"] else FRONT if row["is_front"] else "",
        row["variant"],
        row["y"],
        (row["y_low"], row["y_high"]),
        row["x"],
        (row["x_low"], row["x_high"]),
        "" if other is None else other["effect"],
        "" if other is None else (other["ci_low"], other["ci_high"]),
        "" if row["dominated_by"] is None else f"dominated by {row['dominated_by']}",
    )


def knee_line(result: Mapping[str, Any]) -> str:
    """The knee with its two numbers, and by which method."""
    knee = next((row for row in result["variants"] if row["is_knee"]), None)
    method = f"by {METHOD} with x on a {result['x']['scale']} scale"
    if knee is None:
        return f"no knee: nothing on the front lies above the straight line from the cheapest to the dearest, {method}"
    where = f"{result['y']} {ratio4(knee['y'])} at {price(knee['x'])} {result['x']['unit']}"
    if len(result["front"]) == 1:
        return f"knee: {knee['variant']}: {where}; it is both the best and the cheapest"
    return f"knee: {knee['variant']}: {where}, {method}"


def _paid_for_nothing(result: Mapping[str, Any]) -> list[str]:
    """Variants that answer every query as well as a cheaper one: what is paid beyond it buys nothing."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in result["variants"]:
        if row["same_as"] is not None:
            groups.setdefault(row["same_as"], []).append(row)
    return [
        f"paid for nothing: the same {result['y']} on all {rows[0]['n_queries']:,} queries as {name}: "
        + ", ".join(f"{row['variant']} (+{price(row['x_over_same'])} {result['x']['unit']})" for row in rows)
        for name, rows in groups.items()
    ]


def _cutoffs(result: Mapping[str, Any]) -> Section:
    """Recall against precision by k of one variant."""
    curve, at = result["k_curve"], result["suggested_k"]
    columns = [Column("k", COUNT), *(Column(name, RATIO4) for name in ("recall", "precision", "F")), Column("", NAME)]
    logged = [row for row in curve["rows"] if not row["truncated"]]
    rows = [(row["k"], row["recall"], row["precision"], row["f"], KNEE if row["is_suggested"] else "") for row in logged]
    beyond = [row["k"] for row in curve["rows"] if row["truncated"]]
    notes = [f"from k = {beyond[0]} on: deeper than the logged lists"] if beyond else []
    name = "F" if curve["beta"] == 1 else f"F, recall counting {significant(curve['beta'])} times precision"
    notes.append(
        "no k to suggest: nothing is found at any"
        if at is None
        else f"suggested k: {at['k']}: recall {ratio4(at['recall'])}, precision {ratio4(at['precision'])} (highest {name})"
    )
    return Section(f"Recall and precision by k: {curve['variant']}", columns, rows, notes)
