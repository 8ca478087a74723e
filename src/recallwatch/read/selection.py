"""``--where``: the recalls that pass a condition over their columns, by any name the log gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..base.engine import Engine, identifier, quoted
from . import Logs
from .condition import Column, Condition

FLAG = "--where"
HIDDEN = "not shown with --where"  # the start of such a line may be anybody's
MAPS = ("stage_ms", "attributes")  # `stage_ms.search` is an entry of the map
UNREAD = (
    "malformed JSON",
    "not UTF-8",
    "incomplete_tail",
    "compressed file",
)  # such a line may have been a recall that passes: it stays a reject


def selected(engine: Engine, logs: Logs, where: str | None, *, must_know: bool = True) -> Logs:
    """The relation `normalised` cut to what passes; a record that does not pass is no reject either.

    Args:
        engine: holds `normalised`.
        logs: names and attributes of what was read.
        where: the condition; None = everything passes.
        must_know: whether a column that no record has is an error (a part of a log may lack it).

    Raises:
        UsageError: no condition, a column that is not there.
    """
    if where is None:
        return logs
    passes = passing(engine, logs, where, "normalised", must_know=must_know)
    engine.run("drop view if exists normalised_all")
    engine.run("alter view normalised rename to normalised_all")
    is_unread = " or ".join(f"starts_with(reject_reason, {quoted(reason)})" for reason in UNREAD)
    engine.run(f"""create or replace view normalised as select * replace (if({passes}, excerpt, {quoted(HIDDEN)}) as excerpt)
        from normalised_all where {passes} or coalesce({is_unread}, false)""")
    return replace(logs, facts=None)


def passing(engine: Engine, logs: Logs, where: str, relation: str, *, must_know: bool = True) -> str:
    """SQL that is true of the rows of a relation of events that pass."""
    condition, types = Condition(where, FLAG), engine.columns("contract.events")
    places = {}
    for name in condition.columns(engine):
        place = _place(name, types, logs)
        if place is None and must_know:
            raise condition.no_column(name, [*types, *logs.names, *logs.attributes])
        places[name] = place or Column("null::varchar", is_text=True)
    return condition.sql(engine, relation, places)


def refuse_unknown(engine: Engine, logs: Logs, where: str | None) -> None:
    """Refuse a condition over a column that no part of the log has."""
    if where is not None:
        passing(engine, logs, where, "contract.events")


def _place(name: str, types: Mapping[str, str], logs: Logs) -> Column | None:
    """A canonical column, a column by the log's own name, an attribute, an entry of a map; letters may differ in case."""
    columns = {**dict.fromkeys(logs.attributes), **{own: column for own, column in logs.names.items() if column in types}}
    columns |= {column: column for column in types}
    own = name if name in columns else next((n for n in columns if n.casefold() == name.casefold()), None)
    if own is not None:
        column = columns[own]
        return (
            Column(f"attributes[{quoted(own)}]", is_text=True)
            if column is None
            else Column(identifier(column), types[column] == "VARCHAR")
        )
    first, _, rest = name.partition(".")
    return Column(f"{first}[{quoted(rest)}]", is_text=first == "attributes") if first in MAPS and rest else None
