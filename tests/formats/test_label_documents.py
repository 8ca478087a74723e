"""Labels as data sets and tools keep them: one document, golden sets, columns under other names; several judges."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError
from recallwatch.read import read_labels

TWO = [("1", None, "a", None), ("2", None, "b", None)]
ROWS = [{"query_id": "1", "relevant": ["a"]}, {"query_id": "2", "relevant": ["b"]}]
GOLDEN = [(None, "hello", "text:A", None)]
FORMS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "array": (ROWS, TWO),
    "by query and document": (
        {"1": {"a": 2, "x": 0}, "2": {"b": 1}},
        [("1", None, "a", 2), ("1", None, "x", 0), ("2", None, "b", 1)],
    ),
    "by query": ({"1": ["a"], "2": ["b"]}, TWO),
    "queries": ({"version": 1, "queries": ROWS}, TWO),
    "page": ({"data": ROWS, "next_cursor": None}, TWO),
    "LlamaIndex pairs": (
        {"queries": {"1": "hello", "2": "bye"}, "corpus": {"a": "A"}, "relevant_docs": {"1": ["a"], "2": ["b"]}, "mode": "text"},
        [("1", "hello", "a", None), ("2", "bye", "b", None)],
    ),
    "LlamaIndex examples": ({"examples": [{"query": "hello", "reference_contexts": ["A"], "reference_answer": "yes"}]}, GOLDEN),
    "RAGAS": ([{"user_input": "hello", "reference_contexts": ["A"], "reference": "yes", "synthesizer_name": "s"}], GOLDEN),
    "RAGAS with ids": ([{"user_input": "hello", "reference_context_ids": ["a"], "reference": "yes"}], [(None, "hello", "a", None)]),
    "Elasticsearch _rank_eval": (
        {
            "requests": [
                {
                    "id": "1",
                    "request": {},
                    "ratings": [{"_index": "i", "_id": "a", "rating": 2}, {"_index": "i", "_id": "x", "rating": 0}],
                }
            ]
        },
        [("1", None, "a", 2), ("1", None, "x", 0)],
    ),
    "OpenSearch judgment list": (
        {"judgmentRatings": [{"query": "hello", "ratings": [{"docId": "a", "rating": "1.0"}]}]},
        [(None, "hello", "a", 1)],
    ),
    "Quepid": ({"case_name": "c", "queries": [{"query_text": "hello", "ratings": {"a": 3}}]}, [(None, "hello", "a", 3)]),
    "ratings": ({"ratings": [{"query_id": "1", "docid": "a", "rating": 3}]}, [("1", None, "a", 3)]),
    "FlagEmbedding": ([{"query": "hello", "pos": ["A"], "neg": ["B"], "prompt": "p"}], [(None, "hello", "text:A", None)]),
    "FlagEmbedding with ids": (
        [{"query": "hello", "pos": ["A"], "pos_id": ["a"], "neg": [], "neg_id": []}],
        [(None, "hello", "a", None)],
    ),
    "MLflow": (
        [{"inputs": {"query": "hello"}, "expectations": {"expected_retrieved_context": [{"doc_uri": "a"}]}}],
        [(None, "hello", "a", None)],
    ),
    "Databricks": ([{"request": "hello", "expected_retrieved_context": [{"doc_uri": "a"}]}], [(None, "hello", "a", None)]),
    "camel case": ([{"queryId": "1", "relevantIds": ["a"]}, {"QueryId": "2", "RelevantIds": ["b"]}], TWO),
    "Label Studio": (
        [
            {
                "id": 1,
                "data": {"query": "hello", "document_id": "a"},
                "annotations": [
                    {
                        "completed_by": 1,
                        "was_cancelled": False,
                        "result": [{"type": "choices", "value": {"choices": ["Relevant"]}}],
                    },
                    {"completed_by": {"email": "x@y"}, "was_cancelled": True, "result": []},
                ],
            },
            {
                "id": 2,
                "data": {"query": "hello", "document_id": "b"},
                "annotations": [{"completed_by": 1, "result": [{"type": "rating", "value": {"rating": 3}}]}],
            },
            {"id": 3, "data": {"query": "hello", "document_id": "c"}, "annotations": [{"completed_by": 1, "result": []}]},
            {"id": 4, "data": {"query": "hello", "document_id": "d"}, "annotations": []},
        ],
        [(None, "hello", "a", 1), (None, "hello", "b", 3)],
    ),
    "Tevatron, Pyserini": (
        [
            {
                "query_id": "1",
                "query": "hello",
                "positive_passages": [{"docid": "a", "title": "", "text": "A"}],
                "negative_passages": [],
            }
        ],
        [("1", "hello", "a", None)],
    ),
    "DPR": (
        [{"question": "hello", "answers": ["yes"], "positive_ctxs": [{"passage_id": "a", "score": 9}]}],
        [(None, "hello", "a", None)],
    ),
    "LangSmith data set": (
        [{"id": "e1", "inputs": {"question": "hello"}, "outputs": {"relevant_doc_ids": ["a"]}, "metadata": {"query_class": "c"}}],
        [(None, "hello", "a", None)],
    ),
    "Langfuse data set": (
        [{"id": "e1", "datasetId": "d", "input": {"query": "hello"}, "expectedOutput": {"expected_ids": ["a"]}, "metadata": None}],
        [(None, "hello", "a", None)],
    ),
    "DeepEval": (
        [{"input": "hello", "actual_output": None, "expected_output": "yes", "context": ["A"], "retrieval_context": None}],
        GOLDEN,
    ),
}


def labels_of(path: Path, **mapped: str) -> list[tuple[Any, ...]]:
    """query_id, query_text, document_id, grade of every label."""
    engine = Engine(threads=1)
    try:
        for name in ("0_schema", "0_options", "1_normalise/values"):
            engine.file(f"{name}.sql")
        read_labels(engine, [str(path)], mapped={name.replace("__", "."): at for name, at in mapped.items()})
        return engine.run("select query_id, query_text, document_id, grade from labels order by all")
    finally:
        engine.close()


@pytest.mark.parametrize("name", FORMS)
def test_one_document_of_labels(name: str, tmp_path: Path) -> None:
    """On one line, and pretty-printed over many."""
    made, right = FORMS[name]
    for text in (json.dumps(made), json.dumps(made, indent=2)):
        (tmp_path / "labels.json").write_text(text)
        assert labels_of(tmp_path / "labels.json") == right


def test_tables_under_other_names(tmp_path: Path) -> None:
    """Quepid's CSV; ESCI's letters as the gains of its authors."""
    (tmp_path / "null.csv").write_text("query_id,document_id,grade\n1,a,NULL\n2,b,1\n")  # the first is not judged
    assert labels_of(tmp_path / "null.csv") == [("2", None, "b", 1)]
    (tmp_path / "quepid.csv").write_text("query,docid,rating\nhello,a,3\nhello,z,0\n")
    assert labels_of(tmp_path / "quepid.csv") == [(None, "hello", "a", 3), (None, "hello", "z", 0)]
    esci = {"query": ["q"] * 4, "query_id": [1] * 4, "product_id": list("abcd"), "esci_label": ["E", "S", "Complement", "I"]}
    pq.write_table(pa.table(esci), tmp_path / "esci.parquet")
    assert [row[2:] for row in labels_of(tmp_path / "esci.parquet")] == [("a", 1), ("b", 0.1), ("c", 0.01), ("d", 0)]


def test_map_of_label_columns(tmp_path: Path) -> None:
    """Paths into objects and along lists, in JSON and in typed columns; `labels.` where logs have that column too."""
    (tmp_path / "l.json").write_text(json.dumps([{"q": {"id": "1"}, "gold": [{"doc": {"key": "a"}}]}]))
    assert labels_of(tmp_path / "l.json", labels__query_id="q.id", relevant="gold[].doc.key") == TWO[:1]
    pq.write_table(pa.table({"g": [{"q": "1", "d": "a"}]}), tmp_path / "l.parquet")
    assert labels_of(tmp_path / "l.parquet", labels__query_id="g.q", document_id="g.d") == TWO[:1]
    with pytest.raises(InputError, match=r"--map document_id=nope: no 'nope' there"):
        labels_of(tmp_path / "l.json", document_id="nope")


def test_several_judges() -> None:
    """An error, unless the rule is stated: the mean grade, or what most said (of a tie the lower); counted either way."""
    judged = {"query_id": ["1"] * 5, "document_id": list("aaacc"), "grade": [1, 0, 1, 0, 1]}
    log = pa.table({"query_id": ["1"], "ranked_ids": [["c", "a"]]})
    ndcg = {}
    for rule in ("mean", "majority"):
        result = recallwatch.evaluate(log, pa.table(judged), metrics=("recall@1", "ndcg@2"), label_conflicts=rule).to_dict()
        ndcg[rule] = [round(row["value"], 6) for row in result["metrics"]]
        assert [(one["code"], one["n"]) for one in result["warnings"] if "conflict" in one["code"]] == [("conflicting_labels", 2)]
    # mean: a = 2/3, c = 1/2, both relevant: (1/2 + 2/3 · .63093) / (2/3 + 1/2 · .63093); majority: a = 1, c = 0: .63093
    assert ndcg == {"mean": [0.5, 0.937369], "majority": [0.0, 0.63093]}
    with pytest.raises(InputError, match="two grades"):
        recallwatch.evaluate(log, pa.table(judged))


@pytest.mark.parametrize(
    ("form", "ids"),
    [
        ("query;relevant_ids\r\nq;a|b\r\n", ["a", "b"]),
        ('query,relevant\nq,"a, b"\n', ["a", "b"]),
        ("query,relevant\nq,\"['a', 'b']\"\n", ["a", "b"]),
        ('query,relevant\nq,"[""a"", ""b""]"\n', ["a", "b"]),
        ('query,relevant\nq,"{a,b}"\n', ["a", "b"]),
        ("user_input,reference_context_ids,reference\nq,\"['a', 'b']\",so\n", ["a", "b"]),
        ("user_input,reference_contexts,reference\nq,\"['one text', 'b, c']\",so\n", ["text:b, c", "text:one text"]),
        ("query\texpected_text\nq\tone text, one; more\n", ["text:one text, one; more"]),
        ('query,relevant\nq,"{""a"": 1, ""b"": 2}"\n', ["a", "b"]),
        (
            json.dumps({"testRunData": {"testCases": [{"input": "q", "context": ["one text"], "expectedOutput": "so"}]}}),
            ["text:one text"],
        ),
    ],
)
def test_lists_in_cells(tmp_path: Path, form: str, ids: list[str]) -> None:
    """A list in a cell of CSV, as people and pandas write it (RAGAS' golden sets); DeepEval's test run."""
    (tmp_path / "labels").write_text(form, newline="")
    assert [row[2] for row in labels_of(tmp_path / "labels")] == ids


def test_a_text_that_is_no_list(tmp_path: Path) -> None:
    """In a typed table a text has to be JSON: refused with what it holds."""
    pq.write_table(pa.table({"query": ["q"], "relevant": ["a|b"]}), tmp_path / "labels")
    with pytest.raises(InputError, match=r"'relevant' is text that is no JSON list \(saw 'a\|b'\)\. Write a list"):
        labels_of(tmp_path / "labels")


def test_clicks_of_ubi(tmp_path: Path) -> None:
    """OpenSearch UBI: two clicks on one document are one label of kind click, other events none; the mean is called by its kind."""
    clicks = [
        {
            "action_name": action,
            "query_id": f"s{n}",
            "client_id": "c",
            "timestamp": "2026-11-01T08:00:00Z",
            "user_query": query,
            "event_attributes": about,
        }
        for n, (action, query, about) in enumerate(
            [
                ("click", "hello", {"object": {"object_id": "a", "object_id_field": "id"}, "position": {"ordinal": 1}}),
                ("click", "hello", {"object": {"object_id": "a"}, "position": {"ordinal": 2}}),
                ("impression", "hello", {"object": {"object_id": "b"}}),
                ("click", None, {"object": {"object_id": "c"}}),
            ]
        )
    ]
    search = {
        "query_id": "s0",
        "user_query": "hello",
        "client_id": "c",
        "timestamp": "2026-11-01T08:00:00Z",
        "query_response_hit_ids": ["b", "a"],
    }
    (tmp_path / "queries.jsonl").write_text(json.dumps(search) + "\n")
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(click) + "\n" for click in clicks))
    assert labels_of(tmp_path / "events.jsonl") == [(None, "hello", "a", None)]
    result = recallwatch.evaluate(tmp_path / "queries.jsonl", tmp_path / "events.jsonl", metrics="mrr@10").to_dict()
    assert [(row["value"], list(row["kinds"])) for row in result["metrics"]] == [(0.5, ["click"])]
    assert [(one["code"], one["n"]) for one in result["warnings"] if one["code"] == "events_without_click"] == [
        ("events_without_click", 2)
    ]
    (tmp_path / "events.jsonl").write_text(json.dumps(clicks[2]) + "\n")
    with pytest.raises(InputError, match="1 events, no click with user_query"):
        labels_of(tmp_path / "events.jsonl")


def test_objects_in_a_list(tmp_path: Path) -> None:
    """Each with an id, and a grade where it has one (null: not judged); in Parquet too. One without an id is refused."""
    rows = [
        {"query_id": "1", "relevant": [{"id": "a", "grade": 2}, {"doc_id": "b", "grade": None}]},
        {"query_id": "2", "relevant": [{"_id": "c"}]},
    ]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert labels_of(tmp_path / "l.jsonl") == [("1", None, "a", 2), ("2", None, "c", None)]
    pq.write_table(
        pa.Table.from_pylist([{"query_id": "1", "relevant": [{"id": "a", "grade": 2}, {"id": "x", "grade": 0}]}]),
        tmp_path / "l.parquet",
    )
    assert labels_of(tmp_path / "l.parquet") == [("1", None, "a", 2), ("1", None, "x", 0)]
    (tmp_path / "l.jsonl").write_text(json.dumps({"query_id": "1", "relevant": [{"id": "a"}, {"name": "b"}]}))
    with pytest.raises(InputError, match="'relevant' holds something that is no id"):
        labels_of(tmp_path / "l.jsonl")


def test_two_answers_of_label_studio(tmp_path: Path) -> None:
    """Which of them says whether the document is right is not known."""
    results = [{"type": "choices", "from_name": name, "value": {"choices": ["yes"]}} for name in ("relevance", "quality")]
    task = {"id": 1, "data": {"query": "hello", "document_id": "a"}, "annotations": [{"result": results}]}
    (tmp_path / "l.json").write_text(json.dumps([task]))
    with pytest.raises(InputError, match=r"l\.json:1: an annotation with two answers .* JSON_MIN"):
        recallwatch.evaluate([{"query": "hello", "ranked_ids": ["a"]}], tmp_path / "l.json")
