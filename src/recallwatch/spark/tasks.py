"""What runs in Spark's tasks: DuckDB over a share of the events, by the same files of sql/ as on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import pyarrow as pa

from ..base.engine import Engine, quoted
from ..base.errors import RecallwatchError
from ..scoring import segments
from ..scoring.acceptance import cut_to, drop_duplicates
from ..scoring.binding import bind
from ..scoring.label_join import make_recalls, set_queries
from ..scoring.quality import map_quality
from ..scoring.readout import map_rest, sums_of
from . import frames, share, store_tasks, survey
from .shipment import TASK_MEMORY, Shipment, Unpacked, blobs_of, of_error, parquet_of, row, unpacked

Job = Callable[[Engine, Shipment, Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def run(job: str, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One partition of one job: an engine of its own, whose folder goes when the task ends, however it ends.

    Args:
        job: name in JOBS.
        shipment: what every task is given.
        batches: Arrow batches from Spark.

    Yields:
        Batches of ROW.
    """
    limits = shipment.plan.limits
    with Engine(threads=limits.threads or 1, memory_limit=limits.memory_limit or TASK_MEMORY) as engine:
        try:
            bind(engine, shipment.plan.definition, shipment.plan.cut)
            engine.options(opt_buckets=shipment.buckets)
            yield from JOBS[job](engine, shipment, batches)
        except RecallwatchError as error:
            yield of_error(error)


def look(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The survey of files that every job reads again."""
    for number, part in share.parts_in(shipment, batches):
        yield from survey.rows_of(engine, shipment, number, share.read_part(engine, shipment, part))


def sums(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The sums of a task's events; separately, the events with possible duplicates in other tasks."""
    for _kind, number, _logs in share.parts_read(engine, shipment, batches):
        yield from _apart(engine, shipment, number)
        yield row("sums", number=number % shipment.buckets, blob=mapped(engine, shipment))


def _apart(engine: Engine, shipment: Shipment, number: int) -> Iterator[pa.RecordBatch]:
    """The view `events_once` of a task, and rows ``apart`` of what is resolved elsewhere."""
    _alone(engine, shipment)
    if shipment.is_shared:
        yield from _by_bucket(engine, "events_apart", "apart", number)


def _by_bucket(engine: Engine, source: str, kind: str, number: int) -> Iterator[pa.RecordBatch]:
    """A relation with a column `bucket` as rows of a kind that are numbered by it."""
    for (bucket,) in engine.run(f"select distinct bucket from {source} order by bucket"):
        select = f"select * exclude (bucket) from {source} where bucket = {bucket}"
        for path in blobs_of(engine, select, f"{kind}-{number}-{bucket}"):
            yield row(kind, number=bucket, blob=path.read_bytes())
            path.unlink()


def _alone(engine: Engine, shipment: Shipment) -> None:
    """The view `events_once` of a task: all but the deliveries that are resolved elsewhere."""
    cut_to(engine, shipment.plan.period)
    if shipment.is_shared:
        engine.run(f"create or replace table shared_hashes as select h from {unpacked(engine, shipment.shared)}")
        engine.file("8_cluster/events.sql")
        engine.file("8_cluster/apart.sql")
    engine.run(f"create or replace view events_once as from {'events_alone' if shipment.is_shared else 'events'}")


def mapped(engine: Engine, shipment: Shipment) -> bytes:
    """events_once -> the tables of sums, one under the other, slices by their values: what 4_aggregate/merge.sql reads."""
    join(engine, shipment)
    segments.slice_events(engine, shipment.values)
    map_quality(engine, shipment.plan.definition, shipment.plan.cut.columns)
    map_rest(engine, shipment.plan.definition)
    engine.file("8_cluster/no_lists.sql" if shipment.knows_lists else "4_aggregate/lists.sql")
    tables = sums_of(shipment.plan.definition)
    return parquet_of(engine, " union all by name ".join(_by_values(table, quoted(table)) for table in tables))


def _by_values(relation: str, name: str) -> str:
    return f"""select {name} as rw_table, s.by_values, t.* exclude (slice_no)
        from {relation} as t inner join slices as s using (slice_no)"""


def join(engine: Engine, shipment: Shipment) -> None:
    """The driver's labels, made ready there once, and the view `recalls` over them."""
    engine.options(**{fact: getattr(shipment, fact) for fact in ("some_error", "some_null_id", "some_long_group")})
    engine.file("2_judge/no_labels.sql")
    engine.file("2_judge/labels.sql")
    engine.run(f"create or replace table label_periods as from {unpacked(engine, shipment.labelled)} order by label_no, label_from")
    set_queries(engine)
    engine.options(opt_join=shipment.joined, has_labels=shipment.has_labels)
    engine.run(f"create or replace macro opt_tenants() as {quoted(list(shipment.tenants))}::varchar[]")
    make_recalls(engine)


def gather(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sums of several tasks -> one; deliveries of the same event, from all tasks -> the one that counts, and its sums."""
    blobs, errors = _received(engine, batches)
    yield from errors
    if blobs["apart"].files:
        yield from _resolved(engine, shipment, blobs["apart"], blobs["sums"])
    if blobs["sums"].files:
        engine.run(f"create or replace view mapped_sums as from {blobs['sums'].relation}")
        engine.file("4_aggregate/merge.sql")
        if shipment.plan.definition.by_question:
            engine.file("4_aggregate/merge_questions.sql")
        questions = " union all by name from merged_questions" if shipment.plan.definition.by_question else ""
        yield row("merged", blob=parquet_of(engine, f"from merged_sums{questions}"))


def _received(engine: Engine, batches: Iterator[pa.RecordBatch]) -> tuple[dict[str, Unpacked], list[pa.RecordBatch]]:
    """What other tasks sent, by kind, and their errors, to be passed on."""
    blobs, errors = {"sums": Unpacked(engine), "apart": Unpacked(engine)}, []
    for batch in batches:
        for kind, blob in zip(batch.column("kind").to_pylist(), batch.column("blob").to_pylist(), strict=True):
            if kind == "error":
                errors.append(row("error", blob=blob))
            else:
                blobs[kind].add(blob)
    return blobs, errors


def deal(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Where several searches answer a question: a task's events by the bucket of their question, so that these meet; and possible duplicates apart."""
    for _kind, number, _logs in share.parts_read(engine, shipment, batches):
        yield from _apart(engine, shipment, number)
        yield from _dealt(engine, number)


def resolve(engine: Engine, _shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Deliveries of the same event, from all tasks -> the one that counts, by the bucket of its question; how many do not."""
    blobs, errors = _received(engine, batches)
    yield from errors
    if blobs["apart"].files:
        engine.run(f"create or replace view events as from {blobs['apart'].relation}")
        yield row("dropped", n=drop_duplicates(engine, has_ids=True))
        yield from _dealt(engine, 0)


def _dealt(engine: Engine, number: int) -> Iterator[pa.RecordBatch]:
    engine.file("8_cluster/questions.sql")
    yield from _by_bucket(engine, "events_dealt", "events", number)
    engine.run("drop table events_dealt")


def _resolved(engine: Engine, shipment: Shipment, apart: Unpacked, into: Unpacked) -> Iterator[pa.RecordBatch]:
    engine.run(f"create or replace view events as from {apart.relation}")
    dropped = drop_duplicates(engine, has_ids=True)
    winners = Unpacked(engine)
    for path in blobs_of(engine, "from events_once", "winners"):
        blob = path.read_bytes()
        winners.add(blob)
        yield row("winners", n=dropped, blob=blob)
        dropped = 0
    engine.run(f"create or replace view events_once as from {winners.relation}")
    into.add(mapped(engine, shipment))


def tail(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The second look: the measured times that decide a percentile."""
    for kind, number, _logs in share.parts_read(engine, shipment, batches):
        _alone(engine, shipment)
        if kind == "winners":
            engine.file("1_normalise/no_duplicates.sql")
        if "query_class" in shipment.values:  # a label's own class stands in: the one slice that needs the labels
            join(engine, shipment)
        else:
            engine.run("create or replace view recalls as from events_once")
        segments.slice_events(engine, shipment.values)
        engine.file("4_aggregate/latency_values.sql")
        engine.run(f"create or replace table latency_ranges as from {unpacked(engine, shipment.ranges)}")
        engine.file("8_cluster/tail.sql")
        for path in blobs_of(engine, _by_values("tail_values", quoted("latency_values")), f"tail-{kind}-{number}"):
            yield row("tail", number=number, blob=path.read_bytes())


def names(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The queries and document ids of a task's events, each once, for the error that they are not those of the labels."""
    for _kind, number, _logs in share.parts_read(engine, shipment, batches):
        cut_to(engine, shipment.plan.period)
        select = """select distinct query_id, query_text, []::varchar[] as ranked_ids from events
            union all select null, null, list(distinct id) from (select unnest(list_concat(ranked_ids, candidate_ids)) as id from events)"""
        yield row("names", number=number, blob=parquet_of(engine, select))


JOBS: Mapping[str, Job] = MappingProxyType(
    {
        job.__name__: job
        for job in (
            share.keys,
            share.labels,
            share.spool,
            frames.spool_frame,
            survey.meet,
            store_tasks.take,
            store_tasks.days,
            look,
            deal,
            resolve,
            sums,
            gather,
            tail,
            names,
        )
    }
)
