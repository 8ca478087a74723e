"""Lists of results under the names people use: the id, score and text of each element by one rule, in any container; times and bytes as written."""

import bz2
import json
import lzma
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import Found, found_in
from pyarrow import feather

from recallwatch.base.errors import InputError

AB, SCORES = ["a", "b"], [0.75, 0.5]
FORMS: dict[str, tuple[Any, Any, Any]] = {  # result list -> ids, scores, texts
    "doc_id": ([{"doc_id": "a", "score": 0.75}, {"doc_id": "b", "score": 0.5}], AB, SCORES),
    "Elasticsearch hits": ([{"_id": "a", "score": 0.75}, {"_id": "b", "score": 0.5}], AB, SCORES),
    "OpenAI file search": ([{"file_id": "a", "score": 0.75, "text": "x"}, {"file_id": "b", "score": 0.5, "text": "y"}], AB, SCORES),
    "LlamaIndex": ([{"node": {"id_": "a", "text": "x"}, "score": 0.75}, {"node": {"id_": "b"}, "score": 0.5}], AB, SCORES),
    "LangChain": (
        [{"page_content": "x", "metadata": {"doc_id": "a"}}, {"page_content": "y", "metadata": {"doc_id": "b"}}],
        AB,
        [None, None],
    ),
    "MongoDB": ([{"id": {"$oid": "a"}, "score": 0.75}, {"id": {"$oid": "b"}, "score": 0.5}], AB, SCORES),
    "ids": (["a", "b"], AB, [None, None]),
    "numbers": ([1234567890123456789, 7], ["1234567890123456789", "7"], [None, None]),
    "pairs": ([["a", 0.75], ["b", 0.5]], AB, SCORES),
    "texts": (["what it says", "and so on"], [None, None], [None, None]),
    "one has an id": ([{"id": "a", "score": 0.75}, {"doc_id": "b", "score": 0.5}], ["a", None], SCORES),
    "Cohere": ([{"index": 0, "relevance_score": 0.75}, {"index": 1, "relevance_score": 0.5}], [None, None], SCORES),
    "nothing": ([], [], []),
}


def of_one(found: Found) -> dict[str, Any]:
    (event,) = found.events
    assert found.rejects == []
    return event


def test_results_without_a_field_id(tmp_path: Path) -> None:
    """JSON lines: each form's ids and scores, under several names of a list; a text with white space is no id, a position is none."""
    for number, (value, _ids, _scores) in enumerate(FORMS.values()):
        name = ("results", "documents", "retrieved_documents")[number % 3]
        (tmp_path / f"{number:02}.jsonl").write_text(json.dumps({"query": str(number), name: value}) + "\n")
    found = found_in(tmp_path)
    read = {int(e["query_text"]): (e["ranked_ids"], e["scores"]) for e in found.events}
    assert {name: read[n] for n, name in enumerate(FORMS)} == {name: (ids, scores) for name, (_, ids, scores) in FORMS.items()}


def test_texts_by_the_same_rule(tmp_path: Path) -> None:
    """`content` and `page_content` where no element has `text`; a bare text; none stays null."""
    values = [[{"id": "a", "content": "x"}], [{"id": "a", "page_content": "x"}], ["a b"], [{"id": "a"}]]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps({"query": "q", "documents": value}) + "\n" for value in values))
    events = sorted(found_in(tmp_path / "l.jsonl").events, key=lambda event: event["source_line"])
    assert [e["texts"] for e in events] == [["x"], ["x"], ["a b"], [None]]


@pytest.mark.parametrize("form", ["doc_id", "pairs", "LlamaIndex", "ids"])
def test_the_same_in_tables(tmp_path: Path, form: str) -> None:
    """As JSON in a cell of SQLite or CSV, and as a typed column of Parquet."""
    value, ids, scores = FORMS[form]
    with sqlite3.connect(tmp_path / "db") as database:
        database.execute("create table searches (query text, results text)")
        database.execute("insert into searches values ('q', ?)", [json.dumps(value)])
    quoted = json.dumps(value).replace('"', '""')
    (tmp_path / "l.csv").write_text(f'query,results\nq,"{quoted}"\n')
    paths = [tmp_path / "db", tmp_path / "l.csv"]
    if form != "pairs":  # Arrow's lists hold one type
        pq.write_table(pa.table({"query": ["q"], "results": [value]}), tmp_path / "l.parquet")
        paths.append(tmp_path / "l.parquet")
    for path in paths:
        event = of_one(found_in(path))
        assert (event["ranked_ids"], event["scores"]) == (ids, scores), path.name


def test_a_mapped_path_is_read_as_it_is(tmp_path: Path) -> None:
    """--map names one field; no other stands in for it."""
    (tmp_path / "l.jsonl").write_text(json.dumps({"query": "q", "results": [{"key": "a", "doc_id": "x"}, {"doc_id": "y"}]}) + "\n")
    assert of_one(found_in(tmp_path / "l.jsonl", mapped={"ranked_ids": "results[].key"}))["ranked_ids"] == ["a", None]


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-01 08:00:00,000",
        "Sun, 01 Nov 2026 08:00:00 GMT",
        "01/Nov/2026:10:00:00 +0200",
        "[01/Nov/2026:08:00:00 +0000]",
        {"$date": "2026-11-01T08:00:00Z"},
        {"$date": {"$numberLong": "1793520000000"}},
        "2026-11-01T10:00:00+0200",
        "1793520000",
    ],
)
def test_times_as_programs_write_them(tmp_path: Path, written: Any) -> None:
    """Python's logging, HTTP, web servers, MongoDB; the day of 11/01/2026 is not known: a reject."""
    rows = [{"timestamp": time, "query": "q", "ranked_ids": ["a"]} for time in (written, "11/01/2026 08:00:00")]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = found_in(tmp_path / "l.jsonl")
    assert [event["timestamp"].isoformat() for event in found.events] == ["2026-11-01T08:00:00+00:00"]
    assert [row["reject_reason"] for row in found.rejects] == ["timestamp not understood"]


def test_bytes_as_programs_write_them(tmp_path: Path) -> None:
    """bz2, xz, and UTF-16 as PowerShell redirects; archives and other kinds of files are refused by what they are."""
    line = '{"query": "ü", "ranked_ids": ["a", "b"]}\n'
    for data in (
        bz2.compress(line.encode()),
        lzma.compress(line.encode()),
        line.encode("utf-16"),
        "query,ranked_ids\r\nü,a|b\r\n".encode("utf-16"),
    ):
        (tmp_path / "log").write_bytes(data)
        event = of_one(found_in(tmp_path / "log"))
        assert (event["query_text"], event["ranked_ids"]) == ("ü", AB)
    (tmp_path / "log").write_bytes(bz2.compress(line.encode() * 9)[:-9])
    with pytest.raises(InputError, match="compressed file is damaged or ends early"):
        found_in(tmp_path / "log")
    feather.write_feather(pa.table({"query": ["q"], "ranked_ids": [AB]}), tmp_path / "log")
    with pytest.raises(InputError, match=r"an Arrow \(Feather\) file\. Write it as Parquet"):
        found_in(tmp_path / "log")
    (tmp_path / "log").write_bytes(b"PK\x03\x04" + line.encode())
    with pytest.raises(InputError, match=r"a zip archive, or a spreadsheet\. Unpack it"):
        found_in(tmp_path / "log")
    for mode in ("w", "w:gz"):
        (tmp_path / "one.jsonl").write_text(line)
        with tarfile.open(tmp_path / "log", mode) as archive:
            archive.add(tmp_path / "one.jsonl")
        with pytest.raises(InputError, match=r"a tar archive\. Unpack it"):
            found_in(tmp_path / "log")


def test_runs_as_json(tmp_path: Path) -> None:
    """ranx, pytrec_eval, BEIR: the highest score first, of equal ones as written; no documents = nothing returned; on one line or many."""
    run = {"q1": {"x": 0.5, "a": 0.75, "b": 0.5}, "q2": {}, "3": {"1234567890123456789": 2}}
    for text in (json.dumps(run), json.dumps(run, indent=1)):
        (tmp_path / "run.json").write_text(text)
        found = found_in(tmp_path / "run.json")
        assert found.logs.formats == {"json_run": 1} and found.rejects == []
        read = {event["query_id"]: (event["ranked_ids"], event["scores"]) for event in found.events}
        assert read == {"q1": (["a", "x", "b"], [0.75, 0.5, 0.5]), "q2": ([], []), "3": (["1234567890123456789"], [2.0])}
