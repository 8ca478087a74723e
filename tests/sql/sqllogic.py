"""The pieces of a .test file: its blocks, its cells, and how cells are compared. conftest.py says what the form is."""

import math
from collections.abc import Iterator
from typing import Any

import duckdb

TOLERANCE = 1e-12


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """(first line, lines) of each block."""
    block: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def cells(line: str) -> list[str]:
    """The columns of one expected row."""
    return [cell.strip() for cell in line.split("\t" if "\t" in line else " | ")]


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> list[list[Any]]:
    """Rows with floats as floats and all else as DuckDB's text."""
    kinds = connection.sql(sql).types
    texts = connection.sql(f"select columns(*)::varchar from ({sql.rstrip().removesuffix(';')})").fetchall()
    return [
        [float(cell) if str(kind) == "DOUBLE" and cell is not None else cell for kind, cell in zip(kinds, row, strict=True)]
        for row in texts
    ]


def compare(found: list[list[Any]], expected: list[list[str]]) -> None:
    """Equal cell for cell; the message shows both tables."""
    same = len(found) == len(expected) and all(
        len(a) == len(b) and all(map(equal, a, b)) for a, b in zip(found, expected, strict=True)
    )
    assert same, f"expected {expected}, found {found}"


def equal(found: Any, expected: str) -> bool:
    """Whether one cell is as written; a float may be written as a fraction such as 2/3."""
    if found is None or expected == "NULL":
        return found is None and expected == "NULL"
    if not isinstance(found, float):
        return str(found) == expected
    above, _, below = expected.partition("/")
    return math.isclose(found, float(above) / float(below or 1), rel_tol=0, abs_tol=TOLERANCE)
