"""Tables that are no Parquet: CSV and TSV files, SQLite and DuckDB databases, each copied to Parquet with the line or row it stood at."""

import ast
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from ..base.engine import Engine, EngineError, identifier, quoted, quoted_paths
from ..base.errors import InputError, UsageError
from ..base.registry import known
from . import aliases
from .csv_rows import Row, csv_rows, delimiter_of
from .flat import read_relation, sniff_columns
from .log_format import Format, Read
from .long_rows import document_of, is_long
from .records import first_records, is_json

TABLE = "table"  # --map table=NAME: which table of a database
ROWS = 50_000  # rows of a CSV or SQLite table in memory at once
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"  # the latter from byte 8 on
LISTS = ("ranked_ids", "candidate_ids", "scores", "texts")
SEPARATORS = ("|", ";", ",")  # between ids in a cell, the first that occurs
_ELEMENT, _ESCAPE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,"]+)'), re.compile(r"\\(.)")  # of a PostgreSQL array: {a,"b, c"}
_NO_COMMA = re.compile(r"['\"]\s+['\"]")  # numpy's text of a list


def sniff(head: list[str]) -> bool:
    """A header of names, and rows with as many fields."""
    delimiter = delimiter_of(head[0])
    return delimiter is not None and all(row.count(delimiter) >= head[0].count(delimiter) for row in head[1:2])


def sqlite_rows(path: Path, table: str | None) -> Iterator[Row]:
    """The rows of a table of a SQLite database: numbers as their text, bytes as hex."""
    import sqlite3

    with sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True) as database:
        try:
            named = database.execute("select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'")
            tables = {
                name: [row[1] for row in database.execute(f"pragma table_info({identifier(name)})")] for (name,) in named.fetchall()
            }
            name = chosen(tables, table, path)
            yield 1, None, list(tables[name])
            for number, row in enumerate(database.execute(f"select * from {identifier(name)}"), 1):
                yield number, None, [cell.hex() if isinstance(cell, bytes) else None if cell is None else str(cell) for cell in row]
        except sqlite3.Error as error:
            raise InputError(
                f"cannot be read ({error})", where=str(path), fix="Check the database, or export the table as Parquet"
            ) from error


def chosen(tables: Mapping[str, Sequence[str]], table: str | None, path: Path) -> str:
    """The table of recalls.

    Raises:
        InputError: none there, or none of that name.
        UsageError: several, and none is named.
    """
    if table is not None:
        if table not in tables:
            raise InputError(f"no table {table!r}", where=str(path), fix=known(table, tables))
        return table
    likely = [name for name, columns in tables.items() if sniff_columns(list(columns)) or is_long(list(columns), {})] or list(
        tables
    )
    if len(likely) == 1:
        return likely[0]
    if not likely:
        raise InputError("no table there", where=str(path), fix="Name another file")
    raise UsageError(f"several tables ({', '.join(sorted(likely))})", where=str(path), fix="Pass --map table=NAME")


def spooled(engine: Engine, path: Path, rows: Iterable[Row], mapped: Mapping[str, str]) -> Path:
    """Rows of text as Parquet, with ``rw_line`` and ``rw_problem``; result lists as JSON."""
    import pyarrow.parquet as pq

    source = iter(rows)
    _, _, names = next(source)
    header = [str(name) for name in names]
    if len(set(header)) < len(header):
        raise InputError("two columns share a name", where=str(path), fix="Rename one of them in the header")
    wanted = {mapped.get(column, "") for column in LISTS} | {
        path.partition("[")[0] for column in LISTS for path in aliases.LOG[column]
    }
    chunk = list(itertools.islice(source, ROWS))
    document = document_of(header, mapped)
    is_wide = not is_long(header, mapped) or any(_is_list(fields[header.index(str(document))]) for _, _, fields in chunk)
    lists = [number for number, name in enumerate(header) if name in wanted and is_wide]
    schema = pa.schema([*((name, pa.string()) for name in header), ("rw_line", pa.int64()), ("rw_problem", pa.string())])
    spool = _spool(engine)
    with pq.ParquetWriter(spool, schema) as writer:
        while chunk:
            columns: list[list[Any]] = [list(column) for column in zip(*(fields for _, _, fields in chunk), strict=True)]
            for number in lists:
                columns[number] = [list_of(cell, is_text=header[number] in aliases.LOG["texts"]) for cell in columns[number]]
            writer.write_table(
                pa.table([*columns, [line for line, _, _ in chunk], [problem for _, problem, _ in chunk]], schema=schema)
            )
            chunk = list(itertools.islice(source, ROWS))
    return spool


def _spool(engine: Engine) -> Path:
    """A new file for a table."""
    return engine.folder / f"table-{len(list(engine.folder.glob('table-*')))}.parquet"


def _is_list(cell: str | None) -> bool:
    return cell is not None and (cell.lstrip().startswith("[") or any(separator in cell for separator in SEPARATORS))


def list_of(cell: str | None, *, is_text: bool = False) -> str | None:
    """A list in a cell as JSON: JSON, Python's own text of it, PostgreSQL's, or ids parted by ``|``, ``;`` or ``,``. What is none of these stays as it is."""
    if cell is None or not cell.strip():
        return None
    text = cell.strip()
    if (elements := _postgres_array(text)) is not None:
        return json.dumps(elements)
    if text.startswith(("[", "{")):
        try:
            json.loads(text)
        except ValueError:
            try:
                value = None if _NO_COMMA.search(text) else ast.literal_eval(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return text
            return json.dumps(value) if isinstance(value, list) else text
        return text
    separator = "" if is_text else next((s for s in SEPARATORS if s in text), "")
    return json.dumps([part.strip() for part in text.split(separator)] if separator else [text])


def _postgres_array(text: str) -> list[str | None] | None:
    """The elements of a PostgreSQL array as COPY writes it, ``{a,"b, c",NULL}``; None where the text is something else."""
    if not (text.startswith("{") and text.endswith("}")) or (text != "{}" and is_json(text)):
        return None
    return [None if plain == "NULL" else plain or _ESCAPE.sub(r"\1", inner) for inner, plain in _ELEMENT.findall(text[1:-1])]


def duckdb_table(engine: Engine, path: Path, table: str | None) -> Path:
    """A table of a DuckDB database as Parquet with ``rw_line``."""
    spool = _spool(engine)
    try:
        engine.run(f"attach {quoted(str(path))} as rw_database (read_only)")
    except (EngineError, InputError) as error:
        fix = "Close the program that writes to it, or export the table as Parquet"
        raise InputError(f"cannot be read ({error.what})", where=str(path), fix=fix) from None
    try:
        own = "database_name = 'rw_database' and not internal"
        rows = engine.run(f"select schema_name, table_name, list(column_name) from duckdb_columns() where {own} group by all")
        tables = {name if schema == "main" else f"{schema}.{name}": (schema, name, columns) for schema, name, columns in rows}
        schema, name, _ = tables[chosen({name: found[2] for name, found in tables.items()}, table, path)]
        place = f"rw_database.{identifier(schema)}.{identifier(name)}"
        engine.write(f"select *, row_number() over () as rw_line from {place}", spool, what=f"reading {path}")
    finally:
        engine.run("detach rw_database")
    return spool


def is_database(start: bytes) -> bool:
    """Whether a file's first bytes are those of SQLite or DuckDB."""
    return start.startswith(SQLITE) or start[8:12] == DUCKDB


def is_table(path: Path) -> bool:
    """Whether a file that is no Parquet is a database, or a CSV file."""
    with path.open("rb") as stream:
        if is_database(stream.read(16)):
            return True
    head = first_records(path, 2)
    return bool(head) and sniff(head)


def relation_of(engine: Engine, files: Sequence[Path], mapped: Mapping[str, str]) -> str:
    """SQL of the tables of some files, with ``rw_file`` and ``rw_line`` of each row."""
    spools = {}
    for path in files:
        with path.open("rb") as stream:
            start = stream.read(16)
        if start[8:12] == DUCKDB:
            spools[str(duckdb_table(engine, path, mapped.get(TABLE)))] = str(path)
        else:
            rows = sqlite_rows(path, mapped.get(TABLE)) if start.startswith(SQLITE) else csv_rows(path)
            spools[str(spooled(engine, path, rows, mapped))] = str(path)
    names = f"map({quoted(list(spools))}, {quoted(list(spools.values()))})[rw_spool]"
    source = f"read_parquet({quoted_paths(spools)}, union_by_name = true, filename = 'rw_spool')"
    return f"(select * exclude (rw_spool), {names} as rw_file from {source})"


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """Tables, one row a recall or one row a document."""
    relation = relation_of(engine, files, mapped)
    own = {column: path for column, path in mapped.items() if column != TABLE}
    return read_relation(engine, [relation], own, where=str(files[0]), file="rw_file", line="rw_line")


CSV = Format("csv", "CSV or TSV with a header: one row a recall, or one row a document (rank or score)", sniff, read)
DATABASE = Format("database", "a table of a SQLite or DuckDB file", None, read, sniff_bytes=is_database)
