"""A task reads its share of the logs, as one machine would have read it beside the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..engine import Engine, quoted
from ..read import Logs, read_logs
from ..read.flat import json_keys, read_relation
from ..read.remote import path_of
from .shipment import Part, Shipment, Unpacked, blobs_of, note, of_logs, row

ROWS_OF_A_TASK = 1 << 33  # a row's number is made of its task's and its own, as Spark numbers rows
EVENT = "* exclude (reject_reason, excerpt)"


def parts_in(shipment: Shipment, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Part]]:
    """The parts whose numbers a task was given."""
    for batch in batches:
        for number in batch.column("id").to_pylist():
            yield number, shipment.parts[number]


def keys(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The names of a task's JSON logs."""
    for number, part in parts_in(shipment, batches):
        yield note("keys", json_keys(engine, [path_of(file) for file in part.files]), number=number)


def spool(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Files of any format -> normalised events and rejects, as Parquet in rows: a text is read once, whatever is asked later."""
    for number, part in parts_in(shipment, batches):
        logs = read_part(engine, shipment, part)
        yield from _spooled(engine, logs, number)


def _spooled(engine: Engine, logs: Logs, number: int) -> Iterator[pa.RecordBatch]:
    for path in blobs_of(engine, "from normalised", f"spool-{number}"):
        yield row("events", number=number, blob=path.read_bytes())
        path.unlink()
    yield note("logs", of_logs(logs), number=number)


def read_part(engine: Engine, shipment: Shipment, part: Part) -> Logs:
    """The view `normalised` over the files of a part."""
    files, request, beside = list(part.files), shipment.plan.request, ""
    if part.keys:
        beside = str(engine.folder / "keys.jsonl")
        Path(beside).write_text(json.dumps(dict.fromkeys(part.keys)) + "\n", encoding="utf-8")
    elif part.schema:
        beside = str(_schema_file(engine, part))
    sources = [*files, beside] if beside else files
    logs = read_logs(engine, sources, log_format=part.log_format, mapped=request.mapped, profile=request.profile, empty_ok=True)
    if part.keys:
        columns = "select * from normalised_beside where source is distinct from " + quoted(beside)
        engine.run("alter view normalised rename to normalised_beside")
        engine.run(f"create or replace view normalised as {columns}")
    return logs


def _schema_file(engine: Engine, part: Part) -> Path:
    """The file without rows, in a folder such as ``tenant=x`` where the part's files stand in one."""
    folder = Path(engine.folder, *(step for step in Path(part.files[0]).parent.parts if "=" in step))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "schema.parquet"
    path.write_bytes(part.schema)
    return path


def spool_frame(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A partition of any DataFrame -> the same rows as :func:`spool`."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.partitionId() if context is not None else 0
    path = _written(engine, batches)
    if path is None:
        return
    relation = f"read_parquet({quoted(str(path))}, file_row_number = true)"
    line = f"{number * ROWS_OF_A_TASK} + file_row_number + 1"
    read = read_relation(engine, relation, shipment.plan.request.mapped, where="logs", file="'logs'", line=line)
    engine.run(f"create or replace view normalised as from {read.relation}")
    names = {path: column for column, paths in read.used.items() for path in paths}
    yield from _spooled(engine, Logs({"flat": 1}, names, read.attributes, read.has_ids), number)


def _written(engine: Engine, batches: Iterator[pa.RecordBatch]) -> Path | None:
    """Arrow batches as a Parquet file, so that they can be read twice; None where there are none."""
    first = next(batches, None)
    if first is None:
        return None
    path = engine.folder / "frame.parquet"
    with pq.ParquetWriter(path, first.schema, compression="lz4") as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return path


def taken(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, int, Logs | None]]:
    """The relation `normalised` for each thing a task was given: its kind, number, and what was read of it.

    Kinds: ``files``, ``events`` (spooled), ``winners`` (deliveries already resolved).
    """
    held: dict[str, Unpacked] = {}
    last = 0
    for batch in batches:
        if "id" in batch.schema.names:
            for number, part in parts_in(shipment, [batch]):
                yield "files", number, read_part(engine, shipment, part)
            continue
        for kind, number, blob in zip(*(batch.column(c).to_pylist() for c in ("kind", "number", "blob")), strict=True):
            held.setdefault(kind, Unpacked(engine)).add(blob)
            last = number
    for kind, files in held.items():
        columns = "*" if kind == "events" else "*, null::varchar as reject_reason, null::varchar as excerpt"
        engine.run(f"create or replace view normalised as select {columns} from {files.relation}")
        yield kind, last, None
