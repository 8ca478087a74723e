"""What travels between the driver and its tasks: one shipment there, rows of bytes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from ..base.engine import Engine, quoted, quoted_paths
from ..base.errors import InputError, RecallwatchError, UsageError
from ..read import Logs
from ..scoring.plan import Plan
from ..store.parts import Known

T = TypeVar("T")
ROW = pa.schema([("kind", pa.string()), ("number", pa.int64()), ("n", pa.int64()), ("blob", pa.binary())])
SPARK_ROW = "kind string, number long, n long, blob binary"
BLOB = "64MB"  # of Parquet a row: small against an executor's memory, large against the cost of a file
TASK_MEMORY = "1GB"  # of DuckDB in a task; beyond it a task's data go to its disk


@dataclass(frozen=True)
class Part:
    """The files one task reads.

    Args:
        log_format: name in FORMATS, or auto.
        files: paths every worker sees.
        keys: names of all JSON logs together, so that each file is read as if it stood beside the others.
        schema: the same for Parquet: a file without rows that has every column in its widest type.
    """

    log_format: str
    files: tuple[str, ...]
    keys: tuple[str, ...] = ()
    schema: bytes = b""


@dataclass(frozen=True)
class Errand:
    """One log file on its way into a store.

    Args:
        source: path every worker sees.
        known: what the store holds of it.
    """

    source: str
    known: Known


@dataclass(frozen=True)
class Shipment:
    """What every task is given; grows as the driver knows more.

    Args:
        plan: what was asked.
        parts: by number of the task, where tasks read files.
        labelled: label_periods as Parquet: label numbers agree because every task has them all.
        joined, tenants, has_labels: opt_join(), opt_tenants() and has_labels().
        facts: of the look at all tasks' flat Parquet together; None = not known, or other logs are among them.
        some_error, some_null_id, some_long_group: as of 1_normalise/facts.sql, over all tasks.
        knows_lists: whether that look counted what 4_aggregate/lists.sql would.
        values: SQL behind each name of ``--by``.
        shared: hashes of event ids that several deliveries share, as Parquet.
        is_shared: whether there are any.
        ranges: latency_ranges as Parquet.
        buckets: tasks of the merge.
        store: folder or address of the store that tasks write into.
        errands: by number of the task, the files that go there.
        labels: the table ``labels`` as Parquet, where tasks sum a store's days.
        index: name of the store's index that these sums belong to.
        days: by number of the task, the UTC days it sums.
    """

    plan: Plan
    parts: tuple[Part, ...] = ()
    labelled: bytes = b""
    joined: str = "query_id"
    tenants: tuple[str, ...] = ()
    has_labels: bool = True
    facts: Mapping[str, int] | None = None
    some_error: bool = True
    some_null_id: bool = True
    some_long_group: bool = True
    values: tuple[str, ...] = ()
    knows_lists: bool = False
    shared: bytes = b""
    is_shared: bool = False
    ranges: bytes = b""
    buckets: int = 1
    store: str = ""
    errands: tuple[tuple[Errand, ...], ...] = ()
    labels: bytes = b""
    index: str = ""
    days: tuple[tuple[str, ...], ...] = ()


def dealt(sized: Sequence[tuple[int, T]], tasks: int) -> list[list[T]]:
    """Items with sizes, the largest first, each given to the task with the smallest sum of sizes."""
    groups: list[list[T]] = [[] for _ in range(min(tasks, len(sized)))]
    loads = [0] * len(groups)
    for size, item in sized:
        smallest = loads.index(min(loads))
        groups[smallest].append(item)
        loads[smallest] += size + 1
    return groups


def row(kind: str, *, number: int = 0, n: int = 0, blob: bytes = b"") -> pa.RecordBatch:
    """One row of ROW."""
    return pa.RecordBatch.from_pydict({"kind": [kind], "number": [number], "n": [n], "blob": [blob]}, ROW)


def note(kind: str, value: object, *, number: int = 0) -> pa.RecordBatch:
    """One row that carries JSON."""
    return row(kind, number=number, blob=json.dumps(value).encode())


def of_error(error: RecallwatchError) -> pa.RecordBatch:
    """An error of the input, on its way to the driver: no reason for Spark to try the task again."""
    return note("error", {"kind": type(error).__name__, "what": error.what, "where": error.where, "fix": error.fix})


def raise_first(errors: list[bytes]) -> None:
    """Raise the first of the tasks' errors, first by place, so that it is the same one in every run."""
    if not errors:
        return
    first = min((json.loads(blob) for blob in errors), key=lambda e: (e["where"], e["what"]))
    kinds: Mapping[str, type[RecallwatchError]] = {"InputError": InputError, "UsageError": UsageError}
    raise kinds.get(first["kind"], RecallwatchError)(first["what"], where=first["where"], fix=first["fix"])


def refuse_other_engine(engine: Engine, facts: list[dict[str, Any]]) -> None:
    """Hashes and sums of two DuckDB versions do not go together."""
    own = engine.run("select version()")[0][0]
    others = sorted({fact["engine"] for fact in facts} - {own})
    if others:
        raise UsageError(
            f"a worker has DuckDB {others[0]}, the driver {own}", where="--engine spark", fix="Install the same version everywhere"
        )


def parquet_of(engine: Engine, select: str) -> bytes:
    """A small relation as the bytes of one Parquet file."""
    path = engine.folder / "packed.parquet"
    engine.run(f"copy ({select}) to {quoted(str(path))} (format parquet, compression zstd)")
    return path.read_bytes()


def blobs_of(engine: Engine, select: str, name: str) -> list[Path]:
    """A relation of any size as Parquet files of about BLOB each; at least one."""
    folder = engine.folder / name
    engine.run(
        f"copy ({select}) to {quoted(str(folder))} (format parquet, compression zstd, file_size_bytes '{BLOB}')",
        what="packing events",
    )
    return sorted(folder.rglob("*.parquet"))


@dataclass
class Unpacked:
    """Bytes from a shipment or from rows, as files that DuckDB reads.

    Args:
        engine: whose folder they go to.
        files: so far.
    """

    engine: Engine
    files: list[str] = field(default_factory=list)

    def add(self, blob: bytes) -> Path:
        """One more file; returns where it is."""
        path = self.engine.folder / f"unpacked-{id(self)}-{len(self.files)}.parquet"
        path.write_bytes(blob)
        self.files.append(str(path))
        return path

    @property
    def relation(self) -> str:
        """SQL that reads them all."""
        return f"read_parquet({quoted_paths(self.files)}, union_by_name = true)"


def unpacked(engine: Engine, blob: bytes) -> str:
    """SQL that reads one Parquet file of bytes."""
    files = Unpacked(engine)
    files.add(blob)
    return files.relation


def of_logs(logs: Logs) -> dict[str, Any]:
    """The summary of a task's logs, as JSON."""
    fields = asdict(logs)
    return {name: fields[name] for name in ("names", "attributes", "has_ids", "facts")}
