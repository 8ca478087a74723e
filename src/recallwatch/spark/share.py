"""A task reads its share of the logs, as one machine would have read it beside the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from ..base.engine import Engine, quoted, quoted_paths
from ..base.remote import path_of
from ..read import Logs, read_logs
from ..read.flat import json_keys
from ..read.log_labels import EACH_ONCE, take_own_labels
from ..read.selection import selected
from . import survey
from .frames import ROWS_OF_A_TASK, read_frame
from .shipment import Part, Shipment, Unpacked, blobs_of, note, parquet_of, row


def parts_in(shipment: Shipment, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Part]]:
    """The parts whose numbers a task was given."""
    for batch in batches:
        for number in batch.column("id").to_pylist():
            yield number, shipment.parts[number]


def keys(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The names of a task's JSON logs."""
    for number, part in parts_in(shipment, batches):
        yield note("keys", json_keys(engine, [path_of(file) for file in part.files]), number=number)


def labels(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The labels that a task's logs carry themselves."""
    for number, part in parts_in(shipment, batches):
        logs = read_part(engine, shipment, part)
        if take_own_labels(engine, list(part.files), logs, shipment.plan.reading.mapped):
            yield row("labels", number=number, blob=parquet_of(engine, EACH_ONCE))


def spool(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Files of any format -> normalised events and rejects, as Parquet in rows: a text is read once."""
    for number, part in parts_in(shipment, batches):
        logs = read_part(engine, shipment, part)
        paths = blobs_of(engine, "from normalised", f"spool-{number}")
        for path in paths:
            yield row("events", number=number, blob=path.read_bytes())
        engine.run(f"create or replace view normalised as from read_parquet({quoted_paths(paths)})")
        yield from survey.rows_of(engine, shipment, number, logs)
        for path in paths:
            path.unlink()


def read_part(engine: Engine, shipment: Shipment, part: Part) -> Logs:
    """The view `normalised` over the files of a part."""
    files, reading, beside = list(part.files), shipment.plan.reading, ""
    if part.keys:
        beside = str(engine.folder / "keys.jsonl")
        Path(beside).write_text(json.dumps(dict.fromkeys(part.keys)) + "\n", encoding="utf-8")
    elif part.schema:
        beside = str(_schema_file(engine, part))
    sources = [*files, beside] if beside else files
    logs = read_logs(
        engine,
        sources,
        log_format=part.log_format,
        mapped=reading.mapped,
        profile=reading.profile,
        empty_ok=True,
        facts=shipment.facts,
    )
    if part.keys:
        columns = "select * from normalised_beside where source is distinct from " + quoted(beside)
        engine.run("alter view normalised rename to normalised_beside")
        engine.run(f"create or replace view normalised as {columns}")
    return selected(engine, logs, shipment.plan.period.where, must_know=False)


def _schema_file(engine: Engine, part: Part) -> Path:
    """The file without rows, in a folder such as ``tenant=x`` where the part's files are in one."""
    folder = Path(engine.folder, *(step for step in Path(part.files[0]).parent.parts if "=" in step))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "schema.parquet"
    path.write_bytes(part.schema)
    return path


def parts_read(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, int, Logs | None]]:
    """The relation `normalised` for each thing a task was given: its kind, number, and what was read of it.

    Kinds: ``files``, ``frame`` (rows of a DataFrame), ``events`` (spooled), ``winners`` (deliveries already resolved).
    """
    blobs: dict[str, Unpacked] = {}
    frame: list[tuple[Path, int]] = []
    last = 0
    for batch in batches:
        if "id" in batch.schema.names:
            for number, part in parts_in(shipment, [batch]):
                yield "files", number, read_part(engine, shipment, part)
            continue
        for kind, number, n, blob in zip(*(batch.column(c).to_pylist() for c in ("kind", "number", "n", "blob")), strict=True):
            path = blobs.setdefault(kind, Unpacked(engine)).add(blob)
            last = number
            if kind == "frame":
                frame.append((path, number * ROWS_OF_A_TASK + n))
    for kind, files in blobs.items():
        if kind == "frame":
            yield kind, last, read_frame(engine, shipment, frame)
            continue
        columns = "*" if kind == "events" else "*, null::varchar as reject_reason, null::varchar as excerpt"
        engine.run(f"create or replace view normalised as select {columns} from {files.relation}")
        yield kind, last, None
