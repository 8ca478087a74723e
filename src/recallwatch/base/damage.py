"""What is wrong with a file or table that a query could not read. It is looked at only then, so that a whole one costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .declared import seen
from .errors import InputError, UsageError

MAGIC, ENCRYPTED = b"PAR1", b"PARE"
SHORTEST = 12  # bytes: both magics, and the footer's length between
NAMED = "a column is called file_row_number or rw_file, as no column may be"
QUERIES = {  # what is wrong -> the query that fails then
    "a damaged Parquet file (its footer cannot be read)": "describe from read_parquet({})",
    "a damaged Parquet file (its data cannot be read)": "select bit_xor(hash(columns(*))) from read_parquet({})",
    NAMED: "describe from read_parquet({}, file_row_number = true, filename = 'rw_file')",
}
AGAIN = "Write it again, or leave it out"


def first_damage(files: Iterable[Path], can_read: Callable[[str, str], bool]) -> InputError | None:
    """The error of the first file that is gone, or is no whole Parquet; None = all can be read, or are text.

    Args:
        files: here or remote.
        can_read: of a path and a query, with {} for the file: whether it ends well.
    """
    return next((error for path in dict.fromkeys(files) if (error := _damage(path, can_read)) is not None), None)


def encrypted(name: str) -> InputError:
    """The error of a file whose key is not known."""
    return InputError("an encrypted Parquet file", where=name, fix="Write it without encryption, or leave it out")


def _damage(path: Path, can_read: Callable[[str, str], bool]) -> InputError | None:
    name = str(path)
    try:
        with path.open("rb") as stream:
            start, size = stream.read(4), stream.seek(0, 2)
            stream.seek(-min(4, size), 2)
            end = stream.read(4)
    except OSError as error:
        return InputError(f"cannot be read any more ({error.strerror or error})", where=name, fix="Leave it there while it is read")
    if start != MAGIC:
        return None
    if end == ENCRYPTED:
        return encrypted(name)
    if end != MAGIC or size < SHORTEST:
        what: str | None = "a Parquet file that is cut short (no PAR1 at its end)"
    else:
        what = next((what for what, query in QUERIES.items() if not can_read(name, query)), None)
    return None if what is None else InputError(what, where=name, fix="Rename it" if what == NAMED else AGAIN)


def unread(data: Any, where: str) -> UsageError:
    """The error of data in memory that DuckDB does not take: the first column of a type that it does not have, else what is taken."""
    odd = next((field for field in getattr(data, "schema", None) or () if _is_odd(getattr(field, "type", None))), None)
    if odd is not None:
        return UsageError(f"column {odd.name}: values of type {odd.type} are not read", where=where, fix="Cast it to another type")
    return UsageError(
        f"cannot be read, saw {seen(data)}",
        where=where,
        fix="Give paths, an Arrow table, a Polars or pandas frame, or a DuckDB relation",
    )


def _is_odd(kind: Any) -> bool:
    import pyarrow as pa

    return isinstance(kind, pa.DataType) and any(part in str(kind) for part in ("halffloat", "decimal256", "run_end_encoded"))
