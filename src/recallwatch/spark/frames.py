"""A partition of any DataFrame: stored unchanged as flat Parquet in rows, and read like a flat log by each later job.

Normalising it once and keeping that took three times as long as keeping what came: a job reads few of the columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..base.engine import Engine, quoted, quoted_paths
from ..base.errors import InputError
from ..read import Logs, read_log_table
from ..read.long_rows import document_of, is_long
from ..read.selection import selected
from . import survey
from .shipment import Shipment, row

ROWS_OF_A_TASK = 1 << 33  # a row's number is made of its task's and its own, as Spark numbers rows
GROUP_ROWS, GROUP_BYTES = 122_880, 64 << 20  # of a row group: DuckDB's own size, and what a task holds in memory
FILE_BYTES = 48 << 20  # a file is closed beyond it: small against an executor's memory


def spool_frame(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A partition -> rows ``frame`` (n = rows of the partition before this file's) and its survey."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number, before = context.partitionId() if context is not None else 0, 0
    files: list[tuple[Path, int]] = []
    for path, rows in _written(engine.folder, batches):
        yield row("frame", number=number, n=before, blob=path.read_bytes())
        files.append((path, number * ROWS_OF_A_TASK + before))
        before += rows
    if files:
        yield from survey.rows_of(engine, shipment, number, read_frame(engine, shipment, files))
    for path, _first in files:
        path.unlink()


def read_frame(engine: Engine, shipment: Shipment, files: list[tuple[Path, int]]) -> Logs:
    """The view ``normalised`` over files of rows of a DataFrame, each with the number of its first row."""
    names = [str(path) for path, _first in files]
    relation = f"read_parquet({quoted_paths(names)}, file_row_number = true, filename = 'rw_file')"
    line = f"map({quoted(names)}, {quoted([first + 1 for _path, first in files])}::bigint[])[rw_file] + file_row_number"
    mapped, named = shipment.plan.reading.mapped, quoted(names)
    columns = engine.columns(f"(from {relation})")
    if is_long(columns, mapped) and not columns[str(document_of(columns, mapped))].endswith("[]"):
        what = "one row a document (expected: one row a recall): a recall's rows may be in several partitions"
        raise InputError(what, where="logs", fix="Group them into a list of ids in Spark, or name files")
    logs = read_log_table(engine, relation, mapped=mapped, line=line, files=named, facts=shipment.facts)
    return selected(engine, logs, shipment.plan.period.where, must_know=False)


def _written(folder: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Path, int]]:
    """Arrow batches as Parquet files, each with its number of rows; a file is done when it is handed out."""
    writer, path, rows = None, folder, 0
    for number, group in enumerate(_groups(batches)):
        if writer is None:
            path, rows = folder / f"frame-{number}.parquet", 0
            writer = pq.ParquetWriter(path, group.schema, compression="zstd", use_dictionary=False)
        writer.write_table(group)
        rows += group.num_rows
        if path.stat().st_size > FILE_BYTES:
            writer.close()
            writer = None
            yield path, rows
    if writer is not None:
        writer.close()
        yield path, rows


def _groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Spark's small batches put together: a row group a batch costs twice the time."""
    pending: list[pa.RecordBatch] = []
    for batch in batches:
        pending.append(batch)
        if sum(b.num_rows for b in pending) >= GROUP_ROWS or sum(b.nbytes for b in pending) >= GROUP_BYTES:
            yield pa.Table.from_batches(pending)
            pending = []
    if pending:
        yield pa.Table.from_batches(pending)
