"""Exact sums by day: what makes the next night cost a night. They merge because sql/4_aggregate/ made them so."""

from __future__ import annotations

import dataclasses
import json

from ..base import sqlfiles
from ..base.engine import Engine, quoted, quoted_paths
from ..read import Logs
from ..scoring import segments, state_key
from ..scoring.binding import Cut
from ..scoring.plan import Plan
from ..scoring.quality import map_quality
from ..scoring.readout import SUMS, map_rest
from .cache import Cache, chunks
from .calendar import calendar_of
from .label_days import missing_days
from .marker import NO_DAY
from .snapshot import Snapshot, digest

READ = {"latency_read": "latency_kept", "quality": "quality_kept"}  # what is read out of closed windows -> where it is handed back
TABLES = (*SUMS, "version_sums")


def map_cut(cut: Cut) -> Cut:
    """The windows of the daily sums: `all` is merged from days, so both share them."""
    return dataclasses.replace(cut, window="day", timezone="UTC") if cut.window == "all" else cut


def index_of(engine: Engine, plan: Plan, snapshot: Snapshot, logs: Logs, *, is_writer: bool) -> Cache:
    """The index of sums made under this definition, these labels, this cut."""
    values = segments.expressions(engine, plan.cut.by, names=dict(logs.names), attributes=logs.attributes)
    cut = map_cut(plan.cut)
    joined = engine.run("select opt_join()")[0][0]
    labels = state_key.labels_hash(engine)
    words = [
        state_key.options_key(plan.definition),
        json.dumps([*map(str, cut.columns)]),
        json.dumps([values, plan.cut.by]),
        cut.window,
        cut.timezone,
        joined,
    ]
    cache = Cache(engine, snapshot.store, digest([json.dumps([*words, labels])])[:16], is_writer=is_writer)
    unasked = labels if plan.definition.missing == "zero" else ""  # then a window counts queries that nobody asked in it
    cache.head |= {"labels": labels, "sql": sqlfiles.sql_hash(), "base": digest([json.dumps([*words, unasked])])}
    return cache


def sum_days(engine: Engine, plan: Plan, snapshot: Snapshot, logs: Logs, *, cache: Cache, duplicates: Cache) -> None:
    """Sums of the days that are new or changed; the view `recalls` must exist. Every number comes from the SQL of a one-shot run."""
    calendar = calendar_of(snapshot, map_cut(plan.cut))
    missing = missing_days(engine, cache, calendar, calendar.bounds)
    for days in chunks(missing, calendar):
        calendar.count_once(engine, duplicates, days)
        hidden = (calendar.key('"timestamp"'),) if len(days) > 1 else ()
        values = segments.expressions(engine, plan.cut.by, names=dict(logs.names), attributes=logs.attributes)
        segments.slice_events(engine, values, hidden=hidden)
        if logs.are_few:
            engine.file("2_judge/few_keyed.sql")
        map_quality(engine, plan.definition, plan.cut.columns)
        map_rest(engine, plan.definition)
        for name in ("lists", "version_sums"):
            engine.file(f"4_aggregate/{name}.sql")
        _read_windows(engine, plan)
        cache.head["columns"] = {
            table: [c for c in engine.columns(table) if c not in ("slice_no", "segment_no")] for table in (*TABLES, *READ)
        }
        _gather(engine)
        own = f"select * exclude (rw_keys), {quoted(days[0])} as rw_day from chunk_sums"
        if hidden:
            keys = ", ".join(f"({calendar.key_of(day)}, {quoted(day)})" for day in days)
            own = f"""select s.* exclude (rw_keys), rw_day from chunk_sums as s inner join (values {keys}) as d(rw_key, rw_day)
                on rw_key = if(rw_table in {quoted(list(READ))}, {calendar.key("window_start")}, rw_keys[1])"""
        cache.put_days(engine, days, calendar, f"{own} where rw_day <> {quoted(NO_DAY)} or rw_table not in {quoted(list(READ))}")
    if missing:
        cache.save()


def _gather(engine: Engine) -> None:
    """The table `chunk_sums`: all sums of some days as rows of one table, beside the keys of their slices."""
    union = [
        f"""select {quoted(table)} as rw_table, s.by_values, s.keys as rw_keys, t.* exclude (slice_no)
        from {table} as t inner join slices as s using (slice_no)"""
        for table in TABLES
    ]
    union += [
        f"""select {quoted(table)} as rw_table, s.segment_key, t.* exclude (segment_no)
        from {table} as t inner join segments as s using (segment_no)"""
        for table in READ
    ]
    engine.run(f"create or replace table chunk_sums as {' union all by name '.join(union)}")


def _read_windows(engine: Engine, plan: Plan) -> None:
    """The tables `latency_read` and `quality` of windows that no other day can add to: they need never be summed or looked at again."""
    cut = map_cut(plan.cut)
    segments.group_slices(engine, cut.by)
    segments.set_levels(engine, cut.window)
    is_closed = cut.window == "day" or (cut.window == "hour" and cut.timezone == "UTC")  # within one day of the calendar
    engine.run(f"delete from levels where not by_window or {quoted(not is_closed)}")
    for name in ("quality", "latency", "latency_interval"):
        engine.file(f"4_aggregate/{name}.sql")


def load_days(engine: Engine, plan: Plan, snapshot: Snapshot, logs: Logs, cache: Cache) -> None:
    """The days' sums under one numbering of the slices: the tables a one-shot run has, and the views that look at events again."""
    files = quoted_paths(cache.files(calendar_of(snapshot, map_cut(plan.cut)).days))
    kind = "table" if logs.are_few else "view"  # each look at a view opens the file of every day
    engine.run(
        f"""create or replace {kind} day_sums as select *, to_json(by_values)::varchar as by_key
        from read_parquet({files}, union_by_name = true)"""
    )
    segments.slices_of_sums(engine, "day_sums")
    segments.group_slices(engine, plan.cut.by)
    for table in TABLES:
        engine.run(f"create or replace table {table} as {_of_days(cache, table)}", what=f"loading {table}")
    segments.set_levels(engine, plan.cut.window)
    segments.key_events(engine, segments.expressions(engine, plan.cut.by, names=dict(logs.names), attributes=logs.attributes))
    if logs.are_few:
        engine.file("2_judge/few_keyed.sql")
    for name in ("4_aggregate/latency_values.sql", "4_aggregate/list_counts.sql"):
        engine.file(name)
    if plan.cut.window == "all":  # its one window is of many days: none that was read out is part of the result
        return
    for table, target in READ.items():
        engine.run(f"insert into {target} by name {_of_days(cache, table)}", what=f"loading {target}")


def _of_days(cache: Cache, table: str) -> str:
    """SQL of one table's rows in `day_sums`, under the numbering of `slices`; of what was read out, under that of `segments`."""
    names = ", ".join(f'd."{name}"' for name in cache.head["columns"][table])
    number, join = (
        ("segment_no", "segments as s using (segment_key)") if table in READ else ("slice_no", "slices as s using (by_key)")
    )
    return f"select s.{number}, {names} from day_sums as d inner join {join} where d.rw_table = {quoted(table)}"
