"""Durations in Parquet: Arrow's writers store them as bare whole numbers, and the unit in the file's Arrow schema alone."""

from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.engine import Engine, identifier, quoted_paths
from ..base.errors import InputError
from . import aliases

US = {"s": "1e6", "ms": "1e3", "us": "1", "ns": "1e-3"}  # unit -> µs


def as_intervals(engine: Engine, files: list[Path], relation: str, times: Collection[str] = ()) -> str:
    """SQL of a relation of Parquet files whose columns of durations say their unit; the relation itself where there are none.

    ``times``: names that hold times, beside those that flat logs have for them.

    Raises:
        InputError: a duration in some of the files only, or in several units; one inside of another column.
    """
    with engine.reading(str(files[0])):
        types = engine.types(relation)
    may_be = [name for name, kind in types.items() if _may_be_times(name, kind, times)]
    if not may_be:
        return relation
    units = _units(engine, files, may_be)
    both = next((name for name, found in units.items() if len(found) > 1), None)
    if both is not None:
        raise InputError(
            f"{both!r} is not the same in each file ({' and '.join(sorted(units[both]))})", where=str(files[0]), fix=_FIX
        )
    whole = {name: unit for name, (unit,) in units.items() if unit != _NUMBER}
    own = [f"to_microseconds(round({identifier(name)} * {US[unit]})::bigint) as {identifier(name)}" for name, unit in whole.items()]
    return f"(select * replace ({', '.join(own)}) from {relation})" if own else relation


_NUMBER, _FIX = "a number", "Write it as a number of ms in all files"


def _may_be_times(name: str, kind: Any, times: Collection[str]) -> bool:
    if kind.id in ("struct", "map"):
        return name in aliases.LOG["stage_ms"]
    return kind.id == "bigint" and (name in aliases.LOG["total_ms"] or name in times or aliases.stage_of(name) is not None)


def _units(engine: Engine, files: list[Path], names: Collection[str]) -> Mapping[str, set[str]]:
    """Column -> its units in the files."""
    rows = engine.run(
        f"select file_name, value from parquet_kv_metadata({quoted_paths(files)}) where key = 'ARROW:schema'::blob",
        what="reading the files' columns",
    )
    units, schemas = defaultdict[str, set[str]](set), dict(rows)
    for file in files:
        text = schemas.get(str(file))
        schema = pa.ipc.read_schema(pa.py_buffer(b64decode(text))) if text else pa.schema([])
        for name in set(names) & set(schema.names):
            kind = schema.field(name).type
            if not pa.types.is_duration(kind) and "duration" in str(kind):
                raise InputError(f"{name!r} holds durations (saw {kind})", where=str(file), fix="Write numbers of ms")
            units[name].add(kind.unit if pa.types.is_duration(kind) else _NUMBER)
        for name in set(names) - set(schema.names):
            units[name] |= {_NUMBER} if text is None else set()
    return units
