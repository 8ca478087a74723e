"""Logs as tables: CSV and TSV, one row a recall or one row a document, SQLite and DuckDB files; a bad row is a reject with its line."""

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import Found, found_in

from recallwatch import evaluate
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError, UsageError

LONG = [("q1", "a", 2, 0.5), ("q2", "x", 1, 0.75), ("q1", "b", 1, 0.875)]


def lists(found: Found) -> list[tuple[str, list[str], list[float] | None, int]]:
    return sorted((e["query_id"], e["ranked_ids"], e["scores"], e["source_line"]) for e in found.events)


def test_a_row_a_recall(tmp_path: Path) -> None:
    """Lists in a cell as JSON, as Python prints them, or ids parted by | ; or ,; numbers, times and other fields as of any flat log; rejects by line."""
    (tmp_path / "log.csv").write_bytes(
        b"\xef\xbb\xbfquery_id,ranked_ids,scores,total_ms,ts,note\n"
        b'007,"[""a"", ""b""]","[0.5, 0.25]",12.5,2026-11-01T08:00:00Z,"two\nlines"\n'
        b"q2,\"['x', 'y']\",,3,1793520000,\n"
        b"q3,a|b,,4,,n\n"
        b"q4,a,,4\n"
        b"q5,,,4,,n\n"
        b"q6,\"['a' 'b']\",,4,,n\n"
        b"q\xff,a,,4,,n\n"
    )
    found = found_in(tmp_path / "log.csv")
    assert found.logs.formats == {"csv": 1}
    assert lists(found) == [("007", ["a", "b"], [0.5, 0.25], 3), ("q2", ["x", "y"], None, 4), ("q3", ["a", "b"], None, 5)]
    first = next(event for event in found.events if event["query_id"] == "007")
    assert (first["total_ms"], first["attributes"]) == (12.5, {"note": "two\nlines"})
    assert [(row["source_line"], row["reject_reason"]) for row in found.rejects] == [
        (6, "4 fields (the header has 6)"),
        (7, "no result list (ranked_ids)"),
        (8, "the result list is text that is no list"),
        (9, "not UTF-8"),
    ]


@pytest.mark.parametrize("form", ["tsv", "csv by score", "mapped", "parquet", "duckdb", "sqlite", "profile"])
def test_a_row_a_document(tmp_path: Path, form: str) -> None:
    """The rows of a recall, wherever they stand in a file, become one list in the order of rank or score."""
    path, options = tmp_path / "log", {}
    if form == "parquet":
        pq.write_table(
            pa.table(dict(zip(("query_id", "document_id", "rank", "score"), map(list, zip(*LONG, strict=True)), strict=True))), path
        )
    elif form in ("duckdb", "sqlite"):
        with duckdb.connect(str(path)) if form == "duckdb" else sqlite3.connect(path) as database:
            database.execute("create table hits (query_id varchar, document_id varchar, rank integer, score double)")
            database.execute("create table users (id integer)")
            database.executemany("insert into hits values (?, ?, ?, ?)", LONG)
    else:
        header, order = {
            "tsv": ("query_id\tdoc_id\trank\tscore", (0, 1, 2, 3)),
            "csv by score": ("qid,docno,score", (0, 1, 3)),
            "mapped": ("frage;treffer;score", (0, 1, 3)),
            "profile": ("frage;treffer;score", (0, 1, 3)),
        }[form]
        separator = next(s for s in "\t,;" if s in header)
        path.write_text("\n".join([header, *(separator.join(str(row[n]) for n in order) for row in LONG)]) + "\n")
    if form == "mapped":
        options = {"mapped": {"query_id": "frage", "ranked_ids": "treffer"}}
    if form == "profile":
        (tmp_path / "p.toml").write_text('[events]\nquery_id = "frage"\nranked_ids = "treffer"\nscores = "score"\n')
        options = {"profile": str(tmp_path / "p.toml")}
    found = found_in(path, **options)
    first = 2 if form not in ("parquet", "duckdb", "sqlite") else 1
    assert lists(found) == [("q1", ["b", "a"], [0.875, 0.5], first), ("q2", ["x"], [0.75], first + 1)]


def test_what_tells_recalls_apart(tmp_path: Path) -> None:
    """The same query at two times is two recalls; a field stays where all rows agree; no document = nothing returned; no number = a reject."""
    (tmp_path / "log.csv").write_text(
        "query_id,document_id,rank,timestamp,latency_ms,title\n"
        "q1,a,1,2026-11-01,7,A\nq1,b,2,2026-11-01,7,B\nq1,b,1,2026-11-02,8,B\nq2,,,2026-11-01,9,\nq1,c,third,2026-11-01,7,C\n"
    )
    found = found_in(tmp_path / "log.csv")
    assert sorted((e["query_id"], e["ranked_ids"], e["total_ms"], e["attributes"] or {}) for e in found.events) == [
        ("q1", ["a", "b"], 7.0, {}),
        ("q1", ["b"], 8.0, {"title": "B"}),
        ("q2", [], 9.0, {}),
    ]
    assert [(row["source_line"], row["reject_reason"]) for row in found.rejects] == [(6, "rank or score is no number")]


def test_arrays_of_postgres(tmp_path: Path) -> None:
    """COPY writes a text[] as {a,b}: quoted parts keep their comma, NULL is an unknown id, {} is an empty list; JSON stays JSON."""
    rows = [
        r'''q1,"{a,""b, c"",""d\""e"",NULL}","{0.5,0.25,0.125,0.0625}"''',
        "q2,{},{}",
        'q3,"[""{x}""]",[1]',
        'q4,"{""ids"": [""a"", ""b""]}",',
    ]
    (tmp_path / "log.csv").write_text("\n".join(["query_id,ranked_ids,scores", *rows]) + "\n")
    found = found_in(tmp_path / "log.csv")
    assert lists(found) == [
        ("q1", ["a", "b, c", 'd"e', None], [0.5, 0.25, 0.125, 0.0625], 2),
        ("q2", [], [], 3),
        ("q3", ["{x}"], [1.0], 4),
    ]
    assert [row["source_line"] for row in found.rejects] == [5]  # an object is no list


def test_rows_that_no_search_holds_together(tmp_path: Path) -> None:
    """Without a column that names the search, rows of all searches would be one list: refused; --map names it. PyTerrier's docno wins over its docid."""
    (tmp_path / "log.csv").write_text("search,docid,docno,rank\n1,70,a,0\n2,70,a,0\n1,71,b,1\n")
    with pytest.raises(InputError, match=r"no column says which search it belongs to \(has: search, docid, docno, rank\)"):
        found_in(tmp_path / "log.csv")
    found = found_in(tmp_path / "log.csv", mapped={"query_id": "search"})
    assert [(query, ids) for query, ids, _, _ in lists(found)] == [("1", ["a", "b"]), ("2", ["a"])]


def test_which_table(tmp_path: Path) -> None:
    """One likely table is read; several are named; --map table= chooses; a name that is none is refused."""
    with sqlite3.connect(tmp_path / "db") as database:
        for name in ("a", "b"):
            database.execute(f"create table {name} (query_id text, ranked_ids text, total_ms real)")
            database.execute(f"insert into {name} values ('q1', '[\"{name}\"]', 1.5)")
    with pytest.raises(UsageError, match=r"several tables \(a, b\)\. Pass --map table=NAME"):
        found_in(tmp_path / "db")
    (event,) = found_in(tmp_path / "db", mapped={"table": "b"}).events
    assert (event["ranked_ids"], event["total_ms"]) == (["b"], 1.5)
    with pytest.raises(InputError, match="no table 'c'"):
        found_in(tmp_path / "db", mapped={"table": "c"})


def test_a_server_where_its_extension_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table is copied once, lists and times with their types; a DuckDB file stands in for the server. One that does not answer shows no password."""
    with duckdb.connect(str(tmp_path / "db")) as database:
        for name in ("a", "b"):
            database.execute(f"create table {name} as select 'q' as query, ['{name}'] as ranked_ids, now() as ts")
    run, seen = Engine.run, list[str]()

    def stand_in(engine: Engine, sql: str, *parameters: Any, **what: Any) -> Any:
        seen.append(sql)
        if sql.startswith("load ") or "@gone" in sql:
            return [] if sql.startswith("load ") else run(engine, "attach '/nowhere/x' as rw_database")
        is_attach = sql.startswith("attach 'postgresql://me:secret@h/x' as rw_database (type postgres, read_only)")
        return run(engine, f"attach '{tmp_path}/db' as rw_database (read_only)" if is_attach else sql, *parameters, **what)

    monkeypatch.setattr(Engine, "run", stand_in)
    labels = [{"query": "q", "relevant": ["b"]}]
    found = evaluate("postgresql+psycopg://me:secret@h/x", labels, k=[1], mapped={"table": "b"}).to_dict()
    assert [m["value"] for m in found["metrics"] if (m["metric"], m["k"]) == ("recall", 1)] == [1.0]
    assert sum("attach" in sql for sql in seen) == 1
    with pytest.raises(UsageError, match=r"^h/x: several tables \(a, b\)\. Pass --map table=NAME"):
        evaluate("postgres://me:secret@h/x", labels)
    with pytest.raises(InputError, match=r"^gone/x: the server does not answer\. Check") as caught:
        evaluate("postgres://me:secret@gone/x", labels)
    assert "secret" not in str(caught.value)


def test_a_server_is_exported_first(tmp_path: Path) -> None:
    """Postgres is read by an extension that is not part of the program: the command that exports it is named, and no password shown."""
    with pytest.raises(InputError, match=r"copy db\.recalls to 'recalls\.parquet'") as caught:
        found_in("postgresql://me:secret@db.example/logs")
    assert "secret" not in str(caught.value)
    (tmp_path / "l.jsonl").write_text('{"query_id": "q", "relevant": ["a"]}')
    for address in ("postgres://me:secret@h/x", "postgresql+psycopg://me:secret@h/x", "jdbc:mysql://me:secret@h/x"):
        for name in ("logs", "labels"):
            with pytest.raises(InputError, match=r"^h/x: a (Postgres|Mysql) database is read by .*\.parquet'\"$"):
                evaluate(**{"logs": str(tmp_path / "l.jsonl"), "labels": str(tmp_path / "l.jsonl"), name: address})


def test_an_index_and_a_comment(tmp_path: Path) -> None:
    """pandas writes its index without a name; a comment may stand above the header: lines are counted with it."""
    (tmp_path / "a.csv").write_text(",query,ranked_ids\n0,hello,\"['a', 'b']\"\n")
    (tmp_path / "b.csv").write_text("# exported\nquery,ranked_ids\nhello,a|b\nbad\n")
    found = found_in(tmp_path)
    assert [(e["query_text"], e["ranked_ids"]) for e in found.events] == [("hello", ["a", "b"])] * 2
    assert [row["source_line"] for row in found.rejects] == [4]
