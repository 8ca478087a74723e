"""JSON lines like the first ones as a table of typed columns, parsed once; any other line stays a text beside them, for the general reader.

A line is like the first ones where nothing but their names stands in it, each with a value of its column's type. No second look at a line's names
tells so: each name is followed by a colon, so a line holds no other one where it has as many such colons as values were read from it.
"""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..base.engine import Engine, identifier, quoted
from ..base.errors import InputError
from . import aliases, lines, records
from .flat_paths import Paths, odd_names, resolve
from .flat_views import MANY
from .hive import hive_keys, hive_value
from .json_line import can_be_fields
from .long_rows import is_long
from .record_paths import json_path
from .spans import objects
from .typed_columns import ID_LISTS

STREAM = pa.schema([*lines.SCHEMA, *((name, pa.int32()) for name in ("names", "nulls", "bools"))])
_CHUNK = 1 << 17  # bytes that the processor's cache holds while they are looked at
_COLON, _QUOTE, _SPACE, _N, _T, _F = b':" ntf'


@dataclass(frozen=True)
class Field:
    """One name of the lines.

    Args:
        name: as the lines have it.
        column: what it feeds; None = an attribute.
        kind: DuckDB type of its column; empty = it is read and left out (an attribute is no list).
        shape: the type it is read as.
        inner: names of the numbers inside.
        is_iso: of a time, whether it is written as ISO 8601.
    """

    name: str
    column: str | None
    kind: str
    shape: str
    inner: tuple[str, ...] = ()
    is_iso: bool = False

    @property
    def sql(self) -> str:
        """SQL of what was read."""
        return f"r.{identifier(self.name)}"

    @property
    def inside(self) -> list[str]:
        """SQL of what was read inside of it."""
        return [f"{self.sql}.{identifier(name)}" for name in self.inner]

    @property
    def moment(self) -> str:
        """SQL of a time; null where it is none."""
        return f"time_or_null(try_cast({self.sql} as timestamptz))" if self.is_iso else f"as_timestamp({self.sql})"

    @property
    def value(self) -> str:
        """SQL of its column."""
        if self.column == "timestamp":
            return _made(self)
        if self.inner:
            numbers = f"{self.sql}::map(varchar, double)"
            return f"if({_are_there(self.inside)}, {numbers}, without_nulls({numbers}))"
        return self.sql


def _made(field: Field) -> str:
    """The name of a time, which its column and the look at the line both need."""
    return identifier(f"rw_moment {field.name}")


@dataclass(frozen=True)
class Usual:
    """What the first records of a log are like.

    Args:
        own: their names, sorted.
        sample: one of them.
    """

    own: list[str]
    sample: Mapping[str, Any]
    paths: Paths
    fields: Sequence[Field]


def usual_of(files: list[Path], mapped: Mapping[str, str]) -> Usual | None:
    """The first records of the first file and of the last; None where one of them has a form that only the general reader knows."""
    samples = [record for file in dict.fromkeys((files[0], files[-1])) for record in objects(records.first_records(file))]
    own = sorted({key for record in samples for key in record})
    try:
        paths = None if is_long(own, mapped) else resolve(own, mapped, where=str(files[0]), hive=hive_keys(files))
    except InputError:
        return None
    if paths is None or not _are_columns(paths, own):
        return None
    columns = dict.fromkeys(paths.stages, "total_ms") | {path: column for column, given in paths.used.items() for path in given}
    fields = [_field(key, columns.get(key), [one[key] for one in samples if one.get(key) is not None]) for key in own]
    known = [field for field in fields if field is not None]
    is_many = sum(1 + len(field.inner) for field in known) > MANY
    return None if is_many or len(known) < len(fields) else Usual(own, samples[0], paths, known)


def _are_columns(paths: Paths, own: Sequence[str]) -> bool:
    """Whether each column is fed by names alone, each of them by one, and folders give texts."""
    used = [(path, column) for column, given in paths.used.items() for path in given]
    names = {*own, *paths.hive}
    if len(dict(used)) < len(used) or not dict(used).keys() <= names or {*own} & {*paths.hive, *aliases.LISTS}:
        return False
    are_texts = all(aliases.TYPES.get(column, "VARCHAR") == "VARCHAR" for path, column in used if path in paths.hive)
    return are_texts and can_be_fields([*names]) and not paths.odd_lists and not odd_names(paths)


def _field(key: str, column: str | None, values: list[Any]) -> Field | None:
    """One field by its values in some records, all of one form; None = only the general reader knows that form."""
    target = aliases.TYPES.get(column or "", "VARCHAR")
    inside = [one for value in values if isinstance(value, list) for one in value]
    may_be_json = column in ID_LISTS or column is None
    if not _is_simple(key) or (may_be_json and any(map(_looks_like_json, (*values, *inside)))):
        return None
    if values and all(isinstance(value, list) for value in values):
        is_flat = all(map(_is_number if target == "DOUBLE[]" else _is_scalar, inside)) and column != "flags"
        kind = target if column else ""
        return Field(key, column, kind, kind or "VARCHAR[]") if is_flat and (not kind or kind.endswith("[]")) else None
    if column == "stage_ms":
        names = dict.fromkeys(name for value in values if isinstance(value, dict) for name in value)
        are_numbers = all(isinstance(value, dict) and all(map(_is_number, value.values())) for value in values)
        is_struct = names and are_numbers and can_be_fields([*names]) and all(map(_is_simple, names))
        return Field(key, column, target, "DOUBLE", tuple(names)) if is_struct else None
    fits = _FITS.get(target)
    if fits is None or not all(map(fits, values)):
        return None
    return Field(key, column, target, target, is_iso=column == "timestamp" and all(map(_is_iso, values)))


def _looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("[", "{"))


def _is_simple(name: str) -> bool:
    return name.isascii() and name.isprintable() and not {'"', "\\"} & {*name}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_iso(value: Any) -> bool:
    try:
        return bool(dt.datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


_FITS = {"VARCHAR": _is_scalar, "DOUBLE": _is_number, "BOOLEAN": lambda value: isinstance(value, bool)}


def usual_select(engine: Engine, files: list[Path], fields: Sequence[Field], hive: Collection[str]) -> str:
    """SQL of the lines, read once: a column a field and a folder, rw_file, rw_line; of lines unlike the first ones rw_text, rw_problem, rw_piece."""
    engine.register("line_stream", pa.RecordBatchReader.from_batches(STREAM, counted(records.reader(files))))
    engine.register("line_sources", lines.sources(files))
    shape = {
        f.name: dict.fromkeys(f.inner, f.shape) if f.inner else [f.shape[:-2]] if f.shape.endswith("[]") else f.shape
        for f in fields
    }
    folders = "".join(f", {hive_value(key, 'file')} as {identifier(key)}" for key in hive)
    moments = "".join(f", {field.moment} as {_made(field)}" for field in fields if field.column == "timestamp")
    columns = [*(f"{field.value} as {identifier(field.name)}" for field in fields if field.kind), *map(identifier, hive)]
    return f"""select {", ".join(columns)}, file as rw_file, source_line as rw_line,
            if(rw_is_usual, null, line) as rw_text, problem as rw_problem, piece as rw_piece
        from (select *, coalesce({" and ".join(_conditions(fields))}, false) as rw_is_usual
            from (select *{moments} from (select *, try(json_transform(line, {quoted(json.dumps(shape))})) as r
                from line_stream inner join (select *{folders} from line_sources) using (source_no)
                where not is_blank(line) or problem is distinct from null)))"""


def _conditions(fields: Sequence[Field]) -> Iterator[str]:
    """SQL of what holds for a line like the first ones."""
    yield "r is not null and problem is null and piece is null"
    top = " + ".join(f"({field.sql} is not null)::integer" for field in fields)
    every = " + ".join([top, *(f"({value} is not null)::integer" for field in fields for value in field.inside)])
    yield f"names - nulls = {every}"
    known = f"len(list_intersect({quoted([field.name for field in fields])}, try(json_keys(line))))"
    yield f"if(nulls = 0, true, {known} = nulls + {top})"  # (if: each part of an `or` is made for every line)
    lists = [field.sql for field in fields if field.column in ("ranked_ids", "texts")]
    yield f"({' or '.join(f'{sql} is not null' for sql in lists)})"  # else it may be a reject, which shows its text
    numbers = {sql: [f.name, name] for f in fields for sql, name in zip(f.inside, f.inner, strict=True)}
    numbers |= {f.sql: [f.name] for f in fields if f.kind == "DOUBLE"}
    if numbers:  # true is read as 1, false as 0
        may_be = " or ".join(f"coalesce({sql} in (0, 1), false)" for sql in numbers)
        kinds = f"try(json_type(line, {quoted([json_path(path) for path in numbers.values()])}))"
        yield f"if(bools = 0, true, if({may_be}, not list_contains({kinds}, 'BOOLEAN'), true))"
    for field in fields:
        yield from _conditions_of(field)


def _conditions_of(field: Field) -> Iterator[str]:
    sql = field.sql
    if field.column == "timestamp":
        yield f"({sql} is null or {field.value} is not null)"
    elif field.column is None and field.kind:  # a list or an object is no attribute
        yield f"({sql} is null or not (starts_with({sql}, '[') or starts_with({sql}, '{{')))"
    elif field.column in ID_LISTS:
        yield f"not may_nest({sql})"
    elif field.kind == "DOUBLE[]":
        are_numbers = f"not list_contains(try(json_type(line, {quoted(json_path([field.name, '[]']))})), 'BOOLEAN')"
        yield f"if({sql} is null, true, list_count({sql}) = len({sql}) and if(list_contains({sql}, 1), {are_numbers}, true))"
    elif field.inner:
        yield f"({sql} is null or nulls = 0 or {_are_there(field.inside)})"


def _are_there(values: Sequence[str]) -> str:
    return " and ".join(f"{sql} is not null" for sql in values)


def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches with what is counted in each line: its names at least, those whose value is null, those whose value is true or false."""
    for batch in batches:
        text = batch.column(2)
        _, at, data = text.buffers()
        ends = np.frombuffer(at, np.int32)[text.offset : text.offset + len(text) + 1] if len(text) else np.zeros(1, np.int32)
        found = _names_in(np.frombuffer(data, np.uint8)[: ends[-1]] if data is not None else np.zeros(0, np.uint8))
        counts = [pa.array(np.diff(np.searchsorted(places, ends)).astype(np.int32)) for places in found]
        yield pa.record_batch([*batch.columns, *counts], schema=STREAM)


def _names_in(data: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where a colon stands behind a quote or white space; where null follows; where true or false does."""
    parts = [np.flatnonzero(data[start : start + _CHUNK] == _COLON) + start for start in range(0, len(data), _CHUNK)]
    colons = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    before = data[np.maximum(colons - 1, 0)] if len(colons) else np.zeros(0, np.uint8)
    colons = colons[(before == _QUOTE) | (before <= _SPACE)]
    first, second = (np.take(data, colons + n, mode="clip") if len(colons) else np.zeros(0, np.uint8) for n in (1, 2))
    value = np.where(first == _SPACE, second, first)
    return colons, colons[value == _N], colons[(value == _T) | (value == _F)]
