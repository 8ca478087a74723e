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
    """One .test file; its blocks share a connection, whose state is what the statements before a block made of it."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a block, named by its first comment."""
        self.statements: list[str] = []
        self.connection, self.ran = connected(), 0
        for line, lines in blocks(self.path.read_text(encoding="utf-8")):
            comments = [text.lstrip("# ") for text in lines if text.startswith("#")]
            body = [text for text in lines if not text.startswith("#")]
            if body:
                self.statements.append("\n".join(body[1:]) if body[0].strip() == "statement ok" else "")
                place, name = len(self.statements) - 1, f"{line}: {comments[0] if comments else body[1]}"
                yield SqlBlock.from_parent(self, name=name, body=body, line=line, place=place)

    def before(self, place: int) -> duckdb.DuckDBPyConnection:
        """The connection as the block at this place finds it; several processes may share a file's blocks, in any order."""
        if self.ran != place:
            self.connection = connected()
            for statement in filter(None, self.statements[:place]):
                self.connection.execute(statement).fetchall()
        self.ran = place + 1
        return self.connection


class SqlBlock(pytest.Item):
    """One statement or query with what it should do."""

    def __init__(self, *, body: list[str], line: int, place: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.body, self.line, self.place = body, line, place

    def runtest(self) -> None:
        """Run it and compare."""
        assert isinstance(self.parent, SqlFile)
        kind, body, connection = self.body[0].strip(), self.body[1:], self.parent.before(self.place)
        at = body.index("----") if "----" in body else len(body)
        sql, expected = "\n".join(body[:at]), body[at + 1 :]
        if kind == "statement ok":
            connection.execute(sql).fetchall()
        elif kind == "statement error":
            with pytest.raises(duckdb.Error) as caught:
                connection.execute(sql).fetchall()
            assert "\n".join(expected) in str(caught.value)
        elif kind == "query":
            compare(rows_of(connection, sql), [cells(text) for text in expected])
        else:
            raise ValueError(f"{self.path}:{self.line}: {kind!r} is none of: statement ok, statement error, query")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, self.line - 1, self.name
