"""Records inside other programs' lines: Docker, shippers, container runtimes, journals, a time before the JSON; and what is no recall there."""

import datetime as dt
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from format_reading import found_in

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.store.evaluation import ingest

START = dt.datetime(2026, 11, 1, 8, tzinfo=dt.UTC)
RECORDS = [{"event_id": f"e{i}", "query_id": f"q{i}", "ranked_ids": ["a", "b"], "total_ms": 5 + i} for i in range(3)]


def at(number: int) -> str:
    return (START + dt.timedelta(seconds=number)).isoformat().replace("+00:00", "Z")


def docker(number: int, text: str) -> Iterator[str]:
    """json-file: a text ends with a line feed; one that is too long comes in pieces, another stream's between them."""
    cut = 20 if text.startswith("{") else len(text)
    line = {"stream": "stdout", "time": at(number)}
    if text[cut:]:
        yield json.dumps({**line, "log": text[:cut]})
        yield json.dumps({**line, "log": "oops\n", "stream": "stderr"})
    yield json.dumps({**line, "log": (text[cut:] or text) + "\n"})


def cri(number: int, text: str) -> Iterator[str]:
    """containerd and CRI-O: P is a piece, F the last one."""
    if text.startswith("{"):
        yield f"{at(number)} stdout P {text[:20]}"
        yield f"{at(number)} stderr F oops"
    yield f"{at(number)} stdout F {text[20:] if text.startswith('{') else text}"


def as_object(**keys: Any) -> Callable[[int, str], Iterator[str]]:
    """A shipper's line: TEXT and AT stand for what changes."""

    def write(number: int, text: str) -> Iterator[str]:
        values = {"TEXT": text, "AT": at(number), "US": str(int((START.timestamp() + number) * 1e6))}
        yield json.dumps({key: values.get(value, value) if isinstance(value, str) else value for key, value in keys.items()})

    return write


WRAPPERS: dict[str, Callable[[int, str], Iterator[str]]] = {
    "docker json-file": docker,
    "kubernetes CRI": cri,
    "filebeat": as_object(**{"@timestamp": "AT", "message": "TEXT", "agent": {"type": "filebeat"}, "log": {"offset": 1}}),
    "fluent bit": as_object(date="AT", log="TEXT", stream="stdout", kubernetes={"pod_name": "p"}),
    "vector": as_object(message="TEXT", source_type="docker_logs", timestamp="AT"),
    "cloudwatch insights": as_object(**{"@timestamp": "AT", "@message": "TEXT", "@ptr": "x"}),
    "systemd": as_object(MESSAGE="TEXT", __REALTIME_TIMESTAMP="US", _SYSTEMD_UNIT="x.service"),
    "loki": as_object(labels={"app": "x"}, line="TEXT", timestamp="AT"),
    "python logging": lambda number, text: iter([f"{at(number)[:19].replace('T', ' ')},000 INFO app.recall {text}"]),
    "kubectl --timestamps": lambda number, text: iter([f"{at(number)} {text}"]),
}


def wrapped(path: Path, way: str, texts: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for number, text in enumerate(texts) for line in WRAPPERS[way](number, text)))
    return path


@pytest.mark.parametrize("way", WRAPPERS)
def test_the_record_inside(tmp_path: Path, way: str) -> None:
    """Ids and times of the records; the wrapper's time where a record has none; what is no JSON object inside is counted apart."""
    texts = [
        "INFO up",
        *(json.dumps(record) for record in RECORDS[:2]),
        "GET /x 200",
        json.dumps({**RECORDS[2], "ts": "2026-01-01T00:00:00Z"}),
    ]
    found = found_in(wrapped(tmp_path / "app.log", way, [*texts, '{"query_id": "q9", "ranked_ids": ["a"}']))
    assert [(event["event_id"], event["ranked_ids"], event["total_ms"]) for event in found.events] == [
        (f"e{i}", ["a", "b"], 5.0 + i) for i in range(3)
    ]
    assert [event["timestamp"] for event in found.events] == [
        START + dt.timedelta(seconds=1),
        START + dt.timedelta(seconds=2),
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    ]
    reasons = [row["reject_reason"] for row in found.rejects]
    pieces = 4 if way in ("docker json-file", "kubernetes CRI") else 0  # lines of the other stream
    assert (reasons.count("other_line"), reasons.count("malformed JSON"), len(reasons)) == (2 + pieces, 1, 3 + pieces)


def test_other_lines_are_no_rejects(tmp_path: Path) -> None:
    """Ninety-eight lines of other programs: no rejected line, no share of one."""
    log = wrapped(tmp_path / "a.log", "fluent bit", ["INFO"] * 98 + [json.dumps(record) for record in RECORDS])
    (tmp_path / "labels.jsonl").write_text('{"query_id": "q1", "relevant": ["b"]}\n')
    given = {"labels": tmp_path / "labels.jsonl", "metrics": ("recall@2",)}
    plain = recallwatch.evaluate(log, **given)
    ingest([str(log)], store=tmp_path / "store")
    for result in (plain, recallwatch.evaluate(None, store=tmp_path / "store", **given)):
        assert [result.counts[name] for name in ("events", "rejected_lines", "other_lines")] == [3, 0, 98]


def test_plain_logs_stay_as_they_are(tmp_path: Path) -> None:
    """A record with a result list of its own is no wrapper, whatever its `message` says."""
    (tmp_path / "log.jsonl").write_text(json.dumps({**RECORDS[0], "message": '{"ranked_ids": ["z"]}'}) + "\n")
    assert found_in(tmp_path / "log.jsonl").events[0]["ranked_ids"] == ["a", "b"]


PROFILE = """
name = "ours"
where = "event = 'recall' and n > 2.5 and ctx.kind = 'mem'"
unwrap = "outer.payload"
[events]
event_id = "id"
ranked_ids = "hits"
total_ms = {start = "at", end = "done"}
stage_ms = {search = {start = "at", end = "mid"}}
"""


def rows() -> list[dict[str, Any]]:
    """Records of which those with n > 2.5 pass: as numbers, not as text."""
    times = {"at": "2026-11-01T08:00:00Z", "mid": 1793520000.01, "done": "2026-11-01T08:00:00.250Z"}
    recalls = [{"event": "recall", "id": str(n), "n": n, "hits": ["a"], "ctx": {"kind": "mem"}, **times} for n in (2.4, 2.6, 10.0)]
    return [*recalls, {"event": "http"}]


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_profile_says_which_records_where_and_how_long(tmp_path: Path, form: str) -> None:
    """`where` over the record's own fields, `unwrap` by name, a duration from two times; what does not pass is counted as other_line."""
    (tmp_path / "p.toml").write_text(PROFILE)
    path = tmp_path / "log"
    if form == "json":
        path.write_text("".join(json.dumps({"outer": {"payload": json.dumps(row)}}) + "\n" for row in rows()) + "plain\n")
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist([{**row, "mid": str(row.get("mid"))} for row in rows()]), path)
    found = found_in(path, profile=str(tmp_path / "p.toml"))
    assert [event["event_id"] for event in found.events] == ["10.0", "2.6"]
    assert found.events[0]["total_ms"] == 250.0
    assert found.events[0]["stage_ms"]["search"] == pytest.approx(10, abs=0.01)
    assert {row["reject_reason"] for row in found.rejects} == {"other_line"}
    assert len(found.rejects) == (3 if form == "json" else 2)


def test_where_of_a_profile_that_nothing_passes(tmp_path: Path) -> None:
    """No recall is an error that names the rule; what is no condition is refused as --where refuses it."""
    (tmp_path / "log.jsonl").write_text('{"hits": ["a"], "kind": "x"}\n')
    (tmp_path / "labels.jsonl").write_text('{"query_id": "q1", "relevant": ["b"]}\n')
    (tmp_path / "p.toml").write_text("where = \"kind = 'y'\"\n[events]\nranked_ids = 'hits'\n")
    with pytest.raises(InputError, match="left out by the profile's where"):
        recallwatch.evaluate(tmp_path / "log.jsonl", tmp_path / "labels.jsonl", profile=str(tmp_path / "p.toml"))
    (tmp_path / "p.toml").write_text("where = \"read_text(kind) = 'y'\"\n[events]\nranked_ids = 'hits'\n")
    with pytest.raises(UsageError, match="profile profile: where: the function 'read_text'"):
        found_in(tmp_path / "log.jsonl", profile=str(tmp_path / "p.toml"))


def test_in_cells_of_a_table(tmp_path: Path) -> None:
    """CloudWatch Insights and Splunk as CSV: the cell holds the record, the row its time; a line break in a cell counts its lines."""
    cell = json.dumps(RECORDS[0]).replace('"', '""')
    (tmp_path / "l.csv").write_text(f'@timestamp,@message\n2026-11-01 08:00:00,"started\nnow"\n2026-11-01 08:00:01,"{cell}"\n')
    found = found_in(tmp_path / "l.csv")
    assert [(e["ranked_ids"], e["timestamp"].second, e["source_line"]) for e in found.events] == [(["a", "b"], 1, 4)]
    assert [(row["source_line"], row["reject_reason"]) for row in found.rejects] == [(3, "other_line")]


def test_after_a_level_inside_a_text(tmp_path: Path) -> None:
    """Python's logging inside Docker's `log`, in pieces too; Kafka's payload; Splunk's export."""
    text = f"INFO:app:{json.dumps(RECORDS[0])}"
    rows = [
        {"log": text + "\n", "stream": "stdout"},
        {"log": text[:20], "stream": "stdout"},
        {"log": text[20:] + "\n", "stream": "stdout"},
    ]
    forms = {
        "docker": [*rows, {"log": "INFO:app:ready\n", "stream": "stdout"}],
        "kafka": [{"topic": "t", "offset": 1, "payload": json.dumps(RECORDS[0])}],
        "splunk": [{"preview": False, "result": {"_raw": json.dumps(RECORDS[0]), "_time": "2026-11-01T08:00:01Z"}}],
    }
    for name, lines in forms.items():
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = [(Path(e["source"]).name, e["ranked_ids"]) for e in found_in(tmp_path).events]
    assert sorted(read) == [(name, ["a", "b"]) for name in ("docker", "docker", "kafka", "splunk")]


def test_under_any_name(tmp_path: Path) -> None:
    """A program's event holds the recall as an object: whatever its name, also inside of Google Cloud's payload or Kafka's value."""
    inner = json.dumps(RECORDS[0])
    forms = {
        "app": '{"ts": "2026-11-01T08:00:01Z", "level": "info", "msg": "up"}\n{"ts": "2026-11-01T08:00:02Z", "msg": "recall", "trace_id": "t1", '
        f'"tenant": "acme", "search": {inner}}}\n{{"ts": "2026-11-01T08:00:03Z", "search": {{"query_id": "q5", "error": "timeout"}}}}',
        "cloud": f'{{"timestamp": "2026-11-01T08:00:02Z", "severity": "INFO", "jsonPayload": {{"message": "recall", "recall": {inner}}}}}',
        "kafka": f'{{"topic": "t", "offset": 1, "timestamp": 1793520002000, "key": null, "value": {inner}}}',
    }
    for name, lines in forms.items():
        (tmp_path / name).write_text(lines + "\n")
    found = found_in(tmp_path)
    read = sorted(
        (Path(e["source"]).name, e["ranked_ids"] or [], e["timestamp"].second, e["trace_id"], e["tenant_id"]) for e in found.events
    )
    assert read == [
        ("app", [], 3, None, None), ("app", ["a", "b"], 2, "t1", "acme"), ("cloud", ["a", "b"], 2, None, None),
        ("kafka", ["a", "b"], 2, None, None),
    ]  # fmt: skip
    assert [row["reject_reason"] for row in found.rejects] == ["other_line"]


def test_a_record_keeps_what_it_says_itself(tmp_path: Path) -> None:
    """A query, or a result list, of its own: no wrapper, whatever its fields hold."""
    other = {"query_id": "q9", "ranked_ids": ["z"]}
    records = [{**RECORDS[0], "last": other}, {"query_id": "q7", "tenant": "a", "answer": "yes", "ranked_ids": [], "last": other}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    read = sorted((e["query_id"], e["ranked_ids"]) for e in found_in(tmp_path / "log.jsonl").events)
    assert read == [("q0", ["a", "b"]), ("q7", [])]
    wrapped_one = {"trace_id": "outer", "recall": {**RECORDS[0], "trace_id": "own"}}
    (tmp_path / "log.jsonl").write_text(json.dumps(wrapped_one) + "\n")
    assert [e["trace_id"] for e in found_in(tmp_path / "log.jsonl").events] == ["own"]


def test_logfmt_inside_a_text(tmp_path: Path) -> None:
    """A Go service in Docker; a line of another form is another program's."""
    texts = ["listening on :80", 'ts=2026-11-01T08:00:07Z level=info query_id=q1 query="a b" ranked_ids=a,b total_ms=5']
    found = found_in(wrapped(tmp_path / "app.log", "fluent bit", texts))
    assert [(e["query_text"], e["ranked_ids"], e["total_ms"], e["timestamp"].second) for e in found.events] == [
        ("a b", ["a", "b"], 5.0, 7)
    ]
    assert [row["reject_reason"] for row in found.rejects] == ["other_line"]


def test_what_journald_does_to_a_message(tmp_path: Path) -> None:
    """Bytes where a letter is none that prints; a long message left out is a reject that says what to do, never another program's line."""
    lines = [
        {"MESSAGE": list(json.dumps(RECORDS[0]).encode())},
        {"MESSAGE": json.dumps(RECORDS[1])},
        {"MESSAGE": None},
        {"MESSAGE": "up"},
    ]
    (tmp_path / "journal.json").write_text("".join(json.dumps({**line, "_PID": "1"}) + "\n" for line in lines))
    found = found_in(tmp_path / "journal.json")
    assert [e["query_id"] for e in found.events] == ["q0", "q1"]
    assert sorted((row["source_line"], row["reject_reason"]) for row in found.rejects) == [
        (3, "journald left a long message out (journalctl --all writes it)"),
        (4, "other_line"),
    ]


def test_an_event_of_two_recalls_is_refused(tmp_path: Path) -> None:
    """Which of them the event stands for is not known: neither is read, and none is left out in silence."""
    (tmp_path / "log.jsonl").write_text(json.dumps({"msg": "reranked", "before": RECORDS[0], "after": RECORDS[1]}) + "\n")
    with pytest.raises(InputError, match=r"log\.jsonl: no column 'ranked_ids' \(has: after, before, msg"):
        found_in(tmp_path / "log.jsonl")


def test_a_line_of_the_journal_without_a_message(tmp_path: Path) -> None:
    """Nothing was left out of it: another program's line."""
    lines = [{"MESSAGE": json.dumps(RECORDS[0])}, {"_PID": "1"}]
    (tmp_path / "journal.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [row["reject_reason"] for row in found_in(tmp_path / "journal.json").rejects] == ["other_line"]


def aws(**record: Any) -> dict[str, Any]:
    """A record as DynamoDB writes it."""
    return {
        "query": {"S": record["query"]},
        "ranked_ids": {"L": [{"S": id_} for id_ in record["ranked_ids"]]},
        "ts": {"N": "1793520001"},
    }


AT = "2026-11-01T08:00:01Z"
BOTH = [{"query": "hello", "ranked_ids": ["a", "b"]}, {"query": "bye", "ranked_ids": ["c"]}]
TEXT = [json.dumps(record) for record in BOTH]
LOGURU = {
    "elapsed": {"seconds": 0.1},
    "level": {"name": "INFO", "no": 20},
    "message": "recall",
    "time": {"repr": "x", "timestamp": 1793520001.5},
}
NEXT = {"meta": {"page": 1}, "next": None}
ENVELOPES: dict[str, Any] = {  # an object a line, or one document
    "loguru": [{"text": "x", "record": {**LOGURU, "extra": record}} for record in BOTH],
    "loguru, a message": [{"text": "x", "record": {**LOGURU, "extra": {"x": 1}, "message": text}} for text in TEXT],
    "log4j": [{"instant": {"epochSecond": 1793520001}, "level": "INFO", "message": text, "contextMap": {}} for text in TEXT],
    "serilog": [{"Timestamp": AT, "Properties": {"Query": r["query"], "RankedIds": r["ranked_ids"]}} for r in BOTH],
    ".NET": [{"Timestamp": AT, "State": {"Query": r["query"], "RankedIds": json.dumps(r["ranked_ids"])}} for r in BOTH],
    "serilog, compact": [{"@t": AT, "@mt": "{Query}", "Query": r["query"], "RankedIds": r["ranked_ids"]} for r in BOTH],
    "zap": [{"ts": 1793520001.0, "msg": "recall", "query": r["query"], "rankedIDs": r["ranked_ids"]} for r in BOTH],
    "logback": [{"@timestamp": AT, "message": "recall", **record} for record in BOTH],
    "kafka": [{"topic": "t", "timestamp": 1793520001000, "value": text} for text in TEXT],
    "debezium": [{"payload": {"before": None, "after": record, "op": "c"}, "ts": AT} for record in BOTH],
    "splunk HEC": [{"time": 1793520001.0, "event": text} for text in TEXT],
    "SQS to Lambda": {"Records": [{"body": text, "time": AT} for text in TEXT]},
    "SQS to Lambda, lines": [{"Records": [{"body": text, "time": AT}]} for text in TEXT],
    "SNS to SQS": [
        {"Records": [{"body": json.dumps({"Type": "Notification", "Timestamp": AT, "Message": text})}]} for text in TEXT
    ],
    "SNS to Lambda": {"Records": [{"Sns": {"Timestamp": AT, "Message": text}} for text in TEXT]},
    "SQS receive": {"Messages": [{"MessageId": "m", "Body": text, "time": AT} for text in TEXT]},
    "DynamoDB export": [{"Item": aws(**record)} for record in BOTH],
    "DynamoDB scan": {"Items": [aws(**record) for record in BOTH], "Count": 2, "ScannedCount": 2, "ConsumedCapacity": None},
    "DynamoDB stream": [{"eventName": "INSERT", "dynamodb": {"NewImage": aws(**record)}} for record in BOTH],
    "Datadog API": {"data": [{"id": "x", "attributes": {"timestamp": AT, "attributes": record}} for record in BOTH], "meta": {}},
    "New Relic": [{"common": {}, "logs": [{"timestamp": 1793520001000, "attributes": record} for record in BOTH]}],
    "PostHog": {"results": [{"event": "recall", "timestamp": AT, "properties": record} for record in BOTH], "next": None},
    "Google Cloud": [{"timestamp": AT, "protoPayload": record} for record in BOTH],
    "pages in an array": [{"data": [{**record, "ts": AT}], **NEXT} for record in BOTH],
}


@pytest.mark.parametrize("form", ["lines", "array", "pretty", "concatenated", "parquet"])
@pytest.mark.parametrize("name", ENVELOPES)
def test_envelopes(tmp_path: Path, name: str, form: str) -> None:
    """Loggers, queues, streams, pages: ids, queries and a time, in every container."""
    given = ENVELOPES[name]
    rows = given if isinstance(given, list) else [given]
    path = tmp_path / "log"
    if form == "parquet":
        if not isinstance(given, list) or any(key in given[0] for key in ("Records", "logs", "data")):
            pytest.skip("a page is no row")
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist([{key: value for key, value in row.items() if value != {}} for row in rows]), path)
    else:
        texts = {
            "lines": "".join(json.dumps(row) + "\n" for row in rows), "array": json.dumps(rows), "pretty": json.dumps(given, indent=1),
            "concatenated": "".join(map(json.dumps, rows)),
        }  # fmt: skip
        path.write_text(texts[form])
    found = found_in(path)
    assert sorted((e["query_text"], e["ranked_ids"]) for e in found.events) == [("bye", ["c"]), ("hello", ["a", "b"])]
    assert {e["timestamp"].second for e in found.events} == {1}
    assert found.rejects == []


def test_names_that_differ_by_case(tmp_path: Path) -> None:
    """A log whose writer changed: each record is read under its own spelling."""
    rows = [BOTH[0], {"Query": "bye", "RANKED_IDS": ["c"]}, {"QUERY": "x", "rankedIDs": ["d"], "query": None}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = sorted((e["query_text"], e["ranked_ids"]) for e in found_in(tmp_path / "log.jsonl").events)
    assert read == [("bye", ["c"]), ("hello", ["a", "b"]), ("x", ["d"])]


def test_a_set_of_dynamodb_is_no_ranking(tmp_path: Path) -> None:
    """It has no order: refused, as is an audit entry of Google Cloud without a recall."""
    rows = [{"Item": {"query": {"S": "x"}, "ranked_ids": {"SS": ["a", "b"]}}}, {"protoPayload": {"methodName": "Search"}}]
    for row in rows:
        (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
        with pytest.raises(InputError, match="no column 'ranked_ids'"):
            found_in(tmp_path / "log.jsonl")
