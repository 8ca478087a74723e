"""Segments: what `by` groups events by. Events are keyed by slice; the sums of slices add up to segments at read-out (sql/2_judge/segments.sql)."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.engine import Engine, identifier, quoted
from ..base.errors import UsageError
from ..base.registry import known

Groupings = tuple[tuple[str, ...], ...]


def groupings_of(by: Sequence[str]) -> Groupings:
    """The columns of each entry of ``by``: one, or several where the entry is a product.

    Raises:
        UsageError: a product that lacks a name or names a column twice.

    Example:
        >>> groupings_of(["query_class", "query_class*tenant_id"])
        (('query_class',), ('query_class', 'tenant_id'))
    """
    groupings: dict[frozenset[str], tuple[str, ...]] = {}
    for entry in by:
        columns = tuple(part.strip() for part in entry.split("*"))
        if not all(columns) or len(set(columns)) < len(columns):
            raise UsageError(
                f"not a column or a product of columns: {entry!r}", where="--by", fix="Write query_class, or query_class*tenant_id"
            )
        groupings.setdefault(frozenset(columns), columns)
    return tuple(groupings.values())


def columns_of(by: Sequence[str]) -> tuple[str, ...]:
    """Every column that ``by`` names, once: what tells slices apart."""
    return tuple(dict.fromkeys(column for columns in groupings_of(by) for column in columns))


def single_columns(by: Sequence[str]) -> tuple[str, ...]:
    """The columns of ``by`` where nothing may be a product.

    Raises:
        UsageError: it names a product.
    """
    for columns in groupings_of(by):
        if len(columns) > 1:
            fix = f"Pass --by {','.join(columns)}: each is tested, and pairs of their values are searched too"
            raise UsageError(f"a product of columns: {'*'.join(columns)!r}", where="--by", fix=fix)
    return columns_of(by)


def expressions(engine: Engine, by: Sequence[str], *, names: dict[str, str], attributes: tuple[str, ...]) -> list[str]:
    """The SQL behind each column that ``by`` names.

    Raises:
        UsageError: no such column or attribute.
    """
    return [by_expression(engine, name, names, attributes) for name in columns_of(by)]


def segment(engine: Engine, by: Sequence[str], window: str, *, names: dict[str, str], attributes: tuple[str, ...]) -> None:
    """Events -> the views `keyed` and `keyed_recalls`, and the tables `slices`, `segments`, `slice_segments` and `levels`."""
    slice_events(engine, expressions(engine, by, names=names, attributes=attributes))
    group_slices(engine, by)
    set_levels(engine, window)


def slice_events(engine: Engine, values: Sequence[str], *, hidden: Sequence[str] = ()) -> None:
    """The table `slices` of the events there are, and the views `keyed` and `keyed_recalls` that number them.

    Args:
        engine: with `events_once` and `recalls`.
        values: the SQL behind each column that ``by`` names.
        hidden: SQL that tells slices further apart and is no part of a segment (a store's days).
    """
    all_values = [*hidden, *values]
    columns = [f"by_{number}" for number in range(len(all_values))]
    distinct = ", ".join(f"{value}::varchar as {column}" for value, column in zip(all_values, columns, strict=True))
    source = f"(select distinct {distinct} from {_base(engine, all_values)})" if columns else "(select 1)"
    engine.run(
        f"""create or replace view slice_keys as
        select [{", ".join(columns)}]::varchar[] as keys, [{", ".join(columns[len(hidden) :])}]::varchar[] as by_values from {source}"""
    )
    engine.file("2_judge/slices.sql")
    key_events(engine, all_values)


def slices_of_sums(engine: Engine, sums: str) -> None:
    """The table `slices` of the sums that a relation holds (rw_table, by_values)."""
    engine.run(
        f"""create or replace view slice_keys as select by_values as keys, by_values
        from (select distinct by_values from {sums} where rw_table = 'event_sums')"""
    )
    engine.file("2_judge/slices.sql")


def group_slices(engine: Engine, by: Sequence[str]) -> None:
    """slices -> the tables `segments` and `slice_segments`."""
    columns = columns_of(by)
    rows = [
        f"({number}, {quoted(list(names))}::varchar[], {quoted([columns.index(name) + 1 for name in names])}::integer[])"
        for number, names in enumerate(groupings_of(by), 1)
    ]
    engine.run(
        f"""create or replace table groupings as select * from (values {", ".join(rows) or "(0, []::varchar[], []::integer[])"})
        as t(grouping_no, names, positions) where grouping_no > 0"""
    )
    engine.file("2_judge/segments.sql")


def set_levels(engine: Engine, window: str) -> None:
    """The table `levels`: over all, and by window where there are windows."""
    engine.run(
        f"create or replace table levels as select unnest({quoted([False] if window == 'all' else [False, True])}) as by_window"
    )


def key_events(engine: Engine, values: Sequence[str]) -> None:
    """The views `keyed` and `keyed_recalls`; ``values`` are the expressions behind `slices`.keys."""
    on = " and ".join(f"s.keys[{number}] is not distinct from {value}::varchar" for number, value in enumerate(values, 1)) or "true"
    for view, relation in (("keyed", _base(engine, values)), ("keyed_recalls", "recalls")):
        source = f"{relation} as e inner join slices as s on {on}" if values else f"{relation} as e"
        number = "s.slice_no" if values else "1 as slice_no"
        engine.run(f'create or replace view {view} as select e.*, window_of("timestamp") as window_start, {number} from {source}')


def _base(engine: Engine, values: Sequence[str]) -> str:
    """Where a label's class is used, events have it only after the join."""
    if "query_class" not in values:
        return "events_once"
    return "classed_events" if engine.run("select by_question()")[0][0] else "recalls"


def by_expression(engine: Engine, name: str, names: dict[str, str], attributes: tuple[str, ...]) -> str:
    """SQL of a ``--by`` name: a canonical column, the log's own name for one, or an attribute.

    Raises:
        UsageError: no such column or attribute.
    """
    columns = engine.columns("contract.events")
    column = name if name in columns else names.get(name)
    if column is None and "attributes" in names.values():  # an object `attributes` of the log, or a canonical file
        attributes = tuple(
            row[0] for row in engine.run("select distinct unnest(map_keys(attributes)) as name from events order by name")
        )
    if name in attributes and (column is None or column == "attributes"):
        return f"attributes[{quoted(name)}]"
    if column is None or "[]" in columns.get(column, "[]") or "MAP" in columns[column]:
        sliceable = [c for c, kind in columns.items() if "[]" not in kind and "MAP" not in kind]
        raise UsageError(f"no column or attribute {name!r} to slice by", where="--by", fix=known(name, [*sliceable, *attributes]))
    return identifier(column) if column != name else name
