"""Reads sql/README.md as a person would: its `.read` lines and statements, typed into a plain DuckDB."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "sql" / "README.md"


def snippets() -> list[str]:
    """The ```sql blocks of the page, in order."""
    return re.findall(r"^```sql\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def statements(snippet: str) -> Iterator[str]:
    """The SQL of a snippet: a `.read FILE` line stands for the file's text; paths are relative to the repository."""
    pending: list[str] = []
    for line in snippet.splitlines():
        if line.startswith(".read "):
            yield (REPOSITORY / line.removeprefix(".read ").strip()).read_text(encoding="utf-8")
            continue
        pending.append(line)
        if line.rstrip().endswith(";"):
            yield "\n".join(pending)
            pending = []
    if any(line.strip() for line in pending):
        raise ValueError(f"a statement without its ';' in sql/README.md: {pending}")


def connected() -> duckdb.DuckDBPyConnection:
    """A plain DuckDB in which the first snippet, the `.read` lines, has been typed."""
    connection = duckdb.connect()
    for statement in statements(snippets()[0]):
        connection.execute(statement)
    return connection
