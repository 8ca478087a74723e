"""Labels whose documents got other ids are written again under the ids of today."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import run

import recallwatch
from recallwatch.base.errors import InputError

LONG = "The gate code of the north door is in the safe of the front desk. It changes on the first day of each month."
PARTS = (LONG[:66], LONG[66:])
TEXTS = {
    "n1": "A short fact.",
    "n2#0": PARTS[0],
    "n2#1": PARTS[1],
    "n3": "Before it: " + "the way to the station is left of the old mill.",
    "m5": "kept",
}
LABELS = [
    {"query_id": "q1", "document_id": "m1", "document_text": "A  short fact.", "grade": 2},
    {"query_id": "q2", "document_id": "m2", "document_text": LONG},
    {"query_id": "q3", "document_id": "m3", "document_text": "the way to the station is left of the old mill."},
    {"query_id": "q4", "document_id": "m4", "document_text": "known by the mapping alone"},
    {"query_id": "q4", "document_id": "m5", "document_text": "kept"},
    {"query_id": "q5", "document_id": "m6", "document_text": "gone for good"},
    {"query_id": "q6", "document_id": "m7", "document_text": "its query was not asked"},
]  # fmt: skip
LISTS = {"q1": ["n1"], "q2": ["n2#1", "n2#0"], "q3": ["n3"], "q4": ["m5", "n4"], "q5": ["m5"]}
LOG = [{"query_id": q, "ranked_ids": ids, "texts": [TEXTS.get(d, "other") for d in ids]} for q, ids in LISTS.items()]


def test_texts_and_a_mapping_say_where_documents_are(tmp_path: Path) -> None:
    """The same text, its parts, a text that holds it, a file that says so; what is still shown keeps its id, what was not asked is no decay."""
    (tmp_path / "ids.csv").write_text("old_id,new_id\nm4,n4\nm5,elsewhere\nm6,\n")
    new = tmp_path / "new.parquet"
    result = recallwatch.re_anchor(LOG, LABELS, mapping=str(tmp_path / "ids.csv"), write=str(new))
    assert {row["document_id"]: (row["new_ids"], row["how"]) for row in result.documents} == {
        "m1": (["n1"], "text"), "m2": (["n2#0", "n2#1"], "part"), "m3": (["n3"], "whole"), "m4": (["n4"], "mapping"), "m6": ([], ""),
    }  # fmt: skip
    assert result.n_labels == 7  # m2 twice, m6 not
    rows = [(row["query_id"], row["document_id"], row["grade"]) for row in pq.read_table(new).to_pylist()]
    assert sorted(rows, key=str) == [
        ("q1", "n1", 2.0), ("q2", "n2#0", None), ("q2", "n2#1", None), ("q3", "n3", None), ("q4", "m5", None), ("q4", "n4", None), ("q6", "m7", None),
    ]  # fmt: skip
    metric = recallwatch.evaluate(LOG, new, metrics=("recall@10",)).to_dict()["metrics"][0]
    assert (metric["value"], metric["n_queries"]) == (1.0, 4)  # labels without a grade are labels still


def test_the_command_lists_and_a_mapping_without_columns_is_refused(tmp_path: Path) -> None:
    """On the sample logs the lost shard's documents are named; a file of other columns is an error that says which are wanted."""
    done = run(
        "labels",
        "re-anchor",
        "sample_logs/recalls",
        "--labels",
        "sample_logs/labels.jsonl",
        "--from",
        "2026-11-08",
        "--to",
        "2026-11-11",
    )
    assert done.returncode == 0
    assert done.stdout.startswith("16 relevant documents of queries that were asked are in no list.")
    (tmp_path / "ids.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"no columns old_id and new_id \(seen: a, b\)"):
        recallwatch.re_anchor(LOG, LABELS, mapping=str(tmp_path / "ids.csv"))
