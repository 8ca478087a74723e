"""JSON containers: one record a line, one array, pretty-printed objects, pages of an API, OTLP messages, all as the stream of :mod:`.lines`.

A record of a document (an array's element, an object over many lines) keeps the line it starts at as its
position. A document is cut by its brackets only; whether a record is JSON is for the format's SQL to say.
"""

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from . import cloud_traces, csv_rows, lines, log_pages, logfmt, otlp_logs, otlp_protobuf, several
from .cells import is_json
from .pages import TOKEN, page_of
from .wrapped import Unwrapping, Wrapper, wrapper_of

ENDS_EARLY = "the JSON ends inside a value"
BATCH = 2048  # records a batch; a batch also ends at lines.BLOCK bytes


def is_document(head: bytes) -> bool:
    """Whether a file's first bytes are a JSON array, an object over many lines or several in one, not one record a line."""
    text = head.removeprefix(lines.BOM).lstrip()
    if text[:1] == b"[":
        return True
    if text[:1] != b"{" or text[:2] == b"{'":
        return False
    not_blank = [line for line in text.split(b"\n") if line.strip()]
    if is_json(not_blank[0]):
        return False
    if _are_objects(not_blank[0]):
        return True
    if len(not_blank) == 1:
        return False
    return not any(line.startswith(b"{") and is_json(line) for line in not_blank[1:])


def _are_objects(line: bytes) -> bool:
    """Whether a line is whole objects, one after the other; the last may be cut by the end of what was read."""
    text, at, n = line.decode("utf-8", errors="replace").strip(), 0, 0
    while at < len(text) and text[at] == "{":
        try:
            at = json.JSONDecoder().raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            return n > 1
        at, n = at + len(text[at:]) - len(text[at:].lstrip()), n + 1
    return n > 1 and at == len(text)


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unpacked, cut at the end of a line where possible; all of a small one."""
    head = b""
    for data, _problem in lines.blocks(path, lines.HEAD):
        head += data
        if len(head) > lines.HEAD:
            cut = head.rfind(b"\n", 0, lines.HEAD)
            return head[: cut if cut > 0 else lines.HEAD]
    return head


def documents_of(path: Path, head: bytes) -> Iterator[tuple[int, bytes, str | None]] | None:
    """(position, bytes, problem) of each record of a file that is no text of one record a line; None = it is one."""
    if framing := otlp_protobuf.framing_of(path):
        return otlp_protobuf.requests(path, framing)
    if csv_rows.hold_records(head):
        return csv_rows.as_records(csv_rows.csv_rows(path))
    if logfmt.is_there(head):
        return logfmt.records(path)
    if (found := _of_services(path, head)) is not None:
        return found
    page = page_of(head)
    return documents(path, page) if page or is_document(head) else None


def _of_services(path: Path, head: bytes) -> Iterator[tuple[int, bytes, str | None]] | None:
    """The same of answers of log services, traces of clouds and log records of OTLP."""
    if log_pages.is_page(head):
        return log_pages.lines_of(documents(path))
    if cloud_traces.may_be_there(head) and cloud_traces.hold_spans(documents(path)):
        return cloud_traces.spans(documents(path))
    if otlp_logs.is_request(head) and otlp_logs.hold_recalls(documents(path)):
        return otlp_logs.log_records(documents(path))
    return None


def reader(paths: list[Path], unwrap: str | None = None) -> pa.RecordBatchReader:
    """A stream DuckDB can scan once: source_no, source_line, line, problem, piece, whatever the container and the wrapper.

    ``unwrap``: steps, joined by dots, to the text or object that holds a record; None = detected.
    """
    return pa.RecordBatchReader.from_batches(lines.SCHEMA, _batches(paths, unwrap))


def first_records(path: Path, n: int = 20) -> list[str]:
    """The first records that are not blank: a format is detected from them."""
    head = head_of(path)
    if _wrapper_in(head) is not None or _may_be_several(head):
        return list(itertools.islice((line for batch in _batches([path], None) for line in _whole(batch)), n))
    records = documents_of(path, head)
    if records is None:
        return lines.first_lines(path, n)
    there = (data for _line, data, problem in records if problem != lines.OTHER)
    return [data.decode("utf-8", errors="replace") for data in itertools.islice(there, n)]


def _whole(batch: pa.RecordBatch) -> list[str]:
    """The records of a batch that are there; where none is whole, what stands in their place."""
    rows = [(line, problem) for _, line, problem in _rows(batch) if line.strip() and problem != lines.OTHER]
    return [line for line, problem in rows if problem is None] or [line for line, _ in rows]


def are_rewritten(path: Path) -> bool:
    """Whether records stand inside a file's lines, or a line answers several queries."""
    head = head_of(path)
    return _wrapper_in(head) is not None or any(several.answers_several(text) for text in head.decode(errors="replace").split("\n"))


def _batches(paths: list[Path], unwrap: str | None) -> Iterator[pa.RecordBatch]:
    for number, path in enumerate(paths):
        head = head_of(path)
        wrapper = Wrapper(tuple(unwrap.split("."))) if unwrap is not None else _wrapper_in(head)
        batches = _bare_batches(path, number, head)
        batches = batches if wrapper is None else _unwrapped(batches, wrapper, number)
        yield from _numbered(_apart(batches, number) if _may_be_several(head) else batches)


def _may_be_several(head: bytes) -> bool:
    """Whether a record may be rewritten."""
    return several.may_be_there(head) or csv_rows.hold_records(head)


def wrapper_in_file(path: Path) -> Wrapper | None:
    """How the records of a file are wrapped."""
    return _wrapper_in(head_of(path))


def _wrapper_in(head: bytes) -> Wrapper | None:
    """How the first lines (or the first records of a document) are wrapped."""
    if (wrapper := csv_rows.wrapper_in(head)) is not None:
        return wrapper
    if log_pages.is_page(head):
        return log_pages.wrapper_in(head)
    page = page_of(head)
    if not page and not is_document(head):
        return wrapper_of(head.removeprefix(lines.BOM).decode("utf-8", errors="replace").split("\n"))
    return wrapper_of(
        data.decode("utf-8", errors="replace") for _line, data, _problem in _Splitter(page).feed(head.removeprefix(lines.BOM))
    )


def _unwrapped(batches: Iterable[pa.RecordBatch], wrapper: Wrapper, number: int) -> Iterator[pa.RecordBatch]:
    """The records inside the lines of some batches."""
    unwrapping = Unwrapping(wrapper)
    for batch in batches:
        rows = list(unwrapping.rows(_rows(batch)))
        if rows:
            yield _batch(rows, number)
    if rest := list(unwrapping.rest()):
        yield _batch(rest, number)


def _numbered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Records that start at one line are told apart by a number."""
    last = n = 0
    for batch in batches:
        numbers = batch.column(1).to_numpy()
        if len(numbers) and numbers[0] != last and (numbers[1:] != numbers[:-1]).all():  # nearly always: no look at each line
            last, n = numbers[-1], 1
            yield batch
            continue
        pieces: list[int | None] = []
        for line in numbers.tolist():
            last, n = line, n + 1 if line == last else 1
            pieces.append(n if n > 1 else None)
        yield batch.set_column(4, "piece", pa.array(pieces, pa.int32())) if any(pieces) else batch


def _apart(batches: Iterable[pa.RecordBatch], number: int) -> Iterator[pa.RecordBatch]:
    """A record a query, of records that answer several."""
    for batch in batches:
        if rows := list(several.apart(_rows(batch))):
            yield _batch(rows, number)


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[int, str, str | None]]:
    return zip(*(batch.column(n).to_pylist() for n in (1, 2, 3)), strict=True)


def _bare_batches(path: Path, number: int, head: bytes) -> Iterator[pa.RecordBatch]:
    """A file's lines, or the records of a document."""
    if (records := documents_of(path, head)) is not None:
        yield from _document_batches(records, number)
        return
    for batch in lines.batches([path]):
        yield batch.set_column(0, "source_no", pa.repeat(pa.scalar(number, pa.int32()), len(batch)))


def _document_batches(records: Iterator[tuple[int, bytes, str | None]], number: int) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[int, str, str | None]] = []
    size = 0
    for line, data, damage in records:
        text, is_text = decoded(data)
        rows.append((line, text, damage if is_text else lines.NOT_UTF8))
        size += len(data)
        if len(rows) >= BATCH or size >= lines.BLOCK:
            yield _batch(rows, number)
            rows, size = [], 0
    if rows:
        yield _batch(rows, number)


def decoded(data: bytes) -> tuple[str, bool]:
    """The text of bytes, and whether it is UTF-8."""
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="replace"), False


def _batch(rows: list[tuple[int, str, str | None]], number: int) -> pa.RecordBatch:
    at, text, problem = (list(column) for column in zip(*rows, strict=True))
    return pa.record_batch(
        [
            pa.repeat(pa.scalar(number, pa.int32()), len(rows)),
            pa.array(at, pa.int64()),
            pa.array(text, pa.string()),
            pa.array(problem, pa.string()),
            pa.nulls(len(rows), pa.int32()),
        ],
        schema=lines.SCHEMA,
    )


def documents(path: Path, page: bytes = b"") -> Iterator[tuple[int, bytes, str | None]]:
    """(line it starts at, bytes, problem) of each record: an array's elements, what stands under a page's key, else the top-level values."""
    splitter = _Splitter(page)
    damage: str | None = None
    for number, (data, problem) in enumerate(lines.blocks(path)):
        damage = problem if problem and problem != lines.TAIL else None
        yield from splitter.feed(data.removeprefix(lines.BOM) if number == 0 else data)
    yield from splitter.end(damage)


class _Splitter:
    """Cuts a document at its brackets, block by block; memory is a block and one record."""

    def __init__(self, page: bytes) -> None:
        self.depth, self.line, self.started, self.inside = 0, 1, 0, False
        self.page, self.key, self.parts = page, b"", list[bytes]()
        self.at = -1 if page else 0  # how deep records stand; -1 = outside of a page's records
        self.above = 0  # 1 = pages in an array

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes, str | None]]:
        """Records that end in this block (blocks end at a line's end, so no string is cut in two)."""
        start = 0 if self.inside else -1
        for token in TOKEN.finditer(data):
            first = token.group()[:1]
            if first == b"\n":
                self.line += 1
                continue
            self.line += token.group().count(b"\n") if first == b'"' else 0
            if first in b"[{" and first:
                start = self._open(first, token.start(), start)
            elif first in b"]}" and first:
                self.depth = max(self.depth - 1, 0)
                if self.inside and self.depth == self.at:
                    yield self.started, b"".join([*self.parts, data[max(start, 0) : token.end()]]), None
                    self.inside, self.parts, start = False, [], -1
                if self.page and not self.inside and self.depth < 2 + self.above:
                    self.at = -1  # past the page's list, or its only record
            elif self.at < 0:
                self.key = token.group()[1:-1] if first == b'"' else self.key
            elif not self.inside:
                yield self.line, token.group().strip(), None
        if self.inside:
            self.parts.append(data[max(start, 0) :])

    def _open(self, bracket: bytes, at: int, start: int) -> int:
        """One level down; a record starts where none was open."""
        is_list = bracket == b"["
        if self.page and is_list and self.depth == 0:
            self.above = 1
        elif self.at < 0 and self.depth == 1 + self.above and self.key == self.page:
            self.at = self.depth + is_list
        elif is_list and self.depth == 0 and self.at == 0:
            self.at = 1
            self.depth += 1
            return start
        if not self.inside and self.depth == self.at:
            self.inside, self.started, start = True, self.line, at
        self.depth += 1
        return start

    def end(self, damage: str | None) -> Iterator[tuple[int, bytes, str | None]]:
        """The rest, when the file ends inside a value."""
        if self.inside or self.depth > 0 or damage:
            yield self.started or 1, b"".join(self.parts), damage or ENDS_EARLY
