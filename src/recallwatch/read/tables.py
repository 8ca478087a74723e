"""Tables that are no Parquet: CSV and TSV files, SQLite and DuckDB databases, each copied to Parquet with the line or row it stood at."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from ..base.engine import Engine, EngineError, identifier, quoted, quoted_paths
from ..base.errors import InputError, UsageError
from ..base.registry import known
from . import aliases, sql_dump
from .cells import is_list, list_of
from .csv_rows import Row, csv_rows, delimiter_of, is_above
from .flat import read_relation, sniff_columns
from .log_format import Format, Read
from .long_rows import document_of, is_long
from .records import first_records

TABLE = "table"  # --map table=NAME: which table of a database
ROWS = 50_000  # rows of a CSV or SQLite table in memory at once
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"  # the latter from byte 8 on
LISTS = ("ranked_ids", "candidate_ids", "scores", "texts")


def sniff(head: list[str]) -> bool:
    """A header of names, and rows with as many fields."""
    head = list(itertools.dropwhile(is_above, head))
    if not head:
        return False
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


def chosen(tables: Mapping[str, Sequence[str]], table: str | None, path: Path | str) -> str:
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
    is_wide = not is_long(header, mapped) or any(is_list(fields[header.index(str(document))]) for _, _, fields in chunk)
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


def duckdb_table(engine: Engine, path: Path, table: str | None) -> Path:
    """A table of a DuckDB database as Parquet with ``rw_line``."""
    spool = _spool(engine)
    try:
        engine.run(f"attach {quoted(str(path))} as rw_database (read_only)")
    except (EngineError, InputError) as error:
        fix = "Close the program that writes to it, or export the table as Parquet"
        raise InputError(f"cannot be read ({error.what})", where=str(path), fix=fix) from None
    return copied_table(engine, spool, str(path), table, ", row_number() over () as rw_line")


def copied_table(engine: Engine, copy: Path, where: str, table: str | None, more: str = "") -> Path:
    """The table of recalls of the attached ``rw_database`` as Parquet; it is detached then."""
    try:
        own = "database_name = 'rw_database' and not internal and schema_name not in ('information_schema', 'pg_catalog', 'mysql', 'sys')"
        rows = engine.run(f"select schema_name, table_name, list(column_name) from duckdb_columns() where {own} group by all")
        tables = {
            name if schema in ("main", "public") else f"{schema}.{name}": (schema, name, columns) for schema, name, columns in rows
        }
        schema, name, _ = tables[chosen({name: found[2] for name, found in tables.items()}, table, where)]
        place = f"rw_database.{identifier(schema)}.{identifier(name)}"
        engine.write(f"select *{more} from {place}", copy, what=f"reading {where}")
    finally:
        engine.run("detach rw_database")
    return copy


def is_database(start: bytes) -> bool:
    """Whether a file's first bytes are those of SQLite or DuckDB."""
    return start.startswith(SQLITE) or start[8:12] == DUCKDB


def is_table(path: Path) -> bool:
    """Whether a file that is no Parquet is a database, or a CSV file."""
    with path.open("rb") as stream:
        if is_database(stream.read(16)):
            return True
    head = first_records(path)
    return bool(head) and (sniff(head) or sql_dump.sniff(head))


def relation_of(engine: Engine, files: Sequence[Path], mapped: Mapping[str, str]) -> str:
    """SQL of the tables of some files, with ``rw_file`` and ``rw_line`` of each row."""
    spools = {}
    for path in files:
        with path.open("rb") as stream:
            start = stream.read(16)
        if start[8:12] == DUCKDB:
            spools[str(duckdb_table(engine, path, mapped.get(TABLE)))] = str(path)
        else:
            rows = _rows(path, start, mapped.get(TABLE))
            spools[str(spooled(engine, path, rows, mapped))] = str(path)
    names = f"map({quoted(list(spools))}, {quoted(list(spools.values()))})[rw_spool]"
    source = f"read_parquet({quoted_paths(spools)}, union_by_name = true, filename = 'rw_spool')"
    return f"(select * exclude (rw_spool), {names} as rw_file from {source})"


def _rows(path: Path, start: bytes, table: str | None) -> Iterator[Row]:
    if start.startswith(SQLITE):
        return sqlite_rows(path, table)
    if sql_dump.sniff(first_records(path)):
        return sql_dump.rows_of(path, chosen(sql_dump.tables_of(path), table, path))
    return csv_rows(path)


def read(engine: Engine, files: list[Path], mapped: Mapping[str, str]) -> Read:
    """Tables, one row a recall or one row a document."""
    relation = relation_of(engine, files, mapped)
    own = {column: path for column, path in mapped.items() if column != TABLE}
    return read_relation(engine, [relation], own, where=str(files[0]), file="rw_file", line="rw_line")


CSV = Format("csv", "CSV or TSV with a header: one row a recall, or one row a document (rank or score)", sniff, read)
DATABASE = Format(
    "database", "a table of a SQLite or DuckDB file, or of a plain pg_dump", sql_dump.sniff, read, sniff_bytes=is_database
)
