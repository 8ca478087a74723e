"""What an evaluation returns: Arrow tables, and the JSON other programs rely on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..base.declared import one_of
from ..base.definition import Definition
from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.rows import iso, rows
from ..base.version import TOOL
from ..document.figure import Figure
from ..document.frames import frame
from ..document.model import Document
from ..document.result import Result
from ..read.lines import NO_REJECTS, OTHER
from .all_traffic import rated, sampled, unweighed
from .document import column_name, document_of
from .figures import depth, means, segments, trends
from .plan import Plan
from .recalls import Recalls
from .state_key import state_key
from .warnings import warnings_of

if TYPE_CHECKING:
    import polars as pl


TABLES = ("metrics", "latency", "cost", "queries")


@dataclass(frozen=True)
class Evaluation(Result):
    """Numbers, and what they are made of.

    Args:
        metrics: window, segment, metric, k, value, value_by_query, attainable, truncated, n, n_queries, ci_low, ci_high;
            where more than ids decides relevance also relevant_found, exact_found (in the first k, over the row's events); where a label
            is no human's also kinds (kind -> labelled queries).
        latency: window, segment, stage, cache, n, n_missing, mean_ms, p50_ms, p95_ms (with interval), p99_ms, max_ms.
        cost: window, segment, tokens, US dollars, cache hits.
        queries: one row a labelled query: values, missed_ids, found, trace_ids.
        head: everything of the JSON that is no table.
        counts: the counts block.
    """

    metrics: pa.Table
    latency: pa.Table
    cost: pa.Table
    queries: pa.Table
    head: dict[str, Any]
    counts: dict[str, Any]
    per_query: bool

    @classmethod
    def collect(cls, engine: Engine, plan: Plan, events: Recalls) -> Evaluation:
        """Read everything out of the engine; nothing stays open."""
        definition, logs, rejects = plan.definition, events.logs, events.rejects
        counts = engine.rows("from counts")[0]
        counts["duplicate_events"] = events.duplicates
        if definition.by_question:
            counts["questions"], counts["questions_alone"] = engine.run("from asking_counts")[0]
        counts["rejected_lines"] = sum(row["n"] for row in rejects if row["reason"] not in NO_REJECTS)
        counts["incomplete_tail"] = sum(row["n"] for row in rejects if row["reason"] == "incomplete_tail")
        others = sum(row["n"] for row in rejects if row["reason"] == OTHER)
        counts |= {"other_lines": others} if others else {}
        counts |= {f"events_{row['flag']}": row["n"] for row in engine.rows("from flag_counts order by flag")}
        head = {
            "tool": dict(TOOL),
            "definition": definition.stated(),
            "state_key": state_key(engine, definition),
            "read": {
                "preset": plan.preset,
                "formats": dict(logs.formats),
                "labels": events.labels or None,
                **({"spans": logs.spans, "repeated_spans": logs.repeated_spans} if logs.spans else {}),
                "period": {"from": iso(counts.pop("first_at")), "to": iso(counts.pop("last_at"))},
                **({"where": plan.period.where} if plan.period.where is not None else {}),
            },
            "counts": counts,
            "coverage": engine.rows("from coverage")[0],
            "answered": engine.rows("from answered")[0],
            **({} if definition.match == "id" else {"match": rows(engine.arrow("from matched", what="matched"))}),
            **_carried(engine),
            **_kinds(engine, definition),
            **sampled(engine),
            **rated(engine, plan),
            **({"questions": rows(engine.arrow("from question_figures"))} if definition.by_question else {}),
            **({} if events.labels else {"shown": rows(engine.arrow("from shown", what="shown"))}),
            "warnings": [*warnings_of(engine, definition, counts, rejects), *unweighed(plan, logs.attributes, counts["events"])],
        }
        metrics = "kind_metrics" if "kinds" in head else _metrics_of(definition)
        tables = [engine.arrow(f"from {view}", what=view) for view in (metrics, "latency", "cost", "queries")]
        return cls(tables[0], tables[1], tables[2], tables[3], head, counts, plan.per_query)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Name -> rows."""
        return {name: rows(getattr(self, name)) for name in TABLES}

    def to_polars(self, table: str | None = None, *, wide: bool = False) -> pl.DataFrame:
        """A table as a Polars frame of plain columns, which sorts, joins and is written as it is.

        Args:
            table: metrics (the default), latency, cost or queries. Each column of ``by`` is one of the frame, null in rows over all its
                values; ids are texts ("m1, m2").
            wide: of the metrics: one row a window and segment, a column for each metric (``recall@10``), its mean.

        Raises:
            UsageError: there is no such table, or it has no metrics to spread.
        """
        import polars as pl

        name = one_of(TABLES)(TABLES[0] if table is None else table, "to_polars(table=…)")
        own: pa.Table = getattr(self, name)
        types = pl.DataFrame(pl.from_arrow(own.schema.empty_table())).schema
        made = frame(own.to_pylist(), {column: kind for column, kind in types.items() if not kind.is_nested()})
        if not wide:
            return made
        if name != "metrics":
            raise UsageError(f"{name} has no metrics to spread", where="to_polars(wide=…)", fix="Leave wide out")
        keys = made.columns[: made.columns.index("metric")]
        columns = pl.Series("column", [column_name(row) for row in made.iter_rows(named=True)], pl.String)
        return made.with_columns(columns).pivot("column", index=keys, values="value", aggregate_function=None)

    def figures(self) -> list[Figure]:
        """Quality; by windows, segments and k where there are several."""
        result = self.to_dict()
        return [*trends(result), *segments(result), *means(result), *depth(result)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch evaluate -f json``, as Python values."""
        tables = {"metrics": rows(self.metrics), "latency": rows(self.latency), "cost": rows(self.cost)}
        queries = {"queries": [query_of(row) for row in rows(self.queries)]} if self.per_query else {}
        return {**self.head, **tables, **queries}

    def document(self) -> Document:
        """The document shown to people."""
        return document_of(self.to_dict(), self.queries.to_pylist(), per_query=self.per_query)


def _metrics_of(definition: Definition) -> str:
    return "metrics" if definition.match == "id" else "matched_metrics"


def _kinds(engine: Engine, definition: Definition) -> dict[str, Any]:
    """The block ``kinds``: who or what judged the queries, where any label is no human's."""
    if not engine.run("select exists (select 1 from labelled_queries where kind <> 'human')")[0][0]:
        return {}
    engine.options(kinds_of=_metrics_of(definition))
    engine.file("6_report/kinds.sql")
    return {"kinds": engine.rows("from kinds_asked")}


def _carried(engine: Engine) -> dict[str, Any]:
    """The block ``labels``: what the labels can carry, and who supplied them; absent where nothing could be scored."""
    engine.file("6_report/labels_carry.sql")
    rows = engine.rows("from labels_carry")
    return {"labels": {**rows[0], "suppliers": engine.rows("from label_suppliers")}} if rows else {}


def query_of(row: dict[str, Any]) -> dict[str, Any]:
    """One query of the JSON, in the contract's order."""
    names = (
        "query_id", "query_text", "query_class", "tenant_id", "n", "n_relevant", "values", "missed_ids", "found", "trace_ids",
        "event_ids",
    )  # fmt: skip
    return {name: row[name] for name in names}
