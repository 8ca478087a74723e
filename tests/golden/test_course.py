"""The table of the course this tool grew out of: three queries, four metrics, by hand."""

import pyarrow as pa
import pytest

import recallwatch

RELEVANT = {"where I work": ["acme"], "my allergy": ["shellfish"], "my deadlines": ["q3", "acme"]}
RANKED = {
    "where I work": ["acme", "portland", "python"],
    "my allergy": ["python", "portland", "shellfish"],
    "my deadlines": ["q3", "python", "acme"],
}
TABLE = {  # metric -> per query, mean
    "recall@3": ([1, 1, 1], 1.00),
    "precision@3": ([0.33, 0.33, 0.67], 0.44),
    "mrr": ([1, 0.33, 1], 0.78),
    "ndcg@3": ([1, 0.50, 0.92], 0.81),
}


@pytest.mark.parametrize("key", ["query_id", "query_text"])
def test_the_course_table(key: str) -> None:
    """Every cell of the table to its two decimals, whether queries are joined by id or by text."""
    logs = pa.table({key: list(RANKED), "ranked_ids": list(RANKED.values())})
    labels = pa.table({key: list(RELEVANT), "relevant": list(RELEVANT.values())})
    found = recallwatch.evaluate(logs, labels, compat="course", metrics=list(TABLE), per_query=True, threads=1).to_dict()
    values = {query[key]: query["values"] for query in found["queries"]}
    means = {row["metric"] + (f"@{row['k']}" if row["k"] else ""): row["value"] for row in found["metrics"]}
    for name, (per_query, mean) in TABLE.items():
        assert [round(values[query][name], 2) for query in RANKED] == per_query, name
        assert round(means[name], 2) == mean, name


def test_a_query_without_labels_counts_as_zero() -> None:
    """The course's plain loop gives 0 to a query with an empty label set, and divides by it."""
    logs = pa.table({"query_id": ["a", "b"], "ranked_ids": [["x"], ["y"]]})
    labels = pa.table({"query_id": ["a", "b"], "relevant": pa.array([["x"], []], pa.list_(pa.string()))})
    found = recallwatch.evaluate(logs, labels, compat="course", metrics="recall@1,precision@1,mrr,ndcg@1", threads=1).to_dict()
    assert {row["metric"]: (row["value"], row["n"]) for row in found["metrics"]} == dict.fromkeys(
        ("recall", "precision", "mrr", "ndcg"), (0.5, 2)
    )
