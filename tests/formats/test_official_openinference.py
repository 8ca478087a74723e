"""OpenInference spans written by the official libraries come back exactly."""

import json
from pathlib import Path
from typing import Any

import pytest
from format_reading import found_in
from official_spans import Recorder, event_id
from openinference.instrumentation import get_reranker_attributes, get_retriever_attributes
from openinference.semconv.trace import SpanAttributes as Sa


def document(name: str | int, score: float | None = None, text: str | None = None) -> dict[str, Any]:
    """One document of openinference.instrumentation."""
    given = {"id": name, "score": score, "content": text}
    return {key: value for key, value in given.items() if value is not None}


def kind(value: str) -> dict[str, str]:
    return {Sa.OPENINFERENCE_SPAN_KIND: value}


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "traces.jsonl")


def test_a_retriever_with_an_embedding_and_a_chat_after_it(recorder: Recorder, tmp_path: Path) -> None:
    """Ids, scores, texts and query are the span's; embed is inside, search is the rest, generate is the chat after it."""
    root = recorder.span("chain", 0, 900, kind("CHAIN"))
    documents = [document(f"m{i}", 1 - i / 100, f"text {i}") for i in range(12)]
    retriever = recorder.span(
        "retrieve",
        10,
        110,
        {
            **kind("RETRIEVER"),
            Sa.INPUT_VALUE: "who likes tea?",
            Sa.SESSION_ID: "s1",
            "tenant.id": "t9",
            **get_retriever_attributes(documents=documents),
        },
        parent=root,
    )
    recorder.span("embed", 15, 45.5, {**kind("EMBEDDING"), Sa.LLM_TOKEN_COUNT_PROMPT: 7}, parent=retriever)
    recorder.span(
        "chat",
        120,
        820,
        {**kind("LLM"), Sa.LLM_TOKEN_COUNT_PROMPT: 100, Sa.LLM_TOKEN_COUNT_COMPLETION: 20, Sa.LLM_COST_TOTAL: 0.002},
        parent=root,
    )
    recorder.close()
    found = found_in(tmp_path)
    assert found.logs.spans == 4
    (event,) = found.events
    assert event["event_id"] == event_id(retriever)
    assert event["ranked_ids"] == [f"m{i}" for i in range(12)], "document 10 stands after document 9: N sorts as a number"
    assert event["scores"] == [1 - i / 100 for i in range(12)]
    assert event["texts"][11] == "text 11"
    assert (event["query_text"], event["session_id"], event["tenant_id"], event["index_version"]) == (
        "who likes tea?",
        "s1",
        "t9",
        "1.4.0",
    )
    assert event["stage_ms"] == {"embed": 30.5, "generate": 700.0, "search": 69.5}
    assert event["total_ms"] == 100.0
    assert event["attributes"]["trace_total_ms"] == "900.0", "the trace's total is another column than the event's own"
    assert (event["input_tokens"], event["output_tokens"], event["cost_usd"]) == (107, 20, 0.002)
    assert event["timestamp"].isoformat() == "2026-05-28T20:26:40.010000+00:00"
    assert event["flags"] == []


def test_a_reranker_after_a_retriever_is_one_event(recorder: Recorder, tmp_path: Path) -> None:
    """The reranker's output is the list, its input the candidates; the retriever is no event of its own."""
    root = recorder.span("chain", 0, 500, kind("CHAIN"))
    candidates = [document(name, score) for name, score in (("a", 0.9), ("b", 0.8), ("c", 0.7))]
    recorder.span(
        "retrieve",
        0,
        100,
        {**kind("retriever"), Sa.INPUT_VALUE: '{"query": "q1"}', **get_retriever_attributes(documents=candidates)},
        parent=root,
    )
    reranked = get_reranker_attributes(
        query="q1", top_k=2, input_documents=candidates, output_documents=[document("c", 5.5), document("a", -1.25)]
    )
    reranker = recorder.span("rerank", 110, 150, {**kind("RERANKER"), **reranked}, parent=root)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert event["event_id"] == event_id(reranker)
    assert event["ranked_ids"] == ["c", "a"]
    assert event["scores"] == [5.5, -1.25]
    assert event["candidate_ids"] == ["a", "b", "c"]
    assert (event["query_text"], event["top_k"], event["operation"]) == ("q1", 2, "retrieval")
    assert event["stage_ms"] == {"rerank": 40.0, "search": 100.0}
    assert event["total_ms"] == 150.0, "from the retriever's start to the reranker's end"


def test_a_reranker_inside_a_retriever(recorder: Recorder, tmp_path: Path) -> None:
    """A retrieval span inside another is a stage of it, not an event; its time is not the outer search's."""
    top = recorder.span(
        "compress",
        0,
        200,
        {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q", **get_retriever_attributes(documents=[document(2), document(1)])},
    )
    recorder.span(
        "base",
        0,
        80,
        {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q", **get_retriever_attributes(documents=[document(1), document(2)])},
        parent=top,
    )
    recorder.span(
        "rank",
        90,
        190,
        {**kind("RERANKER"), **get_reranker_attributes(query="q", output_documents=[document(2), document(1)])},
        parent=top,
    )
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert event["ranked_ids"] == ["2", "1"], "an integer id is its text"
    assert event["candidate_ids"] == ["1", "2"]
    assert event["stage_ms"] == {"rerank": 100.0, "search": 100.0}


def test_two_retrievers_without_a_reranker_are_two_events(recorder: Recorder, tmp_path: Path) -> None:
    """Lists are never fused: each is an event, both say multi_retrieval; the chat's tokens count once."""
    root = recorder.span("agent", 0, 500, kind("AGENT"))
    for number, name in enumerate(("x", "y")):
        recorder.span(
            "retrieve",
            100 * number,
            100 * number + 50,
            {**kind("RETRIEVER"), Sa.INPUT_VALUE: name, **get_retriever_attributes(documents=[document(name)])},
            parent=root,
        )
    recorder.span("chat", 300, 400, {**kind("LLM"), Sa.LLM_TOKEN_COUNT_PROMPT: 9}, parent=root)
    recorder.close()
    events = sorted(found_in(tmp_path).events, key=lambda event: event["query_text"])
    assert [event["ranked_ids"] for event in events] == [["x"], ["y"]]
    assert all("multi_retrieval" in event["flags"] for event in events)
    assert [event["input_tokens"] for event in events] == [None, 9]


def test_parallel_spans_of_a_stage_count_once(recorder: Recorder, tmp_path: Path) -> None:
    """Length of the union of intervals, not the sum of durations."""
    top = recorder.span(
        "retrieve", 0, 200, {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q", **get_retriever_attributes(documents=[document("a")])}
    )
    for start, end in ((10, 60), (20, 80), (100, 130)):
        recorder.span("SELECT", start, end, {"db.system.name": "postgresql"}, parent=top)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert event["stage_ms"] == {"search": 100.0}


def test_siblings_are_the_stages_where_nothing_is_inside(recorder: Recorder, tmp_path: Path) -> None:
    """What stands beside the retrieval under one parent, before it (embed) or up to the next one; by name only = flagged."""
    root = recorder.span("turn", 0, 900, kind("CHAIN"))
    for number in range(2):
        at = 400 * number
        recorder.span("embed", at, at + 20, kind("EMBEDDING"), parent=root)
        recorder.span(
            "retrieve",
            at + 30,
            at + 90,
            {**kind("RETRIEVER"), Sa.INPUT_VALUE: f"q{number}", **get_retriever_attributes(documents=[document("a")])},
            parent=root,
        )
        recorder.span("rerank_by_hand", at + 100, at + 150, {}, parent=root)
    recorder.close()
    events = found_in(tmp_path).events
    assert [event["stage_ms"] for event in events] == [{"embed": 20.0, "rerank": 50.0, "search": 60.0}] * 2
    assert all("stage_by_name" in event["flags"] for event in events)


def test_an_error_and_a_list_that_is_missing(recorder: Recorder, tmp_path: Path) -> None:
    """A failed retrieval handed out nothing: []. One that says nothing about its list is a reject: missing is not empty."""
    recorder.span("retrieve", 0, 10, {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q1"}, error="index down")
    recorder.span("retrieve", 0, 10, {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q2", Sa.OUTPUT_VALUE: "[]"})
    recorder.span("retrieve", 0, 10, {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q3"})
    recorder.close()
    found = found_in(tmp_path)
    events = {event["query_text"]: event for event in found.events}
    assert {query: (event["ranked_ids"], event["status"], event["error_type"]) for query, event in events.items()} == {
        "q1": ([], "error", "index down"),
        "q2": ([], "ok", None),
    }
    assert [reject["reject_reason"] for reject in found.rejects] == ["retrieval span without a list of documents"]


def test_the_librarys_decorator(recorder: Recorder, tmp_path: Path) -> None:
    """A function decorated as a retriever logs what it returns as output.value: its documents are read from there."""

    @recorder.openinference.retriever(name="lookup")
    def lookup(query: str) -> list[dict[str, Any]]:
        return [{"id": query + "-1", "score": 0.5}, {"id": query + "-2", "score": 0.25}]

    lookup("tea")
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert (event["ranked_ids"], event["scores"], event["query_text"]) == (["tea-1", "tea-2"], [0.5, 0.25], "tea")


def test_the_lists_of_several_searches_are_kept(recorder: Recorder, tmp_path: Path) -> None:
    """Two searches and their union under one reranker: the lists on the way stay, in the order in which they were ready."""
    top = recorder.span(
        "rerank", 0, 200, {**kind("RERANKER"), **get_reranker_attributes(query="q", output_documents=[document("c", 2.0)])}
    )
    for name, start, ids in (("words", 0, ("a", "b")), ("vectors", 10, ("b", "c")), ("union", 100, ("a", "b", "c"))):
        found = get_retriever_attributes(documents=[document(one, 0.5) for one in ids])
        recorder.span(name, start, start + 50, {**kind("RETRIEVER"), Sa.INPUT_VALUE: "q", **found}, parent=top)
    recorder.close()
    (event,) = found_in(tmp_path).events
    assert event["ranked_ids"] == ["c"]
    lists = json.loads(dict(event["attributes"])["candidates"])
    assert [(row["stage"], row["ids"]) for row in lists] == [
        ("words", ["a", "b"]),
        ("vectors", ["b", "c"]),
        ("union", ["a", "b", "c"]),
    ]
