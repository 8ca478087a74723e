"""Traces of AWS X-Ray (segments, also of ``batch-get-traces``) and of Google Cloud Trace (version 1 and 2), as an OpenTelemetry SDK prints spans.

The exporters of OpenTelemetry put a span's attributes into X-Ray's ``metadata`` and into Cloud Trace's labels or ``attributeMap``.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .aliases import RANKED

_MAY_BE = re.compile(
    rb'"Segments"\s*:\s*\[|"trace_id"\s*:\s*"1-[0-9a-f]{8}-|"attributeMap"\s*:\s*\{|"projectId"\s*:[^\[\]]*"spans"\s*:\s*\['
)
_TRACE = re.compile(r"1-([0-9a-f]{8})-([0-9a-f]{24})")
Document = tuple[int, bytes, str | None]


def may_be_there(head: bytes) -> bool:
    """Whether a file's first bytes may be such a trace."""
    return _MAY_BE.search(head) is not None


def hold_spans(documents: Iterable[Document]) -> bool:
    """Whether the first document is one."""
    first = next(iter(documents), None)
    return first is not None and bool(_read(first[1]))


def spans(documents: Iterable[Document]) -> Iterator[Document]:
    """A document a span; what is no trace stays as it is, for the format to refuse."""
    for line, data, problem in documents:
        found = _read(data) if problem is None else []
        if not found:
            yield line, data, problem
        yield from ((line, json.dumps(span, ensure_ascii=False).encode(), None) for span in found)


def _read(data: bytes) -> list[dict[str, Any]]:
    try:
        value = json.loads(data)
        return list(_spans(value)) if isinstance(value, dict) and not RANKED & value.keys() else []
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return []


def _spans(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for trace in value.get("Traces", [value] if "Segments" in value else []):
        for segment in trace["Segments"]:
            yield from _of_segment(json.loads(segment["Document"]))
    if _TRACE.fullmatch(str(value.get("trace_id"))) and "start_time" in value:
        yield from _of_segment(value)
    if "attributeMap" in value.get("attributes", {}):
        yield _of_version_2(value)
    if "projectId" in value:
        yield from (_of_version_1(span, value["traceId"]) for span in value["spans"])


def _span(ids: tuple[str, Any, Any], name: Any, times: tuple[Any, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A span of the ids of its trace, its own and its parent's."""
    (trace, span, parent), (start, end) = ids, times
    context = {"trace_id": trace, "span_id": span}
    return {"name": name, "context": context, "parent_id": parent, "start_time": start, "end_time": end, "attributes": attributes}


def _of_segment(segment: Mapping[str, Any], trace: str = "", parent: str | None = None) -> Iterator[dict[str, Any]]:
    """A segment of X-Ray and those within it; its metadata without their namespaces."""
    trace = _TRACE.sub(r"\1\2", segment.get("trace_id", trace))
    told = segment.get("metadata", {})
    attributes = {
        **segment.get("annotations", {}),
        **{key: value for inner in told.values() if isinstance(inner, dict) for key, value in inner.items()},
    }
    times = (_iso(segment.get("start_time")), _iso(segment.get("end_time")))
    made = _span((trace, segment["id"], segment.get("parent_id", parent)), segment.get("name"), times, attributes)
    yield {**made, "status": {"status_code": "ERROR"}} if segment.get("fault") or segment.get("error") else made
    for inner in segment.get("subsegments", []):
        yield from _of_segment(inner, trace, segment["id"])


def _iso(seconds: Any) -> str | None:
    return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


def _of_version_1(span: Mapping[str, Any], trace: str) -> dict[str, Any]:
    own, parent = (f"{int(key):016x}" if key else None for key in (span["spanId"], span.get("parentSpanId")))
    times = (span.get("startTime"), span.get("endTime"))
    return _span((trace, own, parent), span.get("name"), times, span.get("labels", {}))


def _of_version_2(span: Mapping[str, Any]) -> dict[str, Any]:
    told = span["attributes"]["attributeMap"]
    attributes = {key: next(iter(value.values())) for key, value in told.items()}
    plain = {key: value.get("value") if isinstance(value, dict) else value for key, value in attributes.items()}
    trace = re.search(r"traces/([0-9a-f]{32})", span["name"])
    times = (span.get("startTime"), span.get("endTime"))
    ids = (trace[1] if trace else "", span["spanId"], span.get("parentSpanId"))
    return _span(ids, span.get("displayName", {}).get("value"), times, plain)
