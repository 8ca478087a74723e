"""`recallwatch labels`: public data sets' files become labels; their counts are held against the protocol."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.labels.adapters import ADAPTERS, make
from recallwatch.protocol.label_files import write_labels

from . import world

LOCOMO = {"multi-hop": 282, "temporal": 321, "open-domain": 96, "single-hop": 841, "adversarial": 446}
LONGMEMEVAL = {
    "single-session-user": 70,
    "multi-session": 133,
    "single-session-preference": 30,
    "temporal-reasoning": 133,
    "knowledge-update": 78,
    "single-session-assistant": 56,
}


def test_locomo(shared_data: Path) -> None:
    """10 conversations, 272 sessions, 1,986 questions, 1,982 with evidence, nine malformed references, every question keeps a label."""
    made = make(ADAPTERS["locomo"], shared_data / "locomo" / "locomo10.json")
    counts = made.counts
    assert (counts["questions"], counts["with_evidence"], counts["references"]) == (1986, 1982, 2815)
    assert counts["repeated_references"] == 1
    assert counts["without_a_readable_reference"] == 5
    assert counts["oracle_coverage"] == 1.0
    assert dict(made.segments) == {"session": 272, "turn": 5882}
    assert dict(made.types) == LOCOMO
    assert {row["reference"]: row["document_id"] for row in made.malformed} == {
        "D8:6; D9:17": "conv-26/D8",
        "D10:19": "conv-42/D10",
        "D": None,
        "D:11:26": None,
        "D4:36": "conv-47/D4",
        "D9:1 D4:4 D4:6": "conv-49/D9",
        "D22:1 D22:2 D9:10 D9:11": "conv-49/D22",
        "D21:18 D21:22 D11:15 D11:19": "conv-49/D21",
        "D30:05": "conv-50/D30",
    }
    assert sum(row["document_id"] is None for row in made.labels.to_pylist()) == 4, "no evidence: nothing is right"


def test_locomo_by_turn(shared_data: Path) -> None:
    """At turn level five questions keep no label, and they are counted, not labelled as 'nothing is right'."""
    made = make(ADAPTERS["locomo"], shared_data / "locomo" / "locomo10.json", granularity="turn")
    assert made.counts["unresolved"] == 5
    assert len({row["query_id"] for row in made.labels.to_pylist()}) == 1986 - 5
    assert made.labels.to_pylist()[0]["document_id"] == "conv-26/D1:3"


def test_longmemeval(shared_data: Path, tmp_path: Path) -> None:
    """Types as published, 30 abstention questions with nothing right; the file written is a label file like any other."""
    made = make(ADAPTERS["longmemeval"], shared_data / "longmemeval" / "labels.jsonl")
    assert dict(made.types) == LONGMEMEVAL
    assert (made.counts["questions"], made.counts["abstention"], made.counts["scored"]) == (500, 30, 470)
    assert made.counts["oracle_coverage"] is None, "the file holds no haystack"
    told = write_labels("longmemeval", shared_data / "longmemeval" / "labels.jsonl", tmp_path / "labels.parquet")
    assert "counts as longmemeval 1.1 says" in told
    assert "another file than longmemeval_s_cleaned.json" in told
    log = shared_data / "pgmnemo_runs" / "lme_v0.2.1_hybrid.jsonl.gz"
    result = recallwatch.evaluate(log, str(tmp_path / "labels.parquet"), metrics=("recall@10", "success@10"), unit="query")
    found = {row["metric"]: (round(row["value"], 6), row["n_queries"]) for row in result.to_dict()["metrics"]}
    assert found == {"recall": (0.950319, 470), "success": (0.980851, 470)}
    assert result.to_dict()["answered"]["no_answer_queries"] == 30


def test_a_haystack_says_which_labels_exist(tmp_path: Path) -> None:
    """LongMemEval's own file, one array: an evidence session that is in no haystack of its question is a malformed reference."""
    rows = [
        {
            "question_id": "a",
            "question_type": "t",
            "question": "?",
            "answer_session_ids": ["s1"],
            "haystack_session_ids": ["s1", "s2"],
            "haystack_sessions": [[{"role": "user", "content": "x"}], []],
        },
        {
            "question_id": "b",
            "question_type": "t",
            "question": "?",
            "answer_session_ids": ["s1"],
            "haystack_session_ids": ["s3"],
            "answer": 3,
        },
        {
            "question_id": "c_abs",
            "question_type": "t",
            "question": "?",
            "answer_session_ids": ["s3"],
            "haystack_session_ids": ["s3"],
            "answer": None,
        },
    ]
    path = tmp_path / "small.json"
    path.write_text(json.dumps(rows))
    made = make(ADAPTERS["longmemeval"], path)
    assert made.counts["oracle_coverage"] == 0.5
    assert [dict(row) for row in made.malformed] == [{"query_id": "b", "reference": "s1", "document_id": None}]
    assert {row["query_id"]: row["document_id"] for row in made.labels.to_pylist()} == {"a": "s1", "c_abs": None}


def test_longmemeval_v2_names_no_evidence(tmp_path: Path) -> None:
    """The second LongMemEval's public questions say what is answered and not where it stands: refused, with the field that is missing."""
    fields = ("id", "domain", "environment", "question_type", "question", "image", "answer", "eval_function")
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps({name: f"{name} {n}" for name in fields}) + "\n" for n in range(2)))
    with pytest.raises(InputError, match=r"2 questions of LongMemEval-V2, which name no evidence \(no field answer_session_ids"):
        make(ADAPTERS["longmemeval"], path)


@pytest.mark.parametrize("given", ["scifact", "scifact/qrels/test.tsv"])
def test_beir(tmp_path: Path, given: str) -> None:
    """A data set's folder or its qrels file; texts come from queries.jsonl, of which only the judged queries count."""
    (tmp_path / "scifact" / "qrels").mkdir(parents=True)
    (tmp_path / "scifact" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n3\td3\t2\n")
    (tmp_path / "scifact" / "queries.jsonl").write_text(
        '{"_id": "1", "text": "one"}\n{"_id": "2", "text": "two"}\n{"_id": "3", "text": "three"}\n'
    )
    told = write_labels("beir", tmp_path / given, tmp_path / "labels.parquet")
    assert told.startswith("2 questions: 2 with a right answer; 3 references")
    rows = pq.read_table(tmp_path / "labels.parquet").to_pylist()
    assert [(row["query_id"], row["query_text"], row["document_id"], row["grade"]) for row in rows] == [
        ("1", "one", "d1", 1.0),
        ("1", "one", "d2", 0.0),
        ("3", "three", "d3", 2.0),
    ]


def test_trec(tmp_path: Path) -> None:
    """Qrels lines; texts from a TSV, and a query without one is told."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d2 0\n")
    (tmp_path / "texts.tsv").write_text('1\tsay "hi"\n')
    told = write_labels("trec", tmp_path / "qrels", tmp_path / "labels.parquet", queries=tmp_path / "texts.tsv")
    assert "2 questions: 1 with a right answer, 1 without evidence; 2 references" in told
    assert "1 queries have no text" in told
    assert pq.read_table(tmp_path / "labels.parquet").column("query_text").to_pylist() == ['say "hi"', None]


def test_counts_that_are_not_the_protocols(tmp_path: Path) -> None:
    """Another file than the protocol speaks of: nothing is written, each count is named; --protocol none writes it."""
    path = world.corpus(tmp_path)
    with pytest.raises(InputError, match=r"not the counts of locomo 1\.1: 8 questions \(agreed: 1986\); 7 scored"):
        write_labels("locomo", path, tmp_path / "labels.parquet")
    assert not (tmp_path / "labels.parquet").exists()
    assert "1 malformed references" in write_labels("locomo", path, tmp_path / "labels.parquet", protocol="none")


MUSIQUE = {
    "id": "2hop__1_2",
    "question": "?",
    "answerable": True,
    "paragraphs": [{"idx": i, "title": title, "paragraph_text": "", "is_supporting": i < 2} for i, title in enumerate("BAC")],
    "question_decomposition": [{"id": 1, "paragraph_support_idx": 1}, {"id": 2, "paragraph_support_idx": 0}],
}
HOTPOT = {
    "_id": "h1",
    "question": "?",
    "type": "bridge",
    "supporting_facts": [["X", 0], ["Y", 1], ["X", 2]],
    "context": [["Y", ["."]], ["X", ["."]], ["Z", ["."]]],
}
HUB = {
    "id": "h2",
    "question": "?",
    "type": "comparison",
    "supporting_facts": {"title": ["Z", "gone"]},
    "context": {"title": ["Z", "W"]},
}


def test_hops(tmp_path: Path) -> None:
    """MuSiQue's steps and HotpotQA's supporting titles (both of its shapes) are labels by title, with the hop; a title no paragraph has is malformed."""
    unanswerable = {**MUSIQUE, "id": "3hop__x", "answerable": False}
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (MUSIQUE, unanswerable)))
    (tmp_path / "h.json").write_text(json.dumps([HOTPOT, HUB]))
    made = [make(ADAPTERS["multihop"], tmp_path / file) for file in ("m.jsonl", "h.json")]
    names = ("query_id", "query_class", "document_id", "hop")
    rows = [tuple(row[name] for name in names) for one in made for row in one.labels.to_pylist()]
    assert rows == [
        ("2hop__1_2", "2hop", "A", 1),
        ("2hop__1_2", "2hop", "B", 2),
        ("3hop__x", "3hop", None, None),
        ("h1", "bridge", "X", 1),
        ("h1", "bridge", "Y", 2),
        ("h2", "comparison", "Z", 1),
    ]
    assert [row["reference"] for row in made[1].malformed] == ["gone"]
    write_labels("multihop", tmp_path / "h.json", tmp_path / "labels.parquet")
    log = [{"query_id": "h1", "ranked_ids": [d], "trace_id": "t"} for d in "XY"]
    result = recallwatch.evaluate(pa.Table.from_pylist(log), tmp_path / "labels.parquet", unit="trace", metrics=("all_found@2",))
    assert result.to_dict()["metrics"][0]["value"] == 1
    assert [row["mean"] for row in result.to_dict()["questions"] if row["hop"]] == [1, 1]


@pytest.mark.parametrize(
    ("adapter", "text", "told"),
    [
        ("locomo", '{"a": 1}', "no LoCoMo conversations in there"),
        ("locomo", "not json", "cannot be read"),
        ("longmemeval", '[{"question": "x"}]', "no LongMemEval questions"),
        ("multihop", '[{"_id": "x", "question": "?"}]', "no questions of several hops"),
        ("trec", "1 0 d1\n", "no label form known"),
    ],
)
def test_files_of_another_form(tmp_path: Path, adapter: str, text: str, told: str) -> None:
    """A file that is not the data set's own is told by what it lacks."""
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=told):
        make(ADAPTERS[adapter], tmp_path / "x.json")


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    """Adapters and granularities are told by the nearest name; a file that is not there by its path."""
    with pytest.raises(UsageError, match="Did you mean 'locomo'"):
        write_labels("locomoo", tmp_path, tmp_path / "x")
    with pytest.raises(UsageError, match=r"no granularity 'turns'\. Did you mean 'turn'"):
        make(ADAPTERS["locomo"], world.corpus(tmp_path), granularity="turns")
    with pytest.raises(InputError, match="no such file"):
        make(ADAPTERS["locomo"], tmp_path / "gone.json")
