"""Which list, query and stages a retrieval span gives where it names them in two places, in none, or for several queries at once."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from format_reading import Found, found_in

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.store import ingest

TRACE = "0af7651916cd43dd8448eb211c8031%02x"
START = 1_767_225_600_000_000_000  # ns: 2026-01-01T00:00:00Z
RETRIEVAL = {
    "gen_ai.operation.name": "retrieval",
    "gen_ai.retrieval.query.text": "hello",
    "gen_ai.retrieval.documents": '[{"id":"a"}]',
}


def span(
    trace: int, me: str, parent: str, name: str, values: dict[str, str], *events: dict[str, str], at: int = 0
) -> dict[str, Any]:
    """A span of 5 ms as OTLP/JSON; ``events``: attributes of result events, which name the event."""

    def pairs(of: dict[str, str]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in of.items()]

    return {
        "traceId": TRACE % trace,
        "spanId": me,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(START + at * 1_000_000),
        "endTimeUnixNano": str(START + (at + 5) * 1_000_000),
        "attributes": pairs(values),
        "events": [{"name": next(iter(event)).rpartition(".")[0], "attributes": pairs(event)} for event in events],
    }


def read(path: Path, *spans: dict[str, Any], **options: Any) -> Found:
    """All spans in one request."""
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}))
    return found_in(path, **options)


def test_lists_queries_and_stages(tmp_path: Path) -> None:
    """One trace a rule, all read at once; by the trace's number: query, ids, stages, flags."""
    one, two, three = (f"b7ad6b716920333{n}" for n in (1, 2, 3))
    inference = {"openinference.span.kind": "RETRIEVER", "input.value": "hello", "retrieval.documents.0.document.content": "t"}
    workflow = {"traceloop.entity.input": '{"inputs":{"question":"hello"}}'}
    numbered = [
        {"db.search.result.id": i, "db.search.query.id": q, "db.search.result.distance": "0.5"}
        for q, i in (("0", "1"), ("1", "3"), ("0", "2"))
    ]
    spans = [
        span(
            0,
            one,
            "",
            "numbered documents have no ids, output.value has",
            inference | {"output.value": '{"documents":[{"id":"a"}]}'},
        ),
        span(
            1, one, "", "an empty list is a list", RETRIEVAL | {"gen_ai.retrieval.documents": "[]", "output.value": '[{"id":"x"}]'}
        ),
        span(2, "", "", "no id", RETRIEVAL),
        span(2, "0000000000000000", "", "zeros", RETRIEVAL),
        span(3, one, "", "rag.workflow", workflow),
        span(3, two, one, "step", {"traceloop.span.kind": "task"}),
        span(3, three, two, "chroma.query", {"db.system": "chroma"}, {"db.query.result.id": "a"}),
        span(4, one, "", "chroma.query", {"db.system": "chroma", "db.operation": "query"}),
        span(4, two, "", "chroma.add", {"db.system": "chroma", "db.operation": "add"}),
        span(5, one, "", "milvus.search", {"db.system": "milvus"}, *numbered),
        span(6, one, "", "turn", {}),
        span(6, two, one, "retrieval", RETRIEVAL),
        span(6, three, one, "web search", {"gen_ai.operation.name": "execute_tool"}, at=5),
        span(
            7,
            one,
            "",
            "not finite",
            RETRIEVAL | {"gen_ai.retrieval.documents": '[{"id":"a","score":"NaN"},{"id":"b","score":"0.5"}]'},
        ),
        span(8, one, "", "outer", inference),
        span(8, two, one, "inner", RETRIEVAL),
    ]
    found = read(tmp_path / "log.json", *spans)
    assert found.rejects == []
    events: dict[int, list[Any]] = {}
    for event in found.events:
        flags = [flag for flag in event["flags"] if flag in ("no_span_id", "score_invalid")]
        events.setdefault(int(event["trace_id"][-2:], 16), []).append(
            (event["query_text"], event["ranked_ids"], dict(event["stage_ms"]), flags)
        )
    search = {"search": 5.0}
    assert events == {
        0: [("hello", ["a"], search, [])],
        1: [("hello", [], search, [])],
        2: [("hello", ["a"], search, ["no_span_id"])] * 2,
        3: [("hello", ["a"], search, [])],
        4: [(None, [], search, [])],
        5: [(None, ["1", "2"], search, []), (None, ["3"], search, [])],
        6: [("hello", ["a"], search, [])],
        7: [("hello", ["a", "b"], search, ["score_invalid"])],
        8: [("hello", ["a"], {"search": 5.0}, [])],
    }
    assert len({event["event_id"] for event in found.events}) == len(found.events)


def test_map_of_a_trace(tmp_path: Path) -> None:
    """From an attribute's name on, also into JSON; a path that no span has, and a column that is the span's own, are errors."""
    values = {
        "openinference.span.kind": "RETRIEVER",
        "app.customer": "acme",
        "input.value": '{"args": ["hello"]}',
        "output.value": '{"hits": [{"key": "a"}, {"key": 7}]}',
    }
    mapped = {"tenant_id": "app.customer", "query_id": "input.args[]", "ranked_ids": "output.hits[].key"}
    log = tmp_path / "log.json"
    (event,) = read(log, span(0, "b7ad6b7169203331", "", "r", values), mapped=mapped).events
    assert [event[column] for column in ("tenant_id", "query_id", "query_text", "ranked_ids")] == [
        "acme",
        "hello",
        "hello",
        ["a", "7"],
    ]
    for wrong, why in (
        ({"query_id": "input.nope"}, "no span has a value there"),
        ({"total_ms": "x"}, "is that of the span"),
        ({"nope": "x"}, "no such column"),
    ):
        with pytest.raises(InputError, match=why):
            found_in(log, mapped=wrong)


@pytest.mark.parametrize(("said", "right"), [("vector_*", ["a"]), ("app.kind=search", ["b"])])
def test_spans_that_are_said_to_retrieve(tmp_path: Path, said: str, right: list[str]) -> None:
    """--map retrieval=NAME or ATTRIBUTE=VALUE; what no span has is an error that says the names there are, and a log without any names the flag."""
    log = tmp_path / "log.json"
    output = '{"results": [{"id": "%s"}]}'
    spans = [
        span(0, "b7ad6b7169203331", "", "vector_lookup", {"input.value": "hello", "output.value": output % "a"}),
        span(1, "b7ad6b7169203331", "", "step", {"app.kind": "search", "input.value": "hello", "output.value": output % "b"}),
    ]
    (event,) = read(log, *spans, mapped={"retrieval": said}).events
    assert (event["query_text"], event["ranked_ids"], event["operation"]) == ("hello", right, "retrieval")
    with pytest.raises(InputError, match=r"--map retrieval=nope: no such span \(names: step, vector_lookup …\)"):
        found_in(log, mapped={"retrieval": "nope"})
    with pytest.raises(InputError, match=r"Say which spans retrieve \(--map retrieval=NAME\)"):
        found_in(log)


def test_a_run_posted_in_one_file_and_patched_in_another(tmp_path: Path) -> None:
    """LangSmith: the post has no end and no documents; in a store, which reads file by file, it is counted and no reject, whichever comes first."""
    lines = (Path(__file__).parent / "exports" / "langsmith_batch.jsonl").read_text().splitlines(keepends=True)
    labels = pa.table({"query": ["hello"], "document_id": ["a"]})
    for number, order in enumerate(([0, 1], [1, 0])):
        folder, store = tmp_path / str(number), tmp_path / f"store-{number}"
        folder.mkdir()
        for at, line in zip(("a.jsonl", "b.jsonl"), order, strict=True):
            (folder / at).write_text(lines[line])
        done = ingest(folder, store=store)
        assert (done.n_events, done.n_rejects, done.failed, len(done.without_recalls)) == (1, 0, {}, 1)
        result = recallwatch.evaluate(store=store, labels=labels, metrics="recall@1").to_dict()
        assert [row["value"] for row in result["metrics"]] == [1.0]


def test_a_trace_file_without_a_retrieval_stops_no_night(tmp_path: Path) -> None:
    """A store takes the others, and names it; alone it is an error of evaluate."""
    logs = tmp_path / "logs"
    logs.mkdir()
    read(logs / "a.json", span(0, "b7ad6b7169203331", "", "r", RETRIEVAL))
    health = span(1, "b7ad6b7169203331", "", "GET /health", {})
    (logs / "b.json").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [health]}]}]}))
    done = ingest(logs, store=tmp_path / "store")
    assert (done.n_events, done.n_rejects, [Path(source).name for source in done.without_recalls]) == (1, 0, ["b.json"])
    assert "1 trace file without a retrieval" in done.document().notes[0]
    labels = pa.table({"query": ["hello"], "document_id": ["a"]})
    assert recallwatch.evaluate(store=tmp_path / "store", labels=labels, metrics="recall@1").to_dict()["metrics"][0]["value"] == 1


def test_a_tool_that_searches(tmp_path: Path) -> None:
    """Named as a retrieval, a tool's arguments are its query and its result is its list."""
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_memory",
        "gen_ai.tool.call.arguments": '{"query": "hello"}',
        "gen_ai.tool.call.result": '{"memories": [{"id": "a", "score": 0.5}]}',
    }
    found = read(tmp_path / "log.jsonl", span(0, "a1", "", "x", tool), mapped={"retrieval": "gen_ai.tool.name=search_memory"})
    assert [(event["query_text"], event["ranked_ids"], event["scores"]) for event in found.events] == [("hello", ["a"], [0.5])]


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    """In a span the later value counts, and a span's before its resource's, also where it is none; each key is one attribute."""
    own = span(1, "b7ad6b7169203331", "", "find", RETRIEVAL | {"session.id": "early", "site": "a"})
    own["attributes"] += [{"key": "session.id", "value": {"stringValue": "late"}}, {"key": "tenant.id", "value": {}}]
    of_all = [{"key": key, "value": {"stringValue": "all"}} for key in ("site", "tenant.id", "zone")]
    path = tmp_path / "twice.json"
    path.write_text(json.dumps({"resourceSpans": [{"resource": {"attributes": of_all}, "scopeSpans": [{"spans": [own]}]}]}))
    (event,) = found_in(path).events
    attributes = dict(event["attributes"])
    assert (event["session_id"], event["tenant_id"]) == ("late", None)
    assert {key: attributes.get(key) for key in ("site", "zone", "session.id", "tenant.id")} == {
        "site": "a", "zone": "all", "session.id": "late", "tenant.id": None,
    }  # fmt: skip
