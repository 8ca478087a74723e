"""Beyond one machine: Spark hands DuckDB its share of the events, and merges what comes back. The same SQL, the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ..base.engine import Engine, quoted
from ..base.errors import InputError, UsageError
from ..base.takes import EVALUATE
from ..base.tracing import Steps
from ..read import Logs
from ..read.log_labels import columns_of, refuse_shared_texts
from ..read.selection import refuse_unknown
from ..scoring.acceptance import bound_no_time, refuse_no_period, refuse_rejects, set_period
from ..scoring.binding import bind
from ..scoring.meeting import is_little_matched
from ..scoring.plan import Plan, paths_of, takes
from ..scoring.readout import are_lists_known, read_out
from ..scoring.recalls import Recalls, take_labels
from ..scoring.result import Evaluation
from ..scoring.unread import refuse_columns
from ..store import label_versions
from . import merge
from .cluster import Cluster, is_frame, session, slots
from .ingestion import ingest, ingest_on
from .shipment import Shipment, Unpacked, parquet_of, refuse_other_engine, unpacked
from .sources import find, with_keys
from .store_sums import evaluate_stored

__all__ = ["evaluate", "evaluate_on", "ingest", "ingest_on", "session"]

EVENTS = "kind = 'events'"


@takes(EVALUATE)
def evaluate(spark: Any, logs: Any, labels: Any, *, store: Any = None, tasks: int | None = None, plan: Plan) -> Evaluation:
    """Score a recall log against labels on a Spark cluster: byte for byte what one machine says.

    Args:
        spark: a session; it stays the caller's, and nothing of its settings is changed.
        logs: path, folder, glob or list that every worker sees; or a Spark DataFrame of recalls in the flat form; None with a store.
        labels: path or list of paths the driver sees; or an Arrow table, Polars frame; None = those the files carry or the store was last
            scored with, if any.
        store: folder or address of a store that every worker sees: the logs, if any, are added to it, and all it holds is scored.
        tasks: how many a job is cut into at most; None = twice as many as run at once.
        {options}

    ``threads`` (default 1) and ``memory_limit`` (default 1GB) hold for each task.

    Returns:
        Evaluation: as of :func:`recallwatch.evaluate`.

    Raises:
        UsageError: unknown option, metric or value; a DataFrame that carries labels, and none given (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    if store is not None:
        return _of_store(spark, plan, logs, labels, store=store, tasks=tasks)
    if labels is None and is_frame(logs) and columns_of(tuple(logs.columns), {}, plan.reading.mapped) is not None:
        raise UsageError("no labels given", where="--labels", fix="The DataFrame carries some: name them as a table of their own")
    with plan.engine() as engine, Cluster(spark, tasks=tasks or 2 * slots(spark)) as cluster:
        steps = Steps("recallwatch.evaluate", engine, plan.watcher)
        result = _evaluated(engine, cluster, plan, logs=logs, labels=labels, steps=steps)
        steps.done(result.counts)
        return result


def _of_store(spark: Any, plan: Plan, logs: Any, labels: Any, *, store: Any, tasks: int | None) -> Evaluation:
    """Logs into the store, the store's days summed, both by the cluster; then the store's own evaluation."""
    if logs is not None:
        ingest(spark, logs, store=store, tasks=tasks, **vars(plan.reading), **vars(plan.limits), watcher=plan.watcher)
    with Cluster(spark, tasks=tasks or 2 * slots(spark)) as cluster:
        return evaluate_stored(cluster, plan, store=store, labels=labels)


@EVALUATE.named
def evaluate_on(master: str, logs: Any, labels: Any, *, store: Any = None, tasks: int | None = None, **options: Any) -> Evaluation:
    """The same on a session of its own, which ends with it: what ``--engine spark --master …`` does.

    Options, beside ``store`` and ``tasks``:
        {options}
    """
    if logs is None and store is None:
        raise UsageError("no logs named", where="evaluate", fix="Name LOGS… and --labels, or a --store that has them")
    EVALUATE.make(options)  # before Spark starts
    spark = session(master)
    try:
        return evaluate(spark, logs, labels, store=store, tasks=tasks, **options)
    finally:
        spark.stop()


def _evaluated(engine: Engine, cluster: Cluster, plan: Plan, *, logs: Any, labels: Any, steps: Steps) -> Evaluation:
    with steps("bind"):
        bind(engine, plan.definition, plan.cut)
        set_period(engine, plan.period)
    with steps("read"):
        form = take_labels(engine, labels, plan.reading) if labels is not None else ""
        shipment = Shipment(plan.bare(), buckets=max(1, cluster.tasks // 2))
        frame, looks, shipment, formats = _given(engine, cluster, shipment, logs)
        form = form or _carried(engine, cluster, shipment, is_table=is_frame(logs))
    with steps("once"):
        shipment, read, rejects = _looked(engine, cluster, looks, shipment, formats)
    with steps("judge"):
        shipment = _labelled(engine, plan, shipment, read)
    with steps("score"):
        met = 0
        if plan.definition.by_question:
            frame, met = _met(cluster, frame, shipment)
            shipment = replace(shipment, is_shared=False)
        gathered, dropped = _mapped(engine, cluster, frame, shipment)
        if form:
            _fetch_names(engine, cluster, frame, shipment)
    with steps("aggregate"):
        _second_look(engine, cluster, frame, gathered, shipment)
    return read_out(engine, replace(plan, then=None), Recalls(read, form, rejects, met + dropped), steps)


def _given(engine: Engine, cluster: Cluster, shipment: Shipment, logs: Any) -> tuple[Any, Any, Shipment, Mapping[str, int]]:
    """The frame of all later jobs, the frame of its survey, and files by format."""
    if is_frame(logs):
        spool = cluster.keep(cluster.job(logs, "spool_frame", shipment))
        return spool.filter("kind = 'frame'"), spool.filter("kind <> 'frame'"), shipment, {"flat": 1}
    paths = paths_of(logs)
    if paths is None:
        raise UsageError(
            "Spark reads paths or a Spark DataFrame", where="logs", fix="Name files, or evaluate these data without Spark"
        )
    parts = find(engine, paths, shipment.plan.reading, tasks=cluster.tasks)
    spooled = _know_keys(cluster, parts.spooled, shipment)
    shipment = replace(shipment, parts=(*parts.direct, *spooled))
    if not spooled:
        frame = cluster.parts(parts.direct)
        return frame, cluster.job(frame, "look", shipment), shipment, parts.formats
    # where some parts are spooled, all are: one schema of rows
    spool = cluster.keep(cluster.job(cluster.parts(shipment.parts), "spool", shipment))
    return spool.filter(EVENTS), spool.filter(f"not {EVENTS}"), shipment, parts.formats


def _carried(engine: Engine, cluster: Cluster, shipment: Shipment, *, is_table: bool) -> str:
    """The table `labels` from the logs' own labels, each read by the task of its file; "" = there are none."""
    rows = [] if is_table else cluster.rows(cluster.job(cluster.parts(shipment.parts), "labels", shipment))
    files = Unpacked(engine)
    for row in rows:
        files.add(bytes(row.blob))
    if not files.files:
        engine.file("2_judge/no_labels.sql")
        return ""
    engine.run(f"create or replace table labels as from {files.relation}")
    refuse_shared_texts(engine)
    return label_versions.CARRIED


def _know_keys(cluster: Cluster, parts: Any, shipment: Shipment) -> Any:
    """Flat JSON logs in several tasks: each is read with the keys of all."""
    flat = [part for part in parts if part.log_format == "flat"]
    if len(flat) < 2:
        return parts
    rows = cluster.rows(cluster.job(cluster.parts(flat), "keys", replace(shipment, parts=tuple(flat))))
    return with_keys(parts, sorted({name for row in rows for name in json.loads(bytes(row.blob))}))


def _together(formats: Any, parts: list[dict[str, Any]]) -> Logs:
    """The summaries of all tasks merged into one."""
    names = {name: column for logs in parts for name, column in logs["names"].items()}
    attributes = dict.fromkeys(name for logs in parts for name in logs["attributes"])
    return Logs(formats, names, tuple(attributes), has_ids=any(logs["has_ids"] for logs in parts), facts=_facts_of(parts))


def _facts_of(parts: list[dict[str, Any]]) -> dict[str, int] | None:
    """The counts of all parts, added up; None where a part has none."""
    facts = [logs["facts"] for logs in parts]
    if not facts or None in facts:
        return None
    return {name: (min if name.startswith("has_") else sum)(each[name] for each in facts) for name in facts[0]}


def _looked(
    engine: Engine, cluster: Cluster, looks: Any, shipment: Shipment, formats: Mapping[str, int]
) -> tuple[Shipment, Logs, list[dict[str, Any]]]:
    """Survey of all events: raises the errors one machine raises; collects the hashes of possible duplicate events."""
    rows = cluster.rows(cluster.job(looks.repartition(shipment.buckets, "number"), "meet", shipment))
    facts = [json.loads(bytes(row.blob)) for row in rows if row.kind == "facts"]
    refuse_other_engine(engine, facts)
    read = _together(formats, [fact["logs"] for fact in facts])
    refuse_unknown(engine, read, shipment.plan.period.where)
    unread = [fact["unread"] for fact in facts if fact["n_records"]]
    refuse_columns(
        shipment.plan.reading, [column for column in unread[0] if all(column in one for one in unread)] if unread else []
    )
    rejects = _refused(engine, shipment.plan, facts)
    merge.attributes_seen(engine, sorted({name for fact in facts for name in fact["attributes"]}))
    files = Unpacked(engine)
    for row in rows:
        if row.kind == "shared":
            files.add(bytes(row.blob))
    n_shared, is_long = engine.run(
        f"""select {f"(select count(*) from {files.relation})" if files.files else "0"},
            {sum(fact["n_records"] for fact in facts)} > opt_exact_limit()"""
    )[0]
    shipment = replace(
        shipment,
        facts=read.facts,
        some_null_id=read.facts is None or read.facts["n_null_ids"] > 0,
        some_error=any(fact["n_errors"] for fact in facts),
        some_long_group=bool(is_long),
        shared=parquet_of(engine, f"from {files.relation}") if n_shared else b"",
        is_shared=bool(n_shared),
    )
    return shipment, read, rejects


def _refused(engine: Engine, plan: Plan, facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rejects by reason; raises the errors one machine raises for them."""
    shape = pa.schema(
        [("reason", pa.string()), ("n", pa.int64()), ("source", pa.string()), ("source_line", pa.int64()), ("excerpt", pa.string())]
    )
    engine.register("rejects_found", pa.Table.from_pylist([row for fact in facts for row in fact["rejects"]], shape))
    engine.file("8_cluster/rejects.sql")
    rejects = engine.rows("from rejects_told")
    total = sum(fact["n_records"] for fact in facts)
    if not total:
        raise InputError("no recalls in there (0 records)", where="logs", fix="See `recallwatch list formats`")
    refuse_rejects(rejects, total, plan.reading)
    if plan.needs_time or plan.period.is_dated:
        bound_no_time(engine, sum(fact["n_without_time"] for fact in facts), total, plan.reading)
    if plan.period and not sum(fact["n_events"] for fact in facts):
        times = [fact[at] for fact in facts for at in ("first_at", "last_at") if fact[at]]
        refuse_no_period(
            plan.period, engine.run(f"select list_min(t), list_max(t) from (select {quoted(times)}::timestamptz[] as t)")[0]
        )
    return rejects


def _labelled(engine: Engine, plan: Plan, shipment: Shipment, read: Logs) -> Shipment:
    """The labels, prepared once for every task."""
    values = merge.prepare(engine, plan, read)
    joined, tenants, has_labels = engine.run("select opt_join(), opt_tenants(), has_labels()")[0]
    if read.facts is not None:
        engine.register("facts_found", pa.Table.from_pylist([dict(read.facts)]))
        engine.run("create or replace table flat_facts as from facts_found")
    is_known = are_lists_known(engine, read.facts, plan.period, duplicates=int(shipment.is_shared))
    return replace(
        shipment,
        values=values,
        joined=joined,
        has_labels=has_labels,
        tenants=tuple(tenants),
        labelled=parquet_of(engine, "from label_periods"),
        knows_lists=is_known,
    )


def _met(cluster: Cluster, frame: Any, shipment: Shipment) -> tuple[Any, int]:
    """The events, each once, with all searches of a question in one partition, in place of the frame; and the number of duplicate events."""
    dealt, dropped = cluster.keep(cluster.job(frame, "deal", shipment)), 0
    cluster.rows(dealt.filter("kind = 'error'"))  # raises them
    met = dealt.filter(EVENTS)
    if shipment.is_shared:
        apart = dealt.filter("kind = 'apart'").repartition(shipment.buckets, "number")
        resolved = cluster.keep(cluster.job(apart, "resolve", shipment))
        dropped = sum(row.n for row in cluster.rows(resolved.filter(f"not {EVENTS}")))
        met = met.unionByName(resolved.filter(EVENTS))
    return cluster.keep(met.repartition(shipment.buckets, "number")), dropped


def _mapped(engine: Engine, cluster: Cluster, frame: Any, shipment: Shipment) -> tuple[Any, int]:
    """Map, then merge, on the cluster; the merged sums on the driver. Returns the merged frame and the number of duplicate events."""
    sums = cluster.job(frame, "sums", shipment).repartition(shipment.buckets, "number")
    gathered = cluster.keep(cluster.job(sums, "gather", shipment))
    rows = cluster.rows(gathered.filter("kind <> 'winners'"))
    merge.load(engine, shipment.plan, [bytes(row.blob) for row in rows if row.kind == "merged"], knows_lists=shipment.knows_lists)
    winners = cluster.rows(
        gathered.filter("kind = 'winners'").drop("blob").selectExpr("kind", "number", "n", "cast(null as binary) as blob")
    )
    return gathered, sum(row.n for row in winners)


def _second_look(engine: Engine, cluster: Cluster, frame: Any, gathered: Any, shipment: Shipment) -> None:
    """The measured times that decide a percentile, from all parts."""
    engine.file("4_aggregate/latency.sql")  # over no values yet: it says which are needed
    shipment = replace(shipment, ranges=parquet_of(engine, "from latency_ranges"))
    jobs = [cluster.job(source, "tail", shipment) for source in (frame, gathered.filter("kind = 'winners'"))]
    rows = [row for job in jobs for row in cluster.rows(job)]
    merge.load_tail(engine, [bytes(row.blob) for row in rows])


def _fetch_names(engine: Engine, cluster: Cluster, frame: Any, shipment: Shipment) -> None:
    """Where almost nothing matched: the queries and ids of the log as events_once, for the warning of read_out."""
    if not is_little_matched(engine) and engine.run("select exists (select 1 from quality_sums)")[0][0]:
        return
    rows = cluster.rows(cluster.job(frame, "names", shipment))
    union = " union all ".join(f"select * from {unpacked(engine, bytes(row.blob))}" for row in rows)
    engine.run(f"create or replace table log_names as {union}")
    engine.file("8_cluster/log_names.sql")
