"""--where: one condition over the columns of recalls, the same on logs, store and library; hostile text is refused in our words, exit 2."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import UsageError
from recallwatch.read import Logs, read_logs
from recallwatch.read.selection import selected
from recallwatch.store.evaluation import ingest

ROWS: list[dict[str, Any]] = [
    {
        "event": "recall",
        "query_id": "q1",
        "ranked_ids": ["a", "b"],
        "tenant": "acme",
        "total_ms": 5.5,
        "search_ms": 2,
        "n": "9",
        "config": "new",
    },
    {
        "event": "recall",
        "query_id": "q2",
        "ranked_ids": ["x"],
        "tenant": "bolt",
        "total_ms": 40,
        "search_ms": 9,
        "n": "10",
        "config": "old",
    },
    {
        "event": "recall",
        "query_id": "q1",
        "ranked_ids": [],
        "tenant": "acme",
        "total_ms": 7,
        "search_ms": 1,
        "n": "5.4",
        "config": "new",
    },
]
LABELS = [{"query_id": "q1", "relevant": ["a"]}, {"query_id": "q2", "relevant": ["x"]}]


def lines(path: Path, rows: list[Any]) -> Path:
    """JSON lines; a text is a line as it stands."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


@contextmanager
def reading(world: Path) -> Iterator[tuple[Engine, Logs]]:
    """The log, read."""
    with Engine() as engine:
        engine.file("0_schema.sql")
        engine.file("1_normalise/values.sql")
        yield engine, read_logs(engine, [str(world / "log.jsonl")])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same recalls as JSON lines, Parquet and a store; and labels."""
    folder = tmp_path_factory.mktemp("where")
    lines(folder / "labels.jsonl", LABELS)
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "log.parquet")
    ingest(lines(folder / "log.jsonl", ROWS), store=folder / "store")
    return folder


@pytest.mark.parametrize(
    ("where", "passing"),
    [
        ("tenant_id = 'acme'", [0, 2]),
        ("TENANT = 'bolt' or total_ms < 6", [0, 1]),  # the log's own name, letters in any case
        ("n > 5.5", [0, 1]),  # text beside a number is compared as a number: '10' > 5.5, and '5.4' is no 5
        ("n between 5 and 9.5 and config in ('new', 'other')", [0, 2]),
        ("stage_ms.search >= 2 and not tenant = 'bolt'", [0]),
        ("event = 'recall' and variant like 'o%'", [1]),
        ("list_contains(ranked_ids, 'x')", [1]),
        ("nullif(tenant, 'acme') = 'bolt'", [1]),  # null does not pass
    ],
)
def test_which_recalls_pass(world: Path, where: str, passing: list[int]) -> None:
    """Those for which the condition is true, by canonical names and by the log's own."""
    with reading(world) as (engine, logs):
        selected(engine, logs, where)
        assert engine.run("select list(source_line order by source_line) from normalised") == [([i + 1 for i in passing],)]


def test_values_are_those_of_the_passing_recalls_alone(world: Path) -> None:
    """Metrics and latency of every path equal those of a log that holds nothing else."""
    given: dict[str, Any] = {"labels": world / "labels.jsonl", "k": "1", "metrics": ("recall", "mrr")}
    alone = recallwatch.evaluate(lines(world / "alone.jsonl", [ROWS[0], ROWS[2]]), **given).to_dict()
    table = pq.read_table(world / "log.parquet")
    for logs in (world / "log.jsonl", world / "log.parquet", table, world / "store"):
        place = {"logs": None, "store": logs} if logs == world / "store" else {"logs": logs}
        result = recallwatch.evaluate(**place, **given, where="tenant = 'acme'").to_dict()
        assert (result["metrics"], result["latency"]) == (alone["metrics"], alone["latency"])


def test_records_that_do_not_pass_are_no_rejects(tmp_path: Path) -> None:
    """In a log of all kinds of lines only what passes, and what cannot be read as JSON at all, can be a reject."""
    others = [{"event": "http", "status": 200}] * 50
    log = lines(tmp_path / "app.jsonl", ["INFO up", *others, ROWS[0], {"event": "recall", "query_id": "q3"}, '{"event": "rec'])
    labels = lines(tmp_path / "labels.jsonl", LABELS)
    done = run("evaluate", log, "--labels", labels, "--where", "event = 'recall'", "--max-rejects", "70%", "-f", "json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]
    assert (counts["events"], counts["rejected_lines"]) == (1, 2)
    done = run("evaluate", log, "--labels", labels)
    assert done.returncode == 3
    assert "of 54 records" in done.stderr


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("tenat = 'x'", "no column 'tenat'. Did you mean 'tenant'?"),
        ("read_text('/etc/passwd') = 'x'", "the function 'read_text' has no place in a condition"),
        ("exists (select 1)", "a subquery has no place"),
        ("total_ms in (select 1)", "a subquery has no place"),
        ("row_number() over () = 1", "'row_number' has no place"),
        ("count(*) > 1", "the function 'count_star' has no place"),
        ("random() > 0.5", "the function 'random' has no place"),
        ("main.lower(tenant) = 'x'", "has no place"),
        ("total_ms > 1; drop table events", "not one condition"),
        ("total_ms > 1) or (true", "not one condition"),
        ("total_ms > 1 order by 1", "not one condition"),
        ("true union select 1", "not one condition"),
        ("lower(total_ms) = 'x'", "types that do not go together"),
        ("total_ms", "gives no true or false"),
        ("* = 1", "has no place"),
        ("$1 = 1", "has no place"),
    ],
)
def test_nothing_but_a_condition(world: Path, where: str, message: str) -> None:
    """Statements, subqueries, files, windows, aggregates, chance: refused before anything is computed."""
    with reading(world) as (engine, logs), pytest.raises(UsageError) as caught:
        selected(engine, logs, where)
    assert message in str(caught.value)
    assert str(caught.value).startswith("--where: ")


def test_nothing_passes(world: Path) -> None:
    """No recall passes: an error that says so, not a table of nothing."""
    for logs in ([world / "log.jsonl"], ["--store", world / "store"]):
        done = run("evaluate", *logs, "--labels", world / "labels.jsonl", "--where", "tenant = 'cyan'")
        assert (done.returncode, "no event passes" in done.stderr) == (3, True)


def test_a_page_of_one_tenant_names_no_other(tmp_path: Path) -> None:
    """No id, text or line of another tenant is in the page, the JSON or a check of one, though labels without tenants name them all."""
    others = ("bolt", "question-b", "text-b", "doc-b", "doc-lost", "doc-bad", "torn-b")
    rows: list[dict[str, Any]] = [
        {
            "query_id": f"question-{t}",
            "query_text": f"text-{t}",
            "ranked_ids": [f"doc-{t}"],
            "tenant": tenant,
            "timestamp": f"2026-11-0{day}",
        }
        for t, tenant in (("a", "acme"), ("b", "bolt"))
        for day in (1, 2)
    ]
    log = lines(tmp_path / "log.jsonl", [*rows * 60, '{"query_id": "torn-b", "ranked'])
    labels = lines(
        tmp_path / "labels.jsonl",
        [
            {"query_id": "question-a", "query": "text-a", "relevant": ["doc-a"]},
            {"query_id": "question-b", "query": "text-b", "relevant": ["doc-b", "doc-lost"]},
            {"query_id": "question-c", "query": "text-b", "relevant": {"doc-bad": 0}},
        ],
    )
    ingest(log, store=tmp_path / "store")
    where = ("--labels", labels, "--where", "tenant = 'acme'")
    for logs in (log, tmp_path / "store"):
        for command in (
            ("report", logs, "-o", tmp_path / "page.html"),
            ("evaluate", logs, "--per-query", "-f", "json", "-o", tmp_path / "e.json"),
            ("check", log, "-f", "json", "-o", tmp_path / "c.json"),
            ("drift", logs, "-f", "json", "-o", tmp_path / "d.json"),
        ):
            done = run(*command, *where)
            assert done.returncode == 0, done.stderr
            text = command[-1].read_text(encoding="utf-8")
            assert "question-a" in text or command[0] != "evaluate"
            assert [word for word in others if word in text] == []
    counts = json.loads((tmp_path / "e.json").read_text())["counts"]
    assert (counts["labelled_queries"], counts["queries_seen"]) == (3, 1)  # counted all the same
