"""From the relations `normalised` and `labels` to the read-out: binds the definition, runs sql/ in the data's order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..base import sqlfiles
from ..base.definition import Column, Definition, gain_map, match_thresholds, strategies
from ..base.engine import Engine, quoted
from ..base.errors import InputError, RecallwatchError, UsageError
from ..base.metrics import METRICS
from ..base.zone import odd_dates, odd_midnights
from .matching import make_recalls, refuse_answers_alone, refuse_texts_alone


@dataclass(frozen=True)
class Cut:
    """How the result is cut: metric columns, segments, windows.

    Args:
        columns: metrics at depths.
        by: columns or attributes, or products of them (``a*b``).
        window: hour, day, week, month or all.
        timezone: IANA name the windows are cut in.
    """

    columns: tuple[Column, ...]
    by: tuple[str, ...] = ()
    window: str = "all"
    timezone: str = "UTC"


def bind(engine: Engine, definition: Definition, cut: Cut) -> None:
    """Every option as a macro, then all macros of sql/ that use them."""
    engine.file("0_schema.sql")
    engine.file("0_options.sql")
    gains = gain_map(definition.gain)
    options = {
        **definition.options(),
        "window": None if cut.window == "all" else cut.window,
        "timezone": cut.timezone,
        "gain": "map" if gains else definition.gain,
        "rankings": any(METRICS[column.metric].of == "judged" for column in cut.columns) or not cut.columns,
        "answers": any(METRICS[column.metric].of == "answered" for column in cut.columns),
        "match": strategies(definition.match),
        **_zone(cut),
        **{f"match_{name}": least for name, least in match_thresholds(definition.match_threshold).items()},
    }
    if gains:
        options["gain_map"] = gains
    depths = [column.k for column in cut.columns]
    options["max_k"] = None if None in depths and all(k is None for k in depths) else max(k for k in depths if k is not None)
    for name, value in options.items():
        engine.run(f"create or replace macro opt_{name}() as {_literal(name, value)}")
    try:
        engine.run("select now() at time zone opt_timezone()")
    except RecallwatchError as error:
        raise UsageError(
            f"unknown time zone {cut.timezone!r}", where="--timezone", fix="Use an IANA name such as Europe/Berlin"
        ) from error
    for name in (
        "1_normalise/values.sql",
        "1_normalise/facts.sql",
        "2_judge/judge.sql",
        "2_judge/ranking.sql",
        "2_judge/windows.sql",
        "7_store/days.sql",
        *sqlfiles.names_in("3_score"),
        "4_aggregate/exact.sql",
    ):
        engine.file(name)


def _zone(cut: Cut) -> dict[str, Any]:
    """What window_of must know of a zone whose clocks went back over midnight."""
    if cut.timezone == "UTC" or cut.window in ("all", "hour"):
        return {}
    return {"odd_dates": odd_dates(cut.timezone), "odd_midnights": odd_midnights(cut.timezone)}


def _literal(name: str, value: object) -> str:
    kinds = {"depth": "bigint", "max_k": "bigint"} | {
        "window": "varchar",
        "gain_map": "map(double, double)",
        "odd_midnights": "map(varchar, bigint)",
    }
    kinds |= dict.fromkeys(("rel_level", "match_token_f1", "match_coverage"), "double")
    if name == "odd_dates" and isinstance(value, list):
        rows = [f"{{'from_us': {o['from_us']}, 'to_us': {o['to_us']}, 'date': {quoted(o['date'])}}}" for o in value]
        return f'[{", ".join(rows)}]::struct(from_us bigint, to_us bigint, "date" varchar)[]'
    return f"{quoted(value)}::{kinds[name]}" if name in kinds else quoted(value)


def join_labels(engine: Engine, *, log_columns: set[str], facts: Mapping[str, int] | None = None, empty_ok: bool = False) -> None:
    """Make labelled_queries of labels, and the view `recalls`; refuse labels that contradict each other or join to nothing.

    ``facts`` (counts of 1_normalise/inspect.sql over all events) spare checks that would find nothing.
    ``empty_ok``: no labels at all is fine: no recall is labelled then.
    """
    engine.options(
        **{macro: facts is None or facts[n] > 0 for macro, n in (("some_error", "n_status"), ("some_null_id", "n_null_ids"))}
    )
    is_long = "true" if facts is None else f"{facts['n_records']} > opt_exact_limit()"
    engine.run(f"create or replace macro some_long_group() as {is_long}")
    engine.file("2_judge/labels.sql")
    refuse_texts_alone(engine)
    refuse_answers_alone(engine)
    _refuse_conflicts(engine)
    if engine.run("select coalesce(max(len(label.documents)), 0) >= opt_long_label() from labelled_queries")[0][0]:
        engine.file("2_judge/long_labels.sql")
    has_id, has_text, tenants = engine.run(
        """select count(query_id) > 0, count(query_text) > 0,
            coalesce(list(distinct tenant_id order by tenant_id) filter (tenant_id is not null), []) from labelled_queries"""
    )[0]
    by_id, by_text = has_id and "query_id" in log_columns, has_text and "query_text" in log_columns
    if empty_ok and not has_id and not has_text:
        by_id = by_text = True
    if not by_id and not by_text:
        raise InputError(
            f"logs have {', '.join(sorted(log_columns & {'query_id', 'query_text'})) or 'neither query_id nor query_text'}, "
            f"labels have {'query_id' if has_id else 'query_text'}: nothing to join by",
            fix="Pass --map query_id=<path> or --map query_text=<path>",
        )
    engine.options(opt_join="both" if by_id and by_text else "query_id" if by_id else "query_text")
    engine.run(f"create or replace macro opt_tenants() as {quoted(list(tenants))}::varchar[]")
    make_recalls(engine)


def _refuse_conflicts(engine: Engine) -> None:
    conflict = engine.run(
        """select query_key, document_id, is_of_query, ends_empty, first_at, last_at from label_conflicts
        where opt_label_conflicts() = 'error' order by query_key, document_id limit 1"""
    )
    if conflict:
        query, document, is_of_query, ends_empty, first, last = conflict[0]
        nothing, one = "says that nothing is right", f"names {document!r}"
        what = (
            f"document {document!r} of query {query.split(':', 1)[1]!r} has two grades"
            if not is_of_query
            else (
                f"for query {query.split(':', 1)[1]!r} it {nothing if ends_empty else one}, the other {one if ends_empty else nothing}"
            )
        )
        raise InputError(f"contradicts {first}: {what}", where=last, fix="Remove one, or pass --label-conflicts max, last or drop")
    empty = engine.run(
        """select query_id, query_text from labelled_queries
        where opt_no_relevant() = 'error' and label.n_relevant = 0 order by label_no limit 1"""
    )
    if empty:
        raise InputError(
            f"query {empty[0][0] or empty[0][1]!r} has no relevant label",
            where="labels",
            fix="Label it, or pass --no-relevant skip or zero",
        )


def once(engine: Engine, *, has_ids: bool) -> int:
    """Events -> events_once; returns how many deliveries were dropped."""
    if not has_ids:
        engine.file("1_normalise/no_duplicates.sql")
        return 0
    engine.file("1_normalise/duplicates.sql")
    dropped = engine.run(
        """select (select count(*) from events where hash(event_id) in (select h from duplicate_hashes)) - (select count(*) from duplicates_resolved)
        where exists (select 1 from duplicate_hashes)"""
    )
    if not dropped:
        engine.file("1_normalise/no_duplicates.sql")
    return int(dropped[0][0]) if dropped else 0


def value_sql(definition: Definition, column: Column, judged: str = "judged") -> str:
    """The metric macro this definition chooses, called at this depth."""
    entry = METRICS[column.metric]
    return f"{entry.macro(definition)}({judged if entry.of == 'judged' else entry.of}, {quoted(column.k)}::integer)"


def headline(columns: tuple[Column, ...]) -> Column:
    """The column a reader looks at first: recall at the deepest k, else the first column."""
    return max((c for c in columns if c.metric == "recall"), key=lambda c: c.k or 0, default=columns[0])


def set_columns(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """The tables `metric_columns` and `query_attainable` (what each query can reach at most); `quality_kept` is empty from here on."""
    head = headline(columns)
    kinds = {"position": "integer", "metric": "varchar", "k": "integer", "is_headline": "boolean"}
    engine.values("metric_columns", kinds, [(i, c.metric, c.k, c == head) for i, c in enumerate(columns, 1)])
    engine.file("4_aggregate/quality_kept.sql")
    best = ", ".join(f"coalesce({value_sql(definition, column, 'best')}, 0)" for column in columns)
    engine.run(
        f"""create or replace table query_attainable as select label_no, [{best}]::double[] as attainable
        from (select label_no, ideal_judged(label) as best, {{'answer': gold_answers[1], 'gold_answers': gold_answers}} as answered from labelled_queries)"""
    )


def map_quality(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """Recalls -> quality_sums: exact sums per window, slice and query; the one place that calls the metric macros."""
    values, counted = [], []
    for number, column in enumerate(columns):
        value = value_sql(definition, column)
        if column.metric == "ndcg" and definition.ndcg_over == "graded":
            value = f"if(is_graded, {value}, null)"
        values.append(f"{value} as v{number}")
        counted.append(f"{METRICS[column.metric].counted}(v{number}, n_relevant, is_scorable, is_error) as v{number}")
    set_columns(engine, definition, columns)
    engine.file("4_aggregate/judged_events.sql")
    keys = "window_start, slice_no, label_no, is_error"
    marks = "is_scorable, is_empty, has_repeat, is_out_of_order, has_broken_score, depth"
    engine.run(
        f"""create or replace table quality_sums as
        select {keys}, count(*)::bigint as n_events, max(depth) as depth,
            count(*) filter (is_empty) as n_empty, count(*) filter (not is_scorable) as n_unscorable, count(*) filter (has_repeat) as n_repeats,
            count(*) filter (is_out_of_order) as n_out_of_order, count(*) filter (has_broken_score) as n_broken_scores,
            [{", ".join(f"moments(v{number})" for number in range(len(values)))}] as sums
        from (select {keys}, {marks}, {", ".join(counted)}
            from (select {keys}, {marks}, judged.n_relevant as n_relevant, {", ".join(values)}
                from judged_events))
        group by {keys}""",
        what="scoring",
    )
