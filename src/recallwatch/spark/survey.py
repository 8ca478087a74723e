"""The survey of all events before scoring: counts, rejects, names, and possible duplicate events."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ..base.engine import Engine
from ..read import Logs
from ..scoring.acceptance import cut_to
from ..scoring.unread import unread_columns
from .shipment import ROW, Shipment, Unpacked, blobs_of, note, of_logs, parquet_of, row


def rows_of(engine: Engine, shipment: Shipment, number: int, logs: Logs) -> Iterator[pa.RecordBatch]:
    """Of the relation `normalised`: one row ``facts``, and the hashes of its event ids by bucket, to be compared with those of other tasks."""
    cut_to(engine, shipment.plan.period)
    engine.file("8_cluster/look.sql")
    engine.file("8_cluster/events.sql")
    facts = engine.rows("from task_facts")[0]
    facts["rejects"] = engine.rows("from task_rejects", what="reading the logs")
    facts["n_events"] = engine.run("select count(*) from events")[0][0]
    facts["unread"] = unread_columns(engine, shipment.plan.reading, "normalised")
    facts["logs"] = of_logs(logs)
    facts["engine"] = engine.run("select version()")[0][0]
    named = "select distinct unnest(map_keys(attributes)) as name from events order by name"
    facts["attributes"] = [name for (name,) in engine.run(named)] if shipment.plan.cut.by else []
    yield note("facts", facts, number=number)
    if not logs.has_ids:
        return
    engine.run("create or replace table counted as from hash_counts", what="counting event ids")
    for bucket in range(shipment.buckets):
        select = f"from counted where abs(h % {shipment.buckets}) = {bucket}"
        for path in blobs_of(engine, select, f"hashes-{number}-{bucket}"):
            yield row("hash", number=bucket, blob=path.read_bytes())
            path.unlink()
    engine.run("drop table counted")


def meet(engine: Engine, _shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Hashes of all tasks, by bucket -> those that occur more than once; every other row is passed on."""
    hashes = Unpacked(engine)
    for batch in batches:
        is_hash = pc.equal(batch.column("kind"), "hash")
        for blob in batch.filter(is_hash).column("blob").to_pylist():
            hashes.add(blob)
        others = batch.filter(pc.invert(is_hash))
        yield pa.RecordBatch.from_arrays(others.columns, schema=ROW)  # Spark says otherwise than ROW what may be null
    if hashes.files:
        yield row("shared", blob=parquet_of(engine, f"select h from {hashes.relation} group by h having sum(n) > 1"))
