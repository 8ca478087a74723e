"""Answers to several queries in one record, pages of Loki, answers of search engines: each query is a recall with its own list."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import Found, found_in

from recallwatch import evaluate
from recallwatch.base.errors import InputError, UsageError
from recallwatch.store import ingest

# collection.query() of Chroma 1.5, logged with the texts that were asked
CHROMA = {
    "ids": [["a", "b"], ["c"]],
    "distances": [[0.1, 0.2], [0.3]],
    "documents": [["text a", "text b"], ["text c"]],
    "metadatas": [[None, {"x": 1}], [None]],
    "embeddings": None,
    "included": ["distances", "documents", "metadatas"],
}
HITS = [[{"id": 1, "distance": 0.5, "entity": {}}, {"id": 2, "distance": 0.4, "entity": {}}], [{"id": 3, "distance": 0.5}]]
SEARCH = {"took": 3, "timed_out": False, "hits": {"total": {"value": 1, "relation": "eq"}, "hits": [{"_id": "a", "_score": 0.5}]}}
QUERIES = {"queries": ["one", "two"]}
FORMS: dict[str, tuple[Any, list[tuple[str | None, list[str]]]]] = {
    "chroma": ({**QUERIES, **CHROMA}, [("one", ["a", "b"]), ("two", ["c"])]),
    "chroma, nested": ({"query_texts": ["one", "two"], "result": CHROMA}, [("one", ["a", "b"]), ("two", ["c"])]),
    "chroma, one query": ({"query": "one", "ids": [["a", "b"]], "distances": [[0.1, 0.2]]}, [("one", ["a", "b"])]),
    "chroma, nothing returned": ({"queries": ["one"], "ids": [[]], "distances": [[]]}, [("one", [])]),
    "milvus": ({**QUERIES, "results": HITS}, [("one", ["1", "2"]), ("two", ["3"])]),
    "qdrant search/batch": ({**QUERIES, "result": HITS, "status": "ok", "time": 0.1}, [("one", ["1", "2"]), ("two", ["3"])]),
    "qdrant query/batch": ({**QUERIES, "result": [{"points": hits} for hits in HITS]}, [("one", ["1", "2"]), ("two", ["3"])]),
    "_msearch": ({**QUERIES, "responses": [SEARCH, {"error": {"type": "x"}, "status": 404}]}, [("one", ["a"]), ("two", [])]),
    "_search": ({"query": "one", "response": SEARCH}, [("one", ["a"])]),
    "_search, flat": ({"query": "one", **SEARCH}, [("one", ["a"])]),
    "ids by columns": ({"query_ids": [1, 2], "ranked_ids": [["a"], ["b", "c"]]}, [(None, ["a"]), (None, ["b", "c"])]),
    "pairs stay pairs": ({"query": "one", "ranked_ids": [["a", 0.9], ["b", 0.8]]}, [("one", ["a", "b"])]),
    "langchain with scores": ({"query": "one", "documents": [[{"id": "a", "page_content": "x y"}, 0.9]]}, [("one", ["a"])]),
}


def written(folder: Path, *records: Any) -> Path:
    """JSON lines."""
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def lists(found: Found) -> list[tuple[str | None, list[str]]]:
    return [(event["query_text"], event["ranked_ids"]) for event in found.events]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_recall_a_query(tmp_path: Path, form: str, is_wrapped: bool) -> None:
    """Right ids for right queries, in plain lines and in Docker's."""
    record, expected = FORMS[form]
    path = written(
        tmp_path, {"log": json.dumps(record) + "\n", "stream": "stdout", "time": "2026-11-01T08:00:00Z"} if is_wrapped else record
    )
    found = found_in(path)
    assert (lists(found), found.rejects) == (expected, [])


def test_what_runs_along(tmp_path: Path) -> None:
    """Scores and texts run along; the time is each query's, the cost the call's; each query has an id, so that none is a duplicate."""
    record = {
        **QUERIES,
        **CHROMA,
        "scores": [[0.9, 0.8], [0.7]],
        "request_id": "r",
        "total_ms": 8,
        "cost_usd": 0.5,
        "tenants": ["x", "y"],
    }
    one, two = found_in(written(tmp_path, record)).events
    assert (one["scores"], one["texts"], one["event_id"], one["total_ms"], one["cost_usd"]) == (
        [0.9, 0.8],
        ["text a", "text b"],
        "r#1",
        8,
        0.5,
    )
    assert (two["scores"], two["texts"], two["event_id"], two["total_ms"], two["cost_usd"]) == ([0.7], ["text c"], "r#2", 8, None)
    assert (one["tenant_id"], two["tenant_id"]) == ("x", "y")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"queries": ["one"], "ids": [["a"], ["b"]]}, "several result lists (2), and 1 queries"),
        ({"query": "one", "ids": [["a"], ["b"]]}, "several result lists, and no list of queries beside them"),
    ],
)
def test_lists_without_their_queries(tmp_path: Path, record: Any, reason: str) -> None:
    """They are rejects with the reason."""
    found = found_in(written(tmp_path, record, FORMS["chroma"][0]))
    assert [(reject["reject_reason"], reject["source_line"]) for reject in found.rejects] == [(reason, 1)] and len(
        found.events
    ) == 2


def test_records_of_one_line_are_no_duplicates(tmp_path: Path) -> None:
    """Records without ids that start at one line (an array, an answer to two queries) each count, beside a log with ids, in a store too."""
    rows = [{"query": name, "ranked_ids": ["a"], "ts": "2026-11-01"} for name in ("one", "one", "two")]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    written(tmp_path, {**QUERIES, **CHROMA, "ts": "2026-11-01"}, {**rows[0], "event_id": "e"}, {**rows[0], "event_id": "e"})
    labels = tmp_path / "labels"
    labels.write_text('{"query": "one", "relevant": ["a"]}')
    ingest([tmp_path / "a.json", tmp_path / "log.jsonl"], store=tmp_path / "store")
    for given in ({"logs": [tmp_path / "a.json", tmp_path / "log.jsonl"]}, {"store": tmp_path / "store"}):
        counts = evaluate(**{"logs": None, "labels": labels, **given}).to_dict()["counts"]
        assert (counts["events"], counts["duplicate_events"]) == (6, 1)


def loki(*lines: str) -> dict[str, Any]:
    """A page of /loki/api/v1/query_range, as its API documents it."""
    values = [[str(1_793_520_000_000_000_000 + n), line] for n, line in enumerate(lines)]
    streams = [
        {"stream": {"app": "rag", "level": "info"}, "values": values[:1]},
        {"stream": {"app": "other"}, "values": values[1:]},
    ]
    return {"status": "success", "data": {"resultType": "streams", "result": streams, "stats": {"summary": {"totalBytes": 9}}}}


def test_pages_of_loki(tmp_path: Path) -> None:
    """Each line of each stream; JSON there is a record with the line's time, anything else another program's line. Pretty-printed too."""
    one, two = ({"query": name, "ranked_ids": [name]} for name in ("one", "two"))
    pages = [loki(json.dumps(one), "starting", "2026-11-01 08:00:00 INFO " + json.dumps(two)), loki("stopping")]
    for text in ("\n".join(map(json.dumps, pages)), "\n".join(json.dumps(page, indent=2) for page in pages)):
        (tmp_path / "log.json").write_text(text)
        found = found_in(tmp_path / "log.json")
        assert lists(found) == [("one", ["one"]), ("two", ["two"])]
        assert [str(event["timestamp"])[:19] for event in found.events] == ["2026-11-01 08:00:00"] * 2
        assert [reject["reject_reason"] for reject in found.rejects] == ["other_line"] * 2


def test_an_answer_beside_fields_of_the_application(tmp_path: Path) -> None:
    """All columns of flat logs count beside an answer; --map names others; ids that the application wrote itself win over the answer's."""
    record = {"query": "one", "tenant": "x", "qid": 7, "latency_ms": 5, "arm": "b", "who": "me", "response": SEARCH}
    (event,) = found_in(written(tmp_path, record)).events
    assert [event[name] for name in ("tenant_id", "query_id", "total_ms", "variant", "scores")] == ["x", "7", 5, "b", [0.5]]
    (event,) = found_in(written(tmp_path, record), mapped={"session_id": "who"}).events
    assert (event["session_id"], event["ranked_ids"]) == ("me", ["a"])
    (event,) = found_in(written(tmp_path, {**record, "ranked_ids": ["z"]})).events
    assert event["ranked_ids"] == ["z"]
    carried = evaluate([{**record, "relevant": ["a", "z"]}], None, metrics="recall", k="1").to_dict()
    assert [row["value"] for row in carried["metrics"]] == [0.5]
    with pytest.raises((InputError, UsageError), match="nowhere"):
        (tmp_path / "labels").write_text('{"query": "one", "relevant": ["a"]}')
        evaluate(written(tmp_path, record), tmp_path / "labels", mapped={"session_id": "nowhere.x"})


RANKS = [{"index": 2, "relevance_score": 0.9}, {"relevance_score": 0.4, "index": 0}]
RERANKED: dict[str, dict[str, Any]] = {
    "Cohere": {"documents": ["a", "b", "c"], "results": RANKS},
    "Cohere, beside": {"documents": [{"id": id_, "text": "x"} for id_ in "abc"], "response": {"id": "r", "results": RANKS}},
    "Voyage": {"document_ids": ["a", "b", "c"], "response": {"object": "list", "data": RANKS}},
    "TEI": {"candidate_ids": ["a", "b", "c"], "results": [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.4}]},
    "Jina": {"documents": ["a", "b", "c"], "results": [{**hit, "document": {"text": "x"}} for hit in RANKS]},
}


@pytest.mark.parametrize("form", ["lines", "parquet"])
@pytest.mark.parametrize("name", RERANKED)
def test_what_a_reranker_answers(tmp_path: Path, name: str, form: str) -> None:
    """Each result names its document by its place in the list that was sent, which is no ranking."""
    record = {"query": "one", **RERANKED[name]}
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist([record]), tmp_path / "log")
    else:
        (tmp_path / "log").write_text(json.dumps(record) + "\n")
    found = found_in(tmp_path / "log")
    assert lists(found) == [("one", ["c", "a"])]
    assert found.events[0]["scores"] == [0.9, 0.4]


def test_reranked_texts_and_a_place_outside(tmp_path: Path) -> None:
    """Texts without ids follow the same order; a place that was not sent is a reject; a list of ranks beside final ids is none."""
    rows = [
        {"query": "one", "documents": ["text a", "text b", "text c"], "results": RANKS},
        {"query": "two", "documents": ["a"], "results": RANKS},
        {"query": "three", "ranked_ids": ["z", "y"], "documents": ["y", "z"], "results": [{"index": 1, "score": 1}]},
    ]
    (tmp_path / "log").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = found_in(tmp_path / "log")
    assert lists(found) == [("one", [None, None]), ("three", ["z", "y"])]
    assert next(e["texts"] for e in found.events if e["query_text"] == "one") == ["text c", "text a"]
    assert [row["reject_reason"] for row in found.rejects] == ["a result's index is outside of the documents that were sent"]
