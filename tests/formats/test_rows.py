"""Tables whose rows hold records of another form (answers, lists of lists, other programs' lines): the same ids as in JSON lines."""

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in
from test_several import CHROMA, FORMS, HITS, QUERIES, SEARCH, lists

from recallwatch import evaluate
from recallwatch.base.errors import InputError
from recallwatch.read.cells import list_of

AT = "2026-11-01T08:00:00Z"
HELLO = [("hello", ["a"])]
RECORD = {"query": "hello", "ranked_ids": ["a"]}
RETRIEVED = {"retrievalResults": [{"content": {"text": "x"}, "location": {"s3Location": {"uri": "a"}}, "score": 0.5}]}
ROWS: dict[str, tuple[dict[str, Any], list[tuple[str | None, list[str]]]]] = {
    "chroma": ({**QUERIES, **{key: CHROMA[key] for key in ("ids", "distances")}}, [("one", ["a", "b"]), ("two", ["c"])]),
    "chroma, one query": ({"query": "one", "ids": [["a", "b"]]}, [("one", ["a", "b"])]),
    "milvus": ({**QUERIES, "results": [[{"id": hit["id"]} for hit in hits] for hits in HITS]}, FORMS["milvus"][1]),
    "_search": ({"query": "one", "response": SEARCH}, [("one", ["a"])]),
    "_search in a text": ({"query": "one", "response": json.dumps(SEARCH)}, [("one", ["a"])]),
    "bedrock": ({"request": {"retrievalQuery": {"text": "hello"}}, "response": RETRIEVED}, HELLO),
    "a line": ({"message": json.dumps(RECORD)}, HELLO),
    "a property": ({"time": AT, "Properties": json.dumps(RECORD)}, HELLO),
    "a line's record": ({"_source": RECORD}, HELLO),
}


@pytest.mark.parametrize("form", ROWS)
def test_rows_of_parquet(tmp_path: Path, form: str) -> None:
    """A row is read as the JSON it stands for, with its number as line."""
    record, expected = ROWS[form]
    pq.write_table(pa.Table.from_pylist([record] * 2), tmp_path / "log.parquet")
    found = found_in(tmp_path / "log.parquet")
    assert (sorted(lists(found)), found.rejects) == (sorted(expected * 2), [])
    assert {event["source_line"] for event in found.events} == {1, 2}


@pytest.mark.parametrize("form", ["chroma", "_search", "a line"])
def test_rows_in_memory(form: str) -> None:
    """Arrow, Polars and DuckDB's relations likewise."""
    record, expected = ROWS[form]
    table = pa.Table.from_pylist([record])
    labels = [{"query": query, "relevant": ids} for query, ids in expected]
    for given in (table, pl.from_arrow(table), duckdb.connect().from_arrow(table)):
        metrics = evaluate(given, labels, k=[3]).to_dict()["metrics"]
        assert next(m["value"] for m in metrics if (m["metric"], m["k"]) == ("recall", 3)) == 1.0


def test_an_answer_in_a_cell(tmp_path: Path) -> None:
    """CSV with an answer as JSON."""
    with (tmp_path / "log.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["query", "response"], ["one", json.dumps(SEARCH)]])
    assert lists(found_in(tmp_path / "log.csv")) == [("one", ["a"])]


@pytest.mark.parametrize(
    "record",
    [
        {"query": "hello", "ranked_ids": json.dumps(["a"])},
        {"query": "hello", "results": json.dumps([{"id": "a", "score": 0.5}])},
        {"query": "hello", "results": [{"_id": {"$oid": "a"}, "score": 0.5}]},
        {"query": "hello", "response": {"nearestNeighbors": [{"id": "0", "neighbors": [{"datapoint": {"datapointId": "a"}}]}]}},
    ],
)
def test_ids_in_other_places(tmp_path: Path, record: dict[str, Any]) -> None:
    """A list that is JSON in a text, ids of MongoDB, neighbors of Vertex AI's Vector Search."""
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n")
    assert lists(found_in(tmp_path / "log.jsonl")) == HELLO


@pytest.mark.parametrize(
    "page",
    [
        {
            "results": [[{"field": "@timestamp", "value": AT}, {"field": "@message", "value": json.dumps(RECORD)}]],
            "status": "Complete",
        },
        {"results": [[{"field": "query", "value": "hello"}, {"field": "ranked_ids", "value": '["a"]'}]], "status": "Complete"},
        {"took": 1, "timed_out": False, "hits": {"hits": [{"_id": "7", "_source": {"@timestamp": AT, **RECORD}}]}},
        {"took": 1, "hits": {"hits": [{"_id": "7", "_source": {"@timestamp": AT, "message": json.dumps(RECORD)}}]}},
        {"time": AT, "message": "recall", "customDimensions": json.dumps({"query": "hello", "ranked_ids": '["a"]'})},
        {"queryText": "hello", "rankedIds": ["a"]},
        {"userQuery": "hello", "sourceDocuments": [{"pageContent": "x", "metadata": {"id": "a"}}]},
        {"ts": AT, "query": "hello", "docId": "a", "score": 0.5},
    ],
)
def test_records_of_log_services(tmp_path: Path, page: dict[str, Any]) -> None:
    """Pages of CloudWatch Insights and Elasticsearch, Application Insights' text, camel case, a row a document."""
    (tmp_path / "log.json").write_text(json.dumps(page, indent=1))
    found = found_in(tmp_path / "log.json")
    assert (lists(found), found.rejects) == (HELLO, [])


def test_documents_an_index_found_are_no_recalls(tmp_path: Path) -> None:
    """An answer of Elasticsearch without its question stays one list of ids, whatever its documents hold."""
    answer = {"took": 1, "hits": {"hits": [{"_id": "7", "_source": {"title": "x", "documents": ["y"]}}]}}
    (tmp_path / "log.json").write_text(json.dumps(answer))
    assert lists(found_in(tmp_path / "log.json")) == [(None, ["7"])]
    answer["hits"]["hits"][0]["_source"] = {"question": "q", "contexts": ["y"]}
    (tmp_path / "log.json").write_text(json.dumps({**answer, "query": "hello"}))
    assert lists(found_in(tmp_path / "log.json")) == [("hello", ["7"])]


def test_rows_of_documents_in_json_lines(tmp_path: Path) -> None:
    """Rank orders them; a row without a document returned nothing; a broken line is a reject at its place; grades are no log."""
    rows = [
        {"request_id": 1, "query": "hello", "doc_id": "b", "rank": 2},
        {"request_id": 1, "query": "hello", "doc_id": "a", "rank": 1, "score": 0.5},
        {"request_id": 2, "query": "nothing", "doc_id": None},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    found = found_in(tmp_path / "log.jsonl")
    assert lists(found) == [("hello", ["a", "b"]), ("nothing", [])]
    assert found.rejects == [{"source_line": 4, "reject_reason": "malformed JSON"}]
    (tmp_path / "qrels.jsonl").write_text(json.dumps({"query_id": "1", "doc_id": "a", "score": 1}) + "\n")
    with pytest.raises(InputError, match="If these are labels, name their file with --labels alone"):
        found_in(tmp_path / "qrels.jsonl")


def test_lists_within_lists(tmp_path: Path) -> None:
    """One after the other, in JSON and Parquet, by a profile and by --map."""
    record = {"query": "hello", "calls": [{"hits": [{"key": "a"}, {"key": "b"}]}, {"hits": []}, {"hits": [{"key": "c"}]}]}
    (tmp_path / "log.jsonl").write_text(json.dumps(record))
    pq.write_table(pa.Table.from_pylist([record]), tmp_path / "log.parquet")
    (tmp_path / "p.toml").write_text('[events]\nquery_text = "query"\nranked_ids = "calls[].hits[].key"\n')
    for name in ("log.jsonl", "log.parquet"):
        for way in ({"profile": str(tmp_path / "p.toml")}, {"mapped": {"ranked_ids": "calls[].hits[].key"}}):
            assert lists(found_in(tmp_path / name, **way)) == [("hello", ["a", "b", "c"])]
    (tmp_path / "log.jsonl").write_text(
        json.dumps({"query": "hello", "calls": [{"other": 1}]}) + "\n" + json.dumps({"query": "none", "calls": []})
    )
    found = found_in(tmp_path / "log.jsonl", mapped={"ranked_ids": "calls[].hits[].key"})
    assert (lists(found), len(found.rejects)) == ([("none", [])], 1)  # what is not there is not empty


def test_elements_of_a_profiles_list(tmp_path: Path) -> None:
    """An object's id, a pair's first; a list is no id, and a reject."""
    (tmp_path / "p.toml").write_text('[events]\nquery_text = "query"\nranked_ids = "out"\n')
    rows = [
        {"query": "hello", "out": [{"id": "a"}]},
        {"query": "two", "out": [["a", 0.5]]},
        {"query": "three", "out": [["a", "b"]]},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = found_in(tmp_path / "log.jsonl", profile=str(tmp_path / "p.toml"))
    assert lists(found) == [*HELLO, ("two", ["a"])]
    assert found.rejects == [{"source_line": 3, "reject_reason": "an id is a list, or an object without an id"}]


def test_flat_parquet_beside_a_tools_profile(tmp_path: Path) -> None:
    """Each keeps its columns, in whichever order the formats are read."""
    pq.write_table(pa.table({"query": ["hello"], "ranked_ids": [["a"]]}), tmp_path / "a.parquet")
    ubi = {"query_id": "1", "user_query": "two", "timestamp": AT, "query_response_hit_ids": ["z"]}
    (tmp_path / "u.jsonl").write_text(json.dumps(ubi))
    assert sorted(lists(found_in(tmp_path))) == [("hello", ["a"]), ("two", ["z"])]


def test_logfmt(tmp_path: Path) -> None:
    """Quotes, lists and numbers; other programs' lines are counted, a broken line is a reject."""
    good = 'ts=2026-11-01T08:00:00Z level=info msg="a recall" query="say \\"hello\\"" ranked_ids="a,b" total_ms=12.5 user=x'
    text = f'{good}\nlevel=info msg=started port=80\npanic: x=1\nquery=hello ranked_ids="a\nquery=nothing ranked_ids=[]\n'
    (tmp_path / "log").write_text(text + "INFO [main] done query=late error=timeout\n")
    found = found_in(tmp_path / "log")
    assert lists(found) == [('say "hello"', ["a", "b"]), ("nothing", []), ("late", [])]
    assert (found.events[0]["total_ms"], found.events[0]["attributes"]["user"], found.events[0]["source_line"]) == (12.5, "x", 1)
    assert [(r["source_line"], r["reject_reason"]) for r in found.rejects if r["reject_reason"] != "other_line"] == [
        (4, "malformed logfmt")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"PRAGMA foreign_keys=OFF;\nINSERT INTO a VALUES(1);\n", r"log: a dump of SQL statements\. Load it into a database"),
        (b"--\n-- PostgreSQL database dump\n--\nINSERT INTO public.a VALUES (1);\n", r"log: a dump of SQL statements\."),
        (b"PGDMP\x01\x0e\x00", r"log: an archive of pg_dump\. Write it as text: pg_restore"),
    ],
)
def test_other_dumps_are_told(tmp_path: Path, text: bytes, said: str) -> None:
    """What to do with them."""
    (tmp_path / "log").write_bytes(text)
    with pytest.raises(InputError, match=said):
        found_in(tmp_path / "log")


@pytest.mark.parametrize("orient", ["columns", "lists", "split", "table"])
def test_frames_of_pandas(tmp_path: Path, orient: str) -> None:
    """Column by column: told how to write it; with a schema beside its records, read."""
    records = {
        "columns": {"query": {"0": "hello"}, "ranked_ids": {"0": ["a"]}},
        "lists": {"ts": [AT, AT], "query": ["hello", "x"], "ranked_ids": [["a"], ["b"]]},
        "split": {"columns": ["query", "ranked_ids"], "index": [0], "data": [["hello", ["a"]]]},
        "table": {"schema": {"fields": [{"name": "query", "type": "string"}]}, "data": [{"index": 0, **RECORD}]},
    }
    (tmp_path / "log.json").write_text(json.dumps(records[orient]))
    if orient == "table":
        assert lists(found_in(tmp_path / "log.json")) == HELLO
        return
    with pytest.raises(InputError, match=r"log\.json: a frame as one JSON object.* orient='records', lines=True"):
        found_in(tmp_path / "log.json")


IN_ONE = [
    ("a,b", ["a", "b"]), ("a; b", ["a", "b"]), ("a, b|c", ["a, b", "c"]), ("a", ["a"]), ("d1 d2", ["d1 d2"]),
    ("007,7.0", ["007", "7.0"]), ("[]", []), ('["a", null, 7]', ["a", None, "7"]), ("['a', \"b\"]", ["a", "b"]),
    ("[a, NULL, 2.50]", ["a", None, "2.50"]), ('{a,"b, c",NULL}', ["a", "b, c", None]),
    ('[{"id": "a"}, ["b", 0.5]]', ["a", "b"]), ('{"b": 1, "a": 2}', ["a", "b"]), ("[\n  1,\n  2\n]", ["1", "2"]),
]  # fmt: skip
NO_LIST_TOLD = "the result list is text that is no list"
NO_LIST = ["['a' 'b']", "[1 2]", '["a", "b', '[{"x": 1}]', '[["a", "b"]]', "['it\\'s', 'b']", "[a b, c]", "{}", '{"count": 1}']


@pytest.mark.parametrize("way", ["lines", "parquet", "profile", "given"])
def test_ids_in_one_text(tmp_path: Path, way: str) -> None:
    """By the rule of a cell of a CSV file, in JSON, Parquet, an Arrow table and by a profile; what looks like a list and is none is a counted reject."""
    texts = [*(text for text, _ in IN_ONE), *NO_LIST, ""]
    rows = [{"query": str(n), "ranked_ids": text} for n, text in enumerate(texts)]
    path, options = tmp_path / "log", {}
    if way in ("lines", "profile"):  # beyond the first lines, a list among texts
        path.write_text("".join(json.dumps(row) + "\n" for row in [{"query": "x" * 99_999, "ranked_ids": ["z"]}, *rows]))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    if way == "profile":
        (tmp_path / "p.toml").write_text('name = "p"\n[events]\nquery_text = "query"\nranked_ids = "ranked_ids"\n')
        options = {"profile": str(tmp_path / "p.toml")}
    if way == "given":
        result = evaluate(pq.read_table(path), [{"query": "0", "relevant": ["b"]}], max_rejects=1.0)
        assert (result.to_dict()["counts"]["rejected_lines"], result.to_dict()["counts"]["empty_rankings"]) == (len(NO_LIST) + 1, 1)
        return
    found = found_in(path, **options)
    assert sorted(event for event in lists(found) if event[1] != ["z"]) == sorted(
        (str(n), ids) for n, (_, ids) in enumerate(IN_ONE)
    )
    assert len(found.rejects) == len(NO_LIST) + 1
    if way == "lines":
        assert [r["reject_reason"] for r in found.rejects] == [NO_LIST_TOLD] * len(NO_LIST) + ["no result list (ranked_ids)"]


def test_the_rule_of_cells() -> None:
    """SQL reads a text as read/cells.py does, where both read it."""
    assert [json.loads(list_of(text) or "") for text, _ in IN_ONE if text.strip()[:1] not in "[{"] == [
        ids for text, ids in IN_ONE if text.strip()[:1] not in "[{"
    ]


def test_a_list_counts_before_a_text(tmp_path: Path) -> None:
    """Another name's list is the result; an empty text is none."""
    rows = [{"ranked_ids": "x", "document_ids": ["a"]}, {"ranked_ids": ""}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = found_in(tmp_path / "log.jsonl")
    assert [r["reject_reason"] for r in found.rejects] == ["no result list (ranked_ids)"]
    assert lists(found) == [(None, ["a"])]


@pytest.mark.parametrize("way", ["lines", "late", "array", "parquet", "map", "profile"])
@pytest.mark.parametrize("name", ["results", "documents", "ranked_ids"])
def test_a_map_of_scores(tmp_path: Path, way: str, name: str) -> None:
    """The highest score first, of equal ones the first in the object; what counts or measures is no document."""
    rows = [{"query": "one", name: {"c": 0.5, "a": 0.9, "b": 0.5}}, {"query": "two", name: {"d": -1}}]
    path, options = tmp_path / "log", {}
    if way in ("parquet", "map"):
        kind = pa.map_(pa.string(), pa.float64()) if way == "map" else pa.struct([(id_, pa.float64()) for id_ in "cabd"])
        values = [list(row[name].items()) if way == "map" else row[name] for row in rows]
        pq.write_table(pa.table({"query": ["one", "two"], name: pa.array(values, kind)}), path)
    elif way == "array":
        path.write_text(json.dumps(rows))
    else:
        others = [
            {"query": "x", name: {"count": 3, "took_ms": 2}},
            {"query": "x", name: {"a": "text"}},
            {"query": "none", name: {}},
        ]
        first = [{"query": "x" * 99_999, name: [{"id": "z"}] if name != "ranked_ids" else ["z"]}] if way == "late" else []
        path.write_text("".join(json.dumps(row) + "\n" for row in [*first, *rows, *others]))
    if way == "profile":
        (tmp_path / "p.toml").write_text(f'name = "p"\n[events]\nquery_text = "query"\nranked_ids = "{name}"\n')
        options = {"profile": str(tmp_path / "p.toml")}
    found = found_in(path, **options)
    more = [("none", [])] if way in ("lines", "late", "profile") else []
    assert sorted(event for event in lists(found) if event[1] != ["z"]) == sorted([("one", ["a", "c", "b"]), ("two", ["d"]), *more])
    assert len(found.rejects) == (2 if more else 0)
    if name != "ranked_ids" and way != "profile":
        assert next(e["scores"] for e in found.events if e["query_text"] == "one") == [0.9, 0.5, 0.5]


TABLES = {
    "Athena, DuckDB": 'query,ranked_ids\nhello,"[a, b]"\nnothing,[]\n',
    "MySQL's outfile": "query\tranked_ids\ttenant\nhello\ta,b\t\\N\nlost\t\\N\tt\n",
    "SQL Server": 'query,ranked_ids\nhello,"a,b"\nlost,NULL\n',
    "Excel": "sep=;\nquery;ranked_ids\nhello;a|b\nbad\n",
    "Log Analytics": 'TimeGenerated [UTC],Message,Properties\nx,y,"{""query"": ""hello"", ""ranked_ids"": [""a"", ""b""]}"\n',
    "Grafana": 'Time,Line\n1761984000000,"{""query"": ""hello"", ""ranked_ids"": [""a"", ""b""]}"\n',
}


@pytest.mark.parametrize("writer", TABLES)
def test_tables_of_other_writers(tmp_path: Path, writer: str) -> None:
    r"""Lists without quotes; NULL and \N are no ids (a record without a list is a reject at its line); records in cells."""
    (tmp_path / "log.csv").write_text(TABLES[writer])
    found = found_in(tmp_path / "log.csv")
    assert lists(found) == [("hello", ["a", "b"]), ("nothing", [])][: 1 + ("nothing" in TABLES[writer])]
    rejects = {"MySQL's outfile": [3], "SQL Server": [3], "Excel": [4]}
    assert [reject["source_line"] for reject in found.rejects] == rejects.get(writer, [])


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-01 08:00:00 INFO {'query': 'hello', 'ranked_ids': ['a'], 'cache': None, 'ok': True}",
        "{'query': 'hello', 'ranked_ids': ['a'], 'note': \"it's {here}\"}",
        'data: {"query": "hello", "ranked_ids": ["a"]}',
        json.dumps({"ts": AT, "level": "info", "data": RECORD}),
        json.dumps({"date": AT, "message": "recall", "attributes": {**RECORD, "level": "info"}}),
        json.dumps(
            {
                "query": "hello",
                "documents": [{"lc": 1, "id": ["langchain", "Document"], "kwargs": {"id": "a", "page_content": "x"}}],
            }
        ),
    ],
)
def test_lines_of_other_writers(tmp_path: Path, line: str) -> None:
    """Dicts as Python prints them, server-sent events, a record in an object, LangChain's dumped documents."""
    (tmp_path / "log").write_text(f"{line}\n{line}\n")
    found = found_in(tmp_path / "log")
    assert (lists(found), found.rejects) == (HELLO * 2, [])


def test_an_answer_in_words_stays(tmp_path: Path) -> None:
    """What a model answered is no result, though it is JSON."""
    (tmp_path / "log.jsonl").write_text(json.dumps({**RECORD, "answer": '["x"]', "response": '{"data": 1}'}) + "\n")
    (event,) = found_in(tmp_path / "log.jsonl").events
    assert (event["ranked_ids"], event["attributes"]) == (["a"], {"answer": '["x"]', "response": '{"data": 1}'})


def test_other_events_of_a_program(tmp_path: Path) -> None:
    """What has no result list under the field of every event is another line; a recall that failed is a recall."""
    events = [{"x": 1}, {"query": "y"}, RECORD, RECORD, {"query": "late", "error": "timeout"}]
    rows = [*({"time": AT, "data": event} for event in events), RECORD]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = found_in(tmp_path / "log.jsonl")
    assert sorted(lists(found)) == [*HELLO * 3, ("late", [])]  # the last stands for itself
    assert [reject["reject_reason"] for reject in found.rejects] == ["other_line"] * 2
    (tmp_path / "p.toml").write_text('unwrap = "data"\n[events]\nranked_ids = "x"\n')  # who names the place has it
    named = found_in(tmp_path / "log.jsonl", profile=str(tmp_path / "p.toml"))
    assert "other_line" not in [reject["reject_reason"] for reject in named.rejects[:4]]


def test_records_stand_for_themselves(tmp_path: Path) -> None:
    """One record that holds another makes no wrapper of records with lists of their own."""
    (tmp_path / "log.jsonl").write_text(
        "".join(json.dumps(r) + "\n" for r in [RECORD, RECORD, {"query": "x", "data": RECORD, "message": "{}"}])
    )
    assert lists(found_in(tmp_path / "log.jsonl")) == HELLO * 2


def test_duration_in_a_row(tmp_path: Path) -> None:
    """What JSON cannot say is refused with the file."""
    table = pa.Table.from_pylist([{**ROWS["chroma"][0]}]).append_column("took", pa.array([5], pa.duration("ms")))
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(InputError, match=r"log\.parquet: expected a value of JSON, saw timedelta"):
        found_in(tmp_path / "log.parquet")


@pytest.mark.parametrize("way", ["lines", "parquet", "odd", "answer"])
def test_ranks_in_a_list(tmp_path: Path, way: str) -> None:
    """Results that say their rank are in its order; what is called rank and is none (a score of Postgres) orders nothing."""
    id_ = {"odd": "doc_id"}.get(way, "id")
    rows = [
        {
            "query": "one",
            "results": [
                {id_: "b", "score": 0.5, "rank": 2},
                {id_: "a", "score": 0.9, "rank": 1},
                {id_: "c", "score": 0.1, "rank": 3},
            ],
        },
        {"query": "zero", "results": [{id_: "b", "score": 0.5, "rank": 1}, {id_: "a", "score": 0.9, "rank": 0}]},
        {"query": "score", "results": [{id_: "b", "score": 0.5, "rank": 2}, {id_: "a", "score": 0.9, "rank": 0.5}]},
        {"query": "gap", "results": [{id_: "b", "score": 0.5, "rank": 7}, {id_: "a", "score": 0.9, "rank": 3}]},
    ]
    if way == "answer":
        rows = [{"query": row["query"], "response": {"hits": row["results"]}} for row in rows]
    if way == "parquet":
        for row in rows:
            row["results"] = [{**hit, "rank": float(hit["rank"])} for hit in row["results"]]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "log")
    else:
        (tmp_path / "log").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = {e["query_text"]: (e["ranked_ids"], e["scores"]) for e in found_in(tmp_path / "log").events}
    assert read == {
        "one": (["a", "b", "c"], [0.9, 0.5, 0.1]), "zero": (["a", "b"], [0.9, 0.5]), "score": (["b", "a"], [0.5, 0.9]), "gap": (["b", "a"], [0.5, 0.9]),
    }  # fmt: skip
