"""What the reranker adds: its candidates against the list it hands out, on the same events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base.definition import Column, Definition
from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.metrics import METRICS
from ..base.outputs import Written, as_json
from ..base.registry import index
from ..base.version import __version__
from ..evaluation.source import recalls_of, steadily, store_in
from ..scoring import relations
from ..scoring.plan import Plan, plan_of
from ..scoring.readout import at_work

if TYPE_CHECKING:
    from ..report.sections import Section

DEFAULT = ("recall", "precision", "success", "ndcg", "mrr")
NO_MATCH = "Leave it out (lift goes by id), or score the final list alone with `recallwatch evaluate --match`"
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
        from ..report.as_text import drawn

        return drawn(*_told(self))


def _told(found: Lift) -> tuple[str, list[Section], list[str]]:
    """Headline, tables and lines below: the same in text and markdown."""
    from ..report.sections import Section

    c = found.counts
    head = f"{c['n_events']:,} of {c['n_labelled']:,} labelled recalls compared: candidates against the list handed out"
    slices = Section(
        "Lift of the reranker",
        ("metric", "candidates", "final", "lift", "95 % interval", "ceiling", "n"),
        [_row(row) for row in found.metrics],
        ["ceiling: the best order of the same candidates"],
    )
    lost = Section(
        "Relevant documents lost: by the search (never a candidate), by the reranker (a candidate, not returned)",
        ("query", "text", "document", "recalls", "lost by search", "lost by reranker"),
        [_lost(row) for row in found.lost[:SHOWN]],
        [f"and {len(found.lost) - SHOWN} more, see -f json"] if len(found.lost) > SHOWN else [],
        left=("text", "document"),
    )
    below = [f"left out: {c['n_without_candidates']:,} recalls without candidate_ids, {c['n_errors']:,} errors"]
    if c["n_outside"]:
        below.append(f"{c['n_outside']:,} recalls returned ids that were no candidates")
    return head, [section for section in (slices, lost) if section.rows], below


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    where = " ".join(f"{name}={value}" for name, value in row["segment"].items())
    name = f"{where} {row['metric']}{'' if row['k'] is None else '@' + str(row['k'])}".strip()
    interval = "–" if row["ci_low"] is None else f"{row['ci_low']:+.4f} … {row['ci_high']:+.4f}"
    values = ["–" if row[side] is None else f"{row[side]:.4f}" for side in ("candidates", "final")]
    gain = "–" if row["lift"] is None else f"{row['lift']:+.4f}"
    ceiling = "–" if row["ceiling"] is None else f"{row['ceiling']:.4f}"
    return name, *values, gain, interval, ceiling, f"{row['n']:,}"


def _lost(row: dict[str, Any]) -> tuple[str, ...]:
    counts = (f"{row[name]:,}" for name in ("n", "n_not_retrieved", "n_reranked_out"))
    return row["query_id"] or "", row["query_text"] or "", row["document_id"], *counts


def lift(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    compat: str | None = None,
    definition: Definition | None = None,
    **options: Any,
) -> Lift:
    """Compare the list before reranking (``candidate_ids``) with the list handed out, event by event.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with.
        store: folder of a store, in place of logs.
        compat: a preset of the definition.
        definition: a ready definition.
        options: fields of :class:`~recallwatch.scoring.plan.Request` and of the definition; no windows.

    Raises:
        UsageError: an unknown option, a window, or relevance by text: of candidates there are no texts.
        InputError: logs or labels out of contract; no labelled event that logs its candidates.
    """
    if options.get("window", "all") != "all":
        raise UsageError("lift has no windows", where="--window", fix="Cut the period with --from and --to")
    if not options.get("metrics"):
        options["metrics"] = DEFAULT
    plan = plan_of(compat, definition, options)
    if plan.definition.missing == "zero":
        raise UsageError("a query that was never asked has no candidates", where="--missing", fix="Leave it out")
    if plan.definition.match != "id":
        raise UsageError("candidates are logged by id alone, so no text can tell which are right", where="--match", fix=NO_MATCH)
    home = store_in(logs, store)

    def once() -> Lift:
        with at_work(plan, "recallwatch.lift") as (engine, steps):
            with steps("read"):
                read = recalls_of(engine, logs, home, labels, plan)
            with steps("judge"):
                relations.segment(engine, plan.cut, names=dict(read.names), attributes=read.attributes)
            with steps("score"):
                result = _compared(engine, plan)
            steps.done(result.counts)
            return result

    return steadily(home, once)


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
    relations.set_columns(engine, definition, columns)
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
    value = relations.value_sql(definition, column, judged)
    if column.metric == "ndcg" and definition.ndcg_over == "graded":
        value = f"if(is_graded, {value}, null)"
    return f"{METRICS[column.metric].counted}({value}, judged.n_relevant, is_scorable, false)"


def _as_markdown(found: Lift) -> str:
    from ..report.as_markdown import written

    return written(*_told(found))


LIFT_OUTPUTS = index(
    Written("text", "tables for people", str),
    Written("json", "everything, full floats, stable key order", as_json),
    Written("markdown", "short tables for a pull request", _as_markdown),
)
