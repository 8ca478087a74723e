"""The ten questions of sql/README.md are answered as shown, by any DuckDB from 1.4 on, also while an ingest runs."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_logs import events, write
from store_questions import answer, make_store, questions

from recallwatch.store import ingest
from recallwatch.store.sql_query import as_csv, ask


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample logs, scored."""
    return make_store(tmp_path_factory.mktemp("questions") / "store")


def test_there_are_ten() -> None:
    """Every question has a query and an output."""
    assert len(questions()) == 10
    assert all(query and output for _, query, output in questions())


@pytest.mark.parametrize("number", range(10))
def test_answered_as_shown(store: Path, number: int) -> None:
    """`recallwatch sql` prints what the page shows; if the numbers are meant to change: python tests/store/store_questions.py."""
    _, query, output = questions()[number]
    assert answer(store, query) == output


@pytest.fixture
def busy(store: Path, tmp_path: Path) -> Iterator[None]:
    """Another log comes into the store, again and again, until the test is over; it is of a day of its own."""
    over = threading.Event()
    failures: list[Exception] = []

    def work() -> None:
        n = 10
        while not over.is_set():
            rows = [{**row, "timestamp": "2026-10-01T00:00:00Z", "query_id": None, "query_text": "x"} for row in events(n)]
            try:
                ingest([write(rows, tmp_path / "other.jsonl")], store=store)
            except Exception as error:
                failures.append(error)
                return
            n += 1

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()
    assert failures == []
    (tmp_path / "other.jsonl").unlink()
    ingest([write([], tmp_path / "none.jsonl")], store=store, forget=True)


PROGRAM = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    print(len(connection.execute(sys.argv[2]).fetchall()))
"""


@pytest.mark.usefixtures("busy")
def test_duckdb_2_in_another_process(store: Path) -> None:
    """The package's own DuckDB, in a process of its own, answers all ten while a writer replaces the file."""
    for _, query, output in questions():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, store / "recall.duckdb", query], capture_output=True, text=True, check=False
        )
        assert (done.stdout.strip(), done.stderr) == (str(len(output.splitlines()) - 2), ""), query


@pytest.mark.usefixtures("busy")
def test_the_command_line_client(store: Path) -> None:
    """The client of PyPI's duckdb-cli answers all ten while a writer replaces the file, with the same first columns."""
    client = shutil.which("duckdb", path=f"{Path(sys.executable).parent}") or shutil.which("duckdb")
    if client is None:
        pytest.skip("no duckdb client there: pip install duckdb-cli")
    for _, query, _ in questions():
        command = [client, "-readonly", "-csv", "-no-stdin", store / "recall.duckdb", "-c", query]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.stderr == "", query
        found, expected = (list(csv.reader(io.StringIO(text))) for text in (done.stdout, as_csv(ask(store, query))))
        assert [row[0] for row in found] == [row[0] for row in expected], query
