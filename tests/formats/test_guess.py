"""`check` of a log that nobody knows prints a profile that pastes: likely paths with an example of each, and what it could not tell."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run
from format_reading import found_in

from recallwatch import evaluate
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError
from recallwatch.evaluation.check import check
from recallwatch.read.guess import proposal


def record(number: int) -> dict[str, Any]:
    hits = [{"doc": {"key": f"d{j}", "body": "some long text"}, "similarity": 0.9 - j / 10} for j in range(3)]
    return {
        "event": "retrieval_done",
        "eventTime": 1_793_520_000_000 + number,
        "payload": {"userQuestion": f"what is {number} about", "hits": hits},
        "perf": {"tookMs": 12 + number, "wait": 0.5},
        "org": 'it\'s\u2028"acme"',
    }


def rows() -> list[dict[str, Any]]:
    return [row for number in range(9) for row in (record(number), {"event": "http", "path": "/x"})]


@pytest.mark.parametrize("form", ["lines", "docker", "parquet"])
def test_a_profile_that_reads_the_log(tmp_path: Path, form: str) -> None:
    """Whatever the container: as printed it finds every recall, and tells them from other records."""
    path, profile = tmp_path / "app.log", tmp_path / "ours.toml"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows()), path)
    else:
        texts = [json.dumps(row) for row in rows()]
        path.write_text(
            "".join((json.dumps({"log": t + "\n", "stream": "stdout"}) if form == "docker" else t) + "\n" for t in texts)
        )
    with Engine() as engine:
        profile.write_text(proposal(engine, path))
    made = tomllib.loads(profile.read_text())
    assert made["events"] == {
        "ranked_ids": "payload.hits[].doc.key",
        "scores": "payload.hits[].similarity",
        "texts": "payload.hits[].doc.body",
        "query_text": "payload.userQuestion",
        "timestamp": "eventTime",
        "total_ms": "perf.tookMs",
        "tenant_id": "org",
    }
    assert "# nothing there looks like: query_id, session_id, variant" in profile.read_text()
    found = found_in(path, profile=str(profile))
    assert sorted((event["total_ms"], event["ranked_ids"]) for event in found.events) == [
        (12.0 + i, ["d0", "d1", "d2"]) for i in range(9)
    ]
    assert {row["reject_reason"] for row in found.rejects} == {"other_line"}


def test_the_command(tmp_path: Path) -> None:
    """Printed whole at any width, exit 3; `init --profile` writes it and the configuration that uses it."""
    log, new = tmp_path / "log.jsonl", tmp_path / "new.toml"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    done = run("check", log, env={"COLUMNS": "40"})
    assert done.returncode == 3
    printed = "# A guess" + done.stdout.partition("# A guess")[2]
    assert tomllib.loads(printed) == tomllib.loads(json.loads(run("check", log, "-f", "json").stdout)["profile"])
    done = run("init", log, "--profile", new, "-o", tmp_path / "recallwatch.toml")
    assert done.returncode == 0, done.stderr
    assert new.read_text() == printed
    assert tomllib.loads((tmp_path / "recallwatch.toml").read_text())["read"] == {"profile": "new.toml"}


def test_what_cannot_be_told(tmp_path: Path) -> None:
    """A duration without a unit is asked for, a chunk's number is offered beside its file, a log without a list is refused as before."""
    log = tmp_path / "log.jsonl"
    log.write_text(
        json.dumps(
            {
                "ts": "2026-11-01T08:00:00Z",
                "duration": 0.4,
                "found": [{"file": "a.md", "chunk_index": 3}] * 2,
                "frage": "wer ist das",
            }
        )
        + "\n"
    )
    with Engine() as engine:
        text = proposal(engine, log)
        made = tomllib.loads(text)
        assert made["events"] == {"ranked_ids": "found[].file", "query_text": "frage", "timestamp": "ts"}
        assert '# or ranked_ids = "{found[].file}#{found[].chunk_index}"' in text
        assert '# total_ms = {path = "duration", unit = "?"}  # seconds or milliseconds? e.g. 0.4' in text
        log.write_text('{"a": 1}\n')
        assert not proposal(engine, log)


def test_a_log_whose_list_lies_elsewhere(tmp_path: Path) -> None:
    """Chroma's answer has `documents`, which is null, and `ids`: all rejects, and a profile all the same."""
    answer = {"query": "what is it", "documents": None, "response": {"matches": [{"key": "a"}, {"key": "b"}]}}
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(answer) + "\n" for _ in range(3)))
    found = check(tmp_path / "l.jsonl")
    assert [finding["code"] for finding in found.findings] == ["no_recalls"]
    assert 'ranked_ids = "response.matches[].key"' in found.profile


ANSWERS: dict[str, dict[str, Any]] = {  # of docs/formats.md: an answer logged with the question beside it
    "response.hits.hits[]._id": {
        "response": {
            "took": 3,
            "hits": {"total": {"value": 2}, "hits": [{"_index": "i", "_id": "a", "_score": 0.9}, {"_index": "i", "_id": "b"}]},
        }
    },
    "matches[].id": {
        "matches": [{"id": "a", "score": 0.9, "metadata": {"source": "f"}}, {"id": "b", "score": 0.8}],
        "namespace": "",
    },
    "result.points[].id": {
        "result": {"points": [{"id": "a", "version": 3, "score": 0.9}, {"id": "b", "version": 3}]},
        "status": "ok",
    },
    "data.Get.Doc[]._additional.id": {
        "data": {"Get": {"Doc": [{"_additional": {"id": "a"}, "text": "t"}, {"_additional": {"id": "b"}}]}}
    },
    "response.docs[].id": {"response": {"numFound": 2, "docs": [{"id": "a", "score": 0.9}, {"id": "b"}]}},
    "hits[].objectID": {"hits": [{"objectID": "a", "title": "t"}, {"objectID": "b"}], "nbHits": 2},
}


@pytest.mark.parametrize("path", ANSWERS)
def test_answers_of_engines(tmp_path: Path, path: str) -> None:
    """Elasticsearch, Pinecone, Qdrant, Weaviate, Solr, Algolia: the proposed profile reads the right ids as it stands."""
    rows = [
        {"ts": "2026-11-01T08:00:00Z", "query": "what is it", **ANSWERS[path]},
        {"ts": "2026-11-01T08:00:01Z", "query": "how", **ANSWERS[path]},
    ]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    engine = Engine(threads=1)
    try:
        (tmp_path / "new.toml").write_text(proposal(engine, tmp_path / "l.jsonl"))
    finally:
        engine.close()
    assert tomllib.loads((tmp_path / "new.toml").read_text())["events"]["ranked_ids"] == path
    found = found_in(tmp_path / "l.jsonl", profile=str(tmp_path / "new.toml"))
    assert [(e["ranked_ids"], e["query_text"]) for e in sorted(found.events, key=lambda e: e["source_line"])] == [
        (["a", "b"], "what is it"),
        (["a", "b"], "how"),
    ]


PLAIN: dict[str, dict[str, Any]] = {
    **{path: answer for path, answer in ANSWERS.items() if "hits.hits" not in path},  # of a profile that comes with the tool
    "Weaviate 4": {"objects": [{"uuid": "a", "metadata": {"score": 0.4}}, {"uuid": "b"}]},
    "Vespa": {"response": {"root": {"id": "top", "children": [{"id": "a", "relevance": 0.5}, {"id": "b", "relevance": 0.4}]}}},
    "Typesense": {"hits": [{"document": {"id": "a"}}, {"document": {"id": "b"}}]},
    "Kendra": {"ResultItems": [{"Id": "x", "DocumentId": "a"}, {"Id": "y", "DocumentId": "b"}]},
    "OpenAI": {"data": [{"file_id": "a", "score": 0.5}, {"file_id": "b", "score": 0.4}], "search_query": "x"},
    "nested": {"output": {"documents": [{"id": "a"}, {"id": "b"}]}},
    "ids in an object": {"results": {"ids": ["a", "b"], "scores": [0.5, 0.4]}},
}


@pytest.mark.parametrize("form", ["lines", "parquet", "given"])
@pytest.mark.parametrize("name", PLAIN)
def test_answers_without_a_profile(tmp_path: Path, name: str, form: str) -> None:
    """The question beside an answer of an engine, or in its request: the right ids as they stand, stages too."""
    rows = [{"ts": "2026-11-01T08:00:00Z", "request": {"query": "what is it"}, "embed_ms": 2.5, **PLAIN[name]}] * 2
    if form == "lines":
        (tmp_path / "l").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "l")
    if form == "given":
        result = evaluate(pq.read_table(tmp_path / "l"), [{"query": "what is it", "relevant": ["b"]}], k=[2], metrics=("mrr@2",))
        assert [m["value"] for m in result.to_dict()["metrics"]] == [0.5]
        return
    found = found_in(tmp_path / "l")
    assert [(e["ranked_ids"], e["query_text"], e["stage_ms"]) for e in found.events] == [
        (["a", "b"], "what is it", {"embed": 2.5})
    ] * 2


@pytest.mark.parametrize(
    "record",
    [
        {"query": "x", "hits": [{"id": "a"}], "sources": [{"id": "b"}]},  # of two lists neither is known to be the result
        {"hits": [{"id": "a"}]},  # whose question is not known
        {"query": "x", "hits": 12, "sources": ["a"]},
        {"query": "x", "items": [{"name": "a"}]},
    ],
)
def test_what_is_no_answer_is_refused(tmp_path: Path, record: dict[str, Any]) -> None:
    """Two lists, no question, no ids: refused with what is there, and `check` proposes a profile."""
    (tmp_path / "l").write_text(json.dumps(record) + "\n")
    with pytest.raises(InputError, match="no column 'ranked_ids'"):
        found_in(tmp_path / "l")
