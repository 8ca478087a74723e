"""`check_judge`: how far a model's labels can be trusted, and what they add to few human ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..base.definition import KINDS
from ..base.errors import InputError
from ..document.model import COUNT, NAME, RATIO, Column, Document, Section
from ..document.numbers import plural, ratio, with_interval
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring.document import column_name
from ..scoring.plan import Plan, takes
from ..scoring.readout import map_scores
from ..scoring.recalls import join
from .options import JUDGE, Since

BOTH = ("human", "judge")


@dataclass(frozen=True)
class JudgeCheck(Result):
    """A judge beside humans.

    Args:
        estimates: one row a metric: value with half an interval, of humans alone, of the judge alone, lambda, n, n_judge, n_needed.
        agreement: one row a judge, before or since the date, and query class (None = all).
        moved: judges that judge otherwise since the date; their labels since then are not used.
        between: the two variants whose difference (second less first) the estimates are; None = they are means.
    """

    estimates: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    moved: list[dict[str, Any]]
    between: list[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch labels judge -f json``."""
        return self.stated(*(["between"] if self.between else []), "estimates", "agreement", "moved")

    def document(self) -> Document:
        """Estimates, then agreement."""
        first = self.estimates[0]
        alone = first["n_needed"] or 0
        saves = f"; the judge saves {alone - first['n']} of {alone} labels" if alone > first["n"] else ""
        queries = plural(first["n_judge"], "query", "queries")
        what = f"{self.between[1]} less {self.between[0]}: " if self.between else ""
        headline = (
            f"{what}{column_name(first)} {_interval(first, '')} over {queries}, {first['n']} of them with human labels{saves}"
        )
        return Document(headline, [_estimates(self.estimates), _agreement(self.agreement)], [_moved(row) for row in self.moved])


def _interval(row: dict[str, Any], side: str) -> str:
    value, half = row[f"{side}value"], row[f"{side}half"]
    ends = (None, None) if half is None else (value - half, value + half)
    return with_interval(value, *ends)


def _estimates(rows: list[dict[str, Any]]) -> Section:
    columns = [
        Column("metric", NAME),
        *(Column(name) for name in ("humans and judge", "humans alone")),
        *(Column(name, RATIO) for name in ("judge alone", "λ")),
        *(Column(name, COUNT) for name in ("human queries", "judge's", "as many labels alone")),
    ]
    table = [
        (
            column_name(row),
            _interval(row, ""),
            _interval(row, "human_"),
            *(row[name] for name in ("judge_value", "lambda", "n", "n_judge", "n_needed")),
        )
        for row in rows
    ]
    return Section(
        "Over all queries that the judge labelled",
        columns,
        table,
        ["the judge's mean alone is no estimate: what it gets wrong, it gets wrong everywhere"],
    )


def _agreement(rows: list[dict[str, Any]]) -> Section:
    columns = [
        *(Column(name, NAME) for name in ("judge", "labels", "class")),
        Column("documents", COUNT),
        *(Column(name) for name in ("κ", "sensitivity", "specificity")),
    ]
    has_since = any(row["is_since"] for row in rows)
    table = [
        (
            row["judge"],
            ("since" if row["is_since"] else "before") if has_since else "",
            row["query_class"] or "(all)",
            row["n"],
            "–"
            if row["kappa"] is None
            else with_interval(row["kappa"], row["kappa"] - row["kappa_half"], row["kappa"] + row["kappa_half"]),
            *(with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in ("sensitivity", "specificity")),
        )
        for row in rows
    ]
    return Section("Agreement with humans, on documents that both judged", columns, table).filled()


def _moved(row: dict[str, Any]) -> str:
    parts = [
        f"{name} {ratio(row[f'{name}_before'])} → {ratio(row[f'{name}_since'])}"
        for name in ("sensitivity", "specificity")
        if row[f"is_{name}"]
    ]
    return f"{row['judge']} judges otherwise since then ({', '.join(parts)}): its labels since then are not used"


@takes(JUDGE)
@on_one_state
def check_judge(logs: Any = None, labels: Any = None, *, store: Any = None, since: Since, plan: Plan) -> JudgeCheck:
    """Say how a judge's labels agree with humans', and what both together say of all queries that the judge labelled.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: of the kinds human and judge; None = those the logs carry or the store was last scored with.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option.
        InputError: logs or labels out of contract; labels of one of the two kinds only.

    Example:
        >>> labels = [{"query_id": "q", "document_id": "m", "kind": kind} for kind in ("human", "judge")]
        >>> check_judge([{"query_id": "q", "ranked_ids": ["m"]}], labels, metrics=("recall@1",)).estimates[0]["value"]
        1.0
    """
    between = since.arms
    if between:
        plan = replace(plan, cut=replace(plan.cut, by=("variant",)))

    with recalls_of("recallwatch.check_judge", source_of(logs, store), labels, plan, must_have_labels=True) as (engine, _, events):
        there = {row[0] for row in engine.run("select distinct kind from labels")}
        if not there >= set(BOTH):
            fix = "Add the other's labels"
            raise InputError(f"labels of kind {', '.join(sorted(there))} alone (expected human and judge)", where="labels", fix=fix)
        engine.options(opt_since=since.since, **(dict(zip(("opt_arm_a", "opt_arm_b"), between, strict=True)) if between else {}))
        engine.file("6_report/judge_agreement.sql")
        for kind in BOTH:
            engine.options(label_kinds=[kind], opt_kind=kind)
            join(engine, events.logs)
            map_scores(engine, plan, events)
            engine.file(f"6_report/{'arm' if between else 'kind'}_means.sql")
        engine.options(label_kinds=list(KINDS))
        engine.file("6_report/with_judge.sql")
        estimates = engine.rows("from judge_estimates")
        if not estimates:
            both = f", and was asked of both {' and '.join(between)}" if between else ""
            raise InputError(
                f"no query that was asked has labels of both{both}", where="labels", fix="Label some of the judge's queries"
            )
        return JudgeCheck(estimates, engine.rows("from judge_agreement"), engine.rows("from moved_judges"), between)
