"""Whether unjudged documents could turn a comparison's verdict: the tipping point, who supplied the labels, and what to judge first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.definition import columns_of
from ..base.metrics import is_lower_better, metric_of
from ..document.numbers import plural, share
from ..scoring.binding import Cut, bind
from ..scoring.quality import value_sql
from ..stats.paired import tipping_point, weights_of

if TYPE_CHECKING:
    from ..base.definition import Column, Definition
    from ..base.engine import Engine
    from ..stats.closed_forms import Floats, Ints
    from .arms import Arm

PART = 0.5  # of rho: a tipping point up to there is no verdict
NEARLY_ALL = 0.95  # of the unjudged documents would have to be relevant, which no label allows to believe
THETAS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
DRAWS = 2_000  # of a set of queries; at least one a query, at most eight
SUPPLIED, ALONE = 0.95, 0.05  # share of relevant labels that one arm showed, and that the other alone did: they come from the one


@dataclass(frozen=True)
class Unjudged:
    """The unjudged documents of two arms.

    Args:
        a, b: names of the arms.
        counts: the row of unjudged_counts (sql/5_drift/unjudged.sql).
        queries: query -> its place in ``n`` and ``shifts``.
        n: unjudged documents that a, b alone shows, shape (n_queries, 2).
        shifts: metric -> mean change of b - a by THETAS and query, shape (7, n_queries).
        tasks: which of them to judge first so that a verdict stands: the lines of a worksheet.
    """

    a: str
    b: str
    counts: Mapping[str, Any]
    queries: Mapping[str, int]
    n: Ints
    shifts: Mapping[str, Floats]
    tasks: Sequence[Mapping[str, Any]]

    def of(
        self, metric: str, d: Mapping[str, float], n: tuple[Mapping[str, Any], Mapping[str, Any]], kappa: float, level: float
    ) -> dict[str, Any]:
        """What unjudged documents can do to a significant difference, and why its verdict cannot stand ("" = it can).

        Args:
            metric: its name.
            d: query -> difference b - a.
            n: query -> (recalls, sum) of a and of b.
            kappa: as of the test.
            level: as of the test.

        Returns:
            n_unjudged_a, n_unjudged_b, rho, tipping_point (None = never), why.
        """
        names = [query for query in d if query in self.queries]
        places = [self.queries[query] for query in names]
        n_a, n_b = (int(one) for one in self.n[places].sum(axis=0))
        stated: dict[str, Any] = {"n_unjudged_a": n_a, "n_unjudged_b": n_b, "rho": self.counts["rho"], "tipping_point": None}
        if not n_a and not n_b:
            return {**stated, "why": ""}
        values = np.array([d[query] for query in names])
        recalls = [np.array([side[query][0] for query in names], np.float64) for side in n]
        weights = weights_of(recalls[0], recalls[1], kappa)
        shifts = self.shifts[metric][:, places]
        stated["tipping_point"] = tipping_point(values, weights, shifts, np.array(THETAS), level)
        return {**stated, "why": self._why(stated, is_b=bool((weights * values).sum() > 0))}

    def _why(self, stated: Mapping[str, Any], *, is_b: bool) -> str:
        """Why a verdict for b (else a) cannot stand; "" = it can."""
        counts, rho, theta = self.counts, self.counts["rho"], stated["tipping_point"]
        (winner, side), (loser, other) = ((self.b, "b"), (self.a, "a")) if is_b else ((self.a, "a"), (self.b, "b"))
        n = stated[f"n_unjudged_{other}"]
        if rho is None:  # what the winner alone shows may have been judged not relevant, and left out of the labels
            if not stated[f"n_unjudged_{side}"] and (theta is None or theta >= NEARLY_ALL):
                return ""
            is_from_winner = (counts[f"supplied_{side}"] or 0) >= SUPPLIED and (counts[f"alone_{other}"] or 0) <= ALONE
            if not is_from_winner or not n:
                return ""
            return (
                f"every label comes from {winner}: it showed {share(counts[f'supplied_{side}'])} of the relevant documents, {loser} alone "
                f"{share(counts[f'alone_{other}'])}, and nobody judged {plural(n, 'document')} that {loser} alone shows; judge some "
                "of them (-f jsonl -o FILE), or say --unjudged irrelevant where the labels are complete"
            )
        if theta is None or theta > PART * rho:
            return ""
        return (
            f"the labels favour {winner}; the verdict changes if {share(theta)} of {plural(n, 'unjudged document')} of {loser} are "
            f"relevant (judged ones: {share(rho)}); judge some of them (-f jsonl -o FILE)"
        )


def is_looked_at(metric: str) -> bool:
    """Whether relevant documents make the metric larger."""
    return metric_of(metric).of == "judged" and not is_lower_better(metric)


def unjudged(engine: Engine, a: Arm, b: Arm, names: Sequence[str], definition: Definition) -> Unjudged | None:
    """The unjudged documents of two arms; None where nothing is known of their lists, or the labels are complete.

    Args:
        engine: a new one.
        a: one arm.
        b: the other.
        names: metrics that are compared.
        definition: what the numbers mean.
    """
    columns = [column for column in columns_of(tuple(names), ()) if is_looked_at(column.metric)]
    if a.lists is None or b.lists is None or definition.unjudged == "irrelevant" or not columns:
        return None
    bind(engine, definition, Cut(tuple(columns)))
    engine.register("lists_a", a.lists)
    engine.register("lists_b", b.lists)
    depths = [column.k for column in columns]
    n_draws = max(1, min(8, DRAWS // max(a.lists.num_rows, 1)))
    engine.options(
        arm_a=a.name,
        arm_b=b.name,
        opt_unjudged_k=None if None in depths else max(k for k in depths if k is not None),
        opt_unjudged_draws=n_draws,
    )
    engine.values("thetas", {"theta": "double"}, [(theta,) for theta in THETAS])
    engine.file("5_drift/unjudged.sql")
    (counts,) = engine.rows("from unjudged_counts")
    return Unjudged(a.name, b.name, counts, *_shifts(engine, columns, definition), engine.rows("from settle_tasks"))


def _shifts(engine: Engine, columns: Sequence[Column], definition: Definition) -> tuple[dict[str, int], Ints, dict[str, Floats]]:
    """Each query's place, its unjudged documents, and how b - a of each metric changes with θ."""
    sides = [
        f"avg({value_sql(definition, c, 'judged_b')} - {value_sql(definition, c, 'judged_a')}) as d{i}"
        for i, c in enumerate(columns)
    ]
    table = engine.arrow(
        f"""select query, theta, {", ".join(sides)} from (
            select query, theta, is_graded, judge(top_a, label) as judged_a, judge(top_b, label) as judged_b from drawn_labels)
        group by query, theta order by theta, query""",
        what="looking at unjudged documents",
    )
    names = table["query"].to_pylist()[: table.num_rows // len(THETAS)]
    counts = engine.run("select len(only_a), len(only_b) from unjudged_pairs order by query")
    shifts = {}
    for i, column in enumerate(columns):
        values = np.nan_to_num(table[f"d{i}"].to_numpy(zero_copy_only=False).astype(np.float64)).reshape(len(THETAS), len(names))
        shifts[str(column)] = values - values[0]
    return {query: place for place, query in enumerate(names)}, np.array(counts, np.int64).reshape(-1, 2), shifts
