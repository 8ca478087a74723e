"""OTLP/JSON log requests: each log record as one JSON object, its attributes and its body, to be read as a flat log."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from . import aliases
from .record_paths import steps_of

_REQUEST = re.compile(rb'\s*\{\s*"resource_?[lL]ogs"\s*:')
_LISTS = [f'"{steps_of(path)[0]}": ['.encode() for column in ("ranked_ids", "texts") for path in aliases.LOG[column]]
_PLAIN = ("stringValue", "boolValue", "doubleValue", "bytesValue")


def is_request(head: bytes) -> bool:
    """Whether a file starts as a request with logs."""
    return _REQUEST.match(head) is not None


def hold_recalls(requests: Iterable[tuple[int, bytes, str | None]]) -> bool:
    """Whether any of the first log records has a result list; else they are logs of something else."""
    first = islice(log_records(requests), 200)
    return any(name in record for _, record, _ in first for name in _LISTS)


def log_records(requests: Iterable[tuple[int, bytes, str | None]]) -> Iterator[tuple[int, bytes, str | None]]:
    """(line, record, problem) of each log record; what is no request stays as it is, for the format to refuse."""
    for line, data, problem in requests:
        try:
            request = _camel(json.loads(data)) if data.strip() and problem is None else None
            records = (
                [_record(one) for group in request["resourceLogs"] for scope in group["scopeLogs"] for one in scope["logRecords"]]
                if request
                else []
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            records = []
        for record in records:
            yield line, json.dumps(record).encode(), None
        if not records and data.strip():
            yield line, data, problem


def _camel(value: Any) -> Any:
    """Keys in snake_case as OTLP/JSON has them."""
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {re.sub(r"_([a-z])", lambda letter: letter[1].upper(), key): _camel(item) for key, item in value.items()}


def _record(record: dict[str, Any]) -> dict[str, Any]:
    """The body's object, JSON in a text too, over the attributes; the record's own time and ids where neither has one."""
    body = _value(record.get("body") or {})
    if isinstance(body, str) and body.lstrip()[:1] == "{":
        body = json.loads(body)
    own = _map(record.get("attributes") or []) | (body if isinstance(body, dict) else {"body": body})
    time = record.get("timeUnixNano") or record.get("observedTimeUnixNano")
    beside = {"timestamp": time} if time and not own.keys() & set(aliases.LOG["timestamp"]) else {}
    trace = {"trace_id": record["traceId"]} if record.get("traceId") else {}  # no span_id: one span may log several recalls
    return {**trace, **beside, **own}


def _map(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: _value(pair.get("value") or {}) for pair in pairs}


def _value(value: dict[str, Any]) -> Any:
    """AnyValue as plain JSON."""
    if "intValue" in value:
        return int(value["intValue"])
    if "arrayValue" in value:
        return [_value(item) for item in value["arrayValue"].get("values", [])]
    if "kvlistValue" in value:
        return _map(value["kvlistValue"].get("values", []))
    return next((value[kind] for kind in _PLAIN if kind in value), None)
