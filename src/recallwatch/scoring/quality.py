"""`recalls` -> exact sums of every metric: SQL that is composed, because its columns are the requested metrics."""

from collections.abc import Callable, Sequence

from ..base.definition import Column, Definition
from ..base.engine import Engine, quoted
from ..base.errors import UsageError
from ..base.metric import REL
from ..base.metrics import metric_of, parse_metric
from ..read import FEW


def judged_sql(column: Column, judged: str = "judged") -> str:
    """What the column's macro judges by: as the labels say, or relevant from the grade that the column names (``P(rel=2)``)."""
    entry, values, _ = parse_metric(column.metric)
    level = entry.level(values)
    return judged if level is None else f"at_level({judged}, {level!r}::double)"


def value_sql(definition: Definition, column: Column, judged: str = "judged", *, k: str | None = None) -> str:
    """The metric macro this definition chooses, called at this k with its parameters; null where the definition leaves the event out.

    ``k``: SQL of a cutoff in place of the column's.
    """
    entry, values, _ = parse_metric(column.metric)
    numbers = [value for parameter, value in zip(entry.parameters, values, strict=True) if parameter is not REL]
    of = judged_sql(column, judged) if entry.of == "judged" else entry.of
    arguments = ", ".join([of, k or f"{quoted(column.k)}::integer", *(f"{number!r}::double" for number in numbers)])
    value = f"{entry.macro(definition)}({arguments})"
    return f"if(is_graded, {value}, null)" if entry.name == "ndcg" and definition.ndcg_over == "graded" else value


def counted_sql(
    definition: Definition,
    column: Column,
    judged: str = "judged",
    *,
    is_error: str = "coalesce(status = 'error', false)",
    k: str | None = None,
) -> str:
    """What an event counts as in the mean of a column: every command that makes a mean calls this."""
    of = judged_sql(column, judged)
    needed = f"n_gains({judged})" if of == judged and metric_of(column.metric).needs == "gain" else f"{of}.n_relevant"
    return _counted(column, value_sql(definition, column, judged, k=k), needed, is_error)


def _counted(column: Column, value: str, n_needed: str, is_error: str) -> str:
    return f"{metric_of(column.metric).counted}({value}, {n_needed}, is_scorable, {is_error})"


def _of_each(
    engine: Engine, columns: Sequence[Column], sql: Callable[[Column, str | None], str], table: str, source: str
) -> tuple[list[str], str]:
    """SQL of a number of each column, and the relation it is of.

    For few rows a metric is called once, in a lambda over its cutoffs: planning a call of each takes longer than computing them.

    Args:
        engine: holds the table.
        columns: metrics at cutoffs.
        sql: a column, and SQL of the cutoff in place of its own -> SQL of the number.
        table: whose rows it is computed for.
        source: SQL of the relation that has the columns it needs.
    """
    if not engine.run(f"select count(*) <= {FEW} from {table}")[0][0]:
        return [sql(column, None) for column in columns], source
    cutoffs: dict[str, list[int | None]] = {}
    for column in columns:
        cutoffs.setdefault(column.metric, []).append(column.k)
    names = {metric: f"by_k_{number}" for number, metric in enumerate(cutoffs)}
    lists = (
        f"list_transform({quoted(ks)}::integer[], lambda rw_k: {sql(Column(metric, None), 'rw_k')}) as {names[metric]}"
        for metric, ks in cutoffs.items()
    )
    values = [f"{names[column.metric]}[{cutoffs[column.metric].index(column.k) + 1}]" for column in columns]
    return values, f"(select *, {', '.join(lists)} from {source})"


def headline(columns: tuple[Column, ...]) -> Column:
    """The column a reader looks at first: recall at the deepest k, else the first column."""
    return max((c for c in columns if c.metric == "recall"), key=lambda c: c.k or 0, default=columns[0])


def set_columns(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """The tables `metric_columns` and `query_attainable` (what each period of a label allows at most); `quality_kept` is empty from here on."""
    head = headline(columns)
    kinds = {
        "position": "integer",
        "metric": "varchar",
        "k": "integer",
        "is_headline": "boolean",
        "needs": "varchar",
        "level": "double",
    }
    rows = []
    for i, c in enumerate(columns, 1):
        entry, values, _ = parse_metric(c.metric)
        level = entry.level(values)
        if level is not None and definition.gain != "linear":
            what = f"rel= is a grade, and --gain {definition.gain} makes other numbers of grades"
            raise UsageError(what, where=str(c), fix="Leave out --gain, or set --rel-level in place of rel=")
        rows.append((i, c.metric, c.k, c == head, entry.needs, level))
    engine.values("metric_columns", kinds, rows)
    engine.file("4_aggregate/quality_kept.sql")

    def best(column: Column, k: str | None) -> str:
        if metric_of(column.metric).needs == "list":
            return "0"  # labels alone do not say what share of a list will have any
        return f"coalesce({counted_sql(definition, column, 'best', is_error='false', k=k)}, 0)"

    labels = """(select label_no, label_from, true as is_scorable, is_graded, ideal_judged(label) as best,
        {'answer': gold_answers[1], 'gold_answers': gold_answers} as answered, best_hops(hops) as searched
        from label_periods where label is not null)"""
    reached, source = _of_each(engine, columns, best, "label_periods", labels)
    engine.run(
        f"create or replace table query_attainable as select label_no, label_from, [{', '.join(reached)}]::double[] as attainable from {source}"
    )


def map_quality(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """Recalls -> quality_sums: exact sums per window, slice and query; the one place that calls the metric macros."""
    set_columns(engine, definition, columns)
    engine.file("4_aggregate/judged_events.sql")

    def value(column: Column, k: str | None) -> str:
        return value_sql(definition, column, k=k)

    each, source = _of_each(engine, columns, value, "judged_events", "judged_events")
    values, counted = [f"{sql} as v{number}" for number, sql in enumerate(each)], []
    for number, column in enumerate(columns):
        n_needed = "n_gains" if metric_of(column.metric).needs == "gain" else "n_relevant"
        if (of := judged_sql(column)) != "judged":
            n_needed = f"r{number}"
            values.append(f"{of}.n_relevant as {n_needed}")
        counted.append(f"{_counted(column, f'v{number}', n_needed, 'is_error')} as v{number}")
    keys = "window_start, slice_no, label_no, label_from, is_error"
    marks = "is_scorable, is_empty, has_repeat, is_out_of_order, has_broken_score, depth"
    engine.run(
        f"""create or replace table quality_sums as
        select {keys}, count(*)::bigint as n_events, max(depth) as depth,
            count(*) filter (is_empty) as n_empty, count(*) filter (not is_scorable) as n_unscorable, count(*) filter (has_repeat) as n_repeats,
            count(*) filter (is_out_of_order) as n_out_of_order, count(*) filter (has_broken_score) as n_broken_scores,
            [{", ".join(f"moments(v{number})" for number in range(len(columns)))}] as sums
        from (select {keys}, {marks}, {", ".join(counted)}
            from (select {keys}, {marks}, judged.n_relevant as n_relevant, n_gains(judged) as n_gains, {", ".join(values)}
                from {source}))
        group by {keys}""",
        what="scoring",
    )
