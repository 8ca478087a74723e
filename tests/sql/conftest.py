"""Collects `*.test` files: SQL tested in SQL, in the form of sqllogictest.

A file is a list of blocks, parted by blank lines; a block may begin with `#` comments, which name it:

    statement ok            the statement runs
    statement error         it fails; below `----` stands a part of the message
    query                   its rows equal those below `----`: one row a line, columns parted by a tab or by ` | `

Every file runs in a DuckDB of its own in which sql/README.md's `.read` lines have been read. Floats are compared to
1e-12, NULL is the null, lists and structs are as DuckDB casts them to text.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sql_readme import connected

TOLERANCE = 1e-12


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    """Every .test file in here."""
    return SqlFile.from_parent(parent, path=file_path) if file_path.suffix == ".test" else None


class SqlFile(pytest.File):
    """One .test file; its blocks share a connection, so they run in order."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a block, named by its first comment."""
        connection = connected()
        for line, lines in blocks(self.path.read_text(encoding="utf-8")):
            comments = [text.lstrip("# ") for text in lines if text.startswith("#")]
            body = [text for text in lines if not text.startswith("#")]
            if body:
                yield SqlBlock.from_parent(
                    self, name=f"{line}: {comments[0] if comments else body[1]}", body=body, line=line, connection=connection
                )


class SqlBlock(pytest.Item):
    """One statement or query with what it should do."""

    def __init__(self, *, body: list[str], line: int, connection: duckdb.DuckDBPyConnection, **rest: Any) -> None:
        super().__init__(**rest)
        self.body, self.line, self.connection = body, line, connection

    def runtest(self) -> None:
        """Run it and compare."""
        kind, body = self.body[0].strip(), self.body[1:]
        at = body.index("----") if "----" in body else len(body)
        sql, expected = "\n".join(body[:at]), body[at + 1 :]
        if kind == "statement ok":
            self.connection.execute(sql).fetchall()
        elif kind == "statement error":
            with pytest.raises(duckdb.Error) as caught:
                self.connection.execute(sql).fetchall()
            assert "\n".join(expected) in str(caught.value)
        elif kind == "query":
            compare(rows_of(self.connection, sql), [cells(text) for text in expected])
        else:
            raise ValueError(f"{self.path}:{self.line}: {kind!r} is none of: statement ok, statement error, query")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, self.line - 1, self.name


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
