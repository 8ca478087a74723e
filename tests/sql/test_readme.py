"""sql/README.md as a reader types it: every statement runs in a plain DuckDB, and the numbers are right."""

from pathlib import Path

import duckdb
import pytest
from sql_readme import REPOSITORY, snippets, statements


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[list[tuple[object, ...]]]:
    """The rows of each snippet's last statement; the file a snippet writes goes to a folder of the test."""
    folder = tmp_path_factory.mktemp("readme")
    connection = duckdb.connect()
    found = []
    for snippet in snippets():
        rows: list[tuple[object, ...]] = []
        for statement in statements(snippet):
            placed = statement.replace("'recalls.parquet'", f"'{folder / 'recalls.parquet'}'")
            rows = connection.execute(placed.replace("'sample_logs/", f"'{REPOSITORY / 'sample_logs'}/")).fetchall()
        found.append(rows)
    return found


def test_a_metric_of_any_parquet_file(results: list[list[tuple[object, ...]]]) -> None:
    """recall_at_k(judge(ranked_ids, relevant), 10) over a Parquet file that only has the two lists."""
    assert sorted(results[1]) == [("my allergy", 1.0, pytest.approx(1 / 3)), ("where I work", 1.0, 1.0)]


def test_means_of_the_sample_logs(results: list[list[tuple[object, ...]]]) -> None:
    """A row a night of the Parquet files, each mean within its range."""
    assert len(results[2]) == len(list((REPOSITORY / "sample_logs" / "recalls").glob("*.parquet")))
    assert all(n > 0 and 0 < recall < 1 and 0 < ndcg < 1 for _, n, recall, ndcg in results[2])  # type: ignore[operator]


def test_options_act_on_a_map_of_grades(results: list[list[tuple[object, ...]]]) -> None:
    """With rel_level 2 only b is relevant; nDCG's gain is 2^grade - 1 of both."""
    ((recall, ndcg),) = results[3]
    log3 = 1.584962500721156
    assert (recall, ndcg) == (0.0, pytest.approx((1 + 3 / log3) / (3 + 1 / log3)))


def test_every_metric_file_is_read() -> None:
    """The `.read` lines name every file of 3_score/, so that a new metric is not forgotten."""
    files = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "sql" / "3_score").glob("*.sql")}
    read = {line.removeprefix(".read ") for line in snippets()[0].splitlines()}
    assert files <= read
    assert all(Path(REPOSITORY, name).is_file() for name in read)
