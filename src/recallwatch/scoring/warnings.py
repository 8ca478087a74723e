"""Warnings worth a line in every report: what may make the numbers mean less than they seem to."""

from collections.abc import Sequence
from typing import Any

from ..base.definition import Definition
from ..base.engine import Engine, quoted
from ..base.metrics import METRICS
from ..read.label_contract import NOTES
from ..read.lines import OTHER, TAIL

# absent where only answers are scored
OF_RANKINGS = ("unscorable_events", "events_with_duplicate_ids", "events_with_null_ids", "events_with_scores_out_of_order")


def warnings_of(
    engine: Engine, definition: Definition, counts: dict[str, Any], rejects: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The warnings of one evaluation, gravest first: code, message, n, examples."""
    return [
        *_rejects(rejects),
        *_from_counts(counts, definition, () if engine.run("select opt_rankings()")[0][0] else OF_RANKINGS),
        *_not_relevant(engine, definition),
        *_over_time(engine),
        *_unmatched(engine),
        *_unanswered(engine),
        *_stuck(engine),
        *_heavy(engine),
        *_truncated(engine),
        *_orphans(engine),
        *_dropped(engine),
        *_of_labels(engine),
    ]


NO_FAULTS = {
    TAIL: "the last line is half written",
    OTHER: "lines of other programs, or left out by the profile's where: no recalls",
}


def warning(code: str, message: str, n: int, examples: list[Any] | None = None) -> dict[str, Any]:
    """One warning as the JSON has it."""
    return {"code": code, "message": message, "n": n, "examples": examples or []}


def _of_rows(code: str, message: str, rows: Sequence[tuple[Any, ...]], shown: int | None = 3) -> list[dict[str, Any]]:
    """A warning about some rows, the first column of the first ones as examples; none without rows."""
    return [warning(code, message, len(rows), [row[0] for row in rows[:shown]])] if rows else []


def _rejects(rejects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        warning(
            row["reason"] if row["reason"] in NO_FAULTS else "rejected_lines",
            NO_FAULTS.get(row["reason"], f"lines rejected: {row['reason']}"),
            row["n"],
            [row["where"]],
        )
        for row in rejects
    ]


def _from_counts(counts: dict[str, Any], definition: Definition, left_out: tuple[str, ...]) -> list[dict[str, Any]]:
    order = "the list is sorted by score" if definition.order == "score" else "the logged order is used (see --order score)"
    errors = "left out" if definition.errors == "skip" else "they count as nothing returned"
    failed = f": {errors} (see --errors)" if counts["labelled_queries"] else ""
    missing = "each counts as 0 in the means" if definition.missing == "zero" else "left out of the means"
    asked = "asked, as far as can be told" if counts["events_of_shared_texts"] else "asked"
    texts = {
        "duplicate_events": "duplicate events: each event counts once",
        "unscorable_events": "events with results but without any id: in no quality mean",
        "events_with_duplicate_ids": "labelled events whose ranking repeats an id: the first rank counts",
        "events_with_null_ids": "events with an unknown id at some rank: it keeps its slot and is never relevant",
        "events_with_scores_out_of_order": f"labelled events whose scores rise along the list: {order}",
        "error_events": f"events with status error{failed}",
        "events_of_shared_texts": "recalls without a query id whose text several labelled queries share: not labelled, for nothing says which is meant",
        "queries_missing": f"labelled queries that were never {asked}: {missing} (see --missing)",
        "events_latency_invalid": "events with a time that cannot be one (no number, negative, not finite, 1e15 ms and more): that time is left out",
        "events_score_invalid": "events with a score that is not finite (left out), or another number of scores than of ids",
        "events_folder_disagrees": "events whose folder (name=value) and own column disagree: the event's own value counts",
        "questions_alone": f"recalls without a {definition.unit} id: each is a question of its own",
        "events_no_span_id": "recalls of spans without an id: a span delivered twice cannot be known",
        "events_cost_invalid": "events with a cost or token count that cannot be one (no number, negative, not finite, 1e15 and more): that value is left out",
    }
    return [warning(code, text, counts[code]) for code, text in texts.items() if counts.get(code) and code not in left_out]


def _not_relevant(engine: Engine, definition: Definition) -> list[dict[str, Any]]:
    """Labelled queries whose documents are all judged not relevant: no no-answer queries, and nothing can be right for them."""
    rows = engine.run(
        """select coalesce(query_id, query_text) from named_queries
        where label.n_relevant = 0 and not is_no_answer and not is_answer_only order by label_no"""
    )
    counted = {"skip": "in no mean but nDCG's, where a grade earns a gain", "zero": "they count as 0", "one": "they count as 1"}
    level = "" if definition.rel_level is None else f" at --rel-level {definition.rel_level:g}"
    text = f"labelled queries without a relevant document{level}: {counted.get(definition.no_relevant, '')} (see --no-relevant)"
    return _of_rows("no_relevant_document", text, rows)


def _over_time(engine: Engine) -> list[dict[str, Any]]:
    """Labels that change over time, and the recalls that none of them speaks of."""
    rows = engine.run("select coalesce(query_id, query_text) from named_queries where is_dated order by label_no")
    if not rows:
        return []
    timeless, outside = engine.run(
        """select coalesce(sum(n_events) filter (label_from = 'infinity'), 0)::bigint, coalesce(sum(n_events) filter (label_from < 'infinity'), 0)::bigint
        from quality_sums inner join label_periods using (label_no, label_from) where label is null"""
    )[0]
    texts = {
        "outside_validity": ("recalls at a time at which no label of their query holds: in no quality mean", outside),
        "validity_without_time": ("recalls without a time whose query's labels change over time: in no quality mean", timeless),
    }
    text = "labelled queries whose labels change over time: each recall is judged by those of its time (-m stale: superseded documents)"
    return [*_of_rows("labels_over_time", text, rows), *(warning(code, text, n) for code, (text, n) in texts.items() if n)]


def _unmatched(engine: Engine) -> list[dict[str, Any]]:
    """Expected texts that can never match, and recalls that no strategy of --match could judge."""
    if engine.run("select by_id_only()")[0][0]:
        return []
    wordless = engine.run("select document_id from wordless")
    missed = engine.run(
        """select n_events from matched where strategy = '' and "window" is null and segment = map([]::varchar[], []::varchar[]) limit 1"""
    )
    text = "labelled recalls that no strategy of --match could judge (no ids, or no texts, on one side): in no quality mean"
    return [
        *([warning("not_judged", text, missed[0][0])] if missed else []),
        *_of_rows("expected_without_tokens", "expected texts without a word in them: they never match", wordless),
    ]


def _unanswered(engine: Engine) -> list[dict[str, Any]]:
    """Requested metrics of answers without a value."""
    if not engine.run("select opt_answers()")[0][0]:
        return []
    answers = quoted([name for name, metric in METRICS.items() if metric.of == "answered"])
    rows = engine.run(
        f"""select distinct metric from metric_columns
        where list_contains({answers}, metric) and metric not in (select metric from metrics) order by 1"""
    )
    text = "metrics without a value: no labelled recall has a logged answer and a gold answer beside it"
    return _of_rows("no_answers", text, rows, shown=None)


def _stuck(engine: Engine) -> list[dict[str, Any]]:
    rows = engine.run(
        """select case when k is null then metric else metric || '@' || k end, max(value) from metrics
        where "window" is null and segment = map([]::varchar[], []::varchar[]) and metric <> 'judged' and n_queries >= 5
        group by all having min(value) = max(value) and max(value) in (0, 1) order by 1"""
    )
    return _of_rows("cannot_move", "metrics that are all 0 or all 1: they cannot show a change", rows, shown=None)


def _heavy(engine: Engine) -> list[dict[str, Any]]:
    rows = engine.run(
        """select coalesce(query_id, query_text), n::double / sum(n) over () as share from query_counts
        qualify share > .1 and count(*) over () >= 10 order by share desc, 1"""
    )
    largest = f"{100 * rows[0][1]:.0f} %" if rows else ""
    text = f"queries over 10 % of the labelled traffic (largest: {largest}): the event mean leans on them"
    return _of_rows("heavy_query", text, rows)


def _truncated(engine: Engine) -> list[dict[str, Any]]:
    rows = engine.run(
        """select distinct k from metrics where truncated and "window" is null and segment = map([]::varchar[], []::varchar[]) order by k"""
    )
    depths = ", ".join(f"@{row[0]}" for row in rows)
    text = f"k deeper than any logged list: {depths} cannot be more than at the list's own depth"
    return _of_rows("truncated", text, rows, shown=None)


def _orphans(engine: Engine) -> list[dict[str, Any]]:
    rows = engine.run(
        """select d.document_id from (select label_no, unnest(label.documents) as d from named_queries)
        where d.is_relevant and (label_no, d.document_id) not in (select (label_no, document_id) from found_documents) group by d.document_id order by 1"""
    )
    return _of_rows("never_returned", "relevant documents that no event ever returned for their query", rows)


def _dropped(engine: Engine) -> list[dict[str, Any]]:
    """Label references that an id rule of a profile could not read."""
    _be_there(engine, "dropped_references", "reference varchar")
    rows = engine.run("select reference, count(*) from dropped_references group by reference order by 2 desc, 1")
    n = sum(row[1] for row in rows)
    text = "label references that the id rules cannot read: dropped"
    return [warning("references_dropped", text, n, [row[0] for row in rows[:10]])] if rows else []


def _of_labels(engine: Engine) -> list[dict[str, Any]]:
    """Labels that were left out or read in part; those of a store were checked when they were read."""
    _be_there(engine, "without_time", "n bigint")
    _be_there(engine, "unjudged_labels", "source varchar, source_line bigint")
    conflicts = engine.run("select distinct first_at || ' and ' || last_at as places from label_conflicts order by places")
    text = f"labels that contradict each other (--label-conflicts {engine.run('select opt_label_conflicts()')[0][0]})"
    warnings = _of_rows("conflicting_labels", text, conflicts)
    for (n,) in engine.run("select n from without_time where n > 0"):
        warnings.append(warning("events_without_time", "events without a time: in no window, nor in a period", n))
    rows = engine.run("select source || ':' || source_line from unjudged_labels order by source, source_line")
    warnings += _of_rows("unjudged_labels", "label rows with an empty grade: not judged, left out", rows)
    return warnings + of_reading(engine)


def _be_there(engine: Engine, table: str, columns: str) -> None:
    """A table that only some logs and labels have made, empty for the others (looking it up in the catalog takes twenty times as long)."""
    engine.run(f"create table if not exists {table} ({columns})")


def of_reading(engine: Engine) -> list[dict[str, Any]]:
    """What the reading of labels has to say beside the numbers."""
    _be_there(engine, *NOTES)
    rows = engine.run("select distinct code, message, n, examples from label_notes order by all")
    return [warning(code, message, n, examples) for code, message, n, examples in rows]
