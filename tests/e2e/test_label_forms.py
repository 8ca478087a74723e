"""Labels in every form mean the same; labels are read strictly, for a wrong label is a wrong number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inputs import evaluated, jsonl, parquet, value

import recallwatch
from recallwatch.base.errors import InputError

LOG = [{"query_id": "1", "ranked_ids": ["a", "x", "c"]}, {"query_id": "2", "ranked_ids": ["b"]}]
NDCG = (2 / 1 + 1 / 2) / (2 / 1 + 1 / 1.584962500721156)  # a: 2 at rank 1, c: 1 at rank 3

FORMS = {
    "long.jsonl": '{"query_id": "1", "document_id": "a", "grade": 2}\n{"qid": 1, "doc_id": "c", "relevance": 1}\n{"query_id": "2", "docno": "z"}\n',
    "lists.jsonl": '{"query_id": "1", "relevant": {"a": 2, "c": 1}}\n{"query_id": "2", "relevant": ["z"]}\n',
    "apart.jsonl": '{"query_id": "1", "relevant": ["a", "c"], "grades": {"a": 2, "c": 1}}\n{"query_id": 2, "relevant": ["z"], "grades": {"z": 1}}\n',
    "bom.jsonl": '\ufeff{"query_id": "1", "relevant": {"a": 2, "c": 1}}\r\n\r\n{"query_id": "2", "relevant": ["z"]}\r\n',
    "labels.csv": "query_id,document_id,grade\n1,a,2\n1,c,1\n2,z,1\n",
    "quoted.csv": '\ufeff"query_id","document_id","note","grade"\r\n"1","a","one, ""two""\nthree","2"\r\n"1","c","","1"\r\n"2","z",""," 1 "\r\n',
    "labels.tsv": "qid\tdoc_id\trel\n1\ta\t2\n1\tc\t1\n2\tz\t1\n",
    "beir.tsv": "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tc\t1\n2\tz\t1\n",
    "qrels.txt": "1 0 a 2\n1 0 c 1\n2 0 z 1\n",
    "qrels.tabs": "1\t0\ta\t2\r\n1\t0\tc\t1\r\n2\t0\tz\t1",
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "log.jsonl", LOG)


def score(result: dict[str, Any]) -> tuple[float, float]:
    """Recall and nDCG at 3, over the two queries."""
    return value(result, k=3), value(result, "ndcg", 3)


@pytest.mark.parametrize("name", FORMS)
def test_text_forms(tmp_path: Path, log: Path, name: str) -> None:
    """JSON lines long and in lists, CSV, TSV, BEIR and TREC qrels give the same numbers."""
    path = tmp_path / name
    path.write_bytes(FORMS[name].encode())
    assert score(evaluated(log, path, k="3")) == pytest.approx((0.5, NDCG / 2), abs=1e-12)


def test_typed_forms(tmp_path: Path, log: Path) -> None:
    """So do Parquet with integer ids, lists in Parquet, and Arrow tables."""
    long = [
        {"query_id": 1, "document_id": "a", "grade": 2},
        {"query_id": 1, "document_id": "c", "grade": 1},
        {"query_id": 2, "document_id": "z", "grade": 1},
    ]
    lists = [{"query_id": "1", "relevant": [("a", 2.0), ("c", 1.0)]}, {"query_id": "2", "relevant": [("z", 1.0)]}]
    for given in (
        parquet(tmp_path / "long.parquet", long),
        pa.Table.from_pylist(long),
        parquet(tmp_path / "lists.parquet", lists, relevant=pa.map_(pa.string(), pa.float64())),
    ):
        assert score(evaluated(log, given, k="3")) == pytest.approx((0.5, NDCG / 2), abs=1e-12)
    plain = parquet(tmp_path / "plain.parquet", [{"query_id": "1", "relevant": ["a", "c"]}, {"query_id": "2", "relevant": ["z"]}])
    assert value(evaluated(log, plain, k="3"), k=3) == 0.5


def test_several_files(tmp_path: Path, log: Path) -> None:
    """Labels may stand in several files of several forms."""
    one = jsonl(tmp_path / "one.jsonl", [{"query_id": "1", "relevant": {"a": 2, "c": 1}}])
    (tmp_path / "two.csv").write_text("query_id,document_id\n2,z\n")
    assert score(evaluated(log, [one, tmp_path / "two.csv"], k="3")) == pytest.approx((0.5, NDCG / 2), abs=1e-12)


def test_csv_ids_are_exact(tmp_path: Path) -> None:
    """A quoted id keeps its commas, newlines, quotes and white space; 007 stays 007; text that looks like null is text."""
    ids = ["a,b", "two\nlines", 'say "x"', " padded ", "007", "1.0", "NULL", "nan", "#x", "-1"]
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": f"q{i}", "ranked_ids": [name]} for i, name in enumerate(ids)])
    rows = "".join('q{},"{}"\n'.format(i, name.replace('"', '""')) for i, name in enumerate(ids))
    (tmp_path / "labels.csv").write_text("query_id,document_id\n" + rows)
    assert value(evaluated(log, tmp_path / "labels.csv", k="1"), k=1) == 1


def test_nothing_is_right(tmp_path: Path) -> None:
    """relevant [] , {} or a null document: the right answer is nothing, scored by `answered`, left out of the means."""
    rows = [
        {"query_id": "1", "ranked_ids": []},
        {"query_id": "2", "ranked_ids": ["a"]},
        {"query_id": "3", "ranked_ids": []},
        {"query_id": "4", "ranked_ids": ["a"]},
    ]
    given = [{"query_id": "1", "relevant": []}, {"query_id": "2", "relevant": {}}, {"query_id": "4", "relevant": ["a"]}]
    log = jsonl(tmp_path / "log.jsonl", rows)
    more = jsonl(tmp_path / "more.jsonl", [{"query_id": "3", "document_id": None}])
    result = evaluated(log, [jsonl(tmp_path / "labels.jsonl", given), more], k="1")
    assert (result["counts"]["queries_without_relevant"], result["metrics"][0]["n"], value(result, k=1)) == (3, 1, 1)
    answered = result["answered"]
    assert answered["no_answer_events"] == 3
    assert answered["correctly_empty"] == pytest.approx(2 / 3)
    assert answered["false_answer"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("l.jsonl", '{"query_id": "1", "document_id": "a"}\n{"query_id": "1", "docu', ":2"),
        ("l.jsonl", '{"query_id": "1", "document_id": "a"}\nnot json\n', ":2"),
        ("l.jsonl", '{"query_id": "1", "document_id": "a", "grade": "high"}\n', ":1"),
        ("l.jsonl", '{"query_id": "1", "document_id": "a", "grade": NaN}\n', ":1"),
        ("l.jsonl", '{"query_id": "1", "relevant": {"a": "high"}}\n', ":1"),
        ("l.jsonl", '{"query_id": "1", "relevant": 5}\n', ":1"),
        ("l.jsonl", '{"query_id": "1", "document_id": "a"}\n{"document_id": "a"}\n', ":2"),
        ("l.csv", "query_id,document_id,grade\n1,a,1\n1,b,high\n", ":3"),
        ("l.csv", "query_id,document_id,grade\n1,a,1\n,b,1\n", ":3"),
        ("l.csv", "query_id,document_id,grade\n1,a,1\n1,b,1,2,3\n", ":3"),
        ("l.csv", 'query_id,document_id,note\n1,a,"two\nlines"\n1,b\n', ":4"),
        ("l.csv", 'query_id,document_id\n1,"a\n', ":2"),
        ("l.jsonl", '{"query_id": "1", "relevant": ["a", null]}\n', ":1"),
        ("l.jsonl", '{"query_id": "1", "relevant": [{"name": "a"}]}\n', ":1"),
        ("qrels", "1 0 a 1\n1 0 b\n", ":2"),
        ("qrels", "1 0 a 1\n1 0 b many\n", ":2"),
        ("l.jsonl", "words of no form\n", ""),
    ],
)
def test_bad_labels(tmp_path: Path, log: Path, name: str, text: str, line: str) -> None:
    """A label that cannot be read is refused with its file and line, never skipped or taken for 1."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        evaluated(log, path)
    assert f"{path}{line}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_invalid_utf8_in_labels(tmp_path: Path, log: Path) -> None:
    """Labels that are no UTF-8 are refused with the line."""
    path = jsonl(tmp_path / "l.jsonl", ['{"query_id": "1", "document_id": "a"}', '{"query_id": "2", "document_id": "\udcff"}'])
    with pytest.raises(InputError, match=f"{path}:2"):
        evaluated(log, path)


def test_labels_of_tenants(tmp_path: Path) -> None:
    """A label that names a tenant holds for that tenant only; one that names none holds for all."""
    rows = [{"query_id": "1", "tenant": tenant, "ranked_ids": ["a", "b"]} for tenant in ("x", "y", "z", None)]
    log = jsonl(tmp_path / "log.jsonl", rows)
    own = [{"query_id": "1", "tenant_id": "x", "document_id": "a"}, {"query_id": "1", "tenant_id": "y", "document_id": "c"}]
    result = evaluated(log, jsonl(tmp_path / "own.jsonl", own), k="1", by="tenant")
    assert result["counts"]["labelled_events"] == 2
    values = {row["segment"].get("tenant", "all"): row["value"] for row in result["metrics"] if row["metric"] == "recall"}
    assert values == {"all": 0.5, "x": 1, "y": 0}
    shared = evaluated(log, jsonl(tmp_path / "shared.jsonl", [*own, {"query_id": "1", "document_id": "b"}]), k="1", by="tenant")
    assert shared["counts"]["labelled_events"] == 4
    found = {
        str(row["segment"].get("tenant")): row["value"] for row in shared["metrics"] if row["metric"] == "recall" and row["segment"]
    }
    assert found == {"x": 0.5, "y": 0, "z": 0, "None": 0}


def test_a_label_of_no_tenant_is_one_label(tmp_path: Path) -> None:
    """Beside labels of tenants it is one query, asked wherever any tenant asked it: it is not missing for each of the others."""
    rows = [{"query_id": "1", "tenant": tenant, "ranked_ids": ["b"]} for tenant in ("x", "y")]
    log = jsonl(tmp_path / "log.jsonl", [*rows, {"query_id": "2", "tenant": "x", "ranked_ids": ["a"]}])
    labels = [
        {"query_id": "1", "document_id": "b"},
        {"query_id": "2", "document_id": "b"},
        {"query_id": "2", "tenant_id": "x", "document_id": "a"},
        {"query_id": "3", "tenant_id": "z", "document_id": "a"},
    ]
    path = jsonl(tmp_path / "labels.jsonl", labels)
    result = evaluated(log, path, k="1", metrics="recall", by="tenant")
    counts = result["counts"]
    assert (counts["labelled_queries"], counts["queries_seen"], counts["queries_missing"]) == (4, 3, 1)
    assert result["coverage"]["queries_asked"] == 0.75
    everything = next(row for row in result["metrics"] if not row["segment"])
    assert (everything["value"], everything["n"], everything["n_queries"]) == (2.5 / 3, 3, 2)
    zero = evaluated(log, path, k="1", metrics="recall", by="tenant_id", missing="zero")
    found = {row["segment"].get("tenant_id"): (row["value"], row["n"]) for row in zero["metrics"]}
    assert found == {None: (2.5 / 4, 4), "x": (1.5 / 2, 2), "y": (0.5, 2)}


def test_join_by_text(tmp_path: Path) -> None:
    """Without a query_id the text joins: NFC, white space collapsed, case kept; with one on both sides only the id does."""
    labels = jsonl(
        tmp_path / "labels.jsonl",
        [{"query": "Caf\u00e9  au lait", "document_id": "a"}, {"query_id": "2", "query": "where", "document_id": "a"}],
    )
    rows = [
        {"query": " Cafe\u0301 au\tlait\n", "ranked_ids": ["a"]},
        {"query": "caf\u00e9 au lait", "ranked_ids": ["a"]},
        {"query": "where", "ranked_ids": ["a"]},
        {"query_id": "2", "query": "another text", "ranked_ids": ["a"]},
        {"query_id": "9", "query": "where", "ranked_ids": ["a"]},
    ]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels)
    assert result["counts"]["labelled_events"] == 3


def test_text_of_two_queries_joins_to_neither(tmp_path: Path) -> None:
    """A text that two labelled queries share cannot tell which is meant: such an event stays unlabelled, counted."""
    labels = jsonl(
        tmp_path / "labels.jsonl", [{"query_id": q, "query": "where", "document_id": d} for q, d in (("1", "a"), ("2", "b"))]
    )
    result = evaluated(
        jsonl(
            tmp_path / "log.jsonl",
            [{"query": "where", "ranked_ids": ["a"]}, {"query_id": "1", "query": "where", "ranked_ids": ["a"]}],
        ),
        labels,
    )
    assert (result["counts"]["labelled_events"], result["counts"]["unlabelled_events"]) == (1, 1)


def test_nothing_to_join_by(tmp_path: Path, log: Path) -> None:
    """Logs with ids only and labels with texts only have nothing in common: said at once."""
    with pytest.raises(InputError, match="nothing to join by"):
        evaluated(log, jsonl(tmp_path / "labels.jsonl", [{"query": "where", "document_id": "a"}]))


def test_state_key_ignores_the_order_of_labels(tmp_path: Path, log: Path) -> None:
    """The same labels in another order have the same state key; another grade has another."""
    rows = [{"query_id": str(q), "document_id": d, "grade": 1} for q in (1, 2) for d in "abc"]
    keys = [
        evaluated(log, jsonl(tmp_path / f"{n}.jsonl", given))["state_key"]
        for n, given in enumerate((rows, rows[::-1], rows + rows))
    ]
    assert len(set(keys)) == 1
    rows[0]["grade"] = 2
    assert evaluated(log, jsonl(tmp_path / "other.jsonl", rows))["state_key"] != keys[0]


OWN = [
    {"query_id": "1", "ranked_ids": ["a", "b"], "truth": ["a"], "answer": "yes", "reference": "Yes."},
    {"query_id": "2", "ranked_ids": ["a", "b"], "truth": ["c"], "answer": "no", "reference": ["yes", "aye"]},
    {"query_id": "1", "ranked_ids": ["b"], "truth": ["a"]},
    {"query_id": "3", "ranked_ids": ["b"], "truth": None},
]


@pytest.mark.parametrize("form", ["jsonl", "parquet", "table"])
def test_a_flat_log_carries_its_own_labels(tmp_path: Path, form: str) -> None:
    """--map names label columns of a flat log as it names the others; a record without them is unlabelled; answers stay answers."""
    rows = [
        {**row, "reference": row["reference"] if isinstance(row["reference"], list) else [row["reference"]]}
        if "reference" in row
        else row
        for row in OWN
    ]
    table = pa.Table.from_pylist([{"answer": None, "reference": None, **row} for row in rows])
    if form == "parquet":
        pq.write_table(table, tmp_path / "log.parquet")
    log = (
        table
        if form == "table"
        else tmp_path / "log.parquet"
        if form == "parquet"
        else jsonl(tmp_path / "log.jsonl", [*OWN, "{bad"])
    )
    options = {"k": "1", "max_rejects": 1.0, "mapped": {"relevant": "truth", "gold_answers": "reference"}}
    result = recallwatch.evaluate(log, metrics=("recall", "answer_exact"), **options).to_dict()
    found = {row["metric"]: (row["value"], row["n"]) for row in result["metrics"]}
    assert found == {"recall": (1 / 3, 3), "answer_exact": (0.5, 2)}
    assert (result["counts"]["labelled_queries"], result["counts"]["unlabelled_events"]) == (2, 1)
    assert result["read"]["labels"] == "the log itself"


def test_label_columns_of_a_log_by_their_usual_names(tmp_path: Path) -> None:
    """`relevant` needs no --map; --map of a label column works beside --labels too, and names a column that is not there."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "1", "ranked_ids": ["a"], "relevant": {"a": 2, "b": 1}}])
    assert recallwatch.evaluate(log, k=1, metrics="recall").to_dict()["metrics"][0]["value"] == 0.5
    labels = jsonl(tmp_path / "labels.jsonl", [{"query_id": "1", "truth": ["a"]}])
    assert evaluated(log, labels, k=1, metrics="recall", mapped={"relevant": "truth"})["metrics"][0]["value"] == 1
    for given in ({"labels": labels}, {}):
        with pytest.raises(InputError, match="--map relevant=nope: no 'nope' there"):
            recallwatch.evaluate(log, **given, mapped={"relevant": "nope"})
    bare = jsonl(tmp_path / "bare.jsonl", [{"query_id": "1", "ranked_ids": ["a"], "answer": "x"}])
    assert (
        recallwatch.evaluate(bare).to_dict()["metrics"],
        recallwatch.evaluate(bare).to_dict()["counts"]["labelled_queries"],
    ) == ([], 0)
    twice = [{"query_id": "1", "ranked_ids": ["a"], "relevant": {"a": grade}} for grade in (1, 2)]
    with pytest.raises(InputError, match=r"log\.jsonl:2: contradicts .*log\.jsonl:1"):
        recallwatch.evaluate(jsonl(tmp_path / "log.jsonl", twice))


def test_a_column_mapped_in_the_log_keeps_its_usual_name_in_the_labels(tmp_path: Path) -> None:
    """--map query_id=qq says where it stands in the log; labels that have no qq are read as ever, and those that have it by it."""
    log = jsonl(tmp_path / "log.jsonl", [{"qq": "1", "ranked_ids": ["a"]}])
    for name in ("query_id", "qq"):
        labels = jsonl(tmp_path / f"{name}.jsonl", [{name: "1", "relevant": ["a"]}])
        assert evaluated(log, labels, k=1, metrics="recall", mapped={"query_id": "qq"})["metrics"][0]["value"] == 1


@pytest.mark.parametrize("name", ["label", "rating", "judgment", "judgement", "relevancy", "target", "gain"])
def test_the_grade_has_many_names(tmp_path: Path, name: str) -> None:
    """A grade is read under each of its usual names, never taken for 1; two of them in one file are refused, both named."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["x", "a", "b"]}])
    rows = [{"query_id": "q", "document_id": d, name: g} for d, g in (("x", 0), ("a", 0), ("b", 1))]
    (tmp_path / "l.csv").write_text(f"query_id,document_id,{name}\nq,x,0\nq,a,0\nq,b,1\n")
    forms = (tmp_path / "l.csv", jsonl(tmp_path / "l.jsonl", rows), pa.Table.from_pylist(rows))
    for labels in forms if name == "rating" else forms[:1]:
        assert value(evaluated(log, labels, k="3", metrics="precision"), "precision", 3) == pytest.approx(1 / 3, abs=1e-12)
    both = [{**row, "score": 0.5} for row in rows]
    for labels in (jsonl(tmp_path / "both.jsonl", both), pa.Table.from_pylist(both))[: 2 if name == "rating" else 0]:
        with pytest.raises(InputError, match=f"'score' and '{name}' could both be the grade"):
            evaluated(log, labels)
        assert value(evaluated(log, labels, k="3", metrics="precision", mapped={"grade": name}), "precision", 3) == pytest.approx(
            1 / 3, abs=1e-12
        )


YES = ["1", "1.0", "true", "True ", "YES", "relevant"]
NO = ["0", "0.0", "false", '"False "', "no", "irrelevant", "Not relevant", "non-relevant"]


@pytest.mark.parametrize("column", ["is_relevant", "grade"])
def test_words_for_relevance(tmp_path: Path, column: str) -> None:
    """Yes and no are read in every spelling that can be understood, as relevance and as grade; a query a word."""
    words = [*YES, *NO]
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": f"q{i}", "ranked_ids": ["a", "b"]} for i in range(len(words))])
    rows = "".join(f"q{i},a,{word}\nq{i},b,1\n" for i, word in enumerate(words))
    (tmp_path / "l.csv").write_text(f"query_id,document_id,{column}\n{rows}")
    result = evaluated(log, tmp_path / "l.csv", k="1", metrics=("precision", "ndcg"), per_query=True)
    seen = {row["query_id"]: row["values"] for row in result["queries"]}
    for i, word in enumerate(words):
        assert set(seen[f"q{i}"].values()) == {float(word in YES)}, word


@pytest.mark.parametrize("text", ["maybe", "2", "-1", "null", "nan", "[]"])
def test_relevance_that_is_not_understood(tmp_path: Path, log: Path, text: str) -> None:
    """What is neither yes nor no is refused with its line, what was seen and what is expected."""
    (tmp_path / "l.csv").write_text(f"query_id,document_id,is_relevant\n1,a,yes\n1,b,{text}\n")
    with pytest.raises(InputError, match=r"l\.csv:3: is_relevant '.*' is not a yes or no \(expected") as caught:
        evaluated(log, tmp_path / "l.csv")
    assert repr(text) in str(caught.value)


def test_an_empty_grade_is_not_judged(tmp_path: Path) -> None:
    """An empty or null grade says nothing of its document: left out and counted; a row that lacks the column counts as 1."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["a", "b"]}, {"query_id": "r", "ranked_ids": ["a"]}])
    (tmp_path / "l.csv").write_text("query_id,document_id,grade\nq,a,\nq,b,1\nr,a, \n")
    rows = [
        {"query_id": "q", "document_id": "a", "grade": None},
        {"query_id": "q", "document_id": "b"},
        {"query_id": "r", "relevant": {"a": None}},
    ]
    table = pa.table({"query_id": ["q", "q", "r"], "document_id": ["a", "b", "a"], "grade": pa.array([None, 1, None], pa.int64())})
    for labels in (tmp_path / "l.csv", jsonl(tmp_path / "l.jsonl", rows[:2]), table):
        result = evaluated(log, labels, metrics=("precision@1", "recall@2"))
        assert (value(result, "precision", 1), value(result)) == (0, 1)
        warnings = {row["code"]: row["n"] for row in result["warnings"]}
        assert warnings["unjudged_labels"] == (1 if str(labels).endswith("jsonl") else 2)
        assert (result["counts"]["labelled_queries"], result["counts"]["queries_without_relevant"]) == (1, 0)
    apart = jsonl(tmp_path / "apart.jsonl", [{"query_id": "q", "relevant": ["b"], "grades": {"a": None, "b": 1}}, rows[2]])
    assert value(evaluated(log, apart, k="2", metrics="judged"), "judged", 2) == 0.5
    with pytest.raises(InputError, match="1 rows, none judged"):
        evaluated(log, jsonl(tmp_path / "none.jsonl", rows[2:]))


CONTRADICTIONS = {
    "yes and no": '{"query_id":"1","document_id":"a","is_relevant":true}\n{"query_id":"1","document_id":"a","is_relevant":false}\n',
    "yes and grade 0": '{"query_id":"1","document_id":"a","is_relevant":true}\n{"query_id":"1","document_id":"a","grade":0}\n',
    "nothing and one": '{"query_id":"1","relevant":[]}\n{"query_id":"1","relevant":["a"]}\n',
    "one and nothing": '{"query_id":"1","relevant":["a"]}\n{"query_id":"1","document_id":null}\n',
    "twice in an object": '{"query_id":"1","relevant":{"b":1}}\n{"query_id":"1","relevant":{"a":1,"a":0}}\n',
    "twice in grades": '{"query_id":"2","relevant":["b"]}\n{"query_id":"1","relevant":["a"],"grades":{"a":1,"a":2}}\n',
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions(tmp_path: Path, log: Path, name: str) -> None:
    """Labels that cannot both hold are an error that names both places; --label-conflicts drop leaves the query out and counts it."""
    path = tmp_path / "l.jsonl"
    path.write_text(CONTRADICTIONS[name] + '{"query_id":"2","relevant":["b"]}\n')
    first = 2 if name.startswith("twice") else 1
    with pytest.raises(InputError, match=rf"{path}:2: contradicts {path}:{first}: "):
        evaluated(log, path)
    result = evaluated(log, path, k="1", label_conflicts="drop")
    assert (result["counts"]["labelled_queries"], value(result, k=1)) == (1, 1)
    assert {row["code"]: row["n"] for row in result["warnings"]}["conflicting_labels"] == 1


def test_contradictions_decided(tmp_path: Path, log: Path) -> None:
    """max holds to what is right, last to what was said last, for a document and for nothing and something."""
    rows = [{"query_id": "1", "relevant": ["a"]}, {"query_id": "1", "relevant": []}, {"query_id": "2", "relevant": ["b"]}]
    path = jsonl(tmp_path / "l.jsonl", rows)
    assert evaluated(log, path, k="1", label_conflicts="max")["counts"]["queries_without_relevant"] == 0
    assert evaluated(log, path, k="1", label_conflicts="last")["counts"]["queries_without_relevant"] == 1
    flat = [{"query_id": "1", "document_id": "a", "is_relevant": yes} for yes in (True, False)]
    path = jsonl(tmp_path / "flat.jsonl", [*flat, {"query_id": "1", "document_id": "x", "is_relevant": True}])
    assert value(evaluated(log, path, k="1", label_conflicts="max"), k=1) == 0.5
    assert value(evaluated(log, path, k="1", label_conflicts="last"), k=1) == 0


def test_an_id_twice_in_an_object(tmp_path: Path, log: Path) -> None:
    """Entries that agree are one; a key of the line that stands twice is refused, and so is a map with an id twice."""
    path = tmp_path / "l.jsonl"
    path.write_text('{"query_id":"2","relevant":{"b":1,"b":1}}\n{"query_id":"1","relevant":["a"],"grades":{"a":3,"a":3,"x":1}}\n')
    result = evaluated(log, path, k="2")
    assert (value(result, k=2), result["counts"]["queries_without_relevant"]) == (1, 0)
    path.write_text('{"query_id":"2","relevant":["b"],"relevant":["c"]}\n')
    with pytest.raises(InputError, match=r"l\.jsonl:1: 'relevant' stands twice in it"):
        evaluated(log, path)
    twice = pa.table({"query_id": ["1"], "relevant": pa.array([[("a", 1.0), ("a", 2.0)]], pa.map_(pa.string(), pa.float64()))})
    with pytest.raises(InputError, match="an id stands twice in a map"):
        evaluated(log, twice)


def test_columns_that_hold_something_else(tmp_path: Path, log: Path) -> None:
    """A list where one id stands is refused, and so is a grade without a document; columns that are not read are named."""
    with pytest.raises(InputError, match=r"l\.jsonl:1: document_id is a list or an object"):
        evaluated(log, jsonl(tmp_path / "l.jsonl", [{"query_id": "1", "document_id": ["a", "b"]}]))
    with pytest.raises(InputError, match="document_id is a list or an object"):
        evaluated(log, pa.Table.from_pylist([{"query_id": "1", "document_id": ["a", "b"]}]))
    (tmp_path / "l.csv").write_text("query_id,document_id,grade\n1,,1\n")
    with pytest.raises(InputError, match=r"l\.csv:2: a grade, and no document_id"):
        evaluated(log, tmp_path / "l.csv")
    (tmp_path / "l.csv").write_text("query_id,document_id,weight,fold\n1,a,2,1\n")
    warnings = {row["code"]: row["message"] for row in evaluated(log, tmp_path / "l.csv")["warnings"]}
    assert warnings["label_columns_not_read"] == "label columns that are not read: weight, fold"


def test_labels_as_one_array(tmp_path: Path, log: Path) -> None:
    """Labels may stand in one JSON array, on one line or many."""
    rows = [{"query_id": "1", "relevant": ["a", "c"]}, {"query_id": "2", "relevant": ["z"]}]
    for indent in (None, 1):
        (tmp_path / "l.json").write_text(json.dumps(rows, indent=indent))
        assert value(evaluated(log, tmp_path / "l.json", k="3"), k=3) == 0.5


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Query-ID,Document ID,Grade", ("0", "1")),
        ("query_id,doc_id, IS_RELEVANT ", ("no", "yes")),
        ("QID,document_id,relevant", ("false", "true")),
        ("query_id,document_id,Relevant", ("0", "1")),
        ("query_id,document_id,Relevance Score", ("0", "2")),
    ],
)
def test_columns_however_they_are_spelled(tmp_path: Path, header: str, cells: tuple[str, str]) -> None:
    """Capitals, blanks and hyphens make no other column; ``relevant`` beside a document says whether it is."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["a", "b"]}])
    (tmp_path / "l.csv").write_text(f"{header}\nq,a,{cells[0]}\nq,b,{cells[1]}\n")
    assert value(evaluated(log, tmp_path / "l.csv", k="1,2", metrics=("precision",)), "precision", 2) == 0.5
    (tmp_path / "l.csv").write_text(f"{header}\nq,a,maybe\nq,b,{cells[1]}\n")
    with pytest.raises(InputError, match=r"l\.csv:2: .*'maybe' is not a "):
        evaluated(log, tmp_path / "l.csv")


@pytest.mark.parametrize(("no", "yes"), [(False, True), (0, 1), ("no", "yes")])
def test_yes_or_no_beside_a_document_in_json(tmp_path: Path, no: Any, yes: Any) -> None:
    """``relevant`` beside a document's id in JSON says whether it is, as in CSV; where some row has a list, it is a list of ids."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["a", "b"]}])
    rows = [{"query_id": "q", "document_id": name, "relevant": value} for name, value in (("a", no), ("b", yes))]
    labels = jsonl(tmp_path / "l.jsonl", rows)
    found = evaluated(log, labels, k="2", metrics=("precision", "judged"))
    assert (value(found, "precision", 2), value(found, "judged", 2)) == (0.5, 1.0)
    jsonl(labels, [*rows, {"query_id": "q", "document_id": "c", "relevant": "maybe"}])
    with pytest.raises(InputError, match=r"l\.jsonl:3: is_relevant 'maybe' is not a yes or no"):
        evaluated(log, labels)
    jsonl(labels, [*rows, {"query_id": "q2", "relevant": ["a"]}])
    with pytest.raises(InputError, match=r"l\.jsonl:1: 'relevant' is neither a list nor an object"):
        evaluated(log, labels)


def test_rows_that_may_have_grades_under_another_name(tmp_path: Path) -> None:
    """Where no column of grades is known, every row counts as relevant, and the columns that are not read are named."""
    log = jsonl(tmp_path / "log.jsonl", [{"query_id": "q", "ranked_ids": ["a", "b"]}])
    for header, is_told in (("query_id,document_id,points", True), ("query_id,document_id,query_class", False)):
        (tmp_path / "l.csv").write_text(f"{header}\nq,a,0\nq,b,1\n")
        told = [w["message"] for w in evaluated(log, tmp_path / "l.csv")["warnings"] if w["code"] == "no_grades"]
        assert bool(told) == is_told and all("not read: points" in message for message in told)
