"""Data that a caller gives in place of paths: whatever holds a table, as one that can be read many times."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from os import PathLike
from typing import Any

from ..base.errors import InputError, UsageError
from .given_records import are_records, written

KNOWN = "Give paths, a list of dicts, an Arrow table, data set or stream of record batches, a Polars or pandas frame, or a DuckDB relation (con.sql('…'))"


def data_of(given: Any, where: str, files: ExitStack) -> Any:
    """Paths and None as they are; dicts as a file of them; a table, frame, relation or stream as Arrow: read once here, on whatever connection it stands.

    Args:
        given: what a caller named as logs or labels.
        where: the parameter, for errors.
        files: closed when all is read.

    Raises:
        UsageError: something that holds no table.
        InputError: a relation, frame or stream that fails while it is read.
    """
    if given is None or isinstance(given, str | PathLike) or _are_paths(given):
        return given
    if are_records(given):
        return written(given, where, files)
    import pyarrow as pa
    import pyarrow.dataset as ds

    if isinstance(given, pa.Table | ds.Dataset) or _kind(given) == "pandas.DataFrame":
        return given
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    if isinstance(given, ds.Scanner):
        return _read(given.to_table, where, given)
    if _kind(given) == "polars.LazyFrame":
        given = _read(given.collect, where, given)
    if not hasattr(given, "__arrow_c_stream__"):
        raise _no_table(given, where)
    try:
        stream = pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError) as error:  # one column, such as a Polars series
        raise _no_table(given, where) from error
    except Exception as error:  # as in _read: a relation runs here already
        raise _unread(error, where, given) from error
    return _read(stream.read_all, where, given)


def _are_paths(given: Any) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, str | PathLike) for one in given)


def _kind(given: Any) -> str:
    """Library and class, without importing the library."""
    return f"{type(given).__module__.partition('.')[0]}.{type(given).__name__}"


def _read(read: Callable[[], Any], where: str, given: Any) -> Any:
    try:
        return read()
    except Exception as error:  # whatever a stranger's query or generator raises is about their data
        raise _unread(error, where, given) from error


def _unread(error: Exception, where: str, given: Any) -> InputError:
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    return InputError(f"the {type(given).__name__} cannot be read ({said})", where=where, fix="Read it by itself first")


def _no_table(given: Any, where: str) -> UsageError:
    empty = " without any path" if isinstance(given, list | tuple) and not given else ""
    return UsageError(f"expected paths or a table, saw {type(given).__name__}{empty}", where=where, fix=KNOWN)
