"""Profiles of logs that carry expected texts and right answers: RAGAS and DeepEval records, and id rules beside texts."""

import json
from pathlib import Path
from typing import Any

import recallwatch

RAGAS = """name = "ragas"
[events]
query_text = "user_input"
texts = "retrieved_contexts"
[labels]
expected_texts = "reference_contexts"
gold_answers = "reference"
"""
DEEPEVAL = """name = "deepeval cases"
[events]
query_text = "input"
texts = "retrieval_context"
[labels]
expected_texts = "context"
gold_answers = "expected_output"
"""
RULED = """[events]
query_id = "q"
ranked_ids = "ids"
texts = "contents"
[labels]
relevant = "evidence"
expected_texts = "says"
[[ids.labels]]
match = '^D(\\d+):'
replace = 'session_\\1'
unmatched = "drop"
"""


def judged(folder: Path, profile: str, rows: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """The JSON of an evaluation without --labels."""
    (folder / "profile.toml").write_text(profile, encoding="utf-8")
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return recallwatch.evaluate(folder / "log.jsonl", profile=folder / "profile.toml", **options).to_dict()


def values(document: dict[str, Any]) -> dict[str, float]:
    """Metric to value."""
    return {row["metric"]: row["value"] for row in document["metrics"]}


def test_ragas_records_are_judged_by_their_reference_contexts(tmp_path: Path) -> None:
    """Expected texts, right answers and responses of one record need no labels of their own; no attribute keeps the labels."""
    rows = [
        {"user_input": "Capital of France?", "retrieved_contexts": ["Bananas.", "Paris is the capital of France"], "response": "Paris",
         "reference_contexts": ["Paris is the capital of France.", "France's capital is called Paris"], "reference": "Paris"},
        {"user_input": "And of Italy?", "retrieved_contexts": ["Bananas."], "response": "Milan",
         "reference_contexts": ["Rome is the capital of Italy."], "reference": ["Rome", "Roma"]},
        {"user_input": "Unlabelled?", "retrieved_contexts": ["Bananas."], "reference_contexts": None},
    ]  # fmt: skip
    asked = ("recall@2", "answer_exact")
    document = judged(tmp_path, RAGAS, rows, match="token_f1", match_threshold="0.9", metrics=asked, per_query=True)
    assert values(document) == {"recall": 0.25, "answer_exact": 0.5}
    assert (document["counts"]["labelled_queries"], document["counts"]["unlabelled_events"]) == (2, 1)


def test_deepeval_cases_are_judged_by_their_context(tmp_path: Path) -> None:
    """A DeepEval test case names what should come back `context`, what came back `retrieval_context`."""
    rows = [{"input": "q", "actual_output": "A b", "expected_output": "a b.", "retrieval_context": ["x y"], "context": ["X  y"]}]
    assert values(judged(tmp_path, DEEPEVAL, rows, match="exact", metrics=("recall@1", "answer_f1"))) == {
        "recall": 1.0,
        "answer_f1": 1.0,
    }


def test_a_dropped_reference_takes_its_text_along(tmp_path: Path) -> None:
    """Texts run along with ids: one whose id no rule reads is no expected text; texts by id follow the id rules."""
    row: dict[str, Any] = {
        "q": "q1",
        "ids": ["session_9", None],
        "contents": ["no such words", "second text"],
        "evidence": ["D:1", "D2:7"],
    }
    options = {"match": "id,exact", "metrics": "recall@2"}
    document = judged(tmp_path, RULED, [{**row, "says": ["no such words", "second text"]}], **options)
    assert values(document) == {"recall": 1.0}
    assert [w["n"] for w in document["warnings"] if w["code"] == "references_dropped"] == [1]
    document = judged(tmp_path, RULED, [{**row, "says": {"D:1": "no such words", "D2:7": "second text"}}], **options)
    assert values(document) == {"recall": 1.0}
