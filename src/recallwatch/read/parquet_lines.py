"""Parquet as JSON lines, a row a line: for rows that hold a record of another form, such as an answer of a service."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ..base.errors import InputError
from .given_records import place, plain

ROWS = 1024  # in memory at once


def lines_of(path: Path) -> Iterator[bytes]:
    """Blocks of JSON lines.

    Raises:
        InputError: a value that JSON does not have, such as a duration.
    """
    import pyarrow.parquet as pq

    with path.open("rb") as stream:
        for batch in pq.ParquetFile(stream).iter_batches(ROWS):
            rows = (
                pa.Table.from_batches([batch]).cast(_in_microseconds(batch.schema), safe=False).to_pylist(maps_as_pydicts="lossy")
            )
            try:
                yield "".join(json.dumps(plain(row), ensure_ascii=False) + "\n" for row in rows).encode()
            except TypeError as error:
                raise InputError(str(error), where=place(path), fix="Write it as a number or text") from error


def _in_microseconds(schema: pa.Schema) -> pa.Schema:
    """What Python's times can hold."""
    return pa.schema(
        field.with_type(pa.timestamp("us", field.type.tz)) if pa.types.is_timestamp(field.type) else field for field in schema
    )
