"""`recalls` -> exact sums of every metric: SQL that is composed, because its columns are the metrics that were asked for."""

from ..base.definition import Column, Definition
from ..base.engine import Engine, quoted
from ..base.metrics import METRICS


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
