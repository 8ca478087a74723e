"""Text files as a stream of Arrow batches (source_no, source_line, line, problem): positions are our own, memory is a block.

DuckDB's CSV reader cuts lines at a lone CR and shifts positions past a broken byte, so the split is made
here, on the bytes, at \\n only; gzip and zstd are undone on the way.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

BLOCK = 8 << 20
SCHEMA = pa.schema([("source_no", pa.int32()), ("source_line", pa.int64()), ("line", pa.string()), ("problem", pa.string())])
GZIP, ZSTD, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
NOT_UTF8, CUT_SHORT, TAIL = "not UTF-8", "compressed file is damaged or ends early", "incomplete_tail"


def opened(path: Path) -> BinaryIO:
    """The bytes of a plain, .gz or .zst file, by its first bytes, not its name."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head.startswith(GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if head == ZSTD:
        return cast(BinaryIO, pa.CompressedInputStream(pa.OSFile(str(path), "rb"), "zstd"))
    return path.open("rb")


def blocks(path: Path) -> Iterator[tuple[bytes, str | None]]:
    """Blocks that end at a line's end; the last may be an unfinished line, or a note that the file is damaged."""
    carry: list[bytes] = []
    damage = None
    with opened(path) as stream:
        while damage is None:
            try:
                block = stream.read(BLOCK)
            except (EOFError, OSError, zlib.error) as error:
                block, damage = b"", f"{CUT_SHORT} ({error})"
            if not block:
                break
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join([*carry, block[:cut]]), None
                carry = []
            carry.append(block[cut:])
    rest = b"".join(carry)
    if rest or damage:
        yield rest, damage or TAIL


def as_batch(data: bytes, problem: str | None, number: int, first: int) -> pa.RecordBatch:
    """One row per line of a block; a line that is no UTF-8 keeps its place and is named."""
    lines = pc.split_pattern(pa.array([data], pa.binary()), pattern=b"\n").values
    if data.endswith(b"\n"):
        lines = lines[:-1]
    n = len(lines)
    problems = pa.repeat(pa.scalar(problem, pa.string()), n)
    try:
        text = lines.cast(pa.string())
    except pa.ArrowInvalid:
        decoded = [line.decode("utf-8", errors="replace") for line in lines.to_pylist()]
        text = pa.array(decoded, pa.string())
        problems = pa.array([NOT_UTF8 if "\ufffd" in line else problem for line in decoded], pa.string())
    return pa.record_batch([pa.repeat(pa.scalar(number, pa.int32()), n), pa.array(range(first, first + n), pa.int64()), text, problems], schema=SCHEMA)


def batches(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    """All lines of all files, in order; one file open at a time."""
    for number, path in enumerate(paths):
        first = 1
        for data, problem in blocks(path):
            batch = as_batch(data.removeprefix(BOM) if first == 1 else data, problem, number, first)
            yield batch
            first += len(batch)


def reader(paths: list[Path]) -> pa.RecordBatchReader:
    """A stream DuckDB can scan once."""
    return pa.RecordBatchReader.from_batches(SCHEMA, batches(paths))


def first_lines(path: Path, n: int = 20) -> list[str]:
    """The first lines that are not blank: what a format is told by."""
    found: list[str] = []
    for data, _problem in blocks(path):
        found += [line for line in data.removeprefix(BOM).decode("utf-8", errors="replace").split("\n") if line.strip()]
        if len(found) >= n:
            break
    return found[:n]
