"""Broken and odd files: counted or refused by name, never silently read."""

import json
from pathlib import Path

import make_samples
import pyarrow as pa
import pytest
from format_reading import found_in

import recallwatch


def test_text_between_records_and_a_half_written_tail(tmp_path: Path) -> None:
    """Lines that are no JSON are rejects of their own; a live file's last line is no error."""
    line = json.dumps(make_samples.otlp())
    (tmp_path / "live.jsonl").write_text(f"starting up\n{line}\n{{broken\n\n{line[:200]}")
    found = found_in(tmp_path / "live.jsonl")
    assert [(reject["source_line"], reject["reject_reason"]) for reject in found.rejects] == [
        (1, "not a JSON object"),
        (3, "malformed JSON"),
        (5, "incomplete_tail"),
    ]
    assert len(found.events) == 1


def test_attributes_nobody_should_write(tmp_path: Path) -> None:
    """Of a key that comes twice the last wins; integers beyond 64 bits stay text; a key that is null goes; an empty value is null."""
    request = make_samples.otlp()
    span = request["resourceSpans"][0]["scopeSpans"][0]["spans"][1]
    span["attributes"] += [
        {"key": "big", "value": {"intValue": "18446744073709551616"}},
        {"key": "twice", "value": {"intValue": 1}},
        {"key": "twice", "value": {"intValue": 2}},
        {"key": None, "value": {"stringValue": "x"}},
        {"key": "empty", "value": {}},
    ]
    (tmp_path / "log.json").write_text(json.dumps(request))
    (event,) = found_in(tmp_path / "log.json").events
    assert (event["attributes"]["big"], event["attributes"]["twice"]) == ("18446744073709551616", "2")
    assert "empty" not in event["attributes"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (0, None),
        ("0", None),
        ("1780000000010000000", "2026-05-28T20:26:40.010000+00:00"),
        ("never", None),
    ],
)
def test_times_of_otlp(tmp_path: Path, written: object, read: str | None) -> None:
    """Nanoseconds as number or text; 0 is not set; what is no number is no time."""
    request = make_samples.otlp()
    request["resourceSpans"][0]["scopeSpans"][0]["spans"][1] |= {"startTimeUnixNano": written, "endTimeUnixNano": None}
    (tmp_path / "log.json").write_text(json.dumps(request))
    (event,) = found_in(tmp_path / "log.json").events
    assert (event["timestamp"].isoformat() if event["timestamp"] else None) == read
    assert (event["total_ms"], event["flags"]) == (None, ["latency_invalid"])


def test_a_time_beyond_2261_is_a_reject(tmp_path: Path) -> None:
    """As in flat logs: no program means the year 2554, and the recall is counted among the rejects."""
    request = make_samples.otlp()
    request["resourceSpans"][0]["scopeSpans"][0]["spans"][1] |= {"startTimeUnixNano": "18446744073709551000"}
    (tmp_path / "log.json").write_text(json.dumps(request))
    found = found_in(tmp_path / "log.json", empty_ok=True)
    assert (found.events, found.rejects) == ([], [{"source_line": 1, "reject_reason": "timestamp not understood"}])


def test_a_ring_of_parents_ends(tmp_path: Path) -> None:
    """Spans that are each other's parent: one event, no endless search."""
    request = make_samples.otlp()
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    other = {**spans[1], "spanId": "a7ad6b7169203331", "parentSpanId": spans[1]["spanId"]}
    spans[1]["parentSpanId"] = other["spanId"]
    (tmp_path / "log.json").write_text(json.dumps({**request, "resourceSpans": [{"scopeSpans": [{"spans": [spans[1], other]}]}]}))
    (event,) = found_in(tmp_path / "log.json").events
    assert event["span_id"] == "a7ad6b7169203331"


def test_framed_messages_that_are_cut_or_no_traces(tmp_path: Path) -> None:
    """Of messages with a length before each, what is whole counts; a cut one, damaged zstd and other protobuf are rejects by name."""
    whole = pa.compress(json.dumps(make_samples.otlp()).encode(), codec="zstd", asbytes=True)
    metrics = b"\x0a\x05\x12\x03\x12\x01x"  # resource_metrics, scope_metrics, and a text where a span is expected
    parts = [whole, whole[:4] + b"nothing", pa.compress(metrics, codec="zstd", asbytes=True)]
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    (tmp_path / "traces.zst").write_bytes(framed + len(whole).to_bytes(4, "big") + whole[:9])
    found = found_in(tmp_path)
    assert [event["ranked_ids"] for event in found.events] == [["d1", "d2"]]
    reasons = [(reject["source_line"], reject["reject_reason"].partition(" (")[0]) for reject in found.rejects]
    assert reasons == [
        (2, "compressed file is damaged or ends early"),
        (3, "not an OTLP request with traces"),
        (4, "incomplete_tail"),
    ]


def test_a_plain_zst_and_a_gz_that_ends_early(tmp_path: Path) -> None:
    """Compressed files are known by their bytes; one that is cut gives what is whole, and one reject."""
    import gzip

    line = json.dumps(make_samples.otlp()).encode()
    (tmp_path / "a.zst").write_bytes(pa.compress(line + b"\n", codec="zstd", asbytes=True))
    assert len(found_in(tmp_path / "a.zst").events) == 1
    packed = gzip.compress(line + b"\n" + b"".join(b'{"resourceLogs": [%d]}\n' % i for i in range(9000)), mtime=0)
    (tmp_path / "b.gz").write_bytes(packed[: len(packed) // 2])
    found = found_in(tmp_path / "b.gz")
    assert len(found.events) == 1
    assert found.rejects[-1]["reject_reason"].startswith("compressed file is damaged or ends early")


def test_redacted_queries_are_told(tmp_path: Path) -> None:
    """A redacted text joins to nothing: null, and flagged."""
    (tmp_path / "log.json").write_text(
        json.dumps(make_samples.otlp()).replace('"stringValue": "q"', '"stringValue": "__REDACTED__"')
    )
    (event,) = found_in(tmp_path / "log.json").events
    assert (event["query_text"], event["flags"]) == (None, ["query_redacted"])


def test_spans_are_counted_in_the_result(tmp_path: Path) -> None:
    """An evaluation of traces says how many spans it stands on, and how many came twice."""
    path = make_samples.write(tmp_path, "otlp")
    path.write_text(path.read_text() * 2)
    (tmp_path / "labels.jsonl").write_text('{"query": "q", "relevant": ["d2"]}\n')
    result = recallwatch.evaluate(path, tmp_path / "labels.jsonl", metrics=("mrr",))
    assert (result.head["read"]["spans"], result.head["read"]["repeated_spans"]) == (3, 3)
    assert [row["value"] for row in result.to_dict()["metrics"]] == [0.5]


def test_integer_ids_match_text_labels(tmp_path: Path) -> None:
    """An id that is a number in one file and a text in another is one id."""
    (tmp_path / "log.jsonl").write_text('{"query_id": 7, "results": [{"id": 1}, {"id": "2"}]}\n')
    (tmp_path / "labels.jsonl").write_text('{"query_id": "7", "relevant": ["1", 2]}\n')
    result = recallwatch.evaluate(tmp_path / "log.jsonl", tmp_path / "labels.jsonl", metrics=("recall@2",))
    assert [row["value"] for row in result.to_dict()["metrics"]] == [1.0]
