"""The tasks' sums become the tables that one machine has; from there on the read-out is the same."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.engine import Engine, identifier, quoted
from ..read import Logs
from ..scoring import segments
from ..scoring.label_join import join_labels
from ..scoring.plan import Plan
from ..scoring.quality import map_quality
from ..scoring.readout import count_known_lists, map_rest, sums_of
from .shipment import Unpacked


def prepare(engine: Engine, plan: Plan, logs: Logs) -> tuple[str, ...]:
    """Empty tables of sums, of the right columns, and the SQL behind each name of ``--by``.

    The map runs over no events at all: what it would refuse, it refuses here.
    """
    engine.run("create or replace view events_once as from contract.events")
    join_labels(engine, log_columns=set(logs.names.values()))
    values = tuple(segments.expressions(engine, plan.cut.by, names=dict(logs.names), attributes=logs.attributes))
    segments.slice_events(engine, values)
    map_quality(engine, plan.definition, plan.cut.columns)
    map_rest(engine, plan.definition)
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
    """Fill the tables of sums, under one numbering of the slices."""
    files = Unpacked(engine)
    for blob in blobs:
        files.add(blob)
    engine.run(f"create or replace view merged as select *, to_json(by_values)::varchar as by_key from {files.relation}")
    segments.slices_of_sums(engine, "merged")
    segments.group_slices(engine, plan.cut.by)
    segments.set_levels(engine, plan.cut.window)
    for table in sums_of(plan.definition):
        names = [identifier(name) for name in engine.columns(table) if name != "slice_no"]
        engine.run(
            f"""insert into {table} (slice_no, {", ".join(names)})
            select s.slice_no, {", ".join(f"m.{name}" for name in names)}
            from merged as m inner join slices as s using (by_key) where m.rw_table = {quoted(table)}""",
            what=f"loading {table}",
        )
    if knows_lists:
        count_known_lists(engine)
    else:
        engine.file("4_aggregate/list_counts.sql")


def load_tail(engine: Engine, blobs: Sequence[bytes]) -> None:
    """The second look's values in place of all values; the same files of sql/ read them."""
    files = Unpacked(engine)
    for blob in blobs:
        files.add(blob)
    if files.files:
        engine.run(
            f"""create or replace view latency_values as select s.slice_no, v.* exclude (by_values, rw_table)
            from {files.relation} as v inner join slices as s on s.by_key = to_json(v.by_values)::varchar"""
        )
