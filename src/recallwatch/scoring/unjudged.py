"""Whether unjudged documents could turn a verdict on two lists: the tipping point, who supplied the labels, and what to judge first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.definition import Column, Definition
from ..base.engine import Engine
from ..base.metrics import is_lower_better, metric_of
from ..document.numbers import plural, share
from ..stats.closed_forms import Floats, Ints
from ..stats.paired import tipping_point
from .quality import value_sql

PART = 0.5  # of rho: a tipping point up to there is no verdict
ENOUGH = 20  # judged documents that one side alone shows, to know how often such documents are relevant
NEARLY_ALL = 0.95  # of the unjudged documents would have to be relevant, which no label allows to believe
THETAS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
DRAWS = 2_000  # of a set of queries; at least one a query, at most eight
SUPPLIED, ALONE = 0.95, 0.05  # share of relevant labels that one arm showed, and that the other alone did: they come from the one

STATED = ("n_unjudged_a", "n_unjudged_b", "rho", "tipping_point")  # in a row of the JSON


def flips(theta: float | None, n: int, loser: str, rho: float | None, n_own: int = 0, *, what: str = "the verdict changes") -> str:
    """At which share of relevant ones among n unjudged documents of the side that is behind a verdict changes (``what``); "" = at none.

    ``rho`` is the share among judged ones: all, or the ``n_own`` that this side alone shows.
    """
    if theta is None:
        return ""
    whose = f"{plural(n_own, 'judged one')} that it alone shows" if n_own else "judged ones"
    judged = "" if rho is None else f" ({whose}: {share(rho)})"
    return f"{what} if {share(theta)} of {plural(n, 'unjudged document')} of {loser} are relevant{judged}"


@dataclass(frozen=True)
class Difference:
    """A significant difference b - a of a metric.

    Args:
        column: the metric.
        queries: those in both, as ``Unjudged.queries`` names them.
        d: difference of each.
        w: weight of each; any sum.
        level: at which it is significant.
        se, df: of the mean difference, where it is less certain than the queries alone show; else 0 and inf.
    """

    column: str
    queries: Sequence[str]
    d: Floats
    w: Floats
    level: float
    se: float = 0.0
    df: float = math.inf


@dataclass(frozen=True)
class Unjudged:
    """The unjudged documents of two sides, a and b: variants, or windows.

    Args:
        a, b: what people call them.
        counts: the row of unjudged_counts (sql/5_drift/unjudged.sql).
        queries: query -> its place in ``n`` and ``shifts``.
        n: unjudged documents that a, b alone shows, shape (n_queries, 2).
        shifts: metric -> mean change of b - a by THETAS and query, shape (7, n_queries).
        fix: what to do about them.
        tasks: which of them to judge first so that a verdict stands: the lines of a worksheet.
    """

    a: str
    b: str
    counts: Mapping[str, Any]
    queries: Mapping[str, int]
    n: Ints
    shifts: Mapping[str, Floats]
    fix: str
    tasks: Sequence[Mapping[str, Any]] = ()

    def of(self, test: Difference) -> dict[str, Any]:
        """What unjudged documents can do to a significant difference, and to its verdict.

        Returns:
            n_unjudged_a, n_unjudged_b, rho, tipping_point (None = never), verdict ("" = its own stands, else ok or insufficient),
            why, is_b: whether b is ahead, is_from_winner: whether the side that is ahead showed nearly every relevant document.
        """
        seen = np.array([query in self.queries for query in test.queries], np.bool_)
        places = [self.queries[query] for query in test.queries if query in self.queries]
        n_a, n_b = (int(one) for one in self.n[places].sum(axis=0))
        stated: dict[str, Any] = {"n_unjudged_a": n_a, "n_unjudged_b": n_b, "rho": self.counts["rho"], "tipping_point": None}
        if not n_a and not n_b:
            return {**stated, "verdict": "", "why": "", "is_b": False, "is_from_winner": False}
        values, weights = test.d[seen], test.w[seen] / test.w[seen].sum()
        shifts = self.shifts[test.column][:, places]
        theta = tipping_point(values, weights, shifts, np.array(THETAS), test.level, se=test.se, df=test.df)
        is_b = bool((weights * values).sum() > 0)
        stated["tipping_point"] = theta
        verdict, why = self._verdict(stated, is_b=is_b)
        is_from = self._is_from(*("ba" if is_b else "ab"))
        return {**stated, "verdict": verdict, "why": why, "is_b": is_b, "is_from_winner": is_from}

    def _verdict(self, stated: Mapping[str, Any], *, is_b: bool) -> tuple[str, str]:
        """What a verdict for b (else a) turns into, and why; empty = it stands."""
        counts, rho, theta = self.counts, self.counts["rho"], stated["tipping_point"]
        (winner, side), (loser, other) = ((self.b, "b"), (self.a, "a")) if is_b else ((self.a, "a"), (self.b, "b"))
        n = stated[f"n_unjudged_{other}"]
        if rho is not None:
            is_known = counts[f"n_own_{other}"] >= ENOUGH  # how often documents that it alone shows are relevant
            likely = min(PART * rho, counts[f"own_{other}_high"]) if is_known else PART * rho
            if theta is None or theta > likely:
                return "", ""
            own = (counts[f"own_{other}"], counts[f"n_own_{other}"]) if is_known else (rho,)
            if is_known and theta <= counts[f"own_{other}_low"]:
                ends = flips(theta, n, loser, *own, what="the difference is no longer certain")
                return "ok", f"the labels favour {winner}; {ends}"
            return "insufficient", f"the labels favour {winner}; {flips(theta, n, loser, *own)}; {self.fix}"
        # what the winner alone shows may have been judged not relevant, and left out of the labels
        if not n or (not stated[f"n_unjudged_{side}"] and (theta is None or theta >= NEARLY_ALL)) or not self._is_from(side, other):
            return "", ""
        return "insufficient", (
            f"every label comes from {winner}: it showed {share(counts[f'supplied_{side}'])} of the relevant documents, {loser} alone "
            f"{share(counts[f'alone_{other}'])}, and nobody judged {plural(n, 'document')} that {loser} alone shows; {self.fix}, "
            "or say --unjudged irrelevant where the labels are complete"
        )

    def _is_from(self, side: str, other: str) -> bool:
        """Whether one side showed nearly every relevant document, and the other alone next to none."""
        return (self.counts[f"supplied_{side}"] or 0) >= SUPPLIED and (self.counts[f"alone_{other}"] or 0) <= ALONE


def is_looked_at(metric: str) -> bool:
    """Whether relevant documents make the metric larger."""
    return metric_of(metric).of == "judged" and not is_lower_better(metric)


def unjudged_of(engine: Engine, names: tuple[str, str], columns: Sequence[Column], definition: Definition, fix: str) -> Unjudged:
    """The unjudged documents of two sides.

    Args:
        engine: holds lists_a, lists_b and the macros of ``definition``.
        names: what people call a and b.
        columns: metrics that :func:`is_looked_at` is true of.
        definition: what the numbers mean.
        fix: what to do about them, for the reason.
    """
    depths = [column.k for column in columns]
    n_queries = engine.run("select count(*) from lists_a")[0][0]
    engine.options(
        arm_a=names[0],
        arm_b=names[1],
        opt_unjudged_k=None if None in depths else max(k for k in depths if k is not None),
        opt_unjudged_draws=max(1, min(8, DRAWS // max(n_queries, 1))),
    )
    engine.values("thetas", {"theta": "double"}, [(theta,) for theta in THETAS])
    engine.file("5_drift/unjudged.sql")
    (counts,) = engine.rows("from unjudged_counts")
    queries, n, shifts = _shifts(engine, columns, definition)
    return Unjudged(*names, counts, queries, n, shifts, fix)


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
