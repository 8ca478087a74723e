"""CSV and TSV as rows with their lines; and those whose cells hold other programs' lines, as records to unwrap."""

import csv
import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from . import lines
from .several import TEXTS_OF_ANSWERS, has_answer
from .wrapped import EVENTS, TEXTS, Wrapper, wrapper_of

EMPTY = ("", "NULL", r"\N")  # cells without a value, as databases write them too
DELIMITERS = "\t;|,"
_NAME = re.compile(r"[A-Za-z_@][\w .@/()\[\]%-]*")
_SEPARATOR = re.compile(r"sep=(.)\r?\n?")  # the first line of files for Excel
_BROKEN = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8
Row = tuple[int, str | None, list[str | None]]  # line, problem, fields; the first row holds the names
csv.field_size_limit(lines.LONGEST)


def is_above(line: str) -> bool:
    """Whether a line above the header is none: a comment, or what says Excel the separator."""
    return line.startswith("#") or _SEPARATOR.fullmatch(line) is not None


def delimiter_of(header: str) -> str | None:
    """What parts the fields of a header; None = the line is no header of a table."""
    header = header.rstrip("\r")
    if header.lstrip()[:1] in ("{", "[", "") or "\n" in header or "\r" in header:
        return None
    best = max(DELIMITERS, key=header.count)
    try:
        names = next(csv.reader([header], delimiter=best), [])
    except csv.Error:  # bytes of something else
        return None
    named = names[1:] if names[:1] == [""] else names  # pandas' index has no name
    is_header = len(names) > 1 and len(set(names)) == len(names) and all(_NAME.fullmatch(name.strip()) for name in named)
    return best if is_header else None


class _Stream(io.RawIOBase):
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks, self.rest = blocks, b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        self.rest = self.rest or next(self.blocks, b"")
        n = min(len(buffer), len(self.rest))
        buffer[:n], self.rest = self.rest[:n], self.rest[n:]
        return n


def csv_rows(path: Path) -> Iterator[Row]:
    """The rows of a CSV file, the header first; an empty field is null, and so is NULL.

    Raises:
        InputError: a quote that never ends.
    """
    return rows_of(lines.chunks(path), path)


def rows_of(blocks: Iterator[bytes], path: Path) -> Iterator[Row]:
    """The same of the bytes of a file, or of its beginning."""
    text = io.TextIOWrapper(io.BufferedReader(_Stream(blocks)), encoding="utf-8-sig", errors="surrogateescape", newline="")
    first, above = text.readline(), 0
    while is_above(first):
        first, above = text.readline(), above + 1
    rows = csv.reader(itertools.chain([first], text), delimiter=delimiter_of(first.rstrip("\r\n")) or ",", strict=True)
    header: list[str] = []
    try:
        for cells in rows:
            row = [None if cell in EMPTY else cell for cell in cells]
            if not header:
                header = [cell.strip() or f"column{number}" for number, cell in enumerate(cells)]
                yield rows.line_num + above, None, list(header)
            elif any(_BROKEN.search(cell) for cell in cells):
                yield rows.line_num + above, lines.NOT_UTF8, [None] * len(header)
            elif row:
                problem = f"{len(row)} fields (the header has {len(header)})" if len(row) != len(header) else None
                yield rows.line_num + above, problem, [None] * len(header) if problem else row
    except csv.Error as error:
        raise InputError(
            f"not readable as a table ({error})", where=f"{path}:{rows.line_num + above}", fix="Mend the quotes"
        ) from error


def wrapper_in(head: bytes) -> Wrapper | None:
    """Where the records stand in a CSV file with other programs' lines (CloudWatch Insights, Splunk), by its beginning; None = it is no such file."""
    return wrapper_of(_first_records(head, (*TEXTS, *EVENTS)))


def hold_records(head: bytes) -> bool:
    """Whether the cells of a CSV file hold other programs' lines, or answers as JSON."""
    return wrapper_in(head) is not None or any(map(has_answer, _first_records(head, TEXTS_OF_ANSWERS)))


def _first_records(head: bytes, columns: Iterable[str]) -> list[str]:
    """The first rows as JSON, of a CSV file that has one of some columns."""
    header = head.removeprefix(lines.BOM).partition(b"\n")[0].decode("utf-8", errors="replace")
    if not any(text in header for text in columns) or delimiter_of(header) is None:
        return []
    records: list[str] = []
    try:
        for _line, data, problem in as_records(rows_of(iter([head]), Path())):
            records += [] if problem else [data.decode()]
    except InputError:  # the beginning ends within quotes
        pass
    return records


def as_records(rows: Iterator[Row]) -> Iterator[tuple[int, bytes, str | None]]:
    """(line, bytes, problem) of each row as a JSON object."""
    _, _, names = next(rows)
    for line, problem, fields in rows:
        yield line, json.dumps(dict(zip(names, fields, strict=True)), ensure_ascii=False).encode(), problem
