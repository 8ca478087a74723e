"""What the reranker adds: its candidates against the list it hands out, on the same events."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import __version__, pipeline, scoring
from .config import Column, Definition
from .engine import Engine
from .errors import InputError, UsageError
from .measure import accept
from .metrics import METRICS
from .request import Plan, plan_of
from .tracing import Steps

DEFAULT = ("recall", "precision", "success", "ndcg", "mrr")
SHOWN = 10  # lost documents in the text


@dataclass(frozen=True)
class Lift:
    """Candidates against the final list.

    Args:
        metrics: one row a metric and k: candidates, final, lift (final - candidates) with its interval, ceiling (the best order
            of the candidates), n, n_queries.
        lost: one row a relevant document that was not always returned: how often it was no candidate, how often reranked out.
        counts: events compared, and those left out.
        definition: every option in force.
    """

    metrics: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    counts: dict[str, int]
    definition: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch lift -f json``, as Python values."""
        tool = {"name": "recallwatch", "version": __version__}
        return {"tool": tool, "definition": self.definition, "counts": self.counts, "metrics": self.metrics, "lost": self.lost}

    def __str__(self) -> str:
        """Two tables and what was left out."""
        c = self.counts
        lines = [f"{'':<22}{'candidates':>11}{'final':>9}{'lift':>9}{'95 % interval':>20}{'ceiling':>9}{'n':>8}"]
        lines += [_line(row) for row in self.metrics]
        if self.lost:
            lines += ["", "relevant documents lost: by the search (no candidate), by the reranker (candidate, not returned)"]
            lines += [
                f"  {row['query_id'] or row['query_text']!r:<8} {row['document_id']}: search {row['n_not_retrieved']}, "
                f"reranker {row['n_reranked_out']} of {row['n']} recalls"
                for row in self.lost[:SHOWN]
            ]
            lines += [f"  and {len(self.lost) - SHOWN} more"] if len(self.lost) > SHOWN else []
        left_out = f"{c['n_without_candidates']} without candidate_ids, {c['n_errors']} errors left out"
        lines += ["", f"{c['n_events']} of {c['n_labelled']} labelled events compared ({left_out})"]
        if c["n_outside"]:
            lines.append(f"{c['n_outside']} events returned ids that were no candidates")
        return "\n".join(lines) + "\n"


def _line(row: dict[str, Any]) -> str:
    where = " ".join(f"{name}={value}" for name, value in row["segment"].items())
    name = f"{where} {row['metric']}{'' if row['k'] is None else '@' + str(row['k'])}".strip()
    interval = "-" if row["ci_low"] is None else f"{row['ci_low']:+.4f} … {row['ci_high']:+.4f}"
    return (
        f"{name:<22}{row['candidates']:11.4f}{row['final']:9.4f}{row['lift']:+9.4f}{interval:>20}{row['ceiling']:9.4f}{row['n']:8d}"
    )


def lift(logs: Any, labels: Any = None, *, compat: str | None = None, definition: Definition | None = None, **options: Any) -> Lift:
    """Compare the list before reranking (``candidate_ids``) with the list handed out, event by event.

    Args:
        logs: as in :func:`recallwatch.evaluate`.
        labels: the same.
        compat: a preset of the definition.
        definition: a ready definition.
        options: fields of :class:`~recallwatch.request.Request` and of the definition; no windows.

    Raises:
        UsageError: an unknown option, or a window.
        InputError: logs or labels out of contract; no labelled event that logs its candidates.
    """
    if options.get("window", "all") != "all":
        raise UsageError("lift has no windows", where="--window", fix="Cut the period with --from and --to")
    if not options.get("metrics"):
        options["metrics"] = DEFAULT
    plan = plan_of(compat, definition, options)
    if plan.definition.missing == "zero":
        raise UsageError("a query that was never asked has no candidates", where="--missing", fix="Leave it out")
    engine = Engine(threads=plan.request.threads, memory_limit=plan.request.memory_limit)
    steps = Steps("recallwatch.lift", engine, plan.request.watcher)
    try:
        with steps("bind"):
            scoring.bind(engine, plan.definition, plan.cut)
        with steps("read"):
            read, _ = pipeline.read_both(engine, logs, labels, plan.request)
            accept(engine, read, plan.request)
        with steps("judge"):
            scoring.once(engine, has_ids=read.has_ids)
            scoring.join_labels(engine, log_columns=set(read.names.values()), facts=read.facts)
            scoring.segment(engine, plan.cut, names=dict(read.names), attributes=read.attributes)
        with steps("score"):
            result = _compared(engine, plan)
        steps.done(result.counts)
        return result
    finally:
        engine.close()


def _compared(engine: Engine, plan: Plan) -> Lift:
    engine.file("4_aggregate/lift_events.sql")
    _map(engine, plan.definition, plan.cut.columns)
    engine.file("4_aggregate/quality.sql")
    engine.file("6_report/lift.sql")
    (counts,) = engine.rows("from lift_counts")
    if not counts["n_events"]:
        raise InputError(
            f"none of {counts['n_labelled']} labelled events has candidate_ids (the list before reranking)",
            where="logs",
            fix="Log them, or pass --map candidate_ids=<path>",
        )
    rows = [{**row, "segment": dict(row["segment"] or {})} for row in engine.rows("from lift")]
    options = {**plan.definition.options(), "fingerprint": plan.definition.fingerprint}
    return Lift(rows, engine.rows("from lost_documents"), counts, options)


def _map(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """lift_events -> quality_sums: the sums of each side, by the macros that score every log."""
    scoring.set_columns(engine, definition, columns)
    levels = "(true, false)" if engine.run("select count(*) = 1 from segments")[0][0] else "(true, false), (true, true)"
    engine.run(f"create or replace table levels as select * from (values {levels}) as t(by_window, by_segment)")
    judged = {"candidates": "judged_candidates", "ceiling": "judged_ceiling", "final": "judged"}
    values = {side: [_counted(definition, column, struct) for column in columns] for side, struct in judged.items()}
    values["gain"] = [f"(1 + {f} - {c}) / 2" for f, c in zip(values["final"], values["candidates"], strict=True)]
    parts = [
        f"""select side_at as window_start, segment_no, label_no, false as is_error, count(*)::bigint as n_events, max(depth) as depth,
            [{", ".join(f"moments({value})" for value in listed)}] as sums
        from lift_events inner join lift_sides on side = '{side}' group by all"""
        for side, listed in values.items()
    ]
    engine.run(f"create or replace table quality_sums as {' union all by name '.join(parts)}", what="scoring candidates and lists")


def _counted(definition: Definition, column: Column, judged: str) -> str:
    value = scoring.value_sql(definition, column, judged)
    if column.metric == "ndcg" and definition.ndcg_over == "graded":
        value = f"if(is_graded, {value}, null)"
    macro = "counted_judged" if METRICS[column.metric].empty is None else "counted"
    return f"{macro}({value}, judged.n_relevant, is_scorable, false)"


class _Callable(ModuleType):
    """Lets ``recallwatch.lift(logs, labels, …)`` work although this module has the same name."""

    def __call__(self, *args: Any, **options: Any) -> Lift:
        """Compare candidates with the final list; see :func:`lift`."""
        return lift(*args, **options)


sys.modules[__name__].__class__ = _Callable
