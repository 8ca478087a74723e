"""The tasks' sums become the tables that one machine has; from there on the read-out is the same."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.engine import Engine, identifier, quoted
from ..read import Logs
from ..scoring import relations
from ..scoring.plan import Plan
from ..scoring.readout import count_known_lists, map_rest
from .shipment import Unpacked
from .tasks import TABLES


def prepare(engine: Engine, plan: Plan, logs: Logs) -> tuple[str, ...]:
    """Empty tables of sums, of the right columns, and the SQL behind each name of ``--by``.

    The map runs over no events at all: what it would refuse, it refuses here.
    """
    engine.run("create or replace view events_once as from events")
    relations.join_labels(engine, log_columns=set(logs.names.values()))
    values = tuple(relations.by_expression(engine, name, dict(logs.names), logs.attributes) for name in plan.cut.by)
    relations.segment(engine, plan.cut, names=dict(logs.names), attributes=logs.attributes)
    engine.run("create or replace view events_once as from contract.events")
    relations.map_quality(engine, plan.definition, plan.cut.columns)
    map_rest(engine)
    engine.file("4_aggregate/lists.sql")
    return values


def attributes_seen(engine: Engine, names: Sequence[str]) -> None:
    """The relation `events`: one event that has each attribute some task saw, which is how a name is known to be one."""
    engine.run(
        f"""create or replace table attribute_names as select '' as event_id, []::varchar[] as ranked_ids,
        map({quoted(list(names))}::varchar[], {quoted([""] * len(names))}::varchar[]) as attributes"""
    )
    engine.run("create or replace view events as select * from contract.events union all by name from attribute_names")


def load(engine: Engine, plan: Plan, blobs: Sequence[bytes], *, knows_lists: bool) -> None:
    """Fill the tables of sums, under one numbering of the segments."""
    files = Unpacked(engine)
    for blob in blobs:
        files.add(blob)
    engine.run(f"create or replace view merged as select *, to_json(by_values)::varchar as by_key from {files.relation}")
    _number(engine, plan.cut.by)
    for table in TABLES:
        names = [identifier(name) for name in engine.columns(table) if name != "segment_no"]
        engine.run(
            f"""insert into {table} (segment_no, {", ".join(names)})
            select s.segment_no, {", ".join(f"m.{name}" for name in names)}
            from merged as m inner join segments as s using (by_key) where m.rw_table = {quoted(table)}""",
            what=f"loading {table}",
        )
    if knows_lists:
        count_known_lists(engine)
    else:
        engine.file("4_aggregate/list_counts.sql")


def _number(engine: Engine, by: Sequence[str]) -> None:
    """The table `segments`, numbered by its values, as one machine does."""
    nothing = f"select 0 as segment_no, map([]::varchar[], []::varchar[]) as segment, {quoted('[]')} as by_key"
    columns = ", ".join(f"by_values[{i + 1}] as by_{i}" for i in range(len(by)))
    order = ", ".join(f"by_values[{i + 1}] nulls first" for i in range(len(by)))
    found = f"""union all select row_number() over (order by {order})::integer, map({quoted(list(by))}::varchar[], by_values), by_key, {columns}
        from (select distinct by_key, by_values from merged where rw_table = 'event_sums')"""
    nulls = "".join(f", null::varchar as by_{i}" for i in range(len(by)))
    engine.run(f"create or replace table segments as {nothing}{nulls} {found if by else ''}")


def load_tail(engine: Engine, blobs: Sequence[bytes]) -> None:
    """The second look's values in place of all values; the same files of sql/ read them."""
    files = Unpacked(engine)
    for blob in blobs:
        files.add(blob)
    if files.files:
        engine.run(
            f"""create or replace view latency_values as select s.segment_no, v.* exclude (by_values, rw_table)
            from {files.relation} as v inner join segments as s on s.by_key = to_json(v.by_values)::varchar"""
        )
