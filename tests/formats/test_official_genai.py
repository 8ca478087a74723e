"""GenAI retrieval, memory and rerank spans and OpenLLMetry's events, written by the OpenTelemetry SDK, come back exactly."""

import json
from pathlib import Path
from typing import Any

import pytest
from format_reading import found_in
from official_spans import Recorder, event_id

DOCUMENTS = [
    {"id": "d1", "score": 0.75, "metadata": {"title": 'a "quoted" {name}', "tags": ["x", {"deep": [1, 2.5, None, True]}]}},
    {"id": 42, "score": 0.5},
]


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "traces.jsonl")


@pytest.mark.parametrize("documents", [DOCUMENTS, json.dumps(DOCUMENTS)], ids=["structured", "JSON text"])
def test_retrieval_documents_in_both_forms(recorder: Recorder, tmp_path: Path, documents: Any) -> None:
    """gen_ai.retrieval.documents is a structured attribute or JSON in a text; both give the same event."""
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "q",
        "gen_ai.retrieval.documents": documents,
        "gen_ai.data_source.id": "kb",
        "gen_ai.request.top_k": 5,
    }
    span = recorder.span("retrieval kb", 0, 12.345678, attributes)
    recorder.span("embeddings", 1, 3, {"gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 4}, parent=span)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert event["event_id"] == event_id(span)
    assert (event["ranked_ids"], event["scores"]) == (["d1", "42"], [0.75, 0.5])
    assert (event["operation"], event["data_source_id"], event["top_k"], event["query_text"]) == ("retrieval", "kb", 5, "q")
    assert event["total_ms"] == 12.345678, "to the nanosecond"
    assert event["stage_ms"]["embed"] == 2.0
    assert event["stage_ms"]["search"] == pytest.approx(10.345678, abs=1e-9)
    assert event["input_tokens"] == 4
    assert "gen_ai.retrieval.documents" not in event["attributes"]


def test_structured_attributes_become_plain_json(recorder: Recorder, tmp_path: Path) -> None:
    """Lists and objects of any kind, nested, keep their values: quotes, brackets in texts, null, empty ones."""
    value = {"a": [1, -2.5, True, None, "]}", 'q"uo\\te', {"b": []}], "c": {"d": {"e": ["f"]}}, "g": {}}
    recorder.span("retrieval", 0, 1, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [], "extra": value})
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert json.loads(event["attributes"]["extra"]) == value
    assert event["ranked_ids"] == []


@pytest.mark.parametrize(
    "records", [[{"id": "m1", "score": 0.9, "content": "likes tea"}, {"id": "m2", "score": 0.1}]], ids=["records"]
)
def test_search_memory(recorder: Recorder, tmp_path: Path, records: Any) -> None:
    """A search_memory span is a recall too; the session is the conversation's."""
    attributes = {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.memory.query.text": "q",
        "gen_ai.memory.records": records,
        "gen_ai.memory.store.id": "store",
        "gen_ai.conversation.id": "c1",
    }
    recorder.span("search_memory", 0, 5, attributes)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert (event["operation"], event["ranked_ids"], event["texts"]) == ("search_memory", ["m1", "m2"], ["likes tea", None])
    assert (event["data_source_id"], event["session_id"]) == ("store", "c1")


def test_a_rerank_with_its_retrieval_under_it(recorder: Recorder, tmp_path: Path) -> None:
    """candidate_ids is the list of the retriever under a rerank; each stage has its own time only."""
    documents = {"gen_ai.retrieval.documents": json.dumps([{"id": "b"}, {"id": "a"}])}
    top = recorder.span("rerank", 0, 100, {"gen_ai.operation.name": "rerank", "gen_ai.retrieval.query.text": "q", **documents})
    under = recorder.span(
        "retrieval",
        5,
        45,
        {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps([{"id": "a"}, {"id": "b"}, {"id": "c"}])},
        parent=top,
    )
    recorder.span("embeddings", 10, 20, {"gen_ai.operation.name": "embeddings"}, parent=under)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert (event["ranked_ids"], event["candidate_ids"]) == (["b", "a"], ["a", "b", "c"])
    assert event["stage_ms"] == {"embed": 10.0, "rerank": 60.0, "search": 30.0}


def test_vector_store_events_with_distances(recorder: Recorder, tmp_path: Path) -> None:
    """OpenLLMetry logs one event a result; smaller distance = better, so the score is its negative, and the event says so."""
    results = tuple(
        (
            "db.query.result",
            {"db.query.result.id": name, "db.query.result.distance": distance, "db.query.result.document": name.upper()},
        )
        for name, distance in (("z", 0.125), ("y", 0.5))
    )
    recorder.span(
        "chroma.query",
        0,
        8,
        {"db.system": "chroma", "traceloop.entity.input": "q", "traceloop.association.properties.tenant": "t1"},
        events=results,
    )
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert (event["ranked_ids"], event["scores"], event["texts"]) == (["z", "y"], [-0.125, -0.5], ["Z", "Y"])
    assert event["flags"] == ["scores_from_distance"]
    assert (event["tenant_id"], event["query_text"], event["stage_ms"]) == ("t1", "q", {"search": 8.0})


def test_spans_of_one_trace_over_files_in_any_order(recorder: Recorder, tmp_path: Path) -> None:
    """Files and order mean nothing; a span delivered twice counts once and is counted; an orphan's parent is missing, no more."""
    top = recorder.span(
        "retrieval",
        0,
        50,
        {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "q", "gen_ai.retrieval.documents": '[{"id": "a"}]'},
    )
    recorder.span("embeddings", 0, 10, {"gen_ai.operation.name": "embeddings"}, parent=top)
    recorder.close()
    whole = found_in(tmp_path / "traces.jsonl")
    first, second = (tmp_path / "traces.jsonl").read_text().splitlines()
    (tmp_path / "traces.jsonl").unlink()
    for name, text in (("a", second), ("b", first), ("c", second)):
        (tmp_path / f"{name}.json").write_text(text)
    split = found_in(tmp_path)
    assert split.logs.repeated_spans == 1
    assert [{**event, "source": None, "source_line": None} for event in split.events] == [
        {**event, "source": None, "source_line": None} for event in whole.events
    ]


def test_a_broken_duration_is_null_and_flagged(recorder: Recorder, tmp_path: Path) -> None:
    """An end before the start is no time: null and latency_invalid, never zero."""
    recorder.span("retrieval", 50, 20, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": '["a"]'})
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert (event["total_ms"], event["stage_ms"], event["flags"]) == (None, {"search": None}, ["latency_invalid"])
    assert (event["ranked_ids"], event["texts"]) == ([None], ["a"]), "a bare text is a text, not an id"
