"""Repeats of the same thing: what varies between them, which queries flip, what each parameter changes, which bands that proposes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.registry import index, known
from ..document.model import Document
from ..document.outputs import OUTPUTS, Output
from ..document.result import Result
from ..evaluation.walk import on_one_state
from ..scoring.plan import Plan, takes
from .arms import RBO
from .cells import cells_of
from .options import STABILITY, Repeats
from .sensitivity import sensitivity
from .stability_document import bands_toml, document_of


@dataclass(frozen=True)
class Stability(Result):
    """What varies between repeats.

    Args:
        by: the column that distinguishes repeats.
        within: what is repeated: the columns grouped by (variant).
        cells: one row a variant: name, repeats, similarity of their rankings (n_pairs, n_same, overlap, rbo), is_identical, is_copy.
        measures: one row a variant and measure: n_repeats, mean, sd, min, max, n_flips.
        flips: one row a variant, metric and query whose value differs between repeats, the widest first.
        sensitivity: one row a parameter's step and measure: effect with interval.
        bands: one row a measure: sd, df, band: how far two single runs lie apart by chance (95 %).
        bands_of: the variant the bands are of; None = pooled over all.
        notes: what a reader should know.
        definition: every option in force.
    """

    by: str
    within: tuple[str, ...]
    k: int
    cells: list[dict[str, Any]]
    measures: list[dict[str, Any]]
    flips: list[dict[str, Any]]
    sensitivity: list[dict[str, Any]]
    bands: list[dict[str, Any]]
    bands_of: str | None
    notes: list[str]
    definition: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch stability -f json``, as Python values."""
        names = ("definition", "by", "within", "k", "cells", "measures", "flips", "sensitivity", "bands", "bands_of", "notes")
        return self.stated(*names)

    def to_toml(self) -> str:
        """The bands as the section ``[bands]`` of a protocol."""
        return bands_toml(self.to_dict())

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(STABILITY)
@on_one_state
def stability(logs: Any, labels: Any = None, *, repeats: Repeats, plan: Plan) -> Stability:
    """Say how much the numbers vary between repeats, and what a parameter changes beyond that.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None with a store = those it was last scored with.
        {options}

    Raises:
        UsageError: an unknown column, metric or variant (exit 2).
        InputError: logs or labels out of contract; no event that names its repeat (exit 3).
    """
    by, names, variant = repeats.by, repeats.within, repeats.variant
    if by in names:
        raise UsageError(f"{by!r} tells repeats apart, so it cannot be what is repeated", where="--within")
    plan = replace(plan, cut=replace(plan.cut, by=("*".join((*names, by)),)))
    k = max((column.k for column in plan.cut.columns if column.k is not None), default=10)

    with cells_of("recallwatch.stability", logs, labels, plan) as engine:
        _sum(engine, by, k)
        cells = _cells(engine, by)
        chosen = _chosen(cells, variant)
        changes, confounded = sensitivity(engine, (*names, by, "run_id", "variant"), repeats.parameters)
        _refuse_unknown(engine, repeats.parameters)
        of = {row["cell_no"]: row["variant"] for row in cells}
        tables = {name: _named(engine.rows(f"from {name}"), of) for name in ("stability", "stability_flips")}
        where = "cell_no is null and unit = 'ratio'" if chosen is None else f"cell_no = {chosen}"
        bands = engine.rows(f"select * exclude (cell_no) from (from stability_bands where {where})")
        notes = _notes(engine, cells, tables["stability"], confounded)
        meaning = plan.definition.stated()
        public_cells = [{key: value for key, value in row.items() if key != "cell_no"} for row in cells]
        return Stability(
            by, names, k, public_cells, tables["stability"], tables["stability_flips"], changes, bands, of.get(chosen), notes, meaning
        )  # fmt: skip


def _sum(engine: Engine, by: str, k: int) -> None:
    """The relations of stability.sql."""
    engine.values("stability_of", {"by": "varchar", "k": "integer", "p": "double"}, [(by, k, RBO)])
    for name in ("6_report/stability_arms.sql", "5_drift/overlap.sql", "5_drift/arms.sql", "6_report/stability.sql"):
        engine.file(name)


def _cells(engine: Engine, by: str) -> list[dict[str, Any]]:
    rows = engine.rows(
        """select cell_no, any_value(cell) as cell, list(run order by run) as repeats, any_value(if(l.n_pairs is null, null, l)) as similarity
        from stability_runs left join stability_similarity as l using (cell_no) group by cell_no order by cell_no"""
    )
    if not rows:
        raise InputError(f"no event says its {by}", where=f"--by {by}", fix="Log it, or name what tells repeats apart")
    still = "select cell_no from stability where unit = 'ms' group by cell_no having max(sd) = 0"
    copies = {row[0] for row in engine.run(still)}
    for row in rows:
        cell, similarity = row.pop("cell"), row["similarity"]
        row["variant"] = ", ".join(str(v) if len(cell) == 1 else f"{n}={v}" for n, v in cell.items()) or "everything"
        row["is_identical"] = None if similarity is None else similarity["n_same"] == similarity["n_pairs"]
        row["is_copy"] = bool(row["is_identical"]) and row["cell_no"] in copies
        row["similarity"] = None if similarity is None else {name: v for name, v in similarity.items() if name != "cell_no"}
    return rows


def _chosen(cells: list[dict[str, Any]], variant: str | None) -> int | None:
    """Whose bands: the variant named, or the only one."""
    names = {row["variant"]: row["cell_no"] for row in cells}
    if variant is not None and variant not in names:
        raise UsageError(f"no variant {variant!r}", where="--variant", fix=known(variant, names))
    only = next(iter(names)) if len(names) == 1 else None
    return names.get(variant or only or "")


def _refuse_unknown(engine: Engine, wanted: tuple[str, ...]) -> None:
    parameters = [row[0] for row in engine.run("select distinct name from stability_parameters order by name")]
    for name in wanted:
        if name not in parameters:
            fix = "A parameter has one value in each variant, and not the same one in all"
            raise UsageError(f"{name!r} is no parameter", where="--parameter", fix=fix)


def _named(rows: list[dict[str, Any]], of: dict[int, str]) -> list[dict[str, Any]]:
    """Rows of a cell with the variant's name in place of its number."""
    return [
        {"variant": of[row["cell_no"]], **{name: v for name, v in row.items() if name not in ("cell_no", "place")}} for row in rows
    ]


def _notes(engine: Engine, cells: list[dict[str, Any]], measures: list[dict[str, Any]], confounded: list[str]) -> list[str]:
    notes = []
    ((unnamed,),) = engine.run(
        "select count(*) from variant_events where segment_no not in (select segment_no from stability_runs)"
    )
    if unnamed:
        notes.append(f"{unnamed} events name no repeat or no variant: left out")
    single = [row["variant"] for row in cells if len(row["repeats"]) == 1]
    if single:
        notes.append(f"one repeat only, so nothing varies: {', '.join(single)}")
    copies = [row["variant"] for row in cells if row["is_copy"]]
    if copies:
        notes.append(f"rankings and times of the repeats are the same to the last digit: one run logged twice? {', '.join(copies)}")
    uneven = [row["variant"] for row in measures if row["n_queries"] and row["min"] != row["max"] and _is_uneven(engine, row)]
    if uneven:
        notes.append(
            f"the repeats did not ask the same queries, so part of the spread is theirs: {', '.join(dict.fromkeys(uneven))}"
        )
    if confounded:
        notes.append(f"never the only difference between two variants, so nothing can be said of: {', '.join(confounded)}")
    return notes


def _is_uneven(engine: Engine, row: dict[str, Any]) -> bool:
    sql = f"select count(distinct n_repeats) > 1 from stability_queries where measure = {quoted(row['measure'])}"
    return bool(engine.run(sql)[0][0])


TOML = Output("toml", "the bands alone, for a protocol", Stability.to_toml, ".toml")
STABILITY_OUTPUTS = index(*OUTPUTS.values(), TOML)
