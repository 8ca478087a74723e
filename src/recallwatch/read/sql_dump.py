"""Plain dumps of PostgreSQL (`pg_dump`), whose tables stand after ``COPY … FROM stdin;``, as rows with their lines."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..base.errors import InputError
from . import lines
from .csv_rows import Row

STATEMENTS = re.compile(r"\s*(?:--|INSERT INTO|CREATE TABLE|BEGIN TRANSACTION|PRAGMA |DROP TABLE|SET |/\*!)", re.IGNORECASE)
_COPY = re.compile(r'COPY (?:"?([^".]+)"?\.)?"?([^"(]+?)"? \((.*)\) FROM stdin;')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def sniff(head: list[str]) -> bool:
    """Its first lines say so."""
    return any(line.startswith("-- PostgreSQL database dump") or _COPY.match(line) for line in head)


def refusal(path: Path) -> InputError:
    """The error of any other dump."""
    fix = "Load it into a database (sqlite3 new.db < FILE) and name that, or export the table as CSV or Parquet"
    return InputError("a dump of SQL statements", where=str(path), fix=fix)


def tables_of(path: Path) -> dict[str, list[str]]:
    """Each table's columns.

    Raises:
        InputError: its rows are statements.
    """
    tables = {name: columns for _line, name, columns, _row in _rows(path) if columns}
    if not tables:
        raise refusal(path)
    return tables


def rows_of(path: Path, table: str) -> Iterator[Row]:
    """The rows of a table, its names first."""
    header: list[str] = []
    for line, name, columns, row in _rows(path):
        if name == table and columns:
            header = columns
            yield line, None, list(header)
        elif name == table:
            problem = f"{len(row)} fields (the header has {len(header)})" if len(row) != len(header) else None
            yield line, problem, [None] * len(header) if problem else row


def _rows(path: Path) -> Iterator[tuple[int, str, list[str], list[str | None]]]:
    """(line, table, its columns where the table begins, else the fields of a row)."""
    table = ""
    for batch in lines.batches([path]):
        for line, text in zip(batch.column(1).to_pylist(), batch.column(2).to_pylist(), strict=True):
            begins = _COPY.match(text) if not table else None
            if begins is not None:
                table = begins[2] if begins[1] in (None, "public") else f"{begins[1]}.{begins[2]}"
                yield line, table, [name.strip().strip('"') for name in begins[3].split(",")], []
            elif table and text == r"\.":
                table = ""
            elif table:
                yield line, table, [], [_value(field) for field in text.split("\t")]


def _value(field: str) -> str | None:
    if field == r"\N":
        return None
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), field) or None
