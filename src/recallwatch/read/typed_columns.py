"""Typed columns (Parquet, Arrow, a DuckDB table) as SQL of the raw types; and what one look at them spares later."""

from collections.abc import Mapping
from typing import Any

from ..base.engine import Engine, identifier, quoted
from . import aliases
from .record_paths import expression, steps_of

ID_LISTS = ("ranked_ids", "candidate_ids")
# as id_of in sql/1_normalise/values.sql
ID_FIELDS = ("id", "_id", "document_id", "doc_id", "chunk_id", "memory_id", "docno", "docid", "uuid", "file_id", "objectID")

WHOLE = ("tinyint", "smallint", "integer", "bigint", "hugeint")
NUMBERS = (*WHOLE, *(f"u{kind}" for kind in WHOLE), "float", "double", "decimal")


def is_scalar(kind: Any) -> bool:
    """Whether a DuckDB type holds one value."""
    return kind.id not in ("list", "array", "struct", "map", "union")


def is_list(kind: Any) -> bool:
    """Whether a DuckDB type holds a list of values; null = there is no such column."""
    return kind is not None and kind.id == "list"


def typed_value(column: str, path: str, types: Mapping[str, Any]) -> str | None:
    """SQL that casts a typed column's value to the raw type; None where its type cannot hold one."""
    steps = [path] if path in types else steps_of(path)
    kind = types[steps[0]]
    for step in steps[1:]:
        if step == "[]" and kind.id in ("list", "array"):
            kind = kind.child if kind.id == "list" else dict(kind.children)["child"]
        elif step != "[]" and kind.id == "struct" and step in dict(kind.children):
            kind = dict(kind.children)[step]
        else:
            return None
    sql, target = expression(path, "", literal=path in types), aliases.TYPES.get(column, "VARCHAR")
    if target.startswith("MAP"):
        return _as_map(sql, kind, target)
    if column in ID_LISTS and kind.id in ("map", "struct"):  # of scores
        return f"ids_in_value(to_json({sql}))"
    if target.endswith("[]") and "[]" not in path:
        return _of_text(column, sql, target.removesuffix("[]")) if kind.id == "varchar" else _of_list(sql, kind, target)
    if not is_scalar(kind):  # a list or an object is no id
        return f"{sql}::varchar" if target == "VARCHAR" else None
    return _of_scalar(column, sql, kind, target)


def _of_scalar(column: str, sql: str, kind: Any, target: str) -> str | None:
    """A value, or the values at a path through a list."""
    if column == "timestamp" and str(kind).startswith("TIMESTAMP"):
        return f"{sql}::timestamptz"
    if target == "DOUBLE":
        return number(sql, kind)
    if target == "DOUBLE[]" and kind.id not in NUMBERS:
        return f"list_transform({sql}, lambda rw_x: {number('rw_x', kind)})"
    is_no_number = kind.id == "boolean" and target in ("BIGINT", "INTEGER")
    return None if is_no_number else f"try_cast({sql} as {target})"


def number(sql: str, kind: Any) -> str:
    """SQL of a typed value as a number, an interval as ms; what is neither is NaN: no measurement, and counted."""
    if kind.id in NUMBERS:
        return f"try_cast({sql} as double)"
    return f"epoch_us({sql}) / 1e3" if kind.id == "interval" else f"number_of({sql}::varchar)"


def _of_text(column: str, sql: str, element: str) -> str:
    """A list that is written as JSON in a text; ids also as in a cell of a CSV file."""
    values = f"""try(json_transform({sql}, '["{element}"]'))"""
    if element == "DOUBLE":
        texts = f"""try(json_transform({sql}, '["VARCHAR"]'))"""
        return f"if(may_be_texts({values}), list_transform({texts}, lambda rw_x: number_of(rw_x)), {values})"
    return f"ids_in_text({sql})" if column in ID_LISTS else values


def _of_list(sql: str, kind: Any, target: str) -> str | None:
    """A typed list; of objects the ids, a list of lists has none, nor has what is no list."""
    if kind.id not in ("list", "array"):
        return None
    child = kind.child if kind.id == "list" else dict(kind.children)["child"]
    if target != "VARCHAR[]" and child.id not in NUMBERS:  # each by itself: what is no number is null, and the others stay
        return f"list_transform({sql}, lambda rw_x: {number('rw_x', child)})"
    if is_scalar(child) or target != "VARCHAR[]":
        return f"{sql}::{target}"
    name = next((name for name in ID_FIELDS if child.id == "struct" and name in dict(child.children)), None)
    return None if name is None else f"list_transform({sql}, lambda rw_hit: rw_hit.{identifier(name)}::varchar)"


def no_list(path: str, types: Mapping[str, Any]) -> str | None:
    """SQL of the text of a result list that cannot be read as one, null where it can; None where the column is neither text nor list."""
    if path not in types:
        return None
    name = identifier(path)
    if types[path].id in ("list", "array") and typed_value("ranked_ids", path, types) is None:
        return f"if(len({name}) > 0, to_json({name})::varchar, null)"
    if types[path].id != "varchar":
        return None
    return f"if(trim({name}) not in ('', 'null', 'NULL') and ids_in_text({name}) is null, {name}, null)"


def _as_map(sql: str, kind: Any, target: str) -> str | None:
    value = target.removesuffix(")").split(", ")[1]

    def cast(sql: str, kind: Any) -> str:
        return number(sql, kind) if value == "DOUBLE" else f"try_cast({sql} as {value})"

    if kind.id == "map" and (value == "VARCHAR" or dict(kind.children)["value"].id in NUMBERS):
        return f"{sql}::{target}"
    if kind.id == "map":
        own = cast("rw_e.value", dict(kind.children)["value"])
        entries = f"list_transform(map_entries({sql}), lambda rw_e: {{'key': rw_e.key::varchar, 'value': {own}}})"
        return f"map_from_entries({entries})"
    if kind.id == "struct":
        names = [name for name, _child in kind.children]
        values = [cast(f"{sql}.{identifier(name)}", child) for name, child in kind.children]
        return f"if({sql} is null, null, map({quoted(names)}, [{', '.join(values)}]))"
    if kind.id not in ("varchar", "json"):
        return None
    texts = f"""try(json_transform({sql}, '"MAP(VARCHAR, VARCHAR)"'))"""
    return f"numbers_in({texts})" if value == "DOUBLE" else texts


def coalesced(values: list[str]) -> str:
    """The first that is not null."""
    return values[0] if len(values) == 1 else f"coalesce({', '.join(values)})"


def first_named(values: list[str]) -> str:
    """The first list with a value that is not null; the first list where there is none."""
    named = ", ".join(f"if(names_none({value}), null, {value})" for value in values)
    return f"coalesce({named}, {', '.join(values)})"


def are_whole(engine: Engine, files: str, column: str) -> bool:
    """Whether the files' statistics say that every list of a column is there, not empty, and without a null.

    A Parquet null count of a list's elements also counts null and empty lists (they take a place without a value), so a
    count of 0 in every row group is a proof; a group without that statistic proves nothing.
    """
    counts = engine.run(
        f"""select count(distinct (file_name, row_group_id)), count(*) filter (split_part(path_in_schema, ', ', 1) = {quoted(column)} and stats_null_count = 0)
        from parquet_metadata({files})""",
        what="reading the files' statistics",
    )
    return bool(counts[0][0] == counts[0][1])


def look(engine: Engine) -> dict[str, int]:
    """One pass over the raw records; what needs no repair is then passed on untouched."""
    engine.file("1_normalise/inspect.sql")
    facts: dict[str, int] = engine.rows("from flat_facts")[0]
    know(engine, facts)
    return facts


def know(engine: Engine, facts: Mapping[str, int]) -> None:
    """Set the constants of 1_normalise/facts.sql from the counts of a survey, of these files or of all parts of a log."""
    counted = ("missing_ids", "broken_time", "broken_cost", "status")
    options = {f"fact_{name}": facts[f"n_{name}"] > 0 for name in counted}
    engine.options(fact_rejects=facts["n_problems"] + facts["n_maybe_without_list"] > 0, **options)
