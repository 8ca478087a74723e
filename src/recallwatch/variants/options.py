"""The options of comparing variants: which are put side by side, what they are worth, what they cost, what is repeated."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition, parse_k
from ..base.options import Grouping, Limits, Measures, Period, Reading
from ..base.takes import Takes

COMPARED = ("recall@10", "ndcg@10", "mrr", "success@10")
LIFTED = ("recall", "precision", "success", "ndcg", "mrr")
REPEATED = ("recall@10", "ndcg@10", "mrr@10", "success@10")
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)


@dataclass(frozen=True)
class Pair(Owned):
    """Two variants, and what of them is compared."""

    by: str = option("variant", "Column or attribute whose values are the variants.")
    teams: str | None = option(
        None,
        "Attribute that holds the variant of each result, of lists that mix two variants (team drafts): --a and --b are compared by clicks.",
    )
    a: str | None = option(None, "Value of --by of the first variant.", flag="--a")
    b: str | None = option(None, "Value of --by of the second variant.", flag="--b")
    metrics: tuple[str, ...] = option(
        COMPARED,
        "A metric, or metric@k (without k: at 10); repeat for more.",
        check=o.specs,
        flag="--metric",
        short="-m",
        is_many=True,
    )
    correction: str = option("bh", "Over metrics and query classes: bh (false discoveries) or holm (any error).", ("bh", "holm"))
    force: bool = option(False, "Compare results although their definitions differ.", check=o.yes_or_no)


@dataclass(frozen=True)
class Price(Owned):
    """What tells variants apart, what they are worth and what they cost."""

    by: tuple[str, ...] = option(("variant",), "Columns or attributes whose values are the variants.", check=o.names)
    y: str = option("recall@10", "What a variant is worth: a metric at one cutoff k.", flag="-y", metavar="METRIC@K")
    x: str = option(
        "p95:total", "What it costs: p50, p95, p99, mean or max of a stage (p95:total), cost, tokens.", flag="-x", metavar="PRICE"
    )
    scale: str = option("log", "Scale of the price, for the knee and the picture.", ("log", "linear"))
    cache: str = option("all", "Recalls whose times count.", ("all", "miss", "hit"))
    k_curve: bool = option(False, "Recall and precision by k too, with a suggestion.", check=o.yes_or_no)
    k: tuple[int | None, ...] | None = option(
        None, "Cutoffs k of that curve, e.g. 1,3,10. Default: 13 of them from 1 to 100.", check=lambda value, _: parse_k(value)
    )
    variant: str | None = option(None, "Whose curve. Default: the knee's.")
    beta: float = option(1.0, "Weight of recall against precision in the suggestion.", check=o.number(above=0))

    @property
    def depths(self) -> tuple[int, ...]:
        """Cutoffs of the curve; () = there is none."""
        is_wanted = self.k_curve or self.k is not None or self.variant is not None
        return tuple(k for k in self.k or DEPTHS if k is not None) if is_wanted else ()


@dataclass(frozen=True)
class Repeats(Owned):
    """What is repeated, and what tells repeats apart."""

    by: str = option("run_id", "Column or attribute whose values are the repeats.")
    within: tuple[str, ...] = option(("variant",), "What is repeated: columns or attributes; '' = all is one.", check=o.names)
    parameters: tuple[str, ...] = option(
        (),
        "An attribute whose steps are looked at; repeat for more. Default: all that differ between variants and not within one.",
        check=o.names,
        flag="--parameter",
        is_many=True,
    )
    variant: str | None = option(None, "Whose bands are proposed. Default: pooled over all.")


COMPARE = Takes("compare", Pair, Period, Reading, Limits, Definition)
LIFT = Takes("lift", Measures, Grouping, Period, Reading, Limits, Definition, metrics=LIFTED)
PARETO = Takes("pareto", Price, Period, Reading, Limits, Definition)
STABILITY = Takes("stability", Repeats, Measures, Period, Reading, Limits, Definition, metrics=REPEATED)
