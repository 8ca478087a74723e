"""Profiles: paths, units and id rules of any other log."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in

import recallwatch
from recallwatch.base.errors import InputError, UsageError

RECORD = {
    "when": "2026-11-01T10:00:00+02:00",
    "conv": "c7",
    "ask": {"text": "what?", "id": 7},
    "hits": [{"chunk": {"src": "a.md", "n": 3}, "sim": 0.5}, {"chunk": {"src": "b.md", "n": 1}, "sim": 0.25}],
    "took_s": 0.125,
    "parts": {"vector": 40, "rank": 0.02},
    "right": ["b.md#1", "doc:zz"],
    "lane": "blue",
}
PROFILE = r"""
name = "ours"
[events]
timestamp = "when"
query_id = "{conv}/{ask.id}"
query_text = "ask.text"
session_id = "conv"
ranked_ids = "{hits[].chunk.src}#{hits[].chunk.n}"
scores = "hits[].sim"
total_ms = "took_s"
stage_ms = {search = {path = "parts.vector", unit = "ms"}, rerank = {path = "parts.rank", unit = "s"}}
[labels]
relevant = "right"
[[ids.events]]
compose = "{session_id}/{id}"
[[ids.labels]]
strip_prefix = "doc:"
[[ids.labels]]
compose = "{session_id}/{id}"
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "profile.toml"
    path.write_text(PROFILE)
    return path


def log(folder: Path, form: str) -> Path:
    """One record in a container."""
    folder.mkdir()
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist([RECORD]), folder / "log.parquet")
    else:
        text = json.dumps([RECORD], indent=2) if form == "array" else json.dumps(RECORD) + "\n"
        (folder / "log.json").write_text(text)
    return folder


@pytest.mark.parametrize("form", ["lines", "array", "parquet"])
def test_every_part_of_a_profile(tmp_path: Path, profile: Path, form: str) -> None:
    """Nested paths, templates along a list, units and id rules, from JSON in any container and from Parquet."""
    (event,) = found_in(log(tmp_path / "logs", form), profile=str(profile)).events
    assert event["query_id"] == "c7/7"
    assert event["query_text"] == "what?"
    assert event["ranked_ids"] == ["c7/a.md#3", "c7/b.md#1"]
    assert event["scores"] == [0.5, 0.25]
    assert event["total_ms"] == 125.0
    assert event["stage_ms"] == {"search": 40.0, "rerank": 20.0}
    assert event["timestamp"].isoformat() == "2026-11-01T08:00:00+00:00"
    assert event["attributes"]["lane"] == "blue"


@pytest.mark.parametrize("form", ["lines", "array", "parquet"])
def test_labels_in_the_log_follow_their_own_rules(tmp_path: Path, profile: Path, form: str) -> None:
    """The label ids take their steps in order, and match the composed ids of the events."""
    result = recallwatch.evaluate(log(tmp_path / "logs", form), profile=str(profile), per_query=True)
    (query,) = result.to_dict()["queries"]
    assert query["missed_ids"] == ["c7/zz"]
    assert [(found["document_id"], found["rank"]) for found in query["found"]] == [("c7/b.md#1", 2)]


def test_rules_for_labels_of_a_file(tmp_path: Path) -> None:
    """Labels of a file of their own go by the same rules; what a rule drops is counted and named."""
    (tmp_path / "p.toml").write_text(
        '[events]\nranked_ids = "ids"\nquery_id = "q"\n[[ids.labels]]\nmatch = "^D([0-9]+):"\nreplace = \'session_\\1\'\nunmatched = "drop"\n'
    )
    (tmp_path / "log.jsonl").write_text('{"q": "q1", "ids": ["session_2", "session_1"]}\n')
    (tmp_path / "labels.jsonl").write_text('{"query_id": "q1", "relevant": ["D1:3", "D1:9", "D"]}\n')
    result = recallwatch.evaluate(
        tmp_path / "log.jsonl", tmp_path / "labels.jsonl", profile=str(tmp_path / "p.toml"), metrics=("recall@2", "mrr")
    )
    assert [row["value"] for row in result.to_dict()["metrics"]] == [1.0, 0.5]
    assert [(w["n"], w["examples"]) for w in result.head["warnings"] if w["code"] == "references_dropped"] == [(1, ["D"])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[events]\nranked_id = "x"\n', "unknown key 'events.ranked_id'. Did you mean 'ranked_ids'?"),
        ('[event]\nranked_ids = "x"\n', "unknown key 'event'. Did you mean 'events'?"),
        ('[events]\nranked_ids = "x"\n[[ids.labels]]\nmtach = "x"\n', "unknown key 'ids.labels.0.mtach'. Did you mean 'match'?"),
        (
            '[events]\nranked_ids = "x"\ntotal_ms = "latency"\n',
            "events.total_ms: 'latency' names no unit. Seconds or milliseconds?",
        ),
        ('[events]\nranked_ids = "x"\n[[ids.labels]]\nmatch = "("\nreplace = "x"\n', "not a regular expression"),
        ('[events]\nquery_id = "x"\n', "no events.ranked_ids"),
        ("events = [", "not TOML"),
    ],
)
def test_a_wrong_profile_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """File, key, nearest known key; exit 2, before any data is read."""
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        found_in(tmp_path, profile=str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_path_the_log_does_not_have(tmp_path: Path, profile: Path) -> None:
    """The result list is not where the profile says: the names that are there are listed."""
    (tmp_path / "log.jsonl").write_text('{"results": []}\n')
    with pytest.raises(InputError, match=r"has: results"):
        found_in(tmp_path / "log.jsonl", profile=str(profile))


def test_a_home_grown_rag_log(shared_data: Path, tmp_path: Path) -> None:
    """The one real log with ids made of two fields: 55 events, Windows paths and logit scores as they are."""
    path = tmp_path / "rag.toml"
    path.write_text(
        '[events]\ntimestamp = "ts"\nquery_text = "question"\nsession_id = "session_id"\n'
        'ranked_ids = "{top_chunks[].source}#{top_chunks[].chunk_index}"\nscores = "top_chunks[].rerank_score"\ntotal_ms = "latency_ms"\n'
    )
    found = found_in(shared_data / "telemetry" / "production-rag-application" / "queries.jsonl", profile=str(path))
    rows = [
        json.loads(line)
        for line in (shared_data / "telemetry" / "production-rag-application" / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(found.events) == 55
    expected = sorted([f"{chunk['source']}#{chunk['chunk_index']}" for chunk in row["top_chunks"]] for row in rows)
    assert sorted(event["ranked_ids"] for event in found.events) == expected
    assert sorted(event["total_ms"] for event in found.events) == sorted(float(row["latency_ms"]) for row in rows)


def test_a_duration_with_its_unit(tmp_path: Path) -> None:
    """``total_ms = {path, unit}`` is one place with a unit, not two stages of these names."""
    (tmp_path / "log.jsonl").write_text(json.dumps({"question": "?", "hits": ["a"], "took": 1.5}) + "\n")
    (tmp_path / "p.toml").write_text('[events]\nranked_ids = "hits"\ntotal_ms = {path = "took", unit = "s"}\n')
    (event,) = found_in(tmp_path / "log.jsonl", profile=str(tmp_path / "p.toml")).events
    assert event["total_ms"] == 1500.0
