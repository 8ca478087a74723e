"""Collects `*.test` files: SQL tested in SQL, in the form of sqllogictest.

A file is a list of blocks, parted by blank lines; a block may begin with `#` comments, which name it:

    statement ok            the statement runs
    statement error         it fails; below `----` stands a part of the message
    query                   its rows equal those below `----`: one row a line, columns parted by a tab or by ` | `

Every file runs in a DuckDB of its own in which sql/README.md's `.read` lines have been read. Floats are compared to
1e-12, NULL is the null, lists and structs are as DuckDB casts them to text.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sql_readme import connected
from sqllogic import blocks, cells, compare, rows_of


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
