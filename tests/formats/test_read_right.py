"""What a log says is read as it says it, or refused with its place: ids in other shapes and types, paths, folders, texts."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError
from recallwatch.read import read_logs
from recallwatch.read.record_paths import steps_of

LABELS = pa.table({"query_id": ["q1"], "document_id": ["a"]})


def log_of(path: Path, *rows: object) -> Path:
    """JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def events_of(*paths: Path, **options: Any) -> list[dict[str, Any]]:
    """The events that are read, in the order of their files and lines."""
    engine = Engine(threads=1)
    try:
        for name in ("0_schema", "0_options", "1_normalise/values", "1_normalise/facts"):
            engine.file(f"{name}.sql")
        read_logs(engine, [str(path) for path in paths], **options)
        return engine.rows("from normalised order by source, source_line")
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("ids", "right"),
    [
        ([{"id": "a"}, {"id": 7}], ["a", "7"]),
        ([{"document_id": "a", "score": 0.9}], ["a"]),
        ([["a", 0.9], ["b", 1]], ["a", "b"]),
        (["[a", "{b"], ["[a", "{b"]),
        ([1, "x", None], ["1", "x", None]),
        ([["a", "b"]], None),
        ([{"name": "a"}], None),
        ([[1, 2, 3]], None),
    ],
)
def test_a_list_or_an_object_is_never_an_id(ids: list[object], right: list[object] | None, tmp_path: Path) -> None:
    """Of an object its id, of a pair (id, number) the id; anything else is a counted reject. The same in a text of Parquet."""
    log = log_of(tmp_path / "log.jsonl", {"query_id": "q1", "ranked_ids": ids})
    pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": [json.dumps(ids)]}), tmp_path / "log.parquet")
    for event in (*events_of(log), *events_of(tmp_path / "log.parquet")):
        if right is None:
            assert event["reject_reason"] == "an id is a list, or an object without an id"
        else:
            assert (event["reject_reason"], event["ranked_ids"]) == (None, right)


def test_typed_objects_as_ids(tmp_path: Path) -> None:
    """A Parquet list of objects gives their ids, not their text."""
    ids = [[{"id": 7, "score": 0.5}, {"id": 8, "score": 0.4}]]
    pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": ids}), tmp_path / "log.parquet")
    assert events_of(tmp_path / "log.parquet")[0]["ranked_ids"] == ["7", "8"]


@pytest.mark.parametrize("text", ["['a' 'b']", "[a", "", "{}"])
def test_text_that_is_no_list_is_a_reject(text: str, tmp_path: Path) -> None:
    """In Parquet as in JSON lines: a result list that cannot be read is counted, it never leaves the mean in silence."""
    pq.write_table(pa.table({"query_id": ["q1"] * 2, "ranked_ids": ['["a"]', text]}), tmp_path / "log.parquet")
    log_of(tmp_path / "log.jsonl", {"query_id": "q1", "ranked_ids": ["a"]}, {"query_id": "q1", "ranked_ids": text})
    for name in ("log.parquet", "log.jsonl"):
        with pytest.raises(InputError, match=r"1 of 2 records \(50.0 %\) rejected"):
            recallwatch.evaluate(tmp_path / name, LABELS)


def test_ids_are_text_before_files_are_united(tmp_path: Path) -> None:
    """Whole numbers beside floats or text in another file keep every digit."""
    large = 2**53 + 1
    ints, floats = pa.array([[7, large]], pa.list_(pa.int64())), pa.array([[8.5]], pa.list_(pa.float64()))
    for name, ids in {"int": ints, "float": floats, "text": [["007"]]}.items():
        pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": ids}), tmp_path / f"{name}.parquet")
    read = {Path(event["source"]).stem: event["ranked_ids"] for event in events_of(tmp_path)}
    assert read == {"int": ["7", str(large)], "float": ["8.5"], "text": ["007"]}


def test_paths_of_a_map(tmp_path: Path) -> None:
    """A path into an object, a field read whole and walked at once, a name with dots in quotes or as the log has it."""
    context = {"document_id": "a", "text": "alpha", "@search.score": 0.5}
    log = log_of(tmp_path / "log.jsonl", {"req": {"id": "q1"}, "contexts": [context], "took": {"ms": 5}, "a.b": "literal"})
    mapped = {
        "query_id": "req.id",
        "ranked_ids": "contexts[].document_id",
        "texts": "contexts[].text",
        "scores": 'contexts[]."@search.score"',
        "total_ms": "took.ms",
        "variant": "a.b",
    }
    (event,) = events_of(log, mapped=mapped)
    assert [event[name] for name in mapped] == ["q1", ["a"], ["alpha"], [0.5], 5.0, "literal"]
    (event,) = events_of(log, mapped={"query_id": "req.id", "ranked_ids": "contexts[].document_id"})  # contexts: also texts
    assert event["ranked_ids"] == ["a"]
    whole = log_of(tmp_path / "whole.jsonl", {"query_id": "q1", "ranked_ids": [{"id": "a", "score": 0.9}]})
    (event,) = events_of(whole, mapped={"scores": "ranked_ids[].score"})
    assert (event["ranked_ids"], event["scores"]) == (["a"], [0.9])


def test_steps() -> None:
    """A path is cut at dots outside of quotes; [] is a step of its own."""
    assert steps_of("results[].chunk.id") == ["results", "[]", "chunk", "id"]
    assert steps_of('hits[]."@search.score"') == ["hits", "[]", "@search.score"]
    assert steps_of("a[][]") == ["a", "[]", "[]"]


def test_a_number_or_an_object_under_one_name(tmp_path: Path) -> None:
    """latency_ms may be the total or an object of stages, from record to record."""
    rows = ({"query_id": "q1", "ranked_ids": ["a"], "latency_ms": value} for value in (5, {"search": 3.0}))
    first, second = events_of(log_of(tmp_path / "log.jsonl", *rows))
    assert (first["total_ms"], first["stage_ms"]) == (5.0, None)
    assert (second["total_ms"], dict(second["stage_ms"])) == (None, {"search": 3.0})


def test_folders_are_columns_of_json_lines(tmp_path: Path) -> None:
    """``tenant=acme/`` says whose log it is, in JSON lines as in Parquet; what the record says itself wins."""
    log_of(tmp_path / "tenant=acme%20x" / "region=eu" / "a.jsonl", {"query_id": "q1", "ranked_ids": ["a"]})
    log_of(tmp_path / "tenant=bolt" / "b.jsonl", {"query_id": "q1", "ranked_ids": ["a"], "tenant": "own"})
    events = events_of(tmp_path)
    assert [event["tenant_id"] for event in events] == ["acme x", "own"]
    assert dict(events[0]["attributes"]) == {"region": "eu"}
    result = recallwatch.evaluate(tmp_path, LABELS, by="tenant", metrics="recall@1")
    assert {tuple(row["segment"].values()) for row in result.to_dict()["metrics"]} == {(), ("acme x",), ("own",)}


def test_a_files_column_wins_over_its_folder(tmp_path: Path) -> None:
    """In Parquet too: a folder ``ts=2026-01-01`` does not take the time of day away; other folders stay columns."""
    folder = tmp_path / "ts=2026-01-01" / "tenant=acme"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": [["a"]], "ts": ["2026-01-01T10:30:00Z"]}), folder / "x.parquet")
    (event,) = events_of(tmp_path)
    assert (event["timestamp"].isoformat(), event["tenant_id"]) == ("2026-01-01T10:30:00+00:00", "acme")


def test_a_folder_and_a_record_that_disagree(tmp_path: Path) -> None:
    """The record counts, and a warning says how many records differ; a folder of the day and a time on that day agree."""
    folder = tmp_path / "tenant=acme" / "ts=2026-01-01"
    rows = [
        {"query_id": "q1", "ranked_ids": ["a"], "tenant": tenant, "ts": "2026-01-01T10:00:00Z"} for tenant in ("bolt", "acme", None)
    ]
    log_of(folder / "a.jsonl", *rows)
    other = tmp_path / "parquet" / "tenant=acme" / "ts=2026-01-01"
    other.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), other / "b.parquet")
    for log in (folder / "a.jsonl", other / "b.parquet"):
        result = recallwatch.evaluate(log, LABELS, by="tenant", metrics="recall@1").to_dict()
        assert {tuple(row["segment"].values()): row["n"] for row in result["metrics"]} == {(): 3, ("acme",): 2, ("bolt",): 1}
        assert [(one["code"], one["n"]) for one in result["warnings"] if "folder" in one["code"]] == [
            ("events_folder_disagrees", 1)
        ]


@pytest.mark.parametrize("later", [{"arm": "b"}, {"rerank_ms": 5}, {"results": [{"id": "z"}]}, {"note": "n", "query": None}])
def test_a_key_that_the_first_records_lack(later: dict[str, object], tmp_path: Path) -> None:
    """Between the first record and the last one, after rejects and records with fewer keys: read as if it had been the first."""
    usual = {"query_id": "q", "query": "text", "ranked_ids": ["a"], "total_ms": 3}
    lines = [usual, {"query_id": "q", "ranked_ids": ["a"]}, *[usual] * 3000, usual | later, usual]
    texts = [json.dumps(line) for line in lines]
    texts.insert(2, '{"query_id": "q", "else": ')
    (early := tmp_path / "early.jsonl").write_text("\n".join([texts[-2], *texts[:-2], texts[-1]]) + "\n")
    (late := tmp_path / "late.jsonl").write_text("\n".join(texts) + "\n")
    found = [found_in(path) for path in (early, late)]
    kept = [
        sorted(
            str({key: value for key, value in event.items() if key not in ("event_id", "source", "source_line")})
            for event in one.events
        )
        for one in found
    ]
    assert kept[0] == kept[1]
    assert [reject["source_line"] for one in found for reject in one.rejects] == [4, 3]
    assert found[0].logs.attributes == found[1].logs.attributes


def test_lists_and_scores_of_two_lengths_are_counted(tmp_path: Path) -> None:
    """Another number of scores than of ids: flagged, as a score that is not finite is."""
    rows = [{"query_id": "q1", "ranked_ids": ["a", "b"], "scores": scores} for scores in ([0.9], [0.9, 0.8], None)]
    assert [event["flags"] for event in events_of(log_of(tmp_path / "log.jsonl", *rows))] == [["score_invalid"], [], []]


def test_a_page_of_an_api_is_its_records(tmp_path: Path) -> None:
    """What stands under `data` is read, at its own line; a record that merely has a field of that name is a record."""
    rows = [{"query": f"q{i}", "ranked_ids": [f"d{i}"]} for i in range(3)]
    page = tmp_path / "page.json"
    page.write_text(
        "\n".join(
            json.dumps({"meta": {"page": n}, "data": some, "next_cursor": None}, indent=1)
            for n, some in enumerate((rows[:2], rows[2:]))
        )
    )
    assert [(event["query_text"], event["ranked_ids"], event["source_line"]) for event in events_of(page)] == [
        ("q0", ["d0"], 6),
        ("q1", ["d1"], 12),
        ("q2", ["d2"], 26),
    ]
    own = log_of(tmp_path / "own.jsonl", {"message": "q", "data": [{"id": "a"}]})
    assert events_of(own, mapped={"ranked_ids": "data[].id"})[0]["ranked_ids"] == ["a"]
    together = tmp_path / "together.json"
    together.write_text("".join(map(json.dumps, rows)))
    assert [event["ranked_ids"] for event in events_of(together)] == [["d0"], ["d1"], ["d2"]]


def test_alternatives_of_a_profile(tmp_path: Path) -> None:
    """A key that holds a list here and an object there is read by a path each."""
    log = log_of(tmp_path / "log.jsonl", {"q": "q1", "output": [{"id": "a"}]}, {"q": "q1", "output": {"hits": [{"key": "b"}]}})
    profile = tmp_path / "p.toml"
    profile.write_text('name = "p"\n[events]\nquery_id = "q"\nranked_ids = ["output[].id", "output.hits[].key"]\n')
    assert [event["ranked_ids"] for event in events_of(log, profile=str(profile))] == [["a"], ["b"]]


def test_pages_of_log_services(tmp_path: Path) -> None:
    """Records under `events`, `logEvents` and `spans`, also where each is a text inside a log event: CloudWatch and Datadog send them so."""
    rows = [{"query": f"q{i}", "ranked_ids": [f"d{i}"]} for i in range(2)]
    logged = [{"id": str(i), "timestamp": 1790000000000 + i, "message": json.dumps(row)} for i, row in enumerate(rows)]
    pages = {
        "filter.json": {"events": logged, "searchedLogStreams": [], "nextToken": "x"},  # aws logs filter-log-events
        "subscription.jsonl": {"messageType": "DATA_MESSAGE", "owner": "1", "logGroup": "g", "logStream": "s", "subscriptionFilters": [], "logEvents": logged},
    }  # fmt: skip
    for name, page in pages.items():
        (tmp_path / name).write_text(json.dumps(page))
        found = [(event["query_text"], event["ranked_ids"], event["timestamp"] is None) for event in events_of(tmp_path / name)]
        assert found == [("q0", ["d0"], False), ("q1", ["d1"], False)], name
    span = {"span_id": "1", "trace_id": "t", "start_ns": 1, "duration": 10**8, "status": "ok", "name": "kb"}
    span["meta"] = {"span": {"kind": "retrieval"}, "input": {"value": "q"}, "output": {"documents": [{"id": "d1", "text": "x"}]}}
    (tmp_path / "llmobs.json").write_text(json.dumps({"_dd.stage": "raw", "event_type": "span", "spans": [span]}))
    assert [event["ranked_ids"] for event in events_of(tmp_path / "llmobs.json")] == [["d1"]]
