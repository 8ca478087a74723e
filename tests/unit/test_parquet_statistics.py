"""A Parquet file's own statistics spare a look at its lists, and only when they rule out what is looked for."""

import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.engine import Engine, quoted
from recallwatch.read import read_logs

CASES = {
    "whole": ([["a"], ["b", "c"]], True),
    "an empty list": ([["a"], [], ["b"]], False),
    "a null list": ([["a"], None, ["b"]], False),
    "a null id": ([["a", None], ["b"]], False),
}


def write(path: Path, lists: list[list[str | None] | None], writer: str) -> None:
    """The same log by each of the three libraries people write Parquet with."""
    ids = [f"q{n}" for n in range(len(lists))]
    if writer == "polars":
        pl.DataFrame(
            {"query_id": ids, "ranked_ids": lists}, schema={"query_id": pl.String, "ranked_ids": pl.List(pl.String)}
        ).write_parquet(path)
        return
    table = pa.table({"query_id": ids, "ranked_ids": pa.array(lists, pa.list_(pa.string()))})
    if writer == "pyarrow":
        pq.write_table(table, path)
        return
    engine = Engine()
    engine.register("rows", table)
    engine.run(f"copy (from rows) to {quoted(str(path))} (format parquet)")
    engine.close()


@pytest.mark.parametrize("writer", ["pyarrow", "duckdb", "polars"])
@pytest.mark.parametrize("case", CASES)
def test_statistics_are_believed_only_where_they_say_all(tmp_path: Path, case: str, writer: str) -> None:
    """A null or empty list, or a null id, is never overlooked, whoever wrote the file."""
    lists, is_whole = CASES[case]
    write(tmp_path / "log.parquet", lists, writer)
    engine = Engine()
    engine.file("0_schema.sql")
    engine.file("1_normalise/values.sql")
    read_logs(engine, [str(tmp_path / "log.parquet")])
    assert engine.run("select fact_whole_lists()") == [(is_whole,)]
    engine.close()


def test_a_file_without_the_column_is_not_whole(tmp_path: Path) -> None:
    """Where one of two files lacks the list column, its records count as bad lines."""
    write(tmp_path / "a.parquet", [["a"]] * 3, "pyarrow")
    pq.write_table(
        pa.table({"query_id": ["q9"], "texts": pa.array([["some text"]], pa.list_(pa.string()))}), tmp_path / "b.parquet"
    )
    labels = pa.table({"query_id": ["q0"], "document_id": ["a"]})
    counts = recallwatch.evaluate(tmp_path, labels).counts
    assert (counts["events"], counts["unscorable_events"]) == (4, 1)


@pytest.mark.parametrize("case", CASES)
def test_texts_are_believed_in_the_same_way(tmp_path: Path, case: str) -> None:
    """A record without ids and without texts is a bad line, and an empty list is counted, whatever the statistics spared."""
    lists = CASES[case][0]
    log, labels = tmp_path / "log.parquet", {"query_id": ["q0", "q1"], "document_id": ["x", "y"], "expected_text": ["a", "b"]}
    pq.write_table(
        pa.table({"query_id": [f"q{n}" for n in range(len(lists))], "texts": pa.array(lists, pa.list_(pa.string()))}), log
    )
    found = recallwatch.evaluate(log, pa.table(labels), match="token_f1", max_rejects=1.0)
    rows = tmp_path / "log.jsonl"
    rows.write_text("".join(json.dumps({"query_id": f"q{n}", "texts": texts}) + "\n" for n, texts in enumerate(lists)))
    by_lines = recallwatch.evaluate(rows, pa.table(labels), match="token_f1", max_rejects=1.0)
    assert found.counts == by_lines.counts
    assert found.counts["rejected_lines"] == (1 if case == "a null list" else 0)
    assert found.counts["empty_rankings"] == (1 if case == "an empty list" else 0)
    assert found.metrics.equals(by_lines.metrics)
