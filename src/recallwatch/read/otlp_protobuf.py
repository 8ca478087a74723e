"""OTLP in protobuf: requests of the Collector's file exporter (a length before each, zstd or not), or the body of one request, as OTLP/JSON.

Only what a trace says is read (field numbers of trace.proto, common.proto and resource.proto 1.x, which are fixed); a
field of a later version is skipped, and bytes that are no such message are an error.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from . import lines

# field number -> (key in OTLP/JSON, what it is: bytes in hex, text, a number, or the message it holds; * = repeated)
Message = dict[int, tuple[str, str]]
_ATTRIBUTES = "*KeyValue"
_MESSAGES: dict[str, Message] = {
    "Request": {1: ("resourceSpans", "*ResourceSpans")},
    "ResourceSpans": {1: ("resource", "Resource"), 2: ("scopeSpans", "*ScopeSpans")},
    "Resource": {1: ("attributes", _ATTRIBUTES)},
    "ScopeSpans": {2: ("spans", "*Span")},
    "Span": {
        1: ("traceId", "hex"),
        2: ("spanId", "hex"),
        4: ("parentSpanId", "hex"),
        5: ("name", "text"),
        7: ("startTimeUnixNano", "fixed64"),
        8: ("endTimeUnixNano", "fixed64"),
        9: ("attributes", _ATTRIBUTES),
        11: ("events", "*Event"),
        15: ("status", "Status"),
    },
    "Event": {2: ("name", "text"), 3: ("attributes", _ATTRIBUTES)},
    "Status": {2: ("message", "text"), 3: ("code", "varint")},
    "KeyValue": {1: ("key", "text"), 2: ("value", "AnyValue")},
    "AnyValue": {
        1: ("stringValue", "text"),
        2: ("boolValue", "bool"),
        3: ("intValue", "varint"),
        4: ("doubleValue", "double"),
        5: ("arrayValue", "ArrayValue"),
        6: ("kvlistValue", "KeyValueList"),
        7: ("bytesValue", "hex"),
    },
    "ArrayValue": {1: ("values", "*AnyValue")},
    "KeyValueList": {1: ("values", _ATTRIBUTES)},
}
_WIRE = {"varint": 0, "bool": 0, "fixed64": 1, "double": 1}  # any other kind has its length before it
_FIRST = b"\x0a"  # field 1, length before it: how a request starts
NO_TRACES = "not an OTLP request with traces"


def framing_of(path: Path) -> str:
    """``framed``: messages with a length before each (zstd frames, or requests in protobuf); ``body``: one request; empty = a text.

    A text may start as a request does, with an empty line, but it has no lengths that lead to its end.
    """
    with path.open("rb") as stream:
        head = stream.read(8)
        if head[4:] == lines.ZSTD:
            return "framed"
        if head[4:5] == _FIRST and _is_request(stream, 4, 4 + int.from_bytes(head[:4], "big")):
            return "framed"
        return "body" if head[:1] == _FIRST and _is_request(stream, 0, stream.seek(0, 2)) else ""


def requests(path: Path, framing: str) -> Iterator[tuple[int, bytes, str | None]]:
    """(number, request in JSON, problem) of each message of such a file."""
    with path.open("rb") as stream:
        for number, (message, damage) in enumerate(_messages(stream, framed=framing == "framed"), 1):
            if damage or message.lstrip()[:1] == b"{":
                yield number, message or _named(number), damage
                continue
            try:
                yield number, json.dumps(_read("Request", message)).encode(), None
            except (ValueError, struct.error):
                yield number, _named(number), NO_TRACES


def _named(number: int) -> bytes:
    """What stands for a message that cannot be read: a blank record would be no record."""
    return f"message {number}".encode()


def _messages(stream: BinaryIO, *, framed: bool) -> Iterator[tuple[bytes, str | None]]:
    if not framed:
        yield stream.read(), None
        return
    while length := stream.read(4):
        body = stream.read(size := int.from_bytes(length, "big"))
        if len(length) < 4 or len(body) < size:
            yield b"", lines.TAIL
            return
        try:
            yield (pa.CompressedInputStream(pa.BufferReader(body), "zstd").read() if body[:4] == lines.ZSTD else body), None
        except OSError as error:
            yield b"", f"{lines.CUT_SHORT} ({error})"


def _is_request(stream: BinaryIO, at: int, end: int) -> bool:
    """Whether a message is nothing but fields 1 with their lengths, to its end."""
    if end > stream.seek(0, 2):
        return False
    while at < end:
        stream.seek(at)
        head = stream.read(11)
        try:
            length, past = _varint(head, 1)
        except ValueError:
            return False
        if head[:1] != _FIRST:
            return False
        at += past + length
    return at == end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An integer of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise ValueError("no end of an integer")


def _read(name: str, data: bytes) -> dict[str, Any]:
    """A message as its OTLP/JSON object."""
    known, found, at = _MESSAGES[name], dict[str, Any](), 0
    while at < len(data):
        tag, at = _varint(data, at)
        value, at = _value(data, at, tag & 7)
        if tag >> 3 not in known:
            continue
        key, kind = known[tag >> 3]
        if _WIRE.get(kind, 2) != tag & 7:
            raise ValueError(f"{name}.{key} has another type")
        if kind.startswith("*"):
            found.setdefault(key, []).append(_read(kind[1:], value))
        else:
            found[key] = _json(kind, value)
    return found


def _value(data: bytes, at: int, wire: int) -> tuple[Any, int]:
    """A field's raw value and where it ends: a number, or the bytes."""
    if wire == 0:
        return _varint(data, at)
    size = {1: 8, 5: 4}.get(wire)
    if wire == 2:
        size, at = _varint(data, at)
    if size is None or at + size > len(data):
        raise ValueError("a field of no known type, or cut short")
    return data[at : at + size], at + size


def _json(kind: str, value: Any) -> Any:
    """A field's value as OTLP/JSON has it; integers of 64 bits as text."""
    if kind == "varint":
        return str(value - (value >> 63 << 64))
    if kind == "bool":
        return bool(value)
    if kind == "fixed64":
        return str(int.from_bytes(value, "little"))
    if kind == "double":
        number = struct.unpack("<d", value)[0]
        return number if number - number == 0 else str(number)
    return value.hex() if kind == "hex" else value.decode() if kind == "text" else _read(kind, value)
