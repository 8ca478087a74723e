"""What the reranker adds: its candidates against the list it returns, on the same events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base.definition import Column, Definition
from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.rows import rows
from ..document.model import Document
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring import segments
from ..scoring.funnel import funnel
from ..scoring.plan import Plan, takes
from ..scoring.quality import counted_sql, set_columns
from .lift_document import document_of
from .options import LIFT

NO_MATCH = "Leave it out (lift goes by id), or score the final list alone with `recallwatch evaluate --match`"


@dataclass(frozen=True)
class Lift(Result):
    """Candidates against the final list.

    Args:
        metrics: one row a metric and k: candidates, final, lift (final - candidates) with its interval, ceiling (the best order
            of the candidates), n, n_queries.
        lost: one row a relevant document that was not always returned: how often it was no candidate, how often reranked out.
        counts: events compared, and those left out.
        definition: every option in force.
        funnel: one row a stage: share of the relevant documents in its list, share that it lost, near misses.
        moved: without labels one row a k, in place of the metrics: overlap and rank-biased overlap of candidates and final list, share of the
            final list from below k, share of recalls with the same first document.
    """

    metrics: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    counts: dict[str, int]
    definition: dict[str, Any]
    funnel: list[dict[str, Any]]
    moved: list[dict[str, Any]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch lift -f json``, as Python values."""
        return self.stated("definition", "counts", "metrics", "lost", "funnel", *([] if self.moved is None else ["moved"]))

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(LIFT)
@on_one_state
def lift(logs: Any = None, labels: Any = None, *, store: Any = None, plan: Plan) -> Lift:
    """Compare the list before reranking (``candidate_ids``) with the list handed out, event by event.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with; without any it says what the reranker moved.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option, a window, or relevance by text: of candidates there are no texts.
        InputError: logs or labels out of contract; no event, or no labelled one, that logs its candidates.

    Example:
        >>> logs = [{"query_id": "q1", "ranked_ids": ["m1"], "candidate_ids": ["m2", "m1"]}]
        >>> (row,) = lift(logs, [{"query_id": "q1", "relevant": ["m1"]}], metrics="recall", k=1).metrics
        >>> row["candidates"], row["final"], row["lift"]
        (0.0, 1.0, 1.0)
    """
    if plan.definition.missing == "zero":
        raise UsageError("a query that was never asked has no candidates", where="--missing", fix="Leave it out")
    if plan.definition.match != "id":
        raise UsageError("candidates are logged by id alone, so no text can tell which are right", where="--match", fix=NO_MATCH)

    with recalls_of("recallwatch.lift", source_of(logs, store), labels, plan) as (engine, steps, events):
        with steps("score"):
            cut, read = plan.cut, events.logs
            segments.segment(engine, cut.by, cut.window, names=dict(read.names), attributes=read.attributes)
            result = _compared(engine, plan) if events.labels else _moved(engine, plan)
        steps.done(result.counts)
        return result


def _compared(engine: Engine, plan: Plan) -> Lift:
    engine.file("4_aggregate/lift_events.sql")
    _map(engine, plan.definition, plan.cut.columns)
    engine.file("4_aggregate/quality.sql")
    engine.file("6_report/lift.sql")
    (counts,) = engine.rows("from lift_counts")
    _refuse_none(counts, f"{counts['n_labelled']} labelled events")
    lost = engine.rows("from lost_documents")
    return Lift(rows(engine.arrow("from lift")), lost, counts, plan.definition.stated(), funnel(engine, "recalls"))


def _moved(engine: Engine, plan: Plan) -> Lift:
    """Without labels: what the reranker moved."""
    depths = sorted({column.k for column in plan.cut.columns if column.k is not None})
    engine.values("lift_depths", {"k": "integer"}, [(k,) for k in depths or (10,)])
    for name in ("5_drift/overlap", "6_report/lift_moved"):
        engine.file(f"{name}.sql")
    (counts,) = engine.rows("from lift_moved_counts")
    _refuse_none(counts, f"{counts['n_recalls']} recalls")
    return Lift([], [], counts, plan.definition.stated(), [], rows(engine.arrow("from lift_moved")))


def _refuse_none(counts: dict[str, int], of: str) -> None:
    if not counts["n_events"]:
        what = f"none of {of} has candidate_ids (the list before reranking)"
        raise InputError(what, where="logs", fix="Log them, or pass --map candidate_ids=<path>")


def _map(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """lift_events -> quality_sums: the sums of each side, by the macros that score every log."""
    set_columns(engine, definition, columns)
    engine.values("levels", {"by_window": "boolean"}, [(True,)])  # a side is read out as windows are
    judged = {"candidates": "judged_candidates", "ceiling": "judged_ceiling", "final": "judged"}
    values = {
        side: [counted_sql(definition, column, struct, is_error="false") for column in columns] for side, struct in judged.items()
    }
    values["gain"] = [f"(1 + {f} - {c}) / 2" for f, c in zip(values["final"], values["candidates"], strict=True)]
    parts = [
        f"""select side_at as window_start, slice_no, label_no, label_from, false as is_error, count(*)::bigint as n_events, max(depth) as depth,
            [{", ".join(f"moments({value})" for value in listed)}] as sums
        from lift_events inner join lift_sides on side = '{side}' group by all"""
        for side, listed in values.items()
    ]
    engine.run(f"create or replace table quality_sums as {' union all by name '.join(parts)}", what="scoring candidates and lists")
