"""Text files as a stream of Arrow batches (source_no, source_line, line, problem, piece): positions are our own, memory is a block.

DuckDB's CSV reader cuts lines at a lone CR and shifts positions past a broken byte, so the split is made
here, on the bytes, at line feeds only; gzip and zstd are undone on the way.
"""

import bz2
import codecs
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np
import pyarrow as pa

from ..base.damage import MAGIC
from ..base.errors import InputError
from .given_records import place
from .parquet_lines import lines_of

BLOCK = 8 << 20
HEAD = 1 << 16  # bytes that tell what a file is
_LINE_FEED = 10
SCHEMA = pa.schema(  # piece: of the records that start at one line, the second and later ones by number
    [("source_no", pa.int32()), ("source_line", pa.int64()), ("line", pa.string()), ("problem", pa.string()), ("piece", pa.int32())]
)
GZIP, ZSTD, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
BZIP2, XZ, UTF16 = b"BZh", b"\xfd7zXZ\x00", (b"\xff\xfe", b"\xfe\xff")
_TO_PARQUET = "Write it as Parquet: pyarrow.parquet.write_table(pyarrow.{0}, 'log.parquet')"
OTHER_KINDS = {  # first bytes -> what it is, what to do
    b"PK\x03\x04": ("a zip archive, or a spreadsheet", "Unpack it, or export the sheet as CSV"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "Unpack it"),
    b"ARROW1": ("an Arrow (Feather) file", _TO_PARQUET.format("feather.read_table(FILE)")),
    b"ORC": ("an ORC file", _TO_PARQUET.format("orc.read_table(FILE)")),
    b"PGDMP": ("an archive of pg_dump", "Write it as text: pg_restore -f dump.sql FILE"),
    b"Obj\x01": ("an Avro file", "Export it as JSON lines (avrocat) or as Parquet"),
}
_TAR = slice(257, 262)  # where a tar archive says what it is
NOT_UTF8, CUT_SHORT, TAIL = "not UTF-8", "compressed file is damaged or ends early", "incomplete_tail"
OTHER = "other_line"  # of another program, or left out by a profile's `where`
NO_REJECTS = (TAIL, OTHER)  # reasons that are counted and are no fault of the log
HELD = 512 << 20  # bytes of text: up to there a table, which spills where memory is short, takes less time than a file
LONGEST = 256 << 20  # bytes of one line or record; a longer one is no recall, and would fill the memory
UNPACKED = 1 << 30  # bytes; a compressed file that unpacks to more …
PACKED = 200  # … and to more than this many times its size holds nothing but repetition (logs pack 5 to 50 times)


def chunks(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """The bytes of a plain, .gz, .zst, .bz2 or .xz file, detected from its first bytes, not its name; data before a damage is passed on.

    UTF-16 (what a redirection in PowerShell writes) becomes UTF-8, and Parquet JSON lines.

    Raises:
        EOFError, OSError, zlib.error, lzma.LZMAError: the compressed data is damaged or ends early.
        InputError: it unpacks to more than a log can hold; an archive, or a file of another kind than text.
    """
    with path.open("rb") as stream:
        head = stream.read(_TAR.stop)
        stream.seek(0)
        refuse_other_kinds(path, head)
        if head[:2] in UTF16:
            yield from _as_utf8(stream)
        elif head.startswith(GZIP):
            yield from _bounded(path, _gunzip(stream))
        elif head.startswith(BZIP2):
            with bz2.open(stream) as plain:
                yield from _bounded(path, _blocks(plain))
        elif head.startswith(XZ):
            with lzma.open(stream) as plain:
                yield from _bounded(path, _blocks(plain))
        elif head.startswith(MAGIC):
            yield from lines_of(path)
        elif head.startswith(ZSTD):
            with pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd") as unpacked:
                yield from _bounded(path, iter(lambda: unpacked.read(BLOCK >> 4), b""))
        else:
            yield from iter(lambda: stream.read(size), b"")


def bytes_in(path: Path) -> int:
    """About how many bytes a text file holds; a packed one ten times its size."""
    with path.open("rb") as stream:
        is_packed = stream.read(6).startswith((GZIP, ZSTD, BZIP2, XZ))
    return path.stat().st_size * (10 if is_packed else 1)


def are_held(paths: list[Path]) -> bool:
    """Whether what is read from some text files is kept as a table."""
    return sum(map(bytes_in, paths)) <= HELD


def refuse_other_kinds(path: Path, head: bytes) -> None:
    """Refuse what is no text and no table, by its first bytes.

    Raises:
        InputError: it is such a file.
    """
    if head[_TAR] == b"ustar":
        raise InputError("a tar archive", where=str(path), fix="Unpack it, and name the folder")
    for magic, (what, fix) in OTHER_KINDS.items():
        if head.startswith(magic):
            raise InputError(what, where=str(path), fix=fix)


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: stream.read(BLOCK >> 3), b"")


def _as_utf8(stream: BinaryIO) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for block in _blocks(stream):
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()


def _bounded(path: Path, unpacked: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a compressed file, as long as they can be a log's."""
    limit, size = max(UNPACKED, PACKED * path.stat().st_size), 0
    for block in unpacked:
        if not size:
            refuse_other_kinds(path, block)
        size += len(block)
        if size > limit:
            what = f"unpacks to over {limit >> 20:,} MiB, {PACKED} times its size or more (expected: a log)"
            raise InputError(what, where=str(path), fix="Unpack the file and look at it, or leave it out")
        yield block


def _gunzip(stream: BinaryIO) -> Iterator[bytes]:
    """Every member of a gzip file, in blocks (gzip.open loses what it read last before an early end)."""
    unpack, rest = zlib.decompressobj(wbits=31), b""
    while data := rest or stream.read(BLOCK >> 3):
        block, rest = unpack.decompress(data, BLOCK), unpack.unconsumed_tail
        if block:
            yield block
        if unpack.eof:
            rest = unpack.unused_data.lstrip(b"\0") or stream.read(BLOCK >> 3)  # zeros may pad a member
            unpack = zlib.decompressobj(wbits=31)
            if not rest:
                return
    if block := unpack.flush():  # output that was waiting for room
        yield block
    if not unpack.eof:
        raise EOFError("no end of the gzip data")


def blocks(path: Path, size: int = BLOCK) -> Iterator[tuple[bytes, str | None]]:
    """Blocks that end at a line's end; the last may be an unfinished line, or a note that the file is damaged. ``size``: bytes read at once."""
    carry: list[bytes] = []
    damage = None
    try:
        for block in chunks(path, size):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield b"".join([*carry, block[:cut]]), None
                carry = []
            carry.append(block[cut:])
            if sum(map(len, carry)) > LONGEST:
                what = f"a line of over {LONGEST >> 20} MiB (expected: one record a line)"
                raise InputError(what, where=str(path), fix="Leave the file out, or write one record a line")
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        damage = f"{CUT_SHORT} ({error})"
    rest = b"".join(carry)
    if rest or damage:
        yield rest, damage or TAIL


def is_utf8(line: bytes) -> bool:
    """Whether the bytes are UTF-8 (a replacement character that somebody logged is)."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def split(data: bytes) -> pa.Array:
    """The lines of a block, as bytes; a block that ends at a line's end has no empty one behind it."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _LINE_FEED)
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate(([0], ends - np.arange(len(ends)))).astype(np.int32)  # where they are once the line feeds are gone
    text = data.replace(b"\n", b"")
    return pa.Array.from_buffers(pa.binary(), len(ends), [None, pa.py_buffer(starts), pa.py_buffer(text)])


def as_batch(data: bytes, problem: str | None, number: int, first: int) -> pa.RecordBatch:
    """One row per line of a block; a line that is no UTF-8 keeps its place and is named."""
    lines = split(data)
    n = len(lines)
    problems = pa.repeat(pa.scalar(problem, pa.string()), n)
    try:
        text = lines.view(pa.string())
        text.validate(full=True)
    except pa.ArrowInvalid:
        raw = lines.to_pylist()
        text = pa.array([line.decode("utf-8", errors="replace") for line in raw], pa.string())
        problems = pa.array([problem if is_utf8(line) else NOT_UTF8 for line in raw], pa.string())
    at = pa.array(np.arange(first, first + n))
    return pa.record_batch(
        [pa.repeat(pa.scalar(number, pa.int32()), n), at, text, problems, pa.nulls(n, pa.int32())], schema=SCHEMA
    )


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


def sources(paths: list[Path]) -> pa.Table:
    """The names behind ``source_no``."""
    return pa.table({"source_no": pa.array(range(len(paths)), pa.int32()), "file": [place(path) for path in paths]})


def first_lines(path: Path, n: int = 20) -> list[str]:
    """The first lines that are not blank: a format is detected from them."""
    lines: list[str] = []
    for data, problem in blocks(path, HEAD):
        if problem and problem != TAIL and not lines and not data.strip():
            raise InputError(problem, where=str(path), fix="Write it again, or leave it out")
        lines += [line for line in data.removeprefix(BOM).decode("utf-8", errors="replace").split("\n") if line.strip()]
        if len(lines) >= n:
            break
    return lines[:n]
