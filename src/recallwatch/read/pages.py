"""Pages of an API: under which key of a file's first object its records stand."""

import re

from . import aliases, lines

TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*"|[\[\]{}\n]|[^\s"\[\]{},][^"\[\]{},\n]*|"', re.DOTALL
)  # of JSON: a text, a bracket, a line's end, a plain value
# an API's answer: the key that holds the records, and what may stand beside it
PAGES = (
    b"data", b"runs", b"traces", b"result", b"trace", b"events", b"logEvents", b"records", b"entries", b"spans", b"logs",
    b"Records", b"Messages", b"Items", b"results",
)  # fmt: skip
_BESIDE = frozenset(
    b"""meta links next_cursor cursor cursors next previous next_page_token nextPageToken page page_size pagination total totalCount count limit offset
    has_more hasMore object first_id last_id errors error warnings status code message success search_time parsed_query metrics rows statistics
    rows_before_limit_at_least structuredLogs searchedLogStreams nextToken nextForwardToken nextBackwardToken messageType owner logGroup logStream
    schema subscriptionFilters _dd.stage _dd.tracer_version event_type common
    Count ScannedCount ConsumedCapacity LastEvaluatedKey ResponseMetadata UnprocessedTraceIds NextToken""".split()
)
_VALUE = re.compile(rb"\s*:\s*")  # from a key to its value
_LABELS = {name for column in ("relevant", "document_id", "expected_texts", "gold_answers") for name in aliases.LABELS[column]}
_TRACES = {
    "resourceSpans", "resource_spans", "batches", "spans", "observations", "traceId", "trace_id", "traceID", "TraceId", "run_type",
    "span_id", "context",
}  # fmt: skip
_RECORD = re.compile(
    rf'"(?:{"|".join(map(re.escape, sorted(aliases.RANKED | _LABELS | _TRACES)))})\\*"\s*:'.encode()
)  # what a record of any form has, also inside a text


# of a list called so: hits, unless each has a query of its own
_QUERY = re.compile(rf'"(?:{"|".join(map(re.escape, sorted(aliases.QUERIES)))})\\*"\s*:'.encode())


def keys_of(head: bytes) -> dict[bytes, int]:
    """The keys of a file's first object, each with where its value begins."""
    text, keys, depth = head.removeprefix(lines.BOM), dict[bytes, int](), 0
    if text.lstrip()[:1] != b"{":
        return keys
    for token in TOKEN.finditer(text):
        first = token.group()[:1]
        depth += (first in b"[{") - (first in b"]}")
        if depth == 0 and first == b"}":
            break
        if depth == 1 and first == b'"' and (value := _VALUE.match(text, token.end())):
            keys[token.group()[1:-1]] = value.end()
    return keys


def page_of(head: bytes) -> bytes:
    """The key under which a file's first object is an API's page of records; empty = it is none.

    An object with a list that happens to be called so is a record of its own: in a page each element has what a record has.
    """
    text = head.removeprefix(lines.BOM).lstrip()
    text = text[1:] if text.startswith(b"[") else text  # an array of pages
    keys = keys_of(text)
    holder = next((key for key in PAGES if key in keys), b"")
    if not holder or not keys.keys() - {holder} <= _BESIDE:
        return b""
    if holder == b"results" and not _QUERY.search(text, keys[holder]):
        return b""
    return holder if text[keys[holder] : keys[holder] + 1] in (b"[", b"{") and _RECORD.search(text, keys[holder]) else b""
