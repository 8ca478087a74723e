"""A closed file of JSON lines as Parquet: the same events in the columns of the log, typed. Only the writer's thread calls this."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.files import written

if TYPE_CHECKING:
    import pyarrow as pa

TEXTS = ("trace_id", "span_id", "query_id", "query_text", "query_class", "tenant_id", "session_id", "variant", "index_version")
MORE_TEXTS = ("operation", "data_source_id", "status", "error_type")
BATCH = 1000  # events turned into columns at once: what the thread may hold in memory
PARQUET = ".parquet"


def prepare() -> None:
    """Load pyarrow now, and not while a process ends."""
    import pyarrow.parquet  # noqa: F401 -- loading it is the work


def schema() -> pa.Schema:
    """The columns of a recorded event, as ``contract.events`` types them."""
    import pyarrow as pa

    text, number, count = pa.string(), pa.float64(), pa.int64()
    kinds: dict[str, pa.DataType] = {"timestamp": pa.timestamp("us", "UTC"), **dict.fromkeys((*TEXTS, *MORE_TEXTS), text)}
    kinds |= {"top_k": pa.int32(), "input_tokens": count, "output_tokens": count, "cost_usd": number, "total_ms": number}
    kinds |= {"cache_hit": pa.bool_(), "ranked_ids": pa.list_(text), "candidate_ids": pa.list_(text), "texts": pa.list_(text)}
    kinds |= {"scores": pa.list_(number), "stage_ms": pa.map_(text, number), "attributes": pa.map_(text, text)}
    return pa.schema(kinds)


def to_parquet(journal: Path, target: Path, *, sync: bool, between: Callable[[], None] = lambda: None) -> None:
    """Write the journal's events as Parquet beside it, then give the file its name; the journal stays until that is done.

    Args:
        journal: JSON lines; a cut last line, as a killed process leaves it, is left out.
        target: final path.
        sync: whether its bytes are on the disk before it has its name.
        between: called after each batch: other work of the thread does not wait for a large file.

    Raises:
        UsageError: no space, no permission.
        ImportError: no pyarrow.
        ValueError: a line in the middle that is no event.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = schema()
    with written(target, is_lasting=sync) as temporary, pq.ParquetWriter(temporary, kinds, compression="zstd") as writer:
        for events in _batches(journal):
            writer.write_batch(pa.RecordBatch.from_pylist(events, schema=kinds))
            between()


def _batches(journal: Path) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    with journal.open("rb") as stream:
        for line in stream:
            if not line.endswith(b"\n"):
                break
            batch.append(_typed(json.loads(line)))
            if len(batch) == BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _typed(event: dict[str, Any]) -> dict[str, Any]:
    """A line's values as pyarrow takes them."""
    event["timestamp"] = dt.datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00"))
    for name in ("stage_ms", "attributes"):
        if name in event:
            event[name] = list(event[name].items())
    return event
