"""The collector itself can fail: what it compares, and how."""

import duckdb
import pytest
from sqllogic import blocks, cells, compare, rows_of


def test_blocks_are_parted_by_blank_lines() -> None:
    """Each block knows the line it begins at."""
    assert list(blocks("# a\nquery\n\n\nstatement ok\n")) == [(1, ["# a", "query"]), (5, ["statement ok"])]


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("select 0.5::double", "1/2"),
        ("select null::double, [1, null]", "NULL | [1, NULL]"),
        ("select true, 'a | b'", "true\ta | b"),
    ],
)
def test_equal_cells(sql: str, row: str) -> None:
    """Fractions, nulls, lists and text with a bar in it."""
    compare(rows_of(duckdb.connect(), sql), [cells(row)])


@pytest.mark.parametrize(
    ("sql", "row"),
    [("select 0.51::double", "1/2"), ("select null::double", "0"), ("select 0.0::double", "NULL"), ("select 1, 2", "1")],
)
def test_unequal_cells(sql: str, row: str) -> None:
    """A value that is off, null for 0, 0 for null, and a missing column are each seen."""
    with pytest.raises(AssertionError):
        compare(rows_of(duckdb.connect(), sql), [cells(row)])
