"""Labels of a CSV or TSV file: its rows with their lines, and the lists in its cells."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from ..base.errors import InputError
from . import lines
from .cells import is_json, list_of
from .csv_rows import EMPTY

TEXTS = ("expected_texts", "gold_answers")
LISTS = ("relevant", *TEXTS)  # a cell may hold a list of them


def with_lists(table: pa.Table, wanted: Mapping[str, Sequence[str]]) -> pa.Table:
    """The table, its cells that may hold a list as JSON; ``relevant`` beside a document is a yes or no where no cell opens a list."""
    for column in LISTS:
        for key in wanted.get(column, ()):
            if key not in table.column_names or (
                column == "relevant" and "document_id" in wanted and _hold_no_list(table.column(key))
            ):
                continue
            cells = [list_of(cell, is_text=column in TEXTS) for cell in table.column(key).to_pylist()]
            if column in TEXTS:  # a text that is no list is one text
                cells = [cell if cell is None or is_json(cell) else json.dumps([cell]) for cell in cells]
            table = table.set_column(table.column_names.index(key), key, pa.array(cells, pa.json_(pa.string())))
    return table


def csv_table(path: Path, delimiter: str) -> pa.Table:
    """A CSV or TSV file as text columns and ``rw_line``, the line each row ends at; an empty field is null, and so is NULL.

    The standard library reads it: DuckDB's reader numbers records, not lines, and in no fixed order.

    Raises:
        InputError: a row with more or fewer fields than the header, a quote that never ends.
    """
    text = io.StringIO(b"".join(lines.chunks(path)).removeprefix(lines.BOM).decode(), newline="")
    rows = csv.reader(text, delimiter=delimiter, strict=True)
    table_rows: list[tuple[int, list[str]]] = []
    try:
        header = next((row for row in rows if row and not row[0].startswith("#")), [])
        if twice := [name for name, n in Counter(header).items() if n > 1 and name]:
            raise InputError(f"two columns are called {twice[0]!r}", where=f"{path}:{rows.line_num}", fix="Rename one of them")
        for row in rows:
            if row and len(row) != len(header):
                what = f"{len(row)} fields (the header has {len(header)})"
                raise InputError(what, where=f"{path}:{rows.line_num}", fix="Mend the row; quote fields that hold a comma")
            if row:
                table_rows.append((rows.line_num, row))
    except csv.Error as error:
        raise InputError(f"not readable as a table ({error})", where=f"{path}:{rows.line_num}") from error
    columns = [pa.array([None if row[i] in EMPTY else row[i] for _, row in table_rows], pa.string()) for i in range(len(header))]
    return pa.table([*columns, pa.array([line for line, _ in table_rows], pa.int64())], names=[*header, "rw_line"])


def _hold_no_list(cells: pa.ChunkedArray) -> bool:
    return not any(cell and cell.lstrip()[:1] in "[{" for cell in cells.to_pylist())
